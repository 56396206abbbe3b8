import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolderTrust } from './folder-trust.ts'
import { realFolderOf } from './real-folder.ts'

let base: string
let trustedFolders: string[]
let isTrusted: (folder: string) => boolean

beforeEach(async () => {
  base = realFolderOf(await mkdtemp(join(tmpdir(), 'troupe-trust-'))) ?? ''
  for (const folder of ['repo/api', 'repo-evil', 'elsewhere', 'data/worktrees/repo-1/fix-a1/src', 'home'])
    await mkdir(join(base, folder), { recursive: true })
  trustedFolders = [join(base, 'repo')]
  isTrusted = createFolderTrust({
    settings: {
      get current() {
        return { trustedFolders }
      },
    },
    home: join(base, 'home'),
    dataFolder: join(base, 'data'),
  })
})
afterEach(() => rm(base, { recursive: true, force: true }))

test.each(['repo', 'repo/', 'repo/api', 'elsewhere/../repo', 'repo/./api/..'])(
  '%s is the trusted folder or inside it',
  (path) => {
    expect(isTrusted(`${base}/${path}`)).toBe(true)
  },
)

test.each(['repo-evil', 'elsewhere', 'repo/../repo-evil', 'repo/missing', ''])(
  '%s is not trusted',
  (path) => {
    expect(isTrusted(`${base}/${path}`)).toBe(false)
  },
)

test('a link to a trusted folder is trusted; a link inside one passes no trust on', async () => {
  await symlink(join(base, 'repo'), join(base, 'link'))
  await symlink(join(base, 'repo-evil'), join(base, 'repo/evil'))
  expect(isTrusted(join(base, 'link'))).toBe(true)
  expect(isTrusted(join(base, 'link/api'))).toBe(true)
  expect(isTrusted(join(base, 'repo/evil'))).toBe(false)
})

test('a trusted folder that is replaced by a link to elsewhere is not trusted, and is again when it is back', async () => {
  await rename(join(base, 'repo'), join(base, 'away'))
  await symlink(join(base, 'repo-evil'), join(base, 'repo'))
  expect(isTrusted(join(base, 'repo'))).toBe(false)
  await rm(join(base, 'repo'))
  await rename(join(base, 'away'), join(base, 'repo'))
  expect(isTrusted(join(base, 'repo'))).toBe(true)
})

test('a worktree of Troupe is trusted like the checkout it was made from, by its record only', async () => {
  const worktree = join(base, 'data/worktrees/repo-1/fix-a1')
  const record = (more: object = {}) =>
    writeFile(
      `${worktree}.json`,
      JSON.stringify({
        id: 'fix-a1',
        path: worktree,
        branch: 'troupe/fix-a1',
        base: 'b',
        from: join(base, 'repo'),
        target: 'main',
        ...more,
      }),
    )
  expect(isTrusted(worktree)).toBe(false)
  // What a folder says about itself does not count.
  await writeFile(join(worktree, '.git'), `gitdir: ${base}/repo/.git/worktrees/fix-a1\n`)
  expect(isTrusted(worktree)).toBe(false)
  await record()
  expect(isTrusted(worktree)).toBe(true)
  expect(isTrusted(join(worktree, 'src'))).toBe(true)
  await record({ path: join(base, 'elsewhere') })
  expect(isTrusted(worktree)).toBe(false)
  await record({ from: join(base, 'elsewhere') })
  expect(isTrusted(worktree)).toBe(false)
  await record()
  trustedFolders = []
  expect(isTrusted(worktree)).toBe(false)
})

test('a foreign worktree of a trusted repository is not trusted', async () => {
  await mkdir(join(base, 'repo/.git/worktrees/foreign'), { recursive: true })
  await writeFile(join(base, 'elsewhere/.git'), `gitdir: ${base}/repo/.git/worktrees/foreign\n`)
  expect(isTrusted(join(base, 'elsewhere'))).toBe(false)
})
