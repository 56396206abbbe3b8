import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** The system's dialogs answer: the file to import, and whether spans may be sent. Records what was asked. */
const answerQuestions = ({ app }: TroupeWindow, { file, sends }: { file: string | null; sends: boolean }) =>
  inMain(
    app,
    ({ dialog }, answer) => {
      const choose = async () => ({
        canceled: answer.file === null,
        filePaths: answer.file === null ? [] : [answer.file],
      })
      const ask = async (_: unknown, { detail }: { detail?: string }) => {
        Reflect.set(globalThis, 'askedDetail', detail)
        return { response: answer.sends ? 0 : 1, checkboxChecked: false }
      }
      Object.assign(dialog, { showOpenDialog: choose, showMessageBox: ask })
    },
    { file, sends },
  )

test('an exported conversation is imported from the palette, and wrong files are named', async () => {
  const folder = await machine.repository('shop', { 'notes.txt': 'nothing\n' })
  const window = await machine.open({ folder, scenario: SCENARIO, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'hello')
  await expect(page.getByText('Done.').first()).toBeVisible()
  const file = join(machine.base, 'work.jsonl')
  await answerDialog(window, file)
  await page.getByRole('button', { name: 'Conversation', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Export…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export conversation' })
  await dialog.getByRole('radio', { name: 'JSON Lines' }).click()
  await dialog.getByRole('button', { name: 'Export…' }).press('Enter')
  await expect(dialog).toBeHidden()

  const runImport = async (chosen: string | null) => {
    await answerQuestions(window, { file: chosen, sends: false })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('import conv')
    await expect(page.getByRole('option', { name: /^Import conversation/ })).toBeVisible()
    await page.keyboard.press('Enter')
  }
  await runImport(null)
  await expect(page.getByPlaceholder(/palette|command/i)).toBeHidden()
  const picture = join(machine.base, 'picture.png')
  writeFileSync(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]))
  await runImport(picture)
  await expect(page.getByText('This is not an export to JSON Lines, so nothing').first()).toBeVisible()
  const torn = join(machine.base, 'torn.jsonl')
  writeFileSync(torn, readFileSync(file, 'utf8').split('\n').toSpliced(4, 1).join('\n'))
  await runImport(torn)
  await expect(
    page.getByText(/^Line \d+ of the file is not as exported, so nothing was imported/).first(),
  ).toBeVisible()
  await expect(page.locator('[data-conversation]')).toHaveCount(1)

  await runImport(file)
  await expect(page.getByText(/^Imported “.*”: 1 agent, \d+ events\.$/).first()).toBeVisible()
  await expect(page.getByText('This conversation was imported from a file.', { exact: false })).toBeVisible()
  await expect(page.getByText('Done.').first()).toBeVisible()
  await expect(page.locator('[data-conversation]')).toHaveCount(2)
  await expectAccessible(page)
  expect(window.errors).toEqual([])
})

test('spans are sent to a receiver after a question, and what goes wrong is told', async () => {
  const requests: string[] = []
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    incoming.on('end', () => {
      requests.push(`${incoming.method} ${incoming.url} ${JSON.parse(body).resourceSpans.length}`)
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await machine.repository('shop', { 'notes.txt': 'nothing\n' })
  const window = await machine.open({ folder, scenario: SCENARIO, settings: { trustedFolders: [folder] } })
  const { page, app } = window
  await send(page, 'hello')
  await expect(page.getByText('Done.').first()).toBeVisible()
  await page.locator('[data-conversation]').first().focus()
  await page.keyboard.press('x')
  const dialog = page.getByRole('dialog', { name: 'Export conversation' })
  await dialog.getByRole('radio', { name: 'OpenTelemetry' }).click()
  await dialog.getByRole('radio', { name: 'File' }).focus()
  await page.keyboard.press('ArrowRight')
  const field = dialog.getByRole('textbox', { name: 'Address of the receiver' })
  await field.fill('localhost')
  await field.press('Enter')
  await expect(
    dialog.getByText('"localhost" is not the address of a receiver.', { exact: false }),
  ).toBeVisible()

  await answerQuestions(window, { file: null, sends: false })
  await field.fill(address)
  await field.press('Enter')
  await expect
    .poll(() => inMain(app, () => Reflect.get(globalThis, 'askedDetail')))
    .toContain(`To: ${address}/v1/traces`)
  await expect(dialog.getByRole('button', { name: 'Send…' })).toBeEnabled()
  expect(requests).toEqual([])
  await expectAccessible(page)
  await picture(window, 'export-03-receiver')

  await answerQuestions(window, { file: null, sends: true })
  await field.fill('http://127.0.0.1:9')
  await field.press('Enter')
  await expect(dialog.getByText(/127\.0\.0\.1:9.* No span was sent\./)).toBeVisible()
  await field.fill(address)
  await field.press('Enter')
  await expect(page.getByText(/^Sent \d+ spans to 127\.0\.0\.1:\d+\.$/)).toBeVisible()
  await expect(dialog).toBeHidden()
  expect(requests).toEqual(['POST /v1/traces 1'])
  server.close()
  expect(window.errors).toEqual([])
})
