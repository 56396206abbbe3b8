import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const keyOf = ({ id }: WorktreeLocation) => ({ folder: repository.folder, id })
const main = (...args: string[]) => repository.run(repository.folder, ...args)
const refsWith = (commit: string) => main('for-each-ref', '--contains', commit, '--format=%(refname)')
const text = (location: WorktreeLocation, path: string) => readFile(join(location.path, path), 'utf8')

/** A worktree whose whole work is merged. */
async function merged(id = 'fixer'): Promise<WorktreeLocation> {
  const location = await repository.work(id, [{ 'a.txt': `${id}\n` }])
  value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
  return location
}

async function commitIn(folder: string, path: string): Promise<string> {
  await repository.write(folder, { [path]: `${path}\n` })
  await repository.run(folder, 'add', '-A')
  await repository.run(folder, 'commit', '-qm', `Commit ${path}`)
  return repository.run(folder, 'rev-parse', 'HEAD')
}

/** Expects that removing merged worktrees and discarding without the typed name are refused for a reason. */
async function expectRefused(location: WorktreeLocation, reason: string | RegExp): Promise<void> {
  const { removed, kept } = value(await repository.review.removeMerged(repository.folder))
  expect(removed).toEqual([])
  expect(kept).toEqual([{ id: location.id, because: expect.stringMatching(reason) }])
  expect(await repository.review.discard(keyOf(location), null)).toMatchObject({
    failure: { type: 'confirm', stakes: expect.stringMatching(reason) },
  })
}

async function discardAndUndo(location: WorktreeLocation): Promise<void> {
  value(await repository.review.discard(keyOf(location), location.branch))
  value(await repository.review.undoDiscard(keyOf(location)))
}

describe('a repository inside a worktree is named before it is lost', () => {
  const places: readonly [string, string, (location: WorktreeLocation) => Promise<unknown>][] = [
    ['in an ignored folder', 'build/deep/inner', async () => undefined],
    [
      'as a commit of the branch',
      'inner',
      async (location) => {
        const { path } = location
        await repository.run(path, 'add', 'inner')
        await repository.run(path, 'commit', '-qm', 'A repository as a submodule without URL')
        value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
      },
    ],
    ['beside untracked files', 'new/inner', async () => undefined],
  ]
  test.each(places)('%s', async (_, place, then) => {
    await repository.commit({ '.gitignore': 'build/\n' })
    const location = await merged()
    await mkdir(join(location.path, place), { recursive: true })
    await repository.run(join(location.path, place), 'init', '-q')
    await commitIn(join(location.path, place), 'only-here.txt')
    await then(location)
    await expectRefused(location, new RegExp(`can’t be restored: ${place}`))
    expect(await text(location, `${place}/only-here.txt`)).toBe('only-here.txt\n')
    value(await repository.review.discard(keyOf(location), location.branch))
  })

  test('without a checkout, in an ignored folder', async () => {
    await repository.commit({ '.gitignore': 'build/\n' })
    const location = await merged()
    await repository.run(location.path, 'init', '-q', '--bare', 'build/inner.git')
    await expectRefused(location, /can’t be restored: build\/inner\.git/)
  })
})

