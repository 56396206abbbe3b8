/** In the real window: agent definitions are tested, changed, and tested again; cases are made and go wrong. */
import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { resultsHtml } from '../src/shared/agent-tests/results-html.ts'
import {
  DRAFT,
  IN_USE,
  sampleAttempts,
  sampleCase,
  sampleVersion,
} from '../src/shared/agent-tests/testing/sample-results.ts'
import { openBarePage } from './testing/bare-page.ts'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
  showPanels,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()
const SAMPLE = join(import.meta.dirname, '../sample/project')
/** For the first attempts of a run, of which each is an agent with a folder. */
const PATIENCE = { timeout: 60_000 }

/** What a run must leave as it is: the checkout, branches and other refs, worktrees, and no folder of an attempt. */
async function traces(folder: string): Promise<readonly string[]> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  return [
    git('status', '--porcelain'),
    git('for-each-ref'),
    git('worktree', 'list'),
    git('stash', 'list'),
    git('branch', '--all'),
    (await readdir(join(machine.home, 'attempts')).catch(() => [])).join(),
  ]
}

const grid = (page: Page) => page.getByRole('grid', { name: /^Results of/ })
const cell = (page: Page, name: RegExp) => grid(page).getByRole('gridcell', { name })
const total = (page: Page) => grid(page).getByRole('row', { name: /^All cases/ })
const openBench = async (page: Page) => {
  await page.keyboard.press('Control+Shift+E')
  await grid(page).waitFor()
}

/** Runs the checked versions by the keyboard. */
async function run(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /^Run \d+ attempts/ })).toBeVisible()
  await cell(page, /./).first().focus()
  await page.keyboard.press('r')
}

/** Writes a line into the definition, behind the one that begins so. */
async function writeBehind(page: Page, begin: string, line: string): Promise<void> {
  await page.locator('.cm-content').getByText(begin).click()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type(line)
}

/** The sample project with the two cases that a sentence changes. */
async function openSample(): Promise<TroupeWindow & { readonly folder: string }> {
  const folder = join(machine.base, 'tally')
  const isLeftOut = /\/(as-json|cut-ledger|lost-cent|stays-read-only)\.yaml$/
  await cp(SAMPLE, folder, { recursive: true, filter: (path) => !isLeftOut.test(path) })
  machine.commit(folder)
  const rehearsal = { access: { kind: 'rehearsal' }, rehearsalPace: 'instant' }
  const window = await machine.open({ folder, settings: { trustedFolders: [folder], ...rehearsal } })
  await composer(window.page).waitFor()
  return { ...window, folder }
}

