import { expect, test } from 'vitest'
import { mendText } from './mend-text.ts'

const mend = (label: string, from: number, to: number) => ({
  mends: [
    { label, edits: [{ from, to, insert: label }] },
    { label: 'another way', edits: [] },
  ],
})

test('of two mends of one place the first is made, in the order of the text', () => {
  const problems = [mend('b', 5, 9), mend('lost', 8, 12), mend('a', 0, 2), { mends: [] }]
  expect(mendText('0123456789ab', (text) => (text === '0123456789ab' ? problems : []))).toEqual({
    text: 'a234b9ab',
    done: ['b', 'a'],
  })
})

test('what a mend uncovers is mended too', () => {
  const next: Readonly<Record<string, string>> = { one: 'two', two: 'three' }
  const problemsOf = (text: string) => (next[text] === undefined ? [] : [mend(next[text], 0, text.length)])
  expect(mendText('one', problemsOf)).toEqual({ text: 'three', done: ['two', 'three'] })
})

test('a text is mended until nothing is left, however many mends uncover each other', () => {
  const problemsOf = (text: string) => {
    const at = text.indexOf('x')
    return at === -1 ? [] : [mend('-', at, at + 1)]
  }
  expect(mendText('x'.repeat(30), problemsOf).text).toBe('-'.repeat(30))
})

test('a text that never comes to rest is left in the end', () => {
  expect(mendText('', () => [mend('more', 0, 0)]).text).toMatch(/^(more)+$/)
})
