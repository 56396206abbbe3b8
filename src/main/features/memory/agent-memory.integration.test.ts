import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { memoryFolders } from './testing/memory-folders.ts'

const on = memoryFolders()

/** This project's folder in the data folder. */
async function kept(): Promise<string> {
  const { folder } = await on.load({ memory: 'local' })
  return dirname(dirname(folder ?? '')).slice(1)
}

describe('memory', () => {
  test('has three scopes, each including the previous one', async () => {
    const folder = await kept()
    expect(folder).toMatch(/^data\/projects\/[0-9a-f]{16}$/)
    await on.put({
      'home/.claude/CLAUDE.md': 'user',
      'project/CLAUDE.md': 'project',
      [`${folder}/memory/MEMORY.md`]: 'project-user',
      [`${folder}/local-memory/MEMORY.md`]: 'local',
    })
    const scopes = async (memory: 'user' | 'project' | 'local' | null) =>
      (await on.load({ memory })).files.map(({ scope }) => scope)
    expect(await scopes(null)).toEqual(['user', 'project'])
    expect(await scopes('user')).toEqual(['user', 'project'])
    expect(await scopes('project')).toEqual(['user', 'project', 'project-user'])
    expect(await scopes('local')).toEqual(['user', 'project', 'project-user', 'local'])
  })

  test('belongs to the repository, whichever of its folders is open', async () => {
    await mkdir(on.at('project/.git'))
    const top = await on.load({ memory: 'local' })
    expect((await on.load({ memory: 'local' }, { folder: 'project/deep' })).folder).toBe(top.folder)
    expect((await on.load({ memory: 'project' }, { folder: 'project/deep' })).folder).toMatch(
      /^\/project\/.claude/,
    )
    await symlink(on.at('project'), on.at('linked'))
    expect((await on.load({ memory: 'local' }, { folder: 'linked' })).folder).toBe(top.folder)
    expect((await on.load({ memory: 'local' }, { folder: 'home' })).folder).not.toBe(top.folder)
  })

  test.each([
    ['user', /^\/home\/.claude\/agent-memory\/code-reviewer-[0-9a-f]{6}$/],
    ['project', /^\/project\/.claude\/agent-memory\/code-reviewer-[0-9a-f]{6}$/],
    ['local', /^\/data\/projects\/[0-9a-f]{16}\/agent-memory\/code-reviewer-[0-9a-f]{6}$/],
  ] as const)(
    'of scope %s has its own folder, which may be missing, and its notes come last',
    async (memory, location) => {
      const { folder, problems } = await on.load({ memory })
      expect(folder).toMatch(location)
      expect(problems).toEqual([])
      await on.put({
        'project/CLAUDE.md': 'rules',
        [`${folder}/MEMORY.md`]: 'Tests need Redis. @../../../notes.md',
      })
      await on.put({ 'project/notes.md': 'not imported', 'home/notes.md': 'not imported' })
      const { files, texts } = await on.load({ memory })
      expect(texts).toEqual(['rules', 'Tests need Redis. @../../../notes.md'])
      expect(files[1]).toMatchObject({ scope: 'agent', path: on.at(`${folder}/MEMORY.md`) })
    },
  )

  test('is cut after 200 lines or 25 KB, with a notice', async () => {
    const agent = { name: 'a', memory: 'user' } as const
    const path = 'home/.claude/agent-memory/a/MEMORY.md'
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `fact ${index + 1}`)
    await on.put({ [path]: `${lines(200).join('\n')}\n` })
    expect((await on.load(agent)).problems).toEqual([])
    await on.put({ [path]: lines(201).join('\n') })
    const long = await on.load(agent)
    expect(long.texts[0]).toMatch(/fact 200\n\[cut here/)
    expect(long.texts[0]).not.toContain('fact 201')
    expect(long.problems).toEqual([expect.stringContaining('longer than 200 lines or 25 KB')])
    await on.put({ [path]: 'é'.repeat(13_000) })
    expect((await on.load(agent)).texts[0]).toMatch(/^é{12800}\n\[cut here/)
  })

  test('is empty if a link leads to another folder or file', async () => {
    await on.put({ 'home/secrets/MEMORY.md': 'secret', 'home/.claude/agent-memory/b/x': '' })
    await mkdir(on.at('project/.claude/agent-memory'), { recursive: true })
    await symlink(on.at('home/secrets'), on.at('project/.claude/agent-memory/a'))
    const linked = await on.load({ name: 'a', memory: 'project' })
    expect(linked).toMatchObject({ texts: [], folder: null })
    expect(linked.problems).toEqual([expect.stringContaining('is reached through a link, to /home/secrets')])

    await symlink(on.at('home/secrets/MEMORY.md'), on.at('home/.claude/agent-memory/b/MEMORY.md'))
    expect((await on.load({ name: 'b', memory: 'user' })).texts).toEqual([])

    await rm(on.at('project/.claude'), { recursive: true })
    await symlink(on.at('home'), on.at('project/.claude'))
    expect((await on.load({ name: 'c', memory: 'project' })).folder).toBeNull()
  })

  test("may be in a .claude folder that is the user's own link", async () => {
    await rm(on.at('home/.claude'), { recursive: true })
    await mkdir(on.at('dotfiles'))
    await symlink(on.at('dotfiles'), on.at('home/.claude'))
    expect((await on.load({ name: 'a', memory: 'user' })).folder).toBe('/dotfiles/agent-memory/a')
  })
})
