import { expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import {
  answering,
  EMPTY_QUEUE,
  followAsked,
  moveTo,
  type QueueState,
  type ShapedRequest,
  select,
  toggle,
  toggleAll,
} from './queue-state.ts'

const script = new SampleLog()

/** "a1": request 1 of shape a. "1" has no shape, "!1" is dangerous. */
function asked(name: string): ShapedRequest {
  const agent = stateAfter([script.spawn(`of-${name}`), script.asks(`of-${name}`, name)])
  const [request] = agent.requests
  if (request === undefined) throw new Error('no request')
  const common = { conversationId: 'c1', agentId: agent.id, agent, elsewhere: null }
  return {
    asked: { ...common, request },
    shape: /^[a-z]/.exec(name)?.[0] ?? null,
    isDangerous: name.startsWith('!'),
  }
}
const named = (...names: readonly string[]) => names.map(asked)
const follow = (state: QueueState, all: readonly ShapedRequest[], hold = false) =>
  followAsked(state, { asked: all, hold })
const selected = (state: QueueState) => [...(state.selected.get(state.current ?? '') ?? [])]
const shownAs = ({ entries }: QueueState) =>
  entries.map(({ members, isGroup }) => {
    const ids = members.map(({ request }) => request?.requestId).join(' ')
    return isGroup ? `[${ids}]` : ids
  })

test('dangerous requests come first, then groups of similar ones, then the others', () => {
  const state = follow(EMPTY_QUEUE, named('1', 'a2', '!3', 'b4', 'a5', '6'))
  expect(shownAs(state)).toEqual(['!3', '[a2 a5]', '1', 'b4', '6'])
  expect(state.current).toBe('!3')
})

test('an answered request keeps its place, and the next open one has the keys', () => {
  const all = named('1', '2', '3')
  let state = follow(answering(select(follow(EMPTY_QUEUE, all), '2'), ['2']), [
    ...all.slice(0, 1),
    ...all.slice(2),
  ])
  expect([shownAs(state), state.current]).toEqual([['1', '2', '3'], '3'])
  state = follow(answering(state, ['3']), all.slice(0, 1))
  expect([shownAs(state), state.current]).toEqual([['1', '2', '3'], '1'])
  state = follow(answering(state, ['1']), [])
  expect([shownAs(state), state.current]).toEqual([['1', '2', '3'], null])
})

test('a request that something else answers keeps the keys, so that none goes to another request', () => {
  const all = named('1', '2')
  const state = follow(follow(EMPTY_QUEUE, all), all.slice(1))
  expect([shownAs(state), state.current]).toEqual([['1', '2'], '1'])
})

test('what comes is last: a dangerous request, or a similar one while the pointer is in the list, moves nothing', () => {
  const all = named('a1', 'a2', '3')
  const first = follow(EMPTY_QUEUE, all)
  expect(shownAs(follow(first, [...all, asked('!4')]))).toEqual(['[a1 a2]', '3', '!4'])
  expect(shownAs(follow(first, [...all, asked('a4')], true))).toEqual(['[a1 a2]', '3', 'a4'])
  expect(shownAs(follow(first, [...all, asked('a4')]))).toEqual(['[a1 a2 a4]', '3'])
})

test('with nothing left to answer, what comes is arranged anew', () => {
  const state = follow(follow(EMPTY_QUEUE, named('1')), [])
  expect(shownAs(follow(state, named('a2', '!3', 'a4')))).toEqual(['!3', '[a2 a4]'])
})

test('a group is selected when it is new; what joins later is not', () => {
  const all = named('a1', 'a2')
  let state = follow(EMPTY_QUEUE, all)
  expect(selected(state)).toEqual(['a1', 'a2'])
  state = follow(state, [...all, ...named('a3')])
  expect(selected(state)).toEqual(['a1', 'a2'])
  const alone = follow(EMPTY_QUEUE, named('b1'))
  expect(selected(follow(alone, named('b1', 'b2')))).toEqual(['b1'])
})

test('rows are selected one by one and all at once', () => {
  let state = follow(EMPTY_QUEUE, named('a1', 'a2', 'a3'))
  state = toggle(state, 'a1', 'a2')
  expect(selected(state)).toEqual(['a1', 'a3'])
  state = toggleAll(state, 'a1')
  expect(selected(state)).toHaveLength(3)
  expect(selected(toggleAll(state, 'a1'))).toEqual([])
})

test('a group of which the user answered a part keeps the keys, and passes them on with its last', () => {
  const all = named('a1', 'a2', '3')
  const state = follow(answering(follow(EMPTY_QUEUE, all), ['a1']), all.slice(1))
  expect([shownAs(state), state.current]).toEqual([['[a1 a2]', '3'], 'a1'])
  expect(follow(answering(state, ['a2']), all.slice(2)).current).toBe('3')
})

test('an answer that failed is not the user’s', () => {
  const all = named('1', '2')
  const failed = answering(answering(follow(EMPTY_QUEUE, all), ['1']), ['1'], true)
  expect(follow(failed, all.slice(1)).current).toBe('1')
})

test('the keys move from entry to entry and stop at the ends', () => {
  const state = follow(EMPTY_QUEUE, named('1', '2', '3'))
  expect(moveTo(state, 1).current).toBe('2')
  expect(moveTo(moveTo(state, 'last'), 1).current).toBe('3')
  expect(moveTo(state, -1).current).toBe('1')
})
