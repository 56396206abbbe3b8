import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Result } from '../../../shared/kernel/result.ts'
import { createForges } from './forges.ts'
import { readRemoteAddress } from './remote-address.ts'
import { type FakeForgeState, installFakeForge } from './testing/fake-forge.ts'

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}

async function forgeAt(address: string, program: 'gh' | 'glab', state: Partial<FakeForgeState>) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'troupe-forge-')))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const fake = installFakeForge(join(home, 'bin'), program, state)
  const environment = { PATH: `${fake.folder}:/usr/bin:/bin`, HOME: home }
  const find = createForges({ environment, cwd: home, now: () => 0 })
  const found = await find(value(readRemoteAddress(address)))
  if (found === null) throw new Error('no forge')
  return { ...found, fake, home }
}

const CHECK = {
  ...{
    __typename: 'CheckRun',
    databaseId: 31,
    name: 'integration',
    status: 'COMPLETED',
    conclusion: 'FAILURE',
  },
  ...{ startedAt: '2026-11-20T12:40:00Z', completedAt: '2026-11-20T12:41:52Z' },
  detailsUrl: 'https://github.com/acme/shop/actions/runs/9/job/31',
  checkSuite: { app: { slug: 'github-actions' }, workflowRun: { workflow: { name: 'CI' } } },
  notKnownYet: { deep: [1] },
}

const PULL = {
  ...{ number: 482, title: 'Charge an order at most once', url: 'https://github.com/acme/shop/pull/482' },
  ...{
    state: 'OPEN',
    isDraft: false,
    isCrossRepository: false,
    headRefName: 'troupe/keys',
    baseRefName: 'main',
  },
  ...{ headRefOid: 'a'.repeat(40), mergeable: 'MERGEABLE', additions: 61, deletions: 48, changedFiles: 4 },
  commits: {
    totalCount: 3,
    nodes: [
      {
        commit: {
          statusCheckRollup: {
            contexts: {
              nodes: [
                { ...CHECK, databaseId: 30, name: 'lint', conclusion: 'SUCCESS' },
                CHECK,
                {
                  ...CHECK,
                  databaseId: 32,
                  name: 'e2e',
                  status: 'IN_PROGRESS',
                  conclusion: null,
                  completedAt: null,
                },
                {
                  __typename: 'StatusContext',
                  id: 'S_1',
                  context: 'deploy',
                  state: 'SUCCESS',
                  targetUrl: 'https://evil.org/x',
                },
              ],
            },
          },
        },
      },
    ],
  },
  reviewThreads: {
    nodes: [
      {
        ...{ isResolved: false, path: 'src/charge.ts', line: 41, startLine: null, diffSide: 'RIGHT' },
        comments: {
          nodes: [
            {
              databaseId: 77,
              author: { login: 'ann' },
              body: 'Should this throw?',
              createdAt: '2026-11-20T12:44:00Z',
            },
            { databaseId: 78, author: null, body: 'I think so.', createdAt: '2026-11-20T12:45:00Z' },
          ],
        },
      },
    ],
  },
  reviews: {
    nodes: [{ databaseId: 5, author: { login: 'ann' }, body: '', submittedAt: '2026-11-20T12:44:00Z' }],
  },
  comments: {
    nodes: [{ databaseId: 6, author: { login: 'bob' }, body: 'Nice.', createdAt: '2026-11-20T12:46:00Z' }],
  },
}

test('gh tells the pull request of a branch with its checks and comments, failed checks first', async () => {
  const { driver, forge } = await forgeAt('git@github.com:acme/shop.git', 'gh', {
    pulls: [{ ...PULL, number: 500, isCrossRepository: true }, PULL],
  })
  expect(forge).toMatchObject({ kind: 'github', program: 'gh', problem: null })
  const pull = value(await (driver?.find('troupe/keys') as never)) as unknown
  expect(pull).toMatchObject({
    ...{ number: 482, state: 'open', base: 'main', files: 4, commits: 3, insertions: 61, conflicts: false },
    checks: [
      { id: '31', name: 'CI: integration', state: 'failed', ms: 112_000, hasLog: true },
      { name: 'CI: e2e', state: 'running', ms: null },
      { name: 'CI: lint', state: 'passed' },
      { name: 'deploy', state: 'passed', url: null, hasLog: false },
    ],
    comments: [
      {
        id: '77',
        author: 'ann',
        path: 'src/charge.ts',
        line: 41,
        side: 'after',
        replies: [{ author: 'unknown', text: 'I think so.' }],
      },
      { id: 'whole-6', author: 'bob', path: null },
    ],
  })
})

test('gh gets titles, branches and replies on its input, never as arguments', async () => {
  const { driver, fake, home } = await forgeAt('https://github.com/acme/shop', 'gh', {
    logs: { 31: 'the log' },
  })
  if (driver === null) throw new Error('no driver')
  const title = '--repo evil/evil'
  const made = value(
    await driver.create({ branch: '--web', base: 'main', title, body: '@/etc/passwd', draft: true }),
  )
  expect(made).toEqual({ number: 482, url: 'https://github.com/acme/shop/pull/482' })
  expect(value(await driver.find('--web'))).toMatchObject({ state: 'draft', title })
  value(await driver.reply(482, '77', '--help'))
  value(await driver.comment(482, '@file'))
  expect(value(await driver.log('31'))).toBe('the log')
  value(await driver.rerun('31'))
  for (const { args, cwd } of fake.calls()) {
    expect(args.slice(0, 3)).toEqual(['api', '--hostname', 'github.com'])
    expect(args.join(' ')).not.toMatch(/--web|--repo|passwd|--help|@/)
    expect(cwd).toBe(home)
  }
  const again = await driver.create({ branch: '--web', base: 'main', title, body: '', draft: false })
  expect(again).toMatchObject({
    failure: { message: 'gh failed. It said: A pull request already exists for --web.' },
  })
})

