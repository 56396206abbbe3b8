import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../ports/model.ts'
import { createMemoryBoard } from '../testing/memory-board.ts'
import { lastWords, type Script } from '../testing/scripted-model.ts'
import { type Call, childrenOf, eventsOf, script } from '../testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from '../testing/test-runtime.ts'

const member = (name: string, agent = 'general-purpose') => ({ name, agent, prompt: `You are ${name}.` })
const team = (...members: readonly object[]): Call => ['TeamCreate', { name: 'pay', members }]
const create = (subject: string, ...depends_on: string[]): Call => ['TaskCreate', { subject, depends_on }]
const update = (task_id: string, status: string): Call => ['TaskUpdate', { task_id, status }]
const record = (troupe: TestRuntime, id: string) => troupe.store.records.get(id)!
const tasksOf = (troupe: TestRuntime, id: string) =>
  record(troupe, id).tasks.map(({ status, owner }) => [status, nameOf(troupe, owner)])
const nameOf = (troupe: TestRuntime, agentId: string | null) =>
  childrenOf(troupe).find((child) => child.agentId === agentId)?.name ?? agentId
const is = (request: ModelRequest, name: string) =>
  JSON.stringify(request.messages[0]).includes(`You are ${name}.`)

/** What the program told an agent. */
const toldTo = (troupe: TestRuntime, agentId: string | undefined) =>
  eventsOf(troupe, agentId)
    .flatMap((event) =>
      event.type === 'user-message' && event.from === 'runtime' ? [JSON.stringify(event.content)] : [],
    )
    .join('\n')

const resume = (troupe: TestRuntime, conversationId: string) =>
  troupe.runtime.dispatch({
    type: 'team.resume',
    conversationId,
    teamId: record(troupe, conversationId).teams[0]!.id,
  })

/** Claims task 1 and then does what `then` says. */
const holder =
  (then: Script): Script =>
  (request, signal) => {
    const words = lastWords(request)
    if (words.includes('The user resumed you')) return { calls: [update('1', 'completed')] }
    if (words.includes('is yours')) return then(request, signal)
    return words.includes('You are ') ? { calls: [update('1', 'in_progress')] } : { text: 'Done.' }
  }

const untilStopped: Script = (_, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' })))

describe('a stuck team that the user resumes', () => {
  test('continues with the holder of a task that was stopped, who is told which tasks wait', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [create('one'), create('two', '1')] },
          { calls: [team(member('ada'))] },
          { text: 'I wait.' },
        ],
        holder(untilStopped),
      ),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('tool-ended', (event) => event.name === 'TaskUpdate')
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    await troupe.runtime.settled(id)
    expect(await resume(troupe, id)).toEqual({
      ok: true,
      value: { resumed: [agentId], released: [], told: false },
    })
    await troupe.runtime.settled(id)
    expect(toldTo(troupe, agentId)).toContain(
      'The user resumed you, because task 1 (one) is claimed for you and nobody works on it.',
    )
    expect(toldTo(troupe, agentId)).toContain('1 task can’t begin before that: task 2 (two).')
    expect(tasksOf(troupe, id)[0]).toEqual(['completed', 'ada'])
  })

  test('continues with a holder that ended its run without completing its task', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [{ calls: [create('one')] }, { calls: [team(member('ada'))] }, { text: 'I wait.' }],
        holder(() => ({ text: 'I wait for an answer.' })),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(tasksOf(troupe, id)).toEqual([['in_progress', 'ada']])
    expect(await resume(troupe, id)).toMatchObject({ ok: true, value: { released: [], told: false } })
    await troupe.runtime.settled(id)
    expect(tasksOf(troupe, id)).toEqual([['completed', 'ada']])
  })

  test('gives the task of an agent that takes no more messages to an idle member', async () => {
    const once = { ...testDefinitions[1]!, name: 'once', oneShot: true }
    const troupe: TestRuntime = createTestRuntime({
      definitions: [...testDefinitions, once],
      script: script(
        [{ calls: [create('one')] }, { calls: [team(member('eve', 'once'))] }, { text: 'I wait.' }],
        (request, signal) => {
          if (is(request, 'eve')) return holder(() => ({ text: 'I only read.' }))(request, signal)
          const words = lastWords(request)
          if (words.includes('is free')) return { calls: [update('1', 'in_progress')] }
          return words.includes('is yours')
            ? { calls: [update('1', 'completed')] }
            : { text: 'Nothing to do.' }
        },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(tasksOf(troupe, id)).toEqual([['in_progress', 'eve']])
    const { teams } = record(troupe, id)
    const added = await troupe.runtime.dispatch({
      type: 'team.addMember',
      conversationId: id,
      teamId: teams[0]!.id,
      name: 'kim',
      agent: 'general-purpose',
      prompt: 'You are kim.',
      backing: 'in-process',
    })
    expect(added).toMatchObject({ ok: true })
    await troupe.runtime.settled(id)
    expect(await resume(troupe, id)).toMatchObject({ ok: true, value: { resumed: [], released: ['1'] } })
    await troupe.runtime.settled(id)
    expect(tasksOf(troupe, id)).toEqual([['completed', 'kim']])
  })

  test('has its leader decide about free tasks that nobody takes and tasks behind a canceled one', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [create('one'), create('two', '1'), create('three')] },
          { calls: [team(member('ada'))] },
          { calls: [update('1', 'canceled')] },
          { text: 'I wait.' },
        ],
        () => ({ text: 'I can’t do this.' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(await resume(troupe, id)).toEqual({
      ok: true,
      value: { resumed: [], released: [], told: true },
    })
    await troupe.runtime.settled(id)
    const told = toldTo(troupe, record(troupe, id).mainAgentId)
    expect(told).toContain('- task 3 (three) is free, and nobody takes it.')
    expect(told).toContain('- task 2 (two) can never become free, because task 1 is canceled.')
    expect(told).toContain('Members: ada (completed).')
  })

  test('is refused if it is not stuck, or has ended', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script([{ calls: [team(member('ada'))] }, { text: 'I wait.' }], () => ({ text: 'Ready.' })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(await resume(troupe, id)).toMatchObject({ ok: false, failure: { type: 'not-stuck' } })
    const teamId = record(troupe, id).teams[0]!.id
    await troupe.runtime.dispatch({ type: 'team.end', conversationId: id, teamId, force: true })
    expect(await resume(troupe, id)).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  })

  test('also after the program died while the holder worked', async () => {
    const tasks = createMemoryBoard()
    const main = [{ calls: [create('one')] }, { calls: [team(member('ada'))] }, { text: 'I wait.' }]
    const before: TestRuntime = createTestRuntime({ tasks, script: script(main, holder(untilStopped)) })
    const id = await before.begin('Go')
    const { agentId } = await before.when('tool-ended', (event) => event.name === 'TaskUpdate')
    await before.when('request-started', (event) => event.agentId === agentId && event.turn === 2)
    const after: TestRuntime = createTestRuntime({
      tasks,
      store: before.store.afterCrash(),
      script: script([{ text: 'I wait.' }], holder(untilStopped)),
    })
    expect(await resume(after, id)).toMatchObject({ ok: true, value: { resumed: [agentId] } })
    await after.runtime.settled(id)
    expect(record(after, id).tasks).toMatchObject([{ status: 'completed', owner: agentId }])
  })
})
