// A process that carries out one agent for another process: JSON lines in, JSON lines out. Carries out each command,
// and keeps sending even after another process has taken over.
import { createInterface } from 'node:readline'

let agentId = ''
let epoch = 0
let seq = 0
let messages = 0
let last = null

function write(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function sendEvent(draft) {
  // The order and the time are those of this process; the receiver replaces both.
  last = { v: 2, agentId, seq: seq++, order: 7, at: 1, ...draft }
  write({ epoch, event: last })
}

function say(text) {
  sendEvent({
    type: 'assistant-message',
    turn: ++messages,
    messageId: `outside-${epoch}-${messages}`,
    model: 'claude-outside',
    content: [{ type: 'text', text }],
    stopReason: 'end_turn',
    usage: { input: 3, output: 2, cacheRead: 0, cacheWrite: 0 },
    costUsd: 0.01,
    durationMs: 1,
    pace: [],
  })
}

const commands = {
  start: (command) => {
    agentId = command.agentId
    epoch = command.epoch
    seq = command.seq
    sendEvent({ type: 'status-changed', status: 'running', waitingFor: null })
    say(`Epoch ${epoch} read ${command.messages} messages.`)
  },
  say: ({ text }) => say(text),
  repeat: () => write({ epoch, event: last }),
  skip: () => {
    seq++
    say('An event before this one is missing.')
  },
  resync: (command) => {
    seq = command.seq
  },
  forge: () =>
    sendEvent({
      type: 'agent-ended',
      status: 'completed',
      report: 'forged',
      failure: null,
      reachedLimit: null,
      limitOf: null,
    }),
  message: ({ text }) => say(`Heard: ${text}`),
  pause: ({ paused }) => sendEvent({ type: 'pause-changed', paused }),
  ask: () =>
    sendEvent({
      type: 'permission-asked',
      requestId: 'outside-1',
      toolUseId: 'call-1',
      toolName: 'deploy',
      subject: { kind: 'other', action: 'deploy', text: 'production', folder: '/project' },
      because: 'a deployment always asks',
      alwaysRule: null,
    }),
  answer: ({ decision }) =>
    sendEvent({
      type: 'permission-answered',
      requestId: 'outside-1',
      toolUseId: 'call-1',
      decision,
      feedback: null,
    }),
  end: ({ text }) => write({ epoch, end: text }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const command = JSON.parse(line)
  commands[command.type](command)
})
