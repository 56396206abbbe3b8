/** Finds one field's value in a YAML text, and the edits that change the value. */
import { isMap, isNode, isScalar, isSeq, type Node, type Pair, type Scalar, visit, type YAMLMap } from 'yaml'
import { applyEdits, type TextEdit } from './agent-definition.ts'
import { definitionFields, type FieldKey, fieldOf, isProse } from './definition-fields.ts'
import { formatBlock, formatText, type QuoteStyle } from './format-value.ts'
import { joinBrackets, splitNames } from './name-list.ts'
import { refold } from './refold.ts'
import { spliceNames } from './splice-names.ts'
import { type ParsedYaml, parseStrictly } from './strict-yaml.ts'

/** Null removes the key. A list keeps the file's notation. */
export type FieldValue = string | number | boolean | readonly string[] | null

/** Edits of the YAML text; none if the value is the same already. */
export function spliceField(parsed: ParsedYaml, key: FieldKey, value: FieldValue): readonly TextEdit[] {
  const map = isMap(parsed.document.contents) ? parsed.document.contents : null
  const pair = map === null ? null : pairOf(map, parsed, key)
  if (pair === null || map === null) return value === null ? [] : insertField(parsed, map, { key, value })
  if (value === null)
    return [...writtenOut(parsed, pair), removal(parsed.text, map, pair)].sort((a, b) => a.from - b.from)
  if (says(parsed, key, value)) return []
  // Try the smallest edit first. If the reader would read another value from it, replace the whole value, and replace
  // references to the value with the value itself.
  const whole = () =>
    wholeValue(parsed.text, pair, formatValue(key, value, { style: 'double', inFlow: true }))
  const strategies = [
    () => changedFold(parsed.text, pair, value),
    () => changedValue(parsed, { map, pair }, { key, value }),
    () => [whole()],
    () => [...writtenOut(parsed, pair), whole()].sort((a, b) => a.from - b.from),
  ]
  for (const strategy of strategies) {
    const edits = strategy()
    if (edits === null) continue
    const after = parseStrictly(applyEdits(parsed.text, edits))
    if (after.kind === 'failed' || !says(after.parsed, key, value)) continue
    if (saysOfOthers(after.parsed, pair) === saysOfOthers(parsed, pair)) return edits
  }
  return []
}

/** All fields except one, for comparison. */
function saysOfOthers({ values }: ParsedYaml, pair: Pair): string {
  return JSON.stringify(values, (key, value: unknown) => (key === keyText(pair) ? undefined : value))
}

/** Replaces each reference to a value's anchor with the value itself. */
function writtenOut({ document }: ParsedYaml, pair: Pair): readonly TextEdit[] {
  const anchor = isNode(pair.value) && 'anchor' in pair.value ? pair.value.anchor : undefined
  const edits: TextEdit[] = []
  if (anchor === undefined || !isNode(pair.value)) return edits
  const insert = JSON.stringify(pair.value.toJS(document))
  visit(document, {
    Alias: (_key, node) => {
      if (node.source === anchor && node.range) edits.push({ from: node.range[0], to: node.range[1], insert })
    },
  })
  return edits
}

/** Whether the reader reads this value from the text. */
function says(parsed: ParsedYaml, key: FieldKey, value: FieldValue): boolean {
  const map = parsed.document.contents
  const pair = isMap(map) ? pairOf(map, parsed, key) : null
  const values = parsed.values as Readonly<Record<string, unknown>>
  const now = pair === null ? undefined : (values[keyText(pair)] ?? null)
  if (typeof value === 'object' && value !== null) {
    if (now === null) return value.length === 0
    const names =
      typeof now === 'string' ? splitNames(now) : Array.isArray(now) ? joinBrackets(now.map(String)) : null
    return (
      names !== null && names.length === value.length && names.every((name, index) => name === value[index])
    )
  }
  if (typeof value !== 'string') return now === value || (typeof now === 'string' && now === String(value))
  if (typeof now !== 'string') return false
  // A block's last line break is not part of the typed text, and `\n` in a description is a line break.
  const isSame = (written: string) => written === value || (value !== '' && written === `${value}\n`)
  return isSame(now) || (fieldOf(key)?.key === 'description' && isSame(now.replaceAll('\\n', '\n')))
}

// ---- changes -----------------------------------------------------------------------------------

interface Change {
  readonly key: FieldKey
  readonly value: Exclude<FieldValue, null>
}

