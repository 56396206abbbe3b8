/** What Claude Code reads differently in a definition, or not at all. */
import { type AgentDefinition, plainDefinition, type ReadDefinition } from './agent-definition.ts'
import { type ClaudeCodeReading, claudeCodeReading, type Obstacle } from './claude-code-reading.ts'
import { type FieldKey, fieldOf } from './definition-fields.ts'
import { scanFrontmatter } from './scan-frontmatter.ts'

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

/**
 * One sentence for each difference; none for a file that both programs read in the same way.
 * @param text the file's text
 */
export function inClaudeCode(
  { definition, recovered }: Pick<ReadDefinition, 'definition' | 'recovered'>,
  text: string,
): readonly string[] {
  if (definition === null) return []
  const reading = claudeCodeReading(text)
  const plain = plainDefinition('', '')
  const own = OWN_FIELDS.filter(([property]) => String(definition[property]) !== String(plain[property])).map(
    ([, key]) => key,
  )
  return [
    ...(reading.kind === 'none'
      ? [whyNone(reading.obstacle, recovered)]
      : differences(reading, definition, text)),
    ...(own.length > 0 ? [`Claude Code ignores ${listed(own)}.`] : []),
    ...(definition.readOnly ? ['There the agent can change files.'] : []),
    ...(definition.permissionMode === 'bubble' ? ['Claude Code has no permission mode bubble.'] : []),
  ]
}

const CUT = 'there the frontmatter ends at the first three dashes, also within a line'

function whyNone(obstacle: Obstacle, recovered: readonly string[]): string {
  if (obstacle !== 'yaml') return OBSTACLES[obstacle]
  return recovered.some((code) => code !== 'doubled-key')
    ? 'Claude Code can’t read this frontmatter, because it is not valid YAML. Fix it or save it here once.'
    : `Claude Code can’t read this frontmatter: ${CUT}, and what is before them is not valid YAML.`
}

const OBSTACLES: Readonly<Record<Exclude<Obstacle, 'yaml'>, string>> = {
  start: 'Claude Code does not find this agent: the first line of its file must be three dashes.',
  end: 'Claude Code does not find this agent: a line of three dashes must end its frontmatter.',
  name: 'Claude Code leaves this agent out, because it has no name, or one that is not text.',
  'dashed-name': 'Claude Code leaves this agent out, because its name begins with a dash.',
  'colon-in-name': 'Claude Code leaves this agent out, because its name contains a colon.',
  description: 'Claude Code leaves this agent out, because its description is missing, or not text.',
  hooks: 'Claude Code leaves this agent out, because its hooks are not valid.',
}

/** The fields that Claude Code does not reach, and the name if it is another one. */
function differences(
  { name, keys }: ClaudeCodeReading & { readonly kind: 'agent' },
  definition: AgentDefinition,
  text: string,
): readonly string[] {
  const written = scanFrontmatter(text)?.fields.map(({ key }) => key) ?? []
  const lost = [...new Set(written)].filter((key) => fieldOf(key) !== null && !keys.includes(key))
  return [
    ...(name.trim() === definition.name ? [] : [`Claude Code calls this agent ${name.trim()}.`]),
    ...(lost.length > 0 ? [`Claude Code does not read ${listed(lost)}: ${CUT}.`] : []),
  ]
}

function listed(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join() : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`
}
