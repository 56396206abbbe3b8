import { beforeEach, expect, test } from 'vitest'
import { EVENT_VERSION } from '../../../shared/events/agent-event.ts'
import { type AgentBacking, type BackedAgent, plainBacking } from '../ports/agent-backing.ts'
import type { RunEnd } from '../ports/run-end.ts'
import { agentCall, childrenOf, eventsOf, script } from '../testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from '../testing/test-runtime.ts'

let troupe: TestRuntime
let agent: BackedAgent
let finish: (end: RunEnd) => void
const calls: string[] = []

/** Records the calls of the supervisor. */
function recorder(backed: BackedAgent): AgentBacking {
  agent = backed
  return {
    ...plainBacking(
      'recorder',
      (signal) =>
        new Promise((resolve) => {
          finish = resolve
          signal.addEventListener('abort', () => resolve({ kind: 'stopped' }))
        }),
    ),
    send: () => void calls.push('send'),
    pause: (paused) => void calls.push(`pause ${paused}`),
    answer: (requestId) => {
      calls.push(`answer ${requestId}`)
      return true
    },
  }
}

/** A runtime whose only subagent runs in another process, and the id of the conversation. */
async function startOutside(): Promise<string> {
  calls.length = 0
  troupe = createTestRuntime({
    script: script([{ calls: [agentCall('outside')] }, { text: 'Summed up.' }], () => ({ text: 'loop' })),
    runtime: { backings: (backed) => (backed.state().parentId === null ? null : recorder(backed)) },
  })
  const id = await troupe.begin('Go')
  await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
  await new Promise((resolve) => setImmediate(resolve))
  return id
}

const notice = (seq: number, fields: object = {}) => ({
  v: EVENT_VERSION,
  agentId: agent.id,
  seq,
  order: 0,
  at: 0,
  type: 'notice',
  level: 'info',
  text: `event ${seq}`,
  ...fields,
})

const ingest = (epoch: number, event: unknown, backing = 'recorder') =>
  agent.ingest({ agentId: agent.id, backing, epoch }, event)

const texts = () =>
  eventsOf(troupe, agent.id).flatMap((event) => (event.type === 'notice' ? [event.text] : []))

let id: string
beforeEach(async () => {
  id = await startOutside()
})

test('events are added in the order of their numbers, duplicates are dropped and gaps refused', () => {
  expect(agent.takeOver()).toEqual({ epoch: 0, seq: 0 })
  expect(ingest(0, notice(0))).toEqual({ ok: true, value: true })
  expect(ingest(0, notice(0, { text: 'again' }))).toEqual({ ok: true, value: false })
  expect(ingest(0, notice(2))).toMatchObject({ failure: { type: 'gap', expectedSeq: 1 } })
  expect(ingest(0, notice(1))).toEqual({ ok: true, value: true })
  expect(texts()).toEqual(['event 0', 'event 1'])
})

test('a newer epoch takes over with its first event, and must continue where the older one ended', () => {
  ingest(3, notice(0))
  expect(ingest(4, notice(0))).toMatchObject({ failure: { type: 'gap', expectedSeq: 1 } })
  expect(ingest(3, notice(1)).ok).toBe(true)
  expect(ingest(4, notice(2)).ok).toBe(true)
  expect(ingest(3, notice(3))).toMatchObject({ failure: { type: 'old-epoch', epoch: 4 } })
  expect(agent.takeOver()).toEqual({ epoch: 5, seq: 3 })
  expect(ingest(4, notice(3))).toMatchObject({ failure: { type: 'old-epoch', epoch: 5 } })
  expect(texts()).toEqual(['event 0', 'event 1', 'event 2'])
})

test('an invalid event, or one of another agent, is refused', async () => {
  agent.takeOver()
  expect(ingest(0, 'hello')).toMatchObject({ failure: { type: 'invalid-event' } })
  expect(ingest(0, notice(0, { agentId: 'a-other' }))).toMatchObject({ failure: { type: 'invalid-event' } })
  expect(ingest(0, notice(0, { level: 'loud' }))).toMatchObject({ failure: { type: 'invalid-event' } })
  expect(ingest(0, notice(0), 'loop')).toMatchObject({ failure: { type: 'wrong-backing' } })
  expect(agent.ingest({ agentId: 'a-none', backing: 'recorder', epoch: 0 }, notice(0))).toMatchObject({
    failure: { type: 'unknown-agent' },
  })
  const main = troupe.store.records.get(id)?.mainAgentId ?? ''
  const forMain = { agentId: main, backing: 'recorder', epoch: 0 }
  expect(agent.ingest(forMain, notice(0, { agentId: main }))).toMatchObject({
    failure: { type: 'wrong-backing' },
  })
  finish({ kind: 'answered', text: 'Done.', reachedLimit: null })
  await troupe.runtime.settled(id)
  expect(ingest(0, notice(0))).toMatchObject({ failure: { type: 'not-running' } })
  expect(texts()).toEqual([])
})

test('an event of an older version is upcast', () => {
  agent.takeOver()
  const { v: _, ...rest } = notice(0)
  const old = { ...rest, v: 1, type: 'context-summarised', summary: 'So far.' }
  expect(ingest(0, old)).toEqual({ ok: true, value: true })
  expect(eventsOf(troupe, agent.id).at(-1)).toMatchObject({ type: 'context-compacted', summary: 'So far.' })
})

test('the user’s commands reach the backing, and a stop ends its run', async () => {
  const content = [{ type: 'text' as const, text: 'Hurry' }]
  await troupe.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId: agent.id, content })
  await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId: agent.id })
  const request = { conversationId: id, agentId: agent.id, requestId: 'p-1' }
  await troupe.runtime.dispatch({ type: 'agent.answer', ...request, answer: { decision: 'allow-once' } })
  expect(calls).toEqual(['send', 'pause true', 'answer p-1'])
  expect(agent.takeMessages().map(({ content: [block] }) => block)).toEqual(content)
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: agent.id })
  expect(troupe.runtime.state(id, agent.id)).toMatchObject({ status: 'stopped' })
  expect(childrenOf(troupe)).toHaveLength(1)
})
