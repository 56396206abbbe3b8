/** The context of the `troupe worktrees` commands, and their way to report a failure. */

import { EXIT } from '../../../platform/command-line/usage.ts'
import type { Comparisons } from '../../../runtime/comparisons.ts'
import type { Review } from '../../../runtime/worktrees.ts'

export interface WorktreesContext {
  readonly review: Review
  /** Records the merge of an attempt in its comparison. */
  readonly workMerged: Comparisons['workMerged']
  /** Real path. */
  readonly folder: string
  readonly trusted: boolean
  /** ms since the epoch. */
  readonly now: number
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
  /** Asks the user at the terminal for a line; null: no user is there. */
  readonly ask: ((question: string) => Promise<string>) | null
}

/** Prints a failure to standard error, and with `--json` also to standard output. @returns the exit code */
export function refuse(
  { json, output, errors }: Pick<WorktreesContext, 'output' | 'errors'> & { readonly json: boolean },
  { type, message }: { readonly type: string; readonly message: string },
  more: object = {},
): number {
  if (json) output.write(`${JSON.stringify({ failure: { type, message }, ...more })}\n`)
  errors.write(`troupe: ${message}\n`)
  return EXIT.failed
}
