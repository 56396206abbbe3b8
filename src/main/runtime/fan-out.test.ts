import { describe, expect, test } from 'vitest'
import { noLimits } from '../../shared/events/agent-event.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { agentCall, childrenOf, echo, eventsOf, script } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

/** A main agent that starts this many agents in one message. */
function fanOut(count: number, tokens: number | null, mode: 'default' | 'dontAsk' = 'default') {
  const troupe = createTestRuntime({
    policy: { limits: { ...freePolicy.limits, conversation: { ...noLimits, tokens } } },
    script: script(
      [{ calls: Array.from({ length: count }, (_, index) => agentCall(`task-${index}`)) }, echo],
      () => ({ text: 'done' }),
    ),
  })
  return { troupe, begin: () => troupe.begin('Go', { permissionMode: mode }) }
}

const LOW = 500_000

describe('many agents in one message', () => {
  test('whose estimate passes the limit wait for one question, and all start after the answer', async () => {
    const { troupe, begin } = fanOut(12, LOW)
    const id = await begin()
    const asked = await troupe.when('permission-asked')
    expect(asked).toMatchObject({ toolName: 'Agent', subject: { action: 'start 12 agents' } })
    expect(asked.because).toContain('about 960,000 tokens')
    expect(asked.because).toContain('the conversation’s limit of 500,000 tokens'.replace('’', "'"))
    expect(childrenOf(troupe)).toEqual([])
    const { agentId, requestId } = asked
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)).toHaveLength(12)
    expect(eventsOf(troupe, agentId).filter(({ type }) => type === 'permission-asked')).toHaveLength(1)
  })

  test('that the user refuses do not start, and each call says why and what to do', async () => {
    const { troupe, begin } = fanOut(12, LOW)
    const id = await begin()
    const { agentId, requestId } = await troupe.when('permission-asked')
    const feedback = 'Take three.'
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback },
    })
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)).toEqual([])
    const ends = eventsOf(troupe, agentId).filter((event) => event.type === 'tool-ended')
    expect(ends).toHaveLength(12)
    for (const end of ends) {
      expect(end).toMatchObject({ isError: true })
      expect(JSON.stringify(end)).toContain('Take three.')
      expect(JSON.stringify(end)).toContain('Start at most 10 at a time')
    }
  })

  test('start with a notice where nobody is asked', async () => {
    const { troupe, begin } = fanOut(12, LOW, 'dontAsk')
    await troupe.runtime.settled(await begin())
    expect(childrenOf(troupe)).toHaveLength(12)
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
    const notices = troupe.events.filter((event) => event.type === 'notice')
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringContaining('12 agents are estimated to spend about 960,000 tokens'),
    ])
  })

  test('start without a question under a money limit that nobody has set, before any agent has ended', async () => {
    const troupe = createTestRuntime({
      policy: {
        limits: { ...freePolicy.limits, conversation: { ...noLimits, usd: 0.05, usdByDefault: true } },
      },
      script: script(
        [{ calls: Array.from({ length: 12 }, (_, index) => agentCall(`task-${index}`)) }, echo],
        () => ({ text: 'done' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toHaveLength(12)
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
  })

  test.each([
    [10, LOW],
    [12, 10 * LOW],
    [12, null],
  ])('%i agents under a limit of %s tokens start at once', async (count, tokens) => {
    const { troupe, begin } = fanOut(count, tokens)
    await troupe.runtime.settled(await begin())
    expect(childrenOf(troupe)).toHaveLength(count)
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
  })
})

test('a team with many members waits for the same question', async () => {
  const members = Array.from({ length: 11 }, (_, index) => ({
    name: `member-${index}`,
    agent: 'general-purpose',
    prompt: 'Work.',
  }))
  const troupe = createTestRuntime({
    policy: { limits: { ...freePolicy.limits, conversation: { ...noLimits, tokens: LOW } } },
    script: script([{ calls: [['TeamCreate', { name: 'crew', members }]] }, echo], () => ({ text: 'done' })),
  })
  const id = await troupe.begin('Go')
  const { agentId, requestId, subject } = await troupe.when('permission-asked')
  expect(subject.action).toBe('start 11 agents')
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId: id,
    agentId,
    requestId,
    answer: { decision: 'deny', feedback: null },
  })
  await troupe.runtime.settled(id)
  expect(childrenOf(troupe)).toEqual([])
})
