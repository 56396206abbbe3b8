/** The least change in one place that makes one text of another. */
import type { TextEdit } from '../../../../shared/agent-definition/agent-definition.ts'

export function spliceOf(before: string, after: string): readonly TextEdit[] {
  if (before === after) return []
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return [{ from: start, to: before.length - end, insert: after.slice(start, after.length - end) }]
}
