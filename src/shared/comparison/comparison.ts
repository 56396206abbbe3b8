/**
 * A comparison: the same task for several agents, each in its own worktree, and one command that checks each result.
 * The user compares the attempts and merges one.
 */
import type { z } from 'zod'
import type { attempt, attemptCheck, comparison } from './comparison-schema.ts'

export type AttemptCheck = z.infer<typeof attemptCheck>
export type Attempt = z.infer<typeof attempt>
export type Comparison = z.infer<typeof comparison>

/** Whether the check has not ended. */
const isUnended = (check: AttemptCheck | null): check is AttemptCheck =>
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
const lostCheck = (check: AttemptCheck): AttemptCheck => ({
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

/** The number of agents in a comparison. Not beside the schemas, which the window does not load. */
export const FEWEST_ATTEMPTS = 2
export const MOST_ATTEMPTS = 8
