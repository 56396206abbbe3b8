import { expect, test } from 'vitest'
import type { AgentEvent, AgentEventType, AgentState, EventOf } from '../events/agent-event.ts'
import type { RefusedCopy } from '../events/conversation.ts'
import { sampleDefinition, sampleEvent } from '../testing/sample-events.ts'
import { SampleLog, stateAfter } from '../testing/sample-log.ts'
import type { QueuedMessagePreview } from './conversation-snapshot.ts'
import {
  deliveryOf,
  type MessageDelivery,
  messageLog,
  receiverOf,
  type SentMessage,
  threadKeyOf,
  threadsOf,
  USER,
} from './message-log.ts'

class Agents {
  private readonly log = new SampleLog({ now: 1, step: 1 })

  get states(): ReadonlyMap<string, AgentState> {
    const ids = new Set(this.log.events.map(({ agentId }) => agentId))
    return new Map([...ids].map((id) => [id, this.log.stateOf(id)]))
  }

  write<T extends AgentEventType>(agentId: string, type: T, more: Partial<EventOf<T>>): this {
    this.log.add(agentId, type, more)
    return this
  }

  spawn(agentId: string, parentId: string | null = 'lead', name: string | null = agentId): this {
    return this.write(agentId, 'agent-spawned', {
      parentId,
      name,
      definition: sampleDefinition({ name: agentId }),
    })
  }

  receive(
    agentId: string,
    messageId: string,
    more: Partial<Pick<EventOf<'user-message'>, 'from' | 'sender' | 'broadcast'>> & { text?: string } = {},
  ): this {
    const { from = 'agent', text = messageId, ...rest } = more
    return this.write(agentId, 'user-message', {
      messageId,
      from,
      content: [{ type: 'text', text }],
      ...rest,
    })
  }

  /** `goesOn`: it calls a tool, so its turn does not end. */
  answer(agentId: string, text = '', goesOn = false): this {
    const content: EventOf<'assistant-message'>['content'] = [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...(goesOn ? [{ type: 'tool_use' as const, id: `t-${text}`, name: 'Read', input: {} }] : []),
    ]
    return this.write(agentId, 'request-started', {}).write(agentId, 'assistant-message', { content })
  }

  end(agentId: string, status: EventOf<'agent-ended'>['status']): this {
    return this.write(agentId, 'agent-ended', { status, report: '' })
  }

  keep(agentId: string, messageId: string, to: string, text: string): this {
    const display = { kind: 'message', messageId, to, how: 'mailbox', text } as const
    return this.write(agentId, 'tool-ended', {
      toolUseId: messageId,
      name: 'SendMessage',
      content: '',
      display,
    })
  }
}

const logOf = (
  agents: ReadonlyMap<string, AgentState>,
  queued: readonly QueuedMessagePreview[] = [],
  refusals: readonly RefusedCopy[] = [],
) => messageLog({ agents, queued, refusals })

const team = () => new Agents().spawn('lead', null).spawn('one').spawn('two')
const queued = (more: Partial<QueuedMessagePreview>): QueuedMessagePreview => ({
  messageId: 'q',
  agentId: 'one',
  text: 'later',
  from: 'user',
  sender: null,
  ...more,
})

test('who wrote a message: the user, an agent, the parent with a prompt, an agent with its report', () => {
  const { states } = team()
    .receive('lead', 'm1', { from: 'user' })
    .receive('one', 'm2', { from: 'parent' })
    .receive('two', 'm3', {
      sender: 'one',
      text: 'A message from the agent one, id one. An agent wrote this, not the user.\n\nHello',
    })
    .receive('lead', 'm4', {
      from: 'runtime',
      sender: 'one',
      text: 'An agent that worked in the background has ended.\n\nThe agent one reports. An agent wrote this, not the user.\n\nDone\n\n[agent one · 1 turn]',
    })
    .receive('lead', 'note', { from: 'runtime' })
  expect(
    logOf(states).map(({ id, from, kind, text, receivers }) => [id, from, kind, text, receivers[0]?.to]),
  ).toEqual([
    ['m1', USER, 'message', 'm1', 'lead'],
    ['m2', 'lead', 'prompt', 'm2', 'one'],
    ['m3', 'one', 'message', 'Hello', 'two'],
    ['m4', 'one', 'report', 'Done', 'lead'],
  ])
})

