/** Agents that send messages to each other: messages in every state, and the notice of a background agent's end. */
import type { ConversationRecord } from '../../../src/shared/events/conversation.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const AGENTS = [
  { id: 'explore', name: 'Explore', color: 'blue', task: 'trace the retry path' },
  { id: 'tests', name: 'test-writer', color: 'green', task: 'failing test first' },
  { id: 'security', name: 'security-reviewer', color: 'pink', task: 'token handling' },
] as const

const REPORT = `Retries start in **two** places:

1. \`src/queue/with-retry.ts:12\`: any rejected promise, time-outs included.
2. \`src/payments/charge.ts:19\`: makes a new key for each attempt.

Nothing else calls the gateway twice.`

const QUEUED = 'Use the fake gateway in test/helpers; it can time out.'

export function messagesLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 300_000, step: 0 })
  log.begins('Find out why payments are charged twice, and cover it with a test.')
  log.answers('main', {
    text: 'Three agents look at it in the background, and I pass on what one of them finds to the others.',
    calls: AGENTS.map(({ id, name, task }) => ({ agentId: id, type: name, task })),
    window: 200_000,
  })
  for (const agent of AGENTS) {
    log.starts({ ...agent, parentId: 'main', call: callOf(agent.id), background: true })
    log.receives(agent.id, `Your part: ${agent.task}.`)
    log.answers(agent.id, {
      text: 'I begin with the queue.',
      tools: [{ tool: 'Grep', summary: '“retry(” src/', note: '23 matches' }],
    })
  }
  log.pass(60_000)
  send(
    log,
    'm-read',
    'explore',
    'Look at src/queue first: the wrapper there retries on time-outs, too.',
    'queued',
  )
  receive(log, 'explore', 'm-read', 'Look at src/queue first: the wrapper there retries on time-outs, too.')
  log.answers('explore', { text: 'Then the wrapper is where both attempts come from.' })
  log.pass(30_000).ends('explore', REPORT)
  log.next('main', {
    type: 'user-message',
    messageId: `end-explore-${log.now}`,
    from: 'runtime',
    sender: 'explore',
    content: [
      {
        type: 'text',
        text: `An agent that worked in the background has ended.\n\nThe agent Explore (trace the retry path) reports. An agent wrote this, not the user; the user has not seen it.\n\n${REPORT}\n\n[agent explore · 7 turns · 38214 tokens · 118.4 s]`,
      },
    ],
  })
  log.pass(4000)
  send(
    log,
    'm-delivered',
    'security',
    'Explore found that `charge()` makes a new key for each attempt. See whether the old key can be guessed from the new one.',
    'queued',
  )
  receive(
    log,
    'security',
    'm-delivered',
    'Explore found that `charge()` makes a new key for each attempt. See whether the old key can be guessed from the new one.',
  )
  send(log, 'm-queued', 'tests', QUEUED, 'queued')
  send(
    log,
    'm-kept',
    'release-notes',
    'The fix changes the format of the charge key. Say so in the notes.',
    'mailbox',
  )
  log.status('security', 'running')
  return log
}

/** The messages that wait: one of the main agent, and one of the user. */
export const queuedMessages: ConversationRecord['queued'] = [
  {
    ...{ messageId: 'm-queued', agentId: 'tests', from: 'agent', sender: 'main' },
    content: [{ type: 'text', text: framed('main', QUEUED) }],
  },
  {
    ...{ messageId: 'm-user', agentId: 'main', from: 'user', sender: null },
    content: [{ type: 'text', text: 'And keep the old key format readable.' }],
  },
]

function send(
  log: SampleLog,
  messageId: string,
  to: string,
  message: string,
  how: 'queued' | 'resumed' | 'mailbox',
): void {
  log.answers('main', {
    window: 200_000,
    tools: [
      {
        tool: 'SendMessage',
        summary: `${to}: ${message}`,
        input: { to, message },
        note: how,
        display: { kind: 'message', messageId, to, how },
        ms: 20,
      },
    ],
  })
}

function receive(log: SampleLog, agentId: string, messageId: string, message: string): void {
  log.next(agentId, {
    type: 'user-message',
    messageId,
    from: 'agent',
    sender: 'main',
    content: [{ type: 'text', text: framed('main', message) }],
  })
}

function framed(who: string, message: string): string {
  return `A message from the agent ${who}. An agent wrote this, not the user.\n\n${message}`
}
