import { beforeEach, expect, test } from 'vitest'
import { EventScript, stateAfter } from '../testing/event-script.ts'
import { agentElapsed, agentWords } from './agent-words.ts'

const HOUR = 3_600_000
/** Each of its events is a second later than the one before. */
let script: EventScript

beforeEach(() => {
  script = new EventScript()
})

const run = () => [script.status('a', 'running'), script.says('a', 'x')]
const end = (status: 'completed' | 'interrupted') =>
  script.next('a', {
    type: 'agent-ended',
    status,
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  })

test('the clock of an agent counts what it worked, all its runs together', () => {
  const first = [script.spawn('a'), ...run(), end('completed')]
  expect(agentElapsed(stateAfter(first), Date.now())).toBe(2000)
  const later = run().map((event) => ({ ...event, at: event.at + HOUR }))
  const again = stateAfter([...first, ...later])
  expect(agentElapsed(again, again.lastAt)).toBe(3000)
  expect(agentElapsed(again, again.lastAt + 500)).toBe(3500)
})

test('one that queues, and a main agent that waits for words, do not work', () => {
  const queued = script.spawn('a')
  expect(agentElapsed(stateAfter([queued]), Date.now())).toBe(0)
  const again = stateAfter([queued, ...run(), end('completed'), script.status('a', 'queued')])
  expect(agentElapsed(again, again.lastAt + HOUR)).toBe(2000)
  expect(again.runStartedAt).toBeNull()
  script = new EventScript()
  const main = script.spawn('a')
  const waits = () => script.next('a', { type: 'status-changed', status: 'waiting', waitingFor: 'message' })
  const idle = stateAfter([main, ...run(), waits()])
  expect(agentElapsed(idle, idle.lastAt + HOUR)).toBe(2000)
})

test('of one that was interrupted nothing counts after the last that it did', () => {
  const history = [script.spawn('a'), ...run()]
  const found = { ...end('interrupted'), at: Date.now() }
  const state = stateAfter([...history, found])
  expect(agentElapsed(state, Date.now())).toBe(1000)
  expect(agentWords(state)).toBe('interrupted')
})