test('a message is queued, delivered, then read; one for an unknown name stays in the mailbox until such an agent works', () => {
  const agents = team().receive('one', 'm1', { from: 'user' }).keep('lead', 'k1', 'three', 'wait')
  const deliveries = (waiting: readonly QueuedMessagePreview[] = []) =>
    Object.fromEntries(logOf(agents.states, waiting).map(({ id, receivers }) => [id, receivers[0]?.delivery]))
  expect(deliveries([queued({})])).toEqual({ m1: 'delivered', k1: 'mailbox', q: 'queued' })
  agents.answer('one')
  expect(deliveries()).toEqual({ m1: 'read', k1: 'mailbox' })
  agents.spawn('three').receive('three', 'k1', { sender: 'lead' })
  expect(deliveries()).toEqual({ m1: 'read', k1: 'delivered' })
})

test('the copies of one message to several agents are one message with a state for each receiver', () => {
  const { states } = team()
    .receive('one', 'b1', { from: 'user', text: 'all of you', broadcast: 'b' })
    .answer('one')
    .receive('two', 'b2', { from: 'user', text: 'all of you', broadcast: 'b' })
  const log = logOf(states, [queued({ messageId: 'b3', agentId: 'lead', broadcast: 'b' })])
  expect(log).toHaveLength(1)
  expect(log[0]).toMatchObject({
    toAll: true,
    receivers: [
      { to: 'one', delivery: 'read' },
      { to: 'two', delivery: 'delivered' },
      { to: 'lead', delivery: 'queued' },
    ],
  })
})

/** The texts of each thread, by its key. */
const textsOf = (agents: Agents): Record<string, string[]> =>
  Object.fromEntries(
    threadsOf(logOf(agents.states)).map(({ key, messages }) => [
      key,
      messages.map(({ from, text }) => `${from}: ${text}`),
    ]),
  )

test('a message of the user to all and the answers to it are one thread, each answer under its author', () => {
  const agents = team()
    .receive('one', 'b1', { from: 'user', text: 'Which port?', broadcast: 'b' })
    .receive('two', 'b2', { from: 'user', text: 'Which port?', broadcast: 'b' })
    .answer('one', '8080.')
    .answer('two', 'I look.', true)
    .answer('two', '', true)
    .answer('two', '9090.')
    .answer('one', 'Something else.')
  expect(textsOf(agents)).toEqual({
    'all user': ['user: Which port?', 'one: 8080.', 'two: I look.', 'two: 9090.'],
  })
  expect(logOf(agents.states)[0]?.receivers).toMatchObject([
    { to: 'one', delivery: 'answered' },
    { to: 'two', delivery: 'answered' },
  ])
})

test('the end of a turn answers only the newest message of the user', () => {
  const agents = team()
    .receive('one', 'b1', { from: 'user', text: 'Stop at noon.', broadcast: 'b' })
    .answer('one', 'Noon it is.', true)
    .receive('one', 'm1', { from: 'user', text: 'Which port?' })
    .answer('one', 'I look.', true)
    .answer('one', '8080.')
  expect(textsOf(agents)).toEqual({
    'one user': ['user: Which port?', 'one: I look.', 'one: 8080.'],
    'all user': ['user: Stop at noon.', 'one: Noon it is.'],
  })
})

test('the first message to the author of a message to all answers it; later ones are between the two', () => {
  const agents = team()
    .receive('one', 'b1', { sender: 'lead', text: 'Which port?', broadcast: 'b' })
    .answer('one')
    .receive('two', 'b2', { sender: 'lead', text: 'Which port?', broadcast: 'b' })
    .receive('lead', 'm1', { sender: 'one', text: '8080.' })
    .receive('lead', 'm2', { sender: 'one', text: 'And TLS.' })
    .receive('two', 'm3', { sender: 'one', text: 'Hello.' })
  expect(textsOf(agents)).toEqual({
    'one two': ['one: Hello.'],
    'lead one': ['one: And TLS.'],
    'all lead': ['lead: Which port?', 'one: 8080.'],
  })
  expect(logOf(agents.states)[0]?.receivers.map(({ to, delivery }) => [to, delivery])).toEqual([
    ['one', 'answered'],
    ['two', 'delivered'],
  ])
})

