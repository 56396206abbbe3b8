/** The stored form of comparisons. */
import { z } from 'zod'

/** The command that checks an attempt, run in its worktree after the end of the agent. */
export const attemptCheck = z.object({
  /**
   * `waiting`: checks run one after another. `not-run`: it was not started, or did not come to its end; `because` says why.
   */
  state: z.enum(['waiting', 'running', 'passed', 'failed', 'not-run']),
  /** Null: it was ended. */
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
export const attempt = z.object({
  agentId: z.string(),
  /** The name of its definition. */
  agent: z.string(),
  /** The model that the user chose for it, as given; null: that of its definition. */
  model: z.string().nullable(),
  /** Null: it was not checked. */
  check: attemptCheck.nullable(),
})
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