test('a failure of gh says what to do', async () => {
  const { driver, fake } = await forgeAt('https://github.com/acme/shop', 'gh', { loggedIn: false })
  const message = async () => {
    const found = await driver?.find('x')
    return found?.ok === false ? `${found.failure.type}: ${found.failure.message}` : 'ok'
  }
  expect(await message()).toBe(
    'login: gh is not logged in at github.com. Run gh auth login --hostname github.com in a terminal, then try again.',
  )
  fake.change({ loggedIn: true, offline: true })
  expect(await message()).toBe('offline: github.com can’t be reached. Check the network, then try again.')
  fake.change({ offline: false, path: 'acme/other' })
  expect(await message()).toContain('not-found: GitHub finds no such repository')
  fake.change({ path: 'acme/shop', pulls: [{ headRefName: 'x', title: 7 }] })
  expect(await message()).toMatch(/^forge: gh gave an answer that Troupe can’t read \(data\.repository/)
})

test('glab tells the merge request of a branch in nested groups at a host of its own', async () => {
  const request = {
    ...{
      iid: 7,
      title: 'Draft: Keys',
      web_url: 'https://gitlab.example.org/group/sub/shop/-/merge_requests/7',
    },
    ...{
      source_branch: 'troupe/keys',
      target_branch: 'main',
      state: 'opened',
      draft: true,
      sha: 'b'.repeat(40),
    },
    ...{
      source_project_id: 3,
      target_project_id: 3,
      has_conflicts: true,
      changes_count: '4',
      head_pipeline: { id: 12 },
    },
  }
  const position = { new_path: 'a.ts', old_path: 'a.ts', new_line: null, old_line: 9 }
  const { driver, forge, fake } = await forgeAt(
    'ssh://git@gitlab.example.org:2222/group/sub/shop.git',
    'glab',
    {
      ...{ host: 'gitlab.example.org', path: 'group/sub/shop', pulls: [request], logs: { 1: 'trace' } },
      jobs: [
        {
          id: 1,
          name: 'unit',
          status: 'failed',
          duration: 48.2,
          started_at: null,
          web_url: 'https://gitlab.example.org/x',
        },
        { id: 2, name: 'flaky', status: 'failed', allow_failure: true },
        { id: 3, name: 'types', status: 'running', duration: 3 },
      ],
      discussions: [
        {
          id: 'ab12',
          notes: [
            { body: 'assigned to @ann', system: true },
            { body: 'Why?', author: { username: 'ann' }, created_at: '2026-11-20T12:44:00Z', position },
          ],
        },
      ],
    },
  )
  if (driver === null) throw new Error('no driver')
  expect(forge).toMatchObject({ kind: 'gitlab', name: 'GitLab', host: 'gitlab.example.org', program: 'glab' })
  expect(value(await driver.find('troupe/keys'))).toMatchObject({
    ...{ number: 7, state: 'draft', conflicts: true, files: 4, head: 'b'.repeat(40) },
    checks: [
      { id: '1', name: 'unit', state: 'failed', ms: 48_200 },
      { name: 'types', state: 'running', ms: null },
      { name: 'flaky', state: 'skipped' },
    ],
    comments: [{ id: 'ab12', author: 'ann', path: 'a.ts', line: 9, side: 'before', text: 'Why?' }],
  })
  expect(value(await driver.find('troupe/none'))).toBeNull()
  value(await driver.create({ branch: 'x', base: 'main', title: 'X', body: '--y', draft: true }))
  expect(value(await driver.find('x'))).toMatchObject({ title: 'Draft: X' })
  expect(value(await driver.log('1'))).toBe('trace')
  value(await driver.rerun('1'))
  value(await driver.reply(7, 'ab12', '-F body=@/etc/passwd'))
  value(await driver.comment(7, 'x'))
  expect(fake.calls().some(({ args }) => args.includes('-F'))).toBe(false)
})

test('a host whose name does not tell belongs to the program that is logged in there', async () => {
  const { forge } = await forgeAt('git@code.example.org:a/b', 'glab', {
    host: 'code.example.org',
    path: 'a/b',
  })
  expect(forge).toMatchObject({ kind: 'gitlab', program: 'glab' })
  const other = await forgeAt('git@code.example.org:a/b', 'glab', { host: 'other.example.org' })
  expect(other.forge).toMatchObject({ kind: 'other', name: 'code.example.org', program: null })
})

test('without its program a forge is followed in the browser', async () => {
  const { forge, driver } = await forgeAt('git@github.com:acme/shop.git', 'glab', {})
  expect(driver).toBeNull()
  expect(forge.problem).toContain('gh was not found. Install it and run gh auth login')
})
