import { expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { markOf } from './agent-text.ts'

test('a main agent that waits for a message after a limit is marked as stopped', () => {
  const script = new SampleLog()
  const waiting = { type: 'status-changed', status: 'waiting', waitingFor: 'message' } as const
  const events = [script.spawn('main'), script.status('main', 'running')]
  expect(markOf(stateAfter([...events, script.next('main', waiting)]))).toBe('waiting')
  const atLimit = script.next('main', { ...waiting, reachedLimit: 'turns' })
  expect(markOf(stateAfter([...events, atLimit]))).toBe('stopped')
})
