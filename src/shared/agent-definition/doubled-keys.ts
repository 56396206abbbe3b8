/**
 * Keys that a frontmatter has twice. The last one counts, as in Claude Code; the others become comments. Where the
 * values differ in a restriction, the strictest is kept and the user decides.
 */
import { isMap, isNode, isScalar, type Pair, parseDocument } from 'yaml'
import type { TextEdit } from './agent-definition.ts'
import { fieldOf } from './definition-fields.ts'

interface DoubledKey {
  readonly key: string
  /** Makes comments of all values but one. */
  readonly edits: readonly TextEdit[]
  /** Whether the values restrict the agent differently. */
  readonly losesRestriction: boolean
}

/** Null if the text has another mistake, or no doubled key at its top level. */
export function doubledKeys(text: string): readonly DoubledKey[] | null {
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
  const map = document.contents
  if (document.errors.length > 0 || !isMap(map) || map.flow) return null
  const starts = map.items.map(startOf)
  const byKey = new Map<string, number[]>()
  for (const [index, { key }] of map.items.entries()) {
    const name = isScalar(key) ? String(key.value) : ''
    byKey.set(name, [...(byKey.get(name) ?? []), index])
  }
  const doubled = [...byKey].filter(([, indexes]) => indexes.length > 1)
  if (doubled.length === 0 || starts.some((start) => start === null)) return null
  return doubled.map(([key, indexes]) => {
    const values = indexes.map((index) => written(text, map.items[index]))
    const strictest = STRICTEST[fieldOf(key)?.key ?? '']
    const losesRestriction = strictest !== undefined && new Set(values).size > 1
    const kept = indexes[losesRestriction ? strictest(values) : values.length - 1]
    return {
      key,
      losesRestriction,
      edits: indexes
        .filter((index) => index !== kept)
        .flatMap((index) => commentOut(text, starts[index] ?? 0, starts[index + 1] ?? text.length)),
    }
  })
}

/** For safety keys whose other value could allow more: the index of the value that restricts the agent most. */
const STRICTEST: Readonly<Record<string, (values: readonly string[]) => number>> = {
  disallowedTools: (values) => values.indexOf(longestOf(values)),
  readOnly: (values) =>
    Math.max(
      0,
      values.findIndex((value) => /true/i.test(value)),
    ),
  isolation: (values) =>
    Math.max(
      0,
      values.findIndex((value) => /worktree/i.test(value)),
    ),
}

function longestOf(values: readonly string[]): string {
  return values.reduce((longest, value) => (value.length > longest.length ? value : longest), '')
}

/** Where the key of a pair starts; null if it has no position. */
function startOf({ key }: Pair): number | null {
  return isNode(key) && key.range ? key.range[0] : null
}

function written(text: string, pair: Pair | undefined): string {
  const range = isNode(pair?.value) ? pair.value.range : null
  return range ? text.slice(range[0], range[1]).trim() : ''
}

/** A `# ` before each line that is neither blank nor a comment. */
function commentOut(text: string, from: number, to: number): readonly TextEdit[] {
  const edits: TextEdit[] = []
  for (let at = from; at < to; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end === -1 ? to : Math.min(end, to))
    if (line.trim() !== '' && !/^\s*#/.test(line)) edits.push({ from: at, to: at, insert: '# ' })
    if (end === -1) break
    at = end + 1
  }
  return edits
}
