import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { filesIn, type GitBench, gitBench, pictureOf, remainsIn } from './testing/git-bench.ts'

const isRoot = process.getuid?.() === 0

describe('a worktree starts from', () => {
  test('the HEAD of a clean checkout: new branch and folder, same files, no other change', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const before = await pictureOf(bench, project)
    const { location, cwd, leftOut, moreLeftOut, notes } = await bench.made(project, {
      owner: { name: 'Code Reviewer', agentId: 'a-01jd0m4k2zq8a91e42' },
    })
    expect(location.id).toMatch(/^fix-the-parser-a91e42$/)
    expect(location).toEqual({
      id: location.id,
      path: location.path,
      branch: `troupe/${location.id}`,
      base: bench.run(project, 'rev-parse', 'HEAD').trim(),
      from: project,
      target: 'main',
    })
    expect(location.path).toMatch(
      new RegExp(`^${bench.dataFolder}/worktrees/project-[0-9a-f]{8}/${location.id}$`),
    )
    expect({ cwd, leftOut, moreLeftOut, notes }).toEqual({
      cwd: location.path,
      leftOut: [],
      moreLeftOut: 0,
      notes: [],
    })
    expect(await filesIn(location.path)).toEqual(await filesIn(project))
    expect(bench.run(location.path, 'status', '--porcelain=v2', '--branch')).toContain(
      `# branch.head ${location.branch}`,
    )
    const after = await pictureOf(bench, project)
    expect(after).toEqual({ ...before, refs: after['refs'], worktrees: after['worktrees'] })
    expect(await bench.records.all()).toMatchObject([
      { ...location, state: 'there', holder: { pid: process.pid }, owner: { task: 'Fix the parser' } },
    ])
    expect((await stat(join(location.path, '..'))).mode & 0o077).toBe(0)
  })

  test('a subfolder: the same folder, created if HEAD does not have it', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await mkdir(join(project, 'lib', 'new'))
    const inHead = await bench.made(join(project, 'lib'))
    expect(inHead.cwd).toBe(join(inHead.location.path, 'lib'))
    const notInHead = await bench.made(join(project, 'lib', 'new'))
    expect(notInHead.cwd).toBe(join(notInHead.location.path, 'lib', 'new'))
    expect((await stat(notInHead.cwd)).isDirectory()).toBe(true)
    expect(notInHead.location.from).toBe(project)
  })

  test('no folder that is a link out of the repository in HEAD', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await symlink(bench.home, join(project, 'out'))
    bench.run(project, 'add', '-A')
    bench.run(project, 'commit', '-q', '-m', 'A link')
    await rm(join(project, 'out'))
    await mkdir(join(project, 'out'))
    const created = await bench.create(join(project, 'out'))
    expect(created).toMatchObject({ ok: false, failure: { type: 'git' } })
    if (!created.ok) expect(created.failure.message).toContain('a link that leads out')
    expect(await remainsIn(bench.dataFolder)).toEqual([])
  })

  /** Staged, unstaged, untracked, deleted and renamed files, and a stash. */
  async function dirty(bench: GitBench): Promise<string> {
    const project = await bench.repository('project', {
      'a.txt': 'one\n',
      'gone.txt': 'to be deleted\n',
      'old.txt': 'to be renamed\n',
      'tool.sh': '#!/bin/sh\n',
      '.gitignore': 'ignored\n',
    })
    await bench.write(project, { 'a.txt': 'stashed\n' })
    bench.run(project, 'stash', '-q')
    await bench.write(project, { 'a.txt': 'staged\n', 'staged.txt': 'new\n' })
    bench.run(project, 'add', 'a.txt', 'staged.txt')
    await bench.write(project, { 'a.txt': 'staged\nand more\n', 'ü n.txt': 'untracked\n', ignored: 'x' })
    await rm(join(project, 'gone.txt'))
    bench.run(project, 'mv', 'old.txt', 'renamed.txt')
    await chmod(join(project, 'tool.sh'), 0o755)
    return project
  }

  test('a dirty checkout: from HEAD, and the uncommitted files are named', async () => {
    const bench = await gitBench()
    const project = await dirty(bench)
    const before = await pictureOf(bench, project)
    const { location, leftOut } = await bench.made(project)
    expect(leftOut).toEqual([
      'a.txt',
      'gone.txt',
      'old.txt',
      'renamed.txt',
      'staged.txt',
      'tool.sh',
      'ü n.txt',
    ])
    expect(await readFile(join(location.path, 'a.txt'), 'utf8')).toBe('one\n')
    const after = await pictureOf(bench, project)
    expect(after).toEqual({ ...before, refs: after['refs'], worktrees: after['worktrees'] })
  })

  test('a dirty checkout with carry-over: the first commit has the changes, and the checkout keeps them', async () => {
    const bench = await gitBench()
    const project = await dirty(bench)
    const before = await pictureOf(bench, project)
    const { location, leftOut, notes } = await bench.made(project, { carryOver: true })
    expect({ leftOut, notes }).toEqual({ leftOut: [], notes: [] })
    const here = (await filesIn(project)).filter((file) => !file.startsWith('ignored'))
    expect(await filesIn(location.path)).toEqual(here)
    expect(bench.run(location.path, 'status', '--porcelain')).toBe('')
    expect(bench.run(location.path, 'log', '--format=%s|%an', 'HEAD')).toBe(
      `Carried over: uncommitted changes of ${project}|Ada\nFirst|Ada\n`,
    )
    expect(location.base).toBe(bench.run(project, 'rev-parse', 'HEAD').trim())
    const after = await pictureOf(bench, project)
    expect(after).toEqual({ ...before, refs: after['refs'], worktrees: after['worktrees'] })
  })

  test('a checkout with more uncommitted files than can be named', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const many = Array.from({ length: 230 }, (_, index) => [`new/${index}.txt`, 'x'] as const)
    await bench.write(project, Object.fromEntries(many))
    const { leftOut, moreLeftOut } = await bench.made(project)
    expect([leftOut.length, moreLeftOut]).toEqual([200, 30])
  })

  test('a detached HEAD: without a target', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    bench.run(project, 'checkout', '-q', '--detach')
    const { location } = await bench.made(project)
    expect(location.target).toBeNull()
    const saved = await bench.worktrees.save(location, { task: 'x', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { unchanged: true, check: { kind: 'unknown' } } })
  })

  test('a shallow clone', async () => {
    const bench = await gitBench()
    const origin = await bench.repository('origin')
    bench.run(origin, 'commit', '-q', '--allow-empty', '-m', 'Second')
    bench.run(bench.folder, 'clone', '-q', '--depth=1', `file://${origin}`, 'shallow')
    const { location } = await bench.made(join(bench.folder, 'shallow'))
    expect(await filesIn(location.path)).toEqual(await filesIn(origin))
    await bench.write(location.path, { 'a.txt': 'more\n' })
    const saved = await bench.worktrees.save(location, { task: 'x', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { commits: 1, check: { kind: 'clean' } } })
  })

  test('a repository with submodules: they are empty (reported), and a first submodule is not lost', async () => {
    const bench = await gitBench()
    const inner = await bench.repository('inner')
    const project = await bench.repository()
    bench.run(project, 'submodule', '--quiet', 'add', inner, 'deps/inner')
    bench.run(project, 'commit', '-q', '-m', 'A submodule')
    const { location, notes } = await bench.made(project)
    expect(notes).toEqual([expect.stringContaining('Submodules are empty in the worktree: deps/inner')])
    expect(await filesIn(join(location.path, 'deps/inner'))).toEqual([])
    bench.run(location.path, 'submodule', '--quiet', 'update', '--init')
    await bench.worktrees.release(location)
    expect(await filesIn(join(location.path, 'deps/inner'))).toEqual(await filesIn(inner))
  })

  test('a submodule that is itself the project', async () => {
    const bench = await gitBench()
    const inner = await bench.repository('inner')
    const project = await bench.repository()
    bench.run(project, 'submodule', '--quiet', 'add', inner, 'deps/inner')
    bench.run(project, 'commit', '-q', '-m', 'A submodule')
    const { location } = await bench.made(join(project, 'deps/inner'))
    expect(location.from).toBe(join(project, 'deps/inner'))
    expect(await filesIn(location.path)).toEqual(await filesIn(inner))
  })

  test('a repository with git-lfs files but no git-lfs: pointers (reported)', async () => {
    const bench = await gitBench()
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n'
    const project = await bench.repository('project', {
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'big.bin': pointer,
    })
    const unknown = await bench.made(project)
    expect(unknown.notes).toEqual([expect.stringContaining('git-lfs is not set up here')])
    bench.run(project, 'config', 'filter.lfs.required', 'true')
    bench.run(project, 'config', 'filter.lfs.smudge', 'git-lfs-is-missing smudge -- %f')
    bench.run(project, 'config', 'filter.lfs.process', 'git-lfs-is-missing filter-process')
    const broken = await bench.made(project)
    expect(broken.notes).toEqual([expect.stringContaining('git-lfs could not run')])
    expect(await readFile(join(broken.location.path, 'big.bin'), 'utf8')).toBe(pointer)
  })

  test('a sparse checkout: the same part, and new files outside of it are committed too', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', {
      'a/1.txt': '1',
      'b/2.txt': '2',
      'c/3.txt': '3',
      top: 't',
    })
    bench.run(project, 'sparse-checkout', 'set', 'a', 'c')
    const { location } = await bench.made(project)
    expect(await filesIn(location.path)).toEqual(await filesIn(project))
    expect((await filesIn(location.path)).join()).not.toContain('b/2.txt')
    await bench.write(location.path, { 'd/new.txt': 'outside\n', 'a/1.txt': 'inside\n' })
    const saved = await bench.worktrees.save(location, { task: 'x', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { files: 2, problems: [] } })
    expect(bench.run(project, 'ls-tree', '-r', '--name-only', location.branch)).toContain('b/2.txt')
  })

  test('names with spaces, quotes, slashes and letters of other scripts', async () => {
    const bench = await gitBench()
    const project = await bench.repository(`d'é "x" 日本/über $HOME project`)
    bench.run(project, 'checkout', '-q', '-b', "feature/ü-日本/it's")
    await bench.write(project, { 'n"e\'w ü.txt': 'x', '.worktreeinclude': 'n*\n' })
    const { location } = await bench.made(project, { owner: { name: 'Größe / Übung' }, carryOver: true })
    expect(location.target).toBe("feature/ü-日本/it's")
    await bench.write(location.path, { 'ä b/c "d".txt': 'y' })
    const saved = await bench.worktrees.save(location, { task: 'ünï\n"x" $(y)', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { commits: 2, files: 2, check: { kind: 'clean' } } })
    expect(bench.run(project, 'log', '-1', '--format=%s', location.branch)).toBe('Agent task: ünï "x" $(y)\n')
    expect(
      bench.run(project, '-c', 'core.quotePath=false', 'ls-tree', '-z', '-r', '--name-only', location.branch),
    ).toContain('ä b/c "d".txt')
  })

  test('a repository inside a repository: the inner one', async () => {
    const bench = await gitBench()
    const outer = await bench.repository('outer')
    const inner = await bench.repository('outer/inner', { 'inner.txt': 'i' })
    const { location } = await bench.made(inner)
    expect(location.from).toBe(inner)
    expect(await filesIn(location.path)).toEqual(await filesIn(inner))
    const outside = await bench.made(outer, { carryOver: true })
    expect(outside.leftOut).toEqual(['inner/'])
    expect(bench.run(outside.location.path, 'rev-parse', 'HEAD').trim()).toBe(outside.location.base)
  })

  test('a checkout that is a worktree: its HEAD and its branch', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    bench.run(project, 'worktree', 'add', '-q', '-b', 'side', '../side')
    const side = join(bench.folder, 'side')
    await bench.write(side, { 'side.txt': 's' })
    bench.run(side, 'add', '-A')
    bench.run(side, 'commit', '-q', '-m', 'Side')
    const { location } = await bench.made(side)
    expect(location).toMatchObject({ from: side, target: 'side' })
    expect(await filesIn(location.path)).toEqual(await filesIn(side))
  })

  test('a worktree of Troupe: a subagent starts from the HEAD of its parent', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': '1', '.worktreeinclude': '.env\n' })
    await bench.write(project, { '.env': 'SECRET' })
    const parent = await bench.made(project)
    await bench.write(parent.location.path, { 'p.txt': 'p' })
    bench.run(parent.location.path, 'add', 'p.txt')
    bench.run(parent.location.path, 'commit', '-q', '-m', 'Parent')
    const child = await bench.made(parent.location.path, { carryOver: true })
    expect(child.location).toMatchObject({ from: parent.location.path, target: parent.location.branch })
    expect(child.location.base).toBe(bench.run(parent.location.path, 'rev-parse', 'HEAD').trim())
    expect(child.leftOut).toEqual([])
    expect(await filesIn(child.location.path)).toEqual(await filesIn(parent.location.path))
    expect(bench.run(child.location.path, 'rev-parse', 'HEAD').trim()).toBe(child.location.base)
  })

  test('a repository whose git folder is elsewhere', async () => {
    const bench = await gitBench()
    const origin = await bench.repository('origin')
    bench.run(bench.folder, 'clone', '-q', '--separate-git-dir=store.git', origin, 'split')
    const { location } = await bench.made(join(bench.folder, 'split'))
    expect(await filesIn(location.path)).toEqual(await filesIn(origin))
  })

  test('a bare repository with checkouts beside it: one of the checkouts', async () => {
    const bench = await gitBench()
    const origin = await bench.repository('origin')
    bench.run(bench.folder, 'clone', '-q', '--bare', origin, 'hub/.bare')
    bench.run(join(bench.folder, 'hub/.bare'), 'worktree', 'add', '-q', '../main', 'main')
    const { location } = await bench.made(join(bench.folder, 'hub/main'))
    expect(location.target).toBe('main')
    expect(await filesIn(location.path)).toEqual(await filesIn(origin))
  })

  test('a repository with taken names: a longer name; with a branch `troupe`: another prefix', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const owner = { name: 'Builder', agentId: 'a-01jd0m4k2z77777777' }
    bench.run(project, 'branch', 'troupe/fix-the-parser-777777')
    const second = await bench.made(project, { owner })
    expect(second.location).toMatchObject({
      id: 'fix-the-parser-77777777',
      branch: 'troupe/fix-the-parser-77777777',
    })
    const third = await bench.made(project, { owner })
    expect(third.location.id).toBe('fix-the-parser-2z77777777')

    const other = await bench.repository('other')
    bench.run(other, 'branch', 'troupe')
    const { location } = await bench.made(other, { owner })
    expect(location).toMatchObject({ id: 'fix-the-parser-777777', branch: 'troupe-fix-the-parser-777777' })
    await bench.write(location.path, { 'a.txt': 'x' })
    const saved = await bench.worktrees.save(location, { task: 'x', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { commits: 1 } })
  })

  test('a branch with a tag of the same name', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const first = bench.run(project, 'rev-parse', 'HEAD').trim()
    bench.run(project, 'tag', 'troupe/fix-the-parser-777777')
    bench.run(project, 'commit', '-q', '--allow-empty', '-m', 'Second')
    const { location } = await bench.made(project, { owner: { agentId: 'a-777777' } })
    expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).not.toBe(first)
    expect(bench.run(location.path, 'symbolic-ref', 'HEAD').trim()).toBe(
      'refs/heads/troupe/fix-the-parser-777777',
    )
  })

  test('a data folder behind a link', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await mkdir(join(bench.folder, 'real'))
    await symlink(join(bench.folder, 'real'), bench.dataFolder)
    const { location } = await bench.made(project)
    expect(location.path).toBe(await realpath(location.path))
    expect(await bench.worktrees.restore(location, new AbortController().signal)).toMatchObject({ ok: true })
    expect(await bench.records.all()).toHaveLength(1)
  })
})

