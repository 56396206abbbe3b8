import { describe, expect, test } from 'vitest'
import { lastWords } from '../testing/scripted-model.ts'
import { type Call, childrenOf, echo, gate, script } from '../testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from '../testing/test-runtime.ts'

const member = (name: string) => ({ name, agent: 'general-purpose', prompt: `You are ${name}.` })
const teamCreate = (...names: string[]): Call => ['TeamCreate', { name: 'pay', members: names.map(member) }]

async function withTeam(child = (words: string): string => `heard ${words}`) {
  const troupe: TestRuntime = createTestRuntime({
    script: script([{ calls: [teamCreate('ada', 'bob')] }, echo], (request) => ({
      text: child(lastWords(request)),
    })),
  })
  const conversationId = await troupe.begin('Go')
  await troupe.runtime.settled(conversationId)
  const [ada, bob] = childrenOf(troupe).map(({ agentId }) => agentId)
  const record = () => troupe.store.records.get(conversationId)!
  const teamId = record().teams[0]!.id
  return { troupe, conversationId, teamId, ada: ada!, bob: bob!, record }
}

describe('the user', () => {
  test('writes one message to several agents: idle ones are resumed', async () => {
    const { troupe, conversationId, ada, bob, record } = await withTeam()
    const { mainAgentId } = record()
    const sent = await troupe.runtime.dispatch({
      type: 'team.send',
      conversationId,
      agentIds: [ada, bob, mainAgentId, ada],
      content: 'Stop at noon.',
    })
    expect(sent).toMatchObject({
      ok: true,
      value: [{ agentId: ada }, { agentId: bob }, { agentId: mainAgentId }],
    })
    await troupe.runtime.settled(conversationId)
    const copies = troupe.events.filter(
      (event) => event.type === 'user-message' && event.broadcast !== undefined,
    )
    expect(copies).toHaveLength(3)
    expect(new Set(copies.map((event) => event.type === 'user-message' && event.broadcast)).size).toBe(1)
    expect(troupe.runtime.state(conversationId, ada)?.report).toBe('heard Stop at noon.')
  })

  test('writes to all although some can’t get it; the conversation keeps who does not, and why', async () => {
    const { troupe, conversationId, ada, record } = await withTeam()
    const sent = await troupe.runtime.dispatch({
      type: 'team.send',
      conversationId,
      agentIds: ['a-no', ada],
      content: 'Stop at noon.',
    })
    expect(sent).toMatchObject({ ok: true, value: [{ agentId: ada }] })
    await troupe.runtime.settled(conversationId)
    expect(record().refusals).toEqual([
      {
        broadcast: expect.any(String),
        agentId: 'a-no',
        reason: 'There is no such agent in this conversation.',
      },
    ])
    const copy = troupe.events.find((event) => event.type === 'user-message' && event.broadcast !== undefined)
    expect(copy).toMatchObject({ broadcast: record().refusals[0]?.broadcast })
  })

  test('does not wake an agent that has given its one report', async () => {
    const once = { ...testDefinitions[1]!, name: 'once', oneShot: true }
    const troupe: TestRuntime = createTestRuntime({
      definitions: [...testDefinitions, once],
      script: script(
        [
          {
            calls: [
              ['TeamCreate', { name: 'pay', members: [member('ada'), { ...member('eve'), agent: 'once' }] }],
            ],
          },
          echo,
        ],
        () => ({ text: 'My report.' }),
      ),
    })
    const conversationId = await troupe.begin('Go')
    await troupe.runtime.settled(conversationId)
    const agentIds = childrenOf(troupe).map(({ agentId }) => agentId)
    const send = (to: string[]) =>
      troupe.runtime.dispatch({ type: 'team.send', conversationId, agentIds: to, content: 'More?' })
    expect(await send(agentIds)).toMatchObject({ ok: true, value: [{ agentId: agentIds[0] }] })
    const reason = 'It has given its one report and takes no more messages.'
    expect(await send(agentIds.slice(1))).toMatchObject({ ok: false, failure: { message: reason } })
    await troupe.runtime.settled(conversationId)
    expect(troupe.store.records.get(conversationId)?.refusals).toMatchObject([
      { agentId: agentIds[1], reason },
    ])
  })

  test('gets a failure if nobody received the message', async () => {
    const { troupe, conversationId } = await withTeam()
    const content = [{ type: 'text', text: 'x' }] as const
    expect(
      await troupe.runtime.dispatch({ type: 'team.send', conversationId, agentIds: ['a-no'], content }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
  })

  test('adds a member, or learns what is wrong with it', async () => {
    const { troupe, conversationId, teamId, record } = await withTeam()
    const add = (name: string, agent = 'general-purpose') =>
      troupe.runtime.dispatch({
        type: 'team.addMember',
        conversationId,
        teamId,
        name,
        agent,
        prompt: 'Help.',
        backing: 'in-process',
      })
    expect(await add('eve')).toMatchObject({ ok: true })
    await troupe.runtime.settled(conversationId)
    expect(record().teams[0]?.members.map(({ name }) => name)).toEqual(['ada', 'bob', 'eve'])
    expect(childrenOf(troupe)[2]).toMatchObject({ name: 'eve', teamId, background: true, bubbles: true })
    expect(await add('Eve')).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('belongs to') },
    })
    expect(await add('kim', 'wizard')).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('There is no agent "wizard"') },
    })
    expect(childrenOf(troupe)).toHaveLength(3)
  })

  test('creates, gives, takes back, completes and cancels tasks', async () => {
    const { troupe, conversationId, ada, record } = await withTeam()
    const { dispatch } = troupe.runtime
    const create = (subject: string, dependsOn: string[] = []) =>
      dispatch({ type: 'task.create', conversationId, subject, description: 'Carefully.', dependsOn })
    expect(await create('one')).toMatchObject({
      ok: true,
      value: { id: '1', createdBy: null, status: 'pending' },
    })
    expect(await create('two', ['1'])).toMatchObject({ ok: true, value: { id: '2', dependsOn: ['1'] } })
    expect(await create('bad', ['9'])).toMatchObject({ ok: false, failure: { type: 'invalid' } })
    await troupe.runtime.settled(conversationId)
    expect(await dispatch({ type: 'task.update', conversationId, taskId: '1', owner: ada })).toMatchObject({
      ok: true,
      value: { status: 'in_progress', owner: ada },
    })
    await troupe.runtime.settled(conversationId)
    // The idle member was resumed with the task.
    expect(troupe.runtime.state(conversationId, ada)?.report).toContain(
      'The user gave you task 1 (one). It is claimed for you: do it, and set it to "completed".\nCarefully.',
    )
    expect(
      await dispatch({ type: 'task.update', conversationId, taskId: '2', status: 'in_progress', owner: ada }),
    ).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('waits for task 1 (in progress, ada)') },
    })
    expect(
      await dispatch({ type: 'task.update', conversationId, taskId: '1', status: 'pending' }),
    ).toMatchObject({
      ok: true,
      value: { owner: null },
    })
    expect(
      await dispatch({ type: 'task.update', conversationId, taskId: '1', status: 'completed' }),
    ).toMatchObject({ ok: true })
    expect(
      await dispatch({ type: 'task.update', conversationId, taskId: '2', status: 'canceled' }),
    ).toMatchObject({ ok: true })
    expect(
      await dispatch({ type: 'task.update', conversationId, taskId: '7', status: 'canceled' }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
    expect(await dispatch({ type: 'task.update', conversationId, taskId: '2', owner: 'a-no' })).toMatchObject(
      {
        ok: false,
        failure: { type: 'not-found' },
      },
    )
    expect(record().tasks.map(({ status }) => status)).toEqual(['completed', 'canceled'])
    await troupe.runtime.settled(conversationId)
  })

  test('takes a task from a member that works, which is told', async () => {
    const working = gate()
    const work = gate()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [{ calls: [['TaskCreate', { subject: 'one' }]] }, { calls: [teamCreate('ada')] }, echo],
        async (request) => {
          const words = lastWords(request)
          if (words.includes('You are ada.'))
            return { calls: [['TaskUpdate', { task_id: 1, status: 'in_progress' }]] }
          if (!words.includes('is yours')) return { text: `heard ${words}` }
          working.open()
          await work.opened
          return { calls: [['TodoWrite', { todos: [] }]] }
        },
      ),
    })
    const conversationId = await troupe.begin('Go')
    await working.opened
    await troupe.runtime.dispatch({ type: 'task.update', conversationId, taskId: '1', status: 'canceled' })
    work.open()
    await troupe.runtime.settled(conversationId)
    expect(troupe.runtime.state(conversationId, childrenOf(troupe)[0]!.agentId)?.report).toContain(
      'The user changed task 1 (one): it is canceled. Stop working on it.',
    )
  })
})

describe('the end of a team', () => {
  test('of idle members is immediate, and the event is the last one', async () => {
    const { troupe, conversationId, teamId, record } = await withTeam()
    const types: string[] = []
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'conversation-event') types.push(delta.event.type)
    })
    expect(
      await troupe.runtime.dispatch({ type: 'team.end', conversationId, teamId, force: false }),
    ).toMatchObject({ ok: true })
    const [team] = record().teams
    expect(team).toMatchObject({ members: [] })
    expect(team?.endedAt).not.toBeNull()
    expect(types).toEqual(['team-ending', 'team-member-removed', 'team-member-removed', 'team-ended'])
    expect(
      await troupe.runtime.dispatch({ type: 'team.end', conversationId, teamId, force: false }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
  })
})
