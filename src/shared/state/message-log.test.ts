import { expect, test } from 'vitest'
import { type AgentEventDraft, agentEvent, plainSpawn } from '../events/agent-event.ts'
import { type AgentState, foldAgent } from './agent-state.ts'
import type { QueuedMessagePreview } from './conversation-snapshot.ts'
import { messageLog, threadKeyOf, threadsOf, USER } from './message-log.ts'

class Agents {
  readonly states = new Map<string, AgentState>()
  private at = 0

  write(agentId: string, draft: Partial<AgentEventDraft> & { type: string }): this {
    const before = this.states.get(agentId) ?? null
    this.at += 1
    const seq = (before?.lastSeq ?? -1) + 1
    const event = agentEvent.parse({ v: 2, agentId, seq, order: this.at, at: this.at, ...draft })
    const after = foldAgent(before, event)
    if (after !== null) this.states.set(agentId, after)
    return this
  }

  spawn(agentId: string, parentId: string | null = 'lead', name: string | null = agentId): this {
    const definition = {
      name: agentId,
      source: 'built-in',
      file: null,
      color: 'blue',
      readOnly: false,
      oneShot: false,
      reminder: null,
    }
    return this.write(agentId, {
      ...plainSpawn,
      type: 'agent-spawned',
      conversationId: 'c',
      parentId,
      parentToolUseId: null,
      definition: definition as never,
      task: '',
      model: 'm',
      system: '',
      tools: [],
      permissionMode: 'default',
      cwd: '/',
      maxTurns: 9,
      depth: 0,
      name,
    } as never)
  }

  receive(
    agentId: string,
    messageId: string,
    more: { from?: string; sender?: string | null; text?: string; broadcast?: string } = {},
  ): this {
    const { from = 'agent', sender = null, text = messageId, broadcast } = more
    return this.write(agentId, {
      type: 'user-message',
      messageId,
      from: from as never,
      sender,
      content: [{ type: 'text', text }],
      ...(broadcast === undefined ? {} : { broadcast }),
    })
  }

  answer(agentId: string): this {
    this.write(agentId, { type: 'request-started', turn: 1, attempt: 1, model: 'm' })
    return this.write(agentId, {
      type: 'assistant-message',
      turn: 1,
      messageId: `a${this.at}`,
      model: 'm',
      content: [],
      stopReason: 'end_turn',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      costUsd: 0,
      durationMs: 0,
      pace: [],
    } as never)
  }

  keep(agentId: string, messageId: string, to: string, text: string): this {
    return this.write(agentId, {
      type: 'tool-ended',
      toolUseId: messageId,
      name: 'SendMessage',
      isError: false,
      content: '',
      note: '',
      durationMs: 0,
      display: { kind: 'message', messageId, to, how: 'mailbox', text },
      outputFile: null,
    } as never)
  }
}

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
    messageLog(states, []).map(({ id, from, kind, text, receivers }) => [
      id,
      from,
      kind,
      text,
      receivers[0]?.to,
    ]),
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
    Object.fromEntries(
      messageLog(agents.states, waiting).map(({ id, receivers }) => [id, receivers[0]?.delivery]),
    )
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
  const log = messageLog(states, [queued({ messageId: 'b3', agentId: 'lead', broadcast: 'b' })])
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

test('a thread holds both directions; the thread of the newest message is first', () => {
  const { states } = team()
    .receive('one', 'm1', { from: 'user' })
    .receive('one', 'm2', { sender: 'two' })
    .receive('two', 'm3', { sender: 'one' })
    .receive('one', 'm4', { from: 'user', broadcast: 'b' })
    .receive('one', 'm5', { from: 'user' })
  const threads = threadsOf(messageLog(states, []))
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