test('a message to all names who ended before it came, and who never gets it', () => {
  const { states } = team()
    .receive('lead', 'b1', { from: 'user', broadcast: 'b' })
    .end('one', 'stopped')
    .end('two', 'completed')
  const waiting = [
    queued({ messageId: 'b2', agentId: 'one', broadcast: 'b' }),
    queued({ messageId: 'm1', agentId: 'two' }),
  ]
  const refused = { broadcast: 'b', agentId: 'two', reason: 'It has given its one report.' }
  const [toAll, direct] = logOf(states, waiting, [refused, { ...refused, broadcast: 'gone' }])
  expect(toAll?.receivers).toMatchObject([
    { to: 'lead', delivery: 'delivered' },
    { to: 'one', delivery: 'ended' },
    { to: 'two', delivery: 'refused', reason: 'It has given its one report.' },
  ])
  // A message starts an idle agent.
  expect(direct?.receivers).toMatchObject([{ to: 'two', delivery: 'queued' }])
})

test('a thread holds both directions; the thread of the newest message is first', () => {
  const { states } = team()
    .receive('one', 'm1', { from: 'user' })
    .receive('one', 'm2', { sender: 'two' })
    .receive('two', 'm3', { sender: 'one' })
    .receive('one', 'm4', { from: 'user', broadcast: 'b' })
    .receive('one', 'm5', { from: 'user' })
  const threads = threadsOf(logOf(states))
  expect(threads.map(({ key, messages }) => [key, messages.map(({ id }) => id)])).toEqual([
    [threadKeyOf(USER, 'one'), ['m1', 'm5']],
    [threadKeyOf(USER, null), ['m4']],
    [threadKeyOf('one', 'two'), ['m2', 'm3']],
  ])
})

test('an agent keeps its last 40 messages, and the start of a long one', () => {
  const agents = team()
  for (let number = 0; number < 50; number++)
    agents.receive('one', `m${number}`, { from: 'user', text: 'x'.repeat(5000) })
  const received = agents.states.get('one')?.received ?? []
  expect(received).toHaveLength(40)
  expect(received[0]?.messageId).toBe('m10')
  expect(received[0]?.text).toHaveLength(800)
})

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
  const message = sampleEvent('user-message', { messageId: 'm-1', from: 'agent', sender: 'a-2', content: [] })
  const states = statesOf(
    message,
    sampleEvent('request-started'),
    sampleEvent('assistant-message', { content: [] }),
  )
  const [agent] = states
  const waiting = [{ messageId: 'm-1' }]
  expect(deliveryOf(sent('queued'), { queued: waiting, receiver: agent })).toBe('queued')
  expect(states.slice(1).map((receiver) => deliveryOf(sent('queued'), { queued: [], receiver }))).toEqual([
    'delivered',
    'delivered',
    'read',
  ])
})

test('the receiver is found by its id, or by its name: the last of that name', () => {
  const state = (id: string, name: string | null) => ({ ...statesOf()[0], id, name }) as AgentState
  const all = [state('a-1', 'ada'), state('a-2', null), state('a-3', 'ada'), state('a-4', 'a-2')]
  const agents = new Map(all.map((agent) => [agent.id, agent]))
  expect(receiverOf(agents, 'ada')?.id).toBe('a-3')
  expect(receiverOf(agents, 'a-2')?.id).toBe('a-2')
  expect(receiverOf(agents, 'bob')).toBeUndefined()
})

/** The states of an agent after its spawn and after each of these events. */
function statesOf(...events: readonly AgentEvent[]): readonly AgentState[] {
  const log = [sampleEvent('agent-spawned'), ...events].map((event, seq) => ({ ...event, seq, order: seq }))
  return log.map((_, index) => stateAfter(log.slice(0, index + 1)))
}
