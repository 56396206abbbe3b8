/** The git worktree of an agent, and the work that was saved in it. Both are parts of events. */
import { z } from 'zod'

/** The prefix of every branch that Troupe creates. */
export const BRANCH_PREFIX = 'troupe/'

/** The location of a worktree, as its record and its agent's log hold it. */
export const worktreeLocation = z.object({
  /** `fix-the-parser-a91e42`, after the task: the last part of its folder and of its branch. */
  id: z.string(),
  /** The top of its checkout, absolute, links resolved. */
  path: z.string(),
  branch: z.string(),
  /** The commit that the worktree was created from. */
  base: z.string(),
  /** The top of the checkout that the worktree was created from, links resolved. */
  from: z.string(),
  /** The branch that was checked out there and that the work is merged into; null: no branch was checked out. */
  target: z.string().nullable(),
})
export type WorktreeLocation = z.infer<typeof worktreeLocation>

/** The worktree that an agent works in. */
export const agentWorktree = worktreeLocation.extend({
  /** False: the worktree belongs to a parent of the agent. */
  own: z.boolean(),
  /** Absolute tops of other checkouts, as written and with links resolved. Paths in them mean paths in this worktree. */
  aliases: z.array(z.string()),
  /** Set if it is a repository of its own: its branches and tags concern nobody else. */
  isRepository: z.literal(true).optional(),
  /** The tree of the files at the start. Missing in older logs. */
  startTree: z.string().optional(),
})
export type AgentWorktree = z.infer<typeof agentWorktree>

/** The expected result of merging one branch into another. */
const mergeCheck = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('clean') }),
  z.object({ kind: z.literal('conflicts'), files: z.array(z.string()) }),
  /** The target already has all changes. */
  z.object({ kind: z.literal('nothing') }),
  /** The check failed for the reason in `because`. */
  z.object({ kind: z.literal('unknown'), because: z.string() }),
])
export type MergeCheck = z.infer<typeof mergeCheck>

/** The work in a worktree when the run of its agent ended. */
export const savedWork = z.object({
  /** The tip of the branch. */
  head: z.string(),
  /** Commits of the branch since the base. */
  commits: z.number().int(),
  files: z.number().int(),
  insertions: z.number().int(),
  deletions: z.number().int(),
  /** The expected merge into the target. */
  check: mergeCheck,
  /** Whether nothing differs from the base, so that folder and branch are removed. */
  unchanged: z.boolean(),
  /** The identity of the new commit. `fallback`: Troupe's, because git knows no name. Null: no commit was needed. */
  committedAs: z.enum(['user', 'fallback']).nullable(),
  /** Problems to show to the user: work that could not be committed, files that should not have been committed. */
  problems: z.array(z.string()),
})
export type SavedWork = z.infer<typeof savedWork>
