import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolderReader } from './folder-reader.ts'

let base: string
const reader = () => createFolderReader({ home: join(base, 'home'), platform: 'linux' })
const git = (folder: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: folder, stdio: 'pipe' })

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-folders-'))
  await mkdir(join(base, 'project', 'deep'), { recursive: true })
  await mkdir(join(base, 'home', '.claude'), { recursive: true })
})
afterEach(() => rm(base, { recursive: true, force: true }))

test('the branch of the repository around a folder, and of a worktree beside it', async () => {
  const project = join(base, 'project')
  git(project, 'init', '-q', '-b', 'feature/one')
  git(project, 'commit', '-q', '--allow-empty', '-m', 'start')
  git(project, 'worktree', 'add', '-q', '-b', 'other', join(base, 'tree'))

  expect(await reader().facts(join(project, 'deep'), { trusted: true })).toMatchObject({
    isRepository: true,
    gitBranch: 'feature/one',
  })
  expect(await reader().facts(join(base, 'tree'), { trusted: true })).toMatchObject({ gitBranch: 'other' })
  git(project, 'checkout', '-q', '--detach')
  expect(await reader().facts(project, { trusted: true })).toMatchObject({
    isRepository: true,
    gitBranch: null,
  })
})

test('no repository is no error', async () => {
  expect(await reader().facts(join(base, 'project'), { trusted: true })).toMatchObject({
    isRepository: false,
  })
})

test('the user’s instructions hold everywhere, the project’s only where it is trusted', async () => {
  await writeFile(join(base, 'home', '.claude', 'CLAUDE.md'), 'mine')
  await writeFile(join(base, 'project', 'AGENTS.md'), 'theirs')
  const texts = async (trusted: boolean) =>
    (await reader().facts(join(base, 'project'), { trusted })).instructions.map((one) => one.text)
  expect(await texts(true)).toEqual(['mine', 'theirs'])
  expect(await texts(false)).toEqual(['mine'])
})
