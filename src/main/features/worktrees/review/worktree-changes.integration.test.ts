import { appendFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  countCalls,
  createReviewRepository,
  lines,
  type ReviewRepository,
  value,
} from './testing/review-repository.ts'

let repository: ReviewRepository
let calls: string[]

beforeEach(async () => {
  calls = []
  repository = await createReviewRepository({ wrap: (git) => countCalls(git, (args) => calls.push(args)) })
})
afterEach(() => repository.remove())

const keyOf = (id: string) => ({ folder: repository.folder, id })
const changes = async (id: string) => value(await repository.review.changes(keyOf(id)))
const file = async (id: string, path: string) => value(await repository.review.file(keyOf(id), path))
const main = (...args: string[]) => repository.run(repository.folder, ...args)

const ODD = [
  'tab\there.txt',
  'line\nbreak.txt',
  '"quoted" \\ back.txt',
  ':(top)magic',
  'Ünïcödé 漢字.txt',
  '-dash',
]

test('all kinds of files have both sides, committed or not, while the agent works', async () => {
  await repository.commit({
    'old name.txt': lines('same', 30),
    'gone.txt': 'gone\n',
    'picture.png': Buffer.from([0x89, 0, 1, 2]),
    'script.sh': 'echo\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'link-to-be.txt': 'a file\n',
    'large.txt': 'x',
  })
  const location = await repository.begin('fixer')
  await repository.write(location.path, { 'a.txt': lines('a', 12, { 3: 'committed' }) })
  await repository.run(location.path, 'commit', '-qam', 'First')
  await repository.run(location.path, 'mv', 'old name.txt', 'new name.txt')
  await repository.run(location.path, 'rm', '-q', '--cached', 'gone.txt')
  await repository.write(location.path, {
    'gone.txt': null,
    'picture.png': Buffer.from([0x89, 0, 1, 2, 3]),
    'crlf.txt': 'one\r\nTWO\r\nno end',
    'link-to-be.txt': null,
    'large.txt': 'x'.repeat(2 * 1024 * 1024 + 1),
    ...Object.fromEntries(ODD.map((name) => [name, `${name} is new\n`])),
  })
  await symlink('/etc/passwd', join(location.path, 'link-to-be.txt'))
  await repository.run(location.path, 'update-index', '--chmod=+x', 'script.sh')
  await repository.run(location.path, 'config', 'core.fileMode', 'false')
  const seen = await changes(location.id)
  const found = Object.fromEntries(seen.files.map((one) => [one.path, one]))
  expect(found['a.txt']).toMatchObject({ kind: 'modified', insertions: 1, deletions: 1, uncommitted: false })
  expect(found['new name.txt']).toMatchObject({ kind: 'renamed', oldPath: 'old name.txt', uncommitted: true })
  expect(found['gone.txt']).toMatchObject({ kind: 'deleted', insertions: 0, deletions: 1 })
  expect(found['picture.png']).toMatchObject({ kind: 'modified', insertions: null, deletions: null })
  expect(found['script.sh']).toMatchObject({ kind: 'modified', insertions: 0, deletions: 0 })
  expect(found['link-to-be.txt']).toMatchObject({ kind: 'type-changed' })
  for (const name of ODD)
    expect(found[name], name).toMatchObject({ kind: 'added', insertions: name.includes('\n') ? 2 : 1 })
  expect(seen).toMatchObject({ id: location.id, moreFiles: 0, from: location.base })
  expect(seen.commits).toMatchObject([{ subject: 'First', author: 'Ada' }])

  expect(await file(location.id, 'a.txt')).toEqual({
    kind: 'text',
    before: lines('a', 12),
    after: lines('a', 12, { 3: 'committed' }),
  })
  expect(await file(location.id, 'new name.txt')).toMatchObject({
    before: lines('same', 30),
    after: lines('same', 30),
  })
  expect(await file(location.id, 'gone.txt')).toEqual({ kind: 'text', before: 'gone\n', after: null })
  expect(await file(location.id, 'picture.png')).toEqual({ kind: 'binary', bytesBefore: 4, bytesAfter: 5 })
  expect(await file(location.id, 'crlf.txt')).toMatchObject({
    before: 'one\r\ntwo\r\n',
    after: 'one\r\nTWO\r\nno end',
  })
  expect(await file(location.id, 'link-to-be.txt')).toMatchObject({
    before: 'a file\n',
    after: '/etc/passwd',
  })
  expect(await file(location.id, 'large.txt')).toMatchObject({ kind: 'too-large', bytesBefore: 1 })
  for (const name of ODD)
    expect(await file(location.id, name), name).toMatchObject({ before: null, after: `${name} is new\n` })
  for (const path of ['none.txt', '../project/a.txt', '/etc/passwd'])
    expect((await repository.review.file(keyOf(location.id), path)).ok, path).toBe(false)
})

test('the version changes only with the work, not with new commits on the target', async () => {
  const location = await repository.begin('fixer')
  await repository.write(location.path, { 'a.txt': 'one\n' })
  const first = await changes(location.id)
  await repository.commit({ 'b.txt': 'by a person\n' })
  expect((await changes(location.id)).version).toBe(first.version)
  await repository.write(location.path, { 'a.txt': 'two\n' })
  // Until the next listing, a file has its listed content.
  expect(await file(location.id, 'a.txt')).toMatchObject({ after: 'one\n' })
  const second = await changes(location.id)
  expect(second.version).not.toBe(first.version)
  expect(second.files.map(({ path }) => path)).toEqual(['a.txt'])
  expect(await file(location.id, 'a.txt')).toMatchObject({ after: 'two\n' })
})

