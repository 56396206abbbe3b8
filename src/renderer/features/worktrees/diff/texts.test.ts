import { expect, test } from 'vitest'
import { comparedSidesOf, wordChanges } from './diff-lines.ts'

const shown = (before: string | null, after: string | null) => comparedSidesOf(before, after).shown

test('the CR of CR LF is hidden where all lines of both sides have it', () => {
  expect(shown('a\r\nb\r\n', 'a\r\nc\r\n')).toEqual({ before: ['a', 'b'], after: ['a', 'c'] })
  expect(shown(null, 'a\r\nb')).toEqual({ before: [], after: ['a', 'b'] })
  expect(shown('a\r\nb\r\n', 'a\r\nb\n')).toEqual({ before: ['a\r', 'b\r'], after: ['a\r', 'b'] })
  expect(shown('a\n', 'a\r\n')).toEqual({ before: ['a'], after: ['a\r'] })
  expect(shown('a\nb', null)).toEqual({ before: ['a', 'b'], after: [] })
})

test('changed line endings have a note', () => {
  const notes = (before: string | null, after: string) => comparedSidesOf(before, after).notes
  expect(notes('a\nb\n', 'a\r\nb\r\n')).toEqual(['Line endings changed from LF to CR LF.'])
  expect(notes('a\nb\n', 'a\nb')).toEqual(['Line break removed at the end of the file.'])
  expect(notes(null, 'a')).toEqual([])
})

test('changed words are marked; lines with little in common are not compared', () => {
  expect(wordChanges('return total(order)', 'return sum(order)')).toEqual({
    before: [[7, 12]],
    after: [[7, 10]],
  })
  expect(wordChanges('const key = randomUUID()', 'for each of them')).toBeNull()
})
