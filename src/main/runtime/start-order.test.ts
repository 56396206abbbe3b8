import { describe, expect, test } from 'vitest'
import type { Ports } from './ports/ports.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { agentCall, childrenOf, echo, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { storeWhere } from './testing/slow-store.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six']
const tasksOf = (troupe: TestRuntime) => childrenOf(troupe).map(({ task }) => task)

/** The tasks in the order in which their agents got to run. */
function ranInOrder(troupe: TestRuntime): readonly string[] {
  const taskOf = new Map(childrenOf(troupe).map(({ agentId, task }) => [agentId, task]))
  const started = troupe.events.flatMap((event) =>
    event.type === 'request-started' ? (taskOf.get(event.agentId) ?? []) : [],
  )
  return [...new Set(started)]
}

/** The first call waits longest: each later one is through at once. */
function slowAtFirst() {
  let calls = 0
  return async () => {
    for (let turn = 10 * (NAMES.length - calls++); turn > 0; turn--) await Promise.resolve()
  }
}

describe('the agents of one message start in the order of the calls', () => {
  const modes = [{}, { run_in_background: true }] as const
  test.each(modes)('with one slot, and a disk that is slow at first (%j)', async (mode) => {
    const wait = slowAtFirst()
    const seen = new Set<string>()
    const store = storeWhere((log) => ({
      flush: async (id) => {
        if (!seen.has(id)) await wait()
        seen.add(id)
        return log.flush(id)
      },
    }))
    const troupe = createTestRuntime({
      store,
      policy: { maxParallelAgents: 1 },
      script: script([{ calls: NAMES.map((name) => agentCall(name, mode)) }, echo, echo, echo], () => ({
        text: 'done',
      })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(tasksOf(troupe)).toEqual(NAMES)
    expect(ranInOrder(troupe)).toEqual(NAMES)
  })

  test('however long their preparation takes; the limit of agents refuses the last ones', async () => {
    const wait = slowAtFirst()
    const definitions: Ports['definitions'] = {
      load: async () => {
        await wait()
        return { definitions: testDefinitions, problems: [] }
      },
      catalog: async () => ({ entries: [], problems: [], watched: [] }),
      watch: () => () => {},
    }
    const troupe = createTestRuntime({
      ports: { definitions },
      policy: { maxAgents: 4 },
      script: script([{ calls: NAMES.map((name) => agentCall(name)) }, echo], () => ({ text: 'done' })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(tasksOf(troupe)).toEqual(['one', 'two', 'three'])
    const results = eventsOf(troupe, childrenOf(troupe)[0]?.parentId ?? '').flatMap((event) =>
      event.type === 'tool-ended' ? [[event.toolUseId, event.isError] as const] : [],
    )
    expect(results.filter(([, isError]) => isError)).toHaveLength(3)
  })

  test('an agent without a worktree does not overtake one whose worktree is being created', async () => {
    const worktrees = createMemoryWorktrees()
    const { create } = worktrees
    const created = gate()
    worktrees.create = async (options, signal) => {
      await created.opened
      return create(options, signal)
    }
    const troupe = createTestRuntime({
      ports: { worktrees },
      policy: { maxAgents: 2 },
      script: script(
        [{ calls: [agentCall('one', { isolation: 'worktree' }), agentCall('two')] }, echo],
        () => ({ text: 'done' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.when('tool-started', ({ input }) => JSON.stringify(input).includes('two'))
    created.open()
    await troupe.runtime.settled(id)
    expect(tasksOf(troupe)).toEqual(['one'])
  })

  test('a failed start delays no other start', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [agentCall('one', { subagent_type: 'nobody' }), agentCall('two')] }, echo],
        () => ({ text: 'done' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(tasksOf(troupe)).toEqual(['two'])
    expect(troupe.model.requests.filter((request) => !isMain(request))).toHaveLength(1)
  })
})

test('a message of the user reaches the main agent while its subagents hold and await all slots', async () => {
  const done = gate()
  const troupe = createTestRuntime({
    policy: { maxParallelAgents: 2 },
    script: script(
      [{ calls: NAMES.map((name) => agentCall(name, { run_in_background: true })) }, echo],
      async () => {
        await done.opened
        return { text: 'done' }
      },
    ),
  })
  const id = await troupe.begin('Go')
  const isIdle = ({ waitingFor, seq }: { waitingFor: string | null; seq: number }) =>
    waitingFor === 'message' && seq > 5
  await troupe.when('status-changed', isIdle)
  await troupe.say(id, 'How far are you?')
  const { agentId } = await troupe.when('assistant-message', ({ content }) =>
    JSON.stringify(content).includes('How far are you?'),
  )
  expect(agentId).toBe(childrenOf(troupe)[0]?.parentId)
  const statuses = childrenOf(troupe).map((child) => troupe.runtime.state(id, child.agentId)?.status)
  expect(statuses).toEqual(['running', 'running', 'queued', 'queued', 'queued', 'queued'])
  done.open()
  await troupe.runtime.settled(id)
  await troupe.runtime.close()
})
