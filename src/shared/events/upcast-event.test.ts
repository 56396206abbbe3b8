import { expect, it } from 'vitest'
import { isKnownEvent, upcastEvent } from './upcast-event.ts'

const notice = { v: 2, agentId: 'a-1', seq: 3, order: 9, at: 1, type: 'notice', level: 'info', text: 'Hello' }

it('accepts a current event and drops unknown fields', () => {
  expect(upcastEvent({ ...notice, sum: '00000000', mood: 'fine' })).toEqual({ ok: true, value: notice })
})

it.each([
  ['a type', { ...notice, type: 'agent-dreamt' }, 'agent-dreamt'],
  ['a version', { ...notice, v: 3 }, 'version 3'],
])('rejects %s that is newer', (_, event, problem) => {
  expect(upcastEvent(event)).toMatchObject({
    ok: false,
    failure: { type: 'newer-event', message: expect.stringContaining(problem) },
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

it('adds a row to started calls of version 1, and list entries to changed tools', () => {
  const old = { v: 1, agentId: 'a-1', seq: 3, order: 9, at: 1 }
  const started = { toolUseId: 't', name: 'Bash', input: {}, summary: 'ls', sideEffects: true }
  expect(upcastEvent({ ...old, type: 'tool-started', ...started })).toMatchObject({
    value: { v: 2, row: { kind: 'command', icon: 'terminal', label: 'Bash' } },
  })
  const Skill = 'Loads a skill.\n\nSkills there are:\n- a: Does a.\n  - more\n- b: x\n\nAnd 3 more.'
  const changed = { type: 'tools-changed', text: '', note: '', descriptions: { Skill } }
  expect(upcastEvent({ ...old, ...changed })).toMatchObject({
    value: { entries: { Skill: { a: '- a: Does a.\n  - more', b: '- b: x' } }, added: [], removed: [] },
  })
})
