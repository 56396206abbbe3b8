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

describe('search results', () => {
  test('lines with their locations, in their original order', () => {
    expect(foundLines(said('a b.ts\n3:x: 1\n\nc/d.ts\n12:\ty')).items).toEqual([
      { path: 'a b.ts', line: 3, text: 'x: 1' },
      { path: 'c/d.ts', line: 12, text: '\ty' },
    ])
  })

  test('no match is an empty list, not a fact', () => {
    expect(foundPaths(said('No file in . matches **/*.zz.'))).toEqual({ items: [], more: false })
    expect(foundPaths(said('Nothing matches.'))).toEqual({ items: [], more: false })
    expect(foundLines(failed('a.ts\n1:x'))).toEqual({ items: [], more: false })
  })

  test('a note that there are more results, with the total', () => {
    const cut = '\n\n[Only the first 2 files of 1,200 are shown. Narrow the pattern.]'
    expect(foundPaths(said(`a\nb${cut}`))).toEqual({ items: ['a', 'b'], more: true, total: 1200 })
    const unknown =
      '\n\n[Only the 200 latest changes are listed; there are more matches. Narrow the pattern.]'
    expect(foundPaths(said(`a\nb${unknown}`))).toEqual({ items: ['a', 'b'], more: true })
  })

  test('a file whose name looks like a note is a file', () => {
    expect(foundPaths(said('[id]\n[slug]')).items).toEqual(['[id]', '[slug]'])
  })

  test('lines after a gap belong to no file until the next path', () => {
    const gap =
      '[… 900 characters omitted. The whole output has 900 lines (31 KB). Read on with Read (file_path "/data/x.txt", offset 121, limit 400), or search that file with Grep.]'
    const text = `a.ts\n1:one\n2:tw\n\n${gap}\n\n7:seven\n8:eight\n\nc.ts\n9:nine`
    expect(foundLines(said(text)).items).toEqual([
      { path: 'a.ts', line: 1, text: 'one' },
      { path: 'c.ts', line: 9, text: 'nine' },
    ])
  })

  test('a partial line at the gap of a shortened result is left out', () => {
    const gap =
      '[… 900 characters omitted. The whole output has 900 lines (31 KB). Read on with Read (file_path "/data/x.txt", offset 121, limit 400), or search that file with Grep.]'
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

test('the lines of a file by number, without notes', () => {
  const lines = readLines(
    said('     9\tnine\t9\n    10\t\n\n[Lines 9 to 10 of 40. Continue with offset 11.]'),
  )
  expect(lines).toEqual([
    { line: 9, text: 'nine\t9' },
    { line: 10, text: '' },
  ])
})

describe('command results', () => {
  test('of commands that succeeded, failed, timed out or never ran', () => {
    expect(commandAnswer(said('out\nput'))).toEqual({
      output: 'out\nput',
      exitCode: 0,
      timedOut: false,
      ran: true,
    })
    expect(commandAnswer(said('[No output.]')).output).toBe('')
    expect(
      commandAnswer(
        failed('bad\n[Exit code 2]\n[Processes that it left in the background were ended with it.]'),
      ),
    ).toEqual({
      output: 'bad',
      exitCode: 2,
      timedOut: false,
      ran: true,
    })
    expect(
      commandAnswer(failed('half\n[The command was ended after 5 min, its time limit, with everything.]')),
    ).toMatchObject({
      exitCode: null,
      timedOut: true,
      ran: true,
    })
    expect(commandAnswer(failed('The user denied this call.')).ran).toBe(false)
  })

  test('have lines only after success', () => {
    expect(commandLines(said('a\nb'))).toEqual(['a', 'b'])
    expect(commandLines(failed('a\n[Exit code 1]'))).toEqual([])
  })
})

test('the reason of a failed call, for the user', () => {
  expect(reasonOf(failed('The user denied this call. Do not attempt it another way.'))).toBe(
    'you did not allow it.',
  )
  expect(reasonOf(failed('The user denied this call: too slow'))).toBe('you said no: too slow')
  expect(reasonOf(failed('\nsrc is a folder.\nmore'))).toBe('src is a folder.')
})
