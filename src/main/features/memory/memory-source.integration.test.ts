import { mkdir, symlink } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryFolders } from './testing/memory-folders.ts'

const on = memoryFolders()

describe('instructions', () => {
  test('of the user apply everywhere, those of a project only if trusted', async () => {
    await on.put({ 'home/.claude/CLAUDE.md': 'mine', 'project/AGENTS.md': 'theirs' })
    expect((await on.load()).files.map(({ scope, text }) => [scope, text])).toEqual([
      ['user', 'mine'],
      ['project', 'theirs'],
    ])
    expect((await on.load({}, { trusted: false })).texts).toEqual(['mine'])
  })

  test('are listed in order, and a linked file is read once', async () => {
    await on.put({ 'project/AGENTS.md': 'agents', 'project/.claude/CLAUDE.md': 'inner' })
    await symlink('AGENTS.md', on.at('project/CLAUDE.md'))
    const { paths, texts } = await on.load()
    expect(paths).toEqual(['/project/CLAUDE.md', '/project/.claude/CLAUDE.md'])
    expect(texts).toEqual(['agents', 'inner'])
  })

  test('of parent folders apply up to the top of the repository, the farthest first', async () => {
    await on.put({ 'CLAUDE.md': 'outside', 'project/CLAUDE.md': 'top', 'project/deep/CLAUDE.md': 'near' })
    expect((await on.load({}, { folder: 'project/deep' })).texts).toEqual(['near'])
    await mkdir(on.at('project/.git'))
    expect((await on.load({}, { folder: 'project/deep' })).texts).toEqual(['top', 'near'])
  })

  test('are cut at 64 KB, between two characters, with a notice', async () => {
    await on.put({ 'project/CLAUDE.md': `a${'é'.repeat(40_000)}` })
    const { texts, problems } = await on.load()
    expect(texts[0]).toMatch(/^aé{32767}\n\[cut here/)
    expect(problems).toEqual(['/project/CLAUDE.md is longer than 64 KB. Only its beginning was read.'])
  })

  test('that are not text, or far too large, are reported and not read', async () => {
    await on.put({
      'project/CLAUDE.md': 'looks like \0 text',
      'project/.claude/CLAUDE.md': new Uint8Array(100).fill(0xff),
      'project/AGENTS.md': 'x'.repeat(16 * 1024 * 1024 + 1),
    })
    expect(await on.load()).toMatchObject({
      paths: [],
      problems: [
        '/project/CLAUDE.md was not read: it is not text.',
        '/project/.claude/CLAUDE.md was not read: it is not text.',
        '/project/AGENTS.md was not read: it is larger than 16 MB.',
      ],
    })
  })

  test('include CLAUDE.local.md and rules, in the project only if trusted', async () => {
    await on.put({
      'home/.claude/rules/mine.md': 'my rule',
      'home/.claude/rules/deep/more.md': '---\ndescription: x\n---\nmore',
      'project/CLAUDE.md': 'shared',
      'project/CLAUDE.local.md': 'local',
      'project/.claude/rules/all.md': 'for all',
      'project/.claude/rules/some.md': '---\npaths: src/**\n---\nfor some',
    })
    expect((await on.load()).texts).toEqual(['shared', 'local', 'more', 'my rule', 'for all'])
    expect((await on.load({}, { trusted: false })).texts).toEqual(['more', 'my rule'])
  })

  test('with paths are given with the first file that matches, and stay known as what they are', async () => {
    await on.put({
      'home/.claude/rules/py.md': '---\npaths:\n  - **/*.py\n---\npython',
      'project/.claude/rules/ts.md': '---\npaths: src/*.{ts,tsx}, test/**\n---\ntypescript',
      'project/.claude/rules/one.md': '---\npaths: ["docs/"]\n---\ndocs',
      'project/src/a.ts': '',
    })
    const below = async (path: string) =>
      (await on.source.below(on.at('project'), on.at(path), { trusted: true })).map(({ text }) => text.trim())
    expect(await below('project/src/a.ts')).toEqual(['typescript'])
    expect(await below('project/src/deep/a.ts')).toEqual([])
    expect(await below('project/test/deep/a.js')).toEqual(['typescript'])
    expect(await below('project/x/y.py')).toEqual(['python'])
    expect(await below('project/docs/a/b.md')).toEqual(['docs'])
    expect(await below('project/README.md')).toEqual([])
    expect(await below('project/.claude/rules/ts.md')).toEqual(['typescript'])
    expect(await below('home/.claude/rules/py.md')).toEqual(['python'])
    expect(await on.source.below(on.at('project'), on.at('project/src/a.ts'), { trusted: false })).toEqual([])
  })

  test('are left out for an agent without instructions', async () => {
    await on.put({
      'home/.claude/CLAUDE.md': 'mine',
      'project/CLAUDE.md': 'theirs',
      'home/.claude/agent-memory/explore/MEMORY.md': 'own',
    })
    const { texts } = await on.load({ name: 'Explore', omitProjectInstructions: true, memory: 'user' })
    expect(texts).toEqual(['own'])
  })
})

describe('imports', () => {
  test('are read after their importing file, by relative, home or absolute path', async () => {
    await on.put({
      'home/.claude/CLAUDE.md': '@rules/a.md @~/notes/b.md',
      'home/.claude/rules/a.md': 'a',
      'home/notes/b.md': 'b @c.md',
      'home/notes/c.md': 'c',
      'project/CLAUDE.md': `@./docs/d.md, @missing.md @docs @${on.at('project/e.md')}.`,
      'project/docs/d.md': 'd',
      'project/e.md': 'e',
    })
    const { files, problems } = await on.load()
    const short = (path: string | null) => (path === null ? null : on.short(path))
    expect(files.map(({ path, importedBy, scope }) => [short(path), short(importedBy), scope])).toEqual([
      ['/home/.claude/CLAUDE.md', null, 'user'],
      ['/home/.claude/rules/a.md', '/home/.claude/CLAUDE.md', 'user'],
      ['/home/notes/b.md', '/home/.claude/CLAUDE.md', 'user'],
      ['/home/notes/c.md', '/home/notes/b.md', 'user'],
      ['/project/CLAUDE.md', null, 'project'],
      ['/project/docs/d.md', '/project/CLAUDE.md', 'project'],
      ['/project/e.md', '/project/CLAUDE.md', 'project'],
    ])
    expect(files[4]?.text).toContain('@missing.md @docs')
    expect(problems).toEqual([])
  })

  test('in a circle end, with each file read once', async () => {
    await on.put({
      'project/CLAUDE.md': '@a.md @AGENTS.md',
      'project/a.md': '@b.md @CLAUDE.md',
      'project/b.md': '@a.md @./b.md',
      'project/AGENTS.md': '@a.md',
    })
    expect((await on.load()).paths).toEqual([
      '/project/CLAUDE.md',
      '/project/a.md',
      '/project/b.md',
      '/project/AGENTS.md',
    ])
  })

  test('go five levels deep, counted along the shortest path', async () => {
    const chain = [1, 2, 3, 4, 5, 6].map((n) => [`project/${n}.md`, `@${n + 1}.md`] as const)
    await on.put({ 'project/CLAUDE.md': '@1.md', ...Object.fromEntries(chain) })
    const { paths, problems } = await on.load()
    expect(paths.at(-1)).toBe('/project/5.md')
    expect(problems).toEqual([
      '/project/6.md, which /project/5.md imports, was not read: it is imported more than 5 files deep.',
    ])
    await on.put({ 'project/CLAUDE.md': '@1.md @6.md' })
    expect((await on.load()).paths.at(-1)).toBe('/project/6.md')
  })

  test('never grow beyond 256 KB or 100 files', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `f${index}.md`)
    const text = names.map((name) => `@${name}`).join(' ')
    await on.put({
      'project/CLAUDE.md': text,
      ...Object.fromEntries(names.map((name) => [`project/${name}`, 'x'])),
    })
    const many = await on.load()
    expect(many.paths).toHaveLength(100)
    expect(many.problems).toEqual([expect.stringContaining('limit of 100 files or 256 KB')])
    await on.put(Object.fromEntries(names.map((name) => [`project/${name}`, 'x'.repeat(60_000)])))
    const large = await on.load()
    expect(large.paths).toHaveLength(5)
    expect(large.problems).toHaveLength(1)
  })

  test('that are not text or too long are reported', async () => {
    await on.put({
      'project/CLAUDE.md': '@logo.png @long.md',
      'project/logo.png': new Uint8Array([0x89, 0x50, 0, 1]),
      'project/long.md': 'x'.repeat(70_000),
    })
    expect((await on.load()).problems).toEqual([
      '/project/logo.png, which /project/CLAUDE.md imports, was not read: it is not text.',
      '/project/long.md, which /project/CLAUDE.md imports, is longer than 64 KB. Only its beginning was read.',
    ])
  })
})