describe('a failed start leaves the repository unchanged:', () => {
  interface Refused {
    readonly name: string
    readonly type: string
    readonly message: RegExp
    arrange(bench: GitBench): Promise<string>
  }
  const table: readonly Refused[] = [
    {
      name: 'no repository',
      type: 'not-a-repository',
      message: /not in a git repository/,
      arrange: async (bench) => {
        const folder = join(bench.folder, 'plain')
        await mkdir(folder)
        return folder
      },
    },
    {
      name: 'no commits',
      type: 'no-commits',
      message: /has no commits/,
      arrange: async (bench) => {
        bench.run(bench.folder, 'init', '-q', 'fresh')
        return join(bench.folder, 'fresh')
      },
    },
    {
      name: 'a bare repository',
      type: 'bare',
      message: /bare repository/,
      arrange: async (bench) => {
        bench.run(bench.folder, 'clone', '-q', '--bare', await bench.repository(), 'bare.git')
        return join(bench.folder, 'bare.git')
      },
    },
    {
      name: 'the git folder itself',
      type: 'bare',
      message: /own git folder/,
      arrange: async (bench) => join(await bench.repository(), '.git', 'refs'),
    },
    {
      name: 'a bare repository planted in a folder of the project',
      type: 'bare',
      message: /bare repository/,
      arrange: async (bench) => {
        const project = await bench.repository()
        bench.run(project, 'clone', '-q', '--bare', project, 'planted')
        return join(project, 'planted')
      },
    },
    {
      name: 'a .git that names somebody else’s repository',
      type: 'git',
      message: /belongs to another folder/,
      arrange: async (bench) => {
        const victim = await bench.repository('victim')
        await bench.write(join(bench.folder, 'evil'), { '.git': `gitdir: ${victim}/.git\n` })
        return join(bench.folder, 'evil')
      },
    },
    {
      name: 'a .git/commondir that names somebody else’s repository',
      type: 'git',
      message: /belongs to another folder/,
      arrange: async (bench) => {
        const victim = await bench.repository('victim')
        const evil = await bench.repository('evil')
        await writeFile(join(evil, '.git', 'commondir'), `${victim}/.git\n`)
        return evil
      },
    },
    {
      name: 'a .git that names the entry of another worktree',
      type: 'git',
      message: /belongs to another folder/,
      arrange: async (bench) => {
        const victim = await bench.repository('victim')
        bench.run(victim, 'worktree', 'add', '-q', '-b', 'side', '../side')
        await bench.write(join(bench.folder, 'evil'), { '.git': `gitdir: ${victim}/.git/worktrees/side\n` })
        return join(bench.folder, 'evil')
      },
    },
    {
      name: 'a folder that was deleted',
      type: 'io',
      message: /gone/,
      arrange: async (bench) => join(bench.folder, 'never'),
    },
  ]
  test.each(table)('$name', async ({ type, message, arrange }) => {
    const bench = await gitBench()
    const folder = await arrange(bench)
    const isThere = (await lstat(folder).catch(() => null)) !== null
    const before = isThere ? await pictureOf(bench, folder) : {}
    for (const carryOver of [false, true]) {
      const created = await bench.create(folder, { carryOver })
      expect(created).toMatchObject({ ok: false, failure: { type, message: expect.stringMatching(message) } })
    }
    if (isThere) expect(await pictureOf(bench, folder)).toEqual(before)
    expect(await remainsIn(bench.dataFolder)).toEqual([])
    expect(bench.problems).toEqual([])
  })

  test('stopped at any moment', async () => {
    const bench = await gitBench()
    const files = Array.from({ length: 300 }, (_, index) => [`f/${index}.txt`, `${index}\n`] as const)
    const project = await bench.repository('project', Object.fromEntries(files))
    await bench.write(project, { '.worktreeinclude': '*.env', 'x.env': 'x', 'f/1.txt': 'changed' })
    const before = await pictureOf(bench, project)
    let calls = 0
    let stopAt = 0
    let controller = new AbortController()
    const counting = bench.git
    const { createWorktrees } = await import('./create-worktrees.ts')
    const watched =
      <Rest extends readonly unknown[], Done>(call: (...rest: Rest) => Promise<Done>) =>
      (...rest: Rest): Promise<Done> => {
        calls++
        if (calls === stopAt) controller.abort()
        return call(...rest)
      }
    const worktrees = createWorktrees({
      git: { run: watched(counting.run), bytes: watched(counting.bytes), answers: watched(counting.answers) },
      dataFolder: bench.dataFolder,
      now: () => 1,
      onProblem: (message) => expect.unreachable(message),
    })
    const { anOwner } = await import('./testing/git-bench.ts')
    for (stopAt = 1; ; stopAt++) {
      calls = 0
      controller = new AbortController()
      const created = await worktrees.create(
        { folder: project, owner: anOwner(), carryOver: 'commit' },
        controller.signal,
      )
      if (created.ok) break
      expect(created.failure.type).toBe('aborted')
      expect(await pictureOf(bench, project)).toEqual(before)
      expect(await remainsIn(bench.dataFolder)).toEqual([])
    }
    expect(stopAt).toBeGreaterThan(8)
  })
})

