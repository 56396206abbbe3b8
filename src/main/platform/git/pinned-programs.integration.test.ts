import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit, type Git } from './git-client.ts'
import { pinPrograms } from './pinned-programs.ts'

let root: string
let top: string
let trace: string
let git: Git

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-pinned-')))
  top = join(root, 'project')
  trace = join(root, 'trace')
  mkdirSync(top)
  git = createGit({ environment: { PATH: process.env['PATH'] ?? '', HOME: root, GIT_CONFIG_NOSYSTEM: '1' } })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A command, which Troupe's git knows nothing of. */
const sh = (script: string) =>
  execFileSync('sh', ['-ec', script], {
    cwd: top,
    env: { ...process.env, HOME: root, TRACE: trace, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

const START = `git init -q -b main; git config user.name Ada; git config user.email ada@example.org
echo a > a.txt; git add .; git commit -qm First`

/** Calls in which git reads, compares, stages and merges content. */
async function use(folder = top): Promise<readonly string[]> {
  const messages: string[] = []
  for (const args of [
    ['status', '--porcelain'],
    ['diff', '--no-textconv', '--no-ext-diff'],
    ['add', '-A'],
    ['merge', '--no-edit', 'other'],
  ]) {
    const done = await git.run(folder, args)
    if (!done.ok) messages.push(done.failure.message)
  }
  return messages
}

const attacks: readonly { readonly title: string; readonly script: string; readonly names: string }[] = [
  {
    title: 'a filter',
    script:
      'git config filter.x.clean "touch $TRACE; cat"; echo "* filter=x" > .gitattributes; echo b > a.txt',
    names: 'filter.x.clean',
  },
  {
    title: 'a filter in an included file',
    script:
      'printf "[filter \\"x\\"]\\nclean = touch $TRACE; cat\\n" > more; git config include.path ../more; echo "* filter=x" > .gitattributes; echo b > a.txt',
    names: 'include.path',
  },
  {
    title: 'a filter in the settings of one worktree',
    script:
      'git config extensions.worktreeConfig true; git config --worktree filter.x.clean "touch $TRACE; cat"; echo "* filter=x" > .gitattributes; echo b > a.txt',
    names: 'filter.x.clean',
  },
  {
    title: 'a program that merges',
    script: `git config merge.x.driver "touch $TRACE; true"; echo "* merge=x" > .git/info/attributes
      git checkout -q -b other; echo other > a.txt; git commit -qam other; git checkout -q main; echo main > a.txt; git commit -qam main`,
    names: 'merge.x.driver',
  },
  {
    title: 'a common folder',
    script: `git init -q -b main ../evil; git -C ../evil config filter.x.clean "touch $TRACE; cat"
      echo ../../evil/.git > .git/commondir; echo "* filter=x" > .gitattributes; echo b > a.txt`,
    names: 'commondir',
  },
  {
    title: 'a .git file that leads to another folder',
    script: `git init -q -b main ../evil; git -C ../evil config filter.x.clean "touch $TRACE; cat"
      mv .git ../kept; echo "gitdir: ../evil/.git" > .git; echo "* filter=x" > .gitattributes; echo b > a.txt`,
    names: '.git now leads to',
  },
]

for (const { title, script, names } of attacks) {
  test(`${title} that appears later is named, and git is not run`, async () => {
    sh(START)
    expect((await git.run(top, ['status', '--porcelain'])).ok).toBe(true)
    sh(script)
    const refused = await use()
    expect(existsSync(trace)).toBe(false)
    expect(refused).toHaveLength(4)
    expect(refused[0]).toContain(names)
  })

  test(`${title} does harm where it was there at first`, async () => {
    sh(START)
    sh(script)
    await use()
    if (title === 'a common folder') expect(existsSync(trace)).toBe(false)
    else expect(existsSync(trace)).toBe(true)
  })
}

const FILTER = `${START}; mkdir tools; printf '#!/bin/sh\\ncat\\n' > tools/clean.sh; chmod +x tools/clean.sh
  git config filter.x.clean "sh tools/clean.sh %f"; echo "*.txt filter=x" > .gitattributes; git add .; git commit -qm Filter
  git branch tree; git worktree add -q ../tree tree`
const EVIL = `printf "touch $TRACE; cat" > tools/clean.sh; echo b > a.txt`

test('a script of the checkout that a filter runs counts as it was at first, in each worktree', async () => {
  sh(FILTER)
  expect(await use()).toHaveLength(1)
  expect((await git.run(join(root, 'tree'), ['status'])).ok).toBe(true)
  sh(EVIL)
  const refused = await use()
  expect(refused).toHaveLength(4)
  expect(refused[0]).toContain('tools/clean.sh')
  expect((await git.run(join(root, 'tree'), ['status'])).ok).toBe(true)
  sh(`cd ../tree; ${EVIL}`)
  expect((await use(join(root, 'tree')))[0]).toContain('tools/clean.sh')
  sh('rm tools/clean.sh')
  expect((await use())[0]).toContain('tools/clean.sh')
  expect(existsSync(trace)).toBe(false)
})

test('a script of the checkout that a filter runs does harm where it was there at first', async () => {
  sh(FILTER)
  sh(EVIL)
  await use()
  expect(existsSync(trace)).toBe(true)
})

test('a repository that appears in a folder without one brings no program', async () => {
  expect((await git.run(top, ['rev-parse', 'HEAD'])).ok).toBe(false)
  sh(
    `${START}; git config filter.x.clean "touch $TRACE; cat"; echo "* filter=x" > .gitattributes; echo b > a.txt`,
  )
  expect((await use())[0]).toContain('filter.x.clean')
  expect(existsSync(trace)).toBe(false)
})

test('a changed included file is noticed', async () => {
  sh(`${START}; touch more; git config include.path ../more`)
  expect((await git.run(top, ['status'])).ok).toBe(true)
  expect((await git.run(top, ['status'])).ok).toBe(true)
  sh('printf "[core]\\nsshCommand = touch $TRACE\\n" > more')
  expect(await git.run(top, ['status'])).toMatchObject({
    failure: { message: expect.stringContaining('core.sshcommand') },
  })
})

test('git runs only after the settings at first were read', async () => {
  sh(START)
  let isRead: (settings: string) => void = () => {}
  const pinned = pinPrograms(() => new Promise((resolve) => (isRead = resolve)))
  let isAnswered = false
  const first = pinned.refusal(top).then((answer) => {
    isAnswered = true
    return answer
  })
  await Promise.resolve()
  await new Promise(setImmediate)
  expect(isAnswered).toBe(false)
  isRead('')
  expect(await first).toBeNull()
})

test('what people change daily is no refusal, in worktrees too', async () => {
  sh(`${START}; git config filter.lfs.clean "git-lfs clean -- %f"`)
  expect((await git.run(top, ['status'])).ok).toBe(true)
  sh(`git remote add origin https://example.org/x.git; git config user.name Bob; git branch other
    git config branch.main.remote origin; git worktree add -q ../tree other; git config pull.rebase true`)
  expect((await git.run(top, ['status'])).ok).toBe(true)
  expect((await git.run(join(root, 'tree'), ['status'])).ok).toBe(true)
  sh('git config --unset filter.lfs.clean')
  expect((await git.run(top, ['status'])).ok).toBe(true)
})
