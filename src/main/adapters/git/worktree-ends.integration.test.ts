import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { createWorktrees } from './create-worktrees.ts'
import { removeStaleLockOf } from './testing/dead-lock.ts'
import { filesIn, type GitBench, gitBench, remainsIn } from './testing/git-bench.ts'

async function save(
  bench: GitBench,
  place: WorktreePlace,
  ended: 'completed' | 'failed' | 'stopped' = 'completed',
) {
  const saved = await bench.worktrees.save(place, { task: 'Mend the parser', ended })
  if (!saved.ok) throw new Error(saved.failure.message)
  return saved.value
}

describe('at the end of its agent', () => {
  test('work that is not committed is, under the user’s name; figures and the merge check say what there is', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'own.txt': '1\n2\n' })
    bench.run(place.path, 'add', '-A')
    bench.run(place.path, 'commit', '-q', '-m', 'By the agent')
    await bench.write(place.path, { 'a.txt': 'changed\n', 'new/ü.txt': 'x\n' })
    await rm(join(place.path, 'lib/b.txt'))
    const saved = await save(bench, place)
    expect(saved).toEqual({
      head: bench.run(project, 'rev-parse', place.branch).trim(),
      commits: 2,
      files: 4,
      insertions: 4,
      deletions: 2,
      check: { kind: 'clean' },
      unchanged: false,
      committedAs: 'user',
      problems: [],
    })
    expect(bench.run(place.path, 'status', '--porcelain')).toBe('')
    expect(bench.run(project, 'log', '--format=%an <%ae> %B', '-1', place.branch).trim()).toBe(
      'Ada <ada@example.org> Agent task: Mend the parser',
    )
    await bench.worktrees.release(place)
    expect((await stat(place.path)).isDirectory()).toBe(true)
    expect(await bench.records.all()).toMatchObject([
      { state: 'there', holder: null, ended: 'completed', head: saved.head },
    ])
  })

  test.each([
    ['failed', 'Unfinished: the agent failed before its task was done.'],
    ['stopped', 'Unfinished: the agent was stopped before its task was done.'],
  ] as const)('one that %s: its work is committed all the same, and marked', async (ended, words) => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'a.txt': 'half' })
    expect(await save(bench, place, ended)).toMatchObject({ commits: 1, committedAs: 'user' })
    expect(bench.run(project, 'log', '-1', '--format=%b', place.branch).trim()).toBe(words)
    expect(await bench.records.all()).toMatchObject([{ ended }])
  })

  test('where git knows no name the program’s is on the commit, and it is said', async () => {
    const bench = await gitBench({ named: false })
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'a.txt': 'x' })
    expect(await save(bench, place)).toMatchObject({ committedAs: 'fallback' })
    expect(bench.run(project, 'log', '-1', '--format=%an <%ae>|%cn', place.branch).trim()).toBe(
      'Troupe <troupe@localhost>|Troupe',
    )
  })

  test('a conflict with the target is said before anything is merged', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'a.txt': 'theirs\n' })
    await bench.write(project, { 'a.txt': 'mine\n' })
    bench.run(project, 'commit', '-q', '-am', 'Mine')
    expect(await save(bench, place)).toMatchObject({
      check: { kind: 'conflicts', files: ['a.txt'] },
      commits: 1,
      files: 1,
    })
    bench.run(project, 'branch', '-m', 'main', 'renamed')
    expect(await save(bench, place)).toMatchObject({
      check: { kind: 'unknown', because: expect.stringContaining('main is gone') },
    })
  })

  test('nothing was changed: folder, entry, branch and files beside it go; ignored files don’t count', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', {
      'a.txt': '1',
      '.gitignore': 'build\n',
      '.worktreeinclude': '.env\n',
    })
    await bench.write(project, { '.env': 'SECRET' })
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'build/out.js': 'x' })
    expect(await save(bench, place)).toMatchObject({
      unchanged: true,
      commits: 0,
      check: { kind: 'nothing' },
    })
    await bench.worktrees.release(place)
    expect(await remainsIn(bench.dataFolder)).toEqual([`${place.id}.json`])
    expect(bench.run(project, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(await bench.records.all()).toMatchObject([{ state: 'removed', holder: null }])
  })

  test('work that was carried over and is still in its checkout goes; once it changed there it stays', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await bench.write(project, { 'a.txt': 'mine\n', 'new.txt': 'n' })
    await rm(join(project, 'lib/b.txt'))
    const first = await bench.made(project, { carryOver: true })
    expect(await save(bench, first.place)).toMatchObject({ unchanged: true, commits: 1 })
    await bench.worktrees.release(first.place)
    expect(await remainsIn(bench.dataFolder)).toEqual([`${first.place.id}.json`])

    const second = await bench.made(project, { carryOver: true })
    await bench.write(project, { 'new.txt': 'N' })
    expect(await save(bench, second.place)).toMatchObject({ unchanged: false })
    await bench.worktrees.release(second.place)
    expect(await readFile(join(second.place.path, 'new.txt'), 'utf8')).toBe('n')
  })

  const kept: readonly [string, (bench: GitBench, place: WorktreePlace) => unknown][] = [
    ['a file that is not committed', (bench, { path }) => bench.write(path, { 'late.txt': 'x' })],
    ['a commit', (bench, { path }) => void bench.run(path, 'commit', '-q', '--allow-empty', '-m', 'x')],
    ['another branch checked out', (bench, { path }) => void bench.run(path, 'checkout', '-q', '-b', 'own')],
    ['a repository in it', (bench, { path }) => void bench.run(path, 'init', '-q', 'nested')],
    [
      'a file whose changes git was told not to see',
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
  test.each(kept)('it is never removed with %s', async (_, change) => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await change(bench, place)
    const before = await filesIn(place.path)
    await bench.worktrees.release(place)
    expect(await filesIn(place.path)).toEqual(before)
    expect(bench.run(project, 'rev-parse', '--verify', place.branch)).toBeTruthy()
    expect(await bench.records.all()).toMatchObject([{ state: 'there', holder: null }])
    expect(bench.problems).toEqual([])
  })

  test('what somebody writes while it is taken away stops that', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
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
    await worktrees.release(place)
    expect(looks).toBe(2)
    expect(await readFile(join(place.path, 'late.txt'), 'utf8')).toBe('late')
    expect(bench.run(place.path, 'status', '--porcelain')).toBe('?? late.txt\n')
    expect(await bench.records.all()).toMatchObject([{ state: 'there' }])
  })

  test('one that an agent of another living process has is not touched', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    const holder = { pid: 1, start: 'unknown' }
    await bench.records.update(place.path, (record) => ({ ...record, holder }))
    await bench.worktrees.release(place)
    expect(await bench.records.all()).toMatchObject([{ state: 'there', holder }])
    expect((await stat(place.path)).isDirectory()).toBe(true)
  })

  test('repositories that the agent made are left out, also those it added, and named', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    for (const name of ['plain', 'deep/added']) {
      bench.run(place.path, 'init', '-q', name)
      await bench.write(join(place.path, name), { 'in.txt': 'x' })
      bench.run(join(place.path, name), 'add', '-A')
      bench.run(join(place.path, name), 'commit', '-q', '-m', 'Inner')
    }
    bench.run(place.path, '-c', 'advice.addEmbeddedRepo=false', 'add', 'deep/added')
    await bench.write(place.path, { 'deep/file.txt': 'x' })
    const saved = await save(bench, place)
    expect(saved.problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(['deep/added', 'plain'])
    expect(bench.run(project, 'ls-tree', '-r', '--name-only', place.branch).split('\n')).toEqual([
      'a.txt',
      'deep/file.txt',
      'lib/b.txt',
      '',
    ])
    await bench.worktrees.release(place)
    expect(await readFile(join(place.path, 'plain/in.txt'), 'utf8')).toBe('x')
  })

  test('a submodule that the agent added is committed', async () => {
    const bench = await gitBench()
    const inner = await bench.repository('inner')
    const project = await bench.repository()
    const { place } = await bench.made(project)
    bench.run(place.path, 'submodule', '--quiet', 'add', inner, 'deps/inner')
    expect(await save(bench, place)).toMatchObject({ files: 2, problems: [] })
    expect(bench.run(project, 'ls-tree', place.branch, 'deps/inner')).toContain('160000 commit')
  })

  test('a merge that was begun is completed; with markers left in it nothing is committed', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'a.txt': 'theirs\n' })
    await save(bench, place)
    await bench.write(project, { 'a.txt': 'mine\n' })
    bench.run(project, 'commit', '-q', '-am', 'Mine')
    expect(() => bench.run(place.path, 'merge', '-q', 'main')).toThrow()
    const before = bench.run(project, 'rev-parse', place.branch)
    const marked = await save(bench, place)
    expect(marked.problems).toEqual([expect.stringContaining('Conflict markers are left in a.txt')])
    expect(bench.run(project, 'rev-parse', place.branch)).toBe(before)
    // As `ours` was: then there is no change against HEAD, and still a merge to complete.
    await bench.write(place.path, { 'a.txt': 'theirs\n' })
    bench.run(place.path, 'add', 'a.txt')
    expect(bench.run(place.path, 'status', '--porcelain')).toBe('')
    expect(await save(bench, place)).toMatchObject({ check: { kind: 'clean' }, problems: [] })
    expect(bench.run(project, 'log', '-1', '--format=%P', place.branch).trim().split(' ')).toHaveLength(2)
  })

  test('work on another branch or on none is on its own branch as well', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    bench.run(place.path, 'checkout', '-q', '-b', 'feature')
    await bench.write(place.path, { 'f.txt': 'x' })
    const feature = await save(bench, place)
    expect(bench.run(project, 'rev-parse', place.branch).trim()).toBe(feature.head)
    bench.run(place.path, 'checkout', '-q', '--detach')
    await bench.write(place.path, { 'g.txt': 'x' })
    const detached = await save(bench, place)
    expect(bench.run(project, 'rev-parse', place.branch).trim()).toBe(detached.head)
    bench.run(project, 'branch', '-q', '-m', place.branch, 'renamed')
    expect(await save(bench, place)).toMatchObject({ head: detached.head, problems: [] })
    bench.run(place.path, 'checkout', '-q', '--orphan', 'apart')
    await bench.write(place.path, { 'h.txt': 'x' })
    const apart = await save(bench, place)
    expect(apart).toMatchObject({
      head: detached.head,
      problems: [expect.stringContaining('on the branch apart')],
    })
    expect(bench.run(project, 'show', 'apart:h.txt')).toBe('x')
  })

  test('a folder that was deleted: what was committed is counted, and it is said', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'a.txt': 'x' })
    const { head } = await save(bench, place)
    await rm(place.path, { recursive: true })
    expect(await save(bench, place)).toMatchObject({
      head,
      commits: 1,
      unchanged: false,
      problems: [expect.stringContaining('was deleted')],
    })
  })

  test('a file that can’t be read stays in the folder, the rest is committed', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'good.txt': 'x' })
    // Root reads everything; a link to itself is read by nobody, and is committed as a link.
    await symlink('loop', join(place.path, 'loop'))
    if (process.getuid?.() !== 0) {
      await bench.write(place.path, { 'secret.txt': 'x' })
      await chmod(join(place.path, 'secret.txt'), 0)
    }
    const saved = await save(bench, place)
    expect(saved).toMatchObject({ files: 2 })
    expect(saved.problems.length).toBe(process.getuid?.() === 0 ? 0 : 1)
  })

  test.skipIf(process.platform !== 'linux')(
    'a lock of a dead git is removed; while somebody works there it stays, and so does the work',
    { timeout: 60_000 },
    async () => {
      const bench = await gitBench()
      const project = await bench.repository()
      const { place } = await bench.made(project)
      await bench.write(place.path, { 'a.txt': 'x' })
      for (const lock of [`worktrees/${place.id}/index.lock`, `refs/heads/${place.branch}.lock`])
        await writeFile(join(project, '.git', lock), '')
      const outcome = await removeStaleLockOf(bench, place)
      expect(outcome).toEqual({ whileInUse: 'kept', whenDead: 'committed' })
    },
  )
})

