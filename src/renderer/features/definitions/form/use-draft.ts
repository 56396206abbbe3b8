/** Typed input of a field. The field keeps spaces and invalid input; the text gets valid input only. */
import { useRef, useState } from 'react'

interface DraftOptions {
  /** The value in the text. */
  readonly value: string
  /** The error of typed input, which is then not written. */
  readonly check?: (typed: string) => string | null
  /** The value in the text after writing typed input. */
  readonly normalize?: (typed: string) => string
  /** `focus` counts how often the field got the focus; edits with one count are one undo step. */
  readonly write: (typed: string, focus: number) => void
}

export interface Draft {
  readonly shown: string
  readonly error: string | null
  readonly change: (typed: string) => void
  readonly onFocus: () => void
  readonly onBlur: () => void
  /** Shows the value in the text again; false if it was shown already. */
  readonly reset: () => boolean
}

const trimmed = (typed: string) => typed.trim()

/** Typed input stays while it matches the text, or, if invalid, while the text does not change. */
export function useDraft({ value, check, normalize = trimmed, write }: DraftOptions): Draft {
  const [typed, setTyped] = useState<{ readonly text: string; readonly over: string } | null>(null)
  const focus = useRef(0)
  const error = typed === null ? null : (check?.(typed.text) ?? null)
  const isCurrent =
    typed !== null && (error === null ? normalize(typed.text) === value : typed.over === value)
  const isWrong = isCurrent && error !== null
  return {
    shown: isCurrent ? typed.text : value,
    error: isWrong ? error : null,
    change: (text) => {
      setTyped({ text, over: value })
      if ((check?.(text) ?? null) === null && normalize(text) !== value) write(text, focus.current)
    },
    onFocus: () => {
      focus.current++
    },
    onBlur: () => {
      if (!isWrong) setTyped(null)
    },
    reset: () => {
      setTyped(null)
      return isCurrent && typed.text !== value
    },
  }
}
