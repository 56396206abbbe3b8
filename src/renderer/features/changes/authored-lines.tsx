/** A difference whose changed lines are marked with their authors. */
import { type CSSProperties, memo, useState } from 'react'
import { agentColor } from '../../ui/agent-style.ts'
import { DIFF_CODE, MoreLines, UnifiedDiffRow } from '../../ui/diff-view.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { formatClock } from '../../ui/text/format.ts'
import type { Author, AuthoredLine } from './authored-diff.ts'

interface AuthoredLinesProps {
  readonly lines: readonly AuthoredLine[]
  /** The subject of the difference, for screen readers. */
  readonly label: string
  /** `color` null: the user. */
  readonly authorOf: (author: Author) => { readonly name: string; readonly color: string | null }
}

/** Lines shown at first; a click shows all. */
const SHOWN = 600

export function AuthoredLines({ lines, label, authorOf }: AuthoredLinesProps) {
  const [whole, setWhole] = useState(false)
  const shown = whole ? lines : lines.slice(0, SHOWN)
  const last = lines.reduce((most, { before, after }) => Math.max(most, before ?? 0, after ?? 0), 0)
  const digits = Math.max(2, String(last).length)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      data-selectable=""
      data-diff=""
      className={classNames(
        DIFF_CODE,
        'min-h-0 flex-1 overflow-auto rounded-none focus-visible:-outline-offset-2',
      )}
    >
      <div className="min-w-max py-1" style={{ '--digits': digits } as CSSProperties}>
        {shown.map((line, index) => {
          const author = line.author === null ? null : authorOf(line.author)
          const isNew = author !== null && line.author !== lines[index - 1]?.author
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
            <div key={index} {...(line.startsChange ? { 'data-change': '', tabIndex: -1 } : {})}>
              {isNew && (
                <p className="flex items-center gap-2 pl-[calc(var(--digits)*2ch+2.6ch)] font-sans text-fg-2 text-xs leading-5">
                  <span
                    aria-hidden="true"
                    className="h-3 w-[3px] rounded-full"
                    style={{ background: colorOf(author.color) }}
                  />
                  {author.name}, {formatClock(line.at)}
                </p>
              )}
              <Line line={line} first={index === 0} color={author === null ? null : colorOf(author.color)} />
            </div>
          )
        })}
      </div>
      <MoreLines amount={lines.length - shown.length} onShow={() => setWhole(true)} />
    </section>
  )
}

interface LineProps {
  readonly line: AuthoredLine
  readonly first: boolean
  readonly color: string | null
}

const Line = memo(function Line({ line, first, color }: LineProps) {
  return (
    <div
      className="border-l-[3px] border-l-transparent"
      style={color === null ? undefined : { borderLeftColor: color }}
    >
      <UnifiedDiffRow line={line} first={first} />
    </div>
  )
})

const colorOf = (color: string | null): string => (color === null ? 'var(--fg-0)' : agentColor(color))
