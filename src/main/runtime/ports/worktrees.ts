/** The ports to git: worktrees of agents, and the review of their work. Part of the list in ports.ts. */

import type { Failure, Result } from '../../../shared/kernel/result.ts'
import type {
  DiffPart,
  MergedWork,
  MergeMethod,
  RemovedWorktrees,
  ResolvedFile,
  ReviewChanges,
  ReviewComment,
  ReviewConflict,
  ReviewFileText,
  ReviewPicture,
  ReviewRange,
  ReviewSnapshot,
} from '../../../shared/worktrees/review.ts'
import type { SavedWork, WorktreeLocation } from '../../../shared/worktrees/worktree.ts'

/** The agent that a worktree is created for. */
export interface WorktreeOwner {
  readonly agentId: string
  readonly conversationId: string
  /** The name of its definition. */
  readonly name: string
  readonly color: string
  readonly task: string
}

/**
 * The treatment of the checkout's uncommitted changes in a new worktree: left out, added as a commit, or added as
 * uncommitted changes.
 */
export type CarryOver = 'no' | 'commit' | 'changes'

export interface NewWorktree {
  readonly location: WorktreeLocation
  /** The git tree of its files at the start. */
  readonly startTree: string
  /** The folder in the worktree that matches the requested folder, absolute: a project may be a part of its repository. */
  readonly cwd: string
  /** Uncommitted files of the parent's folder that the worktree lacks, at most 200. With `changes` also ignored files. */
  readonly leftOut: readonly string[]
  /** The number of such files beyond `leftOut`. */
  readonly moreLeftOut: number
  /** Facts for the user and the agent: empty submodules, LFS files that are pointers. */
  readonly notes: readonly string[]
}

/**
 * `no-commits`: the repository has none. `not-there`: the branch and its commits are gone. `discarded`: the user
 * discarded the worktree. `git`: a git command failed. `not-found`: the folder is gone.
 */
export interface WorktreeFailure extends Failure {
  readonly type:
    | 'not-a-repository'
    | 'bare'
    | 'no-commits'
    | 'not-there'
    | 'discarded'
    | 'git'
    | 'no-git'
    | 'io'
    | 'not-found'
    | 'aborted'
}

/** The content of a checkout. */
export interface CheckoutTrees {
  /** The git tree of the files, uncommitted ones included, without ignored files and files that are never carried over. */
  readonly tree: string
  /** The git tree of the last commit. */
  readonly headTree: string
}

export type WorktreeResult<T> = Result<T, WorktreeFailure>

/** Worktrees of agents. No method falls back to the shared folder. */
export interface Worktrees {
  /**
   * Creates a worktree from the HEAD of the checkout that `folder` is in.
   */
  create(
    options: { readonly folder: string; readonly owner: WorktreeOwner; readonly carryOver: CarryOver },
    signal: AbortSignal,
  ): Promise<WorktreeResult<NewWorktree>>
  /** The current content of the checkout that `folder` is in. A worktree made now with `changes` starts with its `tree`. */
  stateOf(folder: string, signal: AbortSignal): Promise<WorktreeResult<CheckoutTrees>>
  /** Restores a deleted folder from its branch, or from the base where both were removed because nothing had changed. */
  restore(
    location: WorktreeLocation,
    signal: AbortSignal,
  ): Promise<WorktreeResult<{ readonly notes: readonly string[] }>>
  /** Commits uncommitted work. Work that can't be committed stays in the folder and is reported as a problem. */
  save(
    location: WorktreeLocation,
    how: { readonly task: string; readonly ended: 'completed' | 'failed' | 'stopped' },
  ): Promise<WorktreeResult<SavedWork>>
  /**
   * Marks the worktree as unused. Its folder and its branch are removed if nothing differs from the base.
   * @returns whether they were removed
   */
  release(location: WorktreeLocation): Promise<boolean>
  /** Environment for commands in the worktree: git searches no parent folder and ignores files that were copied in. */
  environment(location: WorktreeLocation): Readonly<Record<string, string>>
}

export interface WorktreeKey {
  /** Any folder of the repository. */
  readonly folder: string
  readonly id: string
}

export interface MergeOptions {
  readonly method: MergeMethod
  /** A branch; null: the branch that the worktree was created from, or else the checked-out branch. */
  readonly into: string | null
  /** For `cherry-pick`: the commits, in the order to apply them. */
  readonly commits?: readonly string[]
  /** For `merge` and `squash`. Default: the task. */
  readonly message?: string
  /** The version that the user saw. Other work is refused as `moved`. Default: any work. */
  readonly seen?: string | null
}

export interface ResolvedMerge {
  /** A branch; null: the target of the worktree. */
  readonly into: string | null
  /** The version of the conflicts that the user resolved (`ReviewConflict.version`). */
  readonly version: string
  /** Every file in conflict. */
  readonly files: readonly ResolvedFile[]
  /** Null: the task. */
  readonly message: string | null
}

