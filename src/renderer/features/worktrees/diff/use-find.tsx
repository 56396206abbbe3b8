/** The search in a diff: its matches, the moves between them, and its field above the lines. */
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { FindBar } from '../../../ui/find-bar.tsx'
import { closeReviewFind, useReviewFind } from '../diff-options.ts'
import type { TextRange } from './diff-lines.ts'
import type { DiffRow, DiffSide } from './diff-rows.ts'
import type { FileDiff } from './diff-worker-client.ts'
import type { GridNavigation } from './use-grid-navigation.ts'

interface FindOptions {
  readonly diff: FileDiff
  readonly rows: readonly DiffRow[]
  readonly moveTo: GridNavigation['moveTo']
  /** Shows all lines of a block. */
  readonly reveal: (block: number) => void
}

export interface DiffFind {
  /** Null: closed. */
  readonly text: string | null
  readonly total: number
  /** The current match, from 1; 0 without matches. */
  readonly number: number
  readonly setText: (text: string) => void
  readonly move: (direction: 1 | -1) => void
}

export function useFind({ diff, rows, moveTo, reveal }: FindOptions): DiffFind {
  const text = useReviewFind((state) => state.text)
  const sought = useDeferredValue(text ?? '')
  const matches = useMemo(() => matchesIn(diff, sought), [diff, sought])
  const [at, setAt] = useState(0)
  const index = Math.min(at, Math.max(0, matches.length - 1))
  /** The match to go to, as soon as its line is there. */
  const target = useRef<DiffMatch | null>(null)
  const typed = useRef(false)
  const go = () => {
    const wanted = target.current
    if (wanted === null) return
    const row = rows.findIndex((one) => one.kind === 'line' && one[wanted.side] === wanted.line)
    if (row === -1) return reveal(wanted.block)
    target.current = null
    moveTo(row, { side: wanted.side })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the rows or the matches change
  useEffect(() => {
    if (typed.current) {
      typed.current = false
      target.current = matches[0] ?? null
    }
    go()
  }, [rows, matches])
  return {
    text,
    total: matches.length,
    number: matches.length === 0 ? 0 : index + 1,
    setText: (next) => {
      typed.current = true
      setAt(0)
      useReviewFind.setState({ text: next })
    },
    move: (direction) => {
      if (matches.length === 0) return
      const next = (index + direction + matches.length) % matches.length
      setAt(next)
      target.current = matches[next] ?? null
      go()
    },
  }
}

/** Finds text in the lines of a diff, those in gaps included. */
interface DiffMatch {
  readonly side: DiffSide
  /** Index of the line, from 0. */
  readonly line: number
  /** Index of its block. */
  readonly block: number
}

/** The places of the text in a line, ignoring case. */
export function rangesOf(line: string, text: string): readonly TextRange[] {
  if (text === '') return []
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  return [...line.matchAll(pattern)].map(({ index, 0: found }) => [index, index + found.length])
}

/** All matches, in the order of the lines. Unchanged lines count once. */
function matchesIn({ blocks, before, after }: Pick<FileDiff, 'blocks' | 'before' | 'after'>, text: string) {
  const matches: DiffMatch[] = []
  blocks.forEach((block, index) => {
    const add = (side: DiffSide, from: number, length: number) => {
      const lines = side === 'before' ? before : after
      for (let line = from; line < from + length; line++)
        for (const _ of rangesOf(lines[line] ?? '', text)) matches.push({ side, line, block: index })
    }
    if (block.kind === 'change') add('before', block.before, block.beforeCount)
    add('after', block.after, block.afterCount)
  })
  return matches
}

interface DiffFindBarProps {
  readonly find: DiffFind
  readonly path: string
  /** Moves the focus back to the lines. */
  readonly onLeave: () => void
}

export function DiffFindBar({
  find: { text, total, number, setText, move },
  path,
  onLeave,
}: DiffFindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  const wantsFocus = useReviewFind((state) => state.wantsFocus)
  useEffect(() => {
    if (!wantsFocus) return
    field.current?.focus()
    field.current?.select()
    useReviewFind.setState({ wantsFocus: false })
  }, [wantsFocus])
  const close = () => {
    closeReviewFind()
    onLeave()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    close()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <FindBar
      label={`Find in ${path}`}
      fieldLabel="Find in this file"
      placeholder="Find in this file"
      className="flex shrink-0 items-center gap-1 border-line border-b bg-bg-1 px-3 py-1"
      fieldClassName="w-56"
      statusClassName="min-w-20"
      text={text ?? ''}
      onText={setText}
      onMove={move}
      onClose={close}
      {...{ field, total, number, onKeyDown }}
    />
  )
}