describe('files that .worktreeinclude names', () => {
  test('are copied with their modes, only plain ones from within, and are never committed', async () => {
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
    const { place, leftOut, notes } = await bench.made(project)
    expect(await filesIn(place.path)).toEqual(
      (await filesIn(project)).filter((file) => !/^(linked|not\.local|other\.txt)/.test(file)),
    )
    expect(leftOut).toEqual(['linked', 'nested/', 'not.local', 'other.txt'])
    expect(notes).toEqual([expect.stringContaining('1 of the files')])
    const [record] = await bench.records.all()
    expect(record?.copied).toEqual(['.env', 'dir/deep/z', 'keep.local', 'x [1] é.local'])

    // Commands of the agent see none of them, and the user's own list still holds.
    const environment = bench.worktrees.environment(place)
    await bench.write(place.path, { 'draft.swp': 's', 'work.txt': 'w', '.env': 'CHANGED' })
    const asAgent = (...args: readonly string[]) =>
      bench.run(place.path, '-c', `core.excludesFile=${environment['GIT_CONFIG_VALUE_0']}`, ...args)
    expect(environment).toMatchObject({
      GIT_CEILING_DIRECTORIES: join(place.path, '..'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.excludesFile',
    })
    // The project's own list takes this one back, which goes before.
    expect(asAgent('status', '--porcelain')).toBe('?? keep.local\n?? work.txt\n')
    const saved = await save(bench, place)
    expect(saved).toMatchObject({ files: 1, problems: [] })
    expect(bench.run(project, 'diff', '--name-only', 'main', place.branch)).toBe('work.txt\n')
  })

  test('that the agent adds by force are taken out again; that it commits are named', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': '1', '.worktreeinclude': '*.env\n' })
    await bench.write(project, { '1.env': 'x', '2.env': 'y' })
    const { place } = await bench.made(project)
    bench.run(place.path, 'add', '-f', '1.env')
    expect(await save(bench, place)).toMatchObject({ commits: 0, problems: [] })
    bench.run(place.path, 'add', '-f', '1.env')
    await bench.write(place.path, { 'b.txt': 'b' })
    expect(await save(bench, place)).toMatchObject({ commits: 1, files: 1, problems: [] })
    bench.run(place.path, 'add', '-f', '2.env')
    bench.run(place.path, 'commit', '-q', '-m', 'Oh')
    const saved = await save(bench, place)
    expect(saved.problems).toEqual([expect.stringContaining('2.env was only copied')])
  })

  test('without any, commands get no list of their own', async () => {
    const bench = await gitBench()
    const { place } = await bench.made(await bench.repository())
    expect(bench.worktrees.environment(place)).toEqual({
      GIT_CEILING_DIRECTORIES: join(place.path, '..'),
    })
  })
})
