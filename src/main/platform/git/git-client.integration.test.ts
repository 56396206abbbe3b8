import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeBranch, repositoryGit } from './branches.ts'
import { filesInTheWay } from './checkouts.ts'
import { createGit, type Git } from './git-client.ts'
import { repositoryAround } from './repository.ts'

let folder: string
let environment: Record<string, string>
let git: Git

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-git-')))
  environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    // The user's language must never reach git.
    LANGUAGE: 'de',
    LC_ALL: 'de_DE.UTF-8',
  }
  git = createGit({ environment })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function repository(): Promise<{ readonly top: string; readonly first: string }> {
  const top = join(folder, 'project')
  await mkdir(top)
  const run = async (...args: readonly string[]) => {
    const done = await git.run(top, ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args])
    if (!done.ok) throw new Error(done.failure.message)
    return done.value.trim()
  }
  await run('init', '-q', '-b', 'main')
  await run('commit', '-q', '--allow-empty', '-m', 'First')
  return { top, first: await run('rev-parse', 'HEAD') }
}

test('a password in an address is never repeated', async () => {
  const address = 'https://ada:hunter2hunter@127.0.0.1:1/x.git'
  for (const args of [
    ['fetch', address],
    ['clone', '--', address, 'y'],
    ['show', address],
    ['-C', address, 'status'],
  ]) {
    const done = await git.run(folder, args)
    expect(done.ok).toBe(false)
    if (!done.ok) expect(done.failure.message).not.toContain('hunter2')
  }
})

test('a command with empty input ends', async () => {
  const hashOf = async (input: string) => git.run(folder, ['hash-object', '--stdin'], { input })
  expect(await hashOf('')).toEqual({ ok: true, value: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n' })
  expect(await hashOf('one\n')).toEqual({ ok: true, value: '5626abf0f72e58d7a153368ba57db4c673c0e171\n' })
})

test('a command that prints nothing is over with its process, and no timer is waited for', async () => {
  const { top } = await repository()
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    expect(await git.run(top, ['add', '-A'])).toEqual({ ok: true, value: '' })
  } finally {
    vi.useRealTimers()
  }
})

test('missing git, a missing folder and a failed command are distinct failures', async () => {
  const without = createGit({ environment: { ...environment, PATH: folder } })
  expect(await without.run(folder, ['version'])).toMatchObject({ failure: { type: 'no-git' } })
  const gone = join(folder, 'gone')
  expect(await git.run(gone, ['version'])).toMatchObject({ failure: { type: 'not-found' } })
  expect(await git.run(folder, ['rev-parse', 'HEAD'])).toMatchObject({
    failure: { type: 'git', reason: 'other', message: expect.stringContaining('not a git repository') },
  })
})

test("a held lock is recognized in any user's language", async () => {
  const { top } = await repository()
  await writeFile(join(top, '.git', 'index.lock'), '')
  await writeFile(join(top, 'a.txt'), 'a')
  expect(await git.run(top, ['add', '-A'])).toMatchObject({ failure: { type: 'git', reason: 'lock-held' } })
})

test('a branch name is taken if it exists, and blocked by a parent or child name', async () => {
  const { top, first } = await repository()
  const common = repositoryGit(git, { folder: top, commonFolder: join(top, '.git') })
  const make = async (name: string) => {
    const made = await makeBranch(common, name, first)
    return made.ok ? made.value : made.failure.type
  }
  expect(await make('a/b')).toBe('made')
  expect(await make('a/b')).toBe('taken')
  expect(await make('a')).toBe('blocked')
  expect(await make('a/b/c')).toBe('blocked')
  await git.run(top, ['pack-refs', '--all', '--prune'])
  expect(await make('a')).toBe('blocked')
  expect(await make('a/bc')).toBe('made')
  // A file that is not a ref, in place of a folder that git needs.
  await writeFile(join(top, '.git', 'refs', 'heads', 'x'), '')
  expect(await make('x/y')).toBe('blocked')
  expect(await makeBranch(common, 'new', 'f'.repeat(40))).toMatchObject({ failure: { type: 'git' } })
})

test('folders without a usable repository are rejected with the reason', async () => {
  const type = async (path: string) => {
    const found = await repositoryAround(git, path)
    return found.ok ? found.value.head : found.failure.type
  }
  const { top, first } = await repository()
  expect(await type(top)).toBe(first)
  await mkdir(join(folder, 'plain', '.git'), { recursive: true })
  expect(await type(join(folder, 'plain'))).toBe('not-a-repository')
  await writeFile(join(folder, 'dangling'), '')
  await mkdir(join(folder, 'link'))
  await writeFile(join(folder, 'link', '.git'), 'gitdir: ../nowhere\n')
  expect(await type(join(folder, 'link'))).toBe('not-a-repository')
  await git.run(folder, ['init', '-q', 'fresh'])
  expect(await type(join(folder, 'fresh'))).toBeNull()
  await git.run(folder, ['init', '-q', '--bare', 'bare.git'])
  expect(await type(join(folder, 'bare.git'))).toBe('bare')
  // A repository that git itself rejects keeps git's message.
  await writeFile(join(top, '.git', 'config'), '[core]\n\trepositoryformatversion = 99\n')
  expect(await type(top)).toBe('git')
})

test('tracked, untracked and ignored files that a move would overwrite are reported', async () => {
  const { top, first } = await repository()
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  const files = { 'ignored.log': 'new', 'deep/new.txt': 'new', 'kept.txt': 'new', 'folder/a.txt': 'new' }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(top, path, '..'), { recursive: true })
    await writeFile(join(top, path), text)
  }
  await git.run(top, ['add', '-A'])
  await git.run(top, [...author, 'commit', '-q', '-m', 'Second'])
  const second = await git.run(top, ['rev-parse', 'HEAD'])
  const to = second.ok ? second.value.trim() : ''
  await git.run(top, ['reset', '-q', '--hard', first])
  expect(await filesInTheWay(git, top, { from: first, to })).toEqual([])
  await writeFile(join(top, '.git', 'info', 'exclude'), '*.log\nfolder\n')
  await writeFile(join(top, 'ignored.log'), 'mine')
  await writeFile(join(top, 'deep'), 'a file where the move wants a folder')
  await writeFile(join(top, 'folder'), 'the same, but ignored')
  await writeFile(join(top, 'unrelated.txt'), 'mine')
  const found = await filesInTheWay(git, top, { from: first, to })
  expect([...found].sort()).toEqual(['deep', 'folder', 'ignored.log'])
})
