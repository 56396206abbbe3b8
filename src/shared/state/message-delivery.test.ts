import { expect, test } from 'vitest'
import { type AgentEvent, type AgentEventDraft, agentEvent } from '../events/agent-event.ts'
import { noUsage } from '../models/no-usage.ts'
import { type AgentState, foldAgent } from './agent-state.ts'
import { deliveryOf, type MessageDelivery, receiverOf, type SentMessage } from './message-delivery.ts'

const sent = (how: SentMessage['how']) => ({ messageId: 'm-1', how })
const unread = (...ids: string[]) => ({ unread: ids, turn: 3 })

test.each<[SentMessage['how'], string, Parameters<typeof deliveryOf>[1], MessageDelivery]>([
  ['queued', 'waits', { queued: [{ messageId: 'm-0' }, { messageId: 'm-1' }], receiver: unread() }, 'queued'],
  [
    'queued',
    'is in the transcript',
    { queued: [{ messageId: 'm-2' }], receiver: unread('m-1') },
    'delivered',
  ],
  ['queued', 'was answered', { queued: [], receiver: unread('m-2') }, 'read'],
  ['queued', 'is for an agent that is not known yet', { queued: [], receiver: undefined }, 'queued'],
  ['resumed', 'waits', { queued: [{ messageId: 'm-1' }], receiver: unread() }, 'queued'],
  ['resumed', 'is in the transcript', { queued: [], receiver: unread('m-0', 'm-1') }, 'delivered'],
  ['resumed', 'was answered', { queued: [], receiver: unread() }, 'read'],
  ['resumed', 'is for an agent that is not known yet', { queued: [], receiver: undefined }, 'delivered'],
  ['mailbox', 'is for nobody here', { queued: [], receiver: undefined }, 'mailbox'],
  ['mailbox', 'is for one that only starts', { queued: [], receiver: { unread: [], turn: 0 } }, 'mailbox'],
  ['mailbox', 'was found', { queued: [], receiver: { unread: ['m-1'], turn: 0 } }, 'delivered'],
  ['mailbox', 'was answered', { queued: [], receiver: unread() }, 'read'],
])('a message (%s) that %s', (how, _, clues, delivery) => {
  expect(deliveryOf(sent(how), clues)).toBe(delivery)
})

test('as an agent’s log grows, its message is delivered, then read', () => {
  const [agent] = fold([])
  const message: AgentEventDraft = {
    type: 'user-message',
    messageId: 'm-1',
    from: 'agent',
    sender: 'a-2',
    content: [],
  }
  const started: AgentEventDraft = { type: 'request-started', turn: 1, attempt: 1, model: 'm' }
  const states = fold([message, started, answer])
  const waiting = [{ messageId: 'm-1' }]
  expect(deliveryOf(sent('queued'), { queued: waiting, receiver: agent })).toBe('queued')
  expect(states.slice(1).map((receiver) => deliveryOf(sent('queued'), { queued: [], receiver }))).toEqual([
    'delivered',
    'delivered',
    'read',
  ])
})

test('the receiver is found by its id, or by its name: the last of that name', () => {
  const state = (id: string, name: string | null) => ({ ...fold([])[0], id, name }) as AgentState
  const all = [state('a-1', 'ada'), state('a-2', null), state('a-3', 'ada'), state('a-4', 'a-2')]
  const agents = new Map(all.map((agent) => [agent.id, agent]))
  expect(receiverOf(agents, 'ada')?.id).toBe('a-3')
  expect(receiverOf(agents, 'a-2')?.id).toBe('a-2')
  expect(receiverOf(agents, 'bob')).toBeUndefined()
})

const answer: AgentEventDraft = {
  type: 'assistant-message',
  turn: 1,
  messageId: 'msg',
  model: 'm',
  content: [],
  stopReason: 'end_turn',
  usage: noUsage,
  costUsd: 0,
  durationMs: 1,
  pace: [],
}

/** The states of an agent after its spawn and after each of these events. */
function fold(drafts: readonly AgentEventDraft[]): readonly AgentState[] {
  const spawn: unknown = {
    type: 'agent-spawned',
    conversationId: 'c-1',
    parentId: null,
    parentToolUseId: null,
    definition: {
      name: 'x',
      source: 'x',
      file: null,
      color: 'red',
      readOnly: false,
      oneShot: false,
      reminder: null,
    },
    task: '',
    model: 'm',
    system: '',
    tools: [],
    permissionMode: 'default',
    cwd: '/',
    maxTurns: 1,
    depth: 0,
  }
  const states: AgentState[] = []
  let state: AgentState | null = null
  ;[spawn, ...drafts].forEach((draft, seq) => {
    const head = { v: 2, agentId: 'a-1', seq, order: seq, at: seq }
    const event: AgentEvent = agentEvent.parse({ ...head, ...(draft as object) })
    state = foldAgent(state, event)
    if (state !== null) states.push(state)
  })
  return states
}
