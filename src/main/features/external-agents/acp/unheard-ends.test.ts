import { expect, test } from 'vitest'
import type { SessionHost } from './acp-connection.ts'
import { UnheardEnds } from './unheard-ends.ts'

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
