/** What a person types, while they type it: a field keeps its blanks and its mistakes, the text does not. */
import { useRef, useState } from 'react'

interface DraftOptions {
  /** What the text says. */
  readonly value: string
  /** What is wrong with what was typed; then it is not written. */
  readonly check?: (typed: string) => string | null
  /** What the text will say of what was typed. */
  readonly normalise?: (typed: string) => string
  /** `focus` counts how often the field was gone into: what is typed in between is one step to undo. */
  readonly write: (typed: string, focus: number) => void
}

export interface Draft {
  readonly shown: string
  readonly error: string | null
  readonly change: (typed: string) => void
  readonly onFocus: () => void
  readonly onBlur: () => void
  /** Takes what the text says again; false where it is shown already. */
  readonly giveUp: () => boolean
}

const trimmed = (typed: string) => typed.trim()

/** A draft holds as long as the text says the same as it, or nobody else changed what it stands for. */
export function useDraft({ value, check, normalise = trimmed, write }: DraftOptions): Draft {
  const [typed, setTyped] = useState<{ readonly text: string; readonly over: string } | null>(null)
  const focus = useRef(0)
  const error = typed === null ? null : (check?.(typed.text) ?? null)
  const holds = typed !== null && (error === null ? normalise(typed.text) === value : typed.over === value)
  const isWrong = holds && error !== null
  return {
    shown: holds ? typed.text : value,
    error: isWrong ? error : null,
    change: (text) => {
      setTyped({ text, over: value })
      if ((check?.(text) ?? null) === null && normalise(text) !== value) write(text, focus.current)
    },
    onFocus: () => {
      focus.current++
    },
    onBlur: () => {
      if (!isWrong) setTyped(null)
    },
    giveUp: () => {
      setTyped(null)
      return holds && typed.text !== value
    },
  }
}
