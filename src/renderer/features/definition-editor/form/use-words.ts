/** What is typed into a field of one line or more; nothing but blanks takes its key out. */
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import type { FieldValue } from '../../../../shared/agent-definition/write-definition.ts'
import { type Draft, useDraft } from './use-draft.ts'
import { useFieldWriter } from './use-field-text.ts'

interface Words {
  readonly field: FieldKey
  /** What the text says; empty where the key is absent. */
  readonly value: string
  readonly check: ((typed: string) => string | null) | undefined
  /** What is written of words without blanks around them. */
  readonly read?: (words: string) => FieldValue
}

export function useWords({ field, value, check, read = (words) => words }: Words): Draft {
  const write = useFieldWriter(field)
  return useDraft({
    value,
    ...(check ? { check } : {}),
    write: (typed, focus) => write(typed.trim() === '' ? null : read(typed.trim()), focus),
  })
}
