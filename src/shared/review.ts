/** What Review shows: the worktrees of a repository, what is in them, and how they fit together. */
import { z } from 'zod'
import type { MergeCheck } from './worktree.ts'

/** A worktree of this program that is there, or whose branch is. */
export interface ReviewWorktree {
  readonly id: string
  readonly path: string
  readonly branch: string
  readonly base: string
  /** Where it is to be merged; null: no branch was checked out when it was made. */
  readonly target: string | null
  readonly agentId: string
  readonly conversationId: string
  /** The name of its definition. */
  readonly agentName: string
  /** A colour name of the eight, or `#hex`. */
  readonly color: string
  readonly task: string
  /** ms since the epoch. */
  readonly createdAt: number
  /**
   * `working`: its agent has not ended. `ready`: it has, and there is something to merge. `merged`: all of it is
   * in the target. `leftover`: nobody's any more (its making was cut off, or its conversation is gone).
   */
  readonly state: 'working' | 'ready' | 'merged' | 'leftover'
  /** How its agent ended; null: it has not, or nobody knows. */
  readonly ended: 'completed' | 'failed' | 'stopped' | null
  /** Its folder was deleted. What was committed is on its branch. */
  readonly folderGone: boolean
  /** On its branch, not in the target. */
  readonly commits: number
  /** Against where it left the target, uncommitted ones included. */
  readonly files: number
  readonly insertions: number
  readonly deletions: number
  /** Files with changes that are not committed. */
  readonly uncommitted: number
  /** Into the target, uncommitted changes included; null: it is being looked at. */
  readonly check: MergeCheck | null
  /** Other waiting worktrees that change the same places. */
  readonly conflictsWith: readonly { readonly id: string; readonly files: readonly string[] }[]
  /** What was merged last, and how. */
  readonly merged: {
    readonly into: string
    readonly commit: string
    readonly method: MergeMethod
    readonly at: number
  } | null
  /** A merge of the target into it that is not finished: files that still have conflicts. Null: none is under way. */
  readonly resolving: readonly string[] | null
  /** On the disk; null: not counted yet. */
  readonly bytes: number | null
  /** What a person should know: a commit under the program's name, submodules that are empty. */
  readonly notes: readonly string[]
  /** Why it can't be looked into, and what to do; null: it can. */
  readonly problem: string | null
}

/** A worktree that was discarded, and can be brought back until the next start. */
export interface DiscardedWorktree {
  readonly id: string
  readonly branch: string
  readonly agentName: string
  readonly at: number
}

export interface ReviewSnapshot {
  /** The folder that was asked for. */
  readonly folder: string
  readonly worktrees: readonly ReviewWorktree[]
  readonly discarded: readonly DiscardedWorktree[]
  /** Ids of those that are ready, in the order in which merging them conflicts least. */
  readonly order: readonly string[]
  /** Branches that can be merged into, the current one first; those of this program left out. */
  readonly branches: readonly string[]
  /** The branch that is checked out in the folder; null: none, or no repository. */
  readonly current: string | null
  /** Commits that the current branch has and its upstream has not; null: it has none. */
  readonly ahead: number | null
  /** Why there is nothing, in words: no repository, a git that is too old. */
  readonly problem: string | null
}

/** Of a folder in which there is nothing to review. */
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
  /** Of one that was renamed or copied. */
  readonly oldPath: string | null
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed' | 'conflicted'
  /** Null where it is not text. */
  readonly insertions: number | null
  readonly deletions: number | null
  /** Whether some of it is not committed. */
  readonly uncommitted: boolean
}

export interface ReviewCommit {
  readonly sha: string
  readonly subject: string
  readonly author: string
  readonly at: number
}

export interface ReviewChanges {
  readonly id: string
  /** The commit that files are compared with: where the branch left its target. */
  readonly from: string
  /** Changes with everything that is compared: by it a window knows whether it has the newest. */
  readonly version: string
  readonly files: readonly ReviewFile[]
  /** Newest first. */
  readonly commits: readonly ReviewCommit[]
  /** Files that are left out because there are more than can be shown. */
  readonly moreFiles: number
}

/** Both sides of a file. Null: it is not there on that side. */
export type ReviewFileText =
  | { readonly kind: 'text'; readonly before: string | null; readonly after: string | null }
  | { readonly kind: 'binary'; readonly bytesBefore: number | null; readonly bytesAfter: number | null }
  /** More than 2 MB on one side. */
  | { readonly kind: 'too-large'; readonly bytesBefore: number | null; readonly bytesAfter: number | null }
  /** A submodule: the commits it stands at. */
  | { readonly kind: 'submodule'; readonly before: string | null; readonly after: string | null }

/** A file as a merge would leave it. */
export interface ReviewConflict {
  readonly path: string
  /** With conflict markers, the worktree's own side below; null where it is not text, or one side deleted it. */
  readonly text: string | null
  /** In a few words: "both changed it", "deleted in main, changed here". */
  readonly because: string
}

export const mergeMethods = ['merge', 'squash', 'rebase', 'cherry-pick'] as const
export const mergeMethod = z.enum(mergeMethods)
export type MergeMethod = z.infer<typeof mergeMethod>

export const reviewComment = z.object({
  path: z.string().min(1).max(4096),
  line: z.number().int().positive(),
  /** The last line it is about, where it is about several. */
  lastLine: z.number().int().positive().nullable(),
  /** `before`: the line number is that of the old side. */
  side: z.enum(['before', 'after']),
  /** The lines themselves, as they were shown. */
  quote: z.string().max(4000),
  text: z.string().trim().min(1).max(20_000),
})
export type ReviewComment = z.infer<typeof reviewComment>