export interface TakeBack {
  /** Relative to the top. */
  readonly path: string
  /** The version of the changes that the user saw (`ReviewChanges.version`). */
  readonly version: string
  /** The changed lines to take back; null: the whole file. */
  readonly part: DiffPart | null
}

/**
 * `conflicts`, `would-overwrite` (uncommitted changes in the checkout of the target are in the way) and `moved` (the
 * branch got new commits meanwhile) leave everything unchanged. `in-use`: the agent still works. `unfinished`:
 * conflict markers or an unfinished merge. `confirm`: the branch's name must be typed. `nothing`: there is nothing to do.
 */
export type ReviewFailure = WorktreeFailure | ConfirmationFailure | RefusedReview

export interface RefusedReview extends Failure {
  readonly type: 'conflicts' | 'would-overwrite' | 'moved' | 'in-use' | 'unfinished' | 'nothing'
}

interface ConfirmationFailure extends Failure {
  readonly type: 'confirm'
  /** The content that a discard would lose, without the request to type the branch's name. */
  readonly stakes: string
}

export type ReviewResult<T> = Result<T, ReviewFailure>

/** The review of worktrees. A merge is computed without a checkout; then the branch moves in one step or not at all. */
export interface Review {
  /** @param options.thorough whether to include merge checks and sizes, which take longer; without it they are null */
  list(folder: string, options: { readonly thorough: boolean }): Promise<ReviewSnapshot>
  /**
   * The conversations with ready worktrees, in all repositories. `folderOf`: the folder of a conversation; null: its
   * repository must not be read.
   */
  conversations(folderOf: (conversationId: string) => string | null): Promise<readonly string[]>
  /** A text that changes when the result of `list` or of `changes` may change. Costs one `git status` for each worktree. */
  stamp(folder: string): Promise<string>
  /** @param range a part of the changes; default: all */
  changes(key: WorktreeKey, range?: ReviewRange | null): Promise<ReviewResult<ReviewChanges>>
  file(key: WorktreeKey, path: string, range?: ReviewRange | null): Promise<ReviewResult<ReviewFileText>>
  /** Both sides of a changed picture. Fails as `not-there` where neither is one. */
  picture(key: WorktreeKey, path: string, range?: ReviewRange | null): Promise<ReviewResult<ReviewPicture>>
  /** Sends comments with `send` and keeps them together with the work that they are about, to find their answer. */
  comment<F extends Failure>(
    key: WorktreeKey,
    asked: { readonly comments: readonly ReviewComment[]; readonly message: string },
    send: () => Promise<Result<{ readonly messageId: string }, F>>,
  ): Promise<Result<void, F | ReviewFailure>>
  /** The conflicts of a merge into a branch (null: its target) or with another unmerged worktree. */
  conflicts(
    key: WorktreeKey,
    other: { readonly into: string | null } | { readonly id: string },
  ): Promise<ReviewResult<readonly ReviewConflict[]>>
  merge(key: WorktreeKey, options: MergeOptions): Promise<ReviewResult<MergedWork>>
  /** Merges with conflicts that the user resolved. Computed without a checkout, like every merge. */
  mergeResolved(key: WorktreeKey, options: ResolvedMerge): Promise<ReviewResult<MergedWork>>
  /** Moves the target of the last merge back, while the merge is its newest commit and was not pushed. */
  undoMerge(key: WorktreeKey): Promise<ReviewResult<void>>
  /** Takes back a change of the worktree's work, as a commit on its branch. */
  takeBack(key: WorktreeKey, options: TakeBack): Promise<ReviewResult<void>>
  /** Undoes the newest `takeBack`, while its commit is the tip of the branch. */
  undoTakeBack(key: WorktreeKey): Promise<ReviewResult<void>>
  /**
   * Merges a branch into the worktree and leaves the conflicts in its files for its agent to resolve.
   * @param into the branch; default: the target
   */
  beginResolving(
    key: WorktreeKey,
    into?: string | null,
  ): Promise<ReviewResult<{ readonly into: string; readonly files: readonly string[] }>>
  /** Undoes `beginResolving`. */
  abortResolving(key: WorktreeKey): Promise<ReviewResult<void>>
  /** Copies the uncommitted changes of the checkout that the worktree was created from into the worktree. */
  carryOver(key: WorktreeKey): Promise<ReviewResult<{ readonly files: readonly string[] }>>
  /**
   * Removes the folder and the branch. Their content is kept under `refs/troupe/trash/` until the next start.
   * @param confirm the branch's name as the user typed it; required where something is not merged
   * @param seen the version that the user saw; other work is refused as `moved`. Default: any work
   */
  discard(key: WorktreeKey, confirm: string | null, seen?: string | null): Promise<ReviewResult<void>>
  undoDiscard(key: WorktreeKey): Promise<ReviewResult<void>>
  /** Removes the worktrees whose work is merged. @param ids the worktrees to choose from; default: all */
  removeMerged(folder: string, ids?: readonly string[] | null): Promise<ReviewResult<RemovedWorktrees>>
  /** Runs when the program starts: drops discarded worktrees and cleans up interrupted operations. */
  tidy(folder: string): Promise<void>
}
