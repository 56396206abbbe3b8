import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../ports/model.ts'
import { createMemoryMailbox } from '../testing/plain-ports.ts'
import { lastWords } from '../testing/scripted-model.ts'
import { type Call, childrenOf, echo, eventsOf, gate, isMain, script, turnOf } from '../testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from '../testing/test-runtime.ts'

const member = (name: string) => ({ name, agent: 'general-purpose', prompt: `You are ${name}.` })
const teamCreate = (...names: string[]): Call => ['TeamCreate', { name: 'pay', members: names.map(member) }]
const send = (to: string, message: string): Call => ['SendMessage', { to, message }]
/** The first request of a member. */
const isFirst = (request: ModelRequest, name: string) =>
  turnOf(request) === 1 && lastWords(request).endsWith(`You are ${name}.`)
const results = (troupe: TestRuntime, tool: string) =>
  troupe.events.flatMap((event) =>
    event.type === 'tool-ended' && event.name === tool ? [String(event.content)] : [],
  )
const idOf = (troupe: TestRuntime, name: string) =>
  childrenOf(troupe).find((child) => child.name === name)?.agentId ?? ''
const heard = (troupe: TestRuntime, agentId: string | undefined) =>
  eventsOf(troupe, agentId).filter((event) => event.type === 'user-message' && event.from === 'agent')

