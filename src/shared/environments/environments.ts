/** The environments of a folder's worktrees, as the window and the command line show them. */

import type { EnvironmentState, FoundCommands, RunCommand } from './environment.ts'
import type { Overlap } from './overlaps.ts'

/** Where a run command of a worktree is reached. */
interface EnvironmentPort {
  readonly name: string
  readonly port: number
  /** For the user's browser: `http://localhost:20010`. */
  readonly address: string
}

export interface WorktreeEnvironment {
  readonly id: string
  readonly path: string
  readonly branch: string
  readonly task: string
  readonly agentId: string
  readonly conversationId: string
  /** One of the eight color names, or `#hex`. */
  readonly color: string
  /** Whether its folder is there. */
  readonly isThere: boolean
  readonly state: EnvironmentState
  /** One a run command, in their order. */
  readonly ports: readonly EnvironmentPort[]
  /** Grows with its log. 0: nothing was run. */
  readonly logSize: number
}

/**
 * The user's decision about the commands of a folder. `none`: there are none. `invalid`: the file has a mistake.
 * `changed`: they differ from those that were approved (`former`).
 */
export type CommandApproval =
  | { readonly state: 'none' | 'invalid' | 'new' | 'approved' | 'refused' }
  | { readonly state: 'changed'; readonly former: unknown }

export interface FolderCommands extends FoundCommands {
  /** The checkout that the commands are read from. */
  readonly folder: string
  readonly approval: CommandApproval
  /** Names the commands as they are now, with the scripts that they name. */
  readonly digest: string
  /** The scripts that the commands name, by their path or name. They are approved with the commands. */
  readonly scripts: readonly string[]
}

export interface EnvironmentsSnapshot {
  /** The requested folder. */
  readonly folder: string
  readonly commands: FolderCommands | null
  readonly worktrees: readonly WorktreeEnvironment[]
  /** Lines that two of the worktrees change both, while an agent works in one of them. */
  readonly overlaps: readonly Overlap[]
  /** Why nothing is listed; null: no problem. */
  readonly problem: string | null
}

/** One line of a log. `source`: `setup`, `teardown`, `troupe` or the name of a run command. */
export interface OutputLine {
  /** ms since the epoch. */
  readonly at: number
  readonly source: string
  readonly text: string
}

export interface LogPage {
  /** The oldest first. */
  readonly lines: readonly OutputLine[]
  /** Whether there are or were earlier lines. */
  readonly isCut: boolean
}

/** The port of a run command: its place in the block. */
export const portOf = (run: readonly RunCommand[], name: string, base: number): number =>
  base +
  Math.max(
    0,
    run.findIndex((each) => each.name === name),
  )
