import { appendFile, chmod, cp, rename, symlink } from 'node:fs/promises'
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
  const location = await repository.begin('mender')
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

test('different bytes stay different in a text that is not UTF-8, and a late zero byte is text as in git', async () => {
  const late = (end: string) => `${'x'.repeat(9000)}\n${end}\n`
  await repository.commit({
    'latin.txt': Buffer.from('caf\xe9\nna\xefve\n', 'latin1'),
    'late.txt': late('a\0b'),
  })
  const location = await repository.work('mender', [
    { 'latin.txt': Buffer.from('caf\xe8\nna\xefve\n', 'latin1'), 'late.txt': late('a\0c') },
  ])
  for (const path of ['latin.txt', 'late.txt'])
    expect((await changes(location.id)).files.find((one) => one.path === path)).toMatchObject({
      insertions: 1,
      deletions: 1,
    })
  expect(await file(location.id, 'latin.txt')).toEqual({
    kind: 'text',
    before: 'café\nnaïve\n',
    after: 'cafè\nnaïve\n',
  })
  expect(await file(location.id, 'late.txt')).toEqual({
    kind: 'text',
    before: late('a\0b'),
    after: late('a\0c'),
  })
})

test('the version changes only with the work, not with new commits on the target', async () => {
  const location = await repository.begin('mender')
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
  const location = await repository.work('mender', [{ 'x.doc': 'two\n' }])
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
  const location = await repository.begin('mender')
  await repository.run(location.path, 'update-index', '--cacheinfo', `160000,${two},inner`)
  await repository.run(location.path, 'commit', '-qm', 'Moved')
  expect(await file(location.id, 'inner')).toEqual({ kind: 'submodule', before: one, after: two })
})

