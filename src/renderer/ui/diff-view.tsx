/** A unified diff of one file, small enough to stand in a transcript or a question. */
import { memo, useMemo, useState } from 'react'
import styles from './diff-view.module.css'
import { countOf } from './figures.ts'
import { type DiffLine, parseUnifiedDiff } from './unified-diff.ts'
import { VisibleText } from './visible-text.tsx'

export interface DiffViewProps {
  /** Hunks of a unified diff; what is no diff is shown as plain text. */
  readonly patch: string
  /** What the diff is of, for screen readers. */
  readonly label: string
  /** Lines that are shown at first; the rest is one click away. */
  readonly shownLines?: number
}

/** Line numbers, signs, and the changed part of a line marked; hidden characters are spelt out. */
export const DiffView = memo(function DiffView({ patch, label, shownLines = 200 }: DiffViewProps) {
  const lines = useMemo(() => parseUnifiedDiff(patch), [patch])
  const [whole, setWhole] = useState(false)
  if (lines.length === 0)
    return (
      <pre className={styles.plain}>
        <VisibleText>{patch}</VisibleText>
      </pre>
    )
  const shown = whole ? lines : lines.slice(0, shownLines)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.diff} aria-label={label} tabIndex={0}>
      <div className={styles.lines}>
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
          <DiffRow key={index} line={line} first={index === 0} />
        ))}
      </div>
      {shown.length < lines.length && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          Show {countOf(lines.length - shown.length, 'more line')}
        </button>
      )}
    </section>
  )
})

const SIGNS = { context: ' ', added: '+', removed: '−', hunk: ' ' } as const

function DiffRow({ line, first }: { readonly line: DiffLine; readonly first: boolean }) {
  if (line.kind === 'hunk') {
    if (first && line.text === '') return null
    return (
      <div className={styles.hunk}>
        <span aria-hidden>⋯</span> <VisibleText>{line.text}</VisibleText>
      </div>
    )
  }
  return (
    <div className={`${styles.line} ${styles[line.kind] ?? ''}`}>
      <span className={styles.number}>{line.before ?? ''}</span>
      <span className={styles.number}>{line.after ?? ''}</span>
      <span className={styles.sign}>{SIGNS[line.kind]}</span>
      <span className={styles.text}>
        <LineText line={line} />
      </span>
    </div>
  )
}

function LineText({ line }: { readonly line: DiffLine }) {
  const { text, changed } = line
  if (changed === null || changed[0] >= changed[1]) return <VisibleText>{text}</VisibleText>
  return (
    <>
      <VisibleText>{text.slice(0, changed[0])}</VisibleText>
      <span className={styles.changed}>
        <VisibleText>{text.slice(changed[0], changed[1])}</VisibleText>
      </span>
      <VisibleText>{text.slice(changed[1])}</VisibleText>
    </>
  )
}
