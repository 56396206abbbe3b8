import { expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import type { Need } from '../../stores/conversation-store.ts'
import { arrangeQueue, type QueuePlace, type ShapedNeed } from './queue-state.ts'

const script = new SampleLog()

/** "a1": request 1 of shape a. "1" has no shape. */
function need(name: string): ShapedNeed {
  const state = stateAfter([script.spawn(`of-${name}`), script.asks(`of-${name}`, name)])
  const [request] = state.requests
  if (request === undefined) throw new Error('no request')
  const shape = /^[a-z]/.exec(name)?.[0] ?? null
  return { need: { agentId: state.id, request } satisfies Need, shape }
}

const named = (...names: readonly string[]) => names.map(need)
const shownAs = (places: readonly QueuePlace[]) =>
  places.map(({ members, isGroup }) => {
    const ids = members.map(({ request }) => request?.requestId).join(' ')
    return isGroup ? `[${ids}]` : ids
  })

const plain = { shown: null, hold: false }

test('similar requests share the place of the first; others have their own', () => {
  const places = arrangeQueue([], named('a1', '2', 'b3', 'a4', '5', 'a6'), plain)
  expect(shownAs(places)).toEqual(['[a1 a4 a6]', '2', 'b3', '5'])
})

test('a newcomer joins the group that is shown, at its end', () => {
  const needs = named('a1', 'a2', '3')
  const places = arrangeQueue([], needs, plain)
  const later = arrangeQueue(places, [...needs, need('a4')], { shown: 'a1', hold: false })
  expect(shownAs(later)).toEqual(['[a1 a2 a4]', '3'])
})

test('a request that is shown alone stays alone, and its newcomers form a group of their own', () => {
  const needs = named('a1', '2')
  const shown = { shown: 'a1', hold: false }
  let places = arrangeQueue([], needs, shown)
  places = arrangeQueue(places, [...needs, need('a3')], shown)
  expect(shownAs(places)).toEqual(['a1', '2', 'a3'])
  places = arrangeQueue(places, [...needs, need('a3'), need('a4')], shown)
  expect(shownAs(places)).toEqual(['a1', '2', '[a3 a4]'])
})

test('what is answered leaves, but for the place on the screen', () => {
  const needs = named('a1', 'a2', '3', '4')
  const places = arrangeQueue([], needs, plain)
  const rest = needs.slice(1, 2)
  expect(shownAs(arrangeQueue(places, rest, plain))).toEqual(['[a2]'])
  expect(shownAs(arrangeQueue(places, rest, { shown: '3', hold: false }))).toEqual(['[a2]', '3'])
  expect(shownAs(arrangeQueue(places, rest, { shown: 'a1', hold: false }))).toEqual(['[a1 a2]'])
})

test('nothing leaves the list while the pointer is in it', () => {
  const needs = named('1', '2', '3')
  const places = arrangeQueue([], needs, plain)
  const held = arrangeQueue(places, needs.slice(2), { shown: null, hold: true })
  expect(shownAs(held)).toEqual(['1', '2', '3'])
  expect(shownAs(arrangeQueue(held, needs.slice(2), plain))).toEqual(['3'])
})

test('without a change the same array comes back', () => {
  const needs = named('a1', 'a2', '3')
  const places = arrangeQueue([], needs, plain)
  expect(arrangeQueue(places, needs, plain)).toBe(places)
})
