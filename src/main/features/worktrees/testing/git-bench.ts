/** Real repositories in a temporary folder, git without this machine's settings, and worktrees of the repositories. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Result } from '../../../../shared/kernel/result.ts'
import { createGit, type Git } from '../../../platform/git/git-client.ts'
import type { CarryOver, NewWorktree, WorktreeOwner, Worktrees } from '../../../runtime/ports/worktrees.ts'
import { createWorktrees } from '../create-worktrees.ts'
import { createWorktreeRecords, type WorktreeRecords } from '../worktree-records.ts'

export interface GitBench {
  readonly folder: string
  readonly home: string
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string>>
  readonly git: Git
  readonly worktrees: Worktrees
  readonly records: WorktreeRecords
  /** All reported problems. */
  readonly problems: readonly string[]
  /** Runs git as a user would, and returns its output. */
  run(folder: string, ...args: readonly string[]): string
  write(folder: string, files: Readonly<Record<string, string>>): Promise<void>
  /** A repository with one commit. */
  repository(name?: string, files?: Readonly<Record<string, string>>): Promise<string>
  create(
    folder: string,
    options?: { readonly carryOver?: boolean | CarryOver; readonly owner?: Partial<WorktreeOwner> },
  ): Promise<Result<NewWorktree>>
  /** The same, but a failure ends the test. */
  made(
    folder: string,
    options?: { readonly carryOver?: boolean | CarryOver; readonly owner?: Partial<WorktreeOwner> },
  ): Promise<NewWorktree>
}

/** `named`: whether git has an identity for commits. */
export async function gitBench({ named = true }: { readonly named?: boolean } = {}): Promise<GitBench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-git-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(folder, 'home')
  const dataFolder = join(folder, 'data')
  await mkdir(home)
  const environment = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const identity = '[user]\n\tname = Ada\n\temail = ada@example.org\n'
  await writeFile(
    join(home, '.gitconfig'),
    `${named ? identity : ''}[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n`,
  )
  const git = createGit({ environment })
  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const worktrees = createWorktrees({ git, dataFolder, now: () => 1_750_000_000_000, onProblem })
  const nameless = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  }
  const run = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd,
      env: { ...environment, ...nameless, GIT_OPTIONAL_LOCKS: '0' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    })
  const create: GitBench['create'] = (from, { carryOver = false, owner = {} } = {}) =>
    worktrees.create(
      { folder: from, owner: { ...anOwner(), ...owner }, carryOver: howToCarry(carryOver) },
      new AbortController().signal,
    )
  return {
    folder,
    home,
    dataFolder,
    environment,
    git,
    worktrees,
    records: createWorktreeRecords({ dataFolder, onProblem }),
    problems,
    run,
    write: writeFiles,
    async repository(name = 'project', files = { 'a.txt': 'one\n', 'lib/b.txt': 'two\n' }) {
      const location = join(folder, name)
      await mkdir(location, { recursive: true })
      run(location, 'init', '-q')
      await writeFiles(location, files)
      run(location, 'add', '-A')
      run(location, 'commit', '-q', '-m', 'First')
      return location
    },
    create,
    async made(from, options) {
      const result = await create(from, options)
      if (!result.ok) throw new Error(result.failure.message)
      return result.value
    },
  }
}

const howToCarry = (carryOver: boolean | CarryOver): CarryOver =>
  typeof carryOver === 'string' ? carryOver : carryOver ? 'commit' : 'no'

let owners = 0

/** A new one for each call. */
export function anOwner(): WorktreeOwner {
  owners++
  return {
    agentId: `a-01jd0m4k2z${String(owners).padStart(6, '0')}`,
    conversationId: 'c-1',
    name: 'Builder',
    color: 'blue',
    task: 'Fix the parser',
  }
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/** The parts of a checkout and its repository that must stay unchanged: refs, worktrees, index, stashes, each file. */
export async function pictureOf(
  bench: GitBench,
  checkout: string,
): Promise<Readonly<Record<string, string>>> {
  const asked = (...args: readonly string[]) => {
    try {
      return bench.run(checkout, ...args)
    } catch (error) {
      return `refused: ${(error as { stderr?: string }).stderr}`
    }
  }
  const gitFolder = asked('rev-parse', '--path-format=absolute', '--git-dir').trim()
  return {
    refs: asked('for-each-ref'),
    head: asked('symbolic-ref', '-q', 'HEAD') + asked('rev-parse', '-q', '--verify', 'HEAD'),
    worktrees: asked('worktree', 'list', '--porcelain'),
    status: asked('status', '--porcelain=v2', '-uall'),
    stashes: asked('stash', 'list'),
    settings: asked('config', '--list', '--local'),
    index: digest(() => readFileSync(join(gitFolder, 'index'))),
    files: (await filesIn(checkout)).join('\n'),
  }
}

function digest(read: () => Buffer): string {
  try {
    return createHash('sha256').update(read()).digest('hex')
  } catch {
    return 'none'
  }
}

/** Every file below a folder with its mode and content, git's own left out. */
export async function filesIn(folder: string, below = ''): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of (await readdir(join(folder, below)).catch(() => [])).sort()) {
    if (name === '.git') continue
    const path = join(below, name)
    const stat = await lstat(join(folder, path))
    if (stat.isDirectory()) found.push(...(await filesIn(folder, path)))
    else if (stat.isSymbolicLink()) found.push(`${path} -> ${await readlink(join(folder, path))}`)
    else if (stat.isFile())
      found.push(
        `${path} ${(stat.mode & 0o777).toString(8)} ${(await readFile(join(folder, path))).toString('hex').slice(0, 200)}`,
      )
  }
  return found
}

/** The content of the worktrees folder, for all repositories: folders, records, drafts. */
export async function remainsIn(dataFolder: string): Promise<readonly string[]> {
  const top = join(dataFolder, 'worktrees')
  const folders = await readdir(top).catch(() => [])
  const names = await Promise.all(folders.map((name) => readdir(join(top, name))))
  return names.flat().sort()
}
