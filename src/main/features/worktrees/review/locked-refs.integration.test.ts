import { lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MergeMethod } from '../../../../shared/worktrees/review.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
/** An action of another program right before a git call. */
let before: { readonly call: string; readonly act: () => Promise<unknown> } | null = null

const withOthers = (git: Git): Git => {
  const meanwhile = async (args: readonly string[]) => {
    if (before === null || !args.join(' ').startsWith(before.call)) return
    const { act } = before
    before = null
    await act()
  }
  return {
    run: async (folder, args, options) => meanwhile(args).then(() => git.run(folder, args, options)),
    bytes: async (folder, args, options) => meanwhile(args).then(() => git.bytes(folder, args, options)),
    answers: async (folder, args, options) => meanwhile(args).then(() => git.answers(folder, args, options)),
  }
}

beforeEach(async () => {
  before = null
  repository = await createReviewRepository({ wrap: withOthers, lockRetries: { waits: [] } })
})
afterEach(() => repository.remove())

const METHODS: readonly MergeMethod[] = ['merge', 'squash', 'rebase', 'cherry-pick']
const LOCKS = ['refs/heads/main.lock', 'HEAD.lock', 'index.lock']

const lockAt = (name: string) => join(repository.folder, '.git', name)

async function snapshot(): Promise<Readonly<Record<string, string | boolean>>> {
  const path = join(repository.folder, 'a.txt')
  const { mtimeNs, ino } = await lstat(path, { bigint: true })
  return {
    ...(await repository.state(repository.folder)),
    file: `${ino} ${mtimeNs} ${await readFile(path, 'utf8')}`,
    added: await lstat(join(repository.folder, 'new.txt')).then(
      () => true,
      () => false,
    ),
    refs: await repository.run(repository.folder, 'for-each-ref', 'refs/heads/main'),
  }
}

async function changedWork(): Promise<WorktreeLocation> {
  const location = await repository.work('fixer', [
    { 'a.txt': lines('a', 12, { 5: 'agent' }), 'new.txt': 'new\n' },
  ])
  // The user's own changes must survive, staged and not.
  await repository.write(repository.folder, { 'b.txt': 'unfinished\n', 'mine.txt': 'staged\n' })
  await repository.run(repository.folder, 'add', 'mine.txt')
  return location
}

async function merge(location: WorktreeLocation, method: MergeMethod) {
  const commit = await repository.run(repository.folder, 'rev-parse', location.branch)
  const key = { folder: repository.folder, id: location.id }
  return repository.review.merge(key, { method, into: null, commits: [commit], seen: null })
}

describe.each(METHODS)('%s', (method) => {
  test.each(LOCKS)('changes nothing while another program holds %s, and works afterwards', async (name) => {
    const location = await changedWork()
    await writeFile(lockAt(name), '')
    const start = await snapshot()
    const refused = await merge(location, method)
    expect(refused).toMatchObject({ ok: false, failure: { message: expect.stringContaining(lockAt(name)) } })
    expect(!refused.ok && refused.failure.message).toContain('Nothing was changed')
    expect(await snapshot()).toEqual(start)
    await rm(lockAt(name))
    value(await merge(location, method))
    expect(await readFile(join(repository.folder, 'new.txt'), 'utf8')).toBe('new\n')
    expect(await readFile(join(repository.folder, 'b.txt'), 'utf8')).toBe('unfinished\n')
  })

  test('goes through while another program holds packed-refs.lock', async () => {
    const location = await changedWork()
    await writeFile(lockAt('packed-refs.lock'), '')
    value(await merge(location, method))
    expect((await snapshot()).added).toBe(true)
  })
})

test.each(['refs/heads/main.lock', 'HEAD.lock'])(
  'a merge takes its files back if %s appears while it moves them',
  async (name) => {
    const location = await changedWork()
    before = { call: 'merge --ff-only', act: () => writeFile(lockAt(name), '') }
    const start = await snapshot()
    expect(await merge(location, 'merge')).toMatchObject({ ok: false })
    const end = await snapshot()
    // git wrote the index and the file twice.
    for (const key of ['head', 'refs', 'staged', 'status', 'added'])
      expect([key, end[key]]).toEqual([key, start[key]])
    expect(await readFile(join(repository.folder, 'a.txt'), 'utf8')).toBe(lines('a', 12))
  },
)
