/** A change of a file applied to another state of the file, by lines. */
import { isUtf8 } from 'node:buffer'
import { diff3Merge } from 'node-diff3'
import { decodedText } from './recorded-file.ts'

interface MergedContent {
  readonly content: Uint8Array
  /** Lines of the change's result that overlap, 1-based. */
  readonly conflicts: readonly { readonly from: number; readonly to: number }[]
}

/**
 * Applies the change from `before` to `after` to `current`. Where lines overlap, the result has those of the change
 * (`keep`) or those of `current` (`old`). Null: a content is not text.
 */
export function applyContentChange(
  {
    before,
    after,
    current,
  }: { readonly before: Uint8Array; readonly after: Uint8Array; readonly current: Uint8Array },
  wanted: 'keep' | 'old',
): MergedContent | null {
  const texts = [before, after, current].map(decodedText)
  const encoding = texts.every((text) => text !== null) ? encodingOf([before, after, current]) : null
  if (encoding === null) return null
  const [base = [], theirs = [], ours = []] = [before, after, current].map((content) =>
    linesOf(Buffer.from(content).toString(encoding)),
  )
  const { start, end } = commonEnds([base, theirs, ours])
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end)
  const conflicts: { from: number; to: number }[] = []
  const merged: string[] = []
  // A part without conflict is found in the change's result only if its lines are: the count is an estimate.
  let line = start
  for (const { ok, conflict } of diff3Merge(middle(ours), middle(base), middle(theirs), {
    excludeFalseConflicts: true,
  })) {
    if (conflict === undefined) {
      merged.push(...(ok ?? []))
      line += ok?.length ?? 0
      continue
    }
    conflicts.push({ from: line + 1, to: line + Math.max(1, conflict.b.length) })
    merged.push(...(wanted === 'keep' ? conflict.b : conflict.a))
    line += conflict.b.length
  }
  const text = [...ours.slice(0, start), ...merged, ...ours.slice(ours.length - end)].join('')
  return { content: Buffer.from(text, encoding), conflicts }
}

function encodingOf(contents: readonly Uint8Array[]): 'utf8' | 'latin1' {
  return contents.every((content) => isUtf8(content)) ? 'utf8' : 'latin1'
}

/** Lines with their ends; the last one may have none. */
const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** The number of equal lines at the start and at the end of all texts. */
function commonEnds(texts: readonly (readonly string[])[]): { readonly start: number; readonly end: number } {
  const [first = []] = texts
  const shortest = Math.min(...texts.map((lines) => lines.length))
  let start = 0
  while (start < shortest && texts.every((lines) => lines[start] === first[start])) start++
  let end = 0
  while (end < shortest - start && texts.every((lines) => lines.at(-1 - end) === first.at(-1 - end))) end++
  return { start, end }
}
