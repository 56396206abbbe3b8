/** External agents in the real window: beside own agents, with a request, a login, an error, as main agent. */
import { expect, type Page, test } from '@playwright/test'
import { definePrograms } from './testing/example-programs.ts'
import {
  allowOnce,
  expectAccessible,
  machineOfEachTest,
  picture,
  resize,
  send,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const call = (type: string, task: string) =>
  `      - tool: Agent\n        input: { description: ${task}, subagent_type: ${type}, prompt: "${task}." }`

const SCENARIO = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Six agents begin at once.
${['general-purpose', 'Plan', 'talker', 'asker', 'locked', 'breaker'].map((type) => call(type, `part of ${type}`)).join('\n')}
  - agent: /part of general-purpose/
    turn: 1
    reply:
      - text: I read the folder.
      - tool: Bash
        input: { command: sleep 120, description: Wait }
  - agent: /part of Plan/
    turn: 1
    reply:
      - text: I plan the change.
      - tool: Read
        input: { file_path: src/charge.js }
  - reply: Done.
`

const panel = (page: Page, name: string) => page.getByRole('article', { name: new RegExp(`, ${name}, `) })
const row = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(name) })

/** Shows the agent alone in a large panel. */
async function focusOn(page: Page, name: string) {
  await row(page, name).click()
  await expect(panel(page, name)).toBeVisible()
  return panel(page, name)
}

test('programs work beside own agents: one asks, one wants a login, one fails', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  await definePrograms(machine, {
    talker: ['waits', 'options'],
    asker: ['command', 'modes'],
    locked: ['works', 'login'],
    breaker: ['dies'],
  })
  const settings = { trustedFolders: [folder], theme: 'dark', access: { kind: 'rehearsal' } }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await resize(window, 1440, 900)
  await send(page, 'begin')

  await expect(row(page, 'asker')).toContainText('needs your permission', { timeout: 60_000 })
  await expect(row(page, 'locked')).toContainText('needs a login', { timeout: 60_000 })
  await expect(row(page, 'breaker')).toContainText('failed', { timeout: 60_000 })
  await expect(row(page, 'talker').getByRole('img', { name: 'ACP' })).toBeVisible()
  await picture(window, 'external-1-stage')
  await expectAccessible(page)

  const breaker = await focusOn(page, 'breaker')
  await expect(breaker).toContainText('Its last output')
  await expect(breaker).toContainText('out of cheese')
  await expect(breaker).not.toContainText('ghp_0123456789')
  await picture(window, 'external-2-error')

  const talker = await focusOn(page, 'talker')
  await expect(talker.getByRole('button', { name: 'example 1.2: about this program' })).toBeVisible()
  await talker.getByRole('button', { name: /^model: / }).press('Enter')
  await page.getByRole('menuitemradio', { name: /^LARGE/ }).press('Enter')
  await expect(talker.getByRole('button', { name: 'model: LARGE' })).toBeVisible()
  await talker.getByRole('button', { name: /about this program/ }).press('Enter')
  const facts = page.getByRole('dialog', { name: 'About part of talker' })
  await expect(facts).toContainText('does not report its cost')
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  // Its own command goes to the program as it is typed.
  await talker.getByRole('textbox', { name: 'Message part of talker' }).press('/')
  await page.keyboard.type('co')
  await expect(page.getByRole('listbox', { name: 'Commands of part of talker' })).toContainText('/compact')
  await page.keyboard.press('Enter')
  await expect(talker.getByRole('textbox', { name: 'Message part of talker' })).toHaveValue('/compact ')

  const locked = await focusOn(page, 'locked')
  const login = locked.getByRole('group', { name: 'part of locked needs a login' })
  await expect(login).toContainText('opens a browser')
  await picture(window, 'external-3-login')
  await expectAccessible(page)
  await login.getByRole('button', { name: 'Log in with Example' }).press('Enter')
  await expect(locked).toContainText('Prompt 1', { timeout: 60_000 })
  await expect(login).toHaveCount(0)
  await expect(locked).toContainText('$0.25')

  // One queue for all makers.
  await page.keyboard.press('Control+Shift+P')
  const queue = page.getByRole('complementary', { name: 'Requests' })
  await expect(queue).toContainText('npm test')
  await queue.getByText('npm test').first().waitFor()
  await page.keyboard.press('Escape')
  const asker = await focusOn(page, 'asker')
  await allowOnce(asker)
  await expect(asker).toContainText('The answer was once.', { timeout: 60_000 })
  await expect(page.getByText(/agents? (don’t|doesn’t) tell/)).toBeVisible()
  expect(window.errors).toEqual([])
})

test('a program leads a conversation without a key; its session is the conversation', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  await definePrograms(machine, { leader: ['works', 'options', 'resume'] })
  const settings = { trustedFolders: [folder], theme: 'dark', access: { kind: 'none' }, mainAgent: 'leader' }
  const window = await machine.open({ folder, settings })
  const { page } = window
  await resize(window, 1440, 900)
  await expect(page.getByRole('button', { name: 'Main agent: leader' })).toBeVisible()
  await picture(window, 'external-4-new')
  await send(page, 'Begin the work')
  await expect(page.getByText(/Prompt 1 in/).first()).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('button', { name: 'example 1.2: about this program' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^model: / })).toBeVisible()
  await send(page, 'And go on')
  await expect(page.getByText(/Prompt 2 in .*And go on/).first()).toBeVisible({ timeout: 60_000 })
  await picture(window, 'external-5-main')
  await expectAccessible(page)
  expect(window.errors).toEqual([])
})

test('the first run offers programs; the dialog lists them and takes a custom one', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  const settings = { trustedFolders: [folder], theme: 'dark' }
  const window = await machine.open({ folder, settings })
  const { page } = window
  await resize(window, 1440, 900)
  await page
    .getByRole('button', { name: /External agents…|Install an external agent/ })
    .first()
    .press('Enter')
  const dialog = page.getByRole('dialog', { name: 'External agents' })
  await expect(dialog.getByRole('list', { name: 'Known external agents' })).toContainText('Claude Code')
  await picture(window, 'external-6-programs')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: /Custom/ }).press('Enter')
  const create = page.getByRole('dialog', { name: 'New agent' })
  await expect(create.getByRole('radio', { name: /External agent/ })).toBeChecked()
  await create.getByRole('textbox', { name: 'Name' }).fill('goose')
  await create.getByRole('button', { name: 'Create' }).press('Enter')
  await expect(page.locator('.cm-content')).toContainText('backing: acp')
  expect(window.errors).toEqual([])
})
