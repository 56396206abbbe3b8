/** Compares two texts by lines, as alternating blocks of equal and of changed lines. */
import { diffArrays } from 'diff'

/** Lines are numbered from 0. */
export interface DiffBlock {
  readonly kind: 'same' | 'change'
  readonly before: number
  readonly beforeCount: number
  readonly after: number
  readonly afterCount: number
}

/** More edits, or a longer search, become one large change: the shortest edit script would take too long. */
const MOST_EDITS = 12_000
const LONGEST_MS = 4000

/** The blocks cover all lines of both sides in order; equal and changed blocks alternate. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  ignoreWhitespace: boolean,
): readonly DiffBlock[] {
  const [old, now] = numbered(before, after, ignoreWhitespace)
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const blocks = new Blocks()
  blocks.same(head)
  addChanges(blocks, old.slice(head, old.length - tail), now.slice(head, now.length - tail))
  blocks.same(tail)
  return blocks.all
}

function addChanges(blocks: Blocks, old: readonly number[], now: readonly number[]): void {
  let [before, after] = [0, 0]
  for (const [oldAt, newAt] of sameLines(old, now)) {
    blocks.change(oldAt - before, newAt - after)
    blocks.same(1)
    before = oldAt + 1
    after = newAt + 1
  }
  blocks.change(old.length - before, now.length - after)
}

/** The indexes of unchanged lines on both sides. Yields none when the search takes too long. */
function* sameLines(
  old: readonly number[],
  now: readonly number[],
): Generator<readonly [oldAt: number, newAt: number]> {
  // A line on one side only can't be unchanged; leaving such lines out makes rewritten files fast.
  const oldLines = indexesOfShared(old, new Set(now))
  const newLines = indexesOfShared(now, new Set(old))
  const changes = diffArrays(
    oldLines.map((at) => old[at]),
    newLines.map((at) => now[at]),
    { maxEditLength: MOST_EDITS, timeout: LONGEST_MS },
  )
  let [before, after] = [0, 0]
  for (const { added, removed, count } of changes ?? []) {
    if (!added && !removed)
      for (let step = 0; step < count; step++)
        yield [oldLines[before + step] ?? 0, newLines[after + step] ?? 0]
    if (!added) before += count
    if (!removed) after += count
  }
}

const indexesOfShared = (lines: readonly number[], other: ReadonlySet<number>): readonly number[] =>
  lines.flatMap((line, at) => (other.has(line) ? [at] : []))

class Blocks {
  readonly all: DiffBlock[] = []
  private before = 0
  private after = 0

  same(count: number): void {
    this.add('same', count, count)
  }

  change(beforeCount: number, afterCount: number): void {
    this.add('change', beforeCount, afterCount)
  }

  private add(kind: DiffBlock['kind'], beforeCount: number, afterCount: number): void {
    if (beforeCount === 0 && afterCount === 0) return
    const last = this.all.at(-1)
    if (last?.kind === kind)
      this.all[this.all.length - 1] = {
        ...last,
        beforeCount: last.beforeCount + beforeCount,
        afterCount: last.afterCount + afterCount,
      }
    else this.all.push({ kind, before: this.before, beforeCount, after: this.after, afterCount })
    this.before += beforeCount
    this.after += afterCount
  }
}

/** Numbers equal lines equally: numbers compare faster than strings. */
function numbered(
  before: readonly string[],
  after: readonly string[],
  ignoreWhitespace: boolean,
): [number[], number[]] {
  const numbers = new Map<string, number>()
  const numberOf = (line: string): number => {
    const text = ignoreWhitespace ? line.replace(/\s+/g, '') : line
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, numbers.size)
    return numbers.size - 1
  }
  return [before.map(numberOf), after.map(numberOf)]
}
