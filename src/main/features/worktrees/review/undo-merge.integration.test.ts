import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const main = (...args: string[]) => repository.run(repository.folder, ...args)
const keyOf = (id: string) => ({ folder: repository.folder, id })
const merge = async (
  id: string,
  method: 'merge' | 'squash' | 'rebase' = 'merge',
  into: string | null = null,
) => value(await repository.review.merge(keyOf(id), { method, into }))
const undo = (id: string) => repository.review.undoMerge(keyOf(id))

test.each(['merge', 'squash', 'rebase'] as const)(
  'a %s is undone, files included, and can be made again',
  async (method) => {
    const { id } = await repository.work('fixer', [
      { 'a.txt': 'fixed\n', 'b.txt': null, 'new/file.txt': 'new\n' },
    ])
    await repository.commit({ 'c.txt': 'c\n' })
    await repository.write(repository.folder, { 'c.txt': 'uncommitted\n', 'untracked.txt': 'u\n' })
    const stateOf = async () => ({
      ...(await repository.state(repository.folder)),
      index: await main('ls-files', '--stage'),
    })
    const before = await stateOf()
    const merged = await merge(id, method)
    expect((await repository.listed(id)).merged).toMatchObject({ undoable: true })
    value(await undo(id))
    expect(await stateOf()).toEqual(before)
    expect(await repository.listed(id)).toMatchObject({
      state: 'ready',
      merged: null,
      check: { kind: 'clean' },
    })
    // The undone merge is kept.
    expect(await main('for-each-ref', '--format=%(objectname)', 'refs/troupe/kept')).toBe(merged.commit)
    expect(await undo(id)).toMatchObject({ failure: { type: 'nothing' } })
    await merge(id, method)
  },
)

test('merges are undone from the newest to the oldest; the message names the newer one', async () => {
  const one = await repository.work('first', [{ 'one.txt': '1\n' }])
  const two = await repository.work('second', [{ 'two.txt': '2\n' }])
  await merge(one.id)
  await merge(two.id)
  expect((await repository.listed(one.id)).merged).toMatchObject({ undoable: false })
  const tip = await main('rev-parse', 'main')
  expect(await undo(one.id)).toMatchObject({
    failure: {
      type: 'moved',
      message: expect.stringContaining(`second (${two.id}) was merged into main after it`),
    },
  })
  expect(await main('rev-parse', 'main')).toBe(tip)
  value(await undo(two.id))
  value(await undo(one.id))
  expect(await repository.graph('main')).toBe('* Begin')
})

test('merges of one worktree into two branches are undone one after the other', async () => {
  const { id } = await repository.work('fixer', [{ 'one.txt': '1\n' }])
  await repository.commit({ 'c.txt': 'c\n' })
  await main('branch', 'dev', 'HEAD~1')
  const before = [await main('rev-parse', 'main'), await main('rev-parse', 'dev')]
  await merge(id)
  await merge(id, 'merge', 'dev')
  value(await undo(id))
  expect((await repository.listed(id)).merged).toMatchObject({ into: 'main', undoable: true })
  value(await undo(id))
  expect([await main('rev-parse', 'main'), await main('rev-parse', 'dev')]).toEqual(before)
})

test('nothing is undone after a commit by hand, after a push, or over uncommitted changes', async () => {
  const { id } = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 2: 'fixed' }), 'b.txt': null }])
  await main('config', 'core.excludesFile', join(repository.home, 'ignored'))
  await repository.write(repository.home, { ignored: 'b.txt\n' })
  await merge(id)
  const refused = async (words: string) => {
    const tip = await main('rev-parse', 'main')
    const before = await main('status', '--porcelain', '--ignored')
    expect(await undo(id)).toMatchObject({ failure: { message: expect.stringContaining(words) } })
    expect(await main('rev-parse', 'main')).toBe(tip)
    expect(await main('status', '--porcelain', '--ignored')).toBe(before)
  }
  await repository.write(repository.folder, { 'a.txt': 'by hand\n' })
  await refused('Uncommitted changes')
  await main('checkout', '--', 'a.txt')
  await repository.write(repository.folder, { 'b.txt': 'ignored, and only here\n' })
  await refused('b.txt')
  await repository.write(repository.folder, { 'b.txt': null })
  await main('update-ref', 'refs/remotes/origin/main', 'main')
  await refused('already in origin/main')
  await main('update-ref', '-d', 'refs/remotes/origin/main')
  await main('commit', '--allow-empty', '-qm', 'By hand')
  await refused('newer commits')
  await main('reset', '-q', '--hard', 'HEAD~2')
  expect(await undo(id)).toMatchObject({ ok: true })
})

test('an undo that was interrupted after the branch moved is completed', async () => {
  const { id } = await repository.work('fixer', [{ 'a.txt': 'fixed\n' }])
  const before = await main('rev-parse', 'main')
  await merge(id)
  await main('reset', '-q', '--hard', before)
  value(await undo(id))
  expect(await repository.listed(id)).toMatchObject({ state: 'ready', merged: null })
})

test('a branch that moves during the undo keeps its new commit', async () => {
  await repository.remove()
  let byHand = ''
  repository = await createReviewRepository({
    wrap: (git) => ({
      ...git,
      async run(folder, args, options) {
        const done = await git.run(folder, args, options)
        if (args[0] === 'read-tree' && byHand === '') {
          byHand = await main('commit-tree', '-p', 'main', '-m', 'By hand', 'main^{tree}')
          await main('update-ref', 'refs/heads/main', byHand)
        }
        return done
      },
    }),
  })
  const { id } = await repository.work('fixer', [{ 'a.txt': 'fixed\n' }])
  await merge(id)
  expect(await undo(id)).toMatchObject({ failure: { type: 'moved' } })
  expect(await main('rev-parse', 'main')).toBe(byHand)
  expect(await main('status', '--porcelain')).toBe('')
})
