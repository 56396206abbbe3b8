/** A file compared and coloured: what is known of it so far. */
import { useEffect, useMemo, useState } from 'react'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { languageOfFile } from '../../../ui/code/language-names.ts'
import type { DiffBlock } from './diff-lines.ts'
import { colourLater, compareLater, compareNow } from './diff-worker-client.ts'
import { endingNotes, linesOf } from './text-lines.ts'

export interface FileDiff {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly blocks: readonly DiffBlock[]
  readonly notes: readonly string[]
}

export interface FileColours {
  readonly before: readonly HighlightedLine[] | null
  readonly after: readonly HighlightedLine[] | null
}

/** More characters than this on one side stay plain. */
const LONGEST_CODE = 600_000
/** Nor are files coloured in which a line is so long: no person wrote it. */
const LONGEST_LINE = 5000

interface Texts {
  readonly before: string | null
  readonly after: string | null
}

/** Null while it is being compared for the first time; after that the one before stays until the new one is there. */
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

/** Colours belong to the lines they were made of: for others there are none. */
export function useColours(path: string, { before, after }: Pick<FileDiff, 'before' | 'after'>): FileColours {
  const language = languageOfFile(path)
  return { before: useSideColours(before, language), after: useSideColours(after, language) }
}

function useSideColours(
  lines: readonly string[],
  language: string | null,
): readonly HighlightedLine[] | null {
  const [known, setKnown] = useState<{
    readonly of: readonly string[]
    readonly lines: readonly HighlightedLine[]
  } | null>(null)
  useEffect(() => {
    if (language === null || lines.length === 0 || !isReadable(lines)) return
    return colourLater(lines, language, (coloured) => setKnown({ of: lines, lines: coloured }))
  }, [lines, language])
  return known?.of === lines ? known.lines : null
}

function isReadable(lines: readonly string[]): boolean {
  let length = 0
  for (const line of lines) {
    if (line.length > LONGEST_LINE) return false
    length += line.length + 1
  }
  return length <= LONGEST_CODE
}
