/**
 * Changes a definition's text by splicing: only the bytes of the changed field are replaced. Each function returns
 * edits of the given text. If the text is not valid YAML, the first change also makes it valid.
 */
import { isMap, isScalar } from 'yaml'
import { applyEdits, type TextEdit } from './agent-definition.ts'
import { type FieldKey, fieldOf } from './definition-fields.ts'
import { editsOf, parseYaml } from './recover-yaml.ts'
import { type FieldValue, spliceField } from './splice-field.ts'
import { endOfHead, type SplitFrontmatter, splitFrontmatter } from './split-frontmatter.ts'
import { type ParsedYaml, parseStrictly } from './strict-yaml.ts'

export type { FieldValue }

/** No edits if the frontmatter is not readable: then only its text can be fixed. */
export function setField(text: string, key: FieldKey, value: FieldValue): readonly TextEdit[] {
  const split = splitFrontmatter(text)
  if (split.kind === 'open') return []
  if (split.kind === 'none') return value === null ? [] : addFrontmatter(text, key, value)
  const result = parseYaml(split.yaml.text)
  if (result.kind === 'failed') return []
  if (result.recoveries.length === 0) return inFile(split, spliceField(result.parsed, key, value))

  const valid = applyEdits(
    text,
    editsOf(result.recoveries).map((edit) => split.yaml.editOfFile(edit)),
  )
  return oneEdit(text, applyEdits(valid, setField(valid, key, value)))
}

/** `body` has LF line endings, whatever the file has. */
export function setBody(text: string, body: string): readonly TextEdit[] {
  const start = startOfPlainBody(text)
  if (start !== null)
    return oneEdit(text.slice(start), body).map(({ from, to, insert }) => ({
      ...{ from: from + start, to: to + start, insert },
    }))
  const split = splitFrontmatter(text)
  if (split.kind !== 'split') return []
  if (split.isClosed) return inFile(split, oneEdit(split.body.text, body), 'body')
  return body === '' ? [] : inFile(split, [{ from: 0, to: 0, insert: `\n${body}` }], 'body')
}

/** The current body, with LF line endings; null without frontmatter. */
export function bodyOf(text: string): string | null {
  const start = startOfPlainBody(text)
  if (start !== null) return text.slice(start)
  const split = splitFrontmatter(text)
  return split.kind === 'split' ? split.body.text : null
}

/** Where a body begins that is the rest of the text as it is; null: it has other line ends, or an indent. */
function startOfPlainBody(text: string): number | null {
  return text.includes('\r') ? null : endOfHead(text)
}

interface FrontmatterKey {
  readonly key: string
  /** The range of key and value in the file. */
  readonly from: number
  readonly to: number
  /** The field, for any spelling of its key; null: unknown. */
  readonly field: FieldKey | null
  /** The value as written. */
  readonly written: string
}

/** All top-level keys, in order; none if the frontmatter is not readable. */
export function frontmatterKeys(text: string): readonly FrontmatterKey[] {
  const split = splitFrontmatter(text)
  if (split.kind !== 'split') return []
  const strict = parseStrictly(split.yaml.text)
  if (strict.kind === 'failed' || !isMap(strict.parsed.document.contents)) return []
  return strict.parsed.document.contents.items.flatMap((pair) => {
    if (!isScalar(pair.key) || !pair.key.range) return []
    const key = String(pair.key.value)
    const [start, keyEnd] = pair.key.range
    const value = pair.value as { readonly range?: readonly [number, number, number] | null } | null
    const [from, to] = value?.range ?? [keyEnd, keyEnd]
    const written = strict.parsed.text.slice(from, to).trimEnd()
    const end = Math.max(keyEnd, from + written.length)
    return [
      {
        key,
        from: split.yaml.toFile(start),
        to: split.yaml.toFile(end),
        field: fieldOf(key)?.key ?? null,
        written,
      },
    ]
  })
}

function addFrontmatter(text: string, key: FieldKey, value: FieldValue): readonly TextEdit[] {
  const empty: ParsedYaml = emptyYaml
  const yaml = applyEdits('', spliceField(empty, key, value))
  const from = text.startsWith('\uFEFF') ? 1 : 0
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  return [{ from, to: from, insert: `---\n${yaml}---\n`.replaceAll('\n', lineEnd) }]
}

const emptyYaml = ((): ParsedYaml => {
  const parsed = parseStrictly('')
  if (parsed.kind === 'failed') throw new Error('nothing is valid YAML')
  return parsed.parsed
})()

function inFile(
  split: SplitFrontmatter,
  edits: readonly TextEdit[],
  part: 'yaml' | 'body' = 'yaml',
): readonly TextEdit[] {
  return edits.map((edit) => split[part].editOfFile(edit))
}

/** The smallest single edit that turns one text into the other. */
export function oneEdit(before: string, after: string): readonly TextEdit[] {
  if (before === after) return []
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return [{ from: start, to: before.length - end, insert: after.slice(start, after.length - end) }]
}
