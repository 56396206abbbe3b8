import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { Program } from '../services.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { createFolders, isInside, rankFiles } from './folders.ts'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-folders-')))
  await mkdir(join(root, 'repo', 'src'), { recursive: true })
  await mkdir(join(root, 'repo-evil'))
  await writeFile(join(root, 'file'), '')
})
afterEach(() => rm(root, { recursive: true, force: true }))

function open(
  more: { settings?: Partial<Settings>; program?: Program | Promise<Program>; now?: () => number } = {},
) {
  const settings = fakeSettings(more.settings)
  const counted: string[] = []
  const folders = createFolders({
    settings,
    program: async () => more.program ?? fakeProgram(),
    findRepository: async () => ({ branch: 'main' }),
    countDirtyFiles: async (folder) => {
      counted.push(folder)
      return 3
    },
    now: more.now ?? (() => 0),
  })
  return { settings, folders, counted }
}

describe('opening', () => {
  test('is refused where the path has a line break, also behind a link: git has no worktrees there', async () => {
    const { folders, settings } = open()
    for (const [index, name] of ['a\nb', 'a\rb'].entries()) {
      await mkdir(join(root, name, 'repo'), { recursive: true })
      await symlink(join(root, name, 'repo'), join(root, `link-${index}`))
      for (const path of [join(root, name, 'repo'), join(root, `link-${index}`)])
        expect(await folders.open(path)).toMatchObject({
          failure: { type: 'unsupported-folder', message: expect.stringContaining('Rename the folder.') },
        })
    }
    expect(settings.current.recentFolders).toEqual([])
  })

  test('in an untrusted folder git does not count files', async () => {
    const { folders, settings, counted } = open()
    const path = join(root, 'repo')
    expect(await folders.open(path)).toEqual(
      ok({ path, name: 'repo', trusted: false, gitBranch: 'main', dirtyFiles: null, bypassAllowed: false }),
    )
    expect(counted).toEqual([])
    expect(settings.current.recentFolders).toEqual([path])
    expect(folders.current).toBe(path)
  })

  test('waits neither for the rest of the program nor for git to count', async () => {
    const path = join(root, 'repo')
    const { folders, counted } = open({
      settings: { trustedFolders: [path] },
      program: new Promise<Program>(() => {}),
    })
    expect(await folders.open(path)).toMatchObject({
      value: { trusted: true, gitBranch: 'main', dirtyFiles: null },
    })
    expect(counted).toEqual([])
    expect(await folders.info(path)).toMatchObject({ value: { dirtyFiles: 3 } })
  })

  test('the last opened folder comes first in the recent folders, without duplicates', async () => {
    const { folders, settings } = open()
    for (const name of ['repo', 'repo-evil', 'repo']) await folders.open(join(root, name))
    expect(settings.current.recentFolders).toEqual([join(root, 'repo'), join(root, 'repo-evil')])
  })

  test.each(['gone', 'file'])('a path that is not a folder is refused: %s', async (name) => {
    const { folders, settings } = open()
    expect(await folders.open(join(root, name))).toMatchObject({
      ok: false,
      failure: { type: 'folder-gone' },
    })
    expect(await folders.open('repo')).toMatchObject({ ok: false, failure: { type: 'not-absolute' } })
    expect(settings.current.recentFolders).toEqual([])
  })
})

describe('trust', () => {
  test('is required for a bypass', async () => {
    const { folders, settings } = open()
    const path = join(root, 'repo')
    expect(await folders.allowBypass(path, true)).toMatchObject({
      ok: false,
      failure: { type: 'not-trusted' },
    })
    settings.current = { ...settings.current, trustedFolders: [path] }
    expect(await folders.allowBypass(path, true)).toMatchObject({ value: { bypassAllowed: true } })
    settings.current = { ...settings.current, trustedFolders: [] }
    expect(await folders.info(path)).toMatchObject({ value: { trusted: false, bypassAllowed: false } })
  })

  test('applies to the real folder, what is in it and links to it, not to links that lead out or a sibling', async () => {
    const { folders } = open({ settings: { trustedFolders: [join(root, 'repo')] } })
    await symlink(join(root, 'repo'), join(root, 'link'))
    await symlink(join(root, 'repo-evil'), join(root, 'repo', 'vendor'))
    expect(await folders.open(join(root, 'link'))).toMatchObject({
      value: { path: join(root, 'repo'), trusted: true },
    })
    expect(await folders.open(join(root, 'repo/src'))).toMatchObject({ value: { trusted: true } })
    for (const name of ['repo/vendor', 'repo-evil'])
      expect(await folders.open(join(root, name))).toMatchObject({ value: { trusted: false } })
  })
})

