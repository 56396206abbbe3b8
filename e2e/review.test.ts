/** Agents that write in parallel in the real window: their work is reviewed, merged, fixed, discarded and restored. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { inMain } from './testing/in-main.ts'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const CHARGE = `export function charge(order, card) {
  return withRetry(() => {
    const key = randomUUID()
    return gateway.charge({ key, order, card })
  })
}
`
const FILES = {
  'src/charge.js': CHARGE,
  'src/order.js': 'export const orders = []\n',
  'README.md': '# Shop\n',
}

/** Two agents write the same lines, a third one writes its own file. */
const SCENARIO = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Three work side by side.
      - tool: Agent
        input: { description: One key for each order, prompt: "Task one: one key for each order.", isolation: worktree }
      - tool: Agent
        input: { description: Log every charge, prompt: "Task two: log every charge.", isolation: worktree }
      - tool: Agent
        input: { description: Write the docs, prompt: "Task three: write the docs.", isolation: worktree }
  - agent: /main agent/
    reply: All three have reported. Their work waits in Review.
  - agent: "Task one:"
    turn: 1
    reply: [{ tool: Bash, input: { command: "sed -i 's/const key = randomUUID()/const key = order.chargeKey/' src/charge.js && git commit -qam 'A key for each order'", description: Edit } }]
  - agent: "Task one:"
    reply: Each order has its key.
  - agent: "Task two:"
    turn: 1
    reply: [{ tool: Bash, input: { command: "sed -i 's/const key = randomUUID()/const key = logged(randomUUID())/' src/charge.js", description: Edit } }]
  - agent: "Task two:"
    when: take its key
    reply:
      - text: I take the other side's key.
      - tool: Bash
        input: { command: "git merge -q main; sed -i '/^[<=>]\\\\{7\\\\}/d; /logged(randomUUID/d; s/order.chargeKey/logged(order.chargeKey)/' src/charge.js && git add -A && git commit -qm 'Log the key of the order' && echo Logged by key", description: Merge and mend }
  - agent: "Task two:"
    when: Logged by key
    reply: "### Comment 1\\n\\nThe key is now the **order's key**, and it is logged."
  - agent: "Task two:"
    reply: Every charge is logged.
  - agent: "Task three:"
    turn: 1
    reply: [{ tool: Write, input: { file_path: docs/charge.md, content: "# Charging\\n" } }]
  - agent: "Task three:"
    reply: The docs are there.
