import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { worktreeEnvironment } from './create-worktrees.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-hooks-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a commit in a worktree runs no hook of the repository', () => {
  const git = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
    })
  git(['init', '-q'])
  const hook = join(folder, '.git/hooks/pre-commit')
  writeFileSync(hook, '#!/bin/sh\ntouch ran\n')
  chmodSync(hook, 0o755)
  const location = {
    id: 'fixer',
    path: folder,
    branch: 'troupe/fixer',
    base: 'a',
    from: '/project',
    target: null,
    aliases: [],
  }
  git(['commit', '-q', '--allow-empty', '-m', 'one'], worktreeEnvironment(location))
  expect(existsSync(join(folder, 'ran'))).toBe(false)
  git(['commit', '-q', '--allow-empty', '-m', 'two'])
  expect(existsSync(join(folder, 'ran'))).toBe(true)
})
