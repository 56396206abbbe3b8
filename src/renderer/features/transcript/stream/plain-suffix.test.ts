import { expect, test } from 'vitest'
import { type ParsedTail, parseTail } from './split-stream.ts'

/** Streams a text a few letters at a time. Returns the number of parses and the last state. */
function stream(text: string, step = 4) {
  let tail: ParsedTail | null = null
  let parsed = 0
  for (let end = step; end < text.length + step; end += step) {
    const next = parseTail(tail, text.slice(0, end))
    expect(next.base + next.suffix).toBe(text.slice(0, end))
    if (next.base !== tail?.base) parsed++
    tail = next
  }
  return { parsed, tail }
}

test('plain text is not parsed again', () => {
  expect(stream('The wrapper retries on any rejected promise, time-outs included, as it should').parsed).toBe(
    1,
  )
})

test('text after closed markup stays plain', () => {
  const { tail } = stream('The key is made **before** the `first` attempt and kept')
  expect(tail?.base).toMatch(/`first`/)
  expect(tail?.suffix).toMatch(/and kept$/)
})

test('text inside open markup is parsed', () => {
  for (const text of [
    'The key **has to be',
    'Call `charge the',
    'See [the docs',
    'See [docs](https://a.example',
    'It is ~~not so',
    'Some _words that',
    'A <b tag',
    'Escaped \\',
  ])
    expect(parseTail(parseTail(null, text), `${text} more`).suffix).toBe('')
})

test('lines that may become another element are parsed', () => {
  expect(parseTail(parseTail(null, 'one line\n'), 'one line\n- item').base).toBe('one line\n- item')
  expect(parseTail(parseTail(null, '| a | b'), '| a | bc').suffix).toBe('')
  expect(parseTail(parseTail(null, 'go to www'), 'go to www.x').suffix).toBe('')
})

test('spaces at the end are kept for the next word', () => {
  const tail = parseTail(null, 'a word ')
  expect(tail).toMatchObject({ base: 'a word', suffix: ' ' })
  expect(parseTail(tail, 'a word and')).toMatchObject({ base: 'a word', suffix: ' and' })
})

test('a long suffix is parsed, and so is another text', () => {
  const tail = parseTail(null, 'start')
  expect(parseTail(tail, `start ${'word '.repeat(60)}`).suffix.length).toBeLessThan(10)
  expect(parseTail(tail, 'other').base).toBe('other')
})
