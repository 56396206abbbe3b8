/** Compares both sides of a file. */
import { useEffect, useMemo, useState } from 'react'
import type { DiffBlock } from './diff-lines.ts'
import { compareLater, compareNow } from './diff-worker-client.ts'
import { sidesOf } from './text-lines.ts'

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
  const sides = useMemo(() => sidesOf(before, after), [before, after])
  const now = useMemo(() => {
    const blocks = compareNow({ ...sides.compared, ignoreWhitespace })
    return blocks === null ? null : { ...sides.shown, blocks, notes: sides.notes }
  }, [sides, ignoreWhitespace])
  const [later, setLater] = useState<FileDiff | null>(null)
  useEffect(() => {
    if (now !== null) return
    return compareLater({ ...sides.compared, ignoreWhitespace }, (blocks) =>
      setLater({ ...sides.shown, blocks, notes: sides.notes }),
    )
  }, [now, sides, ignoreWhitespace])
  return now ?? later
}
