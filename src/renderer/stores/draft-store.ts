/**
 * What is being written but not sent, for each conversation. Words outlive a restart; images and the
 * recipient do not.
 */
import { create } from 'zustand'
import type { ImageBlock } from '../../shared/content.ts'
import { useSession } from './session-store.ts'

export interface DraftImage {
  readonly key: string
  readonly name: string
  readonly block: ImageBlock
}

export interface Draft {
  readonly text: string
  readonly images: readonly DraftImage[]
  /** The agent that is spoken to; null: the main agent. */
  readonly recipientId: string | null
}

interface DraftState {
  readonly drafts: Readonly<Record<string, Draft>>
  /** Grows each time the composer should take the focus. */
  readonly focusRequests: number
}

const EMPTY: Draft = { text: '', images: [], recipientId: null }

export const useDrafts = create<DraftState>()(() => ({ drafts: {}, focusRequests: 0 }))

/** The key of the draft for what is on the screen. */
export function useDraftKey(): string {
  return useSession((state) => draftKey(state.conversationId, state.folder?.path ?? ''))
}

export function useDraft(key: string): Draft {
  return useDrafts((state) => state.drafts[key] ?? savedDraft(key))
}

export function draftOf(key: string): Draft {
  return useDrafts.getState().drafts[key] ?? savedDraft(key)
}

export function changeDraft(key: string, change: Partial<Draft>): void {
  const draft = { ...draftOf(key), ...change }
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }))
  if (change.text !== undefined) saveText(key, change.text)
}

/** Puts what stands in one draft in front of another. */
export function moveDraft(from: string, to: string): void {
  const moved = draftOf(from)
  const there = draftOf(to)
  if (moved === EMPTY || (moved.text === '' && moved.images.length === 0)) return
  changeDraft(to, { ...there, text: moved.text + there.text, images: [...moved.images, ...there.images] })
  changeDraft(from, EMPTY)
}

/** The key of the draft for what is on the screen at this moment. */
export function draftKeyNow(): string {
  const { conversationId, folder } = useSession.getState()
  return draftKey(conversationId, folder?.path ?? '')
}

/** Moves the focus to the composer, speaking to an agent where one is given. */
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

/** The key of the draft in an agent's panel. It outlives the panel, which may become a tile. */
export function lineDraftKey(agentId: string): string {
  return `agent:${agentId}`
}

const storageKey = (key: string) => `draft:${key}`
/** One object per text, so that selectors see the same one again. */
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

/** Writes soon, not with every letter. */
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
