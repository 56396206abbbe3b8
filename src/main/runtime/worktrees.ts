/**
 * The ports to git: worktrees for agents, and the review of what is in them. A list like ports.ts, which it
 * is a part of. A worktree is named by its id and any folder of its repository.
 */

import type { Result } from '../../shared/result.ts'
import type {
  MergeMethod,
  ReviewChanges,
  ReviewConflict,
  ReviewFileText,
  ReviewSnapshot,
} from '../../shared/review.ts'
import type { SavedWork, WorktreePlace } from '../../shared/worktree.ts'

/** For whom a worktree is made. */
export interface WorktreeOwner {
  readonly agentId: string
  readonly conversationId: string
  /** The name of its definition. */
  readonly name: string
  readonly color: string
  readonly task: string
}

export interface NewWorktree {
  readonly place: WorktreePlace
  /** The folder in it that matches the one it was made for, absolute: a project may be a part of its repository. */
  readonly cwd: string
  /** Files with changes in the parent's folder that are not committed and so not in it, at most 200; see `moreLeftOut`. */
  readonly leftOut: readonly string[]
  readonly moreLeftOut: number
  /** What user and agent should know: submodules that are empty, LFS files that are pointers. */
  readonly notes: readonly string[]
}

/**
 * Worktrees of agents. Nothing here falls back to the shared folder. Failures: `not-a-repository`, `no-commits`,
 * `bare`, `not-there` (its branch and commits are gone), `discarded`, `git` (git's own words), `io`, `aborted`.
 */
export interface Worktrees {
  /** From the HEAD of the checkout that `folder` is in. `carryOver`: with what is not committed there. */
  create(
    options: { readonly folder: string; readonly owner: WorktreeOwner; readonly carryOver: boolean },
    signal: AbortSignal,
  ): Promise<Result<NewWorktree>>
  /** It is there again: from its branch where its folder is gone, from its base where both were removed unchanged. */
  restore(place: WorktreePlace, signal: AbortSignal): Promise<Result<{ readonly notes: readonly string[] }>>
  /** Commits what is not, and says what there is. Work that can't be committed stays in the folder, and is said. */
  save(
    place: WorktreePlace,
    how: { readonly task: string; readonly ended: 'completed' | 'failed' | 'stopped' },
  ): Promise<Result<SavedWork>>
  /** Its agent does not run any more. Folder and branch are removed if nothing differs from the base. */
  release(place: WorktreePlace): Promise<void>
  /** For commands that run in it: git finds no repository above it, and leaves alone what was copied in. */
  environment(place: WorktreePlace): Readonly<Record<string, string>>
}

export interface WorktreeKey {
  /** Any folder of the repository. */
  readonly folder: string
  readonly id: string
}

export interface MergeOptions {
  readonly method: MergeMethod
  /** A branch; null: the one the worktree was made from, or else the one that is checked out. */
  readonly into: string | null
  /** Of `cherry-pick`: these commits, in the order in which they are applied. */
  readonly commits?: readonly string[]
  /** Of `merge` and `squash`; by default it names the task. */
  readonly message?: string
}

export interface MergedWork {
  readonly into: string
  /** The new tip of it. */
  readonly commit: string
  readonly commits: number
  readonly files: number
}

/**
 * The review of worktrees. Merging is worked out beside every checkout; the branch moves at the end, in one step,
 * or not at all. Failures, beside those of `Worktrees`: `conflicts` (nothing was changed), `would-overwrite`
 * (uncommitted changes in the checkout of the target are in the way), `nothing`, `in-use` (its agent works),
 * `unfinished` (conflict markers are left in it), `confirm` (words must be typed), `moved` (the target changed meanwhile).
 */
export interface Review {
  /** `thorough`: with merge checks and sizes; else those are null, and it is quick. */
  list(folder: string, options: { readonly thorough: boolean }): Promise<ReviewSnapshot>
  changes(key: WorktreeKey): Promise<Result<ReviewChanges>>
  file(key: WorktreeKey, path: string): Promise<Result<ReviewFileText>>
  /** What a merge into a branch (null: its target), or with another waiting worktree, would leave in conflict. */
  conflicts(
    key: WorktreeKey,
    other: { readonly into: string | null } | { readonly id: string },
  ): Promise<Result<readonly ReviewConflict[]>>
  merge(key: WorktreeKey, options: MergeOptions): Promise<Result<MergedWork>>
  /** Merges the target into the worktree and leaves the conflicts in its files, for its agent to resolve. */
  beginResolving(
    key: WorktreeKey,
  ): Promise<Result<{ readonly into: string; readonly files: readonly string[] }>>
  /** Takes that back: the worktree is as it was before. */
  abortResolving(key: WorktreeKey): Promise<Result<void>>
  /** Brings what is not committed in the checkout it was made from into the worktree. */
  carryOver(key: WorktreeKey): Promise<Result<{ readonly files: readonly string[] }>>
  /**
   * Removes folder and branch; what was in them is kept under `refs/troupe/trash/` until the next start.
   * `confirm`: the branch's name as a person typed it, needed where something is not merged.
   */
  discard(key: WorktreeKey, confirm: string | null): Promise<Result<void>>
  undoDiscard(key: WorktreeKey): Promise<Result<void>>
  /** Removes all whose work is merged. @returns the ids of those that are gone, and why others stay */
  removeMerged(folder: string): Promise<
    Result<{
      readonly removed: readonly string[]
      readonly kept: readonly { readonly id: string; readonly because: string }[]
    }>
  >
  /** At the start of the program: what was discarded before is dropped, and what was cut off in the making is tidied. */
  tidy(folder: string): Promise<void>
}
