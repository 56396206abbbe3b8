import { expect, test } from 'vitest'
import { type EventOf, noLimits } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { agentText } from './agent-text.ts'
import { endsAtOnce, limitReachedText } from './limit-text.ts'

const script = new SampleLog()
type End = Pick<EventOf<'agent-ended'>, 'reachedLimit' | 'limitOf'>
const end = (id: string, how: End) =>
  script.next(id, { type: 'agent-ended', status: 'completed', report: '', failure: null, ...how })
const at = (id: string, how: End, more: Parameters<SampleLog['spawn']>[1] = {}) =>
  stateAfter([
    script.spawn(id, { parentId: 'main', maxTurns: 40, ...more }),
    script.says(id, 'x'),
    end(id, how),
  ])
const main = stateAfter([script.spawn('main', { limits: { ...noLimits, ms: 600_000 } })])
const around = { agents: new Map([[main.id, main]]), conversationLimits: { ...noLimits, usd: 20 } }

test('the text names the limit, its owner and its amount', () => {
  expect(limitReachedText(at('a', { reachedLimit: 'turns', limitOf: 'agent' }), around)).toBe(
    'its limit of 40 turns',
  )
  expect(limitReachedText(at('b', { reachedLimit: 'money', limitOf: 'conversation' }), around)).toBe(
    "the conversation's limit of $20",
  )
  const own = { limits: { ...noLimits, tokens: 5_000_000 } }
  expect(limitReachedText(at('c', { reachedLimit: 'tokens', limitOf: 'agent' }, own), around)).toBe(
    'its limit of 5,000,000 tokens',
  )
  expect(limitReachedText(at('d', { reachedLimit: 'time', limitOf: 'parent' }), around)).toBe(
    'the limit of 10 minutes that an agent above it has',
  )
})

test('a removed limit is named without its amount; without a limit there is no text', () => {
  const gone = at('e', { reachedLimit: 'tokens', limitOf: 'conversation' })
  expect(limitReachedText(gone, around)).toBe('a limit of tokens')
  expect(agentText(gone)).toBe("stopped at the conversation's token limit")
  expect(limitReachedText(at('f', { reachedLimit: null, limitOf: null }), around)).toBeNull()
})

test('an agent would end at once while its spending exceeds the limit', () => {
  const spent = at('g', { reachedLimit: 'money', limitOf: 'conversation' })
  const agents = new Map([[spent.id, spent]])
  const limited = (usd: number) => ({ agents, conversationLimits: { ...noLimits, usd } })
  expect(endsAtOnce(spent, limited(0.01))).toBe(true)
  expect(endsAtOnce(spent, limited(0.02))).toBe(false)
  expect(endsAtOnce(at('h', { reachedLimit: 'turns', limitOf: 'agent' }), limited(0.01))).toBe(false)
})
