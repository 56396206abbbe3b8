/** An agent runs in other processes: its panel, its log on disk and a reopened conversation agree. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { createTranscriptStore } from '../../platform/transcripts/create-transcript-store.ts'
import type { LoadedDefinition } from '../../runtime/ports/definitions.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { agentCall, childrenOf, eventsOf, script } from '../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from '../../runtime/testing/test-runtime.ts'
import { type ChildProcesses, createChildProcesses } from '../../testing/child-processes.ts'

const outsider: LoadedDefinition = {
  ...plainDefinition('outsider', 'Runs in another process.'),
  source: 'built-in',
  file: null,
}

let dataFolder: string
let processes: ChildProcesses

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'troupe-outside-'))
  processes = createChildProcesses()
})

afterEach(async () => {
  processes.close()
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 })
})

/** A runtime on the data folder that runs agents of type `outsider` in child processes. */
function start(): { readonly troupe: TestRuntime; readonly store: TranscriptStore } {
  const store = createTranscriptStore({ dataFolder, clock: createSystemClock() })
  const troupe = createTestRuntime({
    script: script(
      [{ calls: [agentCall('outside', { subagent_type: 'outsider' })] }, { text: 'Summed up.' }],
      () => ({ text: 'The loop must not run this agent.' }),
    ),
    definitions: [...testDefinitions, outsider],
    ports: { store },
    runtime: {
      backings: (agent) => (agent.state().definition.name === 'outsider' ? processes.backing(agent) : null),
    },
  })
  return { troupe, store }
}

async function logOf(store: TranscriptStore, agentId: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) throw new Error(batch.failure.message)
    events.push(...batch.value)
  }
  return events
}

const fold = (events: readonly AgentEvent[]) => events.reduce<AgentState | null>(foldAgent, null)

const textsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'assistant-message' ? [JSON.stringify(event.content)] : []))

test('a second process takes over an agent while the first one keeps sending', async () => {
  const { troupe, store } = start()
  const id = await troupe.begin('Go')
  await troupe.when('assistant-message', ({ origin }) => origin?.epoch === 0)
  const agentId = childrenOf(troupe)[0]?.agentId ?? ''
  const agent = { conversationId: id, agentId }

  expect(processes.takeOver()).toBe(1)
  await troupe.when('assistant-message', ({ origin }) => origin?.epoch === 1)

  // Everything from the older process is refused.
  const late = await processes.tell(0, { type: 'say', text: 'too late' })
  expect(late.result).toMatchObject({ ok: false, failure: { type: 'old-epoch', epoch: 1 } })

  // A duplicate is dropped; a gap and an event that only the runtime may write are refused.
  expect(await processes.tell(1, { type: 'repeat' })).toEqual({
    epoch: 1,
    result: { ok: true, value: false },
  })
  const { result: gap } = await processes.tell(1, { type: 'skip' })
  expect(gap).toMatchObject({ ok: false, failure: { type: 'gap', expectedSeq: 4 } })
  expect((await processes.tell(1, { type: 'forge' })).result).toMatchObject({
    ok: false,
    failure: { type: 'invalid-event', message: 'Only the runtime writes agent-ended.' },
  })
  await resync(4)

  // The user's commands reach the process, and its answers come back as events.
  const content = [{ type: 'text' as const, text: 'Hurry' }]
  expect((await troupe.runtime.dispatch({ type: 'conversation.send', ...agent, content })).ok).toBe(true)
  await troupe.when('assistant-message', (event) => JSON.stringify(event.content).includes('Heard: Hurry'))
  await processes.tell(1, { type: 'ask' })
  expect(troupe.runtime.state(id, agentId)?.requests).toHaveLength(1)
  const answered = troupe.when('permission-answered')
  expect(
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...agent,
      requestId: 'outside-1',
      answer: { decision: 'allow-once' },
    }),
  ).toMatchObject({ ok: true })
  expect(await answered).toMatchObject({ decision: 'allow-once', origin: { epoch: 1 } })
  const paused = troupe.when('pause-changed')
  expect(await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })).toMatchObject({
    ok: true,
  })
  expect(await paused).toMatchObject({ paused: true, origin: { epoch: 1 } })

  processes.end(1, 'Done outside.')
  await troupe.runtime.settled(id)

  const live = troupe.runtime.state(id, agentId)
  const published = eventsOf(troupe, agentId)
  expect(live).toMatchObject({ status: 'completed', report: 'Done outside.', requests: [] })
  expect(textsOf(published).join()).not.toContain('too late')
  expect(JSON.stringify(troupe.model.requests.at(-1))).toContain('Done outside.')
  expect(published.map(({ seq }) => seq)).toEqual([...published.keys()])
  const orders = troupe.events.map(({ order }) => order)
  expect(orders).toEqual([...orders].sort((one, other) => one - other))
  expect(new Set(orders).size).toBe(orders.length)
  const origins = published.flatMap(({ origin }) => origin ?? [])
  expect(origins.map(({ seq }) => seq)).toEqual([...origins.keys()])
  expect(origins.map(({ epoch }) => epoch)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1])

  expect(fold(published)).toEqual(live)
  await troupe.runtime.close()
  expect(await logOf(store, agentId)).toEqual(published)

  const reopened = start()
  const snapshot = await reopened.troupe.runtime.snapshot(id)
  expect(snapshot.ok && snapshot.value.agents.find((state) => state.id === agentId)).toEqual(live)
  await reopened.troupe.runtime.close()

  async function resync(seq: number): Promise<void> {
    const next = processes.tell(1, { type: 'resync', seq })
    void processes.tell(1, { type: 'say', text: 'in sequence again' })
    expect((await next).result).toEqual({ ok: true, value: true })
  }
})

test('a process that survived a restart is refused, and the next one continues its numbers', async () => {
  const first = start()
  const id = await first.troupe.begin('Go')
  await first.troupe.when('assistant-message', ({ origin }) => origin?.epoch === 0)
  const agentId = childrenOf(first.troupe)[0]?.agentId ?? ''
  await first.troupe.runtime.close()
  expect((await processes.tell(0, { type: 'say', text: 'still here' })).result).toMatchObject({
    failure: { type: 'not-running' },
  })

  const { troupe, store } = start()
  const content = [{ type: 'text' as const, text: 'Again' }]
  expect(
    (await troupe.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content })).ok,
  ).toBe(true)
  const resumed = await troupe.when('assistant-message', ({ origin }) => origin?.epoch === 1)
  expect(resumed).toMatchObject({ agentId, origin: { backing: 'child-process', epoch: 1, seq: 3 } })
  expect((await processes.tell(0, { type: 'say', text: 'still here' })).result.ok).toBe(false)
  processes.end(1, 'Done after the restart.')
  await troupe.when('agent-ended', (event) => event.report === 'Done after the restart.')
  await troupe.runtime.settled(id)
  const live = troupe.runtime.state(id, agentId)
  await troupe.runtime.close()
  const log = await logOf(store, agentId)
  expect(fold(log)).toEqual(live)
  expect(textsOf(log).join()).not.toContain('still here')
})
