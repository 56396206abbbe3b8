/** Subagents that an external agent started by itself: agents of the tree that this runtime never starts. */
import { expect, test } from 'vitest'
import { plainDefinition } from '../../shared/agent-definition/agent-definition.ts'
import { type AgentEventDraft, EVENT_VERSION } from '../../shared/events/agent-event.ts'
import { stoppedTogether } from '../../shared/state/stopped-together.ts'
import {
  type AgentBacking,
  type BackedAgent,
  EXTERNAL_SUBAGENT_BACKING,
  type ExternalSubagentRun,
  plainBacking,
} from './ports/agent-backing.ts'
import type { LoadedDefinition } from './ports/definitions.ts'
import type { RunEnd } from './ports/run-end.ts'
import { createMemoryStore, type MemoryStore } from './testing/memory-store.ts'
import { agentCall, childrenOf, eventsOf, gate, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const outsider: LoadedDefinition = {
  ...plainDefinition('outsider', 'Runs in another program.'),
  source: 'user',
  file: null,
  program: { command: 'program', args: [], env: {} },
}

interface Stage {
  readonly troupe: TestRuntime
  readonly id: string
  /** The agent that the program carries out. */
  readonly owner: BackedAgent
  /** Ends its run. */
  end(end: RunEnd): void
}

/** The main agent has started the program, whose agent waits for its end. */
async function stage(store: MemoryStore = createMemoryStore()): Promise<Stage> {
  const started = gate()
  let owner: BackedAgent | null = null
  let finish: (end: RunEnd) => void = () => {}
  const backing = (agent: BackedAgent): AgentBacking =>
    plainBacking('program', async (signal) => {
      // Continued later: it has nothing more to do.
      if (owner !== null) {
        agent.takeMessages()
        return answered('Again.')
      }
      owner = agent
      started.open()
      return new Promise<RunEnd>((resolve) => {
        finish = resolve
        signal.addEventListener('abort', () => resolve({ kind: 'stopped' }))
      })
    })
  const troupe = createTestRuntime({
    store,
    script: script(
      [{ calls: [agentCall('outside', { subagent_type: 'outsider' })] }, { text: 'Done.' }],
      () => ({
        text: 'A model must not run this agent.',
      }),
    ),
    definitions: [...testDefinitions, outsider],
    policy: { maxParallelAgents: 1 },
    runtime: { backings: (agent) => (agent.state().backing === 'acp' ? backing(agent) : null) },
  })
  const id = await troupe.begin('Go')
  await started.opened
  if (owner === null) throw new Error('The program was not started.')
  return { troupe, id, owner, end: (end) => finish(end) }
}

const answered = (text: string): RunEnd => ({ kind: 'answered', text, reachedLimit: null })

let cancels: string[] = []

async function startChild(
  { owner }: Pick<Stage, 'owner'>,
  given: { sessionId?: string; canStop?: boolean; parentId?: string; name?: string } = {},
): Promise<ExternalSubagentRun> {
  const { sessionId = 'child-1', canStop = true, parentId = owner.id, name = 'Explore' } = given
  const begun = await owner.startChild({
    sessionId,
    parentId,
    shownBy: () => 'call-1',
    name,
    task: 'Find the clock',
    canStop,
    cwd: '/project',
    cancel: () => cancels.push(sessionId),
    cutOff: () => undefined,
  })
  if (!begun.ok) throw new Error(begun.failure.message)
  return begun.value
}

/** Adds events as the program of the child does. */
function speaker({ agent }: ExternalSubagentRun): (draft: AgentEventDraft) => void {
  const { epoch, seq } = agent.takeOver()
  let next = seq
  return (draft) => {
    const stamp = { v: EVENT_VERSION, agentId: agent.id, seq: next++, order: 0, at: 1 }
    const added = agent.ingest(
      { agentId: agent.id, backing: EXTERNAL_SUBAGENT_BACKING, epoch },
      { ...draft, ...stamp },
    )
    if (!added.ok) throw new Error(added.failure.message)
  }
}

const notice = (text: string): AgentEventDraft => ({ type: 'notice', level: 'info', text })

const textsOf = (troupe: TestRuntime, agentId: string) =>
  eventsOf(troupe, agentId).flatMap((event) => (event.type === 'notice' ? [event.text] : []))

test('a child is an agent below the program, without a slot, and its events are its transcript', async () => {
  const on = await stage()
  const { troupe, id, owner } = on
  const one = await startChild(on)
  const two = await startChild(on, { sessionId: 'child-2', name: 'Plan' })
  const nested = await startChild(on, { sessionId: 'child-3', parentId: one.agent.id })
  speaker(one)(notice('from one'))
  speaker(two)(notice('from two'))
  expect(textsOf(troupe, one.agent.id)).toEqual(['from one'])
  expect(textsOf(troupe, two.agent.id)).toEqual(['from two'])
  expect(troupe.runtime.state(id, one.agent.id)).toMatchObject({
    status: 'running',
    backing: EXTERNAL_SUBAGENT_BACKING,
    parentId: owner.id,
    parentToolUseId: 'call-1',
    depth: 2,
    task: 'Find the clock',
    child: { sessionId: 'child-1', canStop: true },
    definition: { name: 'Explore', program: outsider.program, oneShot: true },
  })
  expect(troupe.runtime.state(id, nested.agent.id)).toMatchObject({ parentId: one.agent.id, depth: 3 })
  const colors = [owner, one.agent, two.agent].map((agent) => agent.state().definition.color)
  expect(new Set(colors).size).toBe(3)

  await nested.end(answered('Nested.'))
  await one.end(answered('Found it.'))
  expect(troupe.runtime.state(id, one.agent.id)).toMatchObject({ status: 'completed', report: 'Found it.' })
  expect(troupe.runtime.state(id, two.agent.id)?.status).toBe('running')
  await two.end({ kind: 'failed', type: 'worker', message: 'Its program ended.' })
  expect(troupe.runtime.state(id, two.agent.id)).toMatchObject({
    status: 'failed',
    failure: { message: 'Its program ended.' },
  })
  on.end(answered('All done.'))
  await troupe.runtime.settled(id)
  // The program tells its agent what its children reported, so nobody gets a notice.
  expect(JSON.stringify(troupe.model.requests)).not.toContain('Found it.')
  expect(troupe.model.requests).toHaveLength(2)
})

test('a child that gets more work is the same agent, with a transcript that continues', async () => {
  const on = await stage()
  const first = await startChild(on)
  speaker(first)(notice('first'))
  await first.end(answered('One.'))
  const again = await startChild(on, { name: 'Explore again' })
  expect(again.agent.id).toBe(first.agent.id)
  speaker(again)(notice('second'))
  expect(on.troupe.runtime.state(on.id, again.agent.id)).toMatchObject({
    status: 'running',
    definition: { name: 'Explore again' },
  })
  expect(textsOf(on.troupe, again.agent.id)).toEqual(['first', 'second'])
  const twice = await on.owner.startChild({
    sessionId: 'child-1',
    parentId: on.owner.id,
    shownBy: () => null,
    name: 'Explore',
    task: '',
    canStop: true,
    cwd: '/project',
    cutOff: () => undefined,
    cancel() {},
  })
  expect(twice).toMatchObject({ ok: false, failure: { type: 'running' } })
  await again.end(answered('Two.'))
  expect(childrenOf(on.troupe).filter(({ backing }) => backing === EXTERNAL_SUBAGENT_BACKING)).toHaveLength(1)
})

test('the user stops one child, the others work on', async () => {
  cancels = []
  const on = await stage()
  const { troupe, id } = on
  const one = await startChild(on)
  const two = await startChild(on, { sessionId: 'child-2' })
  const stopping = troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: one.agent.id })
  await expect.poll(() => cancels).toEqual(['child-1'])
  expect(one.signal.aborted).toBe(true)
  await one.end(answered('Canceled.'))
  expect(await stopping).toMatchObject({ ok: true })
  expect(troupe.runtime.state(id, one.agent.id)).toMatchObject({ status: 'stopped', stoppedBy: 'user' })
  expect(troupe.runtime.state(id, two.agent.id)?.status).toBe('running')
  // A program that does not react.
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: two.agent.id })
  expect(troupe.runtime.state(id, two.agent.id)?.status).toBe('stopped')
})

