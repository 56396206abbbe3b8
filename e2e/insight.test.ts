/** What work cost, in the real window, from the keyboard: the same as the status bar and the command line say. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { inMain } from './testing/in-main.ts'
import { expectAccessible, machineOfEachTest, picture, resize, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Two parts.
      - tool: Agent
        input: { description: Trace the callers, subagent_type: Explore, prompt: Trace them all. }
  - agent: /main agent/
    reply: All is done.
  - agent: Trace them all
    turn: 1
    reply: [{ tool: Read, input: { file_path: README.md } }]
  - agent: Trace them all
    reply: One caller.
`

test('says what agents cost by definition, opens them and saves a table', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop' })
  await machine.scriptApi(SCENARIO)
  const window = await machine.open({ folder, settings: { trustedFolders: [folder] } })
  const { app, page } = window
  await send(page, 'Who calls charge?')
  await expect(page.getByText('All is done.').first()).toBeVisible()

  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('cost')
  await expect(page.getByRole('option', { name: /Insight/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('insight')
  await expect(page.getByRole('option', { name: /Insight/ }).first()).toBeVisible()
  await page.keyboard.press('Enter')
  const table = page.getByRole('table', { name: 'Work' })
  await expect(table.getByRole('rowheader')).toHaveText([/^main/, /^Explore/])
  await expectAccessible(page)
  await picture(window, 'insight')

  const states = (await machine.events()).flatMap((event) =>
    event.type === 'assistant-message' ? [event.costUsd ?? 0] : [],
  )
  const usd = states.reduce((sum, cost) => sum + cost, 0)
  const shown = usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`
  await expect(page.getByRole('main', { name: 'Insight' })).toContainText(shown)
  await expect(page.getByRole('contentinfo')).toContainText(shown)

  const bar = await page
    .getByRole('contentinfo')
    .getByText(/ tokens/)
    .textContent()
  const counted = bar?.split(' tokens', 1)[0] ?? ''
  await expect(
    page.locator('dt', { hasText: 'Tokens' }).locator('xpath=following-sibling::dd[1]'),
  ).toHaveText(counted)

  const file = join(machine.base, 'costs.csv')
  await inMain(
    app,
    ({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath })
    },
    file,
  )
  await page.getByRole('button', { name: 'Export CSV…' }).press('Enter')
  await expect(page.getByText(`Saved ${file}.`)).toBeVisible()
  expect(await readFile(file, 'utf8')).toMatch(/^definition,file_or_source,.*\r\nmain,built-in,1,1,/)

  await table.getByRole('button', { name: /^Explore/ }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Explore' })).toBeVisible()
  await expect(table.getByRole('button', { name: /^Trace the callers/ })).toBeFocused()
  await resize(window, 1100, 700)
  await expectAccessible(page)
  await picture(window, 'insight-opened')
  await page.keyboard.press('Escape')
  await expect(table.getByRole('button', { name: /^Explore/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(table.getByRole('button', { name: /^Trace the callers/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('All is done.').first()).toBeVisible()
  expect(window.errors).toEqual([])
})
