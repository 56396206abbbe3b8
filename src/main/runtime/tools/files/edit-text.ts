/**
 * Replaces text. The search ignores line ends: a model writes LF, and the file may have CRLF or both. New text takes
 * the line ends around it, and nothing else changes.
 */

import { countOf, linesAt } from '../../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { lineEndsOf, withCrlf, withLf } from './line-ends.ts'
import { whyNotFound } from './why-not-found.ts'

interface TextEdit {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

interface EditedText {
  readonly text: string
  /** The first line of each replacement, counted in the text before the edit. */
  readonly lines: readonly number[]
}

/** Fails with `same`, `not-found` or `several`. Each message says how to fix the call. */
export function editText(text: string, edit: TextEdit): Result<EditedText> {
  const plain = withLf(text)
  const wanted = withLf(edit.old)
  if (edit.old === edit.new || (lineEndsOf(text) === 'CRLF' && wanted === withLf(edit.new)))
    return fail({
      type: 'same',
      message: 'old_string and new_string are the same, so there is nothing to change.',
    })
  const positions = positionsOf(plain, wanted)
  if (positions.length === 0) return fail({ type: 'not-found', message: whyNotFound(plain, wanted) })
  const lines = lineNumbers(plain, positions)
  if (positions.length > 1 && !edit.all)
    return fail({
      type: 'several',
      message: `old_string occurs ${countOf(positions.length, 'time')}, at ${linesAt(lines)}. Add lines before or after it until it is unique, or set replace_all to change every occurrence.`,
    })

  const original = originalIndex(text)
  const windows = lineEndsOf(text) !== 'LF' && isMostlyCrlf(text)
  const pieces: string[] = []
  let from = 0
  for (const position of positions) {
    const start = original(position)
    const end = original(position + wanted.length)
    pieces.push(text.slice(from, start), replacement(edit.new, text.slice(start, end), windows))
    from = end
  }
  pieces.push(text.slice(from))
  return ok({ text: pieces.join(''), lines })
}

function positionsOf(text: string, wanted: string): readonly number[] {
  const positions: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    positions.push(at)
  return positions
}

function lineNumbers(text: string, positions: readonly number[]): readonly number[] {
  let line = 1
  let from = 0
  return positions.map((position) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < position; at = text.indexOf('\n', at + 1))
      line++
    from = position
    return line
  })
}

/** Maps an index in the text with LF only to the original text. */
function originalIndex(text: string): (index: number) => number {
  if (!text.includes('\r\n')) return (index) => index
  // Positions, in the text with LF only, of line ends that lost their CR.
  const shortened: number[] = []
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2))
    shortened.push(at - shortened.length)
  let passed = 0
  // Called in ascending order only, so one pass through the list is enough.
  return (index) => {
    while (passed < shortened.length && (shortened[passed] ?? 0) < index) passed++
    return index + passed
  }
}

function isMostlyCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1
  return crlf * 2 > text.split('\n').length - 1
}

/** The new text with the line ends of the replaced text; with those of the file where that has none. */
function replacement(text: string, replaced: string, windows: boolean): string {
  const ends = lineEndsOf(replaced)
  const asCrlf = ends === 'CRLF' || ((ends === 'none' || ends === 'mixed') && windows)
  return asCrlf ? withCrlf(text) : text
}