test('a child that can’t be canceled ends only with its parent', async () => {
  cancels = []
  const on = await stage()
  const { troupe, id, owner } = on
  const { agent, changed } = await startChild(on, { canStop: false })
  const nested = await startChild(on, { canStop: false, sessionId: 'child-2', parentId: agent.id })
  expect(
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: agent.id }),
  ).toEqual({
    ok: false,
    failure: { type: 'not-possible', message: 'Explore can’t be stopped by itself. Stop outsider.' },
  })
  expect(
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: nested.agent.id }),
  ).toMatchObject({
    failure: { message: 'Explore can’t be stopped by itself. Stop outsider.' },
  })
  changed({ name: 'Explore', task: 'Find the clock', cwd: '/project/sub', canStop: true })
  expect(agent.state().cwd).toBe('/project/sub')
  expect(agent.state().child?.canStop).toBe(true)
  changed({ name: 'Explore', task: 'Find the clock', cwd: '/project', canStop: false })
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: owner.id })
  expect(cancels).toEqual([])
  expect(troupe.runtime.state(id, agent.id)?.status).toBe('stopped')
  expect(troupe.runtime.state(id, nested.agent.id)?.status).toBe('stopped')
})

test('what only its program could do is refused with the reason', async () => {
  const on = await stage()
  const { runtime } = on.troupe
  const { agent, end } = await startChild(on)
  const content = [{ type: 'text' as const, text: 'Hurry' }]
  const of = { conversationId: on.id, agentId: agent.id }
  const refused = async () => [
    await runtime.dispatch({ type: 'conversation.send', ...of, content }),
    await runtime.dispatch({
      type: 'agent.setLimits',
      conversationId: on.id,
      agentId: agent.id,
      limits: { tokens: 1, usd: null, ms: null, spawns: null },
    }),
    await runtime.dispatch({
      type: 'conversation.setModel',
      conversationId: on.id,
      model: 'opus',
      agentId: agent.id,
    }),
    await runtime.dispatch({
      type: 'conversation.setModel',
      conversationId: on.id,
      effort: 'high',
      agentId: agent.id,
    }),
    await runtime.dispatch({ type: 'agent.renew', conversationId: on.id, agentId: agent.id }),
  ]
  const why = { ok: false, failure: { type: 'not-possible', message: expect.stringContaining('outsider') } }
  for (const result of await refused()) expect(result).toMatchObject(why)
  expect(
    await runtime.dispatch({ type: 'agent.pause', conversationId: on.id, agentId: agent.id }),
  ).toMatchObject(why)
  expect(
    await runtime.dispatch({ type: 'agent.toBackground', conversationId: on.id, agentId: agent.id }),
  ).toMatchObject(why)
  await end(answered('Done.'))
  for (const result of await refused()) expect(result).toMatchObject(why)
  expect(
    await runtime.dispatch({ type: 'agent.continue', conversationId: on.id, agentId: agent.id }),
  ).toMatchObject(why)
  expect(
    await runtime.dispatch({ type: 'agent.definitionChange', conversationId: on.id, agentId: agent.id }),
  ).toMatchObject({ value: { kind: 'same' } })
})

