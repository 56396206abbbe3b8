/** The text of the composer and its caret. */
import { useLayoutEffect, useRef, useState } from 'react'
import { changeDraft, useDraft } from '../../stores/draft-store.ts'

export interface ComposerText {
  /** For the text field. */
  readonly field: React.RefObject<HTMLTextAreaElement | null>
  readonly caret: number
  /** Takes over a change that the user made in the field. */
  readonly read: (field: HTMLTextAreaElement) => void
  readonly readCaret: (field: HTMLTextAreaElement) => void
  /** Replaces the text; the caret goes to `caret`, or to the end. */
  readonly setText: (text: string, caret?: number) => void
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

  const setText = (next: string, at = next.length) => {
    changeDraft(draftKey, { text: next })
    setCaret(at)
    pendingCaret.current = at
  }
  const focus = () => field.current?.focus()
  return {
    field,
    caret,
    read: ({ value, selectionStart }) => {
      changeDraft(draftKey, { text: value })
      setCaret(selectionStart)
    },
    readCaret: ({ selectionStart }) => setCaret(selectionStart),
    setText,
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