`

async function open(): Promise<{ readonly window: TroupeWindow; readonly folder: string }> {
  await machine.scriptApi(SCENARIO)
  const folder = await machine.repository('shop', FILES)
  const window = await machine.open({
    folder,
    settings: {
      trustedFolders: [folder],
      bypassFolders: [folder],
      permissionMode: 'bypassPermissions',
      theme: 'dark',
    },
  })
  const { page } = window
  await send(page, 'Do all three')
  // Git creates and commits three worktrees, which is slow on a busy machine.
  await expect(page.getByText('Their work waits in Review').first()).toBeVisible()
  return { window, folder }
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
/** Finds a card by its own task, not by the task of a conflicting agent. */
const card = (page: Page, task: string) =>
  page.getByRole('option').filter({ has: page.getByText(task, { exact: true }) })
/** Excludes notices, which are dialogs without a title. */
const dialog = (page: Page) => page.locator('[role=dialog][aria-labelledby]')

test('conflicting lines: shown before merging, one branch merged, the other fixed by its agent and merged', async () => {
  const { window, folder } = await open()
  const { page } = window
  // The user's folder is unchanged.
  expect(await readFile(join(folder, 'src/charge.js'), 'utf8')).toBe(CHARGE)
  await page.keyboard.press('Control+4')
  // Of two conflicting branches, the one to merge later shows the conflict.
  await expect(page.getByRole('option').filter({ hasText: /conflict with/ })).toHaveCount(1)
  await expect(card(page, 'Write the docs')).toContainText('merges cleanly')
  await card(page, 'One key for each order').click()
  await expect(page.getByText('order.chargeKey').first()).toBeVisible()
  // A copy from one side contains nothing of the other side.
  const lines = page.locator('[data-code=after]')
  // The lines are drawn again with their colors.
  await expect(lines.locator('[class*=keyword]').first()).toBeVisible()
  await lines.nth(0).hover({ position: { x: 40, y: 8 } })
  await page.mouse.down()
  await lines.nth(4).hover({ position: { x: 60, y: 8 } })
  await page.mouse.up()
  await page.keyboard.press('Control+c')
  const copied = () => inMain(window.app, ({ clipboard }) => clipboard.readText())
  await eventually(copied).toContain('order.chargeKey')
  expect(await copied()).not.toContain('randomUUID')
  await picture(window, 'review-01-conflict')
  await expectAccessible(page)

  // Merge one branch.
  await page.keyboard.press('m')
  await expect(dialog(page)).toContainText('into main')
  await picture(window, 'review-02-merge')
  await dialog(page)
    .getByRole('button', { name: /Merge.* into main/ })
    .click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, 'One key for each order')).toContainText('merged')
  expect(await readFile(join(folder, 'src/charge.js'), 'utf8')).toContain('order.chargeKey')

  // The other branch now conflicts: a comment on the line makes its agent fix it.
  await card(page, 'Log every charge').click()
  await expect(card(page, 'Log every charge')).toContainText('conflict')
  await page.getByRole('radio', { name: /Conflicts/ }).click()
  await expect(page.getByText('both changed it').first()).toBeVisible()
  await picture(window, 'review-03-conflict-with-main')
  await expectAccessible(page)
  await page.getByRole('radio', { name: 'Changes' }).click()
  await page.getByText('logged(randomUUID())').first().click()
  await page.keyboard.press('c')
  await page.keyboard.type('Another key is on main: take its key, and log that.')
  await page.keyboard.press('Enter')
  await expect(page.getByText('You on line').first()).toBeVisible()
  await picture(window, 'review-04-comment')
  await page.getByRole('button', { name: /^Ask agent…/ }).click()
  await dialog(page).getByRole('button', { name: 'Send 1 comment' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, 'Log every charge')).toContainText('merges cleanly')
  const asked = machine.asked().map(({ messages }) => JSON.stringify(messages))
  expect(asked.some((text) => text.includes('src/charge.js:3') && text.includes('take its key'))).toBe(true)
  await expect(page.getByText('logged(order.chargeKey)').first()).toBeVisible()
  await expect(
    page.getByText(/1 comment sent .*, answered .*: the agent changed its work since\./),
  ).toBeVisible()
  await expect(page.getByRole('group', { name: 'Answer of the agent' })).toHaveText(
    "The key is now the order's key, and it is logged.",
  )
  await page.getByRole('button', { name: /^Shown changes/ }).click()
  await page.getByRole('menuitemradio', { name: /^Since your comments/ }).click()
  await expect(page.getByText('logged(order.chargeKey)').first()).toBeVisible()
  await picture(window, 'review-12-since-comments')
  await expectAccessible(page)
  await page.keyboard.press('m')
  await dialog(page)
    .getByRole('button', { name: /Merge.* into main/ })
    .click()
  await expect(card(page, 'Log every charge')).toContainText('merged')

  expect(await readFile(join(folder, 'src/charge.js'), 'utf8')).toContain(
    'const key = logged(order.chargeKey)',
  )
  const subjects = git(folder, 'log', '--format=%s', 'main').split('\n')
  expect(subjects).toEqual(
    expect.arrayContaining(['A key for each order', 'Log the key of the order', 'Start']),
  )
  expect(git(folder, 'status', '--porcelain')).toBe('')
  git(folder, 'fsck', '--strict')
  await picture(window, 'review-05-merged')
  expect(window.errors).toEqual([])
})

test('a conflict is resolved by hand with keys; the merge and a change are taken back', async () => {
  const { window, folder } = await open()
  const { page } = window
  await page.keyboard.press('Control+4')
  await expect(page.getByRole('option').filter({ hasText: /conflict with/ })).toHaveCount(1)
  await page.getByRole('button', { name: 'Merge 3 in order…' }).click()
  // Of two conflicting worktrees, the first one is ticked.
  await expect(dialog(page).getByText(/^Conflicts with/)).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Merge 2 worktrees' })).toBeVisible()
  await picture(window, 'review-08-merge-in-order')
  await expectAccessible(page)
  await dialog(page)
    .getByRole('checkbox', { name: /^One key for each order/ })
    .check()
  await dialog(page)
    .getByRole('checkbox', { name: /^Write the docs/ })
    .uncheck()
  await dialog(page)
    .getByRole('checkbox', { name: /^Log every charge/ })
    .uncheck()
  await dialog(page).getByRole('button', { name: 'Merge 1 worktree' }).click()
  await expect(dialog(page)).toContainText('1 of 1 merged. 2 left out.')
  await dialog(page).getByRole('button', { name: 'Close' }).click()

  await card(page, 'Log every charge').click()
  await expect(page.getByRole('button', { name: 'Ask agent to resolve' })).toBeVisible()
  await page.keyboard.press('m')
  await picture(window, 'review-09-known-conflict')
  await dialog(page).getByRole('button', { name: 'Resolve by hand' }).click()
  await expect(page.getByText('0 of 1 conflict resolved')).toBeVisible()
  await page.keyboard.press('n')
  await page.keyboard.press('Space')
  await expect(page.getByText('1 of 1 conflict resolved')).toBeVisible()
  // "Edit" moves the focus into the text.
  await page.keyboard.press('e')
  await expect(page.getByRole('textbox', { name: /^Text for conflict/ })).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('    const key = both(order)')
  await page.getByRole('textbox', { name: 'Commit subject' }).fill('Keep the key of both')
  await page.getByRole('textbox', { name: 'Commit body' }).fill('')
  await picture(window, 'review-10-by-hand')
  await expectAccessible(page)
  await page
    .getByRole('region', { name: 'With main' })
    .getByRole('button', { name: 'Merge into main' })
    .click()
  await expect(card(page, 'Log every charge')).toContainText('merged')
  expect(await readFile(join(folder, 'src/charge.js'), 'utf8')).toContain('const key = both(order)')
  expect(git(folder, 'log', '-1', '--format=%B', 'main')).toBe('Keep the key of both')

  await page.getByRole('button', { name: 'Undo merge' }).click()
  await expect(card(page, 'Log every charge')).toContainText('1 conflict with main')
  expect(await readFile(join(folder, 'src/charge.js'), 'utf8')).not.toContain('both(order)')
  await page.getByText('logged(randomUUID())').first().click()
  await picture(window, 'review-11-take-back')
  await page.keyboard.press('b')
  await expect(page.getByText('Took back')).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('logged(randomUUID())').first()).toBeVisible()
  expect(git(folder, 'status', '--porcelain')).toBe('')
  expect(window.errors).toEqual([])
})

/** Two agents write the same line; the second one goes on when a file appears. */
const ENDING = (go: string) => `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: One key for each order, prompt: "Task one", isolation: worktree }
      - tool: Agent
        input: { description: Log every charge, prompt: "Task two", isolation: worktree }
  - agent: /main agent/
    reply: Both have reported.
  - agent: "Task one"
    turn: 1
    reply: [{ tool: Bash, input: { command: "sed -i 's/randomUUID()/order.chargeKey/' src/charge.js", description: Edit } }]
  - agent: "Task two"
    turn: 1
    reply: [{ tool: Bash, input: { command: "while [ ! -e ${go} ]; do sleep 0.1; done; sed -i 's/randomUUID()/logged(randomUUID())/' src/charge.js", description: Edit } }]
  - agent: /Task/
    reply: Done.
