/** In the real window: one task for three agents, one of them an external agent; compared, and one merged. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { EXAMPLE } from './testing/example-programs.ts'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  resize,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /You are quick/
    turn: 1
    reply: [{ tool: Write, input: { file_path: answer.txt, content: "41\\n" } }]
  - agent: /You are careful/
    turn: 1
    reply: [{ tool: Write, input: { file_path: answer.txt, content: "six by seven is\\n42\\n" } }]
  - agent: /You are quick/
    reply: The answer is 41. I wrote it to answer.txt, and nothing else is needed.
  - agent: /You are careful/
    reply: I worked it out step by step. The answer is 42, in answer.txt.
  - agent: /main agent/
    reply: "The user says: {{message}}"
`

const definition = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Works ${name}.\n${more}---\n\nYou are ${name}.\n`

const CHECK = "test -f written.txt || (echo 'Tests  1 failed | 2 passed (3)'; grep -x 42 answer.txt)"

const PRICES = `${Array.from({ length: 30 }, (_, at) => `export const price${at} = ${at}`).join('\n')}\n`
const QUICK_PRICES = PRICES.replace('price3 = 3', 'price3 = 3.5')
const CAREFUL_PRICES = PRICES.replace(
  'export const price3 = 3\n',
  '// Rounded half up.\nexport const price3 = 4\n',
).replace('price25 = 25', 'price25 = 26')

/** Two agents change the same files in different ways, and one file in the same way. */
const DIFFERENCES = `
steps:
  - agent: /You are quick/
    turn: 1
    reply:
      - { tool: Write, input: { file_path: answer.txt, content: "41\\n" } }
      - { tool: Write, input: { file_path: notes.md, content: "# Notes\\n" } }
  - agent: /You are quick/
    turn: 2
    reply:
      - { tool: Read, input: { file_path: src/prices.ts } }
  - agent: /You are quick/
    turn: 3
    reply:
      - { tool: Write, input: { file_path: src/prices.ts, content: ${JSON.stringify(QUICK_PRICES)} } }
  - agent: /You are careful/
    turn: 1
    reply:
      - { tool: Read, input: { file_path: src/prices.ts } }
  - agent: /You are careful/
    turn: 2
    reply:
      - { tool: Write, input: { file_path: src/prices.ts, content: ${JSON.stringify(CAREFUL_PRICES)} } }
      - { tool: Write, input: { file_path: notes.md, content: "# Notes\\n" } }
      - { tool: Write, input: { file_path: src/rounding.ts, content: "export const half = 0.5\\n" } }
  - agent: /You are/
    reply: Done.
`

async function open(scenario = SCENARIO): Promise<{ window: TroupeWindow; folder: string }> {
  const folder = await machine.repository('shop', {
    'package.json': JSON.stringify({ scripts: { test: 'vitest run' } }),
    'src/prices.ts': PRICES,
  })
  const agents = join(machine.base, '.claude/agents')
  await mkdir(agents, { recursive: true })
  await writeFile(join(agents, 'quick.md'), definition('quick', 'color: cyan\n'))
  await writeFile(join(agents, 'careful.md'), definition('careful', 'color: purple\n'))
  const program = `color: orange\nbacking: acp\ncommand: ${process.execPath}\nargs: [${EXAMPLE}, files]\n`
  await writeFile(join(agents, 'outsider.md'), definition('outsider', program))
  await machine.scriptApi(scenario)
  const settings = {
    trustedFolders: [folder],
    permissionMode: 'acceptEdits',
    theme: 'dark',
  }
  return { window: await machine.open({ folder, settings }), folder }
}

const dialog = (page: Page) => page.locator('[role=dialog][aria-labelledby]')
const table = (page: Page) => page.getByRole('table', { name: 'Attempts' })
/** The cells of an attempt, by its letter: those of all rows. */
const column = (page: Page, letter: string) =>
  table(page).locator(
    `td:nth-child(${letter.charCodeAt(0) - 63}), th:nth-child(${letter.charCodeAt(0) - 63})`,
  )
