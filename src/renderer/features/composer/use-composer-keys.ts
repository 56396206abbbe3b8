/** The keys of the composer: undo, completions, then sent messages, then sending and editing. */
import { type KeyboardEvent, useRef } from 'react'
import { splitPasted } from '../../../shared/messages/pasted-text.ts'
import { changeDraft, type Draft, draftOf, pastedText, useDraft } from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { isShortcut } from '../../ui/platform.ts'
import { withoutAttachment } from './attachments.tsx'
import type { CompletionOption } from './completion-options.ts'
import type { Completion } from './use-completion.ts'

interface ComposerKeysOptions {
  readonly draftKey: string
  readonly completion: Completion
  readonly onPick: (option: CompletionOption) => void
  readonly onRecall: (message: MessageParts) => void
  readonly onStep: (direction: 'undo' | 'redo') => void
  readonly onSend: () => void
}

type FieldEvent = KeyboardEvent<HTMLTextAreaElement>

/** Returns the listener of the text field. Each part answers whether it handled the key. */
export function useComposerKeys(options: ComposerKeysOptions): (event: FieldEvent) => void {
  const { draftKey, completion, onPick, onRecall, onStep, onSend } = options
  const draft = useDraft(draftKey)
  const recall = useRecall(draftKey)

  const completionKey = (event: FieldEvent): boolean => {
    if (completion.query === null || event.shiftKey || hasModifier(event) || event.altKey) return false
    if (event.key === 'Escape') {
      completion.dismiss()
      return true
    }
    const option = completion.options[completion.active]
    if (option === undefined) return false
    if (event.key === 'ArrowDown') completion.move(1)
    else if (event.key === 'ArrowUp') completion.move(-1)
    else if (event.key === 'Enter' || event.key === 'Tab') onPick(option)
    else return false
    return true
  }

  const historyKey = (event: FieldEvent): boolean => {
    const isRedo = isShortcut(event, 'Mod Shift Z') || isShortcut(event, 'Mod Y')
    if (!isRedo && !isShortcut(event, 'Mod Z')) return false
    onStep(isRedo ? 'redo' : 'undo')
    return true
  }

  const recallKey = (event: FieldEvent): boolean => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return false
    if (event.shiftKey || hasModifier(event)) return false
    const direction = event.key === 'ArrowUp' ? 'older' : 'newer'
    const message = recall(direction, event.currentTarget.selectionStart)
    if (message !== null) onRecall(message)
    return message !== null
  }

  const editKey = (event: FieldEvent): boolean => {
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      onSend()
      return true
    }
    if (event.key !== 'Backspace' || event.currentTarget.selectionEnd !== 0) return false
    const last = draft.pasted.at(-1) ?? draft.images.at(-1)
    if (draft.recipientId !== null) changeDraft(draftKey, { recipientId: null })
    else if (last !== undefined) changeDraft(draftKey, withoutAttachment(draft, last.key))
    else return false
    return true
  }

  return (event) => {
    if (event.nativeEvent.isComposing) return
    if (historyKey(event) || completionKey(event) || recallKey(event) || editKey(event))
      event.preventDefault()
  }
}

function hasModifier(event: FieldEvent): boolean {
  return event.ctrlKey || event.metaKey
}

/** The messages sent in a folder, the newest last. The Up key brings them back. */
const KEPT = 50
/** Characters of all stored messages of a folder: the local storage is small. Longer ones last as long as the window. */
const STORED = 400_000

const known = new Map<string, readonly string[]>()
const storageKey = (folder: string) => `sent:${folder}`

function sentBefore(folder: string): readonly string[] {
  const sent = known.get(folder) ?? stored(folder)
  known.set(folder, sent)
  return sent
}

export function rememberSent(folder: string, text: string): void {
  if (text.trim() === '') return
  const sent = [...sentBefore(folder).filter((other) => other !== text), text].slice(-KEPT)
  known.set(folder, sent)
  try {
    localStorage.setItem(storageKey(folder), JSON.stringify(withinLimit(sent)))
  } catch {
    // A full storage keeps the older messages.
  }
}

/** Forgets what is not stored, as a restart does. For tests. */
export function forgetSent(): void {
  known.clear()
}

/** The newest messages that fit. */
function withinLimit(sent: readonly string[]): readonly string[] {
  let left = STORED
  return sent
    .toReversed()
    .filter((text) => {
      if (text.length > left) return false
      left -= text.length
      return true
    })
    .toReversed()
}

function stored(folder: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(folder)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text): text is string => typeof text === 'string') : []
  } catch {
    return []
  }
}

/** A message as parts of a draft. */
export type MessageParts = Pick<Draft, 'text' | 'pasted'>

/** The message that Up or Down brings back, or null if the key keeps its default meaning. */
type Recall = (direction: 'older' | 'newer', caret: number) => MessageParts | null

const NOTHING: MessageParts = { text: '', pasted: [] }

/** Steps through the sent messages, starting from an empty draft. Other text is never replaced. */
function useRecall(draftKey: string): Recall {
  const folder = useSession((state) => state.folder?.path ?? '')
  const position = useRef({ draftKey, back: 0, shown: NOTHING })
  return (direction, caret) => {
    const draft = draftOf(draftKey)
    if (position.current.draftKey !== draftKey || !isSame(draft, position.current.shown))
      position.current = { draftKey, back: 0, shown: NOTHING }
    if (!isSame(draft, position.current.shown) || draft.text.slice(0, caret).includes('\n')) return null
    const sent = sentBefore(folder)
    const back = position.current.back + (direction === 'older' ? 1 : -1)
    if (back < 0 || back > sent.length) return null
    const shown = back === 0 ? NOTHING : messagePartsOf(sent[sent.length - back] ?? '')
    position.current = { draftKey, back, shown }
    return shown
  }
}

/** Takes a sent message apart: its text, and its pasted texts as chips. */
export function messagePartsOf(message: string): MessageParts {
  const { text, pasted } = splitPasted(message)
  return { text, pasted: pasted.map(pastedText) }
}

function isSame(draft: MessageParts, shown: MessageParts): boolean {
  return (
    draft.text === shown.text &&
    draft.pasted.length === shown.pasted.length &&
    draft.pasted.every(({ key }, index) => key === shown.pasted[index]?.key)
  )
}
