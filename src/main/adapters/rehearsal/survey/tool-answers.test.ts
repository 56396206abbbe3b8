import { describe, expect, test } from 'vitest'
import {
  commandAnswer,
  commandLines,
  foundCounts,
  foundLines,
  foundPaths,
  readLines,
  reasonOf,
} from './tool-answers.ts'

const said = (text: string) => ({ ok: true, text })
const failed = (text: string) => ({ ok: false, text })

describe('searches', () => {
  test('lines with their places, in the order they came', () => {
    expect(foundLines(said('a b.ts:3:x: 1\nc/d.ts:12:\ty')).items).toEqual([
      { path: 'a b.ts', line: 3, text: 'x: 1' },
      { path: 'c/d.ts', line: 12, text: '\ty' },
    ])
  })

  test('nothing found is an empty list, not a fact', () => {
    expect(foundPaths(said('No file in . matches **/*.zz.'))).toEqual({ items: [], more: false })
    expect(foundPaths(said('Nothing matches.'))).toEqual({ items: [], more: false })
    expect(foundLines(failed('a.ts:1:x'))).toEqual({ items: [], more: false })
  })

  test('that there is more, and how much in all', () => {
    const cut = '\n\n[These are the first 2 files of 1,200; there are more. Narrow the pattern.]'
    expect(foundPaths(said(`a\nb${cut}`))).toEqual({ items: ['a', 'b'], more: true, total: 1200 })
    const unknown = '\n\n[These are the 200 that were changed last; there are more. Narrow the pattern.]'
    expect(foundPaths(said(`a\nb${unknown}`))).toEqual({ items: ['a', 'b'], more: true })
  })

  test('a file whose name looks like a remark is a file', () => {
    expect(foundPaths(said('[id]\n[slug]')).items).toEqual(['[id]', '[slug]'])
  })

  test('half a line at the gap of a shortened answer is left out', () => {
    const gap =
      '[… 900 characters left out here; the whole output was kept for the user. Narrow the command to see more.]'
    const text = `src/one.ts:10\nsrc/two\n\n${gap}\n\nree.ts:30\nsrc/four.ts:40`
    expect(foundCounts(said(text))).toEqual({
      items: [
        { path: 'src/one.ts', count: 10 },
        { path: 'src/four.ts', count: 40 },
      ],
      more: true,
    })
  })
})

test('the lines of a file by their numbers, without remarks', () => {
  const lines = readLines(said('     9\tnine\t9\n    10\t\n\n[Lines 9 to 10 of 40. Go on with offset 11.]'))
  expect([...lines]).toEqual([
    [9, 'nine\t9'],
    [10, ''],
  ])
})

describe('commands', () => {
  test('that went well, failed, ran too long, or never ran', () => {
    expect(commandAnswer(said('out\nput'))).toEqual({
      output: 'out\nput',
      exitCode: 0,
      timedOut: false,
      ran: true,
    })
    expect(commandAnswer(said('[It printed nothing.]')).output).toBe('')
    expect(
      commandAnswer(
        failed('bad\n[Exit code 2]\n[What it left running in the background was ended with it.]'),
      ),
    ).toEqual({
      output: 'bad',
      exitCode: 2,
      timedOut: false,
      ran: true,
    })
    expect(
      commandAnswer(failed('half\n[It was ended after 5 min, its time limit, with everything.]')),
    ).toMatchObject({
      exitCode: null,
      timedOut: true,
      ran: true,
    })
    expect(commandAnswer(failed('The user said no to this.')).ran).toBe(false)
  })

  test('only one that went well has lines', () => {
    expect(commandLines(said('a\nb'))).toEqual(['a', 'b'])
    expect(commandLines(failed('a\n[Exit code 1]'))).toEqual([])
  })
})

test('why a call came to nothing, for the user', () => {
  expect(reasonOf(failed('The user said no to this. Do not try it again another way.'))).toBe(
    'you did not allow it.',
  )
  expect(reasonOf(failed('The user said no to this: too slow'))).toBe('you said no: too slow')
  expect(reasonOf(failed('\nsrc is a folder.\nmore'))).toBe('src is a folder.')
})