const head = (page: Page, letter: string) =>
  table(page).getByRole('button', { name: new RegExp(`^${letter} `) })
const checks = (page: Page, letter: string) => column(page, letter).nth(1)

async function choose(page: Page, label: string, option: string): Promise<void> {
  await dialog(page)
    .getByRole('button', { name: new RegExp(`^${label}: `) })
    .click()
  await page.getByRole('menuitemradio', { name: new RegExp(`^${option}`) }).click()
}

test('three agents get one task; the results are compared, one is merged, the others are discarded', async () => {
  const { window, folder } = await open()
  const { page } = window
  await composer(page).fill('/best Write the answer to answer.txt')
  await composer(page).press('Enter')
  await expect(dialog(page).getByRole('textbox', { name: 'Task' })).toHaveValue(
    'Write the answer to answer.txt',
  )
  await expect(dialog(page).getByRole('textbox', { name: 'Check' })).toHaveValue('npm test')
  await choose(page, 'Agent 1', 'quick')
  await choose(page, 'Agent 2', 'careful')
  await dialog(page).getByRole('button', { name: 'Add agent' }).press('Enter')
  await choose(page, 'Agent 3', 'outsider')
  await dialog(page).getByRole('textbox', { name: 'Check' }).fill(CHECK)
  await picture(window, 'comparison-01-dialog')
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Start 3 agents' }).press('Enter')

  const card = page.getByRole('region', { name: 'Task for several agents' })
  // An attempt may ask: the program wants to read a file that may hold secrets.
  await page
    .getByRole('button', { name: /^Allow once/ })
    .first()
    .click({ timeout: 60_000 })
  await expect(card).toContainText('All 3 agents have ended: 2 passed the check.', { timeout: 60_000 })
  await expect(composer(page)).toHaveValue('')
  await picture(window, 'comparison-02-panels')
  await card.getByRole('button', { name: 'Compare' }).press('Enter')
  await expect(checks(page, 'A')).toContainText('failed · 1 of 3 tests')
  await expect(checks(page, 'B')).toContainText('passed')
  await expect(checks(page, 'C')).toContainText('passed')
  await expect(table(page).getByRole('rowheader', { name: 'Approach' })).toBeVisible()
  await expect(column(page, 'B').last()).toBeVisible()
  // A program that tells nothing of its cost has none shown.
  await expect(column(page, 'C').getByTitle(/^(Cost|Tokens): not reported/)).toHaveCount(2)
  await expect(table(page)).toContainText('The answer is 42')
  // The changes of each attempt are in its column.
  await expect(table(page).getByText('six by seven is').first()).toBeVisible()
  await head(page, 'A').focus()
  await page.keyboard.press('ArrowRight')
  await expect(head(page, 'B')).toBeFocused()
  await picture(window, 'comparison-03-compared')
  await expectAccessible(page)

  await page.keyboard.press('2')
  await expect(dialog(page)).toContainText('Merge')
  await dialog(page)
    .getByRole('button', { name: /Merge.* into main/ })
    .click()
  await eventually(() => readFile(join(folder, 'answer.txt'), 'utf8').catch(() => '')).toContain('42')
  await page.keyboard.press('Control+1')
  await expect(column(page, 'B').first()).toContainText('merged')
  // The keys work at once.
  await expect(head(page, 'B')).toBeFocused()

  await page.getByRole('button', { name: 'Discard the others…' }).click()
  await expect(dialog(page).getByRole('listitem')).toHaveCount(2)
  await picture(window, 'comparison-04-discard')
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Discard', exact: true }).click()
  await expect(page.getByText('Discarded 2 worktrees.')).toBeVisible()

  // The main agent was not asked, and knows of the merge with the next message.
  expect((await machine.events()).filter(({ type }) => type === 'assistant-message').length).toBeGreaterThan(
    3,
  )
  await machine.close()
  const again = await machine.open({ folder })
  await again.page
    .getByRole('listitem')
    .getByRole('button', { name: /Write the answer/ })
    .click()
  await again.page
    .getByRole('region', { name: 'Task for several agents' })
    .getByRole('button', { name: 'Compare' })
    .click()
  await expect(column(again.page, 'B').first()).toContainText('merged')
  await expect(checks(again.page, 'A')).toContainText('failed · 1 of 3 tests')
  expect(window.errors.concat(again.errors)).toEqual([])
})

