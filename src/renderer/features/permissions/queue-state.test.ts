import { expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import {
  answering,
  EMPTY_QUEUE,
  followNeeds,
  type QueueState,
  type ShapedNeed,
  select,
  toggle,
  toggleAll,
} from './queue-state.ts'

const script = new SampleLog()

/** "a1": request 1 of shape a. "1" has no shape. */
function need(name: string): ShapedNeed {
  const state = stateAfter([script.spawn(`of-${name}`), script.asks(`of-${name}`, name)])
  const [request] = state.requests
  if (request === undefined) throw new Error('no request')
  return { need: { agentId: state.id, request }, shape: /^[a-z]/.exec(name)?.[0] ?? null }
}
const named = (...names: readonly string[]) => names.map(need)
const follow = (state: QueueState, needs: readonly ShapedNeed[]) => followNeeds(state, { needs, hold: false })
const ticked = (state: QueueState) => [...(state.ticks.get(state.shown ?? '') ?? [])]

test('the first request is shown first, and each that the user answers makes room for the next', () => {
  const needs = named('1', '2', '3')
  let state = follow(EMPTY_QUEUE, needs)
  expect(state.shown).toBe('1')
  state = follow(answering(select(state, '2'), ['2']), [...needs.slice(0, 1), ...needs.slice(2)])
  expect([state.shown, state.isReplaced]).toEqual(['3', true])
  state = follow(answering(state, ['3']), needs.slice(0, 1))
  expect(state.shown).toBe('1')
  expect(follow(answering(state, ['1']), []).shown).toBeNull()
})

test('a request that something else answers stays on the screen until the user goes on', () => {
  const needs = named('1', '2')
  const state = follow(follow(EMPTY_QUEUE, needs), needs.slice(1))
  expect([state.shown, state.places.map(({ key }) => key)]).toEqual(['1', ['1', '2']])
  expect(follow(select(state, '2'), needs.slice(1)).places.map(({ key }) => key)).toEqual(['2'])
})

test('a group is ticked when it is first shown; who joins later has no tick', () => {
  const needs = named('a1', 'a2')
  let state = follow(EMPTY_QUEUE, needs)
  expect(ticked(state)).toEqual(['a1', 'a2'])
  const more = [...needs, ...named('a3', '4')]
  state = follow(state, more)
  expect(ticked(state)).toEqual(['a1', 'a2'])
  state = select(select(state, '4'), 'a1')
  expect(ticked(state)).toEqual(['a1', 'a2'])
})

test('ticks change one by one and all at once', () => {
  let state = follow(EMPTY_QUEUE, named('a1', 'a2', 'a3'))
  state = toggle(state, 'a2')
  expect(ticked(state)).toEqual(['a1', 'a3'])
  state = toggleAll(state)
  expect(ticked(state)).toHaveLength(3)
  expect(ticked(toggleAll(state))).toEqual([])
  expect(ticked(toggle(toggleAll(state), 'a3'))).toEqual(['a3'])
})

test('a group of which the user answered a part stays, with the rest', () => {
  const needs = named('a1', 'a2', 'a3', '4')
  const state = follow(answering(follow(EMPTY_QUEUE, needs), ['a1', 'a2']), needs.slice(2))
  expect(state.shown).toBe('a1')
  expect(state.places[0]?.members).toHaveLength(3)
})

test('a group goes when the last of it was answered by the user, and stays when by something else', () => {
  const needs = named('a1', 'a2', '3')
  const first = answering(follow(EMPTY_QUEUE, needs), ['a1'])
  const byRule = follow(follow(first, needs.slice(1)), needs.slice(2))
  expect(byRule.shown).toBe('a1')
  // The events come one by one, after the answers were confirmed.
  const both = follow(answering(first, ['a2']), needs.slice(1))
  expect(follow(both, needs.slice(2)).shown).toBe('3')
})

test('an answer that failed is not the user’s', () => {
  const needs = named('1', '2')
  const failed = answering(answering(follow(EMPTY_QUEUE, needs), ['1']), ['1'], true)
  expect(follow(failed, needs.slice(1)).shown).toBe('1')
})
