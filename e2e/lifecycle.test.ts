/** The lifecycle of agents in the real window: background, pause, messages, kill, limits, rate limits. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  resize,
  send,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const FILES = { 'src/charge.js': 'module.exports = 1\n', 'README.md': '# Shop\n' }
/** A command that ends when the test creates a file. */
const WAIT = 'while [ ! -f go ]; do sleep 0.05; done; echo went on'

async function open(
  scenario: string,
  settings: object = {},
): Promise<{ readonly window: TroupeWindow; readonly folder: string; go(): Promise<void> }> {
  await machine.scriptApi(scenario)
  const folder = await machine.repository('shop', FILES)
  const window = await machine.open({
    folder,
    settings: {
      trustedFolders: [folder],
      bypassFolders: [folder],
      permissionMode: 'bypassPermissions',
      theme: 'dark',
      ...settings,
    },
  })
  return { window, folder, go: () => writeFile(join(folder, 'go'), '') }
}

const asked = (text: string) =>
  machine.asked().filter(({ messages }) => JSON.stringify(messages).includes(text))
const panel = (page: Page) => page.getByRole('article').first()

test('in the background: the main agent continues and gets one notice of the end', async () => {
  const { window, go } = await open(`
steps:
  - agent: /main agent/
    when: worked in the background has ended
    reply: The lines were counted.
  - agent: /main agent/
    turn: 1
    reply:
      - text: I let that be counted meanwhile.
      - tool: Agent
        input: { description: Count lines, subagent_type: general-purpose, prompt: Count slowly., run_in_background: true }
  - agent: /main agent/
    reply: I went on.
  - agent: Count slowly
    turn: 1
    reply: [{ tool: Bash, input: { command: "${WAIT}", description: Count } }]
  - agent: Count slowly
    reply: There are **42** lines.
`)
  const { page } = window
  await send(page, 'Count the lines')
  await expect(page.getByText('I went on.').first()).toBeVisible()
  await expect(page.getByText('background', { exact: true }).first()).toBeVisible()
  await picture(window, 'life-01-background')
  await expectAccessible(page)
  await go()
  await expect(page.getByText('The lines were counted.').first()).toBeVisible()
  await picture(window, 'life-02-messaged')
  await expectAccessible(page)
  const events = await machine.events()
  expect(
    events.filter(
      (event) => event.type === 'user-message' && event.from === 'runtime' && event.sender !== null,
    ),
  ).toHaveLength(1)
  expect(window.errors).toEqual([])
})

test('moved to the background by the user: the waiting parent continues', async () => {
  const { window, go } = await open(`
steps:
  - agent: /main agent/
    turn: 1
    reply: [{ tool: Agent, input: { description: Count lines, prompt: Count slowly. } }]
  - agent: /main agent/
    when: moved this agent to the background
    reply: Then I go on without it.
  - agent: /main agent/
    reply: Now it is counted.
  - agent: Count slowly
    turn: 1
    reply: [{ tool: Bash, input: { command: "${WAIT}", description: Count } }]
  - agent: Count slowly
    reply: There are 42 lines.
`)
  const { page } = window
  await send(page, 'Count the lines')
  await panel(page).focus()
  await page.keyboard.press('Control+Shift+B')
  await expect(page.getByText('Then I go on without it.').first()).toBeVisible()
  await go()
  await expect(page.getByText('Now it is counted.').first()).toBeVisible()
  expect(window.errors).toEqual([])
})

