/** The highlighting of a file's lines, as far as it is done. */
import { useEffect, useMemo, useReducer, useRef } from 'react'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { languageOfFile } from '../../../ui/code/language-names.ts'
import type { BothSides, ColorPiece, LineRange } from './coloring.ts'
import { colorFile } from './diff-worker-client.ts'

type Texts = BothSides<readonly string[]>
/** By line; undefined until the line is highlighted. */
export type FileColors = BothSides<(HighlightedLine | undefined)[]>

interface Colors {
  readonly colors: FileColors
  /** Visible lines are highlighted first and rendered again when done. */
  readonly setVisible: (visible: BothSides<LineRange>) => void
}

/** A side with more characters stays plain. */
const LONGEST_CODE = 600_000
/** A side with a longer line is generated code and stays plain. */
const LONGEST_LINE = 5000

export function useColors(path: string, { before, after }: Texts): Colors {
  const language = languageOfFile(path)
  const last = useRef<{ readonly texts: Texts; readonly colors: FileColors } | null>(null)
  const colors = useMemo(() => {
    const texts = { before, after }
    last.current = { texts, colors: reusedColors(last.current, texts) }
    return last.current.colors
  }, [before, after])
  const [, renderAgain] = useReducer((times: number) => times + 1, 0)
  const visible = useRef<BothSides<LineRange> | null>(null)
  const job = useRef<ReturnType<typeof colorFile>>(null)
  useEffect(() => {
    if (language === null) return
    const texts = { before: isReadable(before) ? before : [], after: isReadable(after) ? after : [] }
    job.current = colorFile(texts, language, (piece) => {
      piece.lines.forEach((line, at) => {
        colors[piece.side][piece.from + at] = line
      })
      if (isVisible(piece, visible.current)) renderAgain()
    })
    if (visible.current !== null) job.current?.setVisible(visible.current)
    return () => {
      job.current?.stop()
      job.current = null
    }
  }, [before, after, language, colors])
  return {
    colors,
    setVisible: (lines) => {
      visible.current = lines
      job.current?.setVisible(lines)
    },
  }
}

/** Unchanged lines at the start of a changed file keep their highlighting, so that they don't flash. */
function reusedColors(
  old: { readonly texts: Texts; readonly colors: FileColors } | null,
  texts: Texts,
): FileColors {
  const kept = (side: keyof Texts) => {
    if (old === null) return []
    const first = texts[side].findIndex((line, at) => line !== old.texts[side][at])
    return old.colors[side].slice(0, first === -1 ? texts[side].length : first)
  }
  return { before: kept('before'), after: kept('after') }
}

function isVisible({ side, from, lines }: ColorPiece, visible: BothSides<LineRange> | null): boolean {
  return visible !== null && from < visible[side].to && from + lines.length > visible[side].from
}

function isReadable(lines: readonly string[]): boolean {
  let length = 0
  for (const line of lines) {
    if (line.length > LONGEST_LINE) return false
    length += line.length + 1
  }
  return length <= LONGEST_CODE
}
