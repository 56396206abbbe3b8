/** Subagents of an external agent in the real window: beside own agents, asking, stopped, after a restart. */
import { expect, type Page, test } from '@playwright/test'
import { definePrograms } from './testing/example-programs.ts'
import {
  allowOnce,
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  mostAtOnce,
  picture,
  resize,
  send,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const call = (type: string, task: string) =>
  `      - tool: Agent\n        input: { description: ${task}, subagent_type: ${type}, prompt: "${task}." }`

/** The main agent starts these agents at once; "sleep" works until it is stopped, "ask" asks. */
const scenario = (calls: readonly string[]) => `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: All of you begin.
${calls.join('\n')}
  - agent: /sleep/
    turn: 1
    reply:
      - text: I wait for the build.
      - tool: Bash
        input: { command: sleep 300, description: Wait }
  - agent: /ask/
    turn: 1
    reply:
      - text: I look at the style.
      - tool: Bash
        input: { command: npm run lint, description: Check the style }
  - reply: "Done: {{results}}"
`

const panel = (page: Page, name: string) => page.getByRole('article', { name: new RegExp(`, ${name}, `) })
const row = (page: Page, name: string) =>
  page.getByRole('treeitem', { name: new RegExp(`^${TITLES[name] ?? name}\\b`) })

/** The tasks of agents that have the names of their types here. */
const TITLES: Readonly<Record<string, string>> = {
  routes: 'Looks at routes',
  tests: 'Looks at tests',
  leader: 'check the shop',
}

/** Shows the agent alone in a large panel. */
async function focusOn(page: Page, name: string) {
  await row(page, name).click()
  await expect(panel(page, name)).toBeVisible()
  return panel(page, name)
}

test('two subagents of a program beside two own agents: one asks, one is stopped, both outlive a restart', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  await definePrograms(machine, { leader: ['children-work', 'options'] })
  const launch = {
    folder,
    scenario: scenario([
      call('general-purpose', 'sleep over it'),
      call('general-purpose', 'ask for the style'),
      call('leader', 'check the shop'),
    ]),
    settings: { trustedFolders: [folder], theme: 'dark', access: { kind: 'rehearsal' } },
  }
  const window = await machine.open(launch)
  const { page } = window
  await resize(window, 1440, 900)
  await send(page, 'begin')

  await expect(row(page, 'routes')).toContainText('needs your permission', { timeout: 60_000 })
  await expect(row(page, 'ask for the style')).toContainText('needs your permission')
  await expect(page.getByText('Reading the tests.').first()).toBeVisible()
  for (const [name, level] of [
    ['leader', '2'],
    ['sleep over it', '2'],
    ['routes', '3'],
    ['tests', '3'],
  ] as const)
    await expect(row(page, name)).toHaveAttribute('aria-level', level)
  expect(mostAtOnce(await machine.events())).toBe(5)
  await picture(window, 'children-1-stage')
  await expectAccessible(page)

  // A program's subagent gets no messages, and says why it can't be stopped.
  const routes = await focusOn(page, 'routes')
  await expect(routes.getByRole('textbox')).toHaveCount(0)
  await expect(routes).toContainText('Only “check the shop” can send it messages.')
  await expect(routes.getByRole('button', { name: 'Stop' })).toHaveAccessibleDescription(
    '“Looks at routes” can’t be stopped by itself. Stop “check the shop”.',
  )
  await routes.getByRole('heading').hover()
  await routes.getByRole('button', { name: 'Stop' }).hover()
  await expect(
    page.getByText('“Looks at routes” can’t be stopped by itself. Stop “check the shop”.'),
  ).toBeVisible()
  await routes.getByRole('button', { name: 'Stop' }).focus()
  await picture(window, 'children-2-request')

  // One queue for the request of a program's subagent and that of an own agent.
  await page.keyboard.press('Control+Shift+P')
  const queue = page.getByRole('complementary', { name: 'Requests' })
  await expect(queue).toContainText('npm test')
  await expect(queue).toContainText('npm run lint')
  await picture(window, 'children-3-queue')
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  // One is stopped; the other one gets its answer and works on, and so does the program.
  const tests = await focusOn(page, 'tests')
  await tests.getByRole('button', { name: 'Stop' }).press('Enter')
  await expect(row(page, 'tests')).toContainText('stopped', { timeout: 60_000 })
  await focusOn(page, 'routes')
  await allowOnce(routes)
  await expect(routes).toContainText('The answer was once.', { timeout: 60_000 })
  await expect(row(page, 'routes')).not.toContainText('stopped')
  await expect(row(page, 'leader')).not.toContainText('stopped')
  await expect(page.getByRole('button', { name: /^1 requests?/ })).toBeVisible()
  await picture(window, 'children-4-one-stopped')

  const leader = await focusOn(page, 'leader')
  await leader.getByRole('button', { name: 'Stop', exact: true }).press('Enter')
  for (const name of ['leader', 'routes']) await expect(row(page, name)).toContainText('stopped')
  await expect(row(page, 'ask for the style')).toContainText('needs your permission')
  await picture(window, 'children-5-stopped')
  await expectAccessible(page)
  expect(window.errors).toEqual([])

  await machine.close()
  const again = await machine.open(launch)
  await resize(again, 1440, 900)
  await again.page.getByRole('listitem').getByRole('button', { name: /begin/ }).click()
  await expect(await focusOn(again.page, 'routes')).toContainText('The answer was once.')
  await expect(panel(again.page, 'routes')).toContainText('Look at the routes.')
  await expect(await focusOn(again.page, 'tests')).toContainText('Reading the tests.')
  await expect(row(again.page, 'tests')).toContainText('stopped')
  await expect(row(again.page, 'tests')).toHaveAttribute('aria-level', '3')
  await picture(again, 'children-6-restart')
  await expectAccessible(again.page)
  expect(again.errors).toEqual([])
})

test('24 agents fit a small window, a third of them of programs', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  const names = ['ann', 'ben', 'cat']
  await definePrograms(
    machine,
    Object.fromEntries(names.map((name) => [name, ['children-work', 'options', name]])),
  )
  const window = await machine.open({
    folder,
    scenario: scenario([
      ...Array.from({ length: 14 }, (_, n) => call('general-purpose', `sleep ${n + 1}`)),
      ...names.map((name) => call(name, `part of ${name}`)),
    ]),
    settings: {
      trustedFolders: [folder],
      theme: 'dark',
      access: { kind: 'rehearsal' },
      maxParallelAgents: 30,
    },
  })
  const { page } = window
  await resize(window, 1100, 700)
  await send(page, 'begin')
  await expect(page.getByRole('button', { name: /^3 requests?/ })).toBeVisible({ timeout: 120_000 })
  await eventually(async () => mostAtOnce(await machine.events()), { timeout: 60_000 }).toBe(23)
  const tree = page.getByRole('tree').first()
  await expect(tree.getByRole('treeitem')).toHaveCount(24)
  await expect(composer(page)).toBeInViewport()
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(width).toBeLessThanOrEqual(0)
  await picture(window, 'children-7-crowd')
  await resize(window, 1100, 700)
  await expectAccessible(page)
  expect(window.errors).toEqual([])
})
