/** What every control of the form needs: what the text says, and how to change it. */
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
  /** One step of the history. Null takes the key out. */
  set(key: FieldKey, value: FieldValue): void
  /** One step of the history for several edits of the text. */
  edit(edits: readonly TextEdit[]): void
  /** Shows a key in the source. */
  reveal(key: Pick<FormKey, 'from' | 'to'>): void
}

export const FormContext = createContext<DefinitionFormState | null>(null)

export function useForm(): DefinitionFormState {
  const form = useContext(FormContext)
  if (form === null) throw new Error('a control of the form stands outside of it')
  return form
}

/**
 * What to write for a value that is the usual one: nothing, unless the key's line carries a comment, which
 * would go with it.
 */
export function usualValue<T extends FieldValue>(
  form: DefinitionFormState,
  key: FieldKey,
  usual: T,
): T | null {
  const there = form.keyOf(key)
  if (there === null) return null
  const end = form.text.indexOf('\n', there.to)
  const rest = form.text.slice(there.to, end === -1 ? undefined : end)
  return rest.trim().startsWith('#') ? usual : null
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
