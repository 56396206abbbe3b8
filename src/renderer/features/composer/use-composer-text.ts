/** The text of the composer and its caret. */
import { useLayoutEffect, useRef, useState } from 'react'
import { changeDraft, type Draft, stepDraft, typedEdit, useDraft } from '../../stores/draft-store.ts'

export interface ComposerText {
  /** For the text field. */
  readonly field: React.RefObject<HTMLTextAreaElement | null>
  readonly caret: number
  /** Takes over a change that the user made in the field. */
  readonly read: (field: HTMLTextAreaElement, isComposing: boolean) => void
  readonly readCaret: (field: HTMLTextAreaElement) => void
  /** Replaces the text, together with other parts of the draft; the caret goes to `caret`, or to the end. */
  readonly setText: (text: string, caret?: number, also?: Omit<Partial<Draft>, 'text'>) => void
  /** Takes back the last change, or repeats it. */
  readonly step: (direction: 'undo' | 'redo') => void
  /** Inserts a prefix at the caret, which opens the completions. */
  readonly insertPrefix: (prefix: '@' | '#') => void
  readonly focus: () => void
}

export function useComposerText(draftKey: string): ComposerText {
  const { text } = useDraft(draftKey)
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(text.length)
  const pendingCaret = useRef<number | null>(null)

  // A new value moves the caret of the field to its end.
  useLayoutEffect(() => {
    if (pendingCaret.current === null) return
    field.current?.setSelectionRange(pendingCaret.current, pendingCaret.current)
    pendingCaret.current = null
  })

  const moveCaret = (at: number) => {
    setCaret(at)
    pendingCaret.current = at
  }
  const setText: ComposerText['setText'] = (next, at = next.length, also = {}) => {
    changeDraft(draftKey, { ...also, text: next })
    moveCaret(at)
  }
  const focus = () => field.current?.focus()
  return {
    field,
    caret,
    read: ({ value, selectionStart }, isComposing) => {
      changeDraft(draftKey, { text: value }, typedEdit(text, value, isComposing))
      setCaret(selectionStart)
    },
    readCaret: ({ selectionStart }) => setCaret(selectionStart),
    setText,
    step: (direction) => {
      const at = stepDraft(draftKey, direction)
      if (at !== null) moveCaret(at)
    },
    insertPrefix: (prefix) => {
      const at = field.current?.selectionStart ?? text.length
      const before = text.slice(0, at)
      const inserted = before === '' || /\s$/.test(before) ? prefix : ` ${prefix}`
      setText(before + inserted + text.slice(at), at + inserted.length)
      focus()
    },
    focus,
  }
}
