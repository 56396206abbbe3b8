/** What is wrong with a definition: what its reader says, and what it names that is not there. */
import type {
  AgentDefinition,
  Diagnostic,
  Mend,
} from '../../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { resolveTools } from '../../../../shared/agent-definition/resolve-tools.ts'
import { sourcePlaces } from '../../../../shared/agent-definition/source-places.ts'
import { setField } from '../../../../shared/agent-definition/write-definition.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import { LONGEST_FRONTMATTER, type ScannedName, scanFrontmatter, scanNames } from './scan-frontmatter.ts'

type ListKey = 'tools' | 'disallowedTools' | 'skills'

/** In the order of their places, in UTF-16 offsets of the text. */
export function definitionProblems(
  text: string,
  surroundings: DefinitionSurroundings,
): readonly Diagnostic[] {
  const { definition, diagnostics } = readDefinition(text, {
    stem: surroundings.stem,
    source: surroundings.entry.source,
  })
  if (definition === null) return diagnostics
  const missing = (['tools', 'disallowedTools', 'skills'] as const).flatMap((key) =>
    missingNames(text, key, { definition, surroundings }),
  )
  return [...diagnostics, ...missing].sort((a, b) => a.from - b.from)
}

interface Known {
  readonly definition: AgentDefinition
  readonly surroundings: DefinitionSurroundings
}

function missingNames(text: string, key: ListKey, known: Known): readonly Diagnostic[] {
  const names = known.definition[key] ?? []
  const why = whatIsMissing(key, known)
  const wrong = new Map(names.flatMap((name) => (why(name) === null ? [] : [[name, why(name)] as const])))
  if (wrong.size === 0) return []
  const places = sourcePlaces(text)
  const head = text.slice(0, LONGEST_FRONTMATTER)
  const field = scanFrontmatter(head)?.fields.find((each) => each.key === key)
  const written = field === undefined ? [] : scanNames(head, field)
  return [...wrong].flatMap(([name, problem]): readonly Diagnostic[] => {
    if (problem === null) return []
    const found = written.filter((each) => each.name === name)
    // A name that is written in another way than it reads: its key is where to look.
    const shown = found.length > 0 ? found : [{ name, from: field?.keyFrom ?? 0, to: field?.keyTo ?? 0 }]
    return shown.map((place) => ({
      code: problem.code,
      severity: 'warning',
      ...places.at(place.from, found.length > 0 ? endOfName(place) : place.to),
      message: problem.message,
      mends: mendsOf(text, place, { key, names, nearest: found.length > 0 ? problem.nearest : null }),
    }))
  })
}

/** Without its rule: `Bash` of `Bash(git diff:*)`. */
function endOfName({ name, from }: ScannedName): number {
  const bare = /^[^(]*/.exec(name)?.[0].trimEnd() ?? name
  return from + (bare === '' ? name.length : bare.length)
}

interface Missing {
  readonly code: string
  readonly message: string
  readonly nearest: string | null
}

function whatIsMissing(key: ListKey, { definition, surroundings }: Known): (name: string) => Missing | null {
  const { entry, library } = surroundings
  if (key === 'skills')
    return (name) =>
      library.skills.some((skill) => skill.name === name)
        ? null
        : {
            code: 'unknown-skill',
            message: `There is no skill named ${name}, so it is left out.`,
            nearest: null,
          }
  const { unknown } = resolveTools(
    { ...definition, source: entry.source },
    { tools: library.tools, depth: 1 },
  )
  const nearest = new Map(unknown.map((each) => [each.entry, each.nearest]))
  return (name) => {
    const near = nearest.get(name)
    if (near !== undefined)
      return {
        code: 'unknown-tool',
        message: `There is no tool named ${bareName(name)}${near === null ? '' : `; ${near} is the nearest`}. It is left out.`,
        nearest: near,
      }
    const server = /^mcp__((?:(?!__).)+)/.exec(name)?.[1]
    if (server === undefined || library.servers.includes(server)) return null
    if (library.tools.some((tool) => tool.startsWith(`mcp__${server}__`))) return null
    return {
      code: 'unknown-server',
      message: `No server named ${server} is connected, so ${bareName(name)} is left out.`,
      nearest: null,
    }
  }
}

const bareName = (name: string): string => name.replace(/\(.*$/s, '').trim()

function mendsOf(
  text: string,
  place: ScannedName,
  { key, names, nearest }: { key: ListKey; names: readonly string[]; nearest: string | null },
): readonly Mend[] {
  const taken = setField(
    text,
    key,
    names.filter((name) => name !== place.name),
  )
  return [
    ...(nearest === null
      ? []
      : [{ label: `Use ${nearest}`, edits: [{ from: place.from, to: endOfName(place), insert: nearest }] }]),
    ...(taken.length === 0 ? [] : [{ label: `Remove ${bareName(place.name)}`, edits: taken }]),
  ]
}
