/**
 * Unsent messages, for each conversation, for each agent's message field, and of each review. They survive a kill of
 * the program.
 */
import { create } from 'zustand'
import type { ImageBlock } from '../../shared/messages/content.ts'
import type { DraftAttachment, StoredDraft } from '../../shared/messages/draft.ts'
import { isLongPaste, LONGEST_PASTE } from '../../shared/messages/pasted-text.ts'
import { command } from '../bridge.ts'
import { DelayedCall, newKey } from '../ui/machine.ts'
import { showFailure } from './overlay-store.ts'
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

/** One edit by typing: consecutive edits of one kind at one place are one step, up to the end of a word. */
export interface TypedEdit {
  readonly kind: 'insert' | 'delete' | 'compose'
  /** The caret before and after the edit. */
  readonly from: number
  readonly to: number
  /** Whether the edit begins a new word. */
  readonly isWordStart: boolean
}

interface History<T> {
  readonly past: T[]
  readonly future: T[]
  last: TypedEdit | null
}

/** Steps kept for each draft. */
const KEPT = 200

/**
 * The undo history of each draft, for as long as the window lives. The browser's own history is lost whenever the
 * program changes the text, so the composer keeps one that covers completions, recalled messages, paths and chips too.
 */
class DraftHistory<T> {
  private readonly histories = new Map<string, History<T>>()

  /** Records the state before a change. `typed`: the edit, if the user typed it. */
  record(key: string, before: T, typed: TypedEdit | null): void {
    const history = this.histories.get(key) ?? { past: [], future: [], last: null }
    this.histories.set(key, history)
    if (!continues(history.last, typed)) history.past.push(before)
    if (history.past.length > KEPT) history.past.shift()
    history.future.length = 0
    history.last = typed
  }

  /** The state to restore, or null if there is none. */
  step(key: string, direction: 'undo' | 'redo', now: T): T | null {
    const history = this.histories.get(key)
    if (history === undefined) return null
    const [from, to] = direction === 'undo' ? [history.past, history.future] : [history.future, history.past]
    const state = from.pop()
    if (state === undefined) return null
    to.push(now)
    history.last = null
    return state
  }

  forget(key: string): void {
    this.histories.delete(key)
  }
}

const history = new DraftHistory<Draft>()

function continues(last: TypedEdit | null, next: TypedEdit | null): boolean {
  if (last === null || next === null || last.kind !== next.kind) return false
  return next.kind === 'compose' || (last.to === next.from && !next.isWordStart)
}

/** The edit that turns one text into another, if typing could have made it; null: a paste, a drop or a replacement. */
export function typedEdit(before: string, after: string, isComposing: boolean): TypedEdit | null {
  const [start, endBefore, endAfter] = changedPart(before, after)
  const edit = { from: endBefore, to: endAfter, isWordStart: false }
  if (isComposing) return { ...edit, kind: 'compose' }
  if (endBefore - start === 1 && endAfter === start) return { ...edit, kind: 'delete' }
  if (endBefore !== start || endAfter - start !== 1) return null
  return {
    ...edit,
    kind: 'insert',
    isWordStart: !isSpace(after[start]) && (start === 0 || isSpace(after[start - 1])),
  }
}

/** Where the caret belongs after a text was replaced: behind the part that differs. */
function caretAfter(before: string, after: string): number {
  return changedPart(before, after)[2]
}

/** The start of the part that differs, and its ends in both texts. */
function changedPart(before: string, after: string): readonly [number, number, number] {
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && before[start] === after[start]) start += 1
  let same = 0
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1
  return [start, before.length - same, after.length - same]
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character)
}

// Long text that the user pastes or drops becomes an attachment of the draft: a text field would freeze.