test('paused, messaged, continued: the message is in its next request, and siblings kept working', async () => {
  const { window, go } = await open(`
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Two look.
      - tool: Agent
        input: { description: Look at routes, prompt: Look at routes. }
      - tool: Agent
        input: { description: Look at tests, prompt: Look at tests. }
  - agent: /main agent/
    reply: Both have looked.
  - agent: Look at routes
    turn: 1
    reply: [{ tool: Bash, input: { command: "${WAIT}", description: Look } }]
  - agent: Look at routes
    when: the new ones
    reply: I looked at the new ones, too.
  - reply: It is fine.
`)
  const { page } = window
  await send(page, 'Look at both')
  const routes = page.getByRole('article').filter({ hasText: 'Look at routes' })
  await expect(page.getByRole('article').filter({ hasText: 'It is fine.' })).toBeVisible()
  await routes.focus()
  await page.keyboard.press('Control+Shift+R')
  await expect(routes.getByText(/pausing/i).first()).toBeVisible()
  await picture(window, 'life-03-pausing')
  // Typed over the panel while nothing has the focus, then on the focused panel: the first letters are not lost.
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
  await routes.hover()
  await page.keyboard.type('Look at ')
  await expect(routes.getByRole('textbox')).toBeFocused()
  await routes.focus()
  await page.keyboard.type('the new ones, too.')
  await expect(routes.getByRole('textbox')).toHaveValue('Look at the new ones, too.')
  await page.keyboard.press('Enter')
  const before = asked('Look at routes.').length
  await go()
  await expect(routes.getByText('Paused. Continue picks up here.')).toBeVisible()
  await picture(window, 'life-04-paused')
  await expectAccessible(page)
  await resize(window, 1100, 700)
  await picture(window, 'life-04-paused-small')
  await resize(window, 1440, 900)
  expect(asked('the new ones')).toEqual([])
  expect(asked('Look at routes.').length).toBe(before)

  await routes.focus()
  await page.keyboard.press('Control+Shift+R')
  await expect(page.getByText('Both have looked.').first()).toBeVisible()
  expect(JSON.stringify(asked('the new ones')[0]?.messages)).toContain('Look at the new ones, too.')
  const report = (await machine.events()).find(
    (event) => event.type === 'agent-ended' && event.report.includes('the new ones'),
  )
  expect(report).toBeDefined()
  expect(window.errors).toEqual([])
})

test('killed while agents work: everything is restored, and the agent resumes where it was', async () => {
  const scenario = `
steps:
  - agent: /main agent/
    turn: 1
    reply: [{ tool: Agent, input: { description: Look at routes, prompt: Look at routes. } }]
  - agent: Look at routes
    turn: 1
    reply:
      - text: I read the routes now.
      - tool: Bash
        input: { command: "${WAIT}", description: Look }
  - agent: Look at routes
    reply: There are three routes.
  - reply: I see.
`
  const first = await open(scenario)
  await send(first.window.page, 'Look')
  await expect(first.window.page.getByText('I read the routes now.').first()).toBeVisible()
  await eventually(async () =>
    (await machine.events()).some((event) => event.type === 'tool-started' && event.name === 'Bash'),
  ).toBe(true)
  const gone = new Promise((resolve) => first.window.app.process().once('exit', resolve))
  first.window.app.process().kill('SIGKILL')
  await gone
  await first.go()

  machine.forget()
  const window = await machine.open({ folder: first.folder })
  const { page } = window
  await page
    .getByRole('listitem')
    .getByRole('button', { name: /interrupted Look/ })
    .click()
  const routes = page.getByRole('article').filter({ hasText: 'Look at routes' })
  await expect(routes.getByText('I read the routes now.')).toBeVisible()
  await expect(routes.getByText('Interrupted on turn 1.').first()).toBeVisible()
  await expect(routes.getByRole('button', { name: /Failed: interrupted/ })).toBeVisible()
  await picture(window, 'life-05-interrupted')
  await expectAccessible(page)
  await routes
    .getByRole('button', { name: /^Resume/ })
    .last()
    .click()
  await expect(routes.getByText('There are three routes.').first()).toBeVisible()
  await picture(window, 'life-06-resumed')
  const resumed = asked('The user resumed you')
  expect(JSON.stringify(resumed[0]?.messages)).toContain('it may or may not have taken effect')
  expect(window.errors).toEqual([])
})

test('a limit is reached: the window names it, the user raises it, and the agent continues', async () => {
  const { window } = await open(
    `
steps:
  - tools: false
    reply: I had to stop here.
  - turn: 1-30
    reply: [{ tool: TodoWrite, input: { todos: [] } }]
  - reply: All done.
`,
    { conversationUsd: 0.02, agentUsd: null },
  )
  const { page } = window
  await send(page, 'Work on and on')
  await expect(page.getByText(/Stopped at the conversation.s limit of \$0\.02/).first()).toBeVisible({
    timeout: 30_000,
  })
  await picture(window, 'life-07-limit')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Raise limit…' }).first().click()
  const money = page.getByRole('textbox', { name: /money|cost|US dollars/i }).first()
  await money.fill('nonsense')
  await money.press('Enter')
  await picture(window, 'life-08-raise')
  await expectAccessible(page)
  await money.fill('5')
  await money.press('Enter')
  await eventually(async () => page.getByText(/of \$5/).count()).toBeGreaterThan(0)
  await page.keyboard.press('Escape')
  await send(page, 'Go on')
  await expect(page.getByText('All done.').first()).toBeVisible()
  await picture(window, 'life-09-raised')
  expect(window.errors).toEqual([])
})