test('cases are run, the definition is changed, its draft compared, taken back and used', async () => {
  const window = await openSample()
  const { page, folder } = window
  const before = await traces(folder)
  await openBench(page)
  await run(page)
  await expect(total(page)).toContainText('7 of 12', PATIENCE)
  await expect(cell(page, /^Find the share that is no number, In use: 1 of 6/)).toBeVisible()
  expect(await traces(folder)).toEqual(before)

  // A sentence that makes it worse.
  await page.keyboard.press('Control+Shift+E')
  await writeBehind(page, 'Report only what', 'Report anything that may become a problem.')
  await openBench(page)
  await run(page)
  const worse = cell(page, /^No false alarm on clean code, Draft: 1 of 6, worse/)
  await expect(worse).toBeVisible(PATIENCE)
  await expect(total(page)).toContainText('1 worse')
  await worse.focus()
  await page.keyboard.press('Enter')
  const attempts = page.getByRole('region', { name: 'Attempts at No false alarm on clean code' })
  await expect(attempts.getByText('In use, attempt 1')).toBeVisible()
  await expect(attempts.getByText('Draft, attempt 1')).toBeVisible()
  await expect(attempts.getByText('first difference')).toHaveCount(2)
  await expect(attempts.getByRole('list', { name: 'Checks' }).last()).toContainText('Failed')
  await expect(attempts.getByRole('region', { name: 'Changed lines' })).toContainText('may become a problem')
  await picture(window, 'agent-tests-worse')
  await expectAccessible(page)

  // Without the sentence, and with a good one.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Shift+E')
  await page.locator('.cm-content').getByText('Report anything').click()
  await page.keyboard.press('Control+Shift+K')
  await writeBehind(page, 'Read the files', 'Look at what users type: words where a number belongs.')
  await openBench(page)
  await run(page)
  await expect(cell(page, /^Find the share that is no number, Draft: 6 of 6, better/)).toBeVisible(PATIENCE)
  await expect(cell(page, /^No false alarm on clean code, Draft: 6 of 6/)).toBeVisible()
  await page.getByRole('button', { name: 'Use this draft…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Use “Draft”?' })
  await expect(dialog).toContainText('Better at 1 case: Find the share that is no number.')
  await dialog.getByRole('button', { name: 'Use it' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  const definition = await readFile(join(folder, '.claude/agents/bug-finder.md'), 'utf8')
  expect(definition).toContain('Look at what users type')
  expect(definition).not.toContain('may become a problem')
  // Its results are those of the definition in use now, without a new attempt.
  await expect(cell(page, /^Find the share that is no number, In use: 6 of 6/)).toBeVisible()
  expect((await traces(folder)).slice(1)).toEqual(before.slice(1))
  expect(window.errors).toEqual([])
})

test('exported results are a page that asks for nothing, in dark and in light', async () => {
  const haiku = { ...sampleVersion('Draft, haiku', DRAFT.ref.base), model: 'claude-haiku-4-5' }
  const rows = [
    ['Find the double charge', 'pppppp', 'pppppp', 'pppppp'],
    ['Token compared with ===', 'pppppf', 'pppppp', 'ppppff'],
    ['No false alarm on clean code', 'pppppp', 'pfffff', 'pppppp'],
    ['Card number in a log line', 'pppppp', 'ppppwr', 'pbbsff'],
  ].map(([name = '', ...states]) => ({ row: sampleCase(name), states }))
  const versions = [IN_USE, { ...DRAFT, note: '14 lines changed' }, haiku]
  const file = join(machine.base, 'results.html')
  await writeFile(
    file,
    resultsHtml({
      agent: 'security-reviewer',
      at: Date.UTC(2026, 10, 26, 9, 30),
      cases: rows.map(({ row }) => row),
      versions,
      attempts: rows.flatMap(({ row, states }) =>
        versions.flatMap((version, at) => sampleAttempts(row, version, states[at] ?? '')),
      ),
    }),
  )
  const { app, page, problems, requests } = await openBarePage(file, machine.base)
  try {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('security-reviewer: test results')
    await expect(page.getByRole('row', { name: /No false alarm/ })).toContainText('1 of 6 worse')
    await page.locator('summary').first().click()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
      if (process.env['TROUPE_PICTURES'] === '1')
        await page.screenshot({ path: `test-results/pictures/agent-tests-page-${colorScheme}.png` })
    }
    expect(problems).toEqual([])
    expect(await requests()).toEqual([pathToFileURL(file).href])
  } finally {
    await app.close()
  }
})

/** A repository with an agent, and the API that plays it. */
async function openReviewer(cases: Readonly<Record<string, string>>) {
  await machine.scriptApi(`
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: Review it, subagent_type: reviewer, prompt: "Review charge.js." }
  - agent: /main agent/
    reply: It is reviewed.
  - reply: charge.js:2 charges twice.
`)
  const folder = await machine.repository('shop', {
    'charge.js': 'export const charge = (card) => {\n  card.charge(); card.charge()\n}\n',
    '.claude/agents/reviewer.md':
      '---\nname: reviewer\ndescription: Reviews.\ntools: Read\n---\nReport with file and line.\n',
    ...Object.fromEntries(
      Object.entries(cases).map(([name, text]) => [`.claude/agent-tests/reviewer/${name}.yaml`, text]),
    ),
  })
  const window = await machine.open({ folder, settings: { trustedFolders: [folder] } })
  await composer(window.page).waitFor()
  return { ...window, folder }
}

test('a case is saved from a conversation, and what it expects holds', async () => {
  const window = await openReviewer({})
  const { page, folder } = window
  await send(page, 'Review it')
  await expect(page.getByText('It is reviewed.').first()).toBeVisible(PATIENCE)
  await showPanels(page)
  const panel = page.getByRole('article', { name: /Review it.*reviewer/ })
  await expect(panel.getByText('charge.js:2 charges twice.').first()).toBeVisible(PATIENCE)
  await panel.getByRole('button', { name: /^More/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Save as a case…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Save as a case' })
  await expect(dialog.getByText('No problems.')).toBeVisible()
  await expect(dialog).toContainText('charge.js:2')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add case' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  const cases = join(folder, '.claude/agent-tests/reviewer')
  await eventually(async () => (await readdir(cases).catch(() => [])).length).toBe(1)
  const [file = ''] = await readdir(cases)
  expect(file).toMatch(/^review-charge-js.*\.yaml$/)
  expect(await readFile(join(cases, file), 'utf8')).toContain('report-contains: charge.js:2')

  const before = await traces(folder)
  await page.getByRole('button', { name: 'Open test bench' }).press('Enter')
  await run(page)
  await expect(cell(page, /^Review charge.js, In use: 6 of 6/)).toBeVisible(PATIENCE)
  await eventually(() => traces(folder)).toEqual(before)
  expect(window.errors).toEqual([])
})

test('a case whose commit is gone, a check that can’t run and a file with a mistake stop no other case', async () => {
  const good = 'task: Review charge.js.\nchecks:\n  - report-contains: charge.js:2\n'
  const window = await openReviewer({
    good: `name: Good\n${good}`,
    gone: `name: Gone\n${good}start: { commit: 0123456789 }\n`,
    check: `name: Check\n${good}  - command: no-such-program --now\n`,
    wrong: `${good}chekcs: []\n`,
  })
  const { page, folder } = window
  const before = await traces(folder)
  await openBench(page)
  await expect(page.getByRole('button', { name: /wrong\.yaml:4/ })).toContainText('A case has no “chekcs”')
  await run(page)
  await expect(cell(page, /^Good, In use: 6 of 6/)).toBeVisible(PATIENCE)
  await expect(cell(page, /^Gone, In use: no result, 6 broken/)).toBeVisible(PATIENCE)
  const check = cell(page, /^Check, In use: no result, 6 broken/)
  await expect(check).toBeVisible(PATIENCE)
  await check.focus()
  await page.keyboard.press('Enter')
  await expect(
    page.getByText(/The check “no-such-program --now” could not be run: .*not found/),
  ).toBeVisible()
  await cell(page, /^Gone/).click()
  await expect(page.getByText('The commit 0123456789 is not in this repository.')).toBeVisible()
  await picture(window, 'agent-tests-broken')
  await eventually(() => traces(folder)).toEqual(before)
  expect(window.errors).toEqual([])
})
