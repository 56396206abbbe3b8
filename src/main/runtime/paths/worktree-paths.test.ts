import { describe, expect, it } from 'vitest'
import { translatePath } from './worktree-paths.ts'

const location = { path: '/data/worktrees/repo-1/fixer-a', aliases: ['/repo', '/links/repo'] }
const translate = (path: string, more: Partial<typeof location> = {}) =>
  translatePath(path, { ...location, ...more })
const IN = location.path

describe('a path in the input of a tool', () => {
  it.each([
    ['the top', '/repo', IN],
    ['the top with a slash', '/repo/', `${IN}/`],
    ['what is below it', '/repo/src/a.ts', `${IN}/src/a.ts`],
    ['a folder with a slash', '/repo/src/', `${IN}/src/`],
    ['names with blanks and letters of any language', '/repo/Über uns/日本.md', `${IN}/Über uns/日本.md`],
    ['the same checkout under its other name', '/links/repo/a', `${IN}/a`],
    ['more slashes than it needs', '//repo//src/./a', `${IN}/src/a`],
    ['.. that stays inside', '/repo/src/../a', `${IN}/a`],
    ['.. that leaves and comes back', '/repo/../repo/a', `${IN}/a`],
    ['.. that leads in from elsewhere', '/etc/../repo/a', `${IN}/a`],
    ['a pattern', '/repo/src/**/*.{ts,tsx}', `${IN}/src/**/*.{ts,tsx}`],
    ['a name with the signs of a pattern', '/repo/[id]/page.tsx', `${IN}/[id]/page.tsx`],
    ['the folder of git, which is not to be reached', '/repo/.git/hooks/x', `${IN}/.git/hooks/x`],
  ])('is translated: %s', (_, path, wanted) => {
    expect(translate(path)).toBe(wanted)
  })

  it.each([
    ['a path elsewhere', '/etc/hosts'],
    ['a neighbour whose name begins the same', '/repo-evil/a'],
    ['a neighbour with an ending', '/repo.bak'],
    ['.. that leaves', '/repo/../etc/hosts'],
    ['the folder above', '/repo/..'],
    ['another case, which needs permission if the disk ignores case', '/Repo/a'],
    ['a relative path', 'repo/a'],
    ['a relative path that leaves', '../repo/a'],
    ['the folder itself', '.'],
    ['nothing', ''],
    ['~, a name like any other', '~/repo/a'],
    ['an address', 'file:///repo/a'],
    ['a path of Windows', 'C:\\repo\\a'],
    ['the top of the file system', '/'],
    ['what is in the worktree already', `${IN}/src/a.ts`],
    ['the worktree itself', IN],
    ['the worktree with a slash', `${IN}/`],
    ['a worktree beside it', '/data/worktrees/repo-1/other-b/a'],
  ])('stays unchanged: %s', (_, path) => {
    expect(translate(path)).toBe(path)
  })

  it('belongs to the innermost checkout', () => {
    const aliases = ['/repo', '/repo/vendor/lib']
    expect(translate('/repo/vendor/lib/a', { aliases })).toBe(`${IN}/a`)
    expect(translate('/repo/vendor/other', { aliases })).toBe(`${IN}/vendor/other`)
  })

  it('stays unchanged in any worktree inside the checkout', () => {
    const path = '/repo/.data/worktrees/r/fixer-a'
    expect(translate(`${path}/src/a`, { path })).toBe(`${path}/src/a`)
    expect(translate('/repo/.data/worktrees/r/other-b/a', { path })).toBe('/repo/.data/worktrees/r/other-b/a')
    expect(translate('/repo/src/a', { path })).toBe(`${path}/src/a`)
  })

  it('is translated from the parent worktree', () => {
    const aliases = ['/data/worktrees/repo-1/parent-b', '/repo']
    expect(translate('/data/worktrees/repo-1/parent-b/a', { aliases })).toBe(`${IN}/a`)
    expect(translate('/data/worktrees/repo-1/parent-b-2/a', { aliases })).toBe(
      '/data/worktrees/repo-1/parent-b-2/a',
    )
  })

  it('is compared with slashes on Windows', () => {
    const windows = { path: 'D:/data/w/r/fixer-a', aliases: ['C:\\repo'] }
    expect(translate('C:\\repo\\src\\a.ts', windows)).toBe('D:/data/w/r/fixer-a/src/a.ts')
    expect(translate('C:/repo/', windows)).toBe('D:/data/w/r/fixer-a/')
    expect(translate('C:\\repo-evil\\a', windows)).toBe('C:\\repo-evil\\a')
  })

  it('never treats the root of a file system as a checkout', () => {
    expect(translate('/etc/hosts', { aliases: ['/'] })).toBe('/etc/hosts')
    expect(translate('/repo/a', { aliases: [] })).toBe('/repo/a')
  })
})