describe('commits outside the branch of the worktree', () => {
  test('on a detached HEAD are named, kept, and checked out again after an undo', async () => {
    const location = await merged()
    await repository.run(location.path, 'switch', '-q', '--detach')
    const stray = await commitIn(location.path, 'stray.txt')
    await repository.write(location.path, { 'late.txt': 'late\n' })
    await expectRefused(location, /not on troupe\//)
    const before = { ...(await repository.state(location.path)), index: '' }
    await discardAndUndo(location)
    expect({ ...(await repository.state(location.path)), index: '' }).toEqual(before)
    expect(await refsWith(stray)).toContain(`refs/troupe/kept/${location.id}`)
  })

  test('on another branch are named, and the branch is checked out again after an undo', async () => {
    const location = await merged()
    await repository.run(location.path, 'switch', '-qc', 'feature')
    const tip = await commitIn(location.path, 'feature.txt')
    await expectRefused(location, /feature/)
    await discardAndUndo(location)
    expect(await repository.run(location.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature')
    expect(await repository.run(location.path, 'status', '--porcelain')).toBe('')
    expect(await main('rev-parse', 'feature')).toBe(tip)

    value(await repository.review.discard(keyOf(location), location.branch))
    await main('switch', '-q', 'feature')
    value(await repository.review.undoDiscard(keyOf(location)))
    expect(await repository.run(location.path, 'rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD')).toBe(
      `${tip}\nHEAD`,
    )
  })

  test('that only the reflog of the worktree names stay, and the undone worktree says where', async () => {
    const location = await merged()
    await repository.run(location.path, 'switch', '-q', '--detach')
    const first = await commitIn(location.path, 'first.txt')
    await repository.run(location.path, 'reset', '-q', '--hard', 'HEAD~1')
    const second = await commitIn(location.path, 'second.txt')
    await repository.run(location.path, 'switch', '-q', location.branch)
    await repository.run(location.path, 'update-ref', 'refs/worktree/mine', second)
    await discardAndUndo(location)
    for (const commit of [first, second])
      expect(await refsWith(commit)).toBe(`refs/troupe/kept/${location.id}.${commit.slice(0, 12)}`)
    const { notes } = await repository.listed(location.id)
    expect(notes.join()).toContain(first.slice(0, 12))
    await discardAndUndo(location)
    expect((await repository.listed(location.id)).notes).toEqual(notes)
  })

  test('stay and are named if the folder was deleted by hand', async () => {
    const location = await merged()
    await repository.run(location.path, 'switch', '-q', '--detach')
    const left = await commitIn(location.path, 'left.txt')
    await repository.run(location.path, 'switch', '-q', '--detach', location.branch)
    const stray = await commitIn(location.path, 'stray.txt')
    await rm(location.path, { recursive: true })
    await expectRefused(location, /not on troupe\//)
    await discardAndUndo(location)
    expect(await repository.run(location.path, 'rev-parse', 'HEAD')).toBe(stray)
    expect(await text(location, 'stray.txt')).toBe('stray.txt\n')
    expect(await refsWith(left)).toContain('refs/troupe/kept')
  })
})

test('a pruned worktree still has the commits of a detached HEAD that its agent left', async () => {
  const location = await repository.begin('fixer')
  await commitIn(location.path, 'a.txt')
  await repository.run(location.path, 'switch', '-q', '--detach', 'main')
  const stray = await commitIn(location.path, 'stray.txt')
  value(await repository.worktrees.save(location, { task: 'Task', ended: 'completed' }))
  await repository.worktrees.release(location)
  await rm(location.path, { recursive: true })
  await main('worktree', 'prune')
  value(await repository.review.discard(keyOf(location), location.branch))
  expect(await refsWith(stray)).toContain(`refs/troupe/kept/${location.id}`)
})

describe('files that git does not list', () => {
  test.each(['--assume-unchanged', '--skip-worktree'])('%s: an undo restores the change', async (flag) => {
    const location = await merged()
    await repository.run(location.path, 'update-index', flag, 'b.txt', 'docs/read me.md')
    await repository.write(location.path, { 'b.txt': 'only here\n' })
    await expectRefused(location, /b\.txt/)
    await discardAndUndo(location)
    expect(await text(location, 'b.txt')).toBe('only here\n')
    expect(await text(location, 'docs/read me.md')).toBe('Read me.\n')
    expect(await repository.run(location.path, 'status', '--porcelain')).toBe(' M b.txt')
  })

  test('only because of .git/info/exclude are named, and an undo restores them', async () => {
    await repository.commit({ '.gitignore': 'build/\n' })
    await repository.write(repository.folder, { '.git/info/exclude': '# mine\n*.private\nnotes/\nbuild/\n' })
    const location = await merged()
    await repository.write(location.path, {
      'plan.private': 'the plan\n',
      'notes/deep/one.md': 'one\n',
      'build/out.js': 'generated\n',
    })
    await expectRefused(location, /^Only \.git\/info\/exclude ignores notes\/deep\/one\.md, plan\.private/)
    await discardAndUndo(location)
    expect(await text(location, 'plan.private')).toBe('the plan\n')
    expect(await text(location, 'notes/deep/one.md')).toBe('one\n')
    await expect(text(location, 'build/out.js')).rejects.toThrow('ENOENT')
    expect(await repository.run(location.path, 'status', '--porcelain')).toBe('')
  })

  test('only because of .git/info/exclude, and too many to keep, are named as lost', async () => {
    await repository.write(repository.folder, { '.git/info/exclude': 'many/\n' })
    const location = await merged()
    const names = Array.from({ length: 2_001 }, (_, index) => [`many/${index}`, 'x'])
    await repository.write(location.path, Object.fromEntries(names))
    await expectRefused(location, /many\/0, .* and 1991 more, too much to be restored/)
    value(await repository.review.discard(keyOf(location), location.branch))
    const kept = await main('ls-tree', '-r', '--name-only', `refs/troupe/trash/${location.id}`)
    expect(kept).not.toContain('many')
  })

  test('are kept too if the folder is disconnected from its repository', async () => {
    await repository.write(repository.folder, { '.git/info/exclude': '*.private\n' })
    const location = await merged()
    await repository.write(location.path, { 'plan.private': 'the plan\n', '.git': 'gitdir: /nowhere\n' })
    await discardAndUndo(location)
    expect(await text(location, 'plan.private')).toBe('the plan\n')
  })
})