test("the user's own file may be a link, and imports only files in home, without secrets", async () => {
  await on.put({
    'elsewhere/dotfiles/CLAUDE.md': '@~/notes.md @/etc/passwd @~/.ssh/id_rsa',
    'home/notes.md': 'notes',
    'home/.ssh/id_rsa': 'key',
  })
  await symlink(on.at('elsewhere/dotfiles/CLAUDE.md'), on.at('home/.claude/CLAUDE.md'))
  const { texts, problems } = await on.load()
  expect(texts.slice(1)).toEqual(['notes'])
  expect(problems).toHaveLength(2)
})

test('no file of an untrusted folder is read, even if imported', async () => {
  await on.put({
    'home/.claude/CLAUDE.md': '@~/work/CLAUDE.md',
    'home/work/CLAUDE.md': 'theirs',
    'home/work/.claude/agent-memory/a/MEMORY.md': 'theirs',
  })
  const agent = { name: 'a', memory: 'project' } as const
  const untrusted = await on.load(agent, { trusted: false, folder: 'home/work' })
  expect(untrusted).toMatchObject({ texts: ['@~/work/CLAUDE.md'], folder: null })
  expect((await on.load(agent, { folder: 'home/work' })).texts).toEqual([
    '@~/work/CLAUDE.md',
    'theirs',
    'theirs',
  ])
})

