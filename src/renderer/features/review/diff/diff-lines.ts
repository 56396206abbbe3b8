/** Which lines of a file changed: as blocks that are the same on both sides, and blocks that differ. */
import { diffArrays } from 'diff'

/** Lines count from 0. */
export interface DiffBlock {
  readonly kind: 'same' | 'change'
  readonly before: number
  readonly beforeCount: number
  readonly after: number
  readonly afterCount: number
}

/** Changes beyond this are one large change: finding the shortest way between them would take too long. */
const MOST_EDITS = 12_000
/** ms */
const LONGEST = 4000

/** The blocks cover all lines of both sides, in order, same and change in turn. */
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

function addChanges(blocks: Blocks, old: number[], now: number[]): void {
  const changes =
    old.length === 0 || now.length === 0
      ? undefined
      : diffArrays(old, now, { maxEditLength: MOST_EDITS, timeout: LONGEST })
  if (changes === undefined) {
    blocks.change(old.length, now.length)
    return
  }
  for (const { added, removed, count } of changes) {
    if (added) blocks.change(0, count)
    else if (removed) blocks.change(count, 0)
    else blocks.same(count)
  }
}

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

/** Equal lines get equal numbers, which are quicker to compare. */
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
