/** Writes a field of the definition while it is typed. */
import { useRef } from 'react'
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { type FieldValue, oneEdit, setField } from '../../../../shared/agent-definition/write-definition.ts'
import { useForm } from './form-context.ts'

/**
 * Emptying a field removes its key. Typing into it again restores the key with its position, quotes and comment.
 */
export function useFieldWriter(key: FieldKey): (value: FieldValue, focus: number) => void {
  const { document } = useForm()
  const emptied = useRef<{ readonly before: string; readonly after: string } | null>(null)
  return (value, focus) => {
    const group = { group: `${key} ${focus}` }
    const text = document.text
    const last = emptied.current
    if (value !== null && last !== null && last.after === text) {
      const { before } = last
      document.edit(oneEdit(text, applyEdits(before, setField(before, key, value))), group)
    } else document.edit(setField(text, key, value), group)
    emptied.current = value === null ? { before: text, after: document.text } : null
  }
}
