/** The window's commands about the environments of worktrees. */
import { z } from 'zod'
import { command, id, path } from '../kernel/command.ts'
import type { Result } from '../kernel/result.ts'
import type { EnvironmentsSnapshot, LogPage, OutputLine } from './environments.ts'

const worktree = { folder: path, id }
/** Of a run command. Null: all of them, or the first. */
const name = z.string().min(1).max(30).nullable()

export const environmentContract = {
  /** The environments of the folder's worktrees. Each change arrives as an `environments` delta until another folder is asked about. */
  'environment.state': command<EnvironmentsSnapshot>()(() => z.object({ folder: path })),
  /** Opens the address of a run command in the user's browser. */
  'environment.open': command<void>()(() => z.object({ ...worktree, name: z.string().min(1).max(30) })),
  /** `digest`: that of the commands that were shown. Fails with `moved` where they have changed since. */
  'environment.decide': command<void>()(() =>
    z.object({ folder: path, digest: z.string().max(200), decision: z.enum(['approved', 'refused']) }),
  ),
  /** Begins the set-up, again if it failed. Resolves when it has begun. */
  'environment.setUp': command<void>()(() => z.object(worktree)),
  /** The worktree goes on without its set-up; one that runs is stopped. */
  'environment.skip': command<void>()(() => z.object(worktree)),
  /** Starts a run command; null: all. Resolves when they have begun. */
  'environment.run': command<void>()(() => z.object({ ...worktree, name })),
  /** Ends a run command with everything that it started; null: all, and the set-up. */
  'environment.stop': command<void>()(() => z.object({ ...worktree, name })),
  /** The last lines of the log. `source`: only those of it. */
  'environment.log': command<LogPage>()(() =>
    z.object({ ...worktree, source: name, lines: z.int().min(1).max(5000) }),
  ),
} as const

/** The environments of worktrees, for the window and the command line. */
export interface Environments {
  state(folder: string): Promise<EnvironmentsSnapshot>
  /** Calls back soon after a change, also by another program. @returns the function that stops it */
  watch(folder: string, listener: (snapshot: EnvironmentsSnapshot) => void): () => void
  /** Fails with `moved`, `none` or `io`. */
  decide(given: {
    readonly folder: string
    readonly digest: string
    readonly decision: 'approved' | 'refused'
  }): Promise<Result<void>>
  /** Fails with `not-found`, `waiting` (for approval), `running` or `no-ports`. */
  setUp(key: EnvironmentKey): Promise<Result<void>>
  skip(key: EnvironmentKey): Promise<Result<void>>
  run(key: EnvironmentKey & { readonly name: string | null }): Promise<Result<void>>
  stop(key: EnvironmentKey & { readonly name: string | null }): Promise<Result<void>>
  log(
    key: EnvironmentKey & { readonly source: string | null; readonly lines: number },
  ): Promise<Result<LogPage>>
  /** Resolves when nothing of the worktree runs in this program. */
  idle(key: EnvironmentKey): Promise<void>
  /** Calls back with each line that this program logs. @returns the function that stops it */
  follow(key: EnvironmentKey, listener: (line: OutputLine) => void): () => void
  /** Calls back after a change of any environment or its log. @returns the function that stops it */
  subscribe(listener: (what: 'state' | 'output') => void): () => void
}

export interface EnvironmentKey {
  /** Any folder of the repository. */
  readonly folder: string
  readonly id: string
}
