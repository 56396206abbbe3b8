/** What a person does with worktrees. What fails is said in words, where it was asked for or as a notice. */
import type { Answer, CommandInput, CommandOutput } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/notice-store.ts'
import {
  cancelComment,
  changeReviewDraft,
  draftKeyOf,
  finishComment,
  reviewDraftOf,
} from '../../stores/review-comments.ts'
import { setReviewBusy, snapshotNow, worktreeNow } from '../../stores/review-store.ts'
import { count } from '../../ui/format.ts'
import { worktreeName } from './worktree-names.ts'

type MergeChoices = Omit<CommandInput<'review.merge'>, 'folder'>

/** Says what came of it, where it was merged. */
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
      text: `${name} is in ${into} now: ${count(commits, 'commit')}, ${count(files, 'file')} (${commit.slice(0, 8)}).`,
    })
  }
  return answer
}

/** The conflicts go into the worktree, and its agent goes on with resolving them. */
export async function letResolve(folder: string, id: string): Promise<void> {
  const answer = await during(id, 'Asking it to resolve…', () => command('review.resolve', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  const name = nameNow(id)
  showNotice({
    level: 'info',
    text: `${name} goes on in its worktree and resolves ${count(answer.value.files.length, 'file')}.`,
  })
}

export async function abortResolve(folder: string, id: string): Promise<void> {
  const answer = await during(id, 'Taking it back…', () => command('review.abortResolve', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  showNotice({ level: 'info', text: 'The worktree is as it was before.' })
}

export async function carryOver(folder: string, id: string): Promise<void> {
  const answer = await during(id, 'Carrying over…', () => command('review.carryOver', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  const { files } = answer.value
  showNotice({
    level: 'info',
    text:
      files.length === 0
        ? 'There was nothing to carry over.'
        : `${count(files.length, 'file')} carried over: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ' …' : ''}`,
  })
}

/** All comments of a worktree as one message. They are forgotten once the agent has them, not before. */
export async function sendComments(folder: string, id: string): Promise<Answer<void>> {
  const key = draftKeyOf(folder, id)
  finishComment(key)
  const draft = reviewDraftOf(key)
  const comments = draft.comments.map(({ key: _, ...comment }) => comment)
  const answer = await during(id, 'Asking…', () =>
    command('review.comment', { folder, id, comments, words: draft.words }),
  )
  if (!answer.ok) return answer
  const sent = new Set(draft.comments)
  const now = reviewDraftOf(key)
  changeReviewDraft(key, {
    comments: now.comments.filter((comment) => !sent.has(comment)),
    words: now.words === draft.words ? '' : now.words,
  })
  const name = nameNow(id)
  showNotice({
    level: 'info',
    text: `${name} has ${comments.length === 0 ? 'your words' : count(comments.length, 'comment')} and goes on in its worktree.`,
  })
  return answer
}

export async function discardWorktree(
  folder: string,
  id: string,
  confirm: string | null,
): Promise<Answer<void>> {
  const branch = worktreeNow(id)?.branch ?? id
  const answer = await during(id, 'Discarding…', () => command('review.discard', { folder, id, confirm }))
  if (answer.ok) {
    cancelComment(draftKeyOf(folder, id))
    showNotice({
      level: 'info',
      text: `${branch} is discarded. It can be brought back until the next start.`,
      action: { label: 'Undo', run: () => void undoDiscard(folder, id) },
    })
  }
  return answer
}

export async function undoDiscard(folder: string, id: string): Promise<void> {
  const branch = snapshotNow()?.discarded.find((worktree) => worktree.id === id)?.branch ?? 'The worktree'
  const answer = await during(id, 'Bringing it back…', () => command('review.undoDiscard', { folder, id }))
  if (!answer.ok) return showFailure(answer.failure)
  showNotice({ level: 'info', text: `${branch} is back.` })
}

const nameNow = (id: string) => worktreeName(snapshotNow()?.worktrees ?? [], id)

async function during<T>(id: string, words: string, work: () => Promise<T>): Promise<T> {
  setReviewBusy(id, words)
  try {
    return await work()
  } finally {
    setReviewBusy(id, null)
  }
}
