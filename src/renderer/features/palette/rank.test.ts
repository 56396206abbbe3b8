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
const find = (query: string) => rank(names, { query, limit: 3, textOf: (title) => ({ title }) }).items

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

test('a whole title beats a whole keyword, and both beat the start of a title', () => {
  const entries = [
    { title: 'Mode of work' },
    { title: 'Choose mode…', keywords: 'mode' },
    { title: 'Mode' },
    { title: 'Pause it', subject: 'mode tester' },
  ]
  const ranked = rank(entries, { query: 'mode', limit: 9, textOf: (entry) => entry })
  expect(ranked.items.map(({ title }) => title)).toEqual(['Mode', 'Choose mode…', 'Mode of work', 'Pause it'])
})
