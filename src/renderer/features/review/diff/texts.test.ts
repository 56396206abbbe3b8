import { expect, test } from 'vitest'
import { endingNotes, linesOf } from './text-lines.ts'
import { wordChanges } from './word-changes.ts'

test('line breaks of one kind are no part of the lines; of both kinds they are seen', () => {
  expect(linesOf('a\r\nb\r\n')).toEqual({ lines: ['a', 'b'], endings: 'crlf', endsWithBreak: true })
  expect(linesOf('a\r\nb\n')).toEqual({ lines: ['a\r', 'b'], endings: 'mixed', endsWithBreak: true })
  expect(linesOf('a\nb')).toEqual({ lines: ['a', 'b'], endings: 'lf', endsWithBreak: false })
  expect(linesOf(null).lines).toEqual([])
})

test('what no line shows is told in words', () => {
  expect(endingNotes(linesOf('a\nb\n'), linesOf('a\r\nb\r\n'))).toEqual([
    'Line breaks changed from LF to CR LF.',
  ])
  expect(endingNotes(linesOf('a\nb\n'), linesOf('a\nb'))).toEqual([
    'The last line has no line break at its end any more.',
  ])
  expect(endingNotes(linesOf(null), linesOf('a'))).toEqual([])
})

test('words that changed are marked; lines that share little are not compared', () => {
  expect(wordChanges('return total(order)', 'return sum(order)')).toEqual({
    before: [[7, 12]],
    after: [[7, 10]],
  })
  expect(wordChanges('const key = randomUUID()', 'for each of them')).toBeNull()
})