function changedValue(
  { text }: ParsedYaml,
  { map, pair }: { readonly map: YAMLMap; readonly pair: Pair },
  { key, value }: Change,
): readonly TextEdit[] | null {
  const node = isNode(pair.value) ? pair.value : null
  const inFlow = map.flow === true
  if (node === null || isEmpty(node))
    return [emptyValue(text, pair, formatValue(key, value, { style: 'plain', inFlow }))]
  if (typeof value === 'object') {
    if (value.length > 0 && (isSeq(node) || isScalar(node))) {
      const edits = spliceNames(text, node, { names: value, inFlow })
      if (edits !== null) return edits
    }
    if (isSeq(node) && node.flow !== true && !inFlow) return [otherItems(text, pair, value)]
    return [wholeValue(text, pair, formatValue(key, value, { style: 'plain', inFlow }))]
  }
  if (!isScalar(node) || !node.range)
    return [wholeValue(text, pair, formatValue(key, value, { style: 'plain', inFlow }))]
  if (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED') {
    const block = typeof value === 'string' ? changedBlock(text, node, value) : null
    return block === null
      ? [wholeValue(text, pair, formatValue(key, value, { style: 'plain', inFlow }))]
      : [block]
  }
  const [from, to] = node.range
  const written = text.slice(from, to)
  const escaped =
    typeof value === 'string' &&
    written.includes('\\n') &&
    node.type !== 'QUOTE_DOUBLE' &&
    fieldOf(key)?.key === 'description'
      ? value.replaceAll('\n', '\\n')
      : value
  return [
    {
      from,
      to,
      insert: formatValue(key, escaped, { style: styleOf(node), inFlow, indent: indentOf(text, pair) }),
    },
  ]
}

/** Changes the lines of a folded block that differ; null for every other value. */
function changedFold(text: string, { value: node }: Pair, value: FieldValue): readonly TextEdit[] | null {
  if (!isScalar(node) || node.type !== 'BLOCK_FOLDED' || !isNode(node) || !node.range) return null
  if (typeof node.value !== 'string' || typeof value !== 'string') return null
  // With other line breaks, a literal block is easier to read.
  if (breaksIn(node.value) !== breaksIn(value)) return null
  const [from, to] = node.range
  const [header = '', ...lines] = text.slice(from, to).split('\n')
  const folded = refold(lines, node.value, value + (/\n*$/.exec(node.value)?.[0] ?? ''))
  return folded && [{ from, to, insert: [header, ...folded].join('\n') }]
}

const breaksIn = (text: string): number => text.trim().split('\n').length

/** The lines below the header, with their indent. */
function changedBlock(text: string, node: Scalar, value: string): TextEdit | null {
  const [from, to] = node.range ?? [0, 0]
  const [header = '', ...lines] = text.slice(from, to).split('\n')
  const first = lines.find((line) => line.trim() !== '')
  const indent = /^[ ]*/.exec(first ?? '')?.[0] ?? ''
  const isFolded = node.type === 'BLOCK_FOLDED'
  if (indent === '' || /^[ \t\n]/.test(value) || value.trim() === '') return null
  // A folded block holds one line only. Text with line breaks becomes a literal block.
  const literal = isFolded && value.includes('\n') ? header.replace('>', '|') : header
  if (formatBlock(value, indent) === null) return null
  const body = value
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
  return { from, to, insert: `${literal}\n${body.join('\n')}\n` }
}