test('conflicts are shown as a merge would leave them, with branch names and reasons', async () => {
  await repository.commit({ 'd.txt': 'd\n', 'p.bin': Buffer.from([0, 1, 2]), 'e.txt': 'e\n' })
  const location = await repository.work('mender', [
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

test('changes beside the lines are said in words', async () => {
  await repository.commit({
    'mode.sh': 'echo\n',
    'old.txt': lines('old', 20),
    'source.txt': lines('source', 20),
    'emptied.txt': 'text\n',
    'empty-gone.txt': '',
    'becomes-link.txt': 'text\n',
  })
  await symlink('x', join(repository.folder, 'link'))
  await symlink('same', join(repository.folder, 'kept-link'))
  await symlink('y', join(repository.folder, 'link-gone'))
  await repository.commit({})
  const { path, id } = await repository.begin('mender')
  const at = (name: string) => join(path, name)
  await chmod(at('mode.sh'), 0o755)
  await rename(at('old.txt'), at('new.txt'))
  await cp(at('source.txt'), at('copy.txt'))
  await repository.write(path, {
    'source.txt': lines('source', 20, { 1: 'changed' }),
    'empty.txt': '',
    'emptied.txt': '',
    'empty-gone.txt': null,
    link: null,
    'link-gone': null,
    'becomes-link.txt': null,
    'run.sh': 'run\n',
  })
  await chmod(at('run.sh'), 0o755)
  await symlink('to/there', at('link'))
  await symlink('new', at('link-added'))
  await symlink('a.txt', at('becomes-link.txt'))
  await repository.run(path, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`)
  const { files } = await changes(id)
  expect(Object.fromEntries(files.map(({ path, notes }) => [path, notes]))).toEqual({
    'mode.sh': ['Mode changed 644 → 755'],
    'new.txt': ['Renamed from old.txt'],
    'copy.txt': ['Copied from source.txt'],
    'source.txt': [],
    'empty.txt': ['Empty file added'],
    'emptied.txt': ['All content removed'],
    'empty-gone.txt': ['Empty file deleted'],
    'becomes-link.txt': ['Replaced: file → link to a.txt'],
    link: ['Link to x → to/there'],
    'link-added': ['Added: link to new'],
    'link-gone': ['Deleted: link to y'],
    'run.sh': ['Added with mode 755'],
    sub: ['Added: submodule at 1111111111'],
  })
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChAGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('both sides of a picture are read by the type of their content, also of deleted ones', async () => {
  const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([1, 0, 0, 0]), Buffer.from('WEBPVP8 ')])
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>\n'
  await repository.commit({
    'same-type.png': PNG,
    'gone.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]),
    'named.png': 'no picture\n',
    'mark.svg': svg,
  })
  const location = await repository.work('mender', [
    {
      'same-type.png': webp,
      'gone.jpg': null,
      'named.png': 'still none\n',
      'mark.svg': svg.replace('/>', '><g/></svg>'),
      'new.gif': Buffer.from('GIF89a\0'),
      'huge.png': Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]),
      'page.html': '<svg></svg>\n',
    },
  ])
  const picture = (path: string) => repository.review.picture(keyOf(location.id), path)
  const data = (content: Buffer | string) => Buffer.from(content).toString('base64')
  expect(value(await picture('same-type.png'))).toEqual({
    before: { bytes: PNG.length, type: 'image/png', data: data(PNG) },
    after: { bytes: webp.length, type: 'image/webp', data: data(webp) },
  })
  expect(value(await picture('gone.jpg'))).toMatchObject({ before: { type: 'image/jpeg' }, after: null })
  expect(value(await picture('new.gif'))).toMatchObject({
    before: null,
    after: { type: 'image/gif', bytes: 7 },
  })
  expect(value(await picture('mark.svg'))).toMatchObject({
    before: { type: 'image/svg+xml', data: data(svg) },
  })
  for (const path of ['named.png', 'huge.png', 'page.html', 'b.txt', '../x.png'])
    expect(await picture(path), path).toMatchObject({ ok: false, failure: { type: 'not-there' } })
})

test('the content of a file names both sides, so that a mark on it ends with the next change', async () => {
  const location = await repository.work('mender', [{ 'a.txt': 'one\n', 'b.txt': 'one\n' }])
  const contents = async () =>
    Object.fromEntries((await changes(location.id)).files.map(({ path, content }) => [path, content]))
  const before = await contents()
  expect(new Set(Object.values(before)).size).toBe(2)
  await repository.write(location.path, { 'a.txt': 'two\n' })
  const after = await contents()
  expect(after['b.txt']).toBe(before['b.txt'])
  expect(after['a.txt']).not.toBe(before['a.txt'])
  await chmod(join(location.path, 'b.txt'), 0o755)
  expect((await contents())['b.txt']).not.toBe(before['b.txt'])
})

test('a conflict of names or types says what each side did, under the name that the file has', async () => {
  const long = (word: string) => lines(word, 20)
  const fill = {
    'r.txt': long('r'),
    'gone.txt': long('gone'),
    fd: 'f\n',
    'dir/x': long('x'),
    'dir/y': long('y'),
  }
  await repository.commit(fill)
  await symlink('one', join(repository.folder, 'link'))
  await repository.commit({})
  const location = await repository.begin('mender')
  const { path, branch, id } = location
  await rename(join(path, 'r.txt'), join(path, 'theirs.txt'))
  await rename(join(path, 'dir'), join(path, 'moved'))
  await repository.write(path, { 'gone.txt': null, fd: null, link: null })
  await repository.write(path, { 'fd/inside.txt': 'i\n', type: 'a file\n' })
  await symlink('two', join(path, 'link'))
  await repository.run(path, 'add', '-A')
  await repository.run(path, 'commit', '-qm', 'Agent')
  const user = repository.folder
  await rename(join(user, 'r.txt'), join(user, 'ours.txt'))
  await rename(join(user, 'gone.txt'), join(user, 'here.txt'))
  await repository.write(user, { link: null })
  await symlink('three', join(user, 'link'))
  await symlink('a.txt', join(user, 'type'))
  await repository.commit({ fd: 'changed\n', 'dir/new.txt': 'n\n' })
  const found = value(await repository.review.conflicts(keyOf(id), { into: null }))
  const renamed = `r.txt was renamed to ours.txt in main and to theirs.txt in ${branch}`
  expect(Object.fromEntries(found.map((one) => [one.path, one.because]))).toEqual({
    'r.txt': renamed,
    'ours.txt': renamed,
    'theirs.txt': renamed,
    'here.txt': `renamed from gone.txt in main, deleted in ${branch}`,
    fd: `a file in main, a folder in ${branch}`,
    link: 'both changed where the link leads',
    type: `a link in main, a file in ${branch}`,
    'moved/new.txt': `added in main as dir/new.txt, to a folder that ${branch} renamed`,
  })
  expect((await repository.listed(id)).check).toEqual({
    kind: 'conflicts',
    files: expect.arrayContaining(['fd', 'type', 'ours.txt']),
  })
})

test('500 files need only a few git calls, and a file of 5,000 lines is read completely', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`many/${index}.txt`, `${index}\n`]),
  )
  const location = await repository.begin('mender')
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
  const location = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
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
