import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent, AgentEventType, EventOf } from '../../../shared/events/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { sampleEvent } from '../../../shared/testing/sample-events.ts'
import { knowsChildSessions } from '../../platform/acp/subagent-sessions.ts'
import { type AnyUpdate, ChildSessions } from './child-sessions.ts'

let sent: [sessionId: string, update: AnyUpdate][]
let states: Map<string, AgentState>
let children: ChildSessions
let order: number

function newChildren() {
  return new ChildSessions({
    sessionId: 'c',
    mainAgentId: 'main',
    folder: '/p',
    now: () => 0,
    newKey: () => 'key',
    notify: (sessionId, update) => sent.push([sessionId, update]),
    stateOf: (agentId) => states.get(agentId) ?? null,
  })
}

beforeEach(() => {
  sent = []
  states = new Map()
  order = 0
  children = newChildren()
})

/** An event, also in the state of its agent. */
function event<T extends AgentEventType>(agentId: string, type: T, fields: Partial<EventOf<T>>): AgentEvent {
  order++
  const made = sampleEvent(type, { ...fields, agentId, seq: order, order })
  const state = foldAgent(states.get(agentId) ?? null, made)
  if (state !== null) states.set(agentId, state)
  return made
}

const spawned = (agentId: string, parentId: string, fields: Partial<EventOf<'agent-spawned'>> = {}) =>
  event(agentId, 'agent-spawned', { parentId, task: 'Look around', cwd: '/p', ...fields })
const status = (
  agentId: string,
  now: EventOf<'status-changed'>['status'],
  waitingFor: EventOf<'status-changed'>['waitingFor'] = null,
) => event(agentId, 'status-changed', { status: now, waitingFor })
const ended = (agentId: string, fields: Partial<EventOf<'agent-ended'>>) =>
  event(agentId, 'agent-ended', { report: '', ...fields })

/** The states that were told of an agent. */
const told = (agentId: string) =>
  sent.flatMap(([, update]) =>
    update.sessionUpdate === 'subagent_update' && update.sessionId === agentId ? [update.state] : [],
  )

test('only an editor that says so knows child sessions', () => {
  expect([undefined, {}, { subagents: null }].map((each) => knowsChildSessions(each))).toEqual([
    false,
    false,
    false,
  ])
  expect(knowsChildSessions({ subagents: {} })).toBe(true)
})

describe('a child session', () => {
  test('of a child is announced on the session of its parent', () => {
    children.take(spawned('a', 'main'))
    children.take(spawned('b', 'a'))
    expect(sent.map(([session, update]) => [session, update.sessionUpdate])).toEqual([
      ['c', 'subagent_update'],
      ['a', 'subagent_update'],
    ])
  })

  test('is announced after its parents when the history was not shown', () => {
    spawned('a', 'main')
    spawned('b', 'a')
    children.take(status('b', 'running'))
    expect(sent).toMatchObject([
      ['c', { sessionId: 'a', title: 'Explore', description: 'Look around', cwd: '/p' }],
      ['a', { sessionId: 'b' }],
    ])
    children.take(status('a', 'running'))
    expect(sent).toHaveLength(2)
  })

  test('has the messages of other agents with their sender', () => {
    children.take(spawned('a', 'main'))
    const content = [{ type: 'text' as const, text: 'Look.' }]
    children.take(event('a', 'user-message', { messageId: 'm1', from: 'parent', content }))
    children.take(event('a', 'user-message', { messageId: 'm2', from: 'agent', sender: 'b', content }))
    children.take(event('a', 'user-message', { messageId: 'm3', from: 'runtime', content }))
    expect(sent.slice(1)).toMatchObject([
      ['a', { sessionUpdate: 'session_message', messageId: 'm1', senderSessionId: 'c' }],
      ['a', { messageId: 'm2', senderSessionId: 'b', recipientSessionId: 'a', content }],
    ])
  })

  test('has a state for each change, and none twice', () => {
    children.take(spawned('a', 'main'))
    for (const [now, waitingFor] of [
      ['queued', null],
      ['running', null],
      ['waiting', 'permission'],
      ['waiting', 'answer'],
      ['running', null],
      ['waiting', 'children'],
      ['waiting', 'message'],
    ] as const)
      children.take(status('a', now, waitingFor))
    expect(told('a')).toEqual([
      { state: 'running' },
      { state: 'requires_action' },
      { state: 'running' },
      { state: 'idle', stopReason: 'end_turn' },
    ])
  })

  test.each<[Partial<EventOf<'agent-ended'>>, object]>([
    [{ status: 'completed' }, { stopReason: 'end_turn' }],
    [{ status: 'stopped' }, { stopReason: 'cancelled' }],
    [{ status: 'interrupted' }, { stopReason: 'cancelled' }],
    [{ status: 'completed', reachedLimit: 'turns' }, { stopReason: 'max_turn_requests' }],
    [
      { status: 'failed', failure: { type: 'api', message: 'No credit.' } },
      { stopReason: 'error', error: { code: -32603, message: 'No credit.' } },
    ],
  ])('is idle at the end of its agent (%#)', (fields, end) => {
    children.take(spawned('a', 'main'))
    children.take(ended('a', fields))
    expect(told('a').at(-1)).toEqual({ state: 'idle', ...end })
  })

  test('of a program’s own subagent can be canceled once the program allows it', () => {
    children.take(spawned('a', 'main', { backing: 'acp-child', childSession: 's' }))
    children.take(event('a', 'child-changed', { name: 'Reader', task: 'Read it', canStop: true }))
    expect(sent).toMatchObject([
      ['c', { capabilities: {} }],
      ['c', { sessionId: 'a', title: 'Reader', description: 'Read it', capabilities: { cancel: {} } }],
    ])
    expect(sent[0]?.[1]).not.toHaveProperty('capabilities.cancel')
  })

  test('is not made for the main agent', () => {
    children.take(event('main', 'agent-spawned', { parentId: null }))
    expect(sent).toEqual([])
    expect(children.has('main')).toBe(false)
  })
})
