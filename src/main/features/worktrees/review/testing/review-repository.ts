/** A repository with worktrees of agents, as tests of the review need it: real git, in a folder of its own. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Result } from '../../../../../shared/kernel/result.ts'
import type { ReviewWorktree } from '../../../../../shared/worktrees/review.ts'
import type { WorktreeLocation } from '../../../../../shared/worktrees/worktree.ts'
import { createGit, type Git } from '../../../../platform/git/git-client.ts'
import type { LockRetryOptions } from '../../../../platform/git/lock-retries.ts'
import { createWorktrees } from '../../create-worktrees.ts'
import { createReview } from '../create-review.ts'
import { gitEnvironment } from './git-environment.ts'

type Files = Readonly<Record<string, string | Buffer | null>>

export interface ReviewRepository {
  /** What the recorded changes of agents say; null: not known. */
  agentsChanged(paths: readonly string[] | null): void
  readonly home: string
  readonly folder: string
  readonly dataFolder: string
  readonly git: Git
  readonly review: ReturnType<typeof createReview>
  readonly worktrees: ReturnType<typeof createWorktrees>
  readonly problems: string[]
  /** Git's output, trimmed at the end. A failure ends the test. */
  run(folder: string, ...args: readonly string[]): Promise<string>
  /** Writes files (null deletes one) below a folder. */
  write(folder: string, files: Files): Promise<void>
  /** Writes and commits in the user's checkout. */
  commit(files: Files, message?: string): Promise<string>
  /** Conversation and agent of each worktree that was discarded. */
  readonly discarded: readonly string[]
  /** A worktree whose agent has ended, with one commit for each of these changes. */
  work(
    id: string,
    commits: readonly Files[],
    ended?: 'completed' | 'failed' | 'stopped',
  ): Promise<WorktreeLocation>
  /** A worktree whose agent still works: nothing is saved yet. */
  begin(id: string): Promise<WorktreeLocation>
  /** The log of a branch as a graph: subjects only. */
  graph(ref: string): Promise<string>
  /** The whole state of a checkout: HEAD, index, files, stashes. */
  state(folder: string): Promise<Readonly<Record<string, string>>>
  listed(id: string): Promise<ReviewWorktree>
  remove(): Promise<void>
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}

let clock = 1_700_000_000_000

/** @param options.wrap wraps the git client, to observe calls or let them fail */
export async function createReviewRepository(
  options: {
    readonly wrap?: (git: Git) => Git
    readonly name?: string
    readonly lockRetries?: LockRetryOptions
  } = {},
): Promise<ReviewRepository> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'troupe-review-')))
  const folder = join(home, options.name ?? 'project')
  const dataFolder = join(home, 'data')
  const environment = gitEnvironment(home)
  const git = createGit({ environment })
  const problems: string[] = []
  const ports = { dataFolder, now: () => ++clock, onProblem: (text: string) => problems.push(text) }
  const discarded: string[] = []
  let byAgents: readonly string[] | null = null
  const review = createReview({
    ...ports,
    git: options.wrap?.(git) ?? git,
    ...(options.lockRetries && { lockRetries: options.lockRetries }),
    changedByAgents: async () => byAgents && new Set(byAgents),
    onDiscarded: async ({ conversationId, agentId }) => {
      discarded.push(`${conversationId} ${agentId}`)
    },
  })
  const worktrees = createWorktrees({ ...ports, git })

  const run = async (at: string, ...args: readonly string[]) => value(await git.run(at, args)).trimEnd()
  async function write(at: string, files: Files) {
    for (const [path, content] of Object.entries(files)) {
      const full = join(at, path)
      await mkdir(dirname(full), { recursive: true })
      if (content === null) await rm(full, { recursive: true })
      else await writeFile(full, content)
    }
  }
  async function commit(files: Files, message = 'Work of a person') {
    await write(folder, files)
    await run(folder, 'add', '-A')
    await run(folder, 'commit', '-qm', message)
    return run(folder, 'rev-parse', 'HEAD')
  }
  async function begin(id: string) {
    const owner = {
      agentId: `agent-${id}`,
      conversationId: 'conversation-1',
      name: id,
      color: 'blue',
      task: `Task of ${id}`,
    }
    const made = await worktrees.create({ folder, owner, carryOver: 'no' }, new AbortController().signal)
    return value(made).location
  }
  async function work(
    id: string,
    commits: readonly Files[],
    ended: 'completed' | 'failed' | 'stopped' = 'completed',
  ) {
    const location = await begin(id)
    for (const [index, files] of commits.entries()) {
      await write(location.path, files)
      await run(location.path, '--literal-pathspecs', 'add', '-A', '--', ...Object.keys(files))
      await run(location.path, 'commit', '-qm', `${id} ${index + 1}`)
    }
    value(await worktrees.save(location, { task: `Task of ${id}`, ended }))
    await worktrees.release(location)
    return location
  }

  await mkdir(folder)
  await run(folder, 'init', '-q', '-b', 'main')
  await commit({ 'a.txt': lines('a', 12), 'b.txt': lines('b', 12), 'docs/read me.md': 'Read me.\n' }, 'Begin')
  return {
    agentsChanged(paths) {
      byAgents = paths
    },
    home,
    folder,
    dataFolder,
    git,
    review,
    worktrees,
    problems,
    discarded,
    run,
    write,
    commit,
    work,
    begin,
    graph: async (ref) => (await run(folder, 'log', '--graph', '--format=%s', ref)).replace(/ +$/gm, ''),
    async state(at) {
      const index = await run(at, 'rev-parse', '--path-format=absolute', '--git-path', 'index')
      return {
        head: await run(at, 'rev-parse', 'HEAD'),
        ref: await run(at, 'rev-parse', '--symbolic-full-name', 'HEAD'),
        index: (await readFile(index)).toString('hex'),
        status: await run(at, 'status', '--porcelain=v2', '--untracked-files=all', '--ignored'),
        unstaged: await run(at, 'diff'),
        staged: await run(at, 'diff', '--cached'),
        stashes: await run(at, 'stash', 'list', '--format=%H'),
      }
    },
    async listed(id) {
      const { worktrees: all } = await review.list(folder, { thorough: true })
      const found = all.find((one) => one.id === id)
      expect(found, `worktree ${id} in ${all.map((one) => one.id)}`).toBeDefined()
      return found as ReviewWorktree
    },
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  }
}

/** "a 1" to "a 12", one per line. */
export function lines(word: string, count: number, changed: Readonly<Record<number, string>> = {}): string {
  return Array.from(
    { length: count },
    (_, index) => `${changed[index + 1] ?? `${word} ${index + 1}`}\n`,
  ).join('')
}

/** The same client, which reports each call. */
export function countCalls(git: Git, tell: (text: string) => void): Git {
  return {
    run(folder, args, options) {
      tell(args.join(' '))
      return git.run(folder, args, options)
    },
    bytes(folder, args, options) {
      tell(args.join(' '))
      return git.bytes(folder, args, options)
    },
    answers(folder, args, options) {
      tell(args.join(' '))
      return git.answers(folder, args, options)
    },
  }
}
