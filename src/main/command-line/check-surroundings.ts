/** What a definition names that is not there: tools and skills, each at its place in the file. */
import type { AgentDefinition, Diagnostic } from '../../shared/agent-definition/agent-definition.ts'
import { resolveTools } from '../../shared/agent-definition/resolve-tools.ts'
import { sourcePlaces } from '../../shared/agent-definition/source-places.ts'
import { splitFrontmatter } from '../../shared/agent-definition/split-frontmatter.ts'
import { readToolEntry } from '../../shared/agent-definition/tool-entry.ts'
import { canonicalToolName } from '../../shared/agent-definition/tool-names.ts'
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
  const unknownTools = unknown.flatMap(({ entry, nearest }): readonly Problem[] => {
    const isListed = definition.tools?.includes(entry) === true
    const place = placeOf(entry, isListed ? 'tools' : 'disallowedTools', text)
    if (!isForeseen(entry))
      return [
        {
          code: 'unknown-tool',
          severity: 'warning',
          ...place,
          message: `${sentenceOn(entry)}${nearest === null ? '' : ` Did you mean ${nearest}?`}`,
        },
      ]
    // Denying what is not there does no harm, and the program's own agents are ready for what will be.
    if (!isListed || definition.source === 'built-in') return []
    const message = `This version does not have the tool ${entry} yet.`
    return [{ code: 'missing-tool', severity: 'notice', ...place, message }]
  })
  return [
    ...unknownTools,
    ...missingSkills(definition, skills).map((name) => ({
      code: 'missing-skill',
      severity: 'warning' as const,
      ...placeOf(name, 'skills', text),
      message: `There is no skill ${name}, so its text is not in the prompt.`,
    })),
  ]
}

/** Whether an entry names a tool that this program knows of and does not have yet. */
export function isForeseen(entry: string): boolean {
  const { name, isBroken } = readToolEntry(entry)
  return !isBroken && canonicalToolName(name.toLowerCase()) !== name.toLowerCase()
}

function sentenceOn(entry: string): string {
  return readToolEntry(entry).isBroken
    ? `The brackets of ${entry} make no sense, so it allows nothing.`
    : `There is no tool ${entry}.`
}

/** Those that it names and that are not there; case is ignored. */
export function missingSkills(
  definition: Pick<AgentDefinition, 'skills'>,
  skills: KnownNames['skills'],
): readonly string[] {
  const known = new Set(skills?.map((name) => name.toLowerCase()))
  return skills === null ? [] : definition.skills.filter((name) => !known.has(name.toLowerCase()))
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
