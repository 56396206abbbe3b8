import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../ports/model.ts'
import { createMemoryBoard } from '../testing/memory-board.ts'
import { lastWords, type Scripted } from '../testing/scripted-model.ts'
import { type Call, childrenOf, echo, eventsOf, isMain, script } from '../testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from '../testing/test-runtime.ts'

const member = (name: string) => ({ name, agent: 'general-purpose', prompt: `You are ${name}.` })
const teamCreate = (...names: string[]): Call => ['TeamCreate', { name: 'pay', members: names.map(member) }]
const create = (subject: string, ...depends_on: string[]): Call => ['TaskCreate', { subject, depends_on }]
const update = (task_id: string, status: string): Call => ['TaskUpdate', { task_id, status }]
const record = (troupe: TestRuntime, id: string) => troupe.store.records.get(id)!
const statuses = (troupe: TestRuntime, id: string) => record(troupe, id).tasks.map(({ status }) => status)
const requestsOf = (troupe: TestRuntime, name: string) =>
  troupe.model.requests.filter((request) => JSON.stringify(request.messages[0]).includes(`You are ${name}.`))
const results = (troupe: TestRuntime, tool: string) =>
  troupe.events.flatMap((event) =>
    event.type === 'tool-ended' && event.name === tool ? [String(event.content)] : [],
  )
const toLeader = (troupe: TestRuntime) =>
  eventsOf(troupe, troupe.events[0]?.agentId).flatMap((event) =>
    event.type === 'user-message' && event.from === 'runtime' ? [JSON.stringify(event.content)] : [],
  )

/** Claims what it is offered, completes it, and takes the next free task. */
function worker(request: ModelRequest): Scripted {
  const words = lastWords(request)
  const mine = /Task (\d+) \([^)]*\) is yours/.exec(words)?.[1]
  if (mine !== undefined) return { calls: [update(mine, 'completed')] }
  const free = (/Free now: (\d+)/.exec(words) ?? /Task (\d+) is free/.exec(words))?.[1]
  return free === undefined ? { text: 'Nothing to do.' } : { calls: [update(free, 'in_progress')] }
}

