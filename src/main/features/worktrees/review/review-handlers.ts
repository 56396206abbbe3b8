/** Answers the window about worktrees and their review. The window follows their list; see review-watch.ts. */
import type { HandlersOf } from '../../../../shared/ipc/handlers.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { MergedWork, ReviewComment, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import type { Runtime } from '../../../runtime/ports/runtime.ts'
import type { Review, WorktreeKey } from '../../../runtime/ports/worktrees.ts'

interface ReviewParts {
  readonly review: Review
  readonly runtime: Pick<Runtime, 'conversations' | 'dispatch' | 'workMerged'>
  readonly isTrusted: (folder: string) => boolean
}

export function reviewHandlers({
  review,
  runtime,
  isTrusted,
}: ReviewParts): Omit<HandlersOf<'review'>, 'review.watch'> {
  /** For merges and their undo: the conversation of the worktree's agent is told. `mergedOf`: null after an undo. */
  async function merging<T>(
    key: WorktreeKey,
    act: () => Promise<Result<T>>,
    mergedOf: (value: T) => MergedWork | null,
  ): Promise<Result<T>> {
    const worktree = await findWorktreeOf(review, key)
    const done = await act()
    if (!done.ok || !worktree.ok) return done
    const { conversationId, agentId } = worktree.value
    // The merge has happened, so a log that can't be written does not fail it.
    await runtime.workMerged({ conversationId, agentId, merged: mergedOf(done.value) })
    return done
  }

  return {
    'review.conversations': async () => {
      const all = await runtime.conversations()
      const folders = new Map(all.map(({ id, folder }) => [id, isTrusted(folder) ? folder : null]))
      return ok(await review.conversations((id) => folders.get(id) ?? null))
    },
    'review.changes': ({ range, ...key }) => review.changes(key, range),
    'review.picture': ({ path, range, ...key }) => review.picture(key, path, range),
    'review.file': ({ path, range, ...key }) => review.file(key, path, range),
    'review.conflicts': ({ with: other, into, ...key }) =>
      review.conflicts(key, other === null ? { into } : { id: other }),
    'review.merge': ({ method, into, commits, message, seen, ...key }) =>
      merging(
        key,
        () => review.merge(key, { method, into, commits, seen, ...(message === null ? {} : { message }) }),
        (merged) => merged,
      ),
    'review.mergeResolved': ({ folder, id, ...resolved }) =>
      merging(
        { folder, id },
        () => review.mergeResolved({ folder, id }, resolved),
        (merged) => merged,
      ),
    'review.undoMerge': (key) =>
      merging(
        key,
        () => review.undoMerge(key),
        () => null,
      ),
    'review.takeBack': ({ path, version, part, ...key }) => review.takeBack(key, { path, version, part }),
    'review.undoTakeBack': (key) => review.undoTakeBack(key),
    'review.resolve': async ({ into, ...key }) => {
      const worktree = await findWorktreeOf(review, key)
      if (!worktree.ok) return worktree
      const begun = await review.beginResolving(key, into)
      if (!begun.ok) return begun
      const sent = await messageAgent(runtime, worktree.value, resolveText(worktree.value, begun.value))
      if (sent.ok) return ok({ files: begun.value.files })
      // A merge in progress from before may hold the agent's resolutions.
      if (worktree.value.resolving !== null) return sent
      const undone = await review.abortResolving(key)
      const left = undone.ok ? '' : ` The started merge could not be undone: ${undone.failure.message}`
      return fail({ ...sent.failure, message: `${sent.failure.message} Nothing was merged.${left}` })
    },
    'review.abortResolve': (key) => review.abortResolving(key),
    'review.comment': async ({ comments, message, ...key }) => {
      if (comments.length === 0 && message.trim() === '')
        return fail({ type: 'empty', message: 'There is no comment to send. Write one first.' })
      const worktree = await findWorktreeOf(review, key)
      if (!worktree.ok) return worktree
      const text = commentText(worktree.value, comments, message)
      return review.comment(key, { comments, message }, () => messageAgent(runtime, worktree.value, text))
    },
    'review.carryOver': (key) => review.carryOver(key),
    'review.discard': ({ confirm, seen, ...key }) => review.discard(key, confirm, seen),
    'review.undoDiscard': (key) => review.undoDiscard(key),
    'review.removeMerged': ({ folder, ids }) => review.removeMerged(folder, ids),
  }
}

/** The worktree of a key in the list. Fails with `not-there`. */
export async function findWorktreeOf(
  review: Pick<Review, 'list'>,
  { folder, id }: WorktreeKey,
): Promise<Result<ReviewWorktree>> {
  const { worktrees, problem } = await review.list(folder, { thorough: false })
  const found = worktrees.find((worktree) => worktree.id === id)
  if (found !== undefined) return ok(found)
  return fail({
    type: 'not-there',
    message: problem ?? `The worktree ${id} no longer exists. Nothing was sent.`,
  })
}

/** Messages the worktree's agent, which resumes in its worktree if it has ended. */
export async function messageAgent(
  runtime: Pick<Runtime, 'dispatch'>,
  { conversationId, agentId, agentName }: ReviewWorktree,
  text: string,
): Promise<Result<{ readonly messageId: string }>> {
  const sent = await runtime.dispatch({ type: 'conversation.send', conversationId, agentId, content: text })
  if (sent.ok) return sent
  return fail({ ...sent.failure, message: `${sendFailure(agentName, sent.failure)} Nothing was sent.` })
}

function sendFailure(agent: string, failure: { readonly type: string; readonly message: string }): string {
  switch (failure.type) {
    case 'not-found':
      return `The conversation of ${agent} no longer exists. If it is in the trash, restore it first; otherwise start an agent on the branch.`
    case 'locked':
      return `Another Troupe runs the conversation of ${agent}. Send the message there, or close that Troupe first.`
    default:
      return `${agent} could not be messaged: ${failure.message}`
  }
}

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
    `Make the changes here, in your worktree (${work.path}). Line numbers are from the time of the comments. ${howToAnswer(comments.length)}`,
  ].join('\n\n')
}

/** The window shows the part below each heading under its comment. */
function howToAnswer(comments: number): string {
  if (comments === 0) return 'At the end report what you changed or why you did not.'
  const headings = comments === 1 ? '"### Comment 1"' : `"### Comment 1" to "### Comment ${comments}"`
  return `End with a last message that answers the user: what you changed, or why you did not. Begin ${comments === 1 ? 'it' : 'the answer to each comment'} with the heading ${headings}, because the user reads the answer under the comment in the review.`
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
