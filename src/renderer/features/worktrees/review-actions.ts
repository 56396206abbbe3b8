/** The user's actions on worktrees. Actions that return an answer leave failures to their caller; others show a notice. */
import type { Answer, CommandInput, CommandOutput } from '../../../shared/ipc/ipc-contract.ts'
import type { DiffPart, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { setReviewBusy, snapshotNow, worktreeNow } from '../../stores/review-store.ts'
import { count } from '../../ui/text/format.ts'
import {
  cancelComment,
  changeReviewDraft,
  draftKeyOf,
  finishComment,
  reviewDraftOf,
} from './review-comments.ts'
import { worktreeName } from './worktree-text.ts'

type MergeChoices = Omit<CommandInput<'review.merge'>, 'folder'>

/** Shows a notice after a successful merge. */
export async function mergeWorktree(
  folder: string,
  choices: MergeChoices,
): Promise<Answer<CommandOutput<'review.merge'>>> {
  const name = nameNow(choices.id)
  const answer = await during(choices.id, 'Merging…', () => command('review.merge', { folder, ...choices }))
  if (answer.ok) {
    const { into, commits, files, commit } = answer.value
    showNotice({
      level: 'info',
      text: `Merged ${name} into ${into}: ${count(commits, 'commit')}, ${count(files, 'file')} (${commit.slice(0, 8)}).`,
      action: { label: 'Undo', run: () => void undoMerge(folder, choices.id) },
    })
  }
  return answer
}

/** Merges with the conflicts resolved by the user. */
export async function mergeResolved(
  folder: string,
  resolved: Omit<CommandInput<'review.mergeResolved'>, 'folder'>,
): Promise<Answer<CommandOutput<'review.mergeResolved'>>> {
  const name = nameNow(resolved.id)
  const answer = await during(resolved.id, 'Merging…', () =>
    command('review.mergeResolved', { folder, ...resolved }),
  )
  if (answer.ok)
    showNotice({
      level: 'info',
      text: `Merged ${name} into ${answer.value.into} with ${count(resolved.files.length, 'resolved file')}.`,
      action: { label: 'Undo', run: () => void undoMerge(folder, resolved.id) },
    })
  return answer
}

/** Moves the target of the last merge back. */
export async function undoMerge(folder: string, id: string): Promise<void> {
  const into = worktreeNow(id)?.merged?.into
  const answer = await during(id, 'Undoing the merge…', () => command('review.undoMerge', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  showNotice({
    level: 'info',
    text: `Undid the merge of ${nameNow(id)}${into === undefined ? '' : ` into ${into}`}.`,
  })
}

interface TakenBack {
  readonly id: string
  readonly path: string
  /** The version of the changes that were shown. */
  readonly version: string
  /** Null: the whole file. */
  readonly part: DiffPart | null
}

/** Takes back a file or a part of it. The worktree's notes then offer to restore it. Returns whether it succeeded. */
export async function takeBack(folder: string, taken: TakenBack): Promise<boolean> {
  const answer = await during(taken.id, 'Taking back…', () =>
    command('review.takeBack', { folder, ...taken }),
  )
  if (!answer.ok) showFailure(answer.failure)
  return answer.ok
}

/** Restores what was taken back last. */
export async function undoTakeBack(folder: string, id: string): Promise<void> {
  const answer = await during(id, 'Restoring…', () => command('review.undoTakeBack', { folder, id }))
  if (!answer.ok) showFailure(answer.failure)
}

/**
 * Merges the branch `into` (null: the target) into the worktree and resumes its agent to resolve the conflicts. The
 * worktree's conflicts are shown.
 */
export async function startResolve(folder: string, id: string, into: string | null): Promise<void> {
  const answer = await during(id, 'Starting…', () => command('review.resolve', { folder, id, into }))
  if (!answer.ok) return showFailure(answer.failure)
  const name = nameNow(id)
  showNotice({
    level: 'info',
    text: `${name} is resolving ${count(answer.value.files.length, 'file')} in its worktree.`,
  })
}

export async function abortResolve(folder: string, id: string): Promise<void> {
  const answer = await during(id, 'Aborting…', () => command('review.abortResolve', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  showNotice({ level: 'info', text: 'Merge aborted. The worktree is unchanged.' })
}

export async function carryOver(folder: string, id: string): Promise<void> {
  const answer = await during(id, 'Carrying over…', () => command('review.carryOver', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  const { files } = answer.value
  showNotice({
    level: 'info',
    text:
      files.length === 0
        ? 'Nothing to carry over.'
        : `${count(files.length, 'file')} carried over: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ' …' : ''}`,
  })
}

/** Sends all comments on a worktree as one message. Drafts are deleted after the agent has received them. */
export async function sendComments(folder: string, id: string): Promise<Answer<void>> {
  const key = draftKeyOf(folder, id)
  finishComment(key)
  const draft = reviewDraftOf(key)
  const comments = draft.comments.map(({ key: _, ...comment }) => comment)
  const answer = await during(id, 'Sending…', () =>
    command('review.comment', { folder, id, comments, message: draft.message }),
  )
  if (!answer.ok) return answer
  const sent = new Set(draft.comments)
  const now = reviewDraftOf(key)
  changeReviewDraft(key, {
    comments: now.comments.filter((comment) => !sent.has(comment)),
    message: now.message === draft.message ? '' : now.message,
  })
  const name = nameNow(id)
  showNotice({
    level: 'info',
    text: `Sent ${comments.length === 0 ? 'your message' : count(comments.length, 'comment')} to ${name}.`,
  })
  return answer
}

export async function discardWorktree(
  folder: string,
  { id, branch, version }: ReviewWorktree,
  confirm: string | null,
): Promise<Answer<void>> {
  const answer = await during(id, 'Discarding…', () =>
    command('review.discard', { folder, id, confirm, seen: version }),
  )
  if (answer.ok) {
    cancelComment(draftKeyOf(folder, id))
    showNotice({
      level: 'info',
      text: `Discarded ${branch}. You can undo this until Troupe restarts.`,
      action: { label: 'Undo', run: () => void undoDiscard(folder, id) },
    })
  }
  return answer
}

export async function undoDiscard(folder: string, id: string): Promise<void> {
  const branch = snapshotNow()?.discarded.find((worktree) => worktree.id === id)?.branch ?? 'The worktree'
  const answer = await during(id, 'Restoring…', () => command('review.undoDiscard', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  showNotice({ level: 'info', text: `Restored ${branch}.` })
}

const nameNow = (id: string) => worktreeName(snapshotNow()?.worktrees ?? [], id)

/** Shows `label` on the worktree's card while the work runs. */
async function during<T>(id: string, label: string, work: () => Promise<T>): Promise<T> {
  setReviewBusy(id, label)
  try {
    return await work()
  } finally {
    setReviewBusy(id, null)
  }
}
