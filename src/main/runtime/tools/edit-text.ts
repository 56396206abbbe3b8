/**
 * One piece of text for another. Line ends don't matter for finding: a model writes LF, the file may have
 * CRLF, or both; what is put in gets the line ends of its surroundings, and nothing else is touched.
 */
import { fail, ok, type Result } from '../../../shared/result.ts'
import { countOf, linesAt } from './amounts.ts'
import { lineEndsOf, withCrlf, withLf } from './line-ends.ts'
import { whyNotFound } from './why-not-found.ts'

export interface TextEdit {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

export interface EditedText {
  readonly text: string
  /** The lines at which a replacement begins, counted in the text before. */
  readonly lines: readonly number[]
}

/** Failures: `same`, `not-found`, `several`, each with words that help to mend the call. */
export function editText(text: string, edit: TextEdit): Result<EditedText> {
  const plain = withLf(text)
  const wanted = withLf(edit.old)
  if (edit.old === edit.new || (lineEndsOf(text) === 'CRLF' && wanted === withLf(edit.new)))
    return fail({
      type: 'same',
      message: 'old_string and new_string are the same, so there is nothing to change.',
    })
  const places = placesOf(plain, wanted)
  if (places.length === 0) return fail({ type: 'not-found', message: whyNotFound(plain, wanted) })
  const lines = lineNumbers(plain, places)
  if (places.length > 1 && !edit.all)
    return fail({
      type: 'several',
      message: `old_string is in the file ${countOf(places.length, 'time')}, at ${linesAt(lines)}. Add lines before or after it until it fits one place only, or set replace_all to change all of them.`,
    })

  const original = originalIndex(text)
  const windows = lineEndsOf(text) !== 'LF' && isMostlyCrlf(text)
  const pieces: string[] = []
  let from = 0
  for (const place of places) {
    const start = original(place)
    const end = original(place + wanted.length)
    pieces.push(text.slice(from, start), replacement(edit.new, text.slice(start, end), windows))
    from = end
  }
  pieces.push(text.slice(from))
  return ok({ text: pieces.join(''), lines })
}

function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at)
  return places
}

function lineNumbers(text: string, places: readonly number[]): readonly number[] {
  let line = 1
  let from = 0
  return places.map((place) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line++
    from = place
    return line
  })
}

/** From an index in the text with LF only to the one in the text as it is. */
function originalIndex(text: string): (index: number) => number {
  if (!text.includes('\r\n')) return (index) => index
  // Where, in the text with LF only, a line end stands that has lost its CR.
  const shortened: number[] = []
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2))
    shortened.push(at - shortened.length)
  let passed = 0
  // Asked for in ascending order only, so that it is one walk through the list.
  return (index) => {
    while (passed < shortened.length && (shortened[passed] ?? 0) < index) passed++
    return index + passed
  }
}

function isMostlyCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1
  return crlf * 2 > text.split('\n').length - 1
}

/** What is put in, with the line ends of what it replaces, or of the file where that is within a line. */
function replacement(words: string, replaced: string, windows: boolean): string {
  const ends = lineEndsOf(replaced)
  const asCrlf = ends === 'CRLF' || ((ends === 'none' || ends === 'mixed') && windows)
  return asCrlf ? withCrlf(words) : words
}
