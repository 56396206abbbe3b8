/**
 * Reads the frontmatter of a text, and remembers the result while the frontmatter stays: a key typed into the body costs
 * no reading. The form, the panels and the marks in the text share it.
 */
import type { Diagnostic, ReadDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { definitionNotes } from '../../../../shared/agent-definition/definition-notes.ts'
import { missingNames } from '../../../../shared/agent-definition/missing-names.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { sourcePositions } from '../../../../shared/agent-definition/source-positions.ts'
import { endOfHead } from '../../../../shared/agent-definition/split-frontmatter.ts'
import { textProblems } from '../../../../shared/agent-definition/text-problems.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface ReadHead extends Pick<ReadDefinition, 'definition' | 'recovered'> {
  /** The text up to the body; the whole text if the body can't be told apart. */
  readonly head: string
  /** False: errors keep the agent from being used. */
  readonly offered: boolean
  /** Sorted by position, in UTF-16 offsets of the text. Without those of the body's characters. */
  readonly problems: readonly Diagnostic[]
}

const known = new WeakMap<DefinitionSurroundings, ReadHead>()

/** The same object as long as the frontmatter is the same. The prompt of the definition is empty. */
export function readHead(text: string, surroundings: DefinitionSurroundings): ReadHead {
  const head = text.slice(0, endOfHead(text) ?? text.length)
  const before = known.get(surroundings)
  if (before?.head === head) return before
  const { stem, entry, notUtf8 = null } = surroundings
  const read = readDefinition(head, { stem, source: entry.source })
  const found: ReadHead = {
    head,
    definition: read.definition,
    recovered: read.recovered,
    offered: read.offered && notUtf8 === null,
    problems: problemsOf(head, read, surroundings),
  }
  known.set(surroundings, found)
  return found
}

/** All problems of a text, sorted by position, in UTF-16 offsets. */
export function definitionProblems(
  text: string,
  surroundings: DefinitionSurroundings,
): readonly Diagnostic[] {
  const { problems } = readHead(text, surroundings)
  const ofText = textProblems(text)
  return ofText.length === 0 ? problems : [...ofText, ...problems].sort((a, b) => a.from - b.from)
}

function problemsOf(
  head: string,
  { definition, diagnostics }: ReadDefinition,
  { entry, catalog, notUtf8 = null }: DefinitionSurroundings,
): readonly Diagnostic[] {
  const encoding: readonly Diagnostic[] =
    notUtf8 === null
      ? []
      : [
          {
            code: 'not-utf8',
            severity: 'error',
            message: `The file is ${notUtf8.encoding}, not UTF-8, so its agent is not in use.`,
            ...sourcePositions(head).at(0, 0),
            line: notUtf8.line,
            fixes: [],
          },
        ]
  if (definition === null) return [...encoding, ...diagnostics]
  const names = { ...catalog, skills: catalog.skills.map(({ name }) => name) }
  const missing = missingNames(head, { ...definition, source: entry.source }, names)
  const notes = entry.source === 'built-in' ? [] : definitionNotes(head, definition)
  return [...encoding, ...diagnostics, ...missing, ...notes].sort((a, b) => a.from - b.from)
}
