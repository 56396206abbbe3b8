/** The context of the form's controls: the parsed text and how to edit it. */
import { createContext, useContext, useRef, useState } from 'react'
import {
  type AgentDefinition,
  applyEdits,
  type TextEdit,
} from '../../../../shared/agent-definition/agent-definition.ts'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { type FieldValue, oneEdit, setField } from '../../../../shared/agent-definition/write-definition.ts'
import type { DefinitionDocument } from '../definition-document.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import type { FormKey, FormReading } from './read-form.ts'

export interface DefinitionFormState extends FormReading {
  readonly document: DefinitionDocument
  readonly definition: AgentDefinition
  readonly surroundings: DefinitionSurroundings
  readonly readOnly: boolean
  /** One step of the history. Null removes the key. */
  set(key: FieldKey, value: FieldValue): void
  /** One step of the history for several edits of the text. */
  edit(edits: readonly TextEdit[]): void
  /** Shows a key in the source. */
  reveal(key: Pick<FormKey, 'from' | 'to'>): void
}

export const FormContext = createContext<DefinitionFormState | null>(null)

export function useForm(): DefinitionFormState {
  const form = useContext(FormContext)
  if (form === null) throw new Error('useForm is used outside the form')
  return form
}

/** The value to write for a default: null, which removes the key, unless that would remove a comment on its line. */
export function defaultValue<T extends FieldValue>(
  form: DefinitionFormState,
  key: FieldKey,
  value: T,
): T | null {
  const current = form.keyOf(key)
  if (current === null) return null
  const end = form.head.indexOf('\n', current.to)
  const rest = form.head.slice(current.to, end === -1 ? undefined : end)
  return rest.trim().startsWith('#') ? value : null
}

/** Several changes as one step of the history. */
export function setFields(
  text: string,
  changes: readonly (readonly [FieldKey, FieldValue])[],
): readonly TextEdit[] {
  const after = changes.reduce(
    (before, [key, value]) => applyEdits(before, setField(before, key, value)),
    text,
  )
  return oneEdit(text, after)
}

/** Typed input of a field. The field keeps spaces and invalid input; the text gets valid input only. */
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

export interface FieldDraft {
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
export function useFieldDraft({ value, check, normalize = trimmed, write }: DraftOptions): FieldDraft {
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