describe('idle members', () => {
  test('are woken one for each free task, and cost nothing while none is free', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [teamCreate('ada', 'bob', 'eve')] }, { text: 'I wait.' }, { calls: [create('one')] }, echo],
        worker,
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.say(id, 'Add tasks.')
    await troupe.runtime.settled(id)
    expect(statuses(troupe, id)).toEqual(['completed'])
    // One of the three worked: claim, completion, end.
    const requests = ['ada', 'bob', 'eve'].map((name) => requestsOf(troupe, name).length)
    expect(requests.toSorted()).toEqual([1, 1, 4])
  })

  test('a completed task frees two: its owner takes one, and one idle member gets the other', async () => {
    const troupe = createTestRuntime({
      script: script(
        [
          { calls: [teamCreate('ada', 'bob', 'eve')] },
          { text: 'I wait.' },
          { calls: [create('one'), create('two', '1'), create('three', '1')] },
          echo,
        ],
        worker,
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.say(id, 'Add tasks.')
    await troupe.runtime.settled(id)
    expect(statuses(troupe, id)).toEqual(['completed', 'completed', 'completed'])
    expect(new Set(record(troupe, id).tasks.map(({ owner }) => owner)).size).toBe(2)
    expect(results(troupe, 'TaskUpdate').filter((text) => text.includes('already'))).toEqual([])
    const woken = troupe.events.filter(
      (event) => event.type === 'user-message' && event.note?.includes('is free'),
    )
    expect(woken).toHaveLength(2)
  })

  test('a task that each member declines once is told to the leader once', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [teamCreate('ada', 'bob')] }, { text: 'I wait.' }, { calls: [create('one')] }, echo],
        () => ({ text: 'I can’t do this.' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.say(id, 'Add tasks.')
    await troupe.runtime.settled(id)
    expect(requestsOf(troupe, 'ada')).toHaveLength(2)
    expect(requestsOf(troupe, 'bob')).toHaveLength(2)
    const told = toLeader(troupe).filter((text) => text.includes('no member takes it'))
    expect(told).toHaveLength(1)
    expect(told[0]).toContain(
      'Task 1 (one) is free, and no member takes it: ada (completed), bob (completed).',
    )
  })

  test('take a task that another process added to the board', async () => {
    const tasks = createMemoryBoard()
    const troupe = createTestRuntime({
      tasks,
      script: script([{ calls: [teamCreate('ada')] }, echo], worker),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await tasks.create(id, {
      teamId: null,
      subject: 'one',
      description: '',
      status: 'pending',
      owner: null,
      dependsOn: [],
      createdBy: null,
      createdAt: 1,
      claimedAt: null,
      endedAt: null,
    })
    await troupe.when('agent-ended', ({ seq }) => requestsOf(troupe, 'ada').length > 3 && seq > 5)
    await troupe.runtime.settled(id)
    expect(statuses(troupe, id)).toEqual(['completed'])
  })
})

describe('a claimed task', () => {
  const claims = (then: Scripted | ((request: ModelRequest) => Scripted)) => (request: ModelRequest) =>
    lastWords(request).includes('is yours')
      ? typeof then === 'function'
        ? then(request)
        : then
      : lastWords(request).includes('You are ada.')
        ? { calls: [update('1', 'in_progress')] }
        : worker(request)

  test('is released when its owner fails; another member takes it, and the leader is told', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [create('one')] }, { calls: [teamCreate('ada', 'bob')] }, { text: 'I wait.' }],
        (request) =>
          JSON.stringify(request.messages[0]).includes('You are ada.')
            ? claims({ failure: { type: 'auth', message: 'no' } })(request)
            : worker(request),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const bob = childrenOf(troupe).find(({ name }) => name === 'bob')?.agentId
    expect(record(troupe, id).tasks).toMatchObject([{ status: 'completed', owner: bob }])
    expect(toLeader(troupe).join()).toContain('had claimed 1 (one) and has ended without completing it')
  })

  test('stays with an owner that ends its run, and the leader is told', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [create('one')] }, { calls: [teamCreate('ada')] }, { text: 'I wait.' }],
        claims({ text: 'I wait for an answer.' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(statuses(troupe, id)).toEqual(['in_progress'])
    expect(toLeader(troupe).join()).toContain('has ended its run and still has 1 (one)')
  })

  test.each(['one agent', 'all'] as const)('is released when the user stops %s only', async (what) => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [{ calls: [create('one')] }, { calls: [teamCreate('ada')] }, { text: 'I wait.' }],
        (request, signal) =>
          lastWords(request).includes('is yours')
            ? new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' })))
            : claims({ text: '' })(request),
      ),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('tool-ended', (event) => event.name === 'TaskUpdate')
    if (what === 'all') await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    else await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    await troupe.runtime.settled(id)
    expect(statuses(troupe, id)).toEqual([what === 'all' ? 'in_progress' : 'pending'])
    // A stop wakes nobody.
    expect(troupe.model.requests.filter(isMain)).toHaveLength(3)
  })

  test('stays claimed when the program dies, and its owner continues it', async () => {
    const tasks = createMemoryBoard()
    const before: TestRuntime = createTestRuntime({
      tasks,
      script: script(
        [{ calls: [create('one')] }, { calls: [teamCreate('ada')] }, { text: 'I wait.' }],
        (request, signal) =>
          lastWords(request).includes('is yours')
            ? new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' })))
            : claims({ text: '' })(request),
      ),
    })
    const id = await before.begin('Go')
    const { agentId } = await before.when('tool-ended', (event) => event.name === 'TaskUpdate')
    await before.when('request-started', (event) => event.agentId === agentId && event.turn === 2)
    const after = createTestRuntime({
      tasks,
      store: before.store.afterCrash(),
      script: script([{ text: 'I wait.' }], (request) =>
        lastWords(request).includes('You still have task 1 (one).')
          ? { calls: [update('1', 'completed')] }
          : { text: 'Done.' },
      ),
    })
    expect(await after.runtime.dispatch({ type: 'conversation.continue', conversationId: id })).toMatchObject(
      { ok: true },
    )
    await after.runtime.settled(id)
    expect(record(after, id).teams).toMatchObject([
      { name: 'pay', endedAt: null, members: [{ name: 'ada' }] },
    ])
    expect(record(after, id).tasks).toMatchObject([{ status: 'completed', owner: agentId }])
  })
})