test('an earlier message is edited and sent again in a branch; the original is kept, and both outlive a restart', async () => {
  const first = await open(`
steps:
  - when: Look at the tests
    reply: There are two tests.
  - reply: There are three routes.
`)
  const { page } = first.window
  await send(page, 'Look at the routes')
  await expect(page.getByText('There are three routes.')).toBeVisible()
  await page.getByRole('button', { name: 'Edit and resend' }).press('Enter')
  const field = page.getByRole('textbox', { name: 'Edit message' })
  await expect(field).toBeFocused()
  await picture(first.window, 'life-12-edit')
  await expectAccessible(page)
  await field.fill('Look at the tests')
  await field.press('Enter')
  await expect(page.getByText('There are two tests.')).toBeVisible()
  await expect(page.getByText('There are three routes.')).toHaveCount(0)
  await picture(first.window, 'life-13-branch')
  await first.window.app.close()

  machine.forget()
  const window = await machine.open({ folder: first.folder })
  const row = (name: RegExp) => window.page.getByRole('listitem').getByRole('button', { name })
  await expect(row(/Branch: Look at the tests/)).toBeVisible()
  await row(/Look at the routes/).click()
  await expect(window.page.getByText('There are three routes.')).toBeVisible()
  expect(window.errors).toEqual([])
})

test('a 429: each agent counts down and retries', async () => {
  const { window } = await open(`
steps:
  - agent: /main agent/
    turn: 1
    reply: [{ tool: Agent, input: { description: Look at routes, prompt: Look at routes. } }]
  - agent: Look at routes
    fault: { status: 429, retryAfter: 15 }
    reply: There are three routes.
  - reply: I see.
`)
  const { page } = window
  await send(page, 'Look')
  const routes = page.getByRole('article').filter({ hasText: 'Look at routes' })
  const countdown = routes.getByText(/in \d+ s/).first()
  await expect(countdown).toBeVisible()
  const before = await countdown.textContent()
  await eventually(() => countdown.textContent()).not.toBe(before)
  await picture(window, 'life-10-429')
  await expectAccessible(page)
  await expect(page.getByText('I see.').first()).toBeVisible()
  await expect(composer(page)).toBeVisible()
  expect(window.errors).toEqual([])
})

test('from the keyboard: find works from any focus, and Escape closes the innermost thing before it stops anything', async () => {
  const { window, go } = await open(`
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Two look at the orchard.
      - tool: Agent
        repeat: 2
        input: { description: "look at tree {{n}}", subagent_type: general-purpose, prompt: "Tree {{n}}" }
  - agent: /Tree (\\d)/
    turn: 1
    reply:
      - text: I climb the tree.
      - tool: Bash
        input: { command: "${WAIT}", description: Climb }
  - agent: /Tree (\\d)/
    reply: I came down.
  - reply: All are down.
`)
  const { page } = window
  await send(page, 'Look')
  await expect(page.getByText('I climb the tree.')).toHaveCount(2)
  const field = page.getByRole('textbox', { name: /^Find in/ })

  await panel(page).focus()
  await page.keyboard.press('Control+f')
  await page.keyboard.type('climb')
  await expect(panel(page).getByText('1 of 1', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(field).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()

  await page.getByRole('treeitem').first().focus()
  await page.keyboard.press('Control+f')
  await page.keyboard.type('orchard')
  await expect(page.getByRole('main').getByText('1 of 1', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  expect((await machine.events()).filter(({ type }) => type === 'agent-ended')).toEqual([])

  // With large text, the conversation and the agents share the space alternately; focusing the composer shows it.
  for (let step = 0; step < 5; step++) await page.keyboard.press('Control+Shift+=')
  await page.getByRole('radio', { name: 'Agents · 2' }).click()
  await panel(page).focus()
  await expectAccessible(page)
  await page.keyboard.press('Control+l')
  await expect(composer(page)).toBeFocused()
  await go()
  await expect(page.getByText('All are down.').first()).toBeVisible()
  expect(window.errors).toEqual([])
})
