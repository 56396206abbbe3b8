import { expect, test } from 'vitest'
import { endingNotes, linesOf } from './text-lines.ts'
import { wordChanges } from './word-changes.ts'

test('uniform line endings are removed; mixed line endings stay visible', () => {
  expect(linesOf('a\r\nb\r\n')).toEqual({ lines: ['a', 'b'], endings: 'crlf', endsWithBreak: true })
  expect(linesOf('a\r\nb\n')).toEqual({ lines: ['a\r', 'b'], endings: 'mixed', endsWithBreak: true })
  expect(linesOf('a\nb')).toEqual({ lines: ['a', 'b'], endings: 'lf', endsWithBreak: false })
  expect(linesOf(null).lines).toEqual([])
})

test('changed line endings have a note', () => {
  expect(endingNotes(linesOf('a\nb\n'), linesOf('a\r\nb\r\n'))).toEqual([
    'Line endings changed from LF to CR LF.',
  ])
  expect(endingNotes(linesOf('a\nb\n'), linesOf('a\nb'))).toEqual([
    'Line break removed at the end of the file.',
  ])
  expect(endingNotes(linesOf(null), linesOf('a'))).toEqual([])
})

test('changed words are marked; lines with little in common are not compared', () => {
  expect(wordChanges('return total(order)', 'return sum(order)')).toEqual({
    before: [[7, 12]],
    after: [[7, 10]],
  })
  expect(wordChanges('const key = randomUUID()', 'for each of them')).toBeNull()
})
