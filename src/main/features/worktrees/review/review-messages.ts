/** The messages to an agent about its worktree: a user's comments, or conflicts to resolve. */
import type { ReviewComment, ReviewWorktree } from '../../../../shared/worktrees/review.ts'

type Work = Pick<ReviewWorktree, 'branch' | 'path' | 'target'>

/** Joins all comments and the general remark into one message. */
export function commentText(work: Work, comments: readonly ReviewComment[], remark: string): string {
  const general = remark.trim()
  const count = comments.length === 1 ? 'one comment' : `${comments.length} comments`
  return [
    `The user reviewed your changes on the branch ${work.branch} in the review${comments.length === 0 ? '' : ` and left ${count} on them`}. The text below is the user's; lines that begin with ">" are quoted from your files.`,
    ...(general === '' ? [] : [general]),
    ...comments.map(
      (comment, index) => `${index + 1}. ${locationOf(comment)}\n${quoted(comment)}${comment.text}`,
    ),
    `Make the changes here, in your worktree (${work.path}). Line numbers are from the time of the comments. At the end report, for each comment, what you changed or why you did not.`,
  ].join('\n\n')
}

/** @param into the branch that was merged into the worktree */
export function resolveText(
  work: Work,
  { into, files }: { readonly into: string; readonly files: readonly string[] },
): string {
  if (files.length === 0)
    return `The user wants to merge your branch ${work.branch} into ${into}. A merge of ${into} into your worktree (${work.path}) is in progress, and its conflicts are resolved. Check git status, verify that everything works, and finish the merge with git commit. At the end report what the user should review again.`
  return [
    `The user wants to merge your branch ${work.branch} into ${into}, and both change the same lines. So ${into} was merged into your worktree (${work.path}). The merge is not finished, and ${files.length === 1 ? 'this file has' : 'these files have'} conflicts:`,
    files.map((file) => `- ${file}`).join('\n'),
    `In each file your side stands between "<<<<<<<" and "=======", and the side of ${into} between "=======" and ">>>>>>>". A file that only one side has was deleted on the other. Find out the purpose of each side (git log and git diff show it) and keep both purposes. Do not drop one side because that is quicker.`,
    `Leave no conflict markers behind. Then verify the result as you verify your own changes (build, tests), and finish the merge with git add and git commit, on your own branch and in your worktree only. Do not touch ${into} itself. At the end report how you resolved each file, and what the user should review again.`,
  ].join('\n\n')
}

function locationOf({ path, line, lastLine, side }: ReviewComment): string {
  const lines = lastLine === null || lastLine === line ? `${line}` : `${line}-${lastLine}`
  return `${path}:${lines}${side === 'before' ? ' (as it was before your change)' : ''}`
}

function quoted({ quote, line, lastLine }: ReviewComment): string {
  if (quote.trim() === '') return ''
  const lines = quote.replace(/\r?\n$/, '').split('\n')
  const cut = lines.length < (lastLine ?? line) - line + 1
  return `${lines.map((text) => `> ${text}\n`).join('')}${cut ? '(The quote is cut. The comment is about all of the lines.)\n' : ''}`
}
