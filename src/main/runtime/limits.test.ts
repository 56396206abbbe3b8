import { describe, expect, test } from 'vitest'
import { noLimits } from '../../shared/agent-event.ts'
import type { Policy } from './ports.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const limits = (more: Partial<Policy['limits']>): Partial<Policy> => ({
  limits: { ...freePolicy.limits, ...more },
})
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)

/** Calls a tool until its limit ends it; each request takes 15 tokens. */
const busy: Script = (request) =>
  request.toolChoice === 'none'
    ? { text: `came far: ${lastWords(request)}` }
    : { calls: [['TodoWrite', { todos: [] }]] }

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
    // 15, 30, 45: over the limit, so one last request without tools follows.
    expect(troupe.model.requests.filter((request) => !isMain(request))).toHaveLength(4)
    const told = lastWords(mainRequests(troupe).at(-1)!)
    expect(told).toContain("You have reached the agent's limit of 40 tokens")
    expect(told).toContain("stopped at the agent's limit of 40 tokens")
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
    await troupe.runtime.continueAgent(id, child)
    await troupe.when('agent-ended', ({ failure }) => failure?.type === 'limit')
    expect(made()).toBe(4)
    expect(await troupe.runtime.setAgentLimits(id, child, { ...noLimits, tokens: 100 })).toMatchObject({
      ok: true,
    })
    await troupe.runtime.continueAgent(id, child)
    await troupe.when('agent-ended', ({ agentId, seq }) => agentId === child && seq > 30)
    expect(made()).toBeGreaterThan(4)
    expect(troupe.runtime.state(id, child)?.limits.tokens).toBe(100)
    expect(await troupe.runtime.setAgentLimits(id, state.id, noLimits)).toMatchObject({
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

    const raised = await troupe.runtime.setLimits(id, { ...noLimits, usd: 0.0002 })
    expect(raised).toMatchObject({ value: { limits: { usd: 0.0002 } } })
    await troupe.runtime.continueAgent(id, state.id)
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

  test('a model without a price is refused only under a money limit', async () => {
    const run = async (usd: number | null) => {
      const troupe = createTestRuntime({
        policy: limits({ conversation: { ...noLimits, usd } }),
        price: null,
        script: echo,
      })
      return { troupe, state: await troupe.runtime.settled(await troupe.begin('Go')) }
    }
    const refused = await run(20)
    expect(refused.state.failure?.message).toContain('claude-sonnet has no price in the table')
    expect(refused.troupe.model.requests).toEqual([])
    expect((await run(null)).state.status).toBe('waiting')
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
