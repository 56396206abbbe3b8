/** A worktree is pushed from the real window into a repository on disk, and a fake gh tells of its pull request. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { installFakeForge } from '../src/main/features/pull-requests/testing/fake-forge.ts'
import { expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: One key for each order, prompt: "Task one: one key for each order.", isolation: worktree }
  - agent: /main agent/
    reply: The work waits in Review.
  - agent: "Task one:"
    turn: 1
    reply: [{ tool: Bash, input: { command: "echo 'export const key = 1' > src/charge.js && git commit -qam 'A key for each order'", description: Edit } }]
  - agent: "Task one:"
    when: refunds once after a restart
    reply: The refund uses the key now.
  - agent: "Task one:"
    reply: Each order has its key.
`

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()

const failed = {
  ...{
    __typename: 'CheckRun',
    databaseId: 31,
    name: 'integration',
    status: 'COMPLETED',
    conclusion: 'FAILURE',
  },
  ...{ startedAt: '2026-11-20T12:40:00Z', completedAt: '2026-11-20T12:41:52Z' },
  checkSuite: { app: { slug: 'github-actions' } },
}

async function open(page: Page): Promise<void> {
  await send(page, 'Do it')
  await expect(page.getByText('The work waits in Review').first()).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Control+4')
  await expect(page.getByRole('option').filter({ hasText: 'One key for each order' })).toBeVisible()
}

test('a worktree is pushed after the dialog, its failed check goes to its agent, and it goes after the merge', async () => {
  await machine.scriptApi(SCENARIO)
  const folder = await machine.repository('shop', { 'src/charge.js': 'export const key = 0\n' })
  const bare = join(folder, '..', 'shop.git')
  git(folder, 'init', '-q', '--bare', '-b', 'main', bare)
  git(folder, 'remote', 'add', 'origin', 'git@github.com:acme/shop.git')
  git(folder, 'config', 'remote.origin.pushurl', bare)
  git(folder, 'push', '-q', 'origin', 'HEAD:main')
  const fake = installFakeForge(join(folder, '..', 'forge-bin'), 'gh', {
    newPull: {
      commits: {
        totalCount: 1,
        nodes: [{ commit: { statusCheckRollup: { contexts: { nodes: [failed] } } } }],
      },
    },
    logs: { 31: 'refund.test.ts  refunds once after a restart\nexpected 1 refund, got 2\n' },
  })
  const window = await machine.open({
    folder,
    environment: { PATH: `${fake.folder}:${process.env['PATH']}` },
    settings: {
      trustedFolders: [folder],
      bypassFolders: [folder],
      permissionMode: 'bypassPermissions',
      theme: 'dark',
    },
  })
  const { page } = window
  await open(page)

  // Everything by keyboard: R opens the panel, Tab reaches its button.
  await page.keyboard.press('r')
  const panel = page.getByRole('complementary', { name: 'Pull request' })
  await panel.getByRole('button', { name: 'Push and open…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Push and open a pull request' })
  await expect(dialog.getByLabel('Title')).toHaveValue('A key for each order')
  await expect(dialog.getByLabel('Description')).toHaveValue('Each order has its key.')
  await expect(dialog).toContainText(bare)
  await expect(dialog.getByLabel('Branch there')).toHaveValue('troupe/one-key-for-each-order')
  await expectAccessible(page)
  await picture(window, 'push-dialog')
  expect(git(bare, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')

  // The main branch is refused, and nothing is pushed by leaving the field.
  await dialog.getByLabel('Branch there').fill('main')
  await dialog.getByLabel('Into').focus()
  await expect(dialog.getByText('main is the target itself. Choose another branch name.')).toBeVisible()
  await dialog.getByLabel('Branch there').fill('troupe/keys')
  await dialog.getByLabel('Title').focus()
  await expect(dialog.getByText('New at the remote.')).toBeVisible()
  const head = git(folder, 'for-each-ref', '--format=%(objectname)', 'refs/heads/troupe')
  fake.change({ head })
  await page.keyboard.press('Enter')
  await expect(panel.getByText('#482')).toBeVisible()
  expect(git(bare, 'rev-parse', 'refs/heads/troupe/keys')).toBe(head)

  // The failed check is first, with the end of its log.
  await expect(panel.getByText('expected 1 refund, got 2')).toBeVisible()
  await expect(panel.getByText('Merging waits for 1 failing check.')).toBeVisible()
  await expectAccessible(page)
  await picture(window, 'pull-request')
  await panel.getByRole('button', { name: 'Send to agent' }).focus()
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('button', { name: 'Send again' })).toBeVisible()

  // After the merge the worktree goes; the undo brings it back, and it stays.
  const path = git(folder, 'worktree', 'list', '--porcelain').match(/worktree (.*\/worktrees\/.*)/)?.[1] ?? ''
  expect(existsSync(path)).toBe(true)
  fake.change({ pulls: fake.state().pulls.map((pull) => ({ ...pull, state: 'MERGED' })) })
  await expect(async () => {
    await panel.getByRole('button', { name: 'Ask again' }).click({ timeout: 2000 })
    await expect(page.getByText(/Pull request #482 is merged/)).toBeVisible({ timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  await expect.poll(() => existsSync(path)).toBe(false)
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect.poll(() => existsSync(path)).toBe(true)
})