/** Attaches a long text. Returns `short` for text that belongs into the field, or why the text was not taken. */
export function attachText(key: string, text: string): 'attached' | 'short' | { readonly problem: string } {
  if (text.length > LONGEST_PASTE)
    return {
      problem: `The pasted text has ${number(text.length)} characters; at most ${number(LONGEST_PASTE)} characters can be pasted. Save it as a file in the folder and mention the file with @.`,
    }
  const pasted = pastedText(text)
  if (!isLongPaste(pasted.text)) return 'short'
  changeDraft(key, { pasted: [...draftOf(key).pasted, pasted] })
  return 'attached'
}

/** Text as an attachment, with the line breaks of a text field. */
export function pastedText(text: string): PastedText {
  return { key: newKey(), text: text.replaceAll('\r\n', '\n') }
}

const number = (amount: number) => amount.toLocaleString('en')

// Stores the drafts in the main process, and loads them after a start.

/** The longest time that a change is not stored. In ms. */
const SAVE_DELAY = 400

const unsaved = new Set<string>()
/** The attachments that the main process has, for each draft. */
const sent = new Map<string, ReadonlySet<string>>()
/** The drafts whose last save failed: the user is told when there were none. */
const failed = new Set<string>()
const saving = new DelayedCall(() => void saveNow(), SAVE_DELAY)

/** Loads the stored drafts, and stores each change from then on. Returns a function that ends this. */
export function startDraftSaving(): () => void {
  sent.clear()
  const stop = useDrafts.subscribe((now, before) => {
    if (now.drafts === before.drafts) return
    for (const [key, draft] of Object.entries(now.drafts)) if (before.drafts[key] !== draft) changed(key)
  })
  const onPageHide = () => void saveNow()
  window.addEventListener('pagehide', onPageHide)
  void loadDrafts()
  return () => {
    stop()
    window.removeEventListener('pagehide', onPageHide)
    saving.cancel()
    unsaved.clear()
  }
}

async function loadDrafts(): Promise<void> {
  const answer = await command('draft.list', {})
  if (!answer.ok) return showFailure(answer.failure)
  for (const stored of answer.value) {
    sent.set(stored.place, new Set(stored.attachments.map(({ key }) => key)))
    const isUntouched = useDrafts.getState().drafts[stored.place] === undefined
    restoreDraft(stored.place, fromStored(stored))
    if (isUntouched) unsaved.delete(stored.place)
  }
}

/** The timer is not restarted: text that is typed without a pause is stored too. */
function changed(key: string): void {
  unsaved.add(key)
  saving.schedule()
}

/** Stores all changes now. */
export async function saveNow(): Promise<void> {
  saving.cancel()
  const keys = [...unsaved]
  unsaved.clear()
  await Promise.all(keys.map(save))
}

async function save(key: string): Promise<void> {
  const draft = draftOf(key)
  const attachments = attachmentsOf(draft)
  const keys = attachments.map((attachment) => attachment.key)
  const known = sent.get(key)
  sent.set(key, new Set(keys))
  const answer = await command('draft.save', {
    place: key,
    text: draft.text,
    recipientId: draft.recipientId,
    attachments: keys,
    added: attachments.filter((attachment) => known?.has(attachment.key) !== true),
  })
  if (answer.ok) {
    failed.clear()
    return
  }
  // Its next change stores the whole draft again.
  sent.delete(key)
  if (failed.size === 0) showFailure(answer.failure)
  failed.add(key)
}

function attachmentsOf({ images, pasted }: Draft): readonly DraftAttachment[] {
  return [
    ...images.map((image) => ({ kind: 'image' as const, ...image })),
    ...pasted.map((text) => ({ kind: 'pasted' as const, ...text })),
  ]
}

function fromStored({ text, recipientId, attachments }: StoredDraft): Draft {
  return {
    text,
    recipientId,
    images: attachments.flatMap((one) =>
      one.kind === 'image' ? [{ key: one.key, name: one.name, block: one.block }] : [],
    ),
    pasted: attachments.flatMap((one) => (one.kind === 'pasted' ? [{ key: one.key, text: one.text }] : [])),
  }
}
