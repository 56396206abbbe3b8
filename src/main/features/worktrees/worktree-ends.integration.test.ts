import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { createWorktrees } from './create-worktrees.ts'
import { removeStaleLockOf } from './testing/dead-lock.ts'
import { filesIn, type GitBench, gitBench, remainsIn } from './testing/git-bench.ts'

async function save(
  bench: GitBench,
  location: WorktreeLocation,
  ended: 'completed' | 'failed' | 'stopped' = 'completed',
) {
  const saved = await bench.worktrees.save(location, { task: 'Fix the parser', ended })
  if (!saved.ok) throw new Error(saved.failure.message)
  return saved.value
}

describe('a worktree at the end of its agent', () => {
  test('has its uncommitted work committed under the user’s name, with figures and a merge check', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'own.txt': '1\n2\n' })
    bench.run(location.path, 'add', '-A')
    bench.run(location.path, 'commit', '-q', '-m', 'By the agent')
    await bench.write(location.path, { 'a.txt': 'changed\n', 'new/ü.txt': 'x\n' })
    await rm(join(location.path, 'lib/b.txt'))
    const saved = await save(bench, location)
    expect(saved).toEqual({
      head: bench.run(project, 'rev-parse', location.branch).trim(),
      commits: 2,
      files: 4,
      insertions: 4,
      deletions: 2,
      check: { kind: 'clean' },
      unchanged: false,
      committedAs: 'user',
      problems: [],
    })
    expect(bench.run(location.path, 'status', '--porcelain')).toBe('')
    expect(bench.run(project, 'log', '--format=%an <%ae> %B', '-1', location.branch).trim()).toBe(
      'Ada <ada@example.org> Agent task: Fix the parser',
    )
    await bench.worktrees.release(location)
    expect((await stat(location.path)).isDirectory()).toBe(true)
    expect(await bench.records.all()).toMatchObject([
      { state: 'there', holder: null, ended: 'completed', head: saved.head },
    ])
  })

  test.each([
    ['failed', 'Unfinished: the agent failed before its task was done.'],
    ['stopped', 'Unfinished: the agent was stopped before its task was done.'],
  ] as const)('has its work committed and marked as unfinished if the agent %s', async (ended, ending) => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'a.txt': 'half' })
    expect(await save(bench, location, ended)).toMatchObject({ commits: 1, committedAs: 'user' })
    expect(bench.run(project, 'log', '-1', '--format=%b', location.branch).trim()).toBe(ending)
    expect(await bench.records.all()).toMatchObject([{ ended }])
  })

  test('has a commit under Troupe’s name, with a notice, if git has no user name', async () => {
    const bench = await gitBench({ named: false })
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'a.txt': 'x' })
    expect(await save(bench, location)).toMatchObject({ committedAs: 'fallback' })
    expect(bench.run(project, 'log', '-1', '--format=%an <%ae>|%cn', location.branch).trim()).toBe(
      'Troupe <troupe@localhost>|Troupe',
    )
  })

  test('reports a conflict with the target before any merge', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'a.txt': 'theirs\n' })
    await bench.write(project, { 'a.txt': 'mine\n' })
    bench.run(project, 'commit', '-q', '-am', 'Mine')
    expect(await save(bench, location)).toMatchObject({
      check: { kind: 'conflicts', files: ['a.txt'] },
      commits: 1,
      files: 1,
    })
    bench.run(project, 'branch', '-m', 'main', 'renamed')
    expect(await save(bench, location)).toMatchObject({
      check: { kind: 'unknown', because: expect.stringContaining('main is gone') },
    })
  })

  test('is removed completely if nothing changed; ignored files don’t count', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', {
      'a.txt': '1',
      '.gitignore': 'build\n',
      '.worktreeinclude': '.env\n',
    })
    await bench.write(project, { '.env': 'SECRET' })
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'build/out.js': 'x' })
    expect(await save(bench, location)).toMatchObject({
      unchanged: true,
      commits: 0,
      check: { kind: 'nothing' },
    })
    await bench.worktrees.release(location)
    expect(await remainsIn(bench.dataFolder)).toEqual([`${location.id}.json`])
    expect(bench.run(project, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(await bench.records.all()).toMatchObject([{ state: 'removed', holder: null }])
  })

  test('is removed if its only work was carried over and is still in the checkout', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await bench.write(project, { 'a.txt': 'mine\n', 'new.txt': 'n' })
    await rm(join(project, 'lib/b.txt'))
    const first = await bench.made(project, { carryOver: true })
    expect(await save(bench, first.location)).toMatchObject({ unchanged: true, commits: 1 })
    await bench.worktrees.release(first.location)
    expect(await remainsIn(bench.dataFolder)).toEqual([`${first.location.id}.json`])

    const second = await bench.made(project, { carryOver: true })
    await bench.write(project, { 'new.txt': 'N' })
    expect(await save(bench, second.location)).toMatchObject({ unchanged: false })
    await bench.worktrees.release(second.location)
    expect(await readFile(join(second.location.path, 'new.txt'), 'utf8')).toBe('n')
  })

  const kept: readonly [string, (bench: GitBench, location: WorktreeLocation) => unknown][] = [
    ['a file that is not committed', (bench, { path }) => bench.write(path, { 'late.txt': 'x' })],
    ['a commit', (bench, { path }) => void bench.run(path, 'commit', '-q', '--allow-empty', '-m', 'x')],
    ['another branch checked out', (bench, { path }) => void bench.run(path, 'checkout', '-q', '-b', 'own')],
    ['a repository in it', (bench, { path }) => void bench.run(path, 'init', '-q', 'nested')],
    [
      'a file whose changes git is set to ignore',
      async (bench, { path }) => {
        bench.run(path, 'update-index', '--assume-unchanged', 'a.txt')
        await bench.write(path, { 'a.txt': 'hidden' })
      },
    ],
    [
      'a file that is there though it is to be skipped',
      async (bench, { path }) => {
        bench.run(path, 'update-index', '--skip-worktree', 'a.txt')
        await bench.write(path, { 'a.txt': 'hidden' })
      },
    ],
    [
      'a repository in an ignored folder',
      async (bench, { path }) => {
        bench.run(path, 'init', '-q', 'build/inner')
      },
    ],
    [
      'a file that only .git/info/exclude ignores',
      async (bench, { path, from }) => {
        await bench.write(from, { '.git/info/exclude': 'notes.md\n' })
        await bench.write(path, { 'notes.md': 'mine' })
      },
    ],
    [
      'a commit that only its reflog names',
      (bench, { path }) => {
        bench.run(path, 'commit', '-q', '--allow-empty', '-m', 'x')
        bench.run(path, 'reset', '-q', '--hard', 'HEAD~1')
      },
    ],
    ['a bisection under way', (bench, { path }) => void bench.run(path, 'bisect', 'start')],
    [
      'a lock that somebody set',
      (bench, { path }) => void bench.run(path, 'worktree', 'lock', '--reason', 'mine', path),
    ],
    ['a .git that is damaged', ({ write }, { path }) => write(path, { '.git': 'gitdir: /nowhere\n' })],
    [
      'a branch that moved',
      (bench, { path, branch }) => {
        const other = bench.run(path, 'commit-tree', 'HEAD^{tree}', '-m', 'x').trim()
        bench.run(path, 'update-ref', `refs/heads/${branch}`, other)
      },
    ],
  ]
  test.each(kept)('is never removed with %s', async (_, change) => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': 'one\n', '.gitignore': 'build/\n' })
    const { location } = await bench.made(project)
    await change(bench, location)
    const before = await filesIn(location.path)
    await bench.worktrees.release(location)
    expect(await filesIn(location.path)).toEqual(before)
    expect(bench.run(project, 'rev-parse', '--verify', location.branch)).toBeTruthy()
    expect(await bench.records.all()).toMatchObject([{ state: 'there', holder: null }])
    expect(bench.problems).toEqual([])
  })

  test('is not removed if another program writes into it during the removal', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    let looks = 0
    const worktrees = createWorktrees({
      dataFolder: bench.dataFolder,
      now: () => 1,
      onProblem: (message) => expect.unreachable(message),
      git: {
        ...bench.git,
        async run(folder, args, options) {
          if (args[0] === 'status' && ++looks === 2) await bench.write(folder, { 'late.txt': 'late' })
          return bench.git.run(folder, args, options)
        },
      },
    })
    await worktrees.release(location)
    expect(looks).toBe(2)
    expect(await readFile(join(location.path, 'late.txt'), 'utf8')).toBe('late')
    expect(bench.run(location.path, 'status', '--porcelain')).toBe('?? late.txt\n')
    expect(await bench.records.all()).toMatchObject([{ state: 'there' }])
  })

  test('is not touched if an agent of another live process uses it', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    const holder = { pid: 1, start: 'unknown' }
    await bench.records.update(location.path, (record) => ({ ...record, holder }))
    await bench.worktrees.release(location)
    expect(await bench.records.all()).toMatchObject([{ state: 'there', holder }])
    expect((await stat(location.path)).isDirectory()).toBe(true)
  })

  test('names the repositories that the agent created, and leaves them out of the commit', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    for (const name of ['plain', 'deep/added']) {
      bench.run(location.path, 'init', '-q', name)
      await bench.write(join(location.path, name), { 'in.txt': 'x' })
      bench.run(join(location.path, name), 'add', '-A')
      bench.run(join(location.path, name), 'commit', '-q', '-m', 'Inner')
    }
    bench.run(location.path, '-c', 'advice.addEmbeddedRepo=false', 'add', 'deep/added')
    await bench.write(location.path, { 'deep/file.txt': 'x' })
    const saved = await save(bench, location)
    expect(saved.problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(['deep/added', 'plain'])
    expect(bench.run(project, 'ls-tree', '-r', '--name-only', location.branch).split('\n')).toEqual([
      'a.txt',
      'deep/file.txt',
      'lib/b.txt',
      '',
    ])
    await bench.worktrees.release(location)
    expect(await readFile(join(location.path, 'plain/in.txt'), 'utf8')).toBe('x')
  })

  test('has a submodule that the agent added committed', async () => {
    const bench = await gitBench()
    const inner = await bench.repository('inner')
    const project = await bench.repository()
    const { location } = await bench.made(project)
    bench.run(location.path, 'submodule', '--quiet', 'add', inner, 'deps/inner')
    expect(await save(bench, location)).toMatchObject({ files: 2, problems: [] })
    expect(bench.run(project, 'ls-tree', location.branch, 'deps/inner')).toContain('160000 commit')
  })

  test('has an open merge completed, but not with conflict markers', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'a.txt': 'theirs\n' })
    await save(bench, location)
    await bench.write(project, { 'a.txt': 'mine\n' })
    bench.run(project, 'commit', '-q', '-am', 'Mine')
    expect(() => bench.run(location.path, 'merge', '-q', 'main')).toThrow()
    const before = bench.run(project, 'rev-parse', location.branch)
    const marked = await save(bench, location)
    expect(marked.problems).toEqual([expect.stringContaining('Conflict markers are left in a.txt')])
    expect(bench.run(project, 'rev-parse', location.branch)).toBe(before)
    // Resolved as `ours`: no change against HEAD, but the merge must still be completed.
    await bench.write(location.path, { 'a.txt': 'theirs\n' })
    bench.run(location.path, 'add', 'a.txt')
    expect(bench.run(location.path, 'status', '--porcelain')).toBe('')
    expect(await save(bench, location)).toMatchObject({ check: { kind: 'clean' }, problems: [] })
    expect(bench.run(project, 'log', '-1', '--format=%P', location.branch).trim().split(' ')).toHaveLength(2)
  })

  test('has its work on its own branch, even if the agent switched to another branch or none', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    bench.run(location.path, 'checkout', '-q', '-b', 'feature')
    await bench.write(location.path, { 'f.txt': 'x' })
    const feature = await save(bench, location)
    expect(bench.run(project, 'rev-parse', location.branch).trim()).toBe(feature.head)
    bench.run(location.path, 'checkout', '-q', '--detach')
    await bench.write(location.path, { 'g.txt': 'x' })
    const detached = await save(bench, location)
    expect(bench.run(project, 'rev-parse', location.branch).trim()).toBe(detached.head)
    bench.run(project, 'branch', '-q', '-m', location.branch, 'renamed')
    expect(await save(bench, location)).toMatchObject({ head: detached.head, problems: [] })
    bench.run(location.path, 'checkout', '-q', '--orphan', 'apart')
    await bench.write(location.path, { 'h.txt': 'x' })
    const apart = await save(bench, location)
    expect(apart).toMatchObject({
      head: detached.head,
      problems: [expect.stringContaining('on the branch apart')],
    })
    expect(bench.run(project, 'show', 'apart:h.txt')).toBe('x')
  })

  test('reports a deleted folder and counts its commits', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'a.txt': 'x' })
    const { head } = await save(bench, location)
    await rm(location.path, { recursive: true })
    expect(await save(bench, location)).toMatchObject({
      head,
      commits: 1,
      unchanged: false,
      problems: [expect.stringContaining('was deleted')],
    })
  })

  test('keeps an unreadable file in the folder, and the rest is committed', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'good.txt': 'x' })
    // Root can read every file. A link to itself is unreadable, but is committed as a link.
    await symlink('loop', join(location.path, 'loop'))
    if (process.getuid?.() !== 0) {
      await bench.write(location.path, { 'secret.txt': 'x' })
      await chmod(join(location.path, 'secret.txt'), 0)
    }
    const saved = await save(bench, location)
    expect(saved).toMatchObject({ files: 2 })
    expect(saved.problems.length).toBe(process.getuid?.() === 0 ? 0 : 1)
  })

  test.skipIf(process.platform !== 'linux')(
    'loses the lock of a dead git process; a live lock and the work stay',
    async () => {
      const bench = await gitBench()
      const project = await bench.repository()
      const { location } = await bench.made(project)
      await bench.write(location.path, { 'a.txt': 'x' })
      for (const lock of [`worktrees/${location.id}/index.lock`, `refs/heads/${location.branch}.lock`])
        await writeFile(join(project, '.git', lock), '')
      const outcome = await removeStaleLockOf(bench, location)
      expect(outcome).toEqual({ whileInUse: 'kept', whenDead: 'committed' })
    },
  )
})

