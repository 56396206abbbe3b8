/** The queue of permission requests in the real window, from the keyboard only. */
import { expect, test } from '@playwright/test'
import { expectAccessible, Machine, picture, send } from './testing/troupe-window.ts'

let machine: Machine
test.beforeEach(async () => {
  machine = await Machine.create()
})
test.afterEach(() => machine.dispose())

const SCENARIO = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Four agents make one part each.
      - tool: Agent
        repeat: 4
        input: { description: "part {{n}}", subagent_type: general-purpose, prompt: "Part {{n}}" }
  - agent: /Part (\\d)/
    turn: 1
    reply:
      - tool: Bash
        input: { command: "touch out/part{{1}}.txt", description: Make the part }
  - agent: /Part (\\d)/
    turn: 2
    reply:
      - tool: Bash
        input: { command: "mkdir -p made", description: Make the folder }
  - agent: /Part 1/
    turn: 3
    reply:
      - tool: Bash
        input: { command: "rm -r made", description: Clean up }
  - agent: /Part (\\d)/
    reply: "Part {{1}}: {{results}}"
  - reply: "All parts: {{results}}"
`

test('a group is answered at once, a rule answers the rest, and a denial carries its feedback', async () => {
  test.setTimeout(120_000)
  const folder = await machine.repository('shop', { 'out/.keep': '' })
  const settings = { trustedFolders: [folder], theme: 'dark' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await send(page, 'Make the parts')
  await expect(page.getByText('4 permissions waiting')).toBeVisible()
  await page.keyboard.press('Control+Shift+P')
  const queue = page.getByRole('dialog', { name: '4 pending requests' })
  await expect(queue.getByRole('checkbox')).toHaveCount(4)
  for (const part of [1, 2, 3, 4])
    await expect(queue.locator('li b', { hasText: `part${part}.txt` })).toHaveText(`part${part}.txt`)
  await expectAccessible(page)
  await picture(window, 'request-queue-group')
  // Keys count only a moment after a request has appeared.
  await expect(async () => {
    if ((await page.getByRole('checkbox', { name: /touch/ }).count()) > 0) await page.keyboard.press('Enter')
    await expect(page.getByRole('checkbox', { name: /touch/ })).toHaveCount(0, { timeout: 1000 })
  }).toPass()

  await expect(page.getByText('4 permissions waiting')).toBeVisible()
  await expect(page.getByText('mkdir -p made').first()).toBeVisible()
  if (!(await queue.isVisible())) await page.keyboard.press('Control+Shift+P')
  if ((await queue.getByRole('checkbox').count()) === 0) await page.keyboard.press('Home')
  await expect(queue.getByRole('checkbox', { checked: true })).toHaveCount(4)
  await page.keyboard.press('t')
  await expect(queue.getByText('No request is ticked.')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await expect(queue.getByRole('button', { name: 'Always allow 1' })).toBeEnabled()
  await picture(window, 'request-queue-always')
  await expect(async () => {
    await page.keyboard.press('Shift+A')
    await expect(page.getByText('4 permissions waiting')).toBeHidden({ timeout: 1000 })
  }).toPass()

  const last = page.getByRole('dialog', { name: '1 pending request' })
  await expect(page.getByText('1 permission waiting')).toBeVisible()
  if (!(await last.isVisible())) await page.keyboard.press('Control+Shift+P')
  await expect(last.getByText('by rule').first()).toBeVisible()
  await expect(last.getByRole('group', { name: /wants to run a command/ })).toBeVisible()
  await expect(async () => {
    await page.keyboard.press('d')
    await expect(last.getByRole('textbox', { name: /Feedback/ })).toBeFocused({ timeout: 1000 })
  }).toPass()
  await page.keyboard.type('Keep the folder.')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/Part 1: .*Keep the folder\./).first()).toBeVisible()
  await picture(window, 'request-queue-end')

  const events = await machine.events()
  const answers = events.flatMap((event) => (event.type === 'permission-answered' ? [event] : []))
  expect(answers.map(({ decision, answeredBy }) => `${decision} ${answeredBy ?? 'user'}`).sort()).toEqual([
    ...Array.from({ length: 3 }, () => 'allow-always rules'),
    'allow-always user',
    ...Array.from({ length: 4 }, () => 'allow-once user'),
    'deny user',
  ])
  expect(new Set(answers.flatMap(({ rule }) => rule ?? []))).toEqual(new Set(['Bash(mkdir -p made)']))
  expect(window.errors).toEqual([])
})
