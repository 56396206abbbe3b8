/** The queue of permission requests in the real window, from the keyboard only. */
import { expect, type Page, test } from '@playwright/test'
import { composer, expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

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

/** The number of open requests in the status bar. */
const waiting = (page: Page, amount: number) =>
  page.getByRole('button', { name: new RegExp(`^${amount} requests?`) })

test('a group is answered at once, a rule answers the rest, and a denial carries its feedback', async () => {
  const folder = await machine.repository('shop', { 'out/.keep': '' })
  const settings = { trustedFolders: [folder], theme: 'dark' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await send(page, 'Make the parts')
  await expect(waiting(page, 4)).toBeVisible()
  await page.keyboard.press('Control+Shift+P')
  const drawer = page.getByRole('complementary', { name: 'Requests' })
  const group = drawer.getByRole('group', { name: /^4 similar requests/ })
  await expect(group.getByRole('checkbox')).toHaveCount(4)
  for (const part of [1, 2, 3, 4])
    await expect(group.locator('li b', { hasText: `part${part}.txt` })).toHaveText(`part${part}.txt`)
  await expectAccessible(page)
  await picture(window, 'request-queue-group')
  // Keys count only a moment after a request got the focus.
  await expect(async () => {
    if ((await page.getByRole('checkbox', { name: /touch/ }).count()) > 0) await page.keyboard.press('Enter')
    await expect(page.getByRole('checkbox', { name: /touch/ })).toHaveCount(0, { timeout: 1000 })
  }).toPass()

  await expect(waiting(page, 4)).toBeVisible()
  // The drawer arranges anew what it shows when it opens.
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await page.keyboard.press('Control+Shift+P')
  await expect(drawer.getByRole('checkbox', { checked: true })).toHaveCount(4)
  await page.keyboard.press('t')
  await expect(drawer.getByText('No request is selected.')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await expect(drawer.getByRole('button', { name: 'Always allow 1' })).toBeEnabled()
  await picture(window, 'request-queue-always')
  await expect(async () => {
    await page.keyboard.press('Shift+A')
    await expect(waiting(page, 4)).toBeHidden({ timeout: 1000 })
  }).toPass()

  await expect(waiting(page, 1)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Shift+P')
  await expect(drawer.getByText('by rule').first()).toBeVisible()
  const last = drawer.getByRole('group', { name: /wants to run a command/ })
  // What deletes is red, says what it takes, and no rule is offered for it.
  await expect(last.locator('[data-danger=deletes]')).toContainText(/^rm -r madeDeletes/)
  await expect(last.getByRole('button', { name: 'Always allow' })).toBeDisabled()
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

const ENDING = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        repeat: 3
        input: { description: "part {{n}}", subagent_type: general-purpose, prompt: "Part {{n}}" }
  - agent: /Part (\\d)/
    turn: 1
    reply:
      - tool: Bash
        input: { command: "touch out/part{{1}}.txt", description: Make the part }
  - agent: /Part (\\d)/
    reply: "Part {{1}} is made."
  - reply: "All parts are made."
`

test('the answers keep their places while another agent ends, and the key after the last answer goes nowhere', async () => {
  const folder = await machine.repository('shop', { 'out/.keep': '' })
  const window = await machine.open({
    folder,
    scenario: ENDING,
    settings: { trustedFolders: [folder], theme: 'dark' },
  })
  const { page } = window
  await send(page, 'Make the parts')
  await expect(waiting(page, 3)).toBeVisible()
  const cardOf = (part: number) =>
    page.locator('[data-agent-panel] [data-request]').filter({ hasText: `part${part}.txt` })
  const boxes = async () =>
    Promise.all(
      [2, 3].map((part) =>
        cardOf(part)
          .getByRole('button', { name: /^(Allow|Always|Deny)/ })
          .evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect()))),
      ),
    )
  // The pointer rests over the Stage, where nothing may move.
  await cardOf(1)
    .getByRole('button', { name: /^Allow once/ })
    .hover()
  const before = await boxes()
  expect(before.flat()).toHaveLength(6)
  await cardOf(1)
    .getByRole('button', { name: /^Allow once/ })
    .click()
  await expect(page.getByText('Part 1 is made.').first()).toBeVisible()
  await expect(waiting(page, 2)).toBeVisible()
  expect(await boxes()).toEqual(before)

  await cardOf(2)
    .getByRole('button', { name: /^Allow once/ })
    .click()
  await expect(cardOf(2)).toHaveCount(0)
  await cardOf(3).focus()
  await expect(async () => {
    await page.keyboard.press('a')
    await expect(cardOf(3)).toHaveCount(0, { timeout: 500 })
  }).toPass()
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await page.keyboard.press('Shift+A')
  const typed = await page
    .locator('textarea, input[type=text], input:not([type]), [contenteditable=true]')
    .evaluateAll((all) =>
      all.map((one) =>
        one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement
          ? one.value
          : (one.textContent ?? ''),
      ),
    )
  expect(typed.join('')).toBe('')
  const focused = () =>
    page.evaluate(() => document.activeElement?.matches('textarea, input, [contenteditable=true]'))
  expect(await focused()).toBe(false)
  expect(window.errors).toEqual([])
})

const MAIN = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Bash
        input: { command: "touch made.txt", description: Make it }
  - reply: "It is made."
`

test('after the last answer to the main agent no key lands in the composer', async () => {
  const folder = await machine.repository('shop', { 'README.md': 'A shop.' })
  const window = await machine.open({ folder, scenario: MAIN, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'Make it')
  const card = page.locator('main [data-request]')
  await card.focus()
  await expect(async () => {
    await page.keyboard.press('a')
    await expect(card).toHaveCount(0, { timeout: 500 })
  }).toPass()
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await expect(page.getByText('It is made.').first()).toBeVisible()
  expect(await composer(page).textContent()).not.toContain('a')
  await expect(composer(page)).not.toBeFocused()
  expect(window.errors).toEqual([])
})
