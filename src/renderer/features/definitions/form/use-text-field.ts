/** The input of a text field. Spaces alone remove the key. */
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import type { FieldValue } from '../../../../shared/agent-definition/write-definition.ts'
import { type Draft, useDraft } from './use-draft.ts'
import { useFieldWriter } from './use-field-text.ts'

interface TextFieldOptions {
  readonly field: FieldKey
  /** The value in the text; empty if the key is absent. */
  readonly value: string
  readonly check: ((typed: string) => string | null) | undefined
  /** Converts the trimmed input to the value of the key. */
  readonly parse?: (input: string) => FieldValue
}

export function useTextField(options: TextFieldOptions): Draft {
  const { field, value, check, parse = (input) => input } = options
  const write = useFieldWriter(field)
  return useDraft({
    value,
    ...(check ? { check } : {}),
    write: (typed, focus) => write(typed.trim() === '' ? null : parse(typed.trim()), focus),
  })
}
