import { expect, it } from 'vitest'
import { isKnownEvent, upcastEvent } from './upcast-event.ts'

const notice = { v: 1, agentId: 'a-1', seq: 3, order: 9, at: 1, type: 'notice', level: 'info', text: 'Hello' }

it('takes an event of today, and leaves out what it does not know', () => {
  expect(upcastEvent({ ...notice, sum: '00000000', mood: 'fine' })).toEqual({ ok: true, value: notice })
})

it.each([
  ['a type', { ...notice, type: 'agent-dreamt' }, 'agent-dreamt'],
  ['a version', { ...notice, v: 2 }, 'version 2'],
])('does not guess at %s that is newer', (_, event, words) => {
  expect(upcastEvent(event)).toMatchObject({
    ok: false,
    failure: { type: 'newer-event', message: expect.stringContaining(words) },
  })
  expect(isKnownEvent(event.v, event.type)).toBe(false)
  expect(isKnownEvent(notice.v, notice.type)).toBe(true)
})

it.each([
  ['null', null],
  ['a list', [notice]],
  ['words', 'notice'],
  ['a field that is missing', { ...notice, text: undefined }],
  ['a field of another kind', { ...notice, seq: 'three' }],
])('refuses %s', (_, raw) => {
  expect(upcastEvent(raw)).toMatchObject({ ok: false, failure: { type: 'invalid-event' } })
})
