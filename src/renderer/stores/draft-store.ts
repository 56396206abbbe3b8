/**
 * Unsent messages, for each conversation, for each agent's message field, and of each review. They survive a kill of
 * the program.
 */
import { create } from 'zustand'
import type { ImageBlock } from '../../shared/messages/content.ts'
import { caretAfter, DraftHistory, type TypedEdit } from './draft-history.ts'
import { useSession } from './session-store.ts'

export interface DraftImage {
  readonly key: string
  readonly name: string
  readonly block: ImageBlock
}

/** Long pasted text, which the composer shows as a chip. */
export interface PastedText {
  readonly key: string
  readonly text: string
}

export interface Draft {
  readonly text: string
  readonly pasted: readonly PastedText[]
  readonly images: readonly DraftImage[]
  /** The agent that receives the message; null: the main agent. */
  readonly recipientId: string | null
}

interface DraftState {
  readonly drafts: Readonly<Record<string, Draft>>
  /** Increases with each request to focus the composer. */
  readonly focusRequests: number
}

/** A draft without content. */
export const EMPTY_DRAFT: Draft = { text: '', pasted: [], images: [], recipientId: null }

export const useDrafts = create<DraftState>()(() => ({ drafts: {}, focusRequests: 0 }))

/** The draft key of the shown conversation, or of a new one. */
export function useDraftKey(): string {
  return useSession((state) => draftKey(state.conversationId, state.folder?.path ?? ''))
}

export function useDraft(key: string): Draft {
  return useDrafts((state) => state.drafts[key] ?? EMPTY_DRAFT)
}

export function draftOf(key: string): Draft {
  return useDrafts.getState().drafts[key] ?? EMPTY_DRAFT
}

/** Changes a draft; the change can be undone. `typed`: the edit, if the user typed it. */
export function changeDraft(key: string, change: Partial<Draft>, typed: TypedEdit | null = null): void {
  const before = draftOf(key)
  history.record(key, before, typed)
  setDraft(key, { ...before, ...change })
}

/** Empties a draft whose message was sent. This can't be undone: the message is on its way. */
export function clearDraft(key: string): void {
  history.forget(key)
  setDraft(key, EMPTY_DRAFT)
}

/** Takes back the last change of a draft, or repeats it. Returns the caret's new place; null: nothing to do. */
export function stepDraft(key: string, direction: 'undo' | 'redo'): number | null {
  const now = draftOf(key)
  const draft = history.step(key, direction, now)
  if (draft === null) return null
  setDraft(key, draft)
  return caretAfter(now.text, draft.text)
}

const history = new DraftHistory<Draft>()

/** Replaces a draft; the change can't be undone. */
export function setDraft(key: string, draft: Draft): void {
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }))
}

export function isEmptyDraft({ text, pasted, images }: Draft): boolean {
  return text.trim() === '' && pasted.length === 0 && images.length === 0
}

/** Puts a stored draft in front of what was written meanwhile. */
export function restoreDraft(key: string, stored: Draft): void {
  setDraft(key, inFront(stored, draftOf(key)))
}

function inFront(first: Draft, second: Draft): Draft {
  return {
    text: first.text + second.text,
    pasted: [...first.pasted, ...second.pasted],
    images: [...first.images, ...second.images],
    recipientId: second.recipientId ?? first.recipientId,
  }
}

/** Moves a draft in front of another draft. */
export function moveDraft(from: string, to: string): void {
  const moved = draftOf(from)
  if (isEmptyDraft(moved)) return
  setDraft(to, inFront({ ...moved, recipientId: null }, draftOf(to)))
  clearDraft(from)
}

/** The current draft key, for code outside components. */
export function draftKeyNow(): string {
  const { conversationId, folder } = useSession.getState()
  return draftKey(conversationId, folder?.path ?? '')
}

/** Moves the focus to the composer, with the agent as the recipient; null: the main agent. */
export function writeTo(recipientId: string | null): void {
  changeDraft(draftKeyNow(), { recipientId })
  focusComposer()
}

export function focusComposer(): void {
  useDrafts.setState(({ focusRequests }) => ({ focusRequests: focusRequests + 1 }))
}

function draftKey(conversationId: string | null, folder: string): string {
  return conversationId ?? `new:${folder}`
}

/** The key of the draft in an agent's panel. The draft outlives the panel, which may become a tile. */
export function lineDraftKey(agentId: string): string {
  return `agent:${agentId}`
}