test('a path is known in an open folder or in a conversation’s folder', async () => {
  const conversations = async () => [{ folder: '/other' } as ConversationSummary]
  const { folders } = open({ program: fakeProgram({ runtime: { conversations } }) })
  await folders.open(join(root, 'repo'))
  expect(await folders.holds(join(root, 'repo', 'src'))).toBe(true)
  expect(await folders.holds('/other/x')).toBe(true)
  for (const path of [root, join(root, 'repo-evil'), '/otherwise', '/'])
    expect(await folders.holds(path)).toBe(false)
})

test('/repo-evil and /repo/../x are not in /repo; ..hidden is', () => {
  expect(isInside('/repo', '/repo')).toBe(true)
  expect(isInside('/repo', '/repo/..hidden/x')).toBe(true)
  for (const path of ['/repo-evil', '/repo/../x', '/', '/rep']) expect(isInside('/repo', path)).toBe(false)
})

test('an open folder is known by its real path, with everything in it', async () => {
  const { folders } = open()
  const repo = join(root, 'repo')
  expect(await folders.known(repo)).toMatchObject({ ok: false, failure: { type: 'not-open' } })
  await folders.open(repo)
  await symlink(repo, join(root, 'link'))
  expect(await folders.known(join(root, 'link', 'src'))).toEqual(ok(join(repo, 'src')))
  expect(await folders.known(join(root, 'repo-evil'))).toMatchObject({ failure: { type: 'not-open' } })
  expect(await folders.known(join(repo, 'gone'))).toMatchObject({ failure: { type: 'folder-gone' } })
  expect(await folders.known('repo')).toMatchObject({ failure: { type: 'not-absolute' } })
})

describe('files', () => {
  const paths = [
    'README.md',
    'src/main/desktop/deltas/delta-stream.ts',
    'src/main/desktop/deltas/delta-stream.test.ts',
    'src/shared/stream.ts',
    'docs/delta/notes.md',
  ]
  test('match all words in any order; the file name counts most, then the shorter path', () => {
    expect(rankFiles(paths, 'stream', 9)).toEqual([paths[3], paths[1], paths[2]])
    expect(rankFiles(paths, 'delta', 9)).toEqual([paths[1], paths[2], paths[4]])
    expect(rankFiles(paths, 'TEST desk', 1)).toEqual([paths[2]])
    expect(rankFiles(paths, 'dstr', 1)).toEqual([paths[1]])
    expect(rankFiles(paths, 'zzz', 9)).toEqual([])
    expect(rankFiles(paths, ' ', 2)).toEqual(paths.slice(0, 2))
  })

  test('are listed once during typing, and again later', async () => {
    let listed = 0
    let now = 0
    const program = fakeProgram({
      search: {
        glob: async ({ path }) => {
          listed++
          return ok({ paths: [join(path, 'src', 'a.ts')], truncated: false })
        },
        grep: () => Promise.reject(new Error('not expected')),
        first: () => Promise.reject(new Error('not expected')),
      },
    })
    const { folders } = open({ program, now: () => now })
    expect(await folders.files(join(root, 'repo'), 'a')).toEqual(ok(['src/a.ts']))
    await folders.files(join(root, 'repo'), 'a.')
    expect(listed).toBe(1)
    now = 6000
    await folders.files(join(root, 'repo'), 'a.')
    expect(listed).toBe(2)
  })

  test('of a huge folder are searched too; the next query ends the search before it', async () => {
    const searched: { readonly pattern: string; readonly signal: AbortSignal }[] = []
    let begin: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const program = fakeProgram({
      search: {
        glob: ({ path, pattern }, signal) => {
          if (pattern === '**/*') return Promise.resolve(ok({ paths: [join(path, 'a.ts')], truncated: true }))
          searched.push({ pattern, signal })
          if (searched.length > 1)
            return Promise.resolve(ok({ paths: [join(path, 'deep', 'Cart.ts')], truncated: false }))
          begin()
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve(fail({ type: 'aborted', message: 'Stopped.' }))),
          )
        },
        grep: () => Promise.reject(new Error('not expected')),
        first: () => Promise.reject(new Error('not expected')),
      },
    })
    const { folders } = open({ program, now: () => 0 })
    const first = folders.files(join(root, 'repo'), 'ca')
    await begun
    expect(await folders.files(join(root, 'repo'), 'car')).toEqual(ok(['deep/Cart.ts']))
    expect(await first).toEqual(ok([]))
    expect(searched.map(({ pattern, signal }) => [pattern, signal.aborted])).toEqual([
      ['{**/*[cC][aA]*,**/*[cC][aA]*/**}', true],
      ['{**/*[cC][aA][rR]*,**/*[cC][aA][rR]*/**}', false],
    ])
  })
})
