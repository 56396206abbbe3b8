/** The port to the shell. */

import type { Result } from '../../../shared/kernel/result.ts'
import type { CommandLimits } from './sandbox.ts'

export interface ShellRun {
  readonly command: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Receives output as it arrives, standard output and standard error together. */
  readonly onOutput: (text: string) => void
  /** Added to the environment of the command. */
  readonly environment?: Readonly<Record<string, string>>
  /** Runs it in the sandbox. Missing: it runs as the user's own commands do. */
  readonly limits?: CommandLimits
  /**
   * For a command in the background: receives finished lines as plain text. Its processes are found and ended also if
   * they left the process group.
   */
  readonly onLines?: (text: string) => void
}

export interface ShellEnd {
  /** Plain text: no control characters except tabs and line ends, each line in its last state. */
  readonly output: string
  /** Null if a signal ended the command. */
  readonly exitCode: number | null
  readonly ended: 'exit' | 'timeout' | 'aborted'
  /** The shell's folder afterwards. */
  readonly cwd: string
  /** Whether processes that the command left in the background were ended. */
  readonly endedBackground?: boolean
  /** Hosts that a command in the sandbox did not reach because they are not allowed. */
  readonly refusedHosts?: readonly string[]
  /** Sentences for the agent about a command in the sandbox: what it could not change, what was not kept. */
  readonly sandboxNotes?: readonly string[]
}

/**
 * Runs each command in a process group of its own. The whole group ends: SIGTERM, then SIGKILL after 2 s. Fails with
 * `not-found` (the folder), `too-long` (the command), `sandbox` (the sandbox could not start) or `io`.
 */
export interface Shell {
  run(run: ShellRun): Promise<Result<ShellEnd>>
}