test('no program from the repository’s settings runs: no external diff, no text conversion', async () => {
  await repository.commit({ '.gitattributes': '*.doc diff=word\n', 'x.doc': 'one\n' })
  const config = join(repository.folder, '.git/config')
  await appendFile(config, '[diff]\n\texternal = false\n[diff "word"]\n\ttextconv = false\n')
  const location = await repository.work('fixer', [{ 'x.doc': 'two\n' }])
  expect((await changes(location.id)).files).toMatchObject([{ path: 'x.doc', insertions: 1, deletions: 1 }])
})

test('a changed submodule shows its old and new commit', async () => {
  const inner = join(repository.home, 'inner')
  await repository.run(repository.home, 'init', '-q', '-b', 'main', 'inner')
  await repository.run(inner, 'commit', '-q', '--allow-empty', '-m', 'one')
  const one = await repository.run(inner, 'rev-parse', 'HEAD')
  await repository.run(inner, 'commit', '-q', '--allow-empty', '-m', 'two')
  const two = await repository.run(inner, 'rev-parse', 'HEAD')
  await main('update-index', '--add', '--cacheinfo', `160000,${one},inner`)
  await repository.write(repository.folder, {
    '.gitmodules': '[submodule "inner"]\n\tpath = inner\n\turl = ../inner\n',
  })
  await main('add', '.gitmodules')
  await main('commit', '-qm', 'A submodule')
  const location = await repository.begin('fixer')
  await repository.run(location.path, 'update-index', '--cacheinfo', `160000,${two},inner`)
  await repository.run(location.path, 'commit', '-qm', 'Moved')
  expect(await file(location.id, 'inner')).toEqual({ kind: 'submodule', before: one, after: two })
})

test('conflicts are shown as a merge would leave them, with branch names and reasons', async () => {
  await repository.commit({ 'd.txt': 'd\n', 'p.bin': Buffer.from([0, 1, 2]), 'e.txt': 'e\n' })
  const location = await repository.work('fixer', [
    {
      'a.txt': lines('a', 3, { 2: 'agent' }),
      'd.txt': 'changed\n',
      'e.txt': null,
      'added.txt': 'agent\n',
      'p.bin': Buffer.from([0, 9]),
    },
  ])
  const other = await repository.work('other', [{ 'a.txt': lines('a', 3, { 2: 'other' }) }])
  await repository.commit({
    'a.txt': lines('a', 3, { 2: 'person' }),
    'd.txt': null,
    'e.txt': 'changed\n',
    'added.txt': 'person\n',
    'p.bin': Buffer.from([0, 7]),
  })
  const into = value(await repository.review.conflicts(keyOf(location.id), { into: null }))
  const found = Object.fromEntries(into.map((one) => [one.path, one]))
  expect(Object.keys(found).sort()).toEqual(['a.txt', 'added.txt', 'd.txt', 'e.txt', 'p.bin'])
  expect(found['a.txt']?.because).toBe('both changed it')
  expect(found['a.txt']?.text).toContain('<<<<<<< main\n')
  expect(found['a.txt']?.text).toContain(`>>>>>>> ${location.branch}\n`)
  expect(found['added.txt']?.because).toBe('both added it')
  expect(found['d.txt']).toMatchObject({
    path: 'd.txt',
    text: null,
    because: `deleted in main, changed in ${location.branch}`,
  })
  expect(found['e.txt']?.because).toBe(`changed in main, deleted in ${location.branch}`)
  expect(found['p.bin']).toMatchObject({ text: null, because: 'both changed it, and it is not text' })
  const between = value(await repository.review.conflicts(keyOf(location.id), { id: other.id }))
  expect(between.map(({ path }) => path)).toEqual(['a.txt'])
  expect(between[0]?.text).toContain(`<<<<<<< ${other.branch}\n`)
})

test('500 files need only a few git calls, and a file of 5,000 lines is read completely', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`many/${index}.txt`, `${index}\n`]),
  )
  const location = await repository.begin('fixer')
  await repository.write(location.path, { ...many, 'long.txt': lines('long', 5000) })
  calls = []
  const seen = await changes(location.id)
  expect(calls.length).toBeLessThan(25)
  expect(seen.files).toHaveLength(501)
  expect(seen.files.every(({ uncommitted }) => uncommitted)).toBe(true)
  expect(await file(location.id, 'long.txt')).toEqual({
    kind: 'text',
    before: null,
    after: lines('long', 5000),
  })
})

test('git scans the files once for a list and the reads right after it, and again later', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  await repository.write(location.path, { 'late.txt': 'late\n' })
  const looks = () => calls.filter((args) => args.startsWith('status')).length
  calls.length = 0
  await repository.review.list(repository.folder, { thorough: false })
  const listing = calls.length
  expect((await changes(location.id)).files.map(({ path }) => path)).toEqual(['a.txt', 'late.txt'])
  expect(calls.slice(listing).map((args) => args.split(' ')[0])).toEqual(['log'])
  expect(looks()).toBe(1)
  // With uncommitted changes; without them there are fewer.
  expect(calls.length).toBeLessThan(15)
  await repository.write(location.path, { 'later.txt': 'later\n' })
  expect((await changes(location.id)).files).toHaveLength(3)
  expect(looks()).toBe(2)
})
