/** A unified diff of one file, for transcripts and permission requests. */
import { type CSSProperties, memo, useMemo, useState } from 'react'
import { classNames } from './text/class-names.ts'
import { count } from './text/format.ts'
import { VisibleText } from './text/visible-text.tsx'
import { parseUnifiedDiff, type UnifiedLine } from './unified-diff.ts'

interface DiffViewProps {
  /** Hunks of a unified diff; other text is shown as plain text. */
  readonly patch: string
  /** The subject of the diff, for screen readers. */
  readonly label: string
  /** Lines shown at first; a click shows all. */
  readonly shownLines?: number
}

export const DIFF_CODE = 'rounded-[6px] bg-bg-0 font-mono text-[0.71875rem] text-fg-1 leading-[1.55]'

/** Renders line numbers, signs and the changed part of each line; hidden characters are spelled out. */
export const DiffView = memo(function DiffView({ patch, label, shownLines = 200 }: DiffViewProps) {
  const lines = useMemo(() => parseUnifiedDiff(patch), [patch])
  const [whole, setWhole] = useState(false)
  if (lines.length === 0)
    return (
      <pre className={classNames(DIFF_CODE, 'whitespace-pre-wrap px-2.5 py-2 wrap-anywhere')}>
        <VisibleText>{patch}</VisibleText>
      </pre>
    )
  const shown = whole ? lines : lines.slice(0, shownLines)
  const last = lines.reduce((most, line) => Math.max(most, line.before ?? 0, line.after ?? 0), 0)
  const digits = Math.max(2, String(last).length)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      data-selectable=""
      className={classNames(DIFF_CODE, 'min-h-0 overflow-auto')}
    >
      <div className="min-w-max py-1" style={{ '--digits': digits } as CSSProperties}>
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
          <UnifiedDiffRow key={index} line={line} first={index === 0} />
        ))}
      </div>
      <MoreLines amount={lines.length - shown.length} onShow={() => setWhole(true)} />
    </section>
  )
})

/** A line at the end that shows the lines that are left out; nothing where none is. */
export function MoreLines({ amount, onShow }: { readonly amount: number; readonly onShow: () => void }) {
  if (amount === 0) return null
  return (
    <button
      type="button"
      className="sticky left-0 block w-full border-line border-t px-2.5 py-1 text-left font-medium font-sans text-fg-1 text-xs hover:bg-bg-2 focus-visible:-outline-offset-2"
      onClick={onShow}
    >
      Show {count(amount, 'more line')}
    </button>
  )
}

const STYLES = {
  context: { sign: ' ', row: '', signColor: '', changed: '' },
  added: { sign: '+', row: 'bg-ok/11 text-fg-0', signColor: 'text-ok', changed: 'bg-ok/26' },
  removed: { sign: '−', row: 'bg-bad/11 text-fg-0', signColor: 'text-bad', changed: 'bg-bad/26' },
} as const

export function UnifiedDiffRow({ line, first }: { readonly line: UnifiedLine; readonly first: boolean }) {
  if (line.kind === 'hunk') {
    if (first && line.text === '') return null
    return (
      <div className="whitespace-pre py-px pr-2.5 pl-[calc(var(--digits)*2ch+2.6ch)] text-fg-2">
        <span aria-hidden="true">⋯</span> <VisibleText>{line.text}</VisibleText>
      </div>
    )
  }
  const style = STYLES[line.kind]
  return (
    <div
      className={classNames(
        'grid grid-cols-[repeat(2,calc(var(--digits)*1ch+1ch))_2ch_1fr] pr-2.5',
        style.row,
      )}
    >
      <LineNumber value={line.before} />
      <LineNumber value={line.after} />
      <span className={classNames('select-none text-center', style.signColor)}>{style.sign}</span>
      <span className="whitespace-pre [tab-size:4]">
        <LineText line={line} changedClass={style.changed} />
      </span>
    </div>
  )
}

function LineNumber({ value }: { readonly value: number | null }) {
  return <span className="select-none pr-[0.6ch] text-right text-[0.92em] text-fg-2">{value ?? ''}</span>
}

function LineText({ line, changedClass }: { readonly line: UnifiedLine; readonly changedClass: string }) {
  const { text, changed } = line
  if (changed === null || changed[0] >= changed[1]) return <VisibleText>{text}</VisibleText>
  return (
    <>
      <VisibleText>{text.slice(0, changed[0])}</VisibleText>
      <span className={classNames('rounded-[2px]', changedClass)}>
        <VisibleText>{text.slice(changed[0], changed[1])}</VisibleText>
      </span>
      <VisibleText>{text.slice(changed[1])}</VisibleText>
    </>
  )
}
