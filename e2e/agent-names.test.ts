/** The stage as the user reads it: whole titles, hues that differ, and lines of text that begin with a word. */
import { expect, type Page, test } from '@playwright/test'
import { eventually, machineOfEachTest, picture, resize, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SIZES = [
  [1440, 900],
  [1100, 700],
  [2560, 1440],
] as const

/** The tasks of a whole survey: as long as the descriptions that models write. */
const TASKS = [
  'Trace every path of the retry wrapper',
  'Write the failing double charge test',
  'Store one charge key per order',
  'Review how card tokens are handled',
]

const SAID =
  'The wrapper retries on **any** rejected promise, time-outs included, so three callers build the `key` inside of the retried function and each attempt is a new charge on the card of the customer'

function scenario(tasks: readonly string[]): string {
  const calls = tasks.map(
    (task, index) =>
      `      - tool: Agent\n        input: { description: "${task}", subagent_type: general-purpose, prompt: "Part ${index + 1}" }`,
  )
  return `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: I split the work.
${calls.join('\n')}
  - agent: /Part (\\d+)/
    turn: 1
    reply:
      - text: "${SAID}"
      - tool: Bash
        input: { command: "sleep 300", description: Wait }
  - reply: Done.
`
}

async function begin(tasks: readonly string[]): Promise<Page> {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const window = await machine.open({
    folder,
    scenario: scenario(tasks),
    settings: {
      trustedFolders: [folder],
      bypassFolders: [folder],
      permissionMode: 'bypassPermissions',
      maxParallelAgents: 30,
      theme: 'dark',
    },
  })
  await send(window.page, 'begin')
  await eventually(
    async () => (await machine.events()).filter(({ type }) => type === 'tool-started').length,
    { timeout: 60_000 },
  ).toBeGreaterThanOrEqual(tasks.length)
  for (const [width, height] of SIZES) {
    await resize(window, width, height)
    await check(window.page)
  }
  await picture(window, `agents-${tasks.length}`)
  expect(window.errors).toEqual([])
  return window.page
}

/** What holds at every size. */
async function check(page: Page): Promise<void> {
  await eventually(() => page.locator('[data-agent-panel]').count()).toBeGreaterThanOrEqual(2)
  expect(await cutTitles(page)).toEqual([])
  expect(await wrongLines(page)).toEqual([])
}

/** The titles in headers of panels that do not show all of their text. */
const cutTitles = (page: Page) =>
  page
    .locator('[data-agent-panel] header [data-agent-title]')
    .evaluateAll((titles) =>
      titles
        .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.textContent),
    )

/** The last lines of tiles that have markup, begin within a word, or run out of their box to the left. */
async function wrongLines(page: Page): Promise<readonly string[]> {
  const lines = await page.locator('[data-last-line]').evaluateAll((all) =>
    all.map((one) => {
      const range = document.createRange()
      range.selectNodeContents(one)
      return {
        text: one.textContent ?? '',
        isCut: range.getBoundingClientRect().left < one.getBoundingClientRect().left - 1,
      }
    }),
  )
  const words = SAID.replaceAll(/[*`]/g, '').split(' ')
  return lines
    .filter(({ text, isCut }) => isCut || /[*`#]/.test(text) || !words.includes(text.split(' ')[0] ?? ''))
    .map(({ text }) => text)
}

/** The hues of the agents, as their panels and tiles have them. */
const hues = (page: Page) =>
  page
    .locator('[data-agent-panel], [data-agent-tile]')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).getPropertyValue('--agent').trim()))

test('four agents: their tasks are whole at the default sizes, and their hues differ', async () => {
  const page = await begin(TASKS)
  const titles = page.locator('[data-agent-panel] header [data-agent-title]')
  expect((await titles.allTextContents()).toSorted()).toEqual(TASKS.toSorted())
  expect(new Set(await hues(page)).size).toBe(4)
})

test('twelve agents: tiles say where each is from the first word on, and eight have hues of their own', async () => {
  const tasks = Array.from({ length: 12 }, (_, index) => TASKS[index % 4] ?? '')
  const page = await begin(tasks)
  await expect(page.locator('[data-last-line]').first()).toBeVisible()
  // Three agents have each task, so each name has a letter.
  for (const letter of ['A', 'B', 'C'])
    await expect(page.getByRole('treeitem', { name: new RegExp(`^${TASKS[0]} ?${letter}\\b`) })).toHaveCount(
      1,
    )
  // The next four share a hue with one other agent each.
  const spawned = (await machine.events()).flatMap((event) =>
    event.type === 'agent-spawned' && event.parentId !== null ? event.definition.color : [],
  )
  const uses = [...new Set(spawned)].map((color) => spawned.filter((one) => one === color).length)
  expect(uses.toSorted()).toEqual([1, 1, 1, 1, 2, 2, 2, 2])
  expect(new Set(await hues(page)).size).toBe(8)
})
