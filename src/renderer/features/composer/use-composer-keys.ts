/** The keys of the composer: undo, completions, then sent messages, then sending and editing. */
import type { KeyboardEvent } from 'react'
import { changeDraft, useDraft } from '../../stores/draft-store.ts'
import { isShortcut } from '../../ui/platform.ts'
import { withoutAttachment } from './attachments.tsx'
import type { CompletionOption } from './completion-options.ts'
import type { Completion } from './use-completion.ts'
import { type MessageParts, useRecall } from './use-recall.ts'

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
