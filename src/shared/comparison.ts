/**
 * A comparison: the same task for several agents, each in its own worktree, and one command that checks each result.
 * The user compares the attempts and merges one.
 */
import { z } from 'zod'

/** The command that checks an attempt, run in its worktree after the end of the agent. */
export const attemptCheck = z.object({
  /**
   * `waiting`: checks run one after another. `not-run`: it was not started, or did not come to its end; `because` says why.
   */
  state: z.enum(['waiting', 'running', 'passed', 'failed', 'not-run']),
  /** Null: it did not end by itself. */
  exitCode: z.number().int().nullable(),
  /** How long it ran. */
  ms: z.number(),
  /** The end of its output, at most 8,000 characters. */
  output: z.string(),
  /** Whether `output` lacks a beginning. */
  isCut: z.boolean(),
  /** Why there is no exit code, as a sentence; null: it ended by itself, or runs. */
  because: z.string().nullable(),
  /** Whether it changed files of the worktree, which a merge would take along. */
  changedFiles: z.boolean(),
  /** ms since the epoch. */
  at: z.number(),
})
export type AttemptCheck = z.infer<typeof attemptCheck>

export const attempt = z.object({
  agentId: z.string(),
  /** The name of its definition. */
  agent: z.string(),
  /** The model that the user chose for it, as given; null: that of its definition. */
  model: z.string().nullable(),
  /** Null: it was not checked. */
  check: attemptCheck.nullable(),
})
export type Attempt = z.infer<typeof attempt>

export const mergedAttempt = z.object({
  agentId: z.string(),
  /** The branch. */
  into: z.string(),
  commit: z.string(),
})

export const comparison = z.object({
  /** `b-1`, `b-2`, … in a conversation. */
  id: z.string(),
  task: z.string(),
  /** The command that checks each attempt; null: none. */
  command: z.string().nullable(),
  /** The commit that all worktrees were made from. */
  base: z.string(),
  attempts: z.array(attempt),
  /** ms since the epoch. */
  startedAt: z.number(),
  /** The attempt that was merged last; null: none. */
  merged: mergedAttempt.nullable(),
})
export type Comparison = z.infer<typeof comparison>

/** Whether the check has not ended. */
export const isUnended = (check: AttemptCheck | null): check is AttemptCheck =>
  check?.state === 'waiting' || check?.state === 'running'

/** The attempt of an agent, with its comparison; null: the agent is none. */
export function attemptOf(
  comparisons: readonly Comparison[],
  agentId: string,
): { readonly comparison: Comparison; readonly attempt: Attempt } | null {
  for (const one of comparisons) {
    const found = one.attempts.find((other) => other.agentId === agentId)
    if (found !== undefined) return { comparison: one, attempt: found }
  }
  return null
}

/** The comparisons after a check of one attempt changed. */
export function withCheck(
  comparisons: readonly Comparison[],
  { id, agentId, check }: { readonly id: string; readonly agentId: string; readonly check: AttemptCheck },
): Comparison[] {
  return comparisons.map((one) =>
    one.id !== id
      ? one
      : {
          ...one,
          attempts: one.attempts.map((other) => (other.agentId === agentId ? { ...other, check } : other)),
        },
  )
}

/** The check of an attempt that the end of the program cut off. */
export const lostCheck = (check: AttemptCheck): AttemptCheck => ({
  ...check,
  state: 'not-run',
  because: `Troupe ended ${check.state === 'waiting' ? 'before the check ran' : 'while the check ran'}.`,
})

/** The checks that a dead program left running. */
export function lostChecks(
  comparisons: readonly Comparison[],
): readonly { readonly id: string; readonly agentId: string; readonly check: AttemptCheck }[] {
  return comparisons.flatMap(({ id, attempts }) =>
    attempts.flatMap(({ agentId, check }) =>
      isUnended(check) ? [{ id, agentId, check: lostCheck(check) }] : [],
    ),
  )
}
