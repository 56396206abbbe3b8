/** The frontmatter of a SKILL.md. */
import { parseYaml } from '../agent-definition/recover-yaml.ts'
import { splitFrontmatter } from '../agent-definition/split-frontmatter.ts'

interface SkillFields {
  readonly description: string
  /** Missing: agents may load it. */
  readonly isOnlyForUser?: true
  /** Missing: the user may run it. */
  readonly isOnlyForAgents?: true
  readonly argumentHint?: string
  /** Permission rules for the shell commands of its text. */
  readonly allowedTools?: readonly string[]
  /** It is the task of an agent of its own, of this type. */
  readonly fork?: { readonly agent: string; readonly model: string | null }
  /** Without `fork`: the model of the turn that loads it. */
  readonly model?: string
  /** What has no effect, as sentences. */
  readonly notes?: readonly string[]
}

const PLAIN = ['name', 'description', 'license', 'metadata', 'version', 'compatibility', 'author', 'tags']
const READ = [
  ...['when_to_use', 'argument-hint', 'arguments', 'disable-model-invocation', 'user-invocable'],
  ...['allowed-tools', 'context', 'agent', 'model'],
]

export function skillFields(text: string, source: 'project' | 'user' | 'plugin'): SkillFields {
  const split = splitFrontmatter(text)
  const read = split.kind === 'split' ? parseYaml(split.yaml.text) : null
  const values: unknown = read?.kind === 'parsed' ? read.parsed.values : null
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { description: '' }
  const fields: Readonly<Record<string, unknown>> = { ...values }
  const [description, use, context] = ['description', 'when_to_use', 'context'].map((key) =>
    textOf(fields[key]),
  )
  const isFork = context === 'fork'
  const allowed = listOf(fields['allowed-tools'])
  const model = textOf(fields['model'])
  const hint = hintOf(fields['argument-hint'])
  const notes = notesOn(fields, { source, isFork, hasTools: allowed.length > 0 })
  return {
    description: [description, use].filter((part) => part !== '').join(' '),
    ...(isYes(fields['disable-model-invocation']) && { isOnlyForUser: true }),
    ...(isNo(fields['user-invocable']) && { isOnlyForAgents: true }),
    ...(hint !== '' && { argumentHint: hint }),
    ...(allowed.length > 0 && { allowedTools: allowed }),
    ...(isFork && {
      fork: { agent: textOf(fields['agent']) || 'general-purpose', model: model || null },
    }),
    ...(!isFork && model !== '' && model !== 'inherit' && { model }),
    ...(notes.length > 0 && { notes }),
  }
}

function notesOn(
  fields: Readonly<Record<string, unknown>>,
  {
    source,
    isFork,
    hasTools,
  }: { readonly source: string; readonly isFork: boolean; readonly hasTools: boolean },
): readonly string[] {
  const unread = Object.keys(fields).filter((key) => !PLAIN.includes(key) && !READ.includes(key))
  return [
    ...(textOf(fields['agent']) !== '' && !isFork ? ['agent has no effect without context: fork.'] : []),
    ...(hasTools
      ? [
          source !== 'user'
            ? 'allowed-tools has no effect: only your own skills allow something.'
            : isFork
              ? 'allowed-tools holds for the agent that carries out the skill, and for no other.'
              : 'allowed-tools allows the shell commands of the skill’s text, not the later calls of the agent.',
        ]
      : []),
    ...(fields['arguments'] === undefined ? [] : ['arguments has no effect: use $ARGUMENTS, $0 and $1.']),
    ...unread.map((key) => `${key} has no effect in Troupe.`),
  ]
}

/** The text with the places that stand for the skill's folder. */
export const withSkillFolder = (body: string, folder: string): string =>
  body.replaceAll(/\$\{CLAUDE_SKILL_DIR\}|\$CLAUDE_SKILL_DIR\b/g, () => folder)

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
const isYes = (value: unknown): boolean => value === true || /^(true|yes|on)$/i.test(textOf(value))
const isNo = (value: unknown): boolean => value === false || /^(false|no|off)$/i.test(textOf(value))

/** `[issue]` without quotes is a list in YAML. */
const hintOf = (value: unknown): string =>
  Array.isArray(value) ? value.map((one) => `[${textOf(one)}]`).join(' ') : textOf(value)

/** A list, or a text with commas or spaces outside of brackets: `Bash(git add:*), Read`. */
function listOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((one) => one !== '')
  return (textOf(value).match(/(?:[^,\s(]|\([^)]*\)?)+/g) ?? []).filter((one) => one !== '')
}
