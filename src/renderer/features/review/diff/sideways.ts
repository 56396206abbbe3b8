/**
 * Lines that are not wrapped: the grid scrolls sideways, but its rows stay in place and only the text of the lines
 * moves, on both sides together. So the line numbers stay visible.
 */
import type { UIEvent } from 'react'
import type { FileDiff } from './use-diff.ts'

/** How far a key scrolls, in px. */
export const SIDEWAYS = 160

/** The width of the scrolled area: as much wider than the grid as the longest line is than the room for it. */
export const WIDTHS = {
  unified: 'w-[max(100%,calc(var(--columns)*1ch+var(--digits)*2ch+12ch))]',
  split: 'w-[max(100%,calc(50%+var(--columns)*1ch+var(--digits)*1ch+9.4ch))]',
} as const

/** Moves the text of the lines to the scroll position. */
export function placeText({ currentTarget }: UIEvent<HTMLElement>): void {
  const { style, scrollLeft } = currentTarget
  const next = String(scrollLeft)
  // A scroll up or down moves no text.
  if ((style.getPropertyValue('--sideways') || '0') !== next) style.setProperty('--sideways', next)
}

/** Columns that a character takes at most: an invisible one is spelled out. */
const WIDEST = 8
/** Longer lines are cut, with a note. */
const LONGEST = 3040

/** The columns of the longest line, rounded up. */
export function longestLine({ before, after }: Pick<FileDiff, 'before' | 'after'>): number {
  let longest = 0
  for (const lines of [before, after])
    for (const line of lines) if (line.length * WIDEST > longest) longest = Math.max(longest, columnsOf(line))
  return Math.min(LONGEST, longest)
}

function columnsOf(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length
  let columns = 0
  for (const character of line)
    columns +=
      character === '\t'
        ? 4
        : /[\p{C}\p{Z}]/u.test(character) && character !== ' '
          ? WIDEST
          : character > '\u02ff'
            ? 2
            : 1
  return columns
}
