import { describe, expect, test } from 'vitest'
import { noLimits, type SpendLimits } from '../../shared/events/agent-event.ts'
import { workedUntil } from '../../shared/events/lifecycle.ts'
import type { Policy } from './ports/ports.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import {
  agentCall,
  allIsDone,
  childrenOf,
  echo,
  eventsOf,
  isMain,
  script,
  turnOf,
  wantsText,
} from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const limits = (more: Partial<Policy['limits']>): Partial<Policy> => ({
  limits: { ...freePolicy.limits, ...more },
})
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)

/** Calls a tool until its limit ends it; each request takes 15 tokens. */
const busy: Script = (request) =>
  wantsText(request) ? { text: `came far: ${lastWords(request)}` } : { calls: [['TodoWrite', { todos: [] }]] }

describe('limits', () => {
  test('a subagent ends at its token limit with a report, and its parent continues', async () => {
    const troupe = createTestRuntime({
      policy: limits({ agent: { ...noLimits, tokens: 40 } }),
      script: script([{ calls: [agentCall('one')] }, echo], busy),
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state.status).toBe('waiting')
    const child = childrenOf(troupe)[0]?.agentId
    expect(eventsOf(troupe, child).at(-1)).toMatchObject({
      status: 'completed',
      reachedLimit: 'tokens',
      limitOf: 'agent',
    })
    // 15, 30, 45: over the limit, so one last request for the report follows.
    expect(troupe.model.requests.filter((request) => !isMain(request))).toHaveLength(4)
    const told = lastWords(mainRequests(troupe).at(-1)!)
    expect(told).toContain("You have reached the agent's limit of 40 tokens")
    expect(told).toContain("stopped at the agent's limit of 40 tokens")
  })

  test('a main agent at its turn limit continues, and the user reads the notes in other words than the model', async () => {
    const troupe = createTestRuntime({ script: busy })
    const id = await troupe.begin('Go', { maxTurns: 2 })
    const state = await troupe.runtime.settled(id)
    expect(state).toMatchObject({ status: 'waiting', reachedLimit: 'turns' })
    expect(
      await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: state.id }),
    ).toEqual({ ok: true, value: undefined })
    expect((await troupe.runtime.settled(id)).reachedLimit).toBe('turns')
    expect(troupe.model.requests.map(wantsText)).toEqual([false, false, true, false, false, true])
    // Another choice would not read the cache.
    for (const { toolChoice } of troupe.model.requests) expect(toolChoice).toBe('auto')
    expect(lastWords(troupe.model.requests[3]!)).toContain('You may use tools again, for up to 2 more turns.')
    const notes = eventsOf(troupe, state.id).flatMap((event) =>
      event.type === 'user-message' && event.from === 'runtime' ? [event.note] : [],
    )
    expect(notes).toEqual([
      "Reached the agent's limit of 2 turns. Asked for a report.",
      'You continued this agent.',
      "Reached the agent's limit of 2 turns. Asked for a report.",
    ])
  })

  test('waiting for the user is no work, neither of the agent nor of those that wait for it', async () => {
    const troupe = createTestRuntime({
      policy: limits({
        agent: { ...noLimits, ms: 60_000 },
        conversation: { ...noLimits, ms: 60_000 },
      }),
      script: script([{ calls: [agentCall('one'), agentCall('two')] }, echo], (request) =>
        turnOf(request) === 1 && JSON.stringify(request.messages).includes('Do one.')
          ? { calls: [['Bash', { command: 'npm test' }]] }
          : { text: 'done' },
      ),
    })
    const id = await troupe.begin('Go')
    const { agentId, requestId } = await troupe.when('permission-asked')
    await troupe.when('agent-ended')
    await allIsDone()
    troupe.advance(3_600_000)
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    const main = await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', reachedLimit: null })
    expect(main).toMatchObject({ status: 'waiting', reachedLimit: null })
    for (const state of [main, troupe.runtime.state(id, agentId)!])
      expect(workedUntil(state, state.lastAt)).toBeLessThan(60_000)
  })

  test('a token limit counts cached tokens by their price', async () => {
    const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }
    const usage = { input: 10, output: 10, cacheRead: 1000, cacheWrite: 0 }
    const troupe = createTestRuntime({
      policy: limits({ agent: { ...noLimits, tokens: 1000 } }),
      ports: {
        models: { resolve: (name) => name, facts: (id) => ({ id, price, contextTokens: 200_000 }) },
      },
      script: script([{ calls: [agentCall('one')] }, echo], (request) =>
        turnOf(request) < 5 ? { calls: [['TodoWrite', { todos: [] }]], usage } : { text: 'done', usage },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(eventsOf(troupe, childrenOf(troupe)[0]?.agentId).at(-1)).toMatchObject({
      report: 'done',
      reachedLimit: null,
    })
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('5 turns · 600 tokens')
  })

  test('a subagent that ended at its own limit continues when the user raises it', async () => {
    const troupe = createTestRuntime({
      policy: limits({ agent: { ...noLimits, tokens: 40 } }),
      script: script([{ calls: [agentCall('one')] }, echo], busy),
    })
    const id = await troupe.begin('Go')
    const state = await troupe.runtime.settled(id)
    const child = childrenOf(troupe)[0]?.agentId ?? ''
    const made = () => troupe.model.requests.filter((request) => !isMain(request)).length
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: child })
    await troupe.when('agent-ended', ({ failure }) => failure?.type === 'limit')
    expect(made()).toBe(4)
    expect(
      await troupe.runtime.dispatch({
        type: 'agent.setLimits',
        conversationId: id,
        agentId: child,
        limits: { ...noLimits, tokens: 100 },
      }),
    ).toMatchObject({
      ok: true,
    })
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: child })
    await troupe.when('agent-ended', ({ agentId, seq }) => agentId === child && seq > 30)
    expect(made()).toBeGreaterThan(4)
    expect(troupe.runtime.state(id, child)?.limits.tokens).toBe(100)
    expect(
      await troupe.runtime.dispatch({
        type: 'agent.setLimits',
        conversationId: id,
        agentId: state.id,
        limits: noLimits,
      }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-possible' },
    })
  })

  test('a child’s usage counts for its parent, whose limit ends both', async () => {
    const troupe = createTestRuntime({
      policy: limits({ agent: { ...noLimits, tokens: 70 } }),
      definitions: [
        ...testDefinitions,
        { ...testDefinitions[1]!, name: 'lead', tools: ['Agent(general-purpose)', 'TodoWrite'] },
      ],
      script: script([{ calls: [agentCall('one', { subagent_type: 'lead' })] }, echo], (request, signal) => {
        const isLead = JSON.stringify(request.messages[0]).includes('Do one.')
        if (isLead && request.messages.length === 1) return { calls: [agentCall('deep')] }
        return busy(request, signal)
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [lead, deep] = childrenOf(troupe)
    expect(eventsOf(troupe, deep?.agentId).at(-1)).toMatchObject({
      reachedLimit: 'tokens',
      limitOf: 'parent',
    })
    expect(eventsOf(troupe, lead?.agentId).at(-1)).toMatchObject({ reachedLimit: 'tokens', limitOf: 'agent' })
  })

  test('a conversation ends at its money limit with a notice, and continues when the limit is raised', async () => {
    const troupe = createTestRuntime({
      policy: limits({ conversation: { ...noLimits, usd: 0.00004 } }),
      script: busy,
    })
    const id = await troupe.begin('Go')
    const state = await troupe.runtime.settled(id)
    expect(state).toMatchObject({ status: 'completed', reachedLimit: 'money', limitOf: 'conversation' })
    const made = troupe.model.requests.length

    await troupe.say(id, 'More')
    expect(await troupe.runtime.settled(id)).toMatchObject({
      status: 'failed',
      reachedLimit: 'money',
      failure: { type: 'limit', message: expect.stringContaining('Raise the limit to continue') },
    })
    expect(troupe.model.requests).toHaveLength(made)

    const raised = await troupe.runtime.dispatch({
      type: 'conversation.setLimits',
      conversationId: id,
      limits: { ...noLimits, usd: 0.0002 },
    })
    expect(raised).toMatchObject({ value: { limits: { usd: 0.0002 } } })
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: state.id })
    await troupe.runtime.settled(id)
    expect(troupe.model.requests.length).toBeGreaterThan(made)
    const after = createTestRuntime({ store: troupe.store.afterCrash(), script: busy })
    expect((await after.runtime.conversations())[0]?.limits.usd).toBe(0.0002)
  })

  test('time counts from the start of the run', async () => {
    const troupe = createTestRuntime({
      policy: limits({ background: { ...noLimits, ms: 60 } }),
      script: script(
        [{ calls: [agentCall('one', { run_in_background: true })] }, { text: 'I go on.' }],
        busy,
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const child = childrenOf(troupe)[0]?.agentId
    expect(eventsOf(troupe, child).at(-1)).toMatchObject({ reachedLimit: 'time', limitOf: 'agent' })
  })

  describe('a model without a known price', () => {
    const run = async (conversation: Partial<SpendLimits>, script: Script = echo) => {
      const troupe = createTestRuntime({
        policy: limits({ conversation: { ...noLimits, ...conversation } }),
        price: null,
        script,
      })
      const id = await troupe.begin('Go')
      return { troupe, id, state: await troupe.runtime.settled(id) }
    }

    test('is refused under a money limit that the user has set', async () => {
      const { troupe, id, state } = await run({ usd: 20 })
      expect(state.failure?.message).toContain('claude-sonnet has no known price')
      expect(state.failure?.message).toContain('limit tokens instead')
      expect(troupe.model.requests).toEqual([])
      await troupe.runtime.dispatch({
        type: 'conversation.setLimits',
        conversationId: id,
        limits: { ...noLimits, tokens: 1000 },
      })
      await troupe.say(id, 'Go')
      expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', priced: false })
    })

    test('works without a money limit, and under the default one, which it never reaches', async () => {
      for (const some of [{}, { usd: 0.000001, usdByDefault: true } as const]) {
        const { troupe, id, state } = await run(some)
        expect(state).toMatchObject({ status: 'waiting', priced: false, costUsd: 0, reachedLimit: null })
        await troupe.say(id, 'More')
        expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', reachedLimit: null })
      }
    })

    test('ends at a token limit', async () => {
      const { state } = await run({ tokens: 40, usd: 20, usdByDefault: true }, busy)
      expect(state).toMatchObject({ reachedLimit: 'tokens', limitOf: 'conversation' })
    })
  })

  test('costs that were unknown earlier do not block a model with a known price', async () => {
    let isKnown = false
    const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
    const troupe = createTestRuntime({
      script: echo,
      ports: {
        models: {
          resolve: (name) => name,
          facts: (id) => ({ id, price: isKnown ? price : null, contextTokens: 200_000 }),
        },
      },
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    isKnown = true
    await troupe.runtime.dispatch({
      type: 'conversation.setLimits',
      conversationId: id,
      limits: { ...noLimits, usd: 20 },
    })
    await troupe.say(id, 'More')
    expect(await troupe.runtime.settled(id)).toMatchObject({
      status: 'waiting',
      priced: false,
      reachedLimit: null,
    })
  })

  test('apply to the number of agents that one agent starts', async () => {
    const troupe = createTestRuntime({
      policy: limits({ agent: { ...noLimits, spawns: 1 } }),
      definitions: [
        ...testDefinitions,
        { ...testDefinitions[1]!, name: 'lead', tools: ['Agent(general-purpose)'] },
      ],
      script: script([{ calls: [agentCall('one', { subagent_type: 'lead' })] }, echo], (request) => {
        const isLead = JSON.stringify(request.messages[0]).includes('Do one.')
        if (!isLead) return { text: 'ok' }
        if (request.messages.length === 1) return { calls: [agentCall('a'), agentCall('b')] }
        return { text: lastWords(request) }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toHaveLength(2)
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('You have started 1 agent, which is your limit')
  })

  test('apply to the depth, from the settings', async () => {
    const deepest = async (maxDepth: number) => {
      const troupe = createTestRuntime({
        policy: { maxDepth },
        script: (request) =>
          request.tools.some(({ name }) => name === 'Agent') && request.messages.length === 1
            ? { calls: [agentCall('below')] }
            : { text: 'ok' },
      })
      await troupe.runtime.settled(await troupe.begin('Go'))
      return Math.max(...childrenOf(troupe).map(({ depth }) => depth))
    }
    expect(await deepest(1)).toBe(1)
    expect(await deepest(3)).toBe(3)
  })
})
