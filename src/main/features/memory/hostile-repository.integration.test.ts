/** Content that a repository must never get into a request. */
import { renameSync, symlinkSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryFolders } from './testing/memory-folders.ts'

const on = memoryFolders()

describe('a repository', () => {
  beforeEach(() =>
    on.put({
      'home/.ssh/id_rsa': 'secret',
      'home/notes.md': 'secret',
      'project/.env': 'secret',
      'else.md': 'secret',
    }),
  )
  const noSecret = async () => {
    const loaded = await on.load()
    expect(loaded.texts.join()).not.toContain('secret')
    return loaded.problems
  }

  test.each([
    ['a key of the user', '@~/.ssh/id_rsa'],
    ['a file of the user', '@~/notes.md'],
    ['a file of the system', '@/etc/passwd'],
    ['a file beside it', '@../else.md'],
    ['its own secret', '@.env'],
  ])('can’t import %s', async (_, text) => {
    await on.put({ 'project/CLAUDE.md': text })
    expect(await noSecret()).toEqual([
      expect.stringMatching(/, which \/project\/CLAUDE.md imports, was not read/),
    ])
  })

  test.each([
    ['CLAUDE.md', 'else.md'],
    ['CLAUDE.md', 'project/.env'],
    ['.claude', 'home'],
    ['AGENTS.md', 'home/.ssh/id_rsa'],
  ])('can’t include another file by a link from %s to %s', async (link, target) => {
    await on.put({ 'home/CLAUDE.md': 'secret' })
    await symlink(on.at(target), on.at(`project/${link}`))
    expect(await noSecret()).toHaveLength(1)
  })

  test('can’t import through a link, at the end or in the middle of a path', async () => {
    await on.put({ 'project/CLAUDE.md': '@linked.md @docs/notes.md' })
    await symlink(on.at('else.md'), on.at('project/linked.md'))
    await symlink(on.at('home'), on.at('project/docs'))
    expect(await noSecret()).toHaveLength(2)
  })

  test('can’t include a file by a link that is created after the check', async () => {
    await on.put({ 'project/CLAUDE.md': '@docs/notes.md', 'project/docs/notes.md': 'good' })
    // Called between the path check and the read of the file.
    on.use({
      isSecret: (path) => {
        if (path === 'docs/notes.md') swap()
        return false
      },
    })
    const swap = () => {
      renameSync(on.at('project/docs'), on.at('project/gone'))
      symlinkSync(on.at('home'), on.at('project/docs'))
    }
    expect(await noSecret()).toEqual([expect.stringContaining('leads elsewhere')])
  })

  test('is read up to its top folder, and not beyond', async () => {
    await mkdir(on.at('project/.git'))
    await on.put({ 'project/deep/CLAUDE.md': '@../shared.md @../../else.md', 'project/shared.md': 'shared' })
    const { texts, problems } = await on.load({}, { folder: 'project/deep' })
    expect(texts).toEqual(['@../shared.md @../../else.md', 'shared'])
    expect(problems).toHaveLength(1)
  })

  test('that the user imports from can’t import files outside itself', async () => {
    await on.put({
      'home/.claude/CLAUDE.md': '@~/code/lib/CLAUDE.md',
      'home/code/lib/.git/HEAD': '',
      'home/code/lib/CLAUDE.md': '@inner.md @~/notes.md',
      'home/code/lib/inner.md': 'inner',
    })
    expect((await on.load()).texts).toEqual(['@~/code/lib/CLAUDE.md', '@inner.md @~/notes.md', 'inner'])
    expect(await noSecret()).toHaveLength(1)
  })
})
