/** Random commands of the user, in any order and at any moment, on a main agent and its three subagents. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noLimits } from '../../shared/events/agent-event.ts'
import { fail } from '../../shared/kernel/result.ts'
import { isLive } from '../../shared/state/agent-state.ts'
import { triesOf } from '../../shared/testing/tries.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { mistakeIn, type Script } from './testing/scripted-model.ts'
import { agentCall, turnOf } from './testing/scripts.ts'
import { storeWhere } from './testing/slow-store.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const commands = [
  'say',
  'stop',
  'stop-all',
  'pause',
  'go-on',
  'move',
  'raise',
  'renew',
  'full',
  'free',
] as const
interface Step {
  readonly command: (typeof commands)[number]
  /** The index of the agent, in the order of the spawns. */
  readonly agent: number
  /** Microtask turns before this command and before the next one. */
  readonly ticks: number
}

const steps = fc.array(
  fc.record({
    command: fc.constantFrom(...commands),
    agent: fc.nat({ max: 3 }),
    ticks: fc.nat({ max: 40 }),
  }),
  { minLength: 1, maxLength: 14 },
)

/** Each agent makes a few calls. The main agent starts three others in three ways, and resumes one. */
const script: Script = async (request) => {
  for (let tick = 0; tick < 5; tick++) await null
  const turn = turnOf(request)
  const isMain = request.system.includes('You are the main agent.')
  if (request.toolChoice === 'none' || turn > 3) return { text: `turn ${turn}` }
  if (!isMain) return { calls: [['TodoWrite', { todos: [] }]] }
  if (turn === 1)
    return {
      calls: [
        agentCall('waited for', { name: 'ada' }),
        agentCall('apart', { name: 'bob', isolation: 'worktree' }),
        agentCall('in the background', { name: 'eve', run_in_background: true }),
      ],
    }
  return turn === 2
    ? { calls: [agentCall('more', { resume: 'ada' }), ['SendMessage', { to: 'eve', message: 'How far?' }]] }
    : { text: 'I wait.' }
}

/** A store whose writes take a number of microtask turns, and fail while the disk is full. */
const slowStore = (ticks: number) =>
  storeWhere((log, store) => {
    const rest = async () => {
      for (let tick = 0; tick < ticks; tick++) await null
    }
    return {
      flush: async (agentId) => {
        await rest()
        return log.flush(agentId)
      },
      save: async () => {
        await rest()
        return store.trouble === null ? log.save() : fail({ type: 'io', message: store.trouble })
      },
    }
  })

async function take(
  troupe: TestRuntime,
  id: string,
  { command, agent, ticks }: Step,
): Promise<string | null> {
  const { runtime, store } = troupe
  for (let tick = 0; tick < ticks; tick++) await null
  const ids = store.records.get(id)?.agentIds ?? []
  const agentId = ids[agent % ids.length] ?? ''
  switch (command) {
    case 'say': {
      const content = [{ type: 'text' as const, text: 'A word.' }]
      const sent = await runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content })
      return sent.ok ? sent.value.messageId : null
    }
    case 'stop':
      await runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
      return null
    case 'stop-all':
      await runtime.dispatch({ type: 'conversation.stop', conversationId: id })
      return null
    case 'pause':
      await runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })
      return null
    case 'go-on':
      await runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
      return null
    case 'move':
      await runtime.dispatch({ type: 'agent.toBackground', conversationId: id, agentId })
      return null
    case 'raise':
      await runtime.dispatch({
        type: 'agent.setLimits',
        conversationId: id,
        agentId,
        limits: { ...noLimits, tokens: 1_000_000 },
      })
      return null
    case 'renew':
      await runtime.dispatch({ type: 'agent.renew', conversationId: id, agentId })
      return null
    case 'full':
      store.trouble = 'The disk is full.'
      return null
    case 'free':
      store.trouble = null
      await runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
      return null
  }
}

/** Continues paused agents until no agent runs. */
async function settle(troupe: TestRuntime, id: string): Promise<void> {
  const idsOf = () => troupe.store.records.get(id)?.agentIds ?? []
  troupe.store.trouble = null
  for (let round = 0; round < 200; round++) {
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
    await new Promise((resolve) => setImmediate(resolve))
    const states = idsOf().flatMap((agentId) => troupe.runtime.state(id, agentId) ?? [])
    for (const state of states)
      if (state.status === 'paused')
        await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: state.id })
    if (states.every((state) => !isLive(state))) return
  }
  throw new Error('An agent still runs.')
}

