import { expect, test } from 'vitest'
import { rank } from './rank.ts'

const names = [
  'New conversation',
  'Open folder…',
  'Settings',
  'Stop all agents',
  'src/payments/charge.ts',
  'Smaller text',
]
const find = (query: string) => rank(names, { query, limit: 3, textOf: (name) => name }).items

test('a prefix beats the middle of a word, a word beats scattered letters', () => {
  expect(find('s')[0]).toBe('Settings')
  expect(find('text')[0]).toBe('Smaller text')
  expect(find('stp')).toContain('Stop all agents')
  expect(find('fldr')).toEqual(['Open folder…'])
  expect(find('nrs')).toEqual([])
})

test('all words of the query must match, in any order', () => {
  expect(find('agents stop')).toEqual(['Stop all agents'])
  expect(find('pay char')).toEqual(['src/payments/charge.ts'])
  expect(find('open window')).toEqual([])
})

test('without a query the first items keep their order', () => {
  expect(find('  ')).toEqual(names.slice(0, 3))
})
