/** Finds text in the lines of a diff, those in gaps included. */
import type { DiffSide } from './diff-rows.ts'
import type { FileDiff } from './use-diff.ts'
import type { TextRange } from './word-changes.ts'

export interface DiffMatch {
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
export function matchesIn(
  { blocks, before, after }: Pick<FileDiff, 'blocks' | 'before' | 'after'>,
  text: string,
) {
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