/** Runs all commands; some start before the previous one has finished. */
async function takeAll(troupe: TestRuntime, id: string, taken: readonly Step[]) {
  /** The ids of messages that the runtime accepted. */
  const messageIds: string[] = []
  const under = taken.map(() => Promise.resolve())
  for (const [index, step] of taken.entries()) {
    const done = take(troupe, id, step).then((messageId) => {
      if (messageId !== null) messageIds.push(messageId)
    })
    under[index] = done
    if (step.ticks % 2 === 0) await done
  }
  return { messageIds, allTaken: Promise.all(under) }
}

/** Every agent accepts a message and becomes idle again: no agent is stuck and no slot is held. @returns the message ids */
async function sayToAll(troupe: TestRuntime, id: string): Promise<readonly string[]> {
  await settle(troupe, id)
  const said: string[] = []
  for (const agentId of troupe.store.records.get(id)?.agentIds ?? []) {
    // An agent without a transcript died with the program before its first event was on disk.
    if (!troupe.store.logs.get(agentId)?.length) continue
    const content = [{ type: 'text' as const, text: 'And now?' }]
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content,
    })
    expect(sent.ok).toBe(true)
    if (sent.ok) said.push(sent.value.messageId)
  }
  await settle(troupe, id)
  return said
}

/** The API would accept every history, and each of these messages is in exactly one transcript, once. */
function check(troupe: TestRuntime, id: string, messageIds: readonly string[]): void {
  const record = troupe.store.records.get(id)
  expect(record?.queued).toEqual([])
  for (const request of troupe.model.requests) expect(mistakeIn(request)).toBeNull()
  const logs = (record?.agentIds ?? []).map((agentId) => troupe.store.logs.get(agentId) ?? [])
  for (const log of logs) {
    expect(log.map(({ seq }) => seq)).toEqual([...log.keys()])
    expect(log.filter(({ type }) => type === 'request-failed')).toEqual([])
  }
  const read = logs.flat().flatMap((event) => (event.type === 'user-message' ? [event.messageId] : []))
  expect(new Set(read).size).toBe(read.length)
  expect(messageIds.filter((messageId) => !read.includes(messageId))).toEqual([])
}

const runs = fc.record({
  taken: steps,
  maxParallelAgents: fc.integer({ min: 1, max: 3 }),
  slow: fc.nat({ max: 12 }),
})

test('after any commands in any order agents are idle, and every message is read once', async () => {
  const property = fc.asyncProperty(runs, async ({ taken, maxParallelAgents, slow }) => {
    const worktrees = createMemoryWorktrees()
    const ports = { worktrees }
    const troupe = createTestRuntime({ store: slowStore(slow), script, ports, policy: { maxParallelAgents } })
    const id = await troupe.begin('Go')
    const { messageIds, allTaken } = await takeAll(troupe, id, taken)
    await allTaken
    check(troupe, id, [...(await sayToAll(troupe, id)), ...messageIds])
    await troupe.runtime.close()
    expect(worktrees.made.map(({ state }) => state)).not.toContain('held')
  })
  await fc.assert(property, { numRuns: triesOf(25) })
})

test('after a crash at any moment every accepted message is read once', async () => {
  const property = fc.asyncProperty(runs, async ({ taken, maxParallelAgents, slow }) => {
    const options = { script, ports: { worktrees: createMemoryWorktrees() }, policy: { maxParallelAgents } }
    const before = createTestRuntime({ ...options, store: slowStore(slow) })
    const id = await before.begin('Go')
    const { messageIds } = await takeAll(before, id, taken)
    const [store, acknowledged] = [before.store.afterCrash(), [...messageIds]]
    await before.runtime.close()
    const after = createTestRuntime({ ...options, store })
    check(after, id, [...(await sayToAll(after, id)), ...acknowledged])
    await after.runtime.close()
  })
  await fc.assert(property, { numRuns: triesOf(25) })
})
