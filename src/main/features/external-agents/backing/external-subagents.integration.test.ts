/** The subagents of an external agent, as agents of the tree, with the example agent as the program. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { type AgentState, foldAgent } from '../../../../shared/state/agent-state.ts'
import { createMemoryRules } from '../../../runtime/testing/memory-rules.ts'
import type { MemoryStore } from '../../../runtime/testing/memory-store.ts'
import { childrenOf, eventsOf } from '../../../runtime/testing/scripts.ts'
import type { TestRuntime } from '../../../runtime/testing/test-runtime.ts'
import { createOutsiderRuntime } from './testing/external-runtime.ts'

let folder: string
let troupe: TestRuntime
let conversationId: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-children-')))
})

afterEach(async () => {
  await troupe.runtime.close()
  await rm(folder, { recursive: true, force: true })
})

interface Given {
  /** Rules. */
  readonly allowed?: readonly string[]
  /** What the program can do. */
  readonly can?: readonly string[]
  readonly store?: MemoryStore
}

/** The main agent starts the example agent, which behaves in this way. */
async function begin(mode: string, given: Given = {}): Promise<void> {
  await create(mode, given)
  conversationId = await troupe.begin('Go', { folder })
}

async function create(mode: string, { allowed = [], can = [], store }: Given): Promise<void> {
  const rules = createMemoryRules()
  for (const rule of allowed) await rules.allow(folder, rule)
  troupe = createOutsiderRuntime({
    ...{ mode, can },
    test: { ports: { rules }, ...(store && { store }) },
    deps: { environment: { PATH: process.env['PATH'] ?? '', PID_FILE: join(folder, 'pids') }, keep: 0 },
  })
}

const settled = () => troupe.runtime.settled(conversationId)

/** The state of a subagent by the program's id of it, folded from its events. */
function child(sessionId: string): AgentState {
  const spawned = childrenOf(troupe).find(({ childSession }) => childSession === sessionId)
  const state = eventsOf(troupe, spawned?.agentId).reduce<AgentState | null>(foldAgent, null)
  if (state === null) throw new Error(`There is no subagent ${sessionId}.`)
  return state
}

const outsider = (): string => childrenOf(troupe)[0]?.agentId ?? ''

const children = () => childrenOf(troupe).filter(({ backing }) => backing === 'acp-child')

const textsOf = (agentId: string): readonly string[] =>
  eventsOf(troupe, agentId).flatMap((event) =>
    event.type === 'assistant-message'
      ? event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  )

test('subagents are agents below the one that started them, each with its own messages', async () => {
  await begin('children')
  await settled()
  const [one, two, nested] = ['c-1', 'c-2', 'c-3'].map(child)
  expect([one, two, nested]).toMatchObject([
    {
      status: 'completed',
      definition: { name: 'routes' },
      task: 'Looks at routes',
      parentId: outsider(),
      report: 'four.',
      model: 'Haiku',
      child: { sessionId: 'c-1', canStop: true },
      cwd: folder,
    },
    { status: 'completed', definition: { name: 'tests' }, parentId: outsider(), report: 'nine.' },
    {
      status: 'completed',
      definition: { name: 'fixtures' },
      task: '',
      parentId: two?.id,
      report: 'Three fixtures.',
      child: { canStop: false },
    },
  ])
  expect(textsOf(one?.id ?? '')).toEqual(['Routes: ', 'four.'])
  const prompts = eventsOf(troupe, one?.id).flatMap((event) =>
    event.type === 'user-message' ? [[event.from, event.content]] : [],
  )
  expect(prompts).toEqual([['parent', [{ type: 'text', text: 'Look at the routes.' }]]])
  expect(textsOf(outsider())).toEqual(['I ask two.', 'Both are done.'])
})

test('the transcript of the parent has a card that leads to each subagent, and its report', async () => {
  await begin('children')
  await settled()
  for (const [parentId, sessions] of [
    [outsider(), ['c-1', 'c-2']],
    [child('c-2').id, ['c-3']],
  ] as const) {
    const events = eventsOf(troupe, parentId)
    const calls = events.flatMap((event) =>
      event.type === 'assistant-message'
        ? event.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
        : [],
    )
    expect(calls.map(({ name }) => name)).toEqual(sessions.map(() => 'Agent'))
    expect(calls.map(({ id }) => id)).toEqual(sessions.map((session) => child(session).parentToolUseId))
    const ends = events.flatMap((event) => (event.type === 'tool-ended' ? [event] : []))
    expect(ends.map(({ content, display }) => [content, display])).toEqual(
      sessions.map((session) => {
        const { id, report } = child(session)
        return [report, { kind: 'agent', agentId: id }]
      }),
    )
  }
})

