import { expect, test } from 'vitest'
import { codeHighlighter, highlightCode } from '../../../ui/code/highlight-code.ts'
import { Coloring, type ColorPiece } from './coloring.ts'

const NOWHERE = { from: 0, to: 0 }
const text = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at}`)

/** Each line's only token is its number; the state is the number of the next line. */
function color(code: string, after = 0) {
  const lines = code.split('\n').map((_, at) => [[`${after + at}`, 0] as const])
  return { lines, state: after + lines.length }
}

function allPieces<State>(coloring: Coloring<State>): readonly ColorPiece[] {
  const all: ColorPiece[] = []
  for (let piece = coloring.next(); piece !== null; piece = coloring.next()) all.push(piece)
  return all
}

/** Later pieces replace earlier pieces of the same lines. */
function linesOf(pieces: readonly ColorPiece[], wanted: ColorPiece['side']) {
  const known: ColorPiece['lines'][number][] = []
  for (const { side, from, lines } of pieces)
    if (side === wanted) for (const [at, line] of lines.entries()) known[from + at] = line
  return known
}

const rangeText = ({ side, from, lines }: ColorPiece) => `${side} ${from}–${from + lines.length}`

test('visible lines come first, then both sides from the top', () => {
  const coloring = new Coloring({ before: text(250), after: text(5000) }, color)
  coloring.setVisible({ before: { from: 0, to: 50 }, after: { from: 3000, to: 3050 } })
  const first = [coloring.next(), coloring.next()].map((piece) => piece && rangeText(piece))
  expect(first).toEqual(['after 3000–3050', 'before 0–100'])
  // The user scrolls.
  coloring.setVisible({ before: NOWHERE, after: { from: 4000, to: 4050 } })
  const rest = allPieces(coloring)
  expect(rest.slice(0, 4).map(rangeText)).toEqual([
    'after 4000–4050',
    'after 0–100',
    'after 100–200',
    'before 100–200',
  ])
  // In the end every line has the highlighting of the whole file.
  const numbers = (side: ColorPiece['side']) => linesOf(rest, side).map((line) => line[0]?.[0])
  expect(numbers('after')).toEqual(text(5000).map((_, at) => `${at}`))
  expect(numbers('before').slice(100)).toEqual(text(150).map((_, at) => `${at + 100}`))
})

test('pieces match highlighting the whole file, even inside a multi-line comment', async () => {
  const code = [...text(150), '/* begins', ...text(200), 'ends */', 'a { color: red }', ...text(90)]
  const colorer = await codeHighlighter('css')
  if (colorer === null) throw new Error('No grammar for CSS.')
  const coloring = new Coloring({ before: [], after: code }, colorer)
  coloring.setVisible({ before: NOWHERE, after: { from: 200, to: 240 } })
  const whole = await highlightCode(code.join('\n'), 'css')
  expect(linesOf(allPieces(coloring), 'after')).toEqual(whole)
})
