/** Notes, pictures, encodings and conflicts of names in the changes of a worktree. */
import { chmod, cp, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const keyOf = (id: string) => ({ folder: repository.folder, id })
const changes = async (id: string) => value(await repository.review.changes(keyOf(id)))
const file = async (id: string, path: string) => value(await repository.review.file(keyOf(id), path))

test('different bytes stay different in a text that is not UTF-8, and a late zero byte is text as in git', async () => {
  const late = (end: string) => `${'x'.repeat(9000)}\n${end}\n`
  await repository.commit({
    'latin.txt': Buffer.from('caf\xe9\nna\xefve\n', 'latin1'),
    'late.txt': late('a\0b'),
  })
  const location = await repository.work('fixer', [
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
  const { path, id } = await repository.begin('fixer')
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
  const location = await repository.work('fixer', [
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
  const location = await repository.work('fixer', [{ 'a.txt': 'one\n', 'b.txt': 'one\n' }])
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
  const location = await repository.begin('fixer')
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

test('a file that two agents change is read from both worktrees as it is now, and none outside of them is', async () => {
  await repository.commit({ 'money.ts': 'one\ntwo\n' })
  const [one, two] = [await repository.begin('one'), await repository.begin('two')]
  await repository.write(one.path, { 'money.ts': 'one\nmine\n' })
  await repository.write(two.path, { 'money.ts': 'one\ntheirs\n' })
  const now = async (id: string) => {
    await changes(id)
    return file(id, 'money.ts')
  }
  const before = 'one\ntwo\n'
  expect(await now(one.id)).toEqual({ kind: 'text', before, after: 'one\nmine\n' })
  expect(await now(two.id)).toEqual({ kind: 'text', before, after: 'one\ntheirs\n' })
  await repository.write(one.path, { 'money.ts': null })
  expect(await now(one.id)).toEqual({ kind: 'text', before, after: null })
  await repository.write(repository.home, { 'secret.txt': 'secret\n' })
  for (const path of ['../../../secret.txt', `${repository.home}/secret.txt`, '.git'])
    expect(await repository.review.file(keyOf(one.id), path)).toMatchObject({ ok: false })
})
