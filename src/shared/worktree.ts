/** A git worktree of an agent's own: where it works, and what came of the work. Both are parts of events. */
import { z } from 'zod'

/** The start of the name of each branch that this program makes. */
export const BRANCH_PREFIX = 'troupe/'

/** A worktree as its record, its branch and its agent's log name it. */
export const worktreePlace = z.object({
  /** `refactorer-a91e42`: the last part of its folder and of its branch. */
  id: z.string(),
  /** The top of its checkout, absolute, links resolved. */
  path: z.string(),
  branch: z.string(),
  /** The commit it began from. */
  base: z.string(),
  /** The top of the checkout it was made from, links resolved. */
  from: z.string(),
  /** The branch that was checked out there, into which its work is to be merged; null: none was. */
  target: z.string().nullable(),
})
export type WorktreePlace = z.infer<typeof worktreePlace>

/** The worktree that an agent works in. */
export const agentWorktree = worktreePlace.extend({
  /** False: it is that of the agent that started it, or of one above. */
  own: z.boolean(),
  /** Tops of other checkouts, absolute, as they are written and with links resolved: a path there means this worktree. */
  aliases: z.array(z.string()),
})
export type AgentWorktree = z.infer<typeof agentWorktree>

/** Whether a branch can be merged into another one. */
export const mergeCheck = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('clean') }),
  z.object({ kind: z.literal('conflicts'), files: z.array(z.string()) }),
  /** All of it is there already, or there is nothing. */
  z.object({ kind: z.literal('nothing') }),
  /** It could not be found out; the words say why. */
  z.object({ kind: z.literal('unknown'), because: z.string() }),
])
export type MergeCheck = z.infer<typeof mergeCheck>

/** What was in a worktree when its agent's run ended. */
export const savedWork = z.object({
  /** The tip of its branch. */
  head: z.string(),
  /** Of the branch, since the base. */
  commits: z.number().int(),
  files: z.number().int(),
  insertions: z.number().int(),
  deletions: z.number().int(),
  /** Into the target. */
  check: mergeCheck,
  /** Nothing differs from the base, so folder and branch go. */
  unchanged: z.boolean(),
  /** Whose name is on the commit that was made; `fallback`: git knows no name, so it is the program's. Null: none was needed. */
  committedAs: z.enum(['user', 'fallback']).nullable(),
  /** What a person should know: work that could not be committed, files that should not have been. */
  problems: z.array(z.string()),
})
export type SavedWork = z.infer<typeof savedWork>
