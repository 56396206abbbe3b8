/** The data of Review: the worktrees of a repository, their work, and the conflicts between them. */
import { z } from 'zod'
import type { MergeCheck } from './worktree.ts'

/** A worktree of Troupe whose folder or branch exists. */
export interface ReviewWorktree {
  readonly id: string
  readonly path: string
  readonly branch: string
  readonly base: string
  /** The branch to merge into; null: no branch was checked out when the worktree was created. */
  readonly target: string | null
  readonly agentId: string
  readonly conversationId: string
  /** The name of its definition. */
  readonly agentName: string
  /** One of the eight color names, or `#hex`. */
  readonly color: string
  readonly task: string
  /** ms since the epoch. */
  readonly createdAt: number
  /**
   * `working`: its agent is running. `ready`: its agent has ended, and there is work to merge. `merged`: the target has
   * all its work. `orphaned`: it belongs to no agent (its creation was interrupted, or its conversation is gone).
   */
  readonly state: 'working' | 'ready' | 'merged' | 'orphaned'
  /** How its agent ended; null: it is running, or its end is unknown. */
  readonly ended: 'completed' | 'failed' | 'stopped' | null
  /** Whether its folder was deleted. Committed work is on its branch. */
  readonly folderGone: boolean
  /** Changes with each commit and each uncommitted change, even if the figures stay equal. Empty: the work can't be read. */
  readonly version: string
  /** Commits of its branch that the target lacks. */
  readonly commits: number
  /** Changed files since the merge base with the target, including uncommitted changes. */
  readonly files: number
  readonly insertions: number
  readonly deletions: number
  /** The number of files with uncommitted changes. */
  readonly uncommitted: number
  /** The expected merge into the target, including uncommitted changes; null: not checked yet. */
  readonly check: MergeCheck | null
  /** Other unmerged worktrees with conflicting changes. */
  readonly conflictsWith: readonly { readonly id: string; readonly files: readonly string[] }[]
  /** The last merge. */
  readonly merged: {
    readonly into: string
    readonly commit: string
    readonly method: MergeMethod
    readonly at: number
    /** Whether the merge is the newest commit of its target. The undo also refuses merges that were pushed. */
    readonly undoable: boolean
  } | null
  /** The newest change that was taken back: a path, or "a part of" it. Null: none, or the undo is no longer possible. */
  readonly takenBack: { readonly what: string; readonly at: number } | null
  /** The files still in conflict in an unfinished merge of the target into the worktree; null: no merge is unfinished. */
  readonly resolving: readonly string[] | null
  /** What became of the last comments that were sent to its agent; null: none were sent, or it is unknown. */
  readonly asked: AskedReply['state'] | null
  /** Disk usage in bytes; null: not counted yet. */
  readonly bytes: number | null
  /** Notes for the user: a commit under Troupe's name, empty submodules. */
  readonly notes: readonly string[]
  /** Why its work can't be read, and the next step; null: it can be read. */
  readonly problem: string | null
}

/** A discarded worktree. The discard can be undone until the next start. */
export interface DiscardedWorktree {
  readonly id: string
  readonly branch: string
  readonly agentName: string
  readonly task: string
  readonly at: number
}

export interface ReviewSnapshot {
  /** The requested folder. */
  readonly folder: string
  readonly worktrees: readonly ReviewWorktree[]
  readonly discarded: readonly DiscardedWorktree[]
  /** The ids of the ready worktrees, in the merge order with the fewest conflicts. */
  readonly order: readonly string[]
  /** Branches to merge into, the current branch first, without branches of Troupe. */
  readonly branches: readonly string[]
  /** The branch that is checked out in the folder; null: no branch, or no repository. */
  readonly current: string | null
  /** The number of commits that the current branch is ahead of its upstream; null: it has no upstream. */
  readonly ahead: number | null
  /** Why the list is empty, as a message: no repository, an outdated git; null: no problem. */
  readonly problem: string | null
}

/** Why a folder that is not trusted has no review. */
export const NOT_TRUSTED =
  'Troupe does not read this folder’s repository, because the folder is not trusted. Trust the folder first.'

/** The snapshot of a folder without anything to review. */
export const emptyReview = (folder: string, problem: string | null): ReviewSnapshot => ({
  folder,
  worktrees: [],
  discarded: [],
  order: [],
  branches: [],
  current: null,
  ahead: null,
  problem,
})

export interface ReviewFile {
  readonly path: string
  /** The former path of a renamed or copied file. */
  readonly oldPath: string | null
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed' | 'conflicted'
  /** Null: the file is not text. */
  readonly insertions: number | null
  readonly deletions: number | null
  /** Whether the file has uncommitted changes. */
  readonly uncommitted: boolean
  /** Names the content and the mode of both sides: equal while the change stays the same. */
  readonly content: string
  /** Changes that the lines don't show: "Mode changed 644 → 755", "Renamed from a.ts", "Link to x → y". */
  readonly notes: readonly string[]
}

export interface ReviewCommit {
  readonly sha: string
  readonly subject: string
  readonly author: string
  readonly at: number
}

export interface ReviewChanges {
  readonly id: string
  /** The commit or tree that files are compared with. Without a range it is the merge base with the target. */
  readonly from: string
  /** Changes whenever a compared commit or tree changes, so that the window knows whether its copy is current. */
  readonly version: string
  readonly files: readonly ReviewFile[]
  /** All commits of the worktree, the newest first, also with a range. */
  readonly commits: readonly ReviewCommit[]
  /** The number of files above the limit of the list. */
  readonly moreFiles: number
  /** Comments that were sent to the agent, the newest first. */
  readonly asked: readonly AskedChange[]
}

