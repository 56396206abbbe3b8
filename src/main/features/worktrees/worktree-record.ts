/**
 * The record of a worktree, beside its folder: `<data folder>/worktrees/<repository>/<id>.json`. It is written before
 * the worktree is created, so that every folder on the disk has an owner.
 */
import { z } from 'zod'
import { mergeMethod, reviewComment } from '../../../shared/worktrees/review.ts'
import { worktreeLocation } from '../../../shared/worktrees/worktree.ts'

const processIdentity = z.object({ pid: z.number().int(), start: z.string() })

const mergeRecord = z.object({
  into: z.string(),
  commit: z.string(),
  head: z.string(),
  method: mergeMethod,
  at: z.number(),
  /** The tip of `into` before the merge; null: a merge from before this was recorded. */
  before: z.string().nullable().default(null),
})

export const worktreeRecord = worktreeLocation.extend({
  v: z.literal(1),
  /** The git folder that all checkouts of the repository share, links resolved. */
  commonFolder: z.string(),
  owner: z.object({
    agentId: z.string(),
    conversationId: z.string(),
    name: z.string(),
    color: z.string(),
    task: z.string(),
  }),
  /** ms since the epoch. */
  createdAt: z.number(),
  /**
   * `making`: its creation is not complete. `there`: it exists. `removed`: it was unchanged and was removed with its
   * branch. `discarded`: the user discarded it; its content is kept under `refs/troupe/trash/<id>`.
   */
  state: z.enum(['making', 'there', 'removed', 'discarded']),
  /** The process whose agent works in the worktree; null: none does. */
  holder: processIdentity.nullable(),
  /** The end of its agent's last run. */
  ended: z.enum(['completed', 'failed', 'stopped']).nullable(),
  /** Paths of files that were copied in (.worktreeinclude). They are never committed. */
  copied: z.array(z.string()),
  /** The commit on top of the base that holds the uncommitted changes carried over from `from`; null: none were. */
  carried: z.string().nullable().default(null),
  /** `changes`: the worktree starts at its base, and the carried-over changes are uncommitted. */
  carriedAs: z.enum(['commit', 'changes']).default('commit'),
  /** The tip of the branch when the worktree was last saved. */
  head: z.string().nullable(),
  merged: mergeRecord.nullable(),
  /** Merges before the last one, the oldest first. */
  mergedBefore: z.array(mergeRecord).default([]),
  /** Commits that took back changes and that can be undone, the oldest first. `before`: the tip before the commit. */
  takenBack: z
    .array(z.object({ commit: z.string(), before: z.string(), what: z.string(), at: z.number() }))
    .default([]),
  /** A merge of the target into the worktree that its agent is to resolve, and the tip before the merge. */
  resolving: z.object({ into: z.string(), before: z.string() }).nullable(),
  /**
   * `head`: the commit that holds the discarded content. `checkedOut`: the former HEAD; null: unknown. `undoing`: the
   * process `by` is undoing the discard.
   */
  discarded: z
    .object({
      at: z.number(),
      by: processIdentity,
      head: z.string(),
      checkedOut: z.object({ commit: z.string(), ref: z.string().nullable() }).nullable().default(null),
      undoing: z.boolean().default(false),
    })
    .nullable(),
  notes: z.array(z.string()),
  /**
   * Comments that were sent to its agent, the oldest first. `commit`: the work at that time, under `refs/troupe/asked/`.
   * `messageId`: the message with them in its transcript; null: sent by an earlier version.
   */
  asked: z
    .array(
      z.object({
        at: z.number(),
        commit: z.string(),
        comments: z.array(reviewComment),
        message: z.string(),
        messageId: z.string().nullable().default(null),
      }),
    )
    .default([]),
})
export type WorktreeRecord = z.infer<typeof worktreeRecord>
