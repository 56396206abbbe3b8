import { expect, test } from 'vitest'
import { KeptOutput } from './kept-output.ts'

test('the end is kept, from a whole character on', () => {
  const output = new KeptOutput(5)
  output.append('abc')
  expect([output.text, output.isTruncated]).toEqual(['abc', false])
  output.append('de')
  expect([output.text, output.isTruncated]).toEqual(['abcde', false])
  output.append('ä€')
  // "ä" has 2 bytes and "€" has 3.
  expect([output.text, output.isTruncated]).toEqual(['ä€', true])
  output.append('x')
  expect(output.text).toBe('€x')
})

test('a limit of nothing keeps nothing', () => {
  const output = new KeptOutput(0)
  output.append('a')
  expect([output.text, output.isTruncated]).toEqual(['', true])
})
