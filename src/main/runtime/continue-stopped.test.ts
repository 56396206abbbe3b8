import { describe, expect, test } from 'vitest'
import { stoppedTogether } from '../../shared/state/stopped-together.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import { agentCall, childrenOf, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const never = () => new Promise<never>(() => {})
const resumed = (words: string) => words.includes('The user resumed you.')

/** The main agent waits for two subagents: one in the foreground, one in the background. Both answer once resumed. */
const twoChildren: Script = script(
  [
    { calls: [agentCall('one'), agentCall('two', { run_in_background: true })] },
    (request) => ({ text: `Got: ${lastWords(request)}` }),
  ],
  (request) => (resumed(lastWords(request)) ? { text: `finished ${request.messages.length}` } : never()),
)

async function started(store?: TestRuntime['store']) {
  const troupe = createTestRuntime({ script: twoChildren, ...(store ? { store } : {}) })
  const id = await troupe.begin('Go')
  for (const task of ['one', 'two'])
    await troupe.when(
      'request-started',
      ({ agentId }) => childrenOf(troupe).find((child) => child.agentId === agentId)?.task === task,
    )
  return { troupe, id }
}

async function stopped(store?: TestRuntime['store']) {
  const begun = await started(store)
  await begun.troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: begun.id })
  return begun
}
const states = async (troupe: TestRuntime, id: string) => {
  const snapshot = await troupe.runtime.snapshot(id)
  return snapshot.ok ? snapshot.value.agents : []
}
const statuses = async (troupe: TestRuntime, id: string) =>
  (await states(troupe, id)).map(({ status }) => status)
const requestsOfMain = (troupe: TestRuntime) => troupe.model.requests.filter(isMain).map(lastWords)
const bothReported = (troupe: TestRuntime) => {
  const told = requestsOfMain(troupe).join('\n')
  return told.split('reports. An agent wrote this').length - 1 >= 2
}

describe('agents that the user stopped at once', () => {
  test('share the id of the stop in the log', async () => {
    const { troupe } = await stopped()
    const stopIds = troupe.events.flatMap((event) =>
      event.type === 'agent-ended' ? [event.stopId ?? 'none'] : [],
    )
    expect(stopIds).toHaveLength(3)
    expect(new Set(stopIds).size).toBe(1)
    expect(stopIds[0]).toMatch(/^s-/)
  })

  test('continue together: the parent is told, the reports reach it, and no agent is started twice', async () => {
    const { troupe, id } = await stopped()
    expect(await troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: id })).toEqual({
      ok: true,
      value: undefined,
    })
    await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message' && bothReported(troupe))
    expect(await statuses(troupe, id)).toEqual(['waiting', 'completed', 'completed'])
    const [one, two] = childrenOf(troupe).map(({ agentId }) => agentId)
    const first = requestsOfMain(troupe).find(resumed) ?? ''
    expect(first).toContain(`${one} (general-purpose: one)`)
    expect(first).toContain(`${two} (general-purpose: two)`)
    expect(requestsOfMain(troupe).join('\n')).not.toMatch(/has ended \(.+\)\.\s+The agent .+ was stopped/)
    expect(childrenOf(troupe)).toHaveLength(2)
    expect(eventsOf(troupe, one).some(({ type }) => type === 'moved-to-background')).toBe(true)
    expect(stoppedTogether(await states(troupe, id))).toEqual([])
  })

  test('continue together after a restart too', async () => {
    const { troupe: before, id } = await stopped()
    await before.runtime.close()
    const troupe = createTestRuntime({ script: twoChildren, store: before.store })
    expect(stoppedTogether(await states(troupe, id))).toHaveLength(3)
    expect((await troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: id })).ok).toBe(
      true,
    )
    await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message' && bothReported(troupe))
    expect(await statuses(troupe, id)).toEqual(['waiting', 'completed', 'completed'])
  })

  test('continue once: the second command says so', async () => {
    const { troupe, id } = await stopped()
    await troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: id })
    await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message' && bothReported(troupe))
    expect(
      await troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: id }),
    ).toMatchObject({ ok: false, failure: { type: 'ended' } })
  })

  test('are those of the last stop, and no longer one that was resumed', async () => {
    const { troupe, id } = await stopped()
    const [one, two] = childrenOf(troupe).map(({ agentId }) => agentId)
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: one ?? '' })
    await troupe.when('agent-ended', ({ agentId, status }) => agentId === one && status === 'completed')
    const tasks = async () => stoppedTogether(await states(troupe, id)).map((state) => state.id)
    expect(await tasks()).not.toContain(one)
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: one ?? '' })
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: one ?? '' })
    expect(await tasks()).toEqual([one])
    expect(troupe.runtime.state(id, two ?? '')?.stopId).not.toBeNull()
  })
})

describe('agents that a crash interrupted', () => {
  async function crashed() {
    const { troupe: before, id } = await started()
    return { troupe: createTestRuntime({ script: twoChildren, store: before.store.afterCrash() }), id }
  }

  test('continue together, as after a stop', async () => {
    const { troupe, id } = await crashed()
    expect(stoppedTogether(await states(troupe, id))).toHaveLength(3)
    expect(await troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: id })).toEqual({
      ok: true,
      value: undefined,
    })
    await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message' && bothReported(troupe))
    expect(await statuses(troupe, id)).toEqual(['waiting', 'completed', 'completed'])
    expect(stoppedTogether(await states(troupe, id))).toEqual([])
  })

  test('are offered also once the conversation is open, and after another restart', async () => {
    const { troupe, id } = await crashed()
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'default',
    })
    expect(stoppedTogether(await states(troupe, id))).toHaveLength(3)
    await troupe.runtime.close()
    const after = createTestRuntime({ script: twoChildren, store: troupe.store })
    expect(stoppedTogether(await states(after, id))).toHaveLength(3)
    expect((await after.runtime.dispatch({ type: 'conversation.continue', conversationId: id })).ok).toBe(
      true,
    )
    await after.when('status-changed', ({ waitingFor }) => waitingFor === 'message' && bothReported(after))
  })

  test('take precedence over an agent that the user stopped shortly before', async () => {
    const { troupe: before, id } = await started()
    const [one, two] = before.events.flatMap((event) =>
      event.type === 'agent-spawned' && event.parentId !== null ? [event.agentId] : [],
    )
    await before.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: two ?? '' })
    const troupe = createTestRuntime({ script: twoChildren, store: before.store.afterCrash() })
    const ids = stoppedTogether(await states(troupe, id)).map((state) => state.id)
    expect(ids).toContain(one)
    expect(ids).not.toContain(two)
  })
})

test('an agent that another agent stopped is not continued by the user', async () => {
  const told = gate()
  const troupe: TestRuntime = createTestRuntime({
    script: script(
      [
        { calls: [agentCall('one', { run_in_background: true })] },
        () => ({ calls: [['TaskStop', { task_id: childrenOf(troupe)[0]?.agentId }]] }),
        (request) => {
          told.open()
          return { text: `Got: ${lastWords(request)}` }
        },
      ],
      never,
    ),
  })
  const id = await troupe.begin('Go')
  await told.opened
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, childrenOf(troupe)[0]?.agentId ?? '')?.status).toBe('stopped')
  expect(await troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: id })).toMatchObject({
    ok: false,
  })
})
