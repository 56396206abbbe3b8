/** What Claude Code reads otherwise in a definition, or not at all. */
import { type AgentDefinition, plainDefinition, type ReadDefinition } from './agent-definition.ts'
import type { FieldKey } from './definition-fields.ts'

/** The fields that only Troupe has, by their property of a definition. */
const OWN_FIELDS: readonly (readonly [keyof AgentDefinition, FieldKey])[] = [
  ['forkContext', 'forkContext'],
  ['carryOver', 'carryOver'],
  ['reminder', 'criticalSystemReminder'],
  ['omitProjectInstructions', 'omitProjectInstructions'],
  ['readOnly', 'readOnly'],
  ['oneShot', 'oneShot'],
  ['aliases', 'aliases'],
  ['hidden', 'hidden'],
  ['program', 'backing'],
]

/** One sentence for each difference; none for a file that both programs read alike. */
export function inClaudeCode({
  definition,
  recovered,
}: Pick<ReadDefinition, 'definition' | 'recovered'>): readonly string[] {
  if (definition === null) return []
  const plain = plainDefinition('', '')
  const own = OWN_FIELDS.filter(([property]) => String(definition[property]) !== String(plain[property])).map(
    ([, key]) => key,
  )
  return [
    ...(recovered.some((code) => code !== 'doubled-key')
      ? [
          'Claude Code can’t read this frontmatter, because it is not valid YAML. Fix it or save it here once.',
        ]
      : []),
    ...(own.length > 0 ? [`Claude Code ignores ${listed(own)}.`] : []),
    ...(definition.readOnly ? ['There the agent can change files.'] : []),
    ...(definition.permissionMode === 'bubble' ? ['Claude Code has no permission mode bubble.'] : []),
  ]
}

function listed(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join() : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`
}
