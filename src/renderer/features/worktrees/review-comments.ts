/**
 * Unsent comments on lines, for each worktree, including the unfinished comment. They are the text of a draft, which
 * survives a kill of the program.
 */
import type { ReviewComment } from '../../../shared/worktrees/review.ts'
import { EMPTY_DRAFT, saveNow, setDraft, useDrafts } from '../../stores/draft-store.ts'

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

interface ReviewDraft {
  readonly comments: readonly DraftComment[]
  readonly editing: HalfComment | null
  /** Sent together with the comments. */
  readonly message: string
}

const EMPTY: ReviewDraft = { comments: [], editing: null, message: '' }

/** The worktree of a folder, as the key of its draft. */
export function draftKeyOf(folder: string, id: string): string {
  return `${folder}:${id}`
}

export function useReviewDraft(key: string): ReviewDraft {
  return useDrafts(() => reviewDraftOf(key))
}

/** The same object until the draft changes. */
export function reviewDraftOf(key: string): ReviewDraft {
  const text = useDrafts.getState().drafts[placeOf(key)]?.text ?? localStorage.getItem(oldPlaceOf(key)) ?? ''
  const known = recalled.get(key)
  if (known?.text === text) return known.draft
  const draft = parsed(text)
  recalled.set(key, { text, draft })
  return draft
}

export function changeReviewDraft(key: string, change: Partial<ReviewDraft>): void {
  const draft = { ...reviewDraftOf(key), ...change }
  const text = isEmpty(draft) ? '' : `${JSON.stringify(draft)}\n`
  recalled.set(key, { text, draft })
  setDraft(placeOf(key), { ...EMPTY_DRAFT, text })
  localStorage.removeItem(oldPlaceOf(key))
  // What is typed is stored within a moment; what is saved or removed, at once.
  if (draft.editing === null) void saveNow()
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

const placeOf = (key: string) => `review:${key}`

/** Where earlier versions kept the comments: in the page’s storage. */
const oldPlaceOf = (key: string) => `review-draft:${key}`

const recalled = new Map<string, { readonly text: string; readonly draft: ReviewDraft }>()

/** A line for each part: what was stored, and what was written before it was loaded. A broken line is left out. */
function parsed(text: string): ReviewDraft {
  return text.split('\n').reduce((all, line) => {
    const next = parsedLine(line)
    if (next === null) return all
    const first = Number(nextKey(all.comments))
    const comments = next.comments.map((one, index) =>
      all.comments.some(({ key }) => key === one.key) ? { ...one, key: String(first + index) } : one,
    )
    return {
      comments: [...all.comments, ...comments],
      editing: next.editing ?? all.editing,
      message: all.message + next.message,
    }
  }, EMPTY)
}

function parsedLine(line: string): ReviewDraft | null {
  if (line === '') return null
  try {
    const value = JSON.parse(line) as Partial<ReviewDraft> & { readonly words?: string }
    const message = value.message ?? value.words ?? ''
    return { comments: value.comments ?? [], editing: value.editing ?? null, message }
  } catch {
    return null
  }
}