describe('files that .worktreeinclude names', () => {
  test('are copied with their modes, only regular files of the project, and are never committed', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', {
      'a.txt': '1',
      '.gitignore': '.env\n!/keep.local\n',
      '.worktreeinclude':
        '# what tests need\n.env\n*.local\nlinked\npipe\nnested/\n!not.local\na.txt\ndir/\n',
    })
    await mkdir(join(bench.home, '.config/git'), { recursive: true })
    await writeFile(join(bench.home, '.config/git/ignore'), '*.swp\n')
    await bench.write(project, {
      '.env': 'SECRET',
      'x [1] é.local': 'y',
      'keep.local': 'k',
      'not.local': 'n',
      'dir/deep/z': 'z',
      'other.txt': 'o',
    })
    await chmod(join(project, '.env'), 0o600)
    await symlink('/etc/hostname', join(project, 'linked'))
    bench.run(project, 'init', '-q', 'nested')
    const { location, leftOut, notes } = await bench.made(project)
    expect(await filesIn(location.path)).toEqual(
      (await filesIn(project)).filter((file) => !/^(linked|not\.local|other\.txt)/.test(file)),
    )
    expect(leftOut).toEqual(['linked', 'nested/', 'not.local', 'other.txt'])
    expect(notes).toEqual([expect.stringContaining('1 file in .worktreeinclude was not copied')])
    const [record] = await bench.records.all()
    expect(record?.copied).toEqual(['.env', 'dir/deep/z', 'keep.local', 'x [1] é.local'])

    // The agent's git commands do not list the copied files, and the user's own ignore list still applies.
    const environment = bench.worktrees.environment(location)
    await bench.write(location.path, { 'draft.swp': 's', 'work.txt': 'w', '.env': 'CHANGED' })
    const asAgent = (...args: readonly string[]) =>
      bench.run(location.path, '-c', `core.excludesFile=${environment['GIT_CONFIG_VALUE_1']}`, ...args)
    expect(environment).toMatchObject({
      GIT_CEILING_DIRECTORIES: join(location.path, '..'),
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_1: 'core.excludesFile',
    })
    // The project's own list re-includes this file and takes precedence.
    expect(asAgent('status', '--porcelain')).toBe('?? keep.local\n?? work.txt\n')
    const saved = await save(bench, location)
    expect(saved).toMatchObject({ files: 1, problems: [] })
    expect(bench.run(project, 'diff', '--name-only', 'main', location.branch)).toBe('work.txt\n')
  })

  test('are unstaged if the agent adds them by force, and named if the agent commits them', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': '1', '.worktreeinclude': '*.env\n' })
    await bench.write(project, { '1.env': 'x', '2.env': 'y' })
    const { location } = await bench.made(project)
    bench.run(location.path, 'add', '-f', '1.env')
    expect(await save(bench, location)).toMatchObject({ commits: 0, problems: [] })
    bench.run(location.path, 'add', '-f', '1.env')
    await bench.write(location.path, { 'b.txt': 'b' })
    expect(await save(bench, location)).toMatchObject({ commits: 1, files: 1, problems: [] })
    bench.run(location.path, 'add', '-f', '2.env')
    bench.run(location.path, 'commit', '-q', '-m', 'Oh')
    const saved = await save(bench, location)
    expect(saved.problems).toEqual([expect.stringContaining('2.env was only copied')])
  })

  test('cause no extra ignore list if there are none', async () => {
    const bench = await gitBench()
    const { location } = await bench.made(await bench.repository())
    expect(bench.worktrees.environment(location)).toMatchObject({
      GIT_CEILING_DIRECTORIES: join(location.path, '..'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
    })
  })
})
