import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isSecret } from '../../runtime/permissions/sensitive-files.ts'
import type { MemorySource } from '../../runtime/ports.ts'
import { createMemorySource } from './memory-source.ts'

let base: string
let source: MemorySource
const plain = { name: 'Code Reviewer', memory: null, omitProjectInstructions: false } as const

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-memory-')))
  for (const folder of ['project/deep', 'home/.claude', 'data']) await mkdir(at(folder), { recursive: true })
  source = createMemorySource({ home: at('home'), dataFolder: at('data'), isSecret })
})
afterEach(() => rm(base, { recursive: true, force: true }))

const at = (path: string) => join(base, path)
async function put(files: Readonly<Record<string, string | Uint8Array>>) {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), content)
  }
}
async function load(
  agent: Partial<Parameters<MemorySource['load']>[1]> = {},
  { trusted = true, folder = 'project' } = {},
) {
  const loaded = await source.load(at(folder), { ...plain, ...agent }, { trusted })
  const short = (text: string) => text.replaceAll(base, '')
  return {
    paths: loaded.files.map(({ path }) => short(path)),
    texts: loaded.files.map(({ text }) => text),
    files: loaded.files,
    folder: loaded.folder === null ? null : short(loaded.folder),
    problems: loaded.problems.map(short),
  }
}
/** The folder of the data folder that is this project's. */
async function kept(): Promise<string> {
  const { folder } = await load({ memory: 'local' })
  return dirname(dirname(folder ?? '')).slice(1)
}

