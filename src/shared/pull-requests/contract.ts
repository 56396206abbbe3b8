/** The window's commands about pull requests of worktrees. Only `open`, `reply` and `rerun` change something at the forge. */
import { z } from 'zod'
import { command, id, path } from '../kernel/command.ts'
import type { KnownPullRequest, OpenedPullRequest, PullRequestView, PushPreview } from './pull-request.ts'

/** A worktree. */
const worktree = { folder: path, id }
const commit = z.string().regex(/^[0-9a-f]{40,64}$/)

/** A branch name that is no option, no revision and no pattern of git. Git checks the rest. */
const branchName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^(?![-/.])(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[^\u0000-\u0020\u007f~^:?*[\\]+(?<![/.])$/, {
    message: 'not a branch name',
  })

/** The name of a remote, as git lists it. */
const remoteName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][\w./-]*$/)

const checkId = z.string().min(1).max(100)
const commentId = z.string().min(1).max(200)

export const pullRequestContract = {
  /** What is known without asking a forge. */
  'pullRequest.list': command<readonly KnownPullRequest[]>()(() => z.object({ folder: path })),
  /** Asks the forge, but not more often than it is due. `now`: the user asked for it. */
  'pullRequest.state': command<PullRequestView>()(() =>
    z.object({ ...worktree, now: z.boolean().default(false) }),
  ),
  /** What a push would send. Null: what Troupe proposes. Changes nothing. */
  'pullRequest.preview': command<PushPreview>()(() =>
    z.object({
      ...worktree,
      remote: remoteName.nullable(),
      branch: branchName.nullable(),
      base: branchName.nullable(),
    }),
  ),
  /**
   * Pushes the commit that was shown, and makes a pull request where `text` is given. `replaces`: the remote's commit
   * that the user saw replaced. Fails with `refused` if the remote refuses, with `moved` if it changed since, with
   * `login`, `offline` or `forge`; the message then says whether the commits were pushed.
   */
  'pullRequest.open': command<OpenedPullRequest>()(() =>
    z.object({
      ...worktree,
      remote: remoteName,
      branch: branchName,
      base: branchName,
      head: commit,
      replaces: commit.nullable(),
      text: z
        .object({
          title: z.string().trim().min(1).max(250),
          body: z.string().max(60_000),
          draft: z.boolean(),
        })
        .nullable(),
    }),
  ),
  /** The last part of a check's log, without secrets. */
  'pullRequest.log': command<string>()(() => z.object({ ...worktree, check: checkId })),
  /** Sends a failed check with its log to the agent, which resumes. */
  'pullRequest.sendCheck': command<void>()(() => z.object({ ...worktree, check: checkId })),
  'pullRequest.rerun': command<void>()(() => z.object({ ...worktree, check: checkId })),
  'pullRequest.sendComment': command<void>()(() => z.object({ ...worktree, comment: commentId })),
  /** Answers a comment at the forge, under the user's name. */
  'pullRequest.reply': command<void>()(() =>
    z.object({ ...worktree, comment: commentId, text: z.string().trim().min(1).max(20_000) }),
  ),
  /**
   * Removes the worktree of a merged pull request, as a discard that can be undone. Fails with `missing` if a commit or
   * a file of the worktree is not in it.
   */
  'pullRequest.remove': command<void>()(() => z.object(worktree)),
} as const
