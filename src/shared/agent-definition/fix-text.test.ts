import { expect, test } from 'vitest'
import { fixText } from './fix-text.ts'

const fix = (label: string, from: number, to: number) => ({
  fixes: [
    { label: 'a choice', edits: [{ from, to, insert: 'lost' }], isCertain: false },
    { label, edits: [{ from, to, insert: label }], isCertain: true },
    { label: 'another way', edits: [], isCertain: true },
  ],
})

test('the first of two overlapping fixes in the text is applied', () => {
  const problems = [fix('b', 5, 9), fix('lost', 8, 12), fix('a', 0, 2), { fixes: [] }]
  expect(fixText('0123456789ab', (text) => (text === '0123456789ab' ? problems : []))).toEqual({
    text: 'a234b9ab',
    done: ['b', 'a'],
  })
})

test('a problem revealed by a fix is fixed, too', () => {
  const next: Readonly<Record<string, string>> = { one: 'two', two: 'three' }
  const problemsOf = (text: string) => (next[text] === undefined ? [] : [fix(next[text], 0, text.length)])
  expect(fixText('one', problemsOf)).toEqual({ text: 'three', done: ['two', 'three'] })
})

test('fixing continues until no problem is left', () => {
  const problemsOf = (text: string) => {
    const at = text.indexOf('x')
    return at === -1 ? [] : [fix('-', at, at + 1)]
  }
  expect(fixText('x'.repeat(30), problemsOf).text).toBe('-'.repeat(30))
})

test('a text that never settles is left after the maximum number of rounds', () => {
  expect(fixText('', () => [fix('more', 0, 0)]).text).toMatch(/^(more)+$/)
})