/** Comments that were sent as one message. */
export interface AskedChange {
  /** ms since the epoch. */
  readonly at: number
  /** The work at that time, uncommitted changes included. */
  readonly commit: string
  readonly comments: readonly ReviewComment[]
  readonly message: string
  /** Who has changed files of the work since. `user`: no recorded call of an agent did. */
  readonly changedBy: 'nobody' | 'agent' | 'user' | 'both'
  /** Null: unknown, because the conversation can't be read or an earlier version sent them. */
  readonly reply: AskedReply | null
}

/** What became of comments that were sent to an agent. Times in ms since the epoch. */
export type AskedReply =
  /** They wait until the agent reads them. */
  | { readonly state: 'sent' }
  | { readonly state: 'read'; readonly at: number }
  /** `text`: the agent's last message about them, as markdown, with a heading for each comment. */
  | { readonly state: 'answered'; readonly at: number; readonly text: string }
  /** The agent read them, but its run ended before it answered. */
  | {
      readonly state: 'unanswered'
      readonly at: number
      readonly because: 'failed' | 'stopped' | 'interrupted'
    }

const commitId = z.string().regex(/^[0-9a-f]{40,64}$/)

/** A part of a worktree's changes: one commit, or everything since comments were sent (`AskedChange.commit`). */
export const reviewRange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('commit'), commit: commitId }),
  z.object({ kind: z.literal('since'), commit: commitId }),
])
export type ReviewRange = z.infer<typeof reviewRange>

/** Both sides of a file. Null: the file does not exist on that side. */
export type ReviewFileText =
  | { readonly kind: 'text'; readonly before: string | null; readonly after: string | null }
  | { readonly kind: 'binary'; readonly bytesBefore: number | null; readonly bytesAfter: number | null }
  /** More than 2 MB on one side. */
  | { readonly kind: 'too-large'; readonly bytesBefore: number | null; readonly bytesAfter: number | null }
  /** A submodule: the commit on each side. */
  | { readonly kind: 'submodule'; readonly before: string | null; readonly after: string | null }

/** One side of a changed picture. */
export interface PictureSide {
  readonly bytes: number
  /** Null: not a picture, or more than 10 MB. SVG may hold scripts: show it only where none runs, as in `<img>`. */
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml' | null
  /** Base64; null without a type. */
  readonly data: string | null
}

/** Both sides of a changed picture. Null: the file does not exist on that side. */
export interface ReviewPicture {
  readonly before: PictureSide | null
  readonly after: PictureSide | null
}

/** One side of a file in conflict. */
export interface ConflictSide {
  /** Null: not text (not UTF-8, a link, a submodule), or more than 2 MB. */
  readonly text: string | null
}

/** A file in conflict, as a merge would leave it. */
export interface ReviewConflict {
  readonly path: string
  /** Names the two merged commits. Equal for all conflicts of one merge. */
  readonly version: string
  /**
   * The text with conflict markers (zdiff3): the target's side, the lines before both changes, the worktree's side. Null:
   * not text, or deleted on one side.
   */
  readonly text: string | null
  /** The file before both changes, in the target (or the other worktree), and in the worktree. Null: it does not exist. */
  readonly base: ConflictSide | null
  readonly ours: ConflictSide | null
  readonly theirs: ConflictSide | null
  /** A short description: "both changed it", "deleted in main, changed here". */
  readonly because: string
}

/** Changed lines, numbered from 0 on each side. */
export const diffPart = z.object({
  before: z.number().int().nonnegative(),
  beforeCount: z.number().int().nonnegative(),
  after: z.number().int().nonnegative(),
  afterCount: z.number().int().nonnegative(),
})
export type DiffPart = z.infer<typeof diffPart>

/** How a file in conflict was resolved: with a text, or with one side as it is. */
export const resolvedFile = z.union([
  z.object({ path: z.string().min(1).max(4096), text: z.string().max(4_000_000) }).strict(),
  z.object({ path: z.string().min(1).max(4096), use: z.enum(['ours', 'theirs']) }).strict(),
])
export type ResolvedFile = z.infer<typeof resolvedFile>

const mergeMethods = ['merge', 'squash', 'rebase', 'cherry-pick'] as const
export const mergeMethod = z.enum(mergeMethods)
export type MergeMethod = z.infer<typeof mergeMethod>

export const reviewComment = z.object({
  path: z.string().min(1).max(4096),
  line: z.number().int().positive(),
  /** The last line of a comment on several lines; null: a single line. */
  lastLine: z.number().int().positive().nullable(),
  /** The side that the line numbers belong to. */
  side: z.enum(['before', 'after']),
  /** The text of the lines. */
  quote: z.string().max(4000),
  text: z.string().trim().min(1).max(20_000),
})
export type ReviewComment = z.infer<typeof reviewComment>

export interface MergedWork {
  readonly into: string
  /** The new tip of `into`. */
  readonly commit: string
  readonly commits: number
  readonly files: number
}

/** The result of removing all merged worktrees: the ids removed, and the reason for each one kept. */
export interface RemovedWorktrees {
  readonly removed: readonly string[]
  readonly kept: readonly { readonly id: string; readonly because: string }[]
}
