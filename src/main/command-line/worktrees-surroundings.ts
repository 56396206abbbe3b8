/** What the commands behind `troupe worktrees` work with, and how each of them says no. */
import type { Review } from '../runtime/worktrees.ts'
import { EXIT } from './usage.ts'

export interface WorktreesSurroundings {
  readonly review: Review
  /** Real path. */
  readonly folder: string
  readonly trusted: boolean
  /** ms since the epoch. */
  readonly now: number
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
  /** Asks the person at the terminal for a line; null: nobody is there. */
  readonly ask: ((question: string) => Promise<string>) | null
}

/** Words for a person; with `--json` also a value for a program. */
export function refuse(
  json: boolean,
  { output, errors }: Pick<WorktreesSurroundings, 'output' | 'errors'>,
  failure: { readonly type: string; readonly message: string },
  more: object = {},
): number {
  const { type, message } = failure
  if (json) output.write(`${JSON.stringify({ failure: { type, message }, ...more })}\n`)
  errors.write(`troupe: ${message}\n`)
  return EXIT.failed
}
