/** Each event type can be stored, read, folded and shown. A new event type needs a sample to compile. */
import { expect, test } from 'vitest'
import { foldAgent } from '../state/agent-state.ts'
import { sampleFields } from '../testing/sample-events.ts'
import { sampleAgent } from '../testing/sample-log.ts'
import { rowText, TranscriptRows } from '../transcript/transcript-rows.ts'
import { type AgentEvent, type AgentEventType, agentEvent, EVENT_VERSION } from './agent-event.ts'
import { intactEvent, upcastEvent } from './upcast-event.ts'

const types = Object.keys(sampleFields) as AgentEventType[]

function event(type: AgentEventType, seq: number): AgentEvent {
  const head = { v: EVENT_VERSION, agentId: 'a-1', seq, order: seq, at: 1000 + seq }
  return agentEvent.parse({ ...head, type, ...sampleFields[type] })
}

const started = sampleAgent()

test('the samples cover all event types', () => {
  expect(types.sort()).toEqual(agentEvent.options.map(({ shape }) => shape.type.value).sort())
})

test.each(types)('%s can be stored and read back, and is folded in order', (type) => {
  const sample = event(type, 1)
  expect(upcastEvent(JSON.parse(JSON.stringify(sample)))).toEqual({ ok: true, value: sample })
  if (type === 'agent-spawned') return
  expect(foldAgent(started, sample)).toMatchObject({ id: 'a-1', lastSeq: 1, lastOrder: 1, lastAt: 1001 })
  expect(started.lastSeq).toBe(0)
})

test.each(types)('%s is the same event when its line is not checked again', (type) => {
  const line = () => JSON.parse(JSON.stringify(event(type, 1))) as object
  expect(intactEvent(line())).toEqual(upcastEvent(line()))
})

test('what older programs left out is filled in', () => {
  const { jobId: _, ...old } = { jobId: null, ...event('worker-changed', 1) }
  expect(intactEvent(old)).toMatchObject({ ok: true, value: { jobId: null } })
})

test('a transcript with every event has rows with unique keys and readable text', () => {
  const log = Object.keys(sampleFields).map((type, seq) => event(type as AgentEventType, seq))
  const { rows } = TranscriptRows.from(log)
  expect(rows.length).toBeGreaterThan(10)
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  expect(rows.map(rowText).filter((text) => /undefined|\[object/.test(text))).toEqual([])
})