test('eight attempts stay readable; a stop ends all of them', async () => {
  const { window } = await open()
  const { page } = window
  await composer(page).fill('Write the answer')
  await page.getByRole('button', { name: 'Send to several agents…' }).click()
  await choose(page, 'Agent 1', 'quick')
  await choose(page, 'Agent 2', 'careful')
  for (let more = 0; more < 6; more++) await dialog(page).getByRole('button', { name: 'Add agent' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Add agent' })).toBeDisabled()
  await choose(page, 'Agent 5', 'quick')
  await dialog(page).getByRole('textbox', { name: 'Check' }).fill('sleep 61239')
  await picture(window, 'comparison-05-dialog-of-eight')
  await dialog(page).getByRole('textbox', { name: 'Task' }).press('Control+Enter')
  const card = page.getByRole('region', { name: 'Task for several agents' })
  const comparison = page.getByRole('region', { name: 'Comparison' })
  await card.getByRole('button', { name: 'Compare' }).click()
  await expect(table(page).getByText('running')).toHaveCount(1, { timeout: 60_000 })
  await expect(table(page).getByRole('columnheader')).toHaveCount(8)
  await expect(comparison).toContainText('8 checks left', { timeout: 60_000 })
  await picture(window, 'comparison-06-eight')
  await expectAccessible(page)
  await comparison.getByRole('button', { name: 'Stop all' }).click()
  await expect(comparison).toContainText('0 passed the check')
  await expect(table(page).getByText('not checked')).toHaveCount(8)
  await resize(window, 1100, 700)
  await head(page, 'A').focus()
  await page.keyboard.press('d')
  await expect(comparedFile(page)).toContainText('8 of 8')
  await page.keyboard.press('8')
  await expect(page.getByRole('grid')).toContainText('six by seven is')
  await picture(window, 'comparison-09-eight-diffs')
  await expectAccessible(page)
  expect(window.errors).toEqual([])
})

/** The text of the selected file in the list of compared files. */
const comparedFile = (page: Page) =>
  page.getByRole('listbox', { name: 'Compared files' }).getByRole('option', { selected: true })
const compared = (page: Page, at: number) => page.getByRole('group', { name: new RegExp(`^Column ${at}: `) })

test('the diffs of attempts are beside each other, and everything works from the keyboard', async () => {
  const { window } = await open(DIFFERENCES)
  const { page } = window
  await composer(page).fill('/best Round the prices')
  await composer(page).press('Enter')
  await choose(page, 'Agent 1', 'quick')
  await choose(page, 'Agent 2', 'careful')
  await dialog(page).getByRole('button', { name: 'Add agent' }).press('Enter')
  await choose(page, 'Agent 3', 'careful')
  await dialog(page).getByRole('textbox', { name: 'Check' }).fill('')
  await dialog(page).getByRole('textbox', { name: 'Task' }).press('Control+Enter')
  const card = page.getByRole('region', { name: 'Task for several agents' })
  await card.getByRole('button', { name: 'Compare' }).press('Enter')
  // While the agents work: the state so far, and back again at once.
  await head(page, 'A').focus()
  await page.keyboard.press('d')
  await page.keyboard.press('Escape')
  await expect(table(page)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Comparison' })).toContainText('All 3 agents have ended', {
    timeout: 60_000,
  })
  await head(page, 'A').focus()
  await page.keyboard.press('d')

  const list = page.getByRole('listbox', { name: 'Compared files' })
  const lines = page.getByRole('grid')
  await expect(list.getByRole('option')).toHaveCount(4)
  await expect(list).toBeFocused()
  await expect(comparedFile(page)).toContainText(/only A/)
  await expect(compared(page, 2)).toContainText('File not changed')
  // Held too long.
  for (let more = 0; more < 6; more++) await page.keyboard.press('ArrowDown')
  await expect(comparedFile(page)).toContainText(/only [BC]/)
  await page.keyboard.press('k')
  await expect(comparedFile(page)).toContainText('prices.ts')
  await expect(lines).toContainText('price3 = 3.5')
  await expect(lines).toContainText('Rounded half up.')
  await picture(window, 'comparison-07-diffs')
  await expectAccessible(page)
  await page.keyboard.press('k')
  await expect(comparedFile(page)).toContainText('identical')
  await expect(lines.getByTitle('The same change in all columns')).toHaveCount(1)
  await page.keyboard.press('j')

  // The attempt of the other column changes places; a number without an attempt does nothing.
  await page.keyboard.press('2')
  await expect(compared(page, 1)).toHaveAccessibleName(/^Column 1: B/)
  await expect(compared(page, 2)).toHaveAccessibleName(/^Column 2: A/)
  await page.keyboard.press('8')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('3')
  await expect(compared(page, 2)).toHaveAccessibleName(/^Column 2: C/)
  await page.keyboard.press('t')
  await expect(compared(page, 3)).toHaveAccessibleName(/^Column 3: A/)
  await picture(window, 'comparison-08-three-columns')
  await page.keyboard.press('t')
  await expect(compared(page, 3)).toHaveCount(0)

  // Changes one after another, then the next file.
  await expect(page.getByText('Comparing…')).toHaveCount(0)
  await expect(lines).toContainText('price0')
  for (const _ of ['first', 'second']) await page.keyboard.press('n')
  await expect(comparedFile(page)).toContainText('prices.ts')
  await page.keyboard.press('n')
  await expect(comparedFile(page)).toContainText('rounding.ts')
  await page.keyboard.press('ArrowUp')

  // Review of the same file, and back to the same place.
  await page.keyboard.press('Enter')
  await expect(page.getByRole('grid', { name: 'Changes of src/prices.ts' })).toBeVisible()
  await page.keyboard.press('Control+1')
  await expect(comparedFile(page)).toContainText('prices.ts')
  await expect(compared(page, 2)).toHaveAccessibleName(/^Column 2: C/)

  // The keys work at once: the shown attempt of the chosen column is merged.
  await expect(list).toBeFocused()
  await page.keyboard.press('m')
  await expect(dialog(page)).toContainText('Merge')
  await dialog(page)
    .getByRole('button', { name: /Merge.* into main/ })
    .click()
  await expect(dialog(page)).toHaveCount(0)
  await page.keyboard.press('Control+1')
  await expect(compared(page, 2)).toContainText('merged')
  // Merged work is still compared with the commit that the attempts began with.
  await expect(lines).toContainText('Rounded half up.')

  // The other attempt of careful made the same changes, so only the work of quick is not merged.
  await list.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('1')
  await expect(compared(page, 1)).toHaveAccessibleName(/^Column 1: A/)
  await page.getByRole('button', { name: 'Discard the others…' }).click()
  await expect(dialog(page).getByRole('listitem')).toHaveCount(1)
  await dialog(page).getByRole('button', { name: 'Discard', exact: true }).click()
  await expect(compared(page, 1)).toContainText('Its worktree was discarded.')
  await expect(lines).toContainText('Rounded half up.')
  await resize(window, 1100, 700)
  await expect(list).toBeVisible()
  await page.getByRole('radio', { name: 'Results' }).click()
  await expect(column(page, 'C').first()).toContainText('merged')
  expect(window.errors).toEqual([])
})
