import { expect, test } from 'vitest'
import { type ArrangeOptions, arrange, type Candidate, hold, type PanelNeed } from './geometry.ts'

/** Parses `a:working b:done`, in the order of the starts. */
const agents = (text: string): Candidate[] =>
  text.split(' ').map((part) => {
    const [id = '', need = 'working'] = part.split(':')
    return { id, need: need as PanelNeed }
  })

const stage = (text: string, more: Partial<ArrangeOptions> = {}) =>
  arrange({
    agents: agents(text),
    panels: [],
    capacity: 4,
    pinned: new Set(),
    opened: null,
    inUse: new Set(),
    ...more,
  })

test('agents with the greatest need get panels; others get tiles, finished agents fold', () => {
  expect(stage('a:done b c d:failed e:needs-you f g:done')).toEqual({
    panels: ['b', 'c', 'd', 'e'],
    tiles: ['f'],
    queued: [],
    finished: ['a', 'g'],
  })
})

test('finished agents keep or get a panel while panels are free', () => {
  expect(stage('a b:done').panels).toEqual(['a', 'b'])
})

test('new agents fill free slots and move no panel', () => {
  expect(stage('a b c', { panels: ['b', 'a'] }).panels).toEqual(['b', 'a', 'c'])
  expect(stage('a b c d e', { panels: ['d', 'b', 'a', 'c'] })).toMatchObject({
    panels: ['d', 'b', 'a', 'c'],
    tiles: ['e'],
  })
})

test('an agent that needs the user replaces the panel with the smallest need; the others stay put', () => {
  expect(stage('a b:done c d e:needs-you', { panels: ['a', 'b', 'c', 'd'] }).panels).toEqual([
    'a',
    'e',
    'c',
    'd',
  ])
  expect(stage('a b c d e:needs-you', { panels: ['a', 'b', 'c', 'd'] }).panels).toEqual(['a', 'b', 'c', 'e'])
})

test('a working agent replaces a finished panel, but a queued agent does not', () => {
  expect(stage('a b:done c d e', { panels: ['a', 'b', 'c', 'd'] })).toEqual({
    panels: ['a', 'e', 'c', 'd'],
    tiles: [],
    queued: [],
    finished: ['b'],
  })
  expect(stage('a b:done c d e:queued', { panels: ['a', 'b', 'c', 'd'] }).panels).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
})

test('pinned panels, the panel opened last and panels in use stay', () => {
  const panels = ['a', 'b', 'c', 'd']
  const text = 'a:done b:done c:done d:done e:needs-you'
  expect(stage(text, { panels, pinned: new Set(['d']), opened: 'b', inUse: new Set(['c']) }).panels).toEqual([
    'e',
    'b',
    'c',
    'd',
  ])
  expect(stage(text, { panels, pinned: new Set(panels) })).toMatchObject({ panels, tiles: ['e'] })
})

test('an agent that the user opens gets a panel at once', () => {
  expect(stage('a b c d e:done', { panels: ['a', 'b', 'c', 'd'], opened: 'e' }).panels).toEqual([
    'a',
    'b',
    'c',
    'e',
  ])
  const all = new Set(['a', 'b', 'c', 'd'])
  expect(stage('a b c d e', { panels: [...all], opened: 'e', inUse: all }).panels).toContain('e')
})

test('failures replace working agents, but never all of them', () => {
  expect(stage('a b c:failed d:failed e:failed f', { panels: ['a', 'b'], capacity: 2 }).panels).toEqual([
    'a',
    'c',
  ])
})

test('with less room, panels with the smallest need go first', () => {
  expect(stage('a:done b c:needs-you d', { panels: ['a', 'b', 'c', 'd'], capacity: 2 })).toEqual({
    panels: ['b', 'c'],
    tiles: ['d'],
    queued: [],
    finished: ['a'],
  })
})

test('agents that no longer exist lose their panels', () => {
  expect(stage('a b', { panels: ['x', 'b', 'y', 'a'] }).panels).toEqual(['b', 'a'])
})

test('of the agents without a panel, those that need the user have the first tiles', () => {
  const panels = ['a', 'b']
  expect(
    stage('a:needs-you b:needs-you c d:failed e:needs-you f:queued', { panels, capacity: 2 }),
  ).toMatchObject({
    panels,
    tiles: ['e', 'c', 'd'],
  })
})

test('while the pointer is over the stage nothing moves: new agents come last, ended ones keep their place', () => {
  const before = { panels: ['a', 'b'], tiles: ['c', 'd'], queued: ['e'], finished: [] }
  expect(hold(before, agents('a:done b c:needs-you d:done e f g:queued h:done'), 2)).toEqual({
    panels: ['a', 'b'],
    tiles: ['c', 'd', 'e', 'f'],
    queued: ['g'],
    finished: ['h'],
  })
  expect(hold({ ...before, tiles: [] }, agents('a b c d'), 4).panels).toEqual(['a', 'b', 'c', 'd'])
})