describe('instructions', () => {
  test('of the user hold everywhere, those of the project where it is trusted', async () => {
    await put({ 'home/.claude/CLAUDE.md': 'mine', 'project/AGENTS.md': 'theirs' })
    expect((await load()).files.map(({ scope, text }) => [scope, text])).toEqual([
      ['user', 'mine'],
      ['project', 'theirs'],
    ])
    expect((await load({}, { trusted: false })).texts).toEqual(['mine'])
  })

  test('are named in their order, and a link to another is read once', async () => {
    await put({ 'project/AGENTS.md': 'agents', 'project/.claude/CLAUDE.md': 'inner' })
    await symlink('AGENTS.md', at('project/CLAUDE.md'))
    const { paths, texts } = await load()
    expect(paths).toEqual(['/project/CLAUDE.md', '/project/.claude/CLAUDE.md'])
    expect(texts).toEqual(['agents', 'inner'])
  })

  test('of the folders above count up to the repository’s top, the farthest first', async () => {
    await put({ 'CLAUDE.md': 'outside', 'project/CLAUDE.md': 'top', 'project/deep/CLAUDE.md': 'near' })
    expect((await load({}, { folder: 'project/deep' })).texts).toEqual(['near'])
    await mkdir(at('project/.git'))
    expect((await load({}, { folder: 'project/deep' })).texts).toEqual(['top', 'near'])
  })

  test('that are long are cut at 64 KB, between two characters, and say so', async () => {
    await put({ 'project/CLAUDE.md': `a${'é'.repeat(40_000)}` })
    const { texts, problems } = await load()
    expect(texts[0]).toMatch(/^aé{32767}\n\[cut here/)
    expect(problems).toEqual(['/project/CLAUDE.md is longer than 64 KB. Only its beginning was read.'])
  })

  test('that are no text, or far too large, are told and not read', async () => {
    await put({
      'project/CLAUDE.md': new Uint8Array([0x89, 0x50, 0, 1]),
      'project/AGENTS.md': 'x'.repeat(16 * 1024 * 1024 + 1),
    })
    expect(await load()).toMatchObject({
      paths: [],
      problems: [
        '/project/CLAUDE.md was not read: it is not text.',
        '/project/AGENTS.md was not read: it is larger than 16 MB.',
      ],
    })
  })

  test('are left out whole where an agent wants none of them', async () => {
    await put({
      'home/.claude/CLAUDE.md': 'mine',
      'project/CLAUDE.md': 'theirs',
      'home/.claude/agent-memory/explore/MEMORY.md': 'own',
    })
    const { texts } = await load({ name: 'Explore', omitProjectInstructions: true, memory: 'user' })
    expect(texts).toEqual(['own'])
  })
})

describe('imports', () => {
  test('are read after the file that names them, from it on, from home, or absolute', async () => {
    await put({
      'home/.claude/CLAUDE.md': '@rules/a.md @~/notes/b.md',
      'home/.claude/rules/a.md': 'a',
      'home/notes/b.md': 'b @c.md',
      'home/notes/c.md': 'c',
      'project/CLAUDE.md': `@./docs/d.md, @missing.md @docs @${at('project/e.md')}.`,
      'project/docs/d.md': 'd',
      'project/e.md': 'e',
    })
    const { files, problems } = await load()
    const short = (path: string | null) => path?.replace(base, '') ?? null
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

  test('in a circle end, and each file is read once', async () => {
    await put({
      'project/CLAUDE.md': '@a.md @AGENTS.md',
      'project/a.md': '@b.md @CLAUDE.md',
      'project/b.md': '@a.md @./b.md',
      'project/AGENTS.md': '@a.md',
    })
    expect((await load()).paths).toEqual([
      '/project/CLAUDE.md',
      '/project/a.md',
      '/project/b.md',
      '/project/AGENTS.md',
    ])
  })

  test('go five files deep, and a file that is also named nearer is still read', async () => {
    const chain = [1, 2, 3, 4, 5, 6].map((n) => [`project/${n}.md`, `@${n + 1}.md`] as const)
    await put({ 'project/CLAUDE.md': '@1.md', ...Object.fromEntries(chain) })
    const { paths, problems } = await load()
    expect(paths.at(-1)).toBe('/project/5.md')
    expect(problems).toEqual([
      '/project/6.md, which /project/5.md imports, was not read: it is imported more than 5 files deep.',
    ])
    await put({ 'project/CLAUDE.md': '@1.md @6.md' })
    expect((await load()).paths.at(-1)).toBe('/project/6.md')
  })

  test('never grow beyond 256 KB or 100 files', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `f${index}.md`)
    const text = names.map((name) => `@${name}`).join(' ')
    await put({
      'project/CLAUDE.md': text,
      ...Object.fromEntries(names.map((name) => [`project/${name}`, 'x'])),
    })
    const many = await load()
    expect(many.paths).toHaveLength(100)
    expect(many.problems).toEqual([expect.stringContaining('more than 100 files or 256 KB')])
    await put(Object.fromEntries(names.map((name) => [`project/${name}`, 'x'.repeat(60_000)])))
    const large = await load()
    expect(large.paths).toHaveLength(5)
    expect(large.problems).toHaveLength(1)
  })

  test('that are no text or too long are told', async () => {
    await put({
      'project/CLAUDE.md': '@logo.png @long.md',
      'project/logo.png': new Uint8Array([0x89, 0x50, 0, 1]),
      'project/long.md': 'x'.repeat(70_000),
    })
    expect((await load()).problems).toEqual([
      '/project/logo.png, which /project/CLAUDE.md imports, was not read: it is not text.',
      '/project/long.md, which /project/CLAUDE.md imports, is longer than 64 KB. Only its beginning was read.',
    ])
  })
})

describe('a repository', () => {
  beforeEach(() =>
    put({
      'home/.ssh/id_rsa': 'secret',
      'home/notes.md': 'secret',
      'project/.env': 'secret',
      'else.md': 'secret',
    }),
  )
  const noSecret = async () => {
    const loaded = await load()
    expect(loaded.texts.join()).not.toContain('secret')
    return loaded.problems
  }

  test.each([
    ['a key of the user', '@~/.ssh/id_rsa'],
    ['a file of the user', '@~/notes.md'],
    ['a file of the system', '@/etc/passwd'],
    ['a file beside it', '@../else.md'],
    ['a secret of its own', '@.env'],
  ])('can’t import %s', async (_, text) => {
    await put({ 'project/CLAUDE.md': text })
    expect(await noSecret()).toEqual([
      expect.stringMatching(/, which \/project\/CLAUDE.md imports, was not read/),
    ])
  })

  test.each([
    ['CLAUDE.md', 'else.md'],
    ['CLAUDE.md', 'project/.env'],
    ['.claude', 'home'],
    ['AGENTS.md', 'home/.ssh/id_rsa'],
  ])('can’t bring another file by a link: %s to %s', async (link, target) => {
    await put({ 'home/CLAUDE.md': 'secret' })
    await symlink(at(target), at(`project/${link}`))
    expect(await noSecret()).toHaveLength(1)
  })

  test('can’t import through a link, at the end of a path or in its middle', async () => {
    await put({ 'project/CLAUDE.md': '@linked.md @docs/notes.md' })
    await symlink(at('else.md'), at('project/linked.md'))
    await symlink(at('home'), at('project/docs'))
    expect(await noSecret()).toHaveLength(2)
  })

  test('can’t bring a file by a link that is put in the way after the check', async () => {
    await put({ 'project/CLAUDE.md': '@docs/notes.md', 'project/docs/notes.md': 'good' })
    // Asked between the check of the path and the read of the file.
    source = createMemorySource({
      home: at('home'),
      dataFolder: at('data'),
      isSecret: (path) => {
        if (path === 'docs/notes.md') swap()
        return false
      },
    })
    const { renameSync, symlinkSync } = await import('node:fs')
    const swap = () => {
      renameSync(at('project/docs'), at('project/gone'))
      symlinkSync(at('home'), at('project/docs'))
    }
    expect(await noSecret()).toEqual([expect.stringContaining('leads somewhere else')])
  })

  test('is read to its top, and not beyond, from a folder in it', async () => {
    await mkdir(at('project/.git'))
    await put({ 'project/deep/CLAUDE.md': '@../shared.md @../../else.md', 'project/shared.md': 'shared' })
    const { texts, problems } = await load({}, { folder: 'project/deep' })
    expect(texts).toEqual(['@../shared.md @../../else.md', 'shared'])
    expect(problems).toHaveLength(1)
  })

  test('that the user imports from brings no more than itself', async () => {
    await put({
      'home/.claude/CLAUDE.md': '@~/code/lib/CLAUDE.md',
      'home/code/lib/.git/HEAD': '',
      'home/code/lib/CLAUDE.md': '@inner.md @~/notes.md',
      'home/code/lib/inner.md': 'inner',
    })
    expect((await load()).texts).toEqual(['@~/code/lib/CLAUDE.md', '@inner.md @~/notes.md', 'inner'])
    expect(await noSecret()).toHaveLength(1)
  })
})

test('the user’s own file may be a link, imports from all of home and nothing else', async () => {
  await put({
    'elsewhere/dotfiles/CLAUDE.md': '@~/notes.md @/etc/passwd @~/.ssh/id_rsa',
    'home/notes.md': 'notes',
    'home/.ssh/id_rsa': 'key',
  })
  await symlink(at('elsewhere/dotfiles/CLAUDE.md'), at('home/.claude/CLAUDE.md'))
  const { texts, problems } = await load()
  expect(texts.slice(1)).toEqual(['notes'])
  expect(problems).toHaveLength(2)
})

test('nothing of an untrusted folder is read, whoever names it', async () => {
  await put({
    'home/.claude/CLAUDE.md': '@~/work/CLAUDE.md',
    'home/work/CLAUDE.md': 'theirs',
    'home/work/.claude/agent-memory/a/MEMORY.md': 'theirs',
  })
  const agent = { name: 'a', memory: 'project' } as const
  const untrusted = await load(agent, { trusted: false, folder: 'home/work' })
  expect(untrusted).toMatchObject({ texts: ['@~/work/CLAUDE.md'], folder: null })
  expect((await load(agent, { folder: 'home/work' })).texts).toEqual([
    '@~/work/CLAUDE.md',
    'theirs',
    'theirs',
  ])
})

describe('memory', () => {
  test('has three scopes, each with the one before', async () => {
    const folder = await kept()
    expect(folder).toMatch(/^data\/projects\/[0-9a-f]{16}$/)
    await put({
      'home/.claude/CLAUDE.md': 'user',
      'project/CLAUDE.md': 'project',
      [`${folder}/memory/MEMORY.md`]: 'project-user',
      [`${folder}/local-memory/MEMORY.md`]: 'local',
    })
    const scopes = async (memory: 'user' | 'project' | 'local' | null) =>
      (await load({ memory })).files.map(({ scope }) => scope)
    expect(await scopes(null)).toEqual(['user', 'project'])
    expect(await scopes('user')).toEqual(['user', 'project'])
    expect(await scopes('project')).toEqual(['user', 'project', 'project-user'])
    expect(await scopes('local')).toEqual(['user', 'project', 'project-user', 'local'])
  })

  test('is kept for the repository, whichever of its folders is open', async () => {
    await mkdir(at('project/.git'))
    const top = await load({ memory: 'local' })
    expect((await load({ memory: 'local' }, { folder: 'project/deep' })).folder).toBe(top.folder)
    expect((await load({ memory: 'project' }, { folder: 'project/deep' })).folder).toMatch(
      /^\/project\/.claude/,
    )
    await symlink(at('project'), at('linked'))
    expect((await load({ memory: 'local' }, { folder: 'linked' })).folder).toBe(top.folder)
    expect((await load({ memory: 'local' }, { folder: 'home' })).folder).not.toBe(top.folder)
  })

  test.each([
    ['user', /^\/home\/.claude\/agent-memory\/code-reviewer-[0-9a-f]{6}$/],
    ['project', /^\/project\/.claude\/agent-memory\/code-reviewer-[0-9a-f]{6}$/],
    ['local', /^\/data\/projects\/[0-9a-f]{16}\/agent-memory\/code-reviewer-[0-9a-f]{6}$/],
  ] as const)(
    '%s gives a folder of its own, which need not exist, and its notes come last',
    async (memory, place) => {
      const { folder, problems } = await load({ memory })
      expect(folder).toMatch(place)
      expect(problems).toEqual([])
      await put({
        'project/CLAUDE.md': 'rules',
        [`${folder}/MEMORY.md`]: 'Tests need Redis. @../../../notes.md',
      })
      await put({ 'project/notes.md': 'not imported', 'home/notes.md': 'not imported' })
      const { files, texts } = await load({ memory })
      expect(texts).toEqual(['rules', 'Tests need Redis. @../../../notes.md'])
      expect(files[1]).toMatchObject({ scope: 'agent', path: join(base, folder ?? '', 'MEMORY.md') })
    },
  )

  test('is read up to 200 lines or 25 KB, and says so', async () => {
    const agent = { name: 'a', memory: 'user' } as const
    const path = 'home/.claude/agent-memory/a/MEMORY.md'
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `fact ${index + 1}`)
    await put({ [path]: `${lines(200).join('\n')}\n` })
    expect((await load(agent)).problems).toEqual([])
    await put({ [path]: lines(201).join('\n') })
    const long = await load(agent)
    expect(long.texts[0]).toMatch(/fact 200\n\[cut here/)
    expect(long.texts[0]).not.toContain('fact 201')
    expect(long.problems).toEqual([expect.stringContaining('longer than 200 lines or 25 KB')])
    await put({ [path]: 'é'.repeat(13_000) })
    expect((await load(agent)).texts[0]).toMatch(/^é{12800}\n\[cut here/)
  })

  test('is none where a link leads to another folder or file', async () => {
    await put({ 'home/secrets/MEMORY.md': 'secret', 'home/.claude/agent-memory/b/x': '' })
    await mkdir(at('project/.claude/agent-memory'), { recursive: true })
    await symlink(at('home/secrets'), at('project/.claude/agent-memory/a'))
    const linked = await load({ name: 'a', memory: 'project' })
    expect(linked).toMatchObject({ texts: [], folder: null })
    expect(linked.problems).toEqual([expect.stringContaining('is reached through a link, to /home/secrets')])

    await symlink(at('home/secrets/MEMORY.md'), at('home/.claude/agent-memory/b/MEMORY.md'))
    expect((await load({ name: 'b', memory: 'user' })).texts).toEqual([])

    await rm(at('project/.claude'), { recursive: true })
    await symlink(at('home'), at('project/.claude'))
    expect((await load({ name: 'c', memory: 'project' })).folder).toBeNull()
  })

  test('may lie in a home whose .claude is a link of the user’s own', async () => {
    await rm(at('home/.claude'), { recursive: true })
    await mkdir(at('dotfiles'))
    await symlink(at('dotfiles'), at('home/.claude'))
    expect((await load({ name: 'a', memory: 'user' })).folder).toBe('/dotfiles/agent-memory/a')
  })
})

describe('instructions below the folder', () => {
  const below = async (path: string, { trusted = true } = {}) =>
    (await source.below(at('project'), at(path), { trusted })).map((file) => file.path.replace(base, ''))

  beforeEach(() =>
    put({
      'project/CLAUDE.md': 'top',
      'project/deep/CLAUDE.md': '@more.md',
      'project/deep/more.md': 'more',
      'project/deep/er/AGENTS.md': 'nearest',
    }),
  )

  test('are those of the folders between, the farthest first, with their imports', async () => {
    const all = ['/project/deep/CLAUDE.md', '/project/deep/more.md', '/project/deep/er/AGENTS.md']
    expect(await below('project/deep/er/a.ts')).toEqual(all)
    expect(await below('project/deep/er')).toEqual(all)
    expect(await below('project/deep/new/b.ts')).toEqual(all.slice(0, 2))
    expect(await below('project/a.ts')).toEqual([])
    expect(await below('project')).toEqual([])
  })

  test('are none elsewhere, without trust, and where the project does not speak for itself', async () => {
    await put({ 'project/node_modules/x/CLAUDE.md': 'not ours', 'other/CLAUDE.md': 'other' })
    expect(await below('other/a.ts')).toEqual([])
    expect(await below('project/deep/a.ts', { trusted: false })).toEqual([])
    expect(await below('project/node_modules/x/a.js')).toEqual([])
  })

  test('bring nothing from outside of the repository', async () => {
    await put({
      'home/notes.md': 'secret',
      'project/deep/CLAUDE.md': '@~/notes.md @../top.md',
      'project/top.md': 't',
    })
    await symlink(at('home/notes.md'), at('project/deep/AGENTS.md'))
    expect(await below('project/deep/a.ts')).toEqual(['/project/deep/CLAUDE.md', '/project/top.md'])
  })
})
