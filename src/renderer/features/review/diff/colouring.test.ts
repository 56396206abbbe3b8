import { expect, test } from 'vitest'
import { codeColourer, highlightCode } from '../../../ui/code/highlight-code.ts'
import { Colouring, type ColourPiece } from './colouring.ts'

const NOWHERE = { from: 0, to: 0 }
const text = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at}`)

/** Each line's only token is its number; the state is that of the next line. */
function colour(code: string, after = 0) {
  const lines = code.split('\n').map((_, at) => [[`${after + at}`, 0] as const])
  return { lines, state: after + lines.length }
}

function allPieces<State>(colouring: Colouring<State>): readonly ColourPiece[] {
  const all: ColourPiece[] = []
  for (let piece = colouring.next(); piece !== null; piece = colouring.next()) all.push(piece)
  return all
}

/** A later piece may be about the same lines as an earlier one. */
function linesOf(pieces: readonly ColourPiece[], wanted: ColourPiece['side']) {
  const known: ColourPiece['lines'][number][] = []
  for (const { side, from, lines } of pieces)
    if (side === wanted) for (const [at, line] of lines.entries()) known[from + at] = line
  return known
}

const words = ({ side, from, lines }: ColourPiece) => `${side} ${from}–${from + lines.length}`

test('what is on the screen comes first, wherever it is; then both sides from the top', () => {
  const colouring = new Colouring({ before: text(250), after: text(5000) }, colour)
  colouring.look({ before: { from: 0, to: 50 }, after: { from: 3000, to: 3050 } })
  const first = [colouring.next(), colouring.next()].map((piece) => piece && words(piece))
  expect(first).toEqual(['after 3000–3050', 'before 0–100'])
  // The person scrolls on meanwhile.
  colouring.look({ before: NOWHERE, after: { from: 4000, to: 4050 } })
  const rest = allPieces(colouring)
  expect(rest.slice(0, 4).map(words)).toEqual([
    'after 4000–4050',
    'after 0–100',
    'after 100–200',
    'before 100–200',
  ])
  // In the end every line has the colours that it has in the whole file.
  const numbers = (side: ColourPiece['side']) => linesOf(rest, side).map((line) => line[0]?.[0])
  expect(numbers('after')).toEqual(text(5000).map((_, at) => `${at}`))
  expect(numbers('before').slice(100)).toEqual(text(150).map((_, at) => `${at + 100}`))
})

test('pieces have the colours of the whole, also inside a comment of many lines', async () => {
  const code = [...text(150), '/* begins', ...text(200), 'ends */', 'a { color: red }', ...text(90)]
  const colourer = await codeColourer('css')
  if (colourer === null) throw new Error('There is no grammar.')
  const colouring = new Colouring({ before: [], after: code }, colourer)
  colouring.look({ before: NOWHERE, after: { from: 200, to: 240 } })
  const whole = await highlightCode(code.join('\n'), 'css')
  expect(linesOf(allPieces(colouring), 'after')).toEqual(whole)
})
