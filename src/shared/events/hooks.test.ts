import { expect, test } from 'vitest'
import { rowsOf } from '../state/agent-state.ts'
import { sampleEvent } from '../testing/sample-events.ts'

test('a verdict that stopped the agent is a warning with its reason', () => {
  const verdict = sampleEvent('interceptor-verdict', {
    point: 'tool-result',
    source: 'hook budget.sh',
    verdict: 'stopped',
    reason: 'The budget is spent.',
  })
  const text = 'hook budget.sh stopped this agent: The budget is spent.'
  expect(rowsOf(verdict)).toMatchObject([{ op: 'add', row: { kind: 'notice', level: 'warning', text } }])
})
