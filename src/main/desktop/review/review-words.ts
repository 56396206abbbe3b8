/** What an agent is told about its work in a worktree: a person's comments, or conflicts to resolve. */
import type { ReviewComment, ReviewWorktree } from '../../../shared/review.ts'

type Work = Pick<ReviewWorktree, 'branch' | 'path' | 'target'>

/** All comments and the words around them, as one message. */
export function commentWords(work: Work, comments: readonly ReviewComment[], words: string): string {
  const general = words.trim()
  const count = comments.length === 1 ? 'one comment' : `${comments.length} comments`
  return [
    `The user has read your changes on the branch ${work.branch} in the review${comments.length === 0 ? '' : ` and left ${count} on them`}. The words below are the user's; lines that begin with ">" are quoted from your files.`,
    ...(general === '' ? [] : [general]),
    ...comments.map(
      (comment, index) => `${index + 1}. ${placeOf(comment)}\n${quoted(comment.quote)}${comment.text}`,
    ),
    `Work this in here, in your worktree (${work.path}). Line numbers are those of the moment at which the comments were written. At the end report, for each comment, what you changed or why you did not.`,
  ].join('\n\n')
}

/** `into`: the branch that was merged into the worktree. */
export function resolveWords(
  work: Work,
  { into, files }: { readonly into: string; readonly files: readonly string[] },
): string {
  if (files.length === 0)
    return `The user wants to merge your branch ${work.branch} into ${into}. A merge of ${into} into your worktree (${work.path}) is under way, and its conflicts are resolved. Look at git status, check that everything works, and finish it with git commit. At the end report what the user should look at again.`
  return [
    `The user wants to merge your branch ${work.branch} into ${into}, and the two changed the same places. ${into} was therefore merged into your worktree (${work.path}); the merge is not finished, and ${files.length === 1 ? 'this file has' : 'these files have'} conflicts:`,
    files.map((file) => `- ${file}`).join('\n'),
    `In each of them your side stands between "<<<<<<<" and "=======", and that of ${into} between "=======" and ">>>>>>>"; a file that only one side has was deleted on the other. Read what each side was for (git log and git diff show it) and keep what both meant to do: do not throw one side away only because that is quicker.`,
    `Leave no conflict markers behind. Then check that it works, as you would check your own changes (build, tests), and finish the merge with git add and git commit, on your own branch and in your worktree only. Do not touch ${into} itself. At the end report how you resolved each file, and what the user should look at again.`,
  ].join('\n\n')
}

function placeOf({ path, line, lastLine, side }: ReviewComment): string {
  const lines = lastLine === null || lastLine === line ? `${line}` : `${line}-${lastLine}`
  return `${path}:${lines}${side === 'before' ? ' (as it was before your change)' : ''}`
}

const quoted = (quote: string): string =>
  quote.trim() === ''
    ? ''
    : quote
        .replace(/\r?\n$/, '')
        .split('\n')
        .map((line) => `> ${line}\n`)
        .join('')
