import { describe, expect, test } from 'vitest'
import { noLimits } from '../../shared/events/agent-event.ts'
import { TranscriptRows } from '../../shared/transcript/transcript-rows.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { agentCall, childrenOf, echo, eventsOf, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, testDefinitions } from './testing/test-runtime.ts'

/** A main agent that starts this many agents in one message. */
function fanOut(
  count: number,
  tokens: number | null,
  { mode = 'default', maxAgents = 100 }: { mode?: 'default' | 'dontAsk'; maxAgents?: number } = {},
) {
  const troupe = createTestRuntime({
    policy: { maxAgents, limits: { ...freePolicy.limits, conversation: { ...noLimits, tokens } } },
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

  test('of which a limit refuses some: the question says how many start, and each other call the limit', async () => {
    const { troupe, begin } = fanOut(30, LOW, { maxAgents: 21 })
    const id = await begin()
    const { agentId, requestId, subject } = await troupe.when('permission-asked')
    expect(subject).toMatchObject({
      action: 'start 20 of 30 agents',
      text: expect.stringContaining('10 agents will not start: a conversation has at most 21 agents.'),
    })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)).toHaveLength(20)
    const events = eventsOf(troupe, agentId)
    const refused = events.filter((event) => event.type === 'tool-ended' && event.isError)
    expect(refused).toHaveLength(10)
    for (const end of refused)
      expect(end).toMatchObject({ display: { kind: 'not-started', limit: { of: 'conversation', most: 21 } } })
    const card = TranscriptRows.from(events).rows.find(({ kind }) => kind === 'agents')
    expect(Object.values(card?.kind === 'agents' ? card.notStarted : {})).toEqual(
      Array(10).fill({ of: 'conversation', most: 21 }),
    )
  })

  test('of a subagent with a limit of its own say that limit', async () => {
    const troupe = createTestRuntime({
      policy: { limits: { ...freePolicy.limits, agent: { ...noLimits, spawns: 2 } } },
      definitions: [
        ...testDefinitions,
        { ...testDefinitions[1]!, name: 'lead', tools: ['Agent(general-purpose)'] },
      ],
      script: script([{ calls: [agentCall('one', { subagent_type: 'lead' })] }, echo], (request) =>
        turnOf(request) === 1 && JSON.stringify(request.messages[0]).includes('Do one.')
          ? { calls: [agentCall('two'), agentCall('three'), agentCall('four')] }
          : { text: 'done' },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const ends = eventsOf(troupe, childrenOf(troupe)[0]?.agentId).filter(({ type }) => type === 'tool-ended')
    expect(ends).toHaveLength(3)
    expect(ends.at(0)).toMatchObject({ display: { kind: 'not-started', limit: { of: 'agent', most: 2 } } })
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
      expect(end).toMatchObject({ isError: true, display: { kind: 'not-started', limit: null } })
      expect(JSON.stringify(end)).toContain('Take three.')
      expect(JSON.stringify(end)).toContain('Start at most 10 at a time')
    }
  })

  test('start with a notice where nobody is asked', async () => {
    const { troupe, begin } = fanOut(12, LOW, { mode: 'dontAsk' })
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