/** Replaces all items of a list below its key. The list's comments stay, except those behind an item. */
function otherItems(text: string, pair: Pair, names: readonly string[]): TextEdit {
  const from = colonOf(text, pair) + 1
  const to = (isNode(pair.value) ? pair.value.range?.[1] : null) ?? from
  const [header = '', ...lines] = text.slice(from, to).split('\n')
  const comments = lines.filter((line) => /^\s*#/.test(line))
  const indent = /^\s*/.exec(lines.find((line) => /^\s*-/.test(line)) ?? '  ')?.[0] ?? '  '
  const items = names.map((name) => `${indent}- ${formatText(name, { style: 'plain', inFlow: false })}`)
  const first = names.length === 0 ? ` []${header}` : header
  const end = text[to - 1] === '\n' ? '\n' : ''
  return { from, to, insert: [first, ...comments, ...items].join('\n') + end }
}

/** `key:` without a value, with or without a comment. */
function emptyValue(text: string, pair: Pair, written: string): TextEdit {
  const at = valueStart(text, pair)
  const before = text[at - 1] === ' ' ? '' : ' '
  const after = text[at] === '#' ? ' ' : ''
  return { from: at, to: at, insert: before + written + after }
}

/** From the colon to the end of the value. */
function wholeValue(text: string, pair: Pair, written: string): TextEdit {
  const node = isNode(pair.value) ? pair.value : null
  const colon = colonOf(text, pair)
  const end = node?.range?.[1] ?? colon + 1
  const lineEnd = text[end - 1] === '\n' ? '\n' : ''
  return { from: colon + 1, to: end, insert: ` ${written}${lineEnd}` }
}

// ---- added and removed keys --------------------------------------------------------------------

/** Adds the key after the nearest field that precedes it in the default order. */
function insertField(parsed: ParsedYaml, map: YAMLMap | null, { key, value }: Change): readonly TextEdit[] {
  const { text } = parsed
  const inFlow = map?.flow === true
  const items = map?.items ?? []
  if (map !== null && inFlow) {
    const written = `${key}: ${formatValue(key, value, { style: 'double', inFlow: true })}`
    const last = items.at(-1)
    const at = last === undefined ? (map.range?.[0] ?? 0) + 1 : endOf(last)
    return [{ from: at, to: at, insert: last === undefined ? written : `, ${written}` }]
  }
  const order = definitionFields.map((field) => field.key as FieldKey)
  const location = order.indexOf(key)
  const before = items.findLast((pair) => {
    const field = fieldOf(keyText(pair))
    return field !== undefined && order.indexOf(field.key) < location
  })
  const [firstPair] = items
  const indent = firstPair === undefined ? '' : indentOf(text, firstPair)
  const at =
    before !== undefined
      ? afterOwnComments(text, { at: lineAfter(text, before), indent })
      : firstPair === undefined
        ? text.length
        : lineStart(text, startOf(firstPair))
  const written = formatValue(key, value, { style: 'plain', inFlow: false, indent })
  return [{ from: at, to: at, insert: `${indent}${key}: ${written}\n` }]
}

function removal(text: string, map: YAMLMap, pair: Pair): TextEdit {
  if (map.flow !== true)
    return { from: lineStart(text, startOf(pair)), to: lineAfter(text, pair), insert: '' }
  const index = map.items.indexOf(pair)
  const [before, after] = [map.items[index - 1], map.items[index + 1]]
  if (after !== undefined) return { from: startOf(pair), to: startOf(after), insert: '' }
  return { from: before === undefined ? startOf(pair) : endOf(before), to: endOf(pair), insert: '' }
}

// ---- writing -----------------------------------------------------------------------------------

interface Style {
  readonly style: QuoteStyle
  readonly inFlow: boolean
  /** The indent of the key. A block is indented by two more. */
  readonly indent?: string
}

function formatValue(
  key: FieldKey,
  value: Exclude<FieldValue, null>,
  { style, inFlow, indent }: Style,
): string {
  if (typeof value === 'object') return formatNames(key, value, inFlow || style === 'double')
  if (typeof value !== 'string')
    return style === 'plain' ? String(value) : formatText(String(value), { style, inFlow })
  if (indent !== undefined && !inFlow && isProse(key) && value.includes('\n')) {
    const block = formatBlock(value, `${indent}  `)
    if (block !== null) return block
  }
  return formatText(value, { style, inFlow })
}

/** Tools separated by commas, the most common notation; other names as a list. */
function formatNames(key: FieldKey, names: readonly string[], inFlow: boolean): string {
  const text = names.join(', ')
  const isTools = key === 'tools' || key === 'disallowedTools'
  if (
    isTools &&
    !inFlow &&
    names.length > 0 &&
    formatText(text, { style: 'plain', inFlow: false }) === text &&
    sameNames(text, names)
  )
    return text
  return `[${names.map((name) => formatText(name, { style: 'plain', inFlow: true })).join(', ')}]`
}

function sameNames(text: string, names: readonly string[]): boolean {
  return JSON.stringify(splitNames(text)) === JSON.stringify(names)
}

function styleOf(node: Scalar): QuoteStyle {
  return node.type === 'QUOTE_DOUBLE' ? 'double' : node.type === 'QUOTE_SINGLE' ? 'single' : 'plain'
}

// ---- positions ---------------------------------------------------------------------------------

/** The pair of a field, under any spelling of its key. A pair with a value comes first. */
function pairOf(map: YAMLMap, parsed: ParsedYaml, key: FieldKey): Pair | null {
  const values = parsed.values as Readonly<Record<string, unknown>>
  const names = [key, ...(fieldOf(key)?.also ?? [])]
  const present = names.flatMap((name) => map.items.find((pair) => keyText(pair) === name) ?? [])
  return present.find((pair) => (values[keyText(pair)] ?? null) !== null) ?? present[0] ?? null
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : '')

const isEmpty = (node: Node): boolean =>
  isScalar(node) && node.value === null && node.range != null && node.range[0] === node.range[1]

const startOf = (pair: Pair): number => (isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0)

function endOf(pair: Pair): number {
  const key = isNode(pair.key) ? (pair.key.range?.[1] ?? 0) : 0
  return Math.max(key, isNode(pair.value) ? (pair.value.range?.[1] ?? 0) : 0)
}

const colonOf = (text: string, pair: Pair): number =>
  text.indexOf(':', isNode(pair.key) ? (pair.key.range?.[1] ?? 0) : 0)

function valueStart(text: string, pair: Pair): number {
  const at = isNode(pair.value) ? pair.value.range?.[0] : undefined
  return at ?? colonOf(text, pair) + 1
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** The start of the line after a field and after the comment on its last line. */
function lineAfter(text: string, pair: Pair): number {
  const end = Math.max(endOf(pair), colonOf(text, pair) + 1)
  if (text[end - 1] === '\n') return end
  const next = text.indexOf('\n', end)
  return next === -1 ? text.length : next + 1
}

/** Comments that are indented more than the fields belong to the field above them. */
function afterOwnComments(
  text: string,
  { at, indent }: { readonly at: number; readonly indent: string },
): number {
  const [comments = ''] = new RegExp(`^(?:${indent}[ \\t]+#[^\\n]*(?:\\n|$))*`).exec(text.slice(at)) ?? []
  return at + comments.length
}

const indentOf = (text: string, pair: Pair): string =>
  text.slice(lineStart(text, startOf(pair)), startOf(pair)).replace(/\S.*$/, '')
