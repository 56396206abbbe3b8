import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import { sampleEvent } from '../../../shared/testing/sample-events.ts'
import { SessionUpdates } from './session-updates.ts'

const updates = () =>
  new SessionUpdates({ mainAgentId: 'main', folder: '/p', now: () => 0, newKey: randomUUID })

const said = (fields: Partial<EventOf<'assistant-message'>>) =>
  sampleEvent('assistant-message', {
    agentId: 'main',
    messageId: 'm',
    content: [{ type: 'text', text: 'Hello.' }],
    usage: { ...noUsage, input: 10, output: 5 },
    contextWindow: 1000,
    costUsd: 0.5,
    ...fields,
  })

const usageOf = (session: SessionUpdates, fields: object) =>
  session.take(said(fields)).find(({ sessionUpdate }) => sessionUpdate === 'usage_update')

const ofProgram = { origin: { backing: 'acp', epoch: 1, seq: 1 } }

test('a message of the user is shown with its images, and a command as it was typed', () => {
  const image = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data: 'AA' },
  }
  const content = [image, { type: 'text' as const, text: 'Make a plan for tea' }]
  expect(updates().ofUser({ messageId: 'm-1', content, typed: '/plan tea' })).toEqual([
    {
      sessionUpdate: 'user_message_chunk',
      content: { type: 'image', data: 'AA', mimeType: 'image/png' },
      messageId: 'm-1',
    },
    {
      sessionUpdate: 'user_message_chunk',
      content: { type: 'text', text: '/plan tea' },
      messageId: 'm-1',
    },
  ])
  expect(updates().ofUser({ messageId: 'm-1', content: [] })).toEqual([])
})

test('the cost is that of the conversation so far, and unknown after one message of unknown price', () => {
  const session = updates()
  session.startAt({ costUsd: 1, priced: true })
  expect(usageOf(session, {})).toEqual({
    sessionUpdate: 'usage_update',
    used: 15,
    size: 1000,
    cost: { amount: 1.5, currency: 'USD' },
  })
  expect(usageOf(session, { costUsd: null })).not.toHaveProperty('cost')
  expect(usageOf(session, {})).not.toHaveProperty('cost')
})

test('an external agent may tell its cost later, or never', () => {
  const session = updates()
  expect(usageOf(session, { ...ofProgram, costUsd: null, contextUsed: 400 })).toEqual({
    sessionUpdate: 'usage_update',
    used: 400,
    size: 1000,
  })
  expect(usageOf(session, { ...ofProgram, costUsd: 0.25 })).toMatchObject({ cost: { amount: 0.25 } })
  expect(usageOf(session, { ...ofProgram, costUsd: null })).toMatchObject({ cost: { amount: 0.25 } })
})

const call = { toolCallId: 't', title: 'A question', kind: 'other', status: 'pending' } as const

test('a call that asks is shown once, and ends once', () => {
  const session = updates()
  expect(session.begin(call)).toEqual([{ sessionUpdate: 'tool_call', ...call }])
  expect(session.begin(call)).toEqual([])
  const ended = [{ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'failed' }]
  expect(session.endAll('failed')).toEqual(ended)
  expect([...session.endAll('completed'), ...session.end('t', 'completed')]).toEqual([])
})

test('messages of two programs never have the same id', () => {
  const idOf = (session: SessionUpdates) =>
    JSON.stringify(session.take(said({})).map((update) => 'messageId' in update && update.messageId))
  expect(idOf(updates())).not.toBe(idOf(updates()))
})
