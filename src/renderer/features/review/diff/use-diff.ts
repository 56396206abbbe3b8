/** Compares both sides of a file. */
import { useEffect, useMemo, useState } from 'react'
import type { DiffBlock } from './diff-lines.ts'
import { compareLater, compareNow } from './diff-worker-client.ts'
import { endingNotes, linesOf } from './text-lines.ts'

export interface FileDiff {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly blocks: readonly DiffBlock[]
  readonly notes: readonly string[]
}

interface Texts {
  readonly before: string | null
  readonly after: string | null
}

/** Null during the first comparison; later the previous diff stays until the next one is done. */
export function useFileDiff({ before, after }: Texts, ignoreWhitespace: boolean): FileDiff | null {
  const sides = useMemo(() => ({ before: linesOf(before), after: linesOf(after) }), [before, after])
  const now = useMemo(() => {
    const lines = { before: sides.before.lines, after: sides.after.lines }
    const blocks = compareNow({ ...lines, ignoreWhitespace })
    return blocks === null ? null : { ...lines, blocks, notes: endingNotes(sides.before, sides.after) }
  }, [sides, ignoreWhitespace])
  const [later, setLater] = useState<FileDiff | null>(null)
  useEffect(() => {
    if (now !== null) return
    const lines = { before: sides.before.lines, after: sides.after.lines }
    return compareLater({ ...lines, ignoreWhitespace }, (blocks) =>
      setLater({ ...lines, blocks, notes: endingNotes(sides.before, sides.after) }),
    )
  }, [now, sides, ignoreWhitespace])
  return now ?? later
}
