/** Unsent messages, for each conversation. The text survives a restart; images and the recipient do not. */
import { create } from 'zustand'
import type { ImageBlock } from '../../shared/content.ts'
import { caretAfter, DraftHistory, type TypedEdit } from './draft-history.ts'
import { useSession } from './session-store.ts'

export interface DraftImage {
  readonly key: string
  readonly name: string
  readonly block: ImageBlock
}

export interface Draft {
  readonly text: string
  readonly images: readonly DraftImage[]
  /** The agent that receives the message; null: the main agent. */
  readonly recipientId: string | null
}

interface DraftState {
  readonly drafts: Readonly<Record<string, Draft>>
  /** Increases with each request to focus the composer. */
  readonly focusRequests: number
}

const EMPTY: Draft = { text: '', images: [], recipientId: null }

export const useDrafts = create<DraftState>()(() => ({ drafts: {}, focusRequests: 0 }))

/** The draft key of the shown conversation, or of a new one. */
export function useDraftKey(): string {
  return useSession((state) => draftKey(state.conversationId, state.folder?.path ?? ''))
}

export function useDraft(key: string): Draft {
  return useDrafts((state) => state.drafts[key] ?? savedDraft(key))
}

export function draftOf(key: string): Draft {
  return useDrafts.getState().drafts[key] ?? savedDraft(key)
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
  setDraft(key, EMPTY)
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

function setDraft(key: string, draft: Draft): void {
  const before = draftOf(key)
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }))
  if (draft.text !== before.text) saveText(key, draft.text)
}

/** Moves a draft in front of another draft. */
export function moveDraft(from: string, to: string): void {
  const moved = draftOf(from)
  const existing = draftOf(to)
  if (moved === EMPTY || (moved.text === '' && moved.images.length === 0)) return
  setDraft(to, {
    ...existing,
    text: moved.text + existing.text,
    images: [...moved.images, ...existing.images],
  })
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

const storageKey = (key: string) => `draft:${key}`
/** One object per text, so that selectors return the same object again. */
const recalled = new Map<string, Draft>()

function savedDraft(key: string): Draft {
  const known = recalled.get(key)
  if (known !== undefined) return known
  const text = localStorage.getItem(storageKey(key)) ?? ''
  const draft = text === '' ? EMPTY : { ...EMPTY, text }
  recalled.set(key, draft)
  return draft
}

let writing: ReturnType<typeof setTimeout> | undefined
const unwritten = new Map<string, string>()

/** Writes after a delay, not with every character. */
function saveText(key: string, text: string): void {
  unwritten.set(key, text)
  clearTimeout(writing)
  writing = setTimeout(writeDown, 400)
}

function writeDown(): void {
  for (const [key, text] of unwritten) {
    if (text === '') localStorage.removeItem(storageKey(key))
    else localStorage.setItem(storageKey(key), text)
  }
  unwritten.clear()
}
globalThis.addEventListener('pagehide', writeDown)
