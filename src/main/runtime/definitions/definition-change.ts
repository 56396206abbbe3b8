/** Detects changes of an agent's definition since its start. */

import { contentDigest } from '../../../shared/kernel/content-digest.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'

/** The named parts of a definition. All remaining fields are "other fields". */
const PARTS: readonly { readonly name: string; readonly fields: readonly (keyof LoadedDefinition)[] }[] = [
  { name: 'its prompt', fields: ['prompt', 'reminder', 'initialPrompt'] },
  { name: 'its tools', fields: ['tools', 'disallowedTools', 'skills', 'mcpServers', 'readOnly'] },
  { name: 'its model', fields: ['model', 'effort'] },
  { name: 'its permissions', fields: ['permissionMode', 'hooks'] },
]
/** Fields without an effect on the agent. */
const NO_PART: ReadonlySet<string> = new Set(['file', 'source', 'name', 'description', 'color'])
const OTHER = 'other fields'

/** One digest for each part, to name the parts that changed. */
export function digestOfDefinition(definition: LoadedDefinition): string {
  const named = new Set<string>(PARTS.flatMap(({ fields }) => fields))
  const rest = Object.keys(definition)
    .filter((key) => !named.has(key) && !NO_PART.has(key))
    .sort() as (keyof LoadedDefinition)[]
  return [...PARTS.map(({ fields }) => fields), rest]
    .map((fields) => digestOfFields(definition, fields))
    .join(' ')
}

/** The names of the parts that differ; empty if none differs, or if the older digest is missing. */
export function changedParts(before: string, now: string): readonly string[] {
  if (before === '' || before === now) return []
  const [older, newer] = [before.split(' '), now.split(' ')]
  const names = [...PARTS.map(({ name }) => name), OTHER]
  const changed = names.filter((_, index) => older[index] !== newer[index])
  return changed.length > 0 ? changed : [OTHER]
}

function digestOfFields(definition: LoadedDefinition, fields: readonly (keyof LoadedDefinition)[]): string {
  const text = JSON.stringify(fields.map((field) => definition[field] ?? null))
  return contentDigest(new TextEncoder().encode(text)) ?? 'large'
}
