import { expect, test } from 'vitest'
import { fail } from '../../shared/kernel/result.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import {
  type ConversationState,
  emptyConversation,
  foldConversation,
} from '../../shared/state/conversation-state.ts'
import { spansOf } from '../../shared/timeline/lane.ts'
import { addToTimeline } from '../../shared/timeline/timeline.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { agentCall, script } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

const twoAgents = script([{ calls: [agentCall('one')] }, { text: 'Done.' }], (request) =>
  request.messages.length > 1 ? { text: 'Report.' } : { calls: [['TodoWrite', { todos: [] }]] },
)

test('the timeline of a conversation has what each agent did, and continues with its events', async () => {
  const troupe = createTestRuntime({ script: twoAgents })
  const id = await troupe.begin('Sort the notes.')
  await troupe.runtime.settled(id)
  const asked = await troupe.runtime.dispatch({ type: 'conversation.timeline', conversationId: id })
  if (!asked.ok) throw new Error(asked.failure.message)
  const { timeline, problem } = asked.value
  expect(problem).toBeNull()
  const [main, one] = Object.values(timeline.lanes)
  expect(main && spansOf(main).map(({ kind }) => kind)).toContain('model')
  expect(one && spansOf(one).flatMap((span) => (span.kind === 'tool' ? [span.name] : []))).toEqual([
    'TodoWrite',
  ])
  expect(timeline.arrows.map(({ kind }) => kind)).toEqual(['message', 'start', 'report'])
  const before = structuredClone(timeline)
  const known = timeline.lastOrder
  await troupe.say(id, 'And again.')
  await troupe.runtime.settled(id)
  // All events again: those that the timeline has change nothing.
  for (const event of troupe.events) addToTimeline(timeline, event)
  const again = await troupe.runtime.dispatch({ type: 'conversation.timeline', conversationId: id })
  expect(timeline.lastOrder).toBeGreaterThan(known)
  expect(timeline).not.toEqual(before)
  if (!again.ok) throw new Error(again.failure.message)
  expect(again.value.timeline.lanes).toEqual(timeline.lanes)
  expect(again.value.timeline.arrows).toEqual(timeline.arrows)
})

test('a log that is damaged in the middle gives the timeline up to there, and says so', async () => {
  const store = createMemoryStore()
  const { readConversation } = store
  const troupe = createTestRuntime({ script: twoAgents, store })
  const id = await troupe.begin('Sort the notes.')
  await troupe.runtime.settled(id)
  store.readConversation = async function* (...asked) {
    yield* readConversation(...asked)
    yield fail({ type: 'damaged', message: 'Line 9 is damaged.' })
  }
  const asked = await troupe.runtime.dispatch({ type: 'conversation.timeline', conversationId: id })
  expect(asked).toMatchObject({ ok: true, value: { problem: 'Line 9 is damaged.' } })
  const unknown = await troupe.runtime.dispatch({ type: 'conversation.timeline', conversationId: 'c-none' })
  expect(unknown.ok).toBe(false)
})

test('the conversation at any of its events is what it was live, as a state or as the events since one', async () => {
  const troupe = createTestRuntime({ script: twoAgents })
  const states = new Map<number, ConversationState>()
  let live = emptyConversation
  troupe.runtime.subscribe((delta) => {
    if (delta.type !== 'event' && delta.type !== 'conversation-event') return
    live = foldConversation(live, [delta.event])
    states.set(delta.event.order, live)
  })
  const id = await troupe.begin('Sort the notes.')
  await troupe.runtime.settled(id)
  const past = async (order: number, after: number | null) => {
    const asked = await troupe.runtime.dispatch({
      type: 'conversation.past',
      conversationId: id,
      order,
      after,
    })
    if (!asked.ok) throw new Error(asked.failure.message)
    return asked.value
  }
  const orders = [...states.keys()]
  let played: ReadonlyMap<string, AgentState> = states.get(orders[0] ?? 0)?.agents ?? new Map()
  for (const [index, order] of orders.entries()) {
    const whole = await past(order, null)
    const agents = [...(states.get(order)?.agents.values() ?? [])]
    expect(whole.snapshot?.agents).toEqual(agents)
    expect(whole.snapshot).toMatchObject({ readOnly: true, order })
    const before = orders[index - 1]
    if (before === undefined) continue
    const step = await past(order, before)
    if (step.snapshot !== null) throw new Error('A few events are no snapshot.')
    played = foldConversation({ ...emptyConversation, agents: played }, step.events).agents
    expect([...played.values()]).toEqual(agents)
  }
  const last = orders.at(-1) ?? 0
  expect((await past(last, last)).snapshot).not.toBeNull()
})