describe.skipIf(!isRoot)('the file system', () => {
  function mounted(folder: string, ...options: readonly string[]): void {
    execFileSync('mount', [...options, folder])
    onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  }

  test('of the data folder is full: the failure is reported, and nothing is left', async () => {
    const bench = await gitBench()
    const files = Array.from({ length: 60 }, (_, index) => [`f/${index}.txt`, 'x'.repeat(100_000)] as const)
    const project = await bench.repository('project', Object.fromEntries(files))
    const before = await pictureOf(bench, project)
    await mkdir(bench.dataFolder)
    mounted(bench.dataFolder, '-t', 'tmpfs', '-o', 'size=2m', 'troupe-test')
    const created = await bench.create(project)
    expect(created).toMatchObject({ ok: false, failure: { type: 'io' } })
    if (!created.ok) expect(created.failure.message).toContain('the disk is full')
    expect(await pictureOf(bench, project)).toEqual(before)
    expect(await remainsIn(bench.dataFolder)).toEqual([])
  })

  test('of the data folder is read-only: the failure is reported', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const before = await pictureOf(bench, project)
    await mkdir(bench.dataFolder)
    mounted(bench.dataFolder, '-t', 'tmpfs', '-o', 'ro', 'troupe-test')
    const created = await bench.create(project)
    expect(created).toMatchObject({ ok: false, failure: { type: 'io' } })
    if (!created.ok) expect(created.failure.message).toContain('read-only')
    expect(await pictureOf(bench, project)).toEqual(before)
  })

  test('of the repository is read-only: the failure is reported, and nothing is left', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const before = await pictureOf(bench, project)
    execFileSync('mount', ['--bind', project, project])
    onTestFinished(() => void execFileSync('umount', ['-l', project]))
    execFileSync('mount', ['-o', 'remount,ro,bind', project])
    const created = await bench.create(project)
    expect(created).toMatchObject({ ok: false, failure: { type: 'io' } })
    if (!created.ok) expect(created.failure.message).toContain('read-only')
    expect(await pictureOf(bench, project)).toEqual(before)
    expect(await remainsIn(bench.dataFolder)).toEqual([])
  })
})