test('agents that were stopped together continue without the children of programs', async () => {
  const on = await stage()
  const { agent } = await startChild(on)
  await on.troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: on.id })
  const { stopId } = on.owner.state()
  const stopped = on.troupe.runtime.state(on.id, agent.id)
  expect(stopped).toMatchObject({ status: 'stopped', stopId })
  expect(stoppedTogether([on.owner.state(), ...(stopped ? [stopped] : [])])).toEqual([on.owner.state()])
  expect(
    await on.troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: on.id }),
  ).toMatchObject({ ok: true })
  await on.troupe.runtime.settled(on.id)
  expect(on.troupe.runtime.state(on.id, on.owner.id)).toMatchObject({ status: 'completed', report: 'Again.' })
  expect(on.troupe.runtime.state(on.id, agent.id)?.status).toBe('stopped')
})

test('after a crash a child is shown as interrupted and is never started', async () => {
  const store = createMemoryStore()
  const on = await stage(store)
  const { agent } = await startChild(on)
  const nested = await startChild(on, { sessionId: 'child-2', parentId: agent.id })
  speaker(nested)(notice('from nested'))
  await agent.flush(new AbortController().signal)
  await nested.agent.flush(new AbortController().signal)

  const later = await stage(store.afterCrash())
  await later.troupe.runtime.dispatch({ type: 'conversation.continue', conversationId: on.id })
  await later.troupe.runtime.settled(on.id)
  for (const id of [agent.id, nested.agent.id])
    expect(later.troupe.runtime.state(on.id, id)).toMatchObject({
      status: 'interrupted',
      backing: EXTERNAL_SUBAGENT_BACKING,
      child: { canStop: true },
    })
  expect(JSON.stringify(later.troupe.model.requests)).not.toContain('A model must not')
})
