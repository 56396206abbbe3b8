/** Whether an agent's definition is another one by now than it was started with. */
import type { LoadedDefinition } from '../ports.ts'
import { digestOf } from '../tools/content-digest.ts'

/** Parts that a person is told of when they changed; whatever is in none of them is "other fields". */
const PARTS: readonly { readonly name: string; readonly fields: readonly (keyof LoadedDefinition)[] }[] = [
  { name: 'its prompt', fields: ['prompt', 'reminder', 'initialPrompt'] },
  { name: 'its tools', fields: ['tools', 'disallowedTools', 'skills', 'mcpServers', 'readOnly'] },
  { name: 'its model', fields: ['model', 'effort'] },
  { name: 'its permissions', fields: ['permissionMode', 'hooks'] },
]
/** Where it lies, and where in its file things stand, is not what it says. */
const NO_PART: ReadonlySet<string> = new Set(['file', 'source', 'name', 'description', 'color'])
const OTHER = 'other fields'

/** Of each part of what it says, so that it can be told what changed. */
export function digestOfDefinition(definition: LoadedDefinition): string {
  const named = new Set<string>(PARTS.flatMap(({ fields }) => fields))
  const rest = Object.keys(definition)
    .filter((key) => !named.has(key) && !NO_PART.has(key))
    .sort() as (keyof LoadedDefinition)[]
  return [...PARTS.map(({ fields }) => fields), rest]
    .map((fields) => digestOfFields(definition, fields))
    .join(' ')
}

/** The parts that differ, in words; empty where none does, or where the older digest was not kept. */
export function changedParts(before: string, now: string): readonly string[] {
  if (before === '' || before === now) return []
  const [older, newer] = [before.split(' '), now.split(' ')]
  const names = [...PARTS.map(({ name }) => name), OTHER]
  const changed = names.filter((_, index) => older[index] !== newer[index])
  return changed.length > 0 ? changed : [OTHER]
}

function digestOfFields(definition: LoadedDefinition, fields: readonly (keyof LoadedDefinition)[]): string {
  const text = JSON.stringify(fields.map((field) => definition[field] ?? null))
  return digestOf(new TextEncoder().encode(text)) ?? 'large'
}
