import { expect, test } from 'vitest'
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { createHandClock } from '../../../runtime/testing/hand-clock.ts'
import type { SessionHost } from './agent-connection.ts'
import { SILENCE, silentSubagents, UnheardEnds } from './untold-subagents.ts'
import type { KnownCall } from './update-recorder.ts'

const state = (sessionId: string, at: object) => ({ sessionUpdate: 'subagent_update', sessionId, state: at })
const running = (id: string) => state(id, { state: 'running' })
const ended = (id: string, stopReason = 'end_turn') => state(id, { state: 'idle', stopReason })
const turnOf = (kind: string) => ({ sessionUpdate: 'usage_update', _meta: { '_claude/origin': { kind } } })
const result = (senderSessionId: string) => ({
  sessionUpdate: 'session_message',
  messageId: 'm',
  senderSessionId,
  content: [{ type: 'text', text: 'Done.' }],
})

test.each([
  ['in the background, before the turn was over', [running('a'), ended('a'), turnOf('human')], true],
  ['with a turn of its own', [running('a'), turnOf('human'), ended('a'), turnOf('task-notification')], false],
  ['two, and a turn for one', [ended('a'), ended('b'), turnOf('human'), turnOf('task-notification')], true],
  ['as the result of a call', [running('a'), result('a'), ended('a'), turnOf('human')], false],
  ['as the result of a call, told later', [running('a'), ended('a'), result('a'), turnOf('human')], false],
  ['and it works again', [ended('a'), running('a'), turnOf('human')], false],
  ['after more work', [result('a'), ended('a'), running('a'), ended('a'), turnOf('human')], true],
  ['canceled', [running('a'), ended('a', 'cancelled'), turnOf('human')], false],
  ['of a program that does not say what began a turn', [running('a'), ended('a')], false],
])('an end %s', (_, updates, isUnheard) => {
  const ends = new UnheardEnds()
  const passed: unknown[] = []
  const host = ends.following({ update: (update: unknown) => passed.push(update) } as unknown as SessionHost)
  for (const update of updates) host.update(update as never)
  expect(passed).toEqual(updates)
  expect(ends.taken()).toBe(isUnheard)
  expect(ends.taken()).toBe(false)
})

const call = (id: string, more: Partial<KnownCall> = {}): KnownCall => ({
  id,
  toolCallId: id,
  title: 'Look at A',
  name: 'acp_tool',
  content: [],
  rawInput: { subagent_type: 'general', prompt: 'Look' },
  startedAt: 0,
  isEnded: false,
  ...more,
})

function watched(program = 'OpenCode') {
  const hand = createHandClock()
  const told: AgentEventDraft[] = []
  const over = new AbortController()
  const emit = (draft: AgentEventDraft) => told.push(draft)
  const seen = silentSubagents({ program, clock: hand.clock, emit, signal: over.signal })
  return { hand, told, over, seen }
}

test('a subagent of opencode that works for two minutes is told once, with what to do', async () => {
  const { hand, told, seen } = watched()
  seen(call('a', { rawInput: {} }))
  seen(call('a'))
  seen(call('a'))
  await hand.until(SILENCE - 1)
  expect(told).toEqual([])
  await hand.until(5 * SILENCE)
  expect(told).toMatchObject([{ type: 'notice', level: 'warning' }])
  expect(JSON.stringify(told)).toMatch(
    /“Look at A” since \d\d:\d\d\. opencode does not pass on .* Stop the agent/,
  )
})

test('nothing is told of one that ends, of other calls, of an ended run, and of other programs', async () => {
  const { hand, told, over, seen } = watched()
  seen(call('a'))
  seen(call('a', { isEnded: true }))
  seen(call('b', { rawInput: { command: 'make' } }))
  await hand.until(2 * SILENCE)
  seen(call('c'))
  over.abort()
  await hand.until(4 * SILENCE)
  const other = watched('Claude Agent')
  other.seen(call('a'))
  await other.hand.until(2 * SILENCE)
  expect([...told, ...other.told]).toEqual([])
})
