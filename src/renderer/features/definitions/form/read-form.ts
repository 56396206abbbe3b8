/** Reads a text for the form: the definition, its keys, and the problems of each field. */
import type { AgentDefinition, Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { type FieldKey, fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { scanFrontmatter } from '../../../../shared/agent-definition/scan-frontmatter.ts'
import { frontmatterKeys } from '../../../../shared/agent-definition/write-definition.ts'
import { definitionProblems } from '../source/source-lint.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface FormKey {
  readonly key: string
  /** Null for an unknown key. */
  readonly field: FieldKey | null
  /** The range of key and value, in UTF-16 units of the text. */
  readonly from: number
  readonly to: number
  /** From 1. */
  readonly line: number
  /** The value as written in the file. */
  readonly written: string
}

export interface FormReading {
  readonly text: string
  /** Null when the form has nothing to show. */
  readonly definition: AgentDefinition | null
  /** False: errors keep the agent from being used. */
  readonly isOffered: boolean
  readonly keys: readonly FormKey[]
  problemsOf(key: FieldKey): readonly Diagnostic[]
  /** Problems of the file and of keys without a control. */
  readonly otherProblems: readonly Diagnostic[]
  keyOf(field: FieldKey): FormKey | null
}

export function readForm(text: string, surroundings: DefinitionSurroundings): FormReading {
  const { definition, offered } = readDefinition(text, {
    stem: surroundings.stem,
    source: surroundings.entry.source,
  })
  const keys = keysOf(text)
  const located = definitionProblems(text, surroundings).map((problem) => ({
    problem,
    field: fieldOfProblem(problem, keys),
  }))
  return {
    text,
    definition,
    isOffered: offered,
    keys,
    problemsOf: (key) => located.filter(({ field }) => field === key).map(({ problem }) => problem),
    otherProblems: located.filter(({ field }) => field === null).map(({ problem }) => problem),
    keyOf: (field) => keys.find((each) => each.field === field) ?? null,
  }
}

/** Invalid YAML is scanned by lines for its keys. */
function keysOf(text: string): readonly FormKey[] {
  const lineOf = (from: number) => text.slice(0, from).split('\n').length
  const keys = frontmatterKeys(text)
  if (keys.length > 0)
    return keys.map(({ key, field, from, to, written }) => ({
      key,
      field,
      from,
      to,
      written,
      line: lineOf(from),
    }))
  return (scanFrontmatter(text)?.fields ?? []).map(({ key, keyFrom, from, to }) => ({
    key,
    field: fieldOf(key)?.key ?? null,
    from: keyFrom,
    to,
    line: lineOf(keyFrom),
    written: text.slice(from, to).trim(),
  }))
}

function fieldOfProblem({ code, from }: Diagnostic, keys: readonly FormKey[]): FieldKey | null {
  if (code === 'no-description') return 'description'
  const named = fieldOf(code.replace(/^bad-/, ''))?.key
  return named ?? keys.find((key) => key.from <= from && from <= key.to)?.field ?? null
}
