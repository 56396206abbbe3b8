/** The effort of requests, and whether they think: chosen by the call, the definition, the parent, or the user. */
import { expect, test } from 'vitest'
import type { Effort } from '../../shared/models/effort.ts'
import type { Thinking } from '../../shared/models/thinking.ts'
import { agentCall, echo, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, testDefinitions } from './testing/test-runtime.ts'

const worker = (effort: Effort | null) => [...testDefinitions, { ...testDefinitions[1]!, name: 'w', effort }]

async function childEffort(options: {
  readonly own: Effort | null
  readonly main: Effort | null
  readonly call?: object
}) {
  const calls = [agentCall('one', { subagent_type: 'w', ...options.call })]
  const troupe = createTestRuntime({
    definitions: worker(options.own),
    script: script([echo, { calls }, echo], () => ({ text: 'done' })),
  })
  const id = await troupe.begin('Hello')
  await troupe.runtime.settled(id)
  await troupe.runtime.dispatch({ type: 'conversation.setModel', conversationId: id, effort: options.main })
  await troupe.say(id, 'Go')
  await troupe.runtime.settled(id)
  const [, later, child] = troupe.model.requests
  expect(later?.effort ?? null).toBe(options.main)
  return child?.effort ?? null
}

test.each<[string, Parameters<typeof childEffort>[0], Effort | null]>([
  ['nobody chose', { own: null, main: null }, null],
  ['the parent has one', { own: null, main: 'low' }, 'low'],
  ['the definition names one', { own: 'max', main: 'low' }, 'max'],
  ['the call names one', { own: 'max', main: 'low', call: { effort: 'high' } }, 'high'],
])('where %s', async (_, options, expected) => {
  expect(await childEffort(options)).toBe(expected)
})

test('a fork keeps its parent’s effort, so that the requests stay alike', async () => {
  const calls = [agentCall('one', { subagent_type: 'w', effort: 'max' })]
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', forkContext: true }],
    script: script([{ calls }, echo], () => ({ text: 'done' })),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  expect(troupe.model.requests.filter((request) => !isMain(request))[0]?.effort ?? null).toBeNull()
})

test('the choice is in the log and comes back with the conversation', async () => {
  const troupe = createTestRuntime({ script: echo })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  await troupe.runtime.dispatch({ type: 'conversation.setModel', conversationId: id, effort: 'high' })
  await troupe.runtime.dispatch({ type: 'conversation.setModel', conversationId: id, effort: 'high' })
  expect(troupe.events.filter(({ type }) => type === 'effort-changed')).toHaveLength(1)
  const again = createTestRuntime({ script: echo, store: troupe.store })
  await again.say(id, 'Next')
  await again.runtime.settled(id)
  expect(again.model.requests[0]?.effort).toBe('high')
})

test.each<[string, Thinking | null, object, Thinking]>([
  ['the parent', null, {}, 'off'],
  ['the definition', 'on', {}, 'on'],
  ['the call', 'on', { thinking: 'off' }, 'off'],
])('%s says whether an agent thinks', async (_, own, call, expected) => {
  const calls = [agentCall('one', { subagent_type: 'w', ...call })]
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', thinking: own }],
    script: script([echo, { calls }, echo], () => ({ text: 'done' })),
  })
  const id = await troupe.begin('Hello')
  await troupe.runtime.settled(id)
  await troupe.runtime.dispatch({ type: 'conversation.setModel', conversationId: id, thinking: 'off' })
  await troupe.runtime.dispatch({ type: 'conversation.setModel', conversationId: id, thinking: 'off' })
  await troupe.say(id, 'Go')
  await troupe.runtime.settled(id)
  expect(troupe.model.requests.map(({ thinking }) => thinking)).toEqual([null, 'off', expected, 'off'])
  expect(troupe.events.filter(({ type }) => type === 'thinking-changed')).toHaveLength(1)
})
