/**
 * What is written down of each worktree, beside its folder: `<data folder>/worktrees/<repository>/<id>.json`.
 * It is there before the worktree is, so that nothing on the disk is nobody's.
 */
import { z } from 'zod'
import { mergeMethod } from '../../../shared/review.ts'
import { worktreePlace } from '../../../shared/worktree.ts'

const processIdentity = z.object({ pid: z.number().int(), start: z.string() })

export const worktreeRecord = worktreePlace.extend({
  v: z.literal(1),
  /** The repository's common git folder, links resolved: two checkouts of one repository share it. */
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
   * `making`: it may be half there. `there`. `removed`: nothing was in it, and it went with its branch.
   * `discarded`: a person threw it away; what was in it is under `refs/troupe/trash/<id>`.
   */
  state: z.enum(['making', 'there', 'removed', 'discarded']),
  /** The process whose agent works in it; null: none does. */
  holder: processIdentity.nullable(),
  /** How its agent's last run ended. */
  ended: z.enum(['completed', 'failed', 'stopped']).nullable(),
  /** Files that were copied in (.worktreeinclude), below the top: never committed. */
  copied: z.array(z.string()),
  /** The commit that it began with beyond its base: what was not committed in the checkout it was made from. */
  carried: z.string().nullable().default(null),
  /** The tip of its branch when it was last saved. */
  head: z.string().nullable(),
  merged: z
    .object({ into: z.string(), commit: z.string(), head: z.string(), method: mergeMethod, at: z.number() })
    .nullable(),
  /** A merge of the target into it that was begun for its agent to resolve, and the tip before. */
  resolving: z.object({ into: z.string(), before: z.string() }).nullable(),
  /** `head`: the commit that holds all there was. `undoing`: that process is bringing it back. */
  discarded: z
    .object({ at: z.number(), by: processIdentity, head: z.string(), undoing: z.boolean().default(false) })
    .nullable(),
  notes: z.array(z.string()),
})
export type WorktreeRecord = z.infer<typeof worktreeRecord>
