/** What an external agent says about itself stays known, whatever comes in between. */
import { expect, test } from 'vitest'
import { noUsage } from '../models/no-usage.ts'
import { SampleLog } from '../testing/sample-log.ts'
import type { AgentEventType, AgentState } from './agent-event.ts'

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
  methods: [{ id: 'web', name: 'Web', description: '', kind: 'agent', command: null, variables: [] }],
  message: 'It needs a login.',
}
const said = (usage: object, costUsd: number | null) => ({
  type: 'assistant-message',
  usage: { ...noUsage, ...usage },
  costUsd,
})

function after(...events: readonly Readonly<Record<string, unknown>>[]): AgentState {
  const log = new SampleLog()
  log.add('a', 'agent-spawned')
  for (const { type, ...more } of events) log.add('a', type as AgentEventType, more)
  return log.stateOf('a')
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
