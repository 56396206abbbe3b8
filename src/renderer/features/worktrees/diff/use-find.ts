/** The search in a diff: its matches, and the moves between them. */
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useReviewFind } from '../diff-options.ts'
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
