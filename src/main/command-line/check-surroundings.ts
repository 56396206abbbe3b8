/** What a definition names that is not there: tools and skills, each at its place in the file. */
import type { AgentDefinition, Diagnostic } from '../../shared/agent-definition/agent-definition.ts'
import { resolveTools } from '../../shared/agent-definition/resolve-tools.ts'
import { sourcePlaces } from '../../shared/agent-definition/source-places.ts'
import { splitFrontmatter } from '../../shared/agent-definition/split-frontmatter.ts'
import type { AgentSource } from '../../shared/agent-library.ts'

export type Problem = Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>

export interface KnownNames {
  /** All tools this program has. */
  readonly tools: readonly string[]
  /** Null: they are not known, and nothing is said of skills. */
  readonly skills: readonly string[] | null
}

/** `text`: the file's, or null where there is none to point into. */
export function checkSurroundings(
  definition: Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'skills'> & {
    readonly source: AgentSource
  },
  { tools, skills }: KnownNames,
  text: string | null,
): readonly Problem[] {
  const { unknown } = resolveTools(definition, { tools, depth: 1 })
  const known = new Set(skills?.map((name) => name.toLowerCase()))
  const missing = skills === null ? [] : definition.skills.filter((name) => !known.has(name.toLowerCase()))
  return [
    ...unknown.map(({ entry, nearest }) => ({
      code: 'unknown-tool',
      severity: 'warning' as const,
      ...placeOf(entry, definition.tools?.includes(entry) ? 'tools' : 'disallowedTools', text),
      message: `There is no tool ${entry}.${nearest === null ? '' : ` Did you mean ${nearest}?`}`,
    })),
    ...missing.map((name) => ({
      code: 'missing-skill',
      severity: 'warning' as const,
      ...placeOf(name, 'skills', text),
      message: `There is no skill ${name}, so its text is not in the prompt.`,
    })),
  ]
}

/** Where a name stands behind a key of the frontmatter; the key, or the file's start, where it is not found. */
function placeOf(name: string, key: string, text: string | null): Pick<Problem, 'line' | 'column'> {
  const start = { line: 1, column: 1 }
  const split = text === null ? null : splitFrontmatter(text)
  if (text === null || split?.kind !== 'split') return start
  const yaml = split.yaml.text
  const field = new RegExp(`^(['"]?)${key}\\1[ \\t]*:`, 'm').exec(yaml)
  if (field === null) return start
  const behind = field.index + field[0].length
  const end = /^[^\s#-]/m.exec(yaml.slice(behind).replace(/^.*/, (rest) => ' '.repeat(rest.length)))
  const value = yaml.slice(behind, end === null ? undefined : behind + end.index)
  const word = value.search(new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`))
  const from = split.yaml.toFile(word === -1 ? field.index : behind + word)
  const { line, column } = sourcePlaces(text).at(from, from)
  return { line, column }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