`

test('no control moves while an agent ends and a conflict is found', async () => {
  const folder = await machine.repository('shop', FILES)
  const go = join(folder, '..', 'go')
  await machine.scriptApi(ENDING(go))
  const window = await machine.open({
    folder,
    settings: {
      trustedFolders: [folder],
      bypassFolders: [folder],
      permissionMode: 'bypassPermissions',
    },
  })
  const { page } = window
  await send(page, 'Do both')
  await page.keyboard.press('Control+4')
  await card(page, 'One key for each order').click()
  await expect(card(page, 'One key for each order')).toContainText('merges cleanly')
  await expect(card(page, 'Log every charge')).toContainText('no changes yet')
  await expect(page.getByText('order.chargeKey').first()).toBeVisible()
  const places = () =>
    page
      .locator('[role=listbox] [role=option], [role=toolbar][aria-label=Review] button')
      .evaluateAll((all) =>
        all
          .filter((one) => one.getClientRects().length > 0)
          .map((one) => {
            const { x, y, width, height } = one.getBoundingClientRect()
            return [one.getAttribute('role') ?? 'button', x, y, width, height].join(' ')
          }),
      )
  // One row above the diff at every size.
  for (const [width, height] of [
    [1440, 900],
    [1100, 700],
  ] as const) {
    await page.setViewportSize({ width, height })
    const bar = await page.getByRole('toolbar', { name: 'Review' }).boundingBox()
    expect(bar?.height).toBe(36)
  }
  const before = await places()
  expect(before.length).toBeGreaterThan(6)
  await writeFile(go, '')
  // Of two conflicting branches, the one to merge later shows the conflict.
  await expect(page.getByRole('option').filter({ hasText: /1 conflict with/ })).toHaveCount(1)
  await expect(page.getByRole('radio', { name: /^Conflicts/ })).toBeVisible()
  expect(await places()).toEqual(before)
  // The buttons of the worktree whose merge is not disabled any more have the same places too.
  await card(page, 'Log every charge').click()
  await expect(page.getByText('logged(randomUUID())').first()).toBeVisible()
  const buttons = (all: readonly string[]) => all.filter((place) => place.startsWith('button'))
  expect(buttons(await places())).toEqual(buttons(before))
  expect(window.errors).toEqual([])
})

test('discarded only after its branch is typed, and restored with all its contents', async () => {
  const { window, folder } = await open()
  const { page } = window
  await page.keyboard.press('Control+4')
  await card(page, 'Write the docs').click()
  await expect(page.getByText('# Charging').first()).toBeVisible()
  // A change by hand appears without any event of an agent, even if no figure changes.
  const worktree = git(folder, 'worktree', 'list', '--porcelain')
    .split('\n')
    .find((line) => line.startsWith('worktree ') && existsSync(join(line.slice(9), 'docs/charge.md')))
  await writeFile(join(worktree?.slice(9) ?? '', 'docs/charge.md'), '# By hand\n')
  await expect(page.getByText('# By hand').first()).toBeVisible()
  await writeFile(join(worktree?.slice(9) ?? '', 'docs/charge.md'), '# Once more\n')
  await expect(page.getByText('# Once more').first()).toBeVisible()
  await writeFile(join(worktree?.slice(9) ?? '', 'docs/charge.md'), '# Charging\n')
  await expect(page.getByText('# Charging').first()).toBeVisible()
  const branch = git(folder, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/troupe').split('\n')
  await page.keyboard.press('d')
  const discard = dialog(page).getByRole('button', { name: 'Discard', exact: true })
  await expect(discard).toBeDisabled()
  await dialog(page).getByRole('textbox').fill('troupe/another')
  await expect(dialog(page)).toContainText('The branch is named')
  await expect(discard).toBeDisabled()
  await picture(window, 'review-06-discard')
  const name = branch.find((one) =>
    git(folder, 'ls-tree', '-r', '--name-only', one).includes('docs/charge.md'),
  )
  if (name === undefined) throw new Error('No branch has the docs.')
  await dialog(page).getByRole('textbox').fill(name)
  await dialog(page).getByRole('textbox').press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, 'Write the docs')).toHaveCount(0)
  expect(git(folder, 'branch', '--list', name)).toBe('')
  await picture(window, 'review-07-discarded')
  await expectAccessible(page)

  await page
    .getByRole('button', { name: /^(Undo|Bring back)/ })
    .first()
    .click()
  await expect(card(page, 'Write the docs')).toHaveCount(1)
  expect(git(folder, 'show', `${name}:docs/charge.md`)).toBe('# Charging')

  // After a restart there is nothing to undo, and the kept worktrees remain.
  await card(page, 'Write the docs').click()
  await page.keyboard.press('d')
  await dialog(page).getByRole('textbox').fill(name)
  await dialog(page).getByRole('textbox').press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, 'Write the docs')).toHaveCount(0)
  const again = await machine.open({ folder })
  await expect(composer(again.page)).toBeVisible()
  await again.page.keyboard.press('Control+4')
  await expect(card(again.page, 'One key for each order')).toBeVisible()
  await expect(again.page.getByRole('button', { name: /^(Undo|Bring back)/ })).toHaveCount(0)
  expect(git(folder, 'for-each-ref', 'refs/troupe/trash')).toBe('')
  expect(window.errors).toEqual([])
})
