import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { inMain } from './testing/in-main.ts'
import {
  expectAccessible,
  machineOfEachTest,
  picture,
  resize,
  send,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()
const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345'

const SCENARIO = `
steps:
  - when: begin
    agent: main agent
    turn: 1
    reply:
      - tool: Agent
        input: { description: Read the notes, prompt: "Read the notes.", subagent_type: Explore }
  - agent: Read the notes.
    turn: 1
    reply:
      - tool: Read
        input: { file_path: notes.txt }
  - agent: Read the notes.
    turn: 2
    reply: The notes name a key.
  - reply: Done.
`

/** The system's dialog answers with this path; null: it is canceled. */
const answerDialog = ({ app }: TroupeWindow, path: string | null) =>
  inMain(
    app,
    ({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: filePath === null, filePath: filePath ?? '' })
    },
    path,
  )

test('a conversation is exported from the palette, by keyboard, after a preview', async () => {
  const folder = await machine.repository('shop', { 'notes.txt': `key: ${KEY}\n` })
  const window = await machine.open({ folder, scenario: SCENARIO, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'begin')
  await expect(page.getByText('Done.').first()).toBeVisible()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('export')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Export conversation' })
  await expect(dialog.getByText(/ · 2 agents · \d+ events$/)).toBeVisible()
  await expect(dialog.getByText(/^\d secrets? masked$/)).toBeVisible()
  await expect(dialog.getByText(/\[secret\]/).first()).toBeVisible()
  await expectAccessible(page)
  await picture(window, 'export-01-preview')
  await resize(window, 1100, 700)
  await picture(window, 'export-02-small')

  const path = join(machine.base, 'shared.md')
  await answerDialog(window, null)
  await dialog.getByRole('radio', { name: 'Web page' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(dialog.getByText('Text to read, with folded tool calls.')).toBeVisible()
  await expect(dialog.getByText(/ · 2 agents · /)).toBeVisible()
  await dialog.getByRole('button', { name: 'Export…' }).press('Enter')
  await expect(dialog).toBeVisible()
  expect(existsSync(path)).toBe(false)

  await answerDialog(window, path)
  await dialog.getByRole('checkbox', { name: /Read the notes/ }).press('Space')
  await expect(dialog.getByText(/ · 1 agent · /)).toBeVisible()
  await dialog.getByRole('button', { name: 'Export…' }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByText(/^Exported .* to .*shared\.md\.$/)).toBeVisible()
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('## Main agent')
  expect(text).not.toContain('## Read the notes')
  expect(text).not.toContain(KEY)
})

test('the menus of a conversation and of its row offer the export', async () => {
  const folder = await machine.repository('shop', { 'notes.txt': 'nothing\n' })
  const window = await machine.open({ folder, scenario: SCENARIO, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'hello')
  await expect(page.getByText('Done.').first()).toBeVisible()
  const dialog = page.getByRole('dialog', { name: 'Export conversation' })
  await page.getByRole('button', { name: 'Conversation', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Export…' }).click()
  await expect(dialog.getByText(/ · 1 agent · /)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await page.locator('[data-conversation]').first().focus()
  await page.keyboard.press('x')
  await expect(dialog.getByText('No secrets were found.')).toBeVisible()
})