test('a request of a subagent is its own, and rules answer it as those of its parent', async () => {
  await begin('child-permission')
  const { agentId, requestId, subject } = await troupe.when('permission-asked')
  expect(agentId).toBe(child('c-1').id)
  expect(subject).toMatchObject({ kind: 'command', text: 'npm test' })
  expect(child('c-1').status).toBe('waiting')
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId,
    agentId,
    requestId,
    answer: { decision: 'allow-once' },
  })
  await settled()
  expect(child('c-1')).toMatchObject({ status: 'completed', report: 'The answer was once.', requests: [] })

  await troupe.runtime.close()
  await begin('child-permission', { allowed: ['Bash(npm test)'] })
  await settled()
  expect(child('c-1').report).toBe('The answer was once.')
  expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
})

test('a request of a subagent is withdrawn when the subagent is stopped', async () => {
  await begin('child-permission')
  const { agentId } = await troupe.when('permission-asked')
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId, agentId: outsider() })
  await settled()
  const answered = eventsOf(troupe, agentId).findIndex(({ type }) => type === 'permission-answered')
  const ended = eventsOf(troupe, agentId).findIndex(({ type }) => type === 'agent-ended')
  expect(answered).toBeGreaterThan(0)
  expect(ended).toBeGreaterThan(answered)
  expect(child('c-1')).toMatchObject({ status: 'stopped', requests: [] })
})

test('a request of a subagent that ends by itself is withdrawn first', async () => {
  await begin('child-gives-up')
  const { agentId } = await troupe.when('permission-asked')
  await writeFile(join(folder, 'go'), '')
  await settled()
  const types = eventsOf(troupe, agentId).map(({ type }) => type)
  expect(types.filter((type) => ['permission-answered', 'agent-ended'].includes(type))).toEqual([
    'permission-answered',
    'agent-ended',
  ])
  expect(child('c-1')).toMatchObject({ status: 'completed', requests: [] })
  expect(troupe.runtime.state(conversationId, outsider())?.report).toBe('The answer was cancelled.')
})

test('a run begins with the state alone, also one without a message', async () => {
  await begin('child-runs-again')
  await settled()
  expect(children()).toHaveLength(1)
  const { id } = child('c-1')
  expect(textsOf(id)).toEqual(['First.', 'Second.'])
  const reports = eventsOf(troupe, id).flatMap((event) =>
    event.type === 'agent-ended' ? [event.report] : [],
  )
  expect(reports).toEqual(['First.', 'Second.', 'It ended without a message.'])
  expect(child('c-1')).toMatchObject({
    definition: { name: 'routes' },
    task: 'Looks at routes',
    child: { canStop: true },
  })
})

/** The main agent's program has worked with two subagents, of which the user stopped one. */
async function workedWithTwo(): Promise<void> {
  await begin('children-over-prompts', { can: ['load'] })
  await expect.poll(() => children().length).toBe(2)
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId, agentId: child('c-2').id })
  await settled()
}

/** The program has given the first one more work. */
async function expectSameTwo(): Promise<void> {
  await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId,
    agentId: outsider(),
    content: 'Ask for more.',
  })
  await settled()
  expect(children()).toHaveLength(2)
  expect(textsOf(child('c-1').id)).toEqual(['First.', 'Second.'])
  const prompts = eventsOf(troupe, child('c-1').id).flatMap((event) =>
    event.type === 'user-message' ? [textOf(event.content)] : [],
  )
  expect(prompts).toEqual(['Look.', 'Look again.'])
  expect(child('c-1')).toMatchObject({
    status: 'completed',
    definition: { name: 'routes' },
    task: 'Looks at routes',
    child: { canStop: true },
  })
  expect(textsOf(child('c-2').id)).toEqual(['Working.'])
  expect(child('c-2')).toMatchObject({ status: 'stopped', stoppedBy: 'user', definition: { name: 'tests' } })
  expect(eventsOf(troupe, child('c-2').id).filter(({ type }) => type === 'agent-ended')).toHaveLength(1)
}

