/**
 * Finds keys that are probably misspelled keys of a definition. A misspelled safety key would silently remove a
 * restriction, so its agent is not offered until the key is renamed, or the right key is set as well.
 */

import { isTypo } from '../tools/nearest-name.ts'
import type { Diagnostic } from './agent-definition.ts'
import { type DefinitionField, definitionFields, type FieldKey, fieldOf } from './definition-fields.ts'
import type { FrontmatterFields } from './frontmatter-fields.ts'

type Field = DefinitionField & { readonly key: FieldKey }

/** Keys of other programs that are close to one of ours by accident. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['mode'])

const spellings = definitionFields.flatMap((field) =>
  [field.key, ...(field.also as readonly string[])].map((spelling) => ({ spelling, field: field as Field })),
)

/** The field that a misspelled key probably means; null for known keys and for all others. */
export function meantField(key: string): Field | null {
  if (fieldOf(key) !== undefined || OTHER_KEYS.has(key.toLowerCase())) return null
  return spellings.find(({ spelling }) => isTypo(key, spelling))?.field ?? null
}

/** Reports the first misspelled key of each field that is not set. */
export function tellMisspelledKeys(fields: FrontmatterFields, which: (field: Field) => boolean): void {
  const reported = new Set<FieldKey>()
  for (const key of fields.keys) {
    const field = meantField(key)
    if (field === null || reported.has(field.key) || fields.keyOf(field.key) !== null || !which(field))
      continue
    reported.add(field.key)
    fields.tellKey(key, diagnosticOf(key, field, fields))
  }
}

function diagnosticOf(
  key: string,
  { key: meant, isSafety }: Field,
  fields: FrontmatterFields,
): Pick<Diagnostic, 'code' | 'severity' | 'message' | 'fixes'> {
  const decide = ` The agent is not offered until you rename ${key}, or keep it and set ${meant} as well.`
  return {
    code: 'misspelled-key',
    severity: isSafety ? 'error' : 'warning',
    message: `Unknown key ${key}. Did you mean ${meant}?${isSafety ? decide : ''}`,
    fixes: [
      ...fields.renameKey(key, meant),
      ...(isSafety ? fields.addBefore(key, `${meant}:${UNRESTRICTED[meant] ?? ''}`) : []),
    ],
  }
}

/** The values of safety keys that mean the same as no key; without an entry, an empty value. */
const UNRESTRICTED: Readonly<Partial<Record<FieldKey, string>>> = {
  tools: ' "*"',
  disallowedTools: ' []',
  readOnly: ' false',
}
