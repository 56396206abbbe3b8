import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
let location: WorktreeLocation

beforeEach(async () => {
  repository = await createReviewRepository()
  location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }), 'b.txt': null, 'c.txt': 'c\n' })
})
afterEach(() => repository.remove())

const key = () => ({ folder: repository.folder, id: location.id })
const keptRefs = async () =>
  (await repository.run(repository.folder, 'for-each-ref', '--format=%(refname)', 'refs/troupe/kept')).split(
    '\n',
  )
/** Without git's cached file times. */
const stateOf = async (folder: string) => ({
  ...(await repository.state(folder)),
  index: await repository.run(folder, 'ls-files', '--stage'),
})

test('the agent resolves the conflicts in its worktree; then the branch merges', async () => {
  const users = await repository.state(repository.folder)
  const begun = value(await repository.review.beginResolving(key()))
  expect(begun).toEqual({ into: 'main', files: ['a.txt'] })
  expect(await repository.state(repository.folder)).toEqual(users)
  const marked = await readFile(join(location.path, 'a.txt'), 'utf8')
  expect(marked).toMatch(/^<<<<<<< HEAD\nagent\n=======\nperson\n>>>>>>> heads\/main$/m)
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'ready',
    resolving: ['a.txt'],
    check: { kind: 'conflicts', files: ['a.txt'] },
  })
  const { files } = value(await repository.review.changes(key()))
  expect(files.find(({ path }) => path === 'a.txt')?.kind).toBe('conflicted')
  expect(await repository.review.merge(key(), { method: 'merge', into: null })).toMatchObject({
    failure: { type: 'unfinished' },
  })
  // The second call only reports the current state.
  expect(value(await repository.review.beginResolving(key())).files).toEqual(['a.txt'])

  await repository.write(location.path, { 'a.txt': lines('a', 12, { 5: 'both' }) })
  expect(await repository.listed(location.id)).toMatchObject({ resolving: [], check: { kind: 'clean' } })
  value(await repository.review.merge(key(), { method: 'merge', into: null }))
  expect(await readFile(join(repository.folder, 'a.txt'), 'utf8')).toBe(lines('a', 12, { 5: 'both' }))
  expect(await repository.listed(location.id)).toMatchObject({ state: 'merged', resolving: null })
})

test('conflicts with another branch are resolved the same way, one branch at a time', async () => {
  await repository.run(repository.folder, 'branch', 'dev')
  await repository.run(repository.folder, 'reset', '-q', '--hard', location.base)
  value(await repository.review.merge(key(), { method: 'merge', into: null }))
  expect(await repository.review.merge(key(), { method: 'merge', into: 'dev' })).toMatchObject({
    failure: { type: 'conflicts' },
  })
  const begun = value(await repository.review.beginResolving(key(), 'dev'))
  expect(begun).toEqual({ into: 'dev', files: ['a.txt'] })
  const other = await repository.review.beginResolving(key(), 'main')
  expect(other).toMatchObject({
    failure: { type: 'unfinished', message: expect.stringContaining('merge of dev') },
  })
  await repository.write(location.path, { 'a.txt': lines('a', 12, { 5: 'both' }) })
  value(await repository.review.merge(key(), { method: 'merge', into: 'dev' }))
  expect(await repository.run(repository.folder, 'show', 'dev:a.txt')).toContain('both')
})

