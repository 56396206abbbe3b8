import { expect, test } from 'vitest'
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { createHandClock } from '../../../runtime/testing/hand-clock.ts'
import { SILENCE, silentSubagents } from './silent-subagents.ts'
import type { KnownCall } from './update-recorder.ts'

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