test('the next prompt of the program continues with the same subagents', async () => {
  await workedWithTwo()
  await expectSameTwo()
})

test('after a restart, a program that loads its session continues with the same subagents', async () => {
  await workedWithTwo()
  await troupe.runtime.close()
  const { store, events } = troupe
  await create('children-over-prompts', { can: ['load'], store })
  troupe.events.push(...events)
  await expectSameTwo()
  const began = eventsOf(troupe, outsider()).flatMap((event) =>
    event.type === 'program-connected' ? [event.began] : [],
  )
  expect(began).toEqual(['new', 'loaded'])
})

test('one of two is stopped; the other one can’t be, and works on', async () => {
  await begin('children-wait')
  await expect.poll(() => children().length).toBe(2)
  const [one, two] = [child('c-1'), child('c-2')]
  expect(
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId, agentId: two.id }),
  ).toMatchObject({
    ok: false,
    failure: { message: 'tests can’t be stopped by itself. Stop outsider.' },
  })
  expect(
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId, agentId: one.id }),
  ).toMatchObject({ ok: true })
  await settled()
  expect(child('c-1')).toMatchObject({ status: 'stopped', stoppedBy: 'user', lastLine: 'Working. Canceled.' })
  expect(child('c-2')).toMatchObject({ status: 'completed', report: 'Still here.' })
  expect(troupe.runtime.state(conversationId, outsider())).toMatchObject({
    status: 'completed',
    report: 'One of two.',
  })
})

test('more work for a subagent is another run of the same agent', async () => {
  await begin('child-again')
  await settled()
  expect(children()).toHaveLength(1)
  const state = child('c-1')
  expect(state).toMatchObject({
    status: 'failed',
    failure: { message: 'Out of cheese' },
    definition: { name: 'routes again' },
  })
  expect(textsOf(state.id)).toEqual(['First.', 'Second.'])
  const ends = eventsOf(troupe, state.id).flatMap((event) =>
    event.type === 'agent-ended' ? [event.status] : [],
  )
  expect(ends).toEqual(['completed', 'failed'])
})

test('what has an unknown shape is passed over', async () => {
  await begin('odd-children')
  await settled()
  expect(children()).toHaveLength(1)
  expect(child('c-1')).toMatchObject({
    status: 'completed',
    definition: { name: 'Subagent' },
    report: 'Still here.',
    cwd: folder,
    child: { canStop: false },
  })
  expect(troupe.runtime.state(conversationId, outsider())).toMatchObject({
    status: 'completed',
    report: 'Done.',
  })
})

test('three that flood are kept apart', async () => {
  await begin('children-flood')
  await settled()
  for (const session of ['c-1', 'c-2', 'c-3'])
    expect(textsOf(child(session).id).join('')).toBe('x'.repeat(100_000))
})

test('a program that dies takes its subagents with it', async () => {
  await begin('child-dies')
  await settled()
  expect(troupe.runtime.state(conversationId, outsider())?.status).toBe('failed')
  expect(child('c-1')).toMatchObject({ status: 'failed', lastLine: 'Half' })
  expect(child('c-1').failure?.message).toContain('outsider')
})

test('a stop of the parent stops its subagents', async () => {
  await begin('child-hangs')
  await expect.poll(() => children().length).toBe(1)
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId, agentId: outsider() })
  await settled()
  expect(child('c-1')).toMatchObject({ status: 'stopped', stoppedBy: 'user' })
  expect(textsOf(child('c-1').id)).toEqual(['Working.'])
})

test('a subagent that the parent leaves behind ends with the session, and says so', async () => {
  await begin('child-left')
  await settled()
  expect(troupe.runtime.state(conversationId, outsider())).toMatchObject({
    status: 'completed',
    report: 'I do not wait.',
  })
  expect(child('c-1')).toMatchObject({ status: 'failed', lastLine: 'Working.' })
  expect(child('c-1').failure?.message).toBe('outsider ended before this subagent of it had ended.')
})
