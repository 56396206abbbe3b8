/** Unsent comments on lines, for each worktree, including the unfinished comment. They survive a restart. */
import { create } from 'zustand'
import type { ReviewComment } from '../../shared/review.ts'

export interface DraftComment extends ReviewComment {
  readonly key: string
}

/** Lines of one side of a file. */
export type CommentAnchor = Pick<ReviewComment, 'path' | 'side' | 'line' | 'lastLine' | 'quote'>

/** The unfinished comment. `key`: the key of the comment that is edited; null: a new comment. */
export interface HalfComment extends CommentAnchor {
  readonly key: string | null
  readonly text: string
}

export interface ReviewDraft {
  readonly comments: readonly DraftComment[]
  readonly editing: HalfComment | null
  /** Sent together with the comments. */
  readonly message: string
}

const EMPTY: ReviewDraft = { comments: [], editing: null, message: '' }

interface CommentState {
  readonly drafts: Readonly<Record<string, ReviewDraft>>
}

export const useReviewComments = create<CommentState>()(() => ({ drafts: {} }))

/** The worktree of a folder, as the key of its draft. */
export function draftKeyOf(folder: string, id: string): string {
  return `${folder}:${id}`
}

export function useReviewDraft(key: string): ReviewDraft {
  return useReviewComments((state) => state.drafts[key] ?? savedDraft(key))
}

export function reviewDraftOf(key: string): ReviewDraft {
  return useReviewComments.getState().drafts[key] ?? savedDraft(key)
}

export function changeReviewDraft(key: string, change: Partial<ReviewDraft>): void {
  const draft = { ...reviewDraftOf(key), ...change }
  useReviewComments.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }))
  if (isEmpty(draft)) localStorage.removeItem(storageKey(key))
  else localStorage.setItem(storageKey(key), serialized(draft))
}

/** Starts a comment; finishes an unfinished one first. */
export function beginComment(key: string, anchor: CommentAnchor): void {
  finishComment(key)
  const existing = reviewDraftOf(key).comments.find((comment) => isSameAnchor(comment, anchor))
  changeReviewDraft(key, {
    editing:
      existing === undefined
        ? { ...anchor, key: null, text: '' }
        : { ...existing, key: existing.key, text: existing.text },
  })
}

/** Moves the unfinished comment to more lines with its text; starts a comment where it is on none of them. */
export function extendComment(key: string, anchor: CommentAnchor): void {
  const { editing } = reviewDraftOf(key)
  const isNear =
    editing?.path === anchor.path &&
    editing.side === anchor.side &&
    editing.line <= (anchor.lastLine ?? anchor.line) &&
    (editing.lastLine ?? editing.line) >= anchor.line
  if (isNear) changeReviewDraft(key, { editing: { ...editing, ...anchor } })
  else beginComment(key, anchor)
}

export function editComment(key: string, commentKey: string): void {
  finishComment(key)
  const comment = reviewDraftOf(key).comments.find((other) => other.key === commentKey)
  if (comment !== undefined) changeReviewDraft(key, { editing: comment })
}

/** Saves the unfinished comment. A comment without text is dropped. */
export function finishComment(key: string): void {
  const { editing, comments } = reviewDraftOf(key)
  if (editing === null) return
  const text = editing.text.trim()
  const others = comments.filter((comment) => comment.key !== editing.key)
  if (text === '') {
    changeReviewDraft(key, { editing: null, comments: others })
    return
  }
  const kept: DraftComment = { ...editing, text, key: editing.key ?? nextKey(comments) }
  changeReviewDraft(key, {
    editing: null,
    comments:
      editing.key === null ? [...comments, kept] : comments.map((c) => (c.key === kept.key ? kept : c)),
  })
}

export function cancelComment(key: string): void {
  changeReviewDraft(key, { editing: null })
}

export function removeComment(key: string, commentKey: string): void {
  changeReviewDraft(key, {
    comments: reviewDraftOf(key).comments.filter((comment) => comment.key !== commentKey),
  })
}

function isSameAnchor(comment: DraftComment, anchor: CommentAnchor): boolean {
  return (
    comment.path === anchor.path &&
    comment.side === anchor.side &&
    comment.line === anchor.line &&
    comment.lastLine === anchor.lastLine
  )
}

function nextKey(comments: readonly DraftComment[]): string {
  return String(1 + Math.max(0, ...comments.map(({ key }) => Number(key))))
}

const isEmpty = (draft: ReviewDraft) =>
  draft.comments.length === 0 && draft.editing === null && draft.message === ''

const storageKey = (key: string) => `review-draft:${key}`
/** One object per text, so that selectors return the same object again. */
const recalled = new Map<string, { readonly text: string; readonly draft: ReviewDraft }>()

function savedDraft(key: string): ReviewDraft {
  const text = localStorage.getItem(storageKey(key))
  if (text === null) return EMPTY
  const known = recalled.get(key)
  if (known?.text === text) return known.draft
  const draft = parsed(text)
  recalled.set(key, { text, draft })
  return draft
}

/** Stored drafts name the message `words`. */
const serialized = ({ comments, editing, message }: ReviewDraft): string =>
  JSON.stringify({ comments, editing, words: message })

function parsed(text: string): ReviewDraft {
  try {
    const value = JSON.parse(text) as Partial<ReviewDraft> & { readonly words?: string }
    return { comments: value.comments ?? [], editing: value.editing ?? null, message: value.words ?? '' }
  } catch {
    return EMPTY
  }
}
