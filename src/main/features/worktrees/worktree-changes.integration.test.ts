import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn, type GitBench, gitBench, pictureOf, remainsIn } from './testing/git-bench.ts'

/** A project with each kind of uncommitted change. */
async function changedProject(bench: GitBench): Promise<string> {
  const project = await bench.repository('project', {
    'a.txt': 'one\n',
    'lib/b.txt': 'two\n',
    'gone.txt': 'x\n',
    'staged.txt': 'x\n',
    '.gitignore': 'dist/\n.env\n',
    '.worktreeinclude': 'local.cfg\n',
  })
  await bench.write(project, {
    'a.txt': 'changed\n',
    'new.txt': 'new\n',
    'staged.txt': 'staged\n',
    'dist/out.js': 'built\n',
    '.env': 'SECRET\n',
    'local.cfg': 'mine\n',
  })
  bench.run(project, 'add', 'staged.txt')
  await rm(join(project, 'gone.txt'))
  return project
}

const changes = { carryOver: 'changes' } as const
const end = async (bench: GitBench, location: Parameters<GitBench['worktrees']['save']>[0]) => {
  const saved = await bench.worktrees.save(location, { task: 'Check it', ended: 'completed' })
  if (!saved.ok) throw new Error(saved.failure.message)
  await bench.worktrees.release(location)
  return saved.value
}

describe('a worktree that starts with the uncommitted changes of its checkout', () => {
  test('has them uncommitted on the same commit, and `git diff` shows all of them', async () => {
    const bench = await gitBench()
    const project = await changedProject(bench)
    const before = await pictureOf(bench, project)
    const { location, leftOut } = await bench.made(project, changes)
    expect(bench.run(location.path, 'rev-parse', 'HEAD')).toBe(bench.run(project, 'rev-parse', 'HEAD'))
    expect(bench.run(location.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${location.branch}`)
    const names = bench.run(location.path, 'diff', '--name-status').trim().split('\n')
    expect(names).toEqual(['M\ta.txt', 'D\tgone.txt', 'A\tnew.txt', 'M\tstaged.txt'])
    expect(await readFile(join(location.path, 'new.txt'), 'utf8')).toBe('new\n')
    expect(await readFile(join(location.path, 'local.cfg'), 'utf8')).toBe('mine\n')
    expect(leftOut).toEqual(['.env', 'dist/'])
    expect((await pictureOf(bench, project)).status).toBe(before.status)
  })

  test('names nested repositories, changes inside submodules and large files that stay behind', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const library = await bench.repository('library')
    bench.run(project, 'submodule', '--quiet', 'add', library, 'sub')
    bench.run(project, 'commit', '-qm', 'A submodule')
    await bench.write(project, { 'sub/a.txt': 'inside\n', 'a.txt': 'changed\n' })
    bench.run(project, 'init', '-q', 'inner')
    await writeFile(join(project, 'large.bin'), Buffer.alloc(50 * 1024 * 1024 + 1))
    const { location, leftOut } = await bench.made(project, changes)
    expect([...leftOut].sort()).toEqual(['inner/', 'large.bin', 'sub'])
    expect(bench.run(location.path, 'diff', '--name-only').trim()).toBe('a.txt')
  })

  test('is removed if its agent changed nothing, even if the checkout changed meanwhile', async () => {
    const bench = await gitBench()
    const project = await changedProject(bench)
    const { location } = await bench.made(project, changes)
    await bench.write(project, { 'a.txt': 'changed again\n' })
    await bench.write(location.path, { 'dist/out.js': 'built here\n' })
    expect(await end(bench, location)).toMatchObject({ unchanged: true, committedAs: null })
    expect(await remainsIn(bench.dataFolder)).toEqual([`${location.id}.json`])
    expect(bench.run(project, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('changed again\n')

    const restored = await bench.worktrees.restore(location, new AbortController().signal)
    expect(restored).toMatchObject({ ok: true })
    expect(bench.run(location.path, 'diff', '--name-only').trim().split('\n')).toHaveLength(4)
  })

  test('stays if its agent changed something, which is a commit of its own', async () => {
    const bench = await gitBench()
    const project = await changedProject(bench)
    const { location } = await bench.made(project, changes)
    await bench.write(location.path, { 'repro.test.ts': 'it fails\n' })
    const saved = await end(bench, location)
    expect(saved).toMatchObject({ unchanged: false, committedAs: 'user' })
    expect(bench.run(project, 'log', '--format=%s', `main..${location.branch}`).trim().split('\n')).toEqual([
      'Agent task: Check it',
      `Carried over: uncommitted changes of ${project}`,
    ])
    expect(bench.run(project, 'show', '--name-only', '--format=', location.branch).trim()).toBe(
      'repro.test.ts',
    )
  })

  test('is the same as any other where nothing is uncommitted, and where its agent commits', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const clean = await bench.made(project, changes)
    expect(await end(bench, clean.location)).toMatchObject({ unchanged: true })
    await bench.write(project, { 'a.txt': 'changed\n' })
    const { location } = await bench.made(project, changes)
    bench.run(location.path, 'commit', '-qam', 'By the agent')
    const files = await filesIn(location.path)
    expect(await end(bench, location)).toMatchObject({ unchanged: false, commits: 1 })
    expect(await filesIn(location.path)).toEqual(files)
  })
})

describe('the state of a checkout', () => {
  test('is the tree that a worktree with its changes starts with, and changes with each kind of change', async () => {
    const bench = await gitBench()
    const project = await changedProject(bench)
    const stateOf = async (folder: string) => {
      const state = await bench.worktrees.stateOf(folder, new AbortController().signal)
      if (!state.ok) throw new Error(state.failure.message)
      return state.value
    }
    const before = await pictureOf(bench, project)
    const { tree, headTree } = await stateOf(project)
    expect(tree).not.toBe(headTree)
    expect(await stateOf(project)).toEqual({ tree, headTree })
    const { startTree, location, cwd } = await bench.made(project, changes)
    expect(startTree).toBe(tree)
    expect((await stateOf(cwd)).tree).toBe(tree)
    expect(bench.run(cwd, 'diff', '--stat', tree)).toBe('')
    await end(bench, location)
    expect(await pictureOf(bench, project)).toEqual(before)
    const seen = new Set([tree])
    for (const files of [{ 'a.txt': 'again\n' }, { 'new-2.txt': 'x' }, { 'lib/b.txt': '' }]) {
      await bench.write(project, files)
      seen.add((await stateOf(project)).tree)
    }
    await rm(join(project, 'new.txt'))
    seen.add((await stateOf(project)).tree)
    expect(seen.size).toBe(5)
    // Ignored files are no change, and a commit of everything is none either.
    await bench.write(project, { 'dist/out.js': 'built again\n' })
    const last = (await stateOf(project)).tree
    expect(seen).toContain(last)
    bench.run(project, 'add', '-A', '--', ':!local.cfg')
    bench.run(project, 'commit', '-qm', 'All')
    expect(await stateOf(project)).toEqual({ tree: last, headTree: last })
  })

  test('outside a repository, or without a commit, is a failure', async () => {
    const bench = await gitBench()
    const signal = new AbortController().signal
    expect(await bench.worktrees.stateOf(bench.home, signal)).toMatchObject({
      ok: false,
      failure: { type: 'not-a-repository' },
    })
  })
})
