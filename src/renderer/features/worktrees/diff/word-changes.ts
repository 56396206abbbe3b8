/** Changed words within a line. */
import { diffWordsWithSpace } from 'diff'

/** [start, end) within the line. */
export type TextRange = readonly [number, number]

interface WordChanges {
  readonly before: readonly TextRange[]
  readonly after: readonly TextRange[]
}

/** Longer lines are not compared by word. */
const LONGEST_LINE = 1000

/** Null when the lines have too little in common. */
export function wordChanges(before: string, after: string): WordChanges | null {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return null
  const marked: { before: TextRange[]; after: TextRange[] } = { before: [], after: [] }
  let [oldAt, newAt, shared] = [0, 0, 0]
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (added) {
      push(marked.after, [newAt, newAt + value.length])
      newAt += value.length
    } else if (removed) {
      push(marked.before, [oldAt, oldAt + value.length])
      oldAt += value.length
    } else {
      shared += value.trim().length
      oldAt += value.length
      newAt += value.length
    }
  }
  return shared * 3 < Math.min(before.trim().length, after.trim().length) ? null : marked
}

function push(ranges: TextRange[], range: TextRange): void {
  const last = ranges.at(-1)
  if (last !== undefined && last[1] === range[0]) ranges[ranges.length - 1] = [last[0], range[1]]
  else ranges.push(range)
}
