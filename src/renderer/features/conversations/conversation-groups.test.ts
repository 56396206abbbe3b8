import { expect, test } from 'vitest'
import { summaryOf } from '../../testing/start-window.tsx'
import { groupConversations, type ListFilter, stateCounts } from './conversation-groups.ts'

const now = new Date(2026, 8, 17, 15).getTime()
const HOUR = 3_600_000
const all = [
  summaryOf('asks', { requests: 1, running: 1, updatedAt: now - 50 * HOUR }),
  summaryOf('today', { updatedAt: now - HOUR, title: 'Fix the cart' }),
  summaryOf('pinned', { pinned: true, updatedAt: now - 900 * HOUR }),
  summaryOf('yesterday', { updatedAt: now - 20 * HOUR, outcome: { kind: 'failed', at: 1 } }),
  summaryOf('week', { updatedAt: now - 70 * HOUR, folder: '/work/other' }),
  summaryOf('old', { updatedAt: now - 1000 * HOUR }),
  summaryOf('away', { archived: true, updatedAt: now - HOUR, outcome: { kind: 'failed', at: 1 } }),
]
const list = (more: Partial<ListFilter> = {}) =>
  groupConversations(
    all,
    { state: 'all', text: '', folder: null, ...more },
    { now, unmerged: new Set(['today', 'away']) },
  ).map(({ title, ids }) => `${title}: ${ids.join(' ')}`)

test('pinned conversations come first, then those at work, then by day; archived ones are apart', () => {
  expect(list()).toEqual([
    'Pinned: pinned',
    'Now: asks',
    'Today: today',
    'Yesterday: yesterday',
    'This week: week',
    'Older: old',
  ])
  expect(list({ state: 'archived' })).toEqual(['Today: away'])
})

test('states, folders and words narrow the list, and the counts agree', () => {
  expect(list({ state: 'needs-you' })).toEqual(['Now: asks'])
  expect(list({ state: 'running' })).toEqual(['Now: asks'])
  expect(list({ state: 'failed' })).toEqual(['Yesterday: yesterday'])
  expect(list({ state: 'unmerged' })).toEqual(['Today: today'])
  expect(list({ folder: '/work/other' })).toEqual(['This week: week'])
  expect(list({ text: 'CART fix' })).toEqual(['Today: today'])
  expect(list({ text: 'other' })).toEqual(['This week: week'])
  const counts = { all: 6, 'needs-you': 1, running: 1, failed: 1, unmerged: 1, archived: 1 }
  expect(stateCounts(all, { text: '', folder: null }, new Set(['today', 'away']))).toEqual(counts)
})
