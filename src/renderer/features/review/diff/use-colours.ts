/** The colours of a file's lines, as far as they are known. */
import { useEffect, useMemo, useReducer, useRef } from 'react'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { languageOfFile } from '../../../ui/code/language-names.ts'
import type { BothSides, ColourPiece, LineRange } from './colouring.ts'
import { colourFile } from './diff-worker-client.ts'

type Texts = BothSides<readonly string[]>
/** By line; a line that has none yet is undefined. */
export type FileColours = BothSides<(HighlightedLine | undefined)[]>

interface Colours {
  readonly colours: FileColours
  /** Says what is on the screen: that is coloured first, and drawn again once it is. */
  readonly look: (seen: BothSides<LineRange>) => void
}

/** More characters than this on one side stay plain. */
const LONGEST_CODE = 600_000
/** Nor are files coloured in which a line is so long: no person wrote it. */
const LONGEST_LINE = 5000

export function useColours(path: string, { before, after }: Texts): Colours {
  const language = languageOfFile(path)
  const last = useRef<{ readonly texts: Texts; readonly colours: FileColours } | null>(null)
  const colours = useMemo(() => {
    const texts = { before, after }
    last.current = { texts, colours: carriedOver(last.current, texts) }
    return last.current.colours
  }, [before, after])
  const [, drawAgain] = useReducer((times: number) => times + 1, 0)
  const seen = useRef<BothSides<LineRange> | null>(null)
  const job = useRef<ReturnType<typeof colourFile>>(null)
  useEffect(() => {
    if (language === null) return
    const texts = { before: isReadable(before) ? before : [], after: isReadable(after) ? after : [] }
    job.current = colourFile(texts, language, (piece) => {
      piece.lines.forEach((line, at) => {
        colours[piece.side][piece.from + at] = line
      })
      if (isSeen(piece, seen.current)) drawAgain()
    })
    if (seen.current !== null) job.current?.look(seen.current)
    return () => {
      job.current?.stop()
      job.current = null
    }
  }, [before, after, language, colours])
  return {
    colours,
    look: (now) => {
      seen.current = now
      job.current?.look(now)
    },
  }
}

/** Of a file that grew, the lines that it begins with as before keep their colours: they must not flash. */
function carriedOver(
  old: { readonly texts: Texts; readonly colours: FileColours } | null,
  texts: Texts,
): FileColours {
  const kept = (side: keyof Texts) => {
    if (old === null) return []
    const first = texts[side].findIndex((line, at) => line !== old.texts[side][at])
    return old.colours[side].slice(0, first === -1 ? texts[side].length : first)
  }
  return { before: kept('before'), after: kept('after') }
}

function isSeen({ side, from, lines }: ColourPiece, seen: BothSides<LineRange> | null): boolean {
  return seen !== null && from < seen[side].to && from + lines.length > seen[side].from
}

function isReadable(lines: readonly string[]): boolean {
  let length = 0
  for (const line of lines) {
    if (line.length > LONGEST_LINE) return false
    length += line.length + 1
  }
  return length <= LONGEST_CODE
}