test('an abort restores every file, and the attempted resolution is kept', async () => {
  await repository.write(location.path, { 'late.txt': 'not committed\n' })
  const users = await repository.state(repository.folder)
  value(await repository.review.beginResolving(key()))
  await repository.review.abortResolving(key())
  // The uncommitted work was committed first, so a merge cannot lose it.
  expect(await repository.run(location.path, 'show', 'HEAD:late.txt')).toBe('not committed')
  const before = await stateOf(location.path)
  const first = await keptRefs()

  value(await repository.review.beginResolving(key()))
  await repository.write(location.path, {
    'a.txt': 'half resolved\n',
    'tried/new.txt': 'new\n',
    'late.txt': 'changed\n',
  })
  await repository.run(location.path, 'add', 'a.txt')
  value(await repository.review.abortResolving(key()))
  expect(await stateOf(location.path)).toEqual(before)
  expect(await repository.state(repository.folder)).toEqual(users)
  const [ref] = (await keptRefs()).filter((one) => !first.includes(one))
  expect(ref).toContain(`refs/troupe/kept/${location.id}.`)
  const kept = (path: string) => repository.run(repository.folder, 'show', `${ref}:${path}`)
  expect(await kept('a.txt')).toBe('half resolved')
  expect(await kept('tried/new.txt')).toBe('new')
  expect(await repository.listed(location.id)).toMatchObject({
    resolving: null,
    check: { kind: 'conflicts' },
  })
  expect(await repository.review.abortResolving(key())).toMatchObject({ failure: { type: 'nothing' } })
})

test('resolving is refused without conflicts, with a working agent, and during another merge', async () => {
  const clean = await repository.work('other', [{ 'new.txt': 'n\n' }])
  expect(await repository.review.beginResolving({ ...key(), id: clean.id })).toMatchObject({
    failure: { type: 'nothing' },
  })
  const running = await repository.begin('runner')
  expect(await repository.review.beginResolving({ ...key(), id: running.id })).toMatchObject({
    failure: { type: 'in-use' },
  })
  await repository.git.run(location.path, ['merge', 'main'])
  const before = await repository.state(location.path)
  expect(await repository.review.beginResolving(key())).toMatchObject({ failure: { type: 'unfinished' } })
  expect(await repository.review.abortResolving(key())).toMatchObject({ failure: { type: 'nothing' } })
  expect(await repository.state(location.path)).toEqual(before)
})

test('uncommitted changes of the checkout arrive as a commit: staged, unstaged, untracked and deleted', async () => {
  const running = await repository.begin('runner')
  await repository.write(running.path, { 'mine.txt': 'of the agent\n' })
  await repository.write(repository.folder, {
    'a.txt': lines('a', 12, { 1: 'staged', 5: 'person' }),
    'untracked.txt': 'u\n',
    'docs/read me.md': null,
  })
  await repository.run(repository.folder, 'add', 'a.txt')
  await repository.write(repository.folder, {
    'a.txt': lines('a', 12, { 1: 'staged', 5: 'person', 9: 'unstaged' }),
  })
  const users = await repository.state(repository.folder)
  const carried = value(await repository.review.carryOver({ ...key(), id: running.id }))
  expect([...carried.files].sort()).toEqual(['a.txt', 'docs/read me.md', 'untracked.txt'])
  expect(await repository.state(repository.folder)).toEqual(users)
  expect(await repository.run(running.path, 'status', '--porcelain')).toBe('?? mine.txt')
  expect(await readFile(join(running.path, 'a.txt'), 'utf8')).toBe(
    lines('a', 12, { 1: 'staged', 5: 'person', 9: 'unstaged' }),
  )
  expect(await repository.run(running.path, 'log', '-1', '--format=%s')).toContain('Carried over')
  expect(value(await repository.review.carryOver({ ...key(), id: running.id })).files).toEqual([])

  // The other worktree changed the same line.
  await repository.write(repository.folder, { 'a.txt': lines('a', 12, { 5: 'again' }) })
  const before = [await repository.state(location.path), await repository.state(repository.folder)]
  expect(await repository.review.carryOver(key())).toMatchObject({ failure: { type: 'conflicts' } })
  expect([await repository.state(location.path), await repository.state(repository.folder)]).toEqual(before)
  // Here an uncommitted file of the agent is in the way.
  await repository.write(repository.folder, { 'mine.txt': 'of the person\n' })
  await repository.run(repository.folder, 'checkout', '-q', 'a.txt')
  expect(await repository.review.carryOver({ ...key(), id: running.id })).toMatchObject({
    failure: { type: 'would-overwrite' },
  })
  expect(await readFile(join(running.path, 'mine.txt'), 'utf8')).toBe('of the agent\n')
})
