import { readFile, readlink, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ResolvedFile } from '../../../../shared/worktrees/review.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
let location: WorktreeLocation

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const main = (...args: string[]) => repository.run(repository.folder, ...args)
const key = () => ({ folder: repository.folder, id: location.id })
const conflicts = async (into: string | null = null) =>
  value(await repository.review.conflicts(key(), { into }))
async function merge(files: readonly ResolvedFile[], more: { into?: string; version?: string } = {}) {
  const { into = null } = more
  const version = more.version ?? (await conflicts(into))[0]?.version ?? ''
  return repository.review.mergeResolved(key(), { into, version, files, message: null })
}
const text = (path: string) => readFile(join(repository.folder, path), 'utf8')

async function conflict() {
  await repository.commit({ 'd.txt': 'd\n', 'e.txt': 'e\n', 'p.bin': Buffer.from([0, 1]) })
  location = await repository.work('fixer', [
    {
      'a.txt': lines('a', 5, { 2: 'agent' }),
      'd.txt': 'agent\n',
      'e.txt': null,
      'p.bin': Buffer.from([0, 2]),
    },
    { 'clean.txt': 'clean\n' },
  ])
  await repository.commit({
    'a.txt': lines('a', 5, { 2: 'person' }),
    'd.txt': null,
    'e.txt': 'person\n',
    'p.bin': Buffer.from([0, 3]),
  })
}
const ALL: readonly ResolvedFile[] = [
  { path: 'a.txt', text: lines('a', 5, { 2: 'both' }) },
  { path: 'd.txt', use: 'theirs' },
  { path: 'e.txt', use: 'theirs' },
  { path: 'p.bin', use: 'theirs' },
]

test('each conflict has its three sides; the resolutions are merged in one commit with both parents', async () => {
  await conflict()
  await repository.write(location.path, { 'late.txt': 'uncommitted\n' })
  await repository.write(repository.folder, { 'untracked.txt': 'mine\n' })
  const found = await conflicts()
  expect(found.map(({ path, base, ours, theirs }) => ({ path, base, ours, theirs }))).toEqual([
    {
      path: 'a.txt',
      base: { text: lines('a', 12) },
      ours: { text: lines('a', 5, { 2: 'person' }) },
      theirs: { text: lines('a', 5, { 2: 'agent' }) },
    },
    { path: 'd.txt', base: { text: 'd\n' }, ours: null, theirs: { text: 'agent\n' } },
    { path: 'e.txt', base: { text: 'e\n' }, ours: { text: 'person\n' }, theirs: null },
    { path: 'p.bin', base: { text: null }, ours: { text: null }, theirs: { text: null } },
  ])
  const parent = await main('rev-parse', 'main')
  const merged = value(await merge(ALL))
  expect(merged).toMatchObject({ into: 'main', commits: 3 })
  expect(await main('log', '-1', '--format=%P')).toBe(`${parent} ${await main('rev-parse', location.branch)}`)
  expect(await text('a.txt')).toBe(lines('a', 5, { 2: 'both' }))
  expect(await text('d.txt')).toBe('agent\n')
  expect(await text('clean.txt')).toBe('clean\n')
  expect(await text('late.txt')).toBe('uncommitted\n')
  expect(await readFile(join(repository.folder, 'p.bin'))).toEqual(Buffer.from([0, 2]))
  expect(await main('status', '--porcelain')).toBe('?? untracked.txt')
  expect(await main('ls-files', 'e.txt')).toBe('')
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'merged',
    merged: { undoable: true, method: 'merge' },
  })
  value(await repository.review.undoMerge(key()))
  expect(await main('rev-parse', 'main')).toBe(parent)
})

