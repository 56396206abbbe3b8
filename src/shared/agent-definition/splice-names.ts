/** Changes a list of names in place. Kept names and the text around them keep their bytes. */
import { isScalar, isSeq, type Scalar, type YAMLSeq } from 'yaml'
import type { TextEdit } from './agent-definition.ts'
import { formatText, type QuoteStyle } from './format-value.ts'
import { splitNameRanges } from './name-list.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/** Null if the order changes or the notation of the list does not support splicing. */
export function spliceNames(
  text: string,
  node: YAMLSeq | Scalar,
  { names, inFlow }: { readonly names: readonly string[]; readonly inFlow: boolean },
): readonly TextEdit[] | null {
  const items = isSeq(node) ? itemsOf(node) : namesIn(text, node)
  if (items === null || items.length === 0) return null
  const change = changeOf(
    items.map((item) => item.name),
    names,
  )
  if (change === null) return null
  if (isScalar(node)) return spliceText(text, items, change)
  return node.flow === true || inFlow ? spliceFlow(text, items, change) : spliceBlock(text, items, change)
}

interface Item extends Range {
  readonly name: string
  readonly style: QuoteStyle
}

function itemsOf(node: YAMLSeq): readonly Item[] | null {
  const items = node.items.map((item): Item | null => {
    if (!isScalar(item) || !item.range || typeof item.value !== 'string') return null
    const style = item.type === 'QUOTE_DOUBLE' ? 'double' : item.type === 'QUOTE_SINGLE' ? 'single' : 'plain'
    return { name: item.value, from: item.range[0], to: item.range[1], style }
  })
  return items.every((item) => item !== null) ? items : null
}

/** The names of a one-line value without escapes. */
function namesIn(text: string, node: Scalar): readonly Item[] | null {
  if (!node.range || typeof node.value !== 'string') return null
  const [start, end] = node.range
  const quote = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0
  const written = text.slice(start + quote, end - quote)
  if (written !== node.value) return null
  return splitNameRanges(written).map(({ from, to }) => {
    return {
      name: written.slice(from, to),
      from: start + quote + from,
      to: start + quote + to,
      style: 'plain',
    }
  })
}

interface ListChange {
  /** Indexes of the removed names. */
  readonly removed: readonly number[]
  /** Names added at the end. */
  readonly added: readonly string[]
}

function changeOf(before: readonly string[], after: readonly string[]): ListChange | null {
  const removed: number[] = []
  let at = 0
  before.forEach((name, index) => {
    if (after[at] === name) at++
    else removed.push(index)
  })
  const added = after.slice(at)
  // Without a kept name, nothing shows the list's notation.
  return removed.length === before.length ? null : { removed, added }
}

/** The runs of adjacent removed names, each from its first to its last index. */
function runsOf(indexes: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = []
  for (const index of indexes) {
    const last = runs.at(-1)
    if (last !== undefined && last[1] === index - 1) last[1] = index
    else runs.push([index, index])
  }
  return runs
}

function spliceText(
  text: string,
  items: readonly Item[],
  { removed, added }: ListChange,
): readonly TextEdit[] {
  const [first, second] = items
  const between = first && second ? text.slice(first.to, second.from) : ', '
  const separator = between.includes(',') ? (between.trim() === ',' ? between : ', ') : ' '
  return [...removals(text, items, removed), ...appended(items, added, (name) => separator + name)]
}

function spliceFlow(
  text: string,
  items: readonly Item[],
  { removed, added }: ListChange,
): readonly TextEdit[] {
  const style = items.every((item) => item.style === items[0]?.style) ? (items[0]?.style ?? 'plain') : 'plain'
  return [
    ...removals(text, items, removed),
    ...appended(items, added, (name) => `, ${formatText(name, { style, inFlow: true })}`),
  ]
}

/** A run is removed with the separator after it, the last run with the separator before it. Comments stay. */
function removals(text: string, items: readonly Item[], removed: readonly number[]): readonly TextEdit[] {
  return runsOf(removed).map(([first, last]) => {
    const before = items[first - 1]
    const next = items[last + 1]
    const [from, to] = [items[first]?.from ?? 0, items[last]?.to ?? 0]
    if (next !== undefined) {
      const comma = /^[^#\n]*?,/.exec(text.slice(to, next.from))?.[0].length ?? 0
      return text.slice(to, next.from).includes('#')
        ? { from, to: to + comma, insert: '' }
        : { from, to: next.from, insert: '' }
    }
    if (before !== undefined && !text.slice(before.to, from).includes('#'))
      return { from: before.to, to, insert: '' }
    return { from, to, insert: '' }
  })
}

/** Inserts after the last kept name. Later removals follow in the list of edits. */
function appended(
  items: readonly Item[],
  added: readonly string[],
  write: (name: string) => string,
): readonly TextEdit[] {
  const last = items.at(-1)
  if (last === undefined || added.length === 0) return []
  return [{ from: last.to, to: last.to, insert: added.map(write).join('') }]
}

function spliceBlock(
  text: string,
  items: readonly Item[],
  { removed, added }: ListChange,
): readonly TextEdit[] {
  const lineStart = (at: number) => text.lastIndexOf('\n', at - 1) + 1
  const lineAfter = (at: number) => {
    const end = text.indexOf('\n', at)
    return end === -1 ? text.length : end + 1
  }
  const last = items.at(-1)
  if (last === undefined) return []
  const edits = removed.map((index): TextEdit => {
    const item = items[index] ?? last
    return { from: lineStart(item.from), to: lineAfter(item.to), insert: '' }
  })
  const lead = text.slice(lineStart(last.from), last.from)
  const lines = added.map((name) => `${lead}${formatText(name, { style: last.style, inFlow: false })}\n`)
  const at = lineAfter(last.to)
  return added.length === 0 ? edits : [...edits, { from: at, to: at, insert: lines.join('') }]
}
