/** The window's commands about worktrees and their review. */
import { z } from 'zod'
import { command, id, none, path } from '../kernel/command.ts'
import { MESSAGE_LENGTH } from './merge-message.ts'
import {
  diffPart,
  type MergedWork,
  mergeMethod,
  type RemovedWorktrees,
  type ReviewChanges,
  type ReviewConflict,
  type ReviewFileText,
  type ReviewPicture,
  type ReviewSnapshot,
  resolvedFile,
  reviewComment,
  reviewRange,
} from './review.ts'

const branch = z.string().min(1).max(300)
/** The version of a worktree that was shown. Fails with `moved` if the worktree has another one. Null: not checked. */
const seen = z.string().max(300).nullable().default(null)
const range = reviewRange.nullable().default(null)

export const reviewContract = {
  /** The worktrees of the folder's repository. While watched, each change arrives as a `review` delta with merge checks. */
  'review.watch': command<ReviewSnapshot>()(() => z.object({ folder: path, watched: z.boolean() })),
  /** The ids of the conversations with work to review, of all trusted folders. Asks git: it takes longer than a list. */
  'review.conversations': command<readonly string[]>()(() => none),
  /** `range`: a part of the changes; null: all. */
  'review.changes': command<ReviewChanges>()(() => z.object({ folder: path, id, range })),
  'review.picture': command<ReviewPicture>()(() => z.object({ folder: path, id, path, range })),
  'review.file': command<ReviewFileText>()(() => z.object({ folder: path, id, path, range })),
  /** `with`: another waiting worktree; null: the branch `into`, or the worktree's target. */
  'review.conflicts': command<readonly ReviewConflict[]>()(() =>
    z.object({ folder: path, id, with: id.nullable(), into: branch.nullable() }),
  ),
  /** `conflicts` and `would-overwrite` change nothing. */
  'review.merge': command<MergedWork>()(() =>
    z.object({
      folder: path,
      id,
      method: mergeMethod,
      into: branch.nullable(),
      commits: z.array(z.string().regex(/^[0-9a-f]{4,64}$/)).max(1000),
      message: z.string().max(MESSAGE_LENGTH).nullable(),
      seen,
    }),
  ),
  /**
   * Merges with conflicts that the user resolved. `version`: that of the conflicts that were shown. Fails as
   * `unfinished` if a file is not resolved or holds conflict markers, as `moved` if one of the branches changed.
   */
  'review.mergeResolved': command<MergedWork>()(() =>
    z.object({
      folder: path,
      id,
      into: branch.nullable(),
      version: z.string().max(300),
      files: z.array(resolvedFile).max(3000),
      message: z.string().max(MESSAGE_LENGTH).nullable(),
    }),
  ),
  /** Moves the target of the last merge back. Fails if it has newer commits or was pushed. */
  'review.undoMerge': command<void>()(() => z.object({ folder: path, id })),
  /** Takes back a file, or changed lines of it (`part`). `version`: that of the changes that were shown. */
  'review.takeBack': command<void>()(() =>
    z.object({ folder: path, id, path, version: z.string().max(100_000), part: diffPart.nullable() }),
  ),
  'review.undoTakeBack': command<void>()(() => z.object({ folder: path, id })),
  /** Merges the branch `into` (null: the target) into the worktree; the agent resumes and resolves the conflicts. */
  'review.resolve': command<{ files: readonly string[] }>()(() =>
    z.object({ folder: path, id, into: branch.nullable().default(null) }),
  ),
  'review.abortResolve': command<void>()(() => z.object({ folder: path, id })),
  /** Sends all comments as one message; the agent resumes in its worktree. */
  'review.comment': command<void>()(() =>
    z.object({
      folder: path,
      id,
      comments: z.array(reviewComment).max(200),
      message: z.string().max(20_000),
    }),
  ),
  'review.carryOver': command<{ files: readonly string[] }>()(() => z.object({ folder: path, id })),
  /** `confirm`: the branch's name as typed. Fails with `confirm` if the name is required and does not match. */
  'review.discard': command<void>()(() =>
    z.object({ folder: path, id, confirm: z.string().max(300).nullable(), seen }),
  ),
  'review.undoDiscard': command<void>()(() => z.object({ folder: path, id })),
  /** `ids`: the worktrees that were shown; null: all merged ones. */
  'review.removeMerged': command<RemovedWorktrees>()(() =>
    z.object({ folder: path, ids: z.array(id).max(10_000).nullable().default(null) }),
  ),
} as const