describe('SendMessage in a team', () => {
  test('to everyone: all members and the leader except the sender, with the state of each', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script([{ calls: [teamCreate('ada', 'bob', 'eve')] }, echo], (request) =>
        isFirst(request, 'eve')
          ? { calls: [send('*', 'Tests are red.')] }
          : { text: `heard ${lastWords(request)}` },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const [result] = results(troupe, 'SendMessage')
    expect(result).toContain('Sent to 3 of 3.')
    expect(result).toMatch(/- leader: (queued|resumed)\n- ada: (queued|resumed)\n- bob: (queued|resumed)$/)
    const main = troupe.events[0]?.agentId
    for (const agentId of [main, idOf(troupe, 'ada'), idOf(troupe, 'bob')]) {
      expect(heard(troupe, agentId)).toMatchObject([{ sender: idOf(troupe, 'eve') }])
      expect(JSON.stringify(heard(troupe, agentId))).toContain('Tests are red.')
    }
    expect(heard(troupe, idOf(troupe, 'eve'))).toEqual([])
    const copies = troupe.events.flatMap((event) =>
      event.type === 'user-message' && event.broadcast !== undefined ? [event.broadcast] : [],
    )
    expect(new Set(copies).size).toBe(1)
  })

  test('"leader" and names reach their agents, and an idle member is resumed', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script([{ calls: [teamCreate('ada', 'bob')] }, { text: 'I wait.' }, echo], (request) =>
        isFirst(request, 'bob')
          ? { calls: [send('leader', 'Which file?'), send('ADA', 'Look at b.')] }
          : { text: `heard ${lastWords(request)}` },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const main = troupe.events[0]?.agentId
    expect(JSON.stringify(heard(troupe, main))).toContain('Which file?')
    expect(troupe.runtime.state(id, idOf(troupe, 'ada'))?.report).toContain('Look at b.')
  })

  test.each([
    ['bobb', 'Not sent: there is no agent "bobb". Names: leader, ada, * (all).'],
    ['user', 'You can\'t write to the user. Write to "leader", which talks to the user.'],
  ])(
    'an unknown name (%s) is an error with the names there are, and nothing is kept',
    async (to, message) => {
      const mailbox = createMemoryMailbox()
      const troupe: TestRuntime = createTestRuntime({
        mailbox,
        script: script([{ calls: [teamCreate('ada', 'bob')] }, echo], (request) =>
          isFirst(request, 'bob') ? { calls: [send(to, 'x')] } : { text: 'ok' },
        ),
      })
      await troupe.runtime.settled(await troupe.begin('Go'))
      expect(results(troupe, 'SendMessage')).toEqual([message])
      expect(mailbox.messages).toEqual([])
    },
  )

  test('messages of one sender arrive in their order', async () => {
    const numbers = [...Array(20).keys()].map(String)
    const troupe: TestRuntime = createTestRuntime({
      script: script([{ calls: [teamCreate('ada', 'bob')] }, echo], (request) =>
        isFirst(request, 'bob')
          ? {
              calls: numbers.map((number) =>
                send(Number(number) % 3 === 0 ? '*' : 'ada', `number ${number}.`),
              ),
            }
          : { text: 'ok' },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const order = [...JSON.stringify(heard(troupe, idOf(troupe, 'ada'))).matchAll(/number (\d+)\./g)]
    expect(order.map(([, number]) => number)).toEqual(numbers)
  })
})

describe('a message that another process puts into the mailbox', () => {
  const message = (to: string, messageId = 'm-box', text = 'From outside.') => ({
    messageId,
    to,
    sender: 'a-elsewhere',
    content: [{ type: 'text' as const, text }],
    at: 1,
  })

  test('resumes an idle member, by its id and by its name, and is never in its transcript twice', async () => {
    const mailbox = createMemoryMailbox()
    const troupe: TestRuntime = createTestRuntime({
      mailbox,
      script: script([{ calls: [teamCreate('ada', 'bob')] }, echo], (request) => ({
        text: `heard ${lastWords(request)}`,
      })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const [ada, bob] = [idOf(troupe, 'ada'), idOf(troupe, 'bob')]
    await mailbox.put(message(ada))
    await mailbox.put(message('bob', 'm-name'))
    await troupe.when(
      'agent-ended',
      ({ agentId, report }) => agentId === ada && report.includes('From outside.'),
    )
    await troupe.when(
      'agent-ended',
      ({ agentId, report }) => agentId === bob && report.includes('From outside.'),
    )
    await troupe.runtime.settled(id)
    expect(mailbox.messages).toEqual([])
    // The other process did not learn that it was taken, and puts it again.
    await mailbox.put(message(ada))
    await mailbox.put(message(ada, 'm-last', 'Once more.'))
    await troupe.when(
      'agent-ended',
      ({ agentId, report }) => agentId === ada && report.includes('Once more.'),
    )
    await troupe.runtime.settled(id)
    expect(heard(troupe, ada)).toHaveLength(2)
    expect(mailbox.messages).toEqual([])
  })

  test('reaches an agent that works at its next turn, and the leader', async () => {
    const mailbox = createMemoryMailbox()
    const working = gate()
    const work = gate()
    const troupe: TestRuntime = createTestRuntime({
      mailbox,
      script: script([{ calls: [teamCreate('ada')] }, { text: 'I wait.' }, echo], async (request) => {
        if (turnOf(request) > 1) return { text: `heard ${lastWords(request)}` }
        working.open()
        await work.opened
        return { calls: [['TodoWrite', { todos: [] }]] }
      }),
    })
    const id = await troupe.begin('Go')
    await working.opened
    const ada = idOf(troupe, 'ada')
    await mailbox.put(message(ada))
    await new Promise((resolve) => setImmediate(resolve))
    expect(mailbox.messages).toEqual([])
    work.open()
    await troupe.runtime.settled(id)
    expect(eventsOf(troupe, ada).filter(({ type }) => type === 'agent-ended')).toHaveLength(1)
    expect(troupe.runtime.state(id, ada)?.report).toContain('From outside.')
    const main = troupe.events[0]?.agentId ?? ''
    await mailbox.put(message(main, 'm-main', 'To the leader.'))
    await troupe.when(
      'assistant-message',
      (event) => event.agentId === main && JSON.stringify(event.content).includes('To the leader.'),
    )
    await troupe.runtime.settled(id)
  })

  test('is not taken any more when the team has ended', async () => {
    const mailbox = createMemoryMailbox()
    const troupe: TestRuntime = createTestRuntime({
      mailbox,
      script: script(
        [
          { calls: [teamCreate('ada')] },
          { text: 'I wait.' },
          { calls: [['TeamDelete', { name: 'pay' }]] },
          echo,
        ],
        () => ({ text: 'ok' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(results(troupe, 'TeamDelete')[0]).toContain('The team pay has ended.')
    await mailbox.put(message(idOf(troupe, 'ada')))
    await new Promise((resolve) => setImmediate(resolve))
    expect(mailbox.messages).toHaveLength(1)
    expect(troupe.model.requests.filter((request) => !isMain(request))).toHaveLength(1)
  })
})
