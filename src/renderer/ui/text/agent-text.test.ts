import { beforeEach, expect, test } from 'vitest'
import { periodUntil } from '../../../shared/events/lifecycle.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { agentElapsed, agentText } from './agent-text.ts'

const HOUR = 3_600_000
/** Each event of the script is one second later than the previous one. */
let script: SampleLog

beforeEach(() => {
  script = new SampleLog()
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

test('the elapsed time of an agent is its working time in all runs', () => {
  const first = [script.spawn('a'), ...run(), end('completed')]
  expect(agentElapsed(stateAfter(first), Date.now())).toBe(2000)
  const later = run().map((event) => ({ ...event, at: event.at + HOUR }))
  const again = stateAfter([...first, ...later])
  expect(agentElapsed(again, again.lastAt)).toBe(3000)
  expect(agentElapsed(again, again.lastAt + 500)).toBe(3500)
})

test('queued agents and a main agent waiting for a message do not count time', () => {
  const queued = script.spawn('a')
  expect(agentElapsed(stateAfter([queued]), Date.now())).toBe(0)
  const again = stateAfter([queued, ...run(), end('completed'), script.status('a', 'queued')])
  expect(agentElapsed(again, again.lastAt + HOUR)).toBe(2000)
  expect(again.runStartedAt).toBeNull()
  script = new SampleLog()
  const main = script.spawn('a')
  const waits = () => script.next('a', { type: 'status-changed', status: 'waiting', waitingFor: 'message' })
  const idle = stateAfter([main, ...run(), waits()])
  expect(agentElapsed(idle, idle.lastAt + HOUR)).toBe(2000)
})

test('the time of an interrupted agent ends with its last event', () => {
  const history = [script.spawn('a'), ...run()]
  const found = { ...end('interrupted'), at: Date.now() }
  const state = stateAfter([...history, found])
  expect(agentElapsed(state, Date.now())).toBe(1000)
  expect(agentText(state)).toBe('interrupted')
})

test('the clock stands while the agent is paused or queued, and so does its time limit', () => {
  const history = [script.spawn('a'), ...run(), script.status('a', 'paused')]
  const paused = stateAfter(history)
  const before = agentElapsed(paused, paused.lastAt)
  expect(before).toBe(2000)
  expect(agentElapsed(paused, paused.lastAt + HOUR)).toBe(before)
  const told = script.next('a', { type: 'notice', level: 'info', text: 'x' })
  const later = [{ ...told, at: told.at + HOUR }]
  expect(agentElapsed(stateAfter([...history, ...later]), told.at + 2 * HOUR)).toBe(before)

  const waits = { ...script.status('a', 'queued'), at: paused.lastAt + HOUR }
  const goes = { ...script.status('a', 'running'), at: paused.lastAt + 2 * HOUR }
  const again = stateAfter([...history, waits, goes])
  expect(agentElapsed(again, goes.at)).toBe(before)
  expect(agentElapsed(again, goes.at + 500)).toBe(before + 500)
  expect(periodUntil(again, goes.at + 500)).toBe(before + 500)

  const stop = { ...end('interrupted'), at: paused.lastAt + HOUR }
  expect(agentElapsed(stateAfter([...history, stop]), Date.now())).toBe(before)
})

test.each(['permission', 'answer', 'limit'] as const)('the clock stands during a wait for: %s', (reason) => {
  const before = [script.spawn('a'), ...run()]
  const waits = script.next('a', { type: 'status-changed', status: 'waiting', waitingFor: reason })
  const waiting = stateAfter([...before, waits])
  expect(agentElapsed(waiting, waiting.lastAt + HOUR)).toBe(2000)
  expect(periodUntil(waiting, waiting.lastAt + HOUR)).toBe(2000)
})

test('a pause before the first turn starts no clock', () => {
  const state = stateAfter([script.spawn('a'), script.status('a', 'paused')])
  expect(agentElapsed(state, state.lastAt + HOUR)).toBe(0)
})
