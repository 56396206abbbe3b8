/** Hidden unchanged lines. A click or Enter shows them. */
import { UnfoldVertical } from 'lucide-react'
import { useMemo } from 'react'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import type { GapRow } from './diff-rows.ts'

interface GapProps {
  readonly row: GapRow
  readonly after: readonly string[]
  readonly isCursor: boolean
}

export function Gap({ row, after, isCursor }: GapProps) {
  const enclosing = useMemo(() => enclosingLine(after, row.upTo), [after, row.upTo])
  return (
    <div
      title="Show these lines"
      className={`flex cursor-pointer items-center gap-2 border-l-2 bg-bg-2 py-[3px] pr-2.5 pl-2 text-fg-2 hover:bg-bg-3 hover:text-fg-0 ${
        isCursor ? 'border-l-fg-3 text-fg-0 group-focus/grid:border-l-accent' : 'border-l-transparent'
      }`}
    >
      <UnfoldVertical size={12} aria-hidden="true" className="shrink-0" />
      <span className="shrink-0">{count(row.hidden, 'unchanged line')}</span>
      {enclosing !== null && (
        <span className="min-w-0 truncate">
          <VisibleText>{enclosing}</VisibleText>
        </span>
      )}
    </div>
  )
}

/** How many lines above a gap are searched for its enclosing line. */
const LONGEST_SEARCH = 2000

/** The line that names the function, class or section around `upTo`. */
function enclosingLine(lines: readonly string[], upTo: number): string | null {
  for (let index = upTo - 1; index >= Math.max(0, upTo - LONGEST_SEARCH); index--) {
    const line = lines[index] ?? ''
    if (/^[\p{L}_$#@]/u.test(line) && !/^(import|from|use|#include)\b/.test(line)) return line.slice(0, 200)
  }
  return null
}
