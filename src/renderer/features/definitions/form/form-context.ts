/** The context of the form's controls: the parsed text and how to edit it. */
import { createContext, useContext } from 'react'
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
  const end = form.text.indexOf('\n', current.to)
  const rest = form.text.slice(current.to, end === -1 ? undefined : end)
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