describe('nothing changes, not even in the worktree,', () => {
  const refused = async (files: readonly ResolvedFile[], type: string, words: string, version?: string) => {
    const state = async () => [await main('rev-parse', 'main'), await repository.state(location.path)]
    const before = await state()
    const answer = await merge(files, version === undefined ? {} : { version })
    expect(answer).toMatchObject({ ok: false, failure: { type, message: expect.stringContaining(words) } })
    expect(await state()).toEqual(before)
  }
  const other = ALL.slice(1)

  test('with a file left out, or one too many', async () => {
    await conflict()
    await repository.write(location.path, { 'late.txt': 'uncommitted\n' })
    await refused(other, 'unfinished', 'No resolution for a.txt')
    await refused([...ALL, { path: 'clean.txt', use: 'ours' }], 'not-there', 'clean.txt has no conflict')
  })

  test.each([
    ['a whole conflict', '<<<<<<< main\none\n=======\ntwo\n>>>>>>> x\n'],
    ['a start', '<<<<<<< main\none\n'],
    ['a middle', 'one\n=======\ntwo\n'],
    ['a middle with CR LF', 'one\r\n=======\r\ntwo\r\n'],
    ['an end', 'two\n>>>>>>> x'],
    ['a base', '||||||| base\n'],
  ])('with marks left: %s', async (_, text) => {
    await conflict()
    await refused([{ path: 'a.txt', text }, ...other], 'unfinished', 'Conflict markers are left in a.txt')
  })

  test('after a change of the target or of the worktree', async () => {
    await conflict()
    const [first] = await conflicts()
    await repository.write(location.path, { 'late.txt': 'by hand\n' })
    await refused(ALL, 'moved', 'changed since the conflicts were shown', first?.version)
    const [second] = await conflicts()
    await main('commit', '--allow-empty', '-qm', 'By hand')
    await refused(ALL, 'moved', 'changed since the conflicts were shown', second?.version)
  })

  test('over uncommitted changes of the checkout, and while the agent works', async () => {
    await conflict()
    await repository.write(repository.folder, { 'a.txt': 'mine\n' })
    await refused(ALL, 'would-overwrite', 'a.txt')
    expect(await text('a.txt')).toBe('mine\n')
    const working = await repository.begin('working')
    const options = { into: null, version: 'v', files: ALL, message: null }
    expect(await repository.review.mergeResolved({ ...key(), id: working.id }, options)).toMatchObject({
      failure: { type: 'in-use' },
    })
  })
})

test('lines like marks that a side has already are no marks', async () => {
  const title = 'Title 1\n=======\ntext\n'
  await repository.commit({ 'read.md': title })
  location = await repository.work('fixer', [{ 'read.md': `${title}agent\n` }])
  await repository.commit({ 'read.md': `${title}person\n` })
  value(await merge([{ path: 'read.md', text: `${title}person\nagent\n` }]))
  expect(await text('read.md')).toBe(`${title}person\nagent\n`)
})

test('a file or a folder of one name, links and renames are resolved by the choice of a side', async () => {
  await repository.commit({ fd: 'f\n', gd: 'g\n', 'r.txt': lines('r', 20) })
  await symlink('one', join(repository.folder, 'link'))
  await repository.commit({})
  location = await repository.begin('fixer')
  const { path } = location
  await rename(join(path, 'r.txt'), join(path, 'theirs.txt'))
  await repository.write(path, { fd: null, gd: null, link: null })
  await repository.write(path, { 'fd/in.txt': 'i\n', 'gd/in.txt': 'i\n' })
  await symlink('two', join(path, 'link'))
  value(await repository.worktrees.save(location, { task: 'Task', ended: 'completed' }))
  await repository.worktrees.release(location)
  await rename(join(repository.folder, 'r.txt'), join(repository.folder, 'ours.txt'))
  await repository.write(repository.folder, { link: null })
  await symlink('three', join(repository.folder, 'link'))
  await repository.commit({ fd: 'changed\n', gd: 'changed\n' })
  value(
    await merge([
      { path: 'fd', use: 'theirs' },
      { path: 'gd', use: 'ours' },
      { path: 'link', use: 'theirs' },
      { path: 'ours.txt', use: 'theirs' },
      { path: 'theirs.txt', use: 'theirs' },
    ]),
  )
  expect((await main('ls-files')).split('\n')).toEqual([
    'a.txt',
    'b.txt',
    'docs/read me.md',
    'fd/in.txt',
    'gd',
    'link',
    'theirs.txt',
  ])
  expect(await readlink(join(repository.folder, 'link'))).toBe('two')
})

test('conflicts with another branch are resolved into that branch', async () => {
  await repository.commit({ 'x.txt': 'x\n' })
  await main('branch', 'dev')
  location = await repository.work('fixer', [{ 'x.txt': 'agent\n' }])
  await main('switch', '-q', 'dev')
  await repository.commit({ 'x.txt': 'person\n' })
  await main('switch', '-q', 'main')
  value(await merge([{ path: 'x.txt', text: 'both\n' }], { into: 'dev' }))
  expect(await main('show', 'dev:x.txt')).toBe('both')
  expect(await text('x.txt')).toBe('x\n')
})