describe('instructions in subfolders', () => {
  const below = async (path: string, { trusted = true } = {}) =>
    (await on.source.below(on.at('project'), on.at(path), { trusted })).map((file) => on.short(file.path))

  beforeEach(() =>
    on.put({
      'project/CLAUDE.md': 'top',
      'project/deep/CLAUDE.md': '@more.md',
      'project/deep/more.md': 'more',
      'project/deep/er/AGENTS.md': 'nearest',
    }),
  )

  test('include each folder down to the file, the topmost first, with imports', async () => {
    const all = ['/project/deep/CLAUDE.md', '/project/deep/more.md', '/project/deep/er/AGENTS.md']
    expect(await below('project/deep/er/a.ts')).toEqual(all)
    expect(await below('project/deep/er')).toEqual(all)
    expect(await below('project/deep/new/b.ts')).toEqual(all.slice(0, 2))
    expect(await below('project/a.ts')).toEqual([])
    expect(await below('project')).toEqual([])
  })

  test('are empty outside the project, without trust and in node_modules', async () => {
    await on.put({ 'project/node_modules/x/CLAUDE.md': 'not ours', 'other/CLAUDE.md': 'other' })
    expect(await below('other/a.ts')).toEqual([])
    expect(await below('project/deep/a.ts', { trusted: false })).toEqual([])
    expect(await below('project/node_modules/x/a.js')).toEqual([])
  })

  test('are read once a second for the files of one folder', async () => {
    let now = 5000
    on.use({ now: () => now })
    const texts = async (path: string) =>
      (await on.source.below(on.at('project'), on.at(path), { trusted: true })).map(({ text }) => text)
    expect(await texts('project/deep/er/a.ts')).toEqual(['@more.md', 'more', 'nearest'])
    await on.put({ 'project/deep/more.md': 'changed' })
    expect(await texts('project/deep/er/b.ts')).toEqual(['@more.md', 'more', 'nearest'])
    expect(await texts('project/deep/b.ts')).toEqual(['@more.md', 'changed'])
    now += 1000
    expect(await texts('project/deep/er/b.ts')).toEqual(['@more.md', 'changed', 'nearest'])
  })

  test('include no file outside the repository', async () => {
    await on.put({
      'home/notes.md': 'secret',
      'project/deep/CLAUDE.md': '@~/notes.md @../top.md',
      'project/top.md': 't',
    })
    await symlink(on.at('home/notes.md'), on.at('project/deep/AGENTS.md'))
    expect(await below('project/deep/a.ts')).toEqual(['/project/deep/CLAUDE.md', '/project/top.md'])
  })
})
