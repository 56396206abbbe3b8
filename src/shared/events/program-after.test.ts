/** What an external agent says about itself stays known, whatever comes in between. */
import { expect, test } from 'vitest'
import { noUsage } from '../models/no-usage.ts'
import { type AgentState, foldAgent } from '../state/agent-state.ts'
import { type AgentEvent, agentEvent, EVENT_VERSION } from './agent-event.ts'

const SPAWNED = {
  type: 'agent-spawned',
  conversationId: 'c',
  parentId: null,
  parentToolUseId: null,
  definition: {
    name: 'gemini',
    source: 'user',
    file: null,
    color: 'blue',
    readOnly: false,
    oneShot: false,
    reminder: null,
    program: { command: 'gemini', args: ['--acp'], env: {} },
  },
  task: '',
  model: 'm',
  system: '',
  tools: [],
  permissionMode: 'default',
  cwd: '/project',
  maxTurns: 5,
  depth: 0,
}
const PROGRAM = { name: 'gemini', title: 'Gemini CLI', version: '1.0' }
const CONNECTED = {
  type: 'program-connected',
  program: PROGRAM,
  sessionId: 's-1',
  began: 'new',
  can: { resume: true, images: false },
}
const LOGIN = {
  type: 'program-login',
  program: PROGRAM,
  methods: [{ id: 'web', name: 'Web', description: '', kind: 'agent' }],
  message: 'It needs a login.',
}
const said = (usage: object, costUsd: number | null) => ({
  type: 'assistant-message',
  turn: 1,
  messageId: 'm',
  model: 'm',
  content: [],
  stopReason: 'end_turn',
  usage: { ...noUsage, ...usage },
  costUsd,
  durationMs: 1,
  pace: [],
})

function after(...events: readonly object[]): AgentState {
  const all = [SPAWNED, ...events].map((event, seq): AgentEvent => {
    const head = { v: EVENT_VERSION, agentId: 'a', seq, order: seq, at: seq }
    return agentEvent.parse({ ...head, ...event })
  })
  const state = all.reduce<AgentState | null>(foldAgent, null)
  if (state === null) throw new Error('Nothing was folded.')
  return state
}

test('a login is wanted until a session begins', () => {
  expect(after().program).toBeNull()
  expect(after(LOGIN).program).toMatchObject({ title: 'Gemini CLI', sessionId: null })
  expect(after(LOGIN).program?.login?.methods).toEqual([
    { id: 'web', name: 'Web', description: '', kind: 'agent', command: null, variables: [] },
  ])
  expect(after(LOGIN, CONNECTED).program).toMatchObject({ login: null, sessionId: 's-1' })
})

test('the options and commands of a session stay when it is continued', () => {
  const options = [{ id: 'mode', name: 'Mode', category: 'mode', current: 'ask', values: [] }]
  const commands = [{ name: 'compact', description: '', hint: null }]
  const program = after(
    CONNECTED,
    { type: 'program-options', options },
    { type: 'program-commands', commands },
    { ...CONNECTED, began: 'resumed' },
  ).program
  expect(program).toMatchObject({ options, commands })
})

test('what a program reports once, it reports', () => {
  expect(after(CONNECTED, said({}, null)).program).toMatchObject({ reportsCost: false, reportsTokens: false })
  expect(after(CONNECTED, said({ output: 5 }, null), said({}, null)).program).toMatchObject({
    reportsCost: false,
    reportsTokens: true,
  })
  expect(after(CONNECTED, said({}, 0), said({}, null)).program?.reportsCost).toBe(true)
})
