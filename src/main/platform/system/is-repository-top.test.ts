import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectFolders } from '../../features/definitions/agent-folders.ts'
import { isRepositoryTop } from './is-repository-top.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'troupe-top-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('a folder with HEAD is a repository, and so is a file that names one', async () => {
  mkdirSync(join(base, 'a', '.git'), { recursive: true })
  writeFileSync(join(base, 'a', '.git', 'HEAD'), 'ref: refs/heads/main\n')
  mkdirSync(join(base, 'b'))
  writeFileSync(join(base, 'b', '.git'), 'gitdir: ../a/.git\n')
  expect(await isRepositoryTop(join(base, 'a'))).toBe(true)
  expect(await isRepositoryTop(join(base, 'b'))).toBe(true)
})

test("a parent's empty .git, or one that names nothing, brings nothing into a folder", async () => {
  const folder = join(base, 'project')
  mkdirSync(folder)
  for (const make of [
    () => mkdirSync(join(base, '.git')),
    () => writeFileSync(join(base, '.git'), ''),
    () => writeFileSync(join(base, '.git'), 'gitdir: nowhere\n'),
  ]) {
    make()
    expect(await isRepositoryTop(base)).toBe(false)
    expect((await projectFolders(folder, '/home/nobody')).folders).toHaveLength(1)
    rmSync(join(base, '.git'), { recursive: true })
  }
})
