import { describe, expect, test } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { MailboxMessage } from './ports/ports.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { createMemoryMailbox } from './testing/plain-ports.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const send = (to: string | undefined, message: string) => ['SendMessage', { to, message }] as const
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)
const messagesTo = (troupe: TestRuntime, agentId: string | undefined) =>
  eventsOf(troupe, agentId).filter((event) => event.type === 'user-message' && event.from === 'agent')

/** A subagent that has a queued message in its only turn, which ends when `work` opens. */
async function messagedAtWork() {
  const work = gate()
  const troupe = createTestRuntime({
    script: script([{ calls: [agentCall('one')] }, echo], async (request) => {
      if (request.messages.length === 1) await work.opened
      return { text: `heard ${lastWords(request)}` }
    }),
  })
  const id = await troupe.begin('Go')
  const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
  await troupe.when('request-started', (event) => event.agentId === agentId)
  await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId,
    content: 'Wait!',
  })
  return { work, troupe, id, agentId }
}

describe('SendMessage', () => {
  test('to a running agent: it becomes part of its next turn', async () => {
    const work = gate()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one', { run_in_background: true, name: 'ada' })] },
          { calls: [send('ada', 'Look at b, too.')] },
          () => {
            work.open()
            return { text: 'I wait.' }
          },
          echo,
        ],
        async (request) => {
          if (request.messages.length > 1) return { text: lastWords(request) }
          await work.opened
          return { calls: [['TodoWrite', { todos: [] }]] }
        },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [child] = childrenOf(troupe)
    const told = lastWords(mainRequests(troupe)[2]!)
    expect(told).toContain('Your message becomes part of the next turn')
    expect(messagesTo(troupe, child?.agentId)).toMatchObject([{ sender: troupe.events[0]?.agentId }])
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('Look at b, too.')
    const display = troupe.events.find((event) => event.type === 'tool-ended' && event.name === 'SendMessage')
    expect(display).toMatchObject({ display: { kind: 'message', to: child?.agentId, how: 'queued' } })
  })

  test('to an ended agent: it resumes the agent, and the sender gets a notice of the end', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one')] },
          () => ({ calls: [send(childrenOf(troupe)[0]?.agentId, 'One more thing.')] }),
          { text: 'I wait.' },
          echo,
        ],
        (request) => ({ text: `heard ${lastWords(request)}` }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(mainRequests(troupe)[2]!)).toContain('had ended and was resumed with your message')
    expect(lastWords(mainRequests(troupe).at(-1)!)).toMatch(/heard .*One more thing/s)
    expect(childrenOf(troupe)).toHaveLength(1)
  })

  test('to an agent that is about to start: it starts once and reads the message', async () => {
    const store = createMemoryStore()
    const { open } = store
    const slow = gate()
    store.open = async (record) => {
      const opened = await open(record)
      if (!opened.ok) return opened
      const log = opened.value
      // Writing the subagent's first event is slow.
      const flush = async (id: string) => {
        if (id !== record.mainAgentId) await slow.opened
        return log.flush(id)
      }
      return ok({ ...log, flush })
    }
    const troupe: TestRuntime = createTestRuntime({
      store,
      script: script([{ calls: [agentCall('one', { run_in_background: true })] }, echo], (request) => ({
        text: `heard ${lastWords(request)}`,
      })),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
    const content = [{ type: 'text', text: 'Look at b, too.' }] as const
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content,
    })
    slow.open()
    expect(sent.ok).toBe(true)
    await troupe.runtime.settled(id)
    expect(eventsOf(troupe, agentId).filter(({ type }) => type === 'request-started')).toHaveLength(1)
    expect(eventsOf(troupe, agentId).filter(({ type }) => type === 'agent-ended')).toHaveLength(1)
    expect(JSON.stringify(eventsOf(troupe, agentId))).toContain('Look at b, too.')
  })

  test('to an unknown name: it is kept, and read when such an agent starts', async () => {
    const mailbox = createMemoryMailbox()
    const first = createTestRuntime({
      mailbox,
      script: script([{ calls: [send('bob', 'Hello.')] }, echo], echo),
    })
    await first.runtime.settled(await first.begin('Go'))
    expect(lastWords(mainRequests(first).at(-1)!)).toContain('kept in the mailbox')
    expect(mailbox.messages).toHaveLength(1)

    const second = createTestRuntime({
      mailbox,
      script: script([{ calls: [agentCall('one', { name: 'bob' })] }, echo], echo),
    })
    await second.runtime.settled(await second.begin('Go'))
    expect(lastWords(mainRequests(second).at(-1)!)).toContain('Hello.')
    expect(mailbox.messages).toEqual([])
  })

  test('a mailbox message that the transcript contains is not read again', async () => {
    const mailbox = createMemoryMailbox()
    const troupe = createTestRuntime({ mailbox, script: echo })
    const id = await troupe.begin('Go')
    const state = await troupe.runtime.settled(id)
    const message: MailboxMessage = {
      messageId: 'm-mailbox',
      to: state.id,
      sender: null,
      content: [{ type: 'text', text: 'A mailbox message.' }],
      at: 1,
    }
    mailbox.messages.push(message)
    const { done } = mailbox
    mailbox.done = async (name, ids) => {
      // Only messages whose record survives a crash count as read.
      const queued = troupe.store.afterCrash().records.get(id)?.queued ?? []
      expect(queued.some(({ messageId }) => messageId === 'm-mailbox')).toBe(true)
      await done(name, ids)
    }
    await troupe.say(id, 'Anything new?')
    await troupe.runtime.settled(id)
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('A mailbox message.')
    // The program died before the mailbox recorded the read.
    mailbox.done = done
    mailbox.messages.push(message)
    const after = createTestRuntime({ mailbox, store: troupe.store.afterCrash(), script: echo })
    await after.say(id, 'And now?')
    await after.runtime.settled(id)
    expect(lastWords(after.model.requests.at(-1)!)).toBe('And now?')
    expect(mailbox.messages).toEqual([])
  })

  test('of two agents with one name in two conversations, only one gets a mailbox message', async () => {
    const mailbox = createMemoryMailbox()
    const { take } = mailbox
    const both = gate()
    let takers = 0
    mailbox.take = async (name) => {
      if (name === 'bob' && ++takers === 2) both.open()
      const taken = await take(name)
      return taken
    }
    await mailbox.put({
      messageId: 'm-1',
      to: 'bob',
      sender: null,
      content: [{ type: 'text', text: 'Once.' }],
      at: 1,
    })
    const troupe = createTestRuntime({
      mailbox,
      script: script([{ calls: [agentCall('one', { name: 'bob' })] }, echo], (request) => ({
        text: JSON.stringify(request.messages).includes('Once.') ? 'got it' : 'nothing',
      })),
    })
    const ids = [await troupe.begin('Go'), await troupe.begin('Go')]
    for (const id of ids) await troupe.runtime.settled(id)
    await both.opened
    const told = mainRequests(troupe).map(lastWords).join('\n')
    expect(told.match(/got it/g)).toHaveLength(1)
    expect(told.match(/nothing/g)).toHaveLength(1)
  })

  test.each(['main', 'parent', 'id'] as const)('from a subagent to its parent, named by %s', async (kind) => {
    const mailbox = createMemoryMailbox()
    const troupe: TestRuntime = createTestRuntime({
      mailbox,
      definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', tools: ['SendMessage'] }],
      script: script(
        [{ calls: [agentCall('look', { subagent_type: 'w', name: 'ada' })] }, echo],
        (request) =>
          request.messages.length > 1
            ? { text: lastWords(request) }
            : { calls: [send(kind === 'id' ? troupe.events[0]?.agentId : kind, 'Found b.')] },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(mailbox.messages).toEqual([])
    const told = lastWords(mainRequests(troupe).at(-1)!)
    const [ada] = childrenOf(troupe)
    expect(told).toContain(
      `A message from the agent w "ada" (look), id ${ada?.agentId}. An agent wrote this, not the user.\n\nFound b.`,
    )
    expect(told).toContain('Your message becomes part of the next turn of main')
  })

  test('a sender is promised a notice of the end only where it gets one', async () => {
    const troupe: TestRuntime = createTestRuntime({
      definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', tools: ['SendMessage'] }],
      script: script(
        [
          { calls: [agentCall('one', { name: 'bob' })] },
          { calls: [agentCall('two', { subagent_type: 'w' })] },
          { calls: [send('bob', 'From main.')] },
          echo,
        ],
        (request) =>
          lastWords(request).startsWith('Do two.')
            ? { calls: [send('bob', 'From two.')] }
            : { text: lastWords(request) },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const results = troupe.events.flatMap((event) =>
      event.type === 'tool-ended' && event.name === 'SendMessage' ? [String(event.content)] : [],
    )
    expect(results[0]).toContain('its report goes to the agent that started it, not to you.')
    expect(results[1]).toMatch(/a notice brings you its report when it ends\.|becomes part of the next turn/)
  })

  test.each(['bob', 'BOB', 'main', 'Parent'])('a second agent with the name %s is refused', async (name) => {
    const calls = [agentCall('one', { name: 'bob' }), agentCall('two', { name })]
    const troupe = createTestRuntime({ script: script([{ calls }, echo], () => ({ text: 'done' })) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toHaveLength(1)
    const told = lastWords(mainRequests(troupe).at(-1)!)
    expect(told).toMatch(
      /Not started: the name ".+" (?:belongs to the agent a-\d+ \(general-purpose "bob" \(one\)\)|is reserved)/,
    )
    expect(told).toContain('Choose another name')
  })

  test('to itself, to a missing team, or to a one-shot agent is refused', async () => {
    const troupe: TestRuntime = createTestRuntime({
      definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'once', oneShot: true }],
      script: script(
        [
          { calls: [agentCall('one', { subagent_type: 'once' })] },
          (request) => ({
            calls: [
              send(troupe.events[0]?.agentId, 'x'),
              send('*', 'x'),
              send(childrenOf(troupe)[0]?.agentId, `${request.messages.length}`),
              send('../etc', 'x'),
            ],
          }),
          echo,
        ],
        () => ({ text: 'once' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const told = lastWords(mainRequests(troupe)[2]!)
    expect(told).toContain('You wrote to yourself')
    expect(told).toContain('There is no team here')
    expect(told).toContain('has given its one report')
    // The user can still resume it.
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: childrenOf(troupe)[0]?.agentId ?? '',
      content: 'But why?',
    })
    expect(sent).toMatchObject({ ok: true })
  })

  test('a plain subagent has the tool only if its definition names it', async () => {
    const troupe = createTestRuntime({
      definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', tools: ['SendMessage'] }],
      script: script(
        [{ calls: [agentCall('one'), agentCall('two', { subagent_type: 'w' })] }, echo],
        (request) => ({ text: `has ${request.tools.map(({ name }) => name).includes('SendMessage')}` }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const told = lastWords(mainRequests(troupe).at(-1)!)
    expect(told).toContain('has false')
    expect(told).toContain('has true')
  })

  test('a message during an agent’s last turn is read before the end', async () => {
    const { work, troupe, id } = await messagedAtWork()
    work.open()
    await troupe.runtime.settled(id)
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('heard Wait!')
  })

  test('a message while the end is being written is read too', async () => {
    const store = createMemoryStore()
    const { open } = store
    let speak = () => {}
    store.open = async (record) => {
      const opened = await open(record)
      if (!opened.ok) return opened
      const { flush } = opened.value
      const slow: typeof flush = async (agentId) => {
        const last = store.logs.get(agentId)?.at(-1)
        if (last?.type === 'agent-ended' && last.report === 'heard Do one.') {
          speak()
          await new Promise((resolve) => setImmediate(resolve))
        }
        return flush(agentId)
      }
      return ok({ ...opened.value, flush: slow })
    }
    const troupe = createTestRuntime({
      store,
      script: script([{ calls: [agentCall('one')] }, echo], (request) => ({
        text: `heard ${lastWords(request)}`,
      })),
    })
    const created = await troupe.runtime.dispatch({
      type: 'conversation.create',
      folder: FOLDER,
      model: 'sonnet',
      permissionMode: 'default',
    })
    const id = created.ok ? created.value.id : ''
    speak = () => {
      speak = () => {}
      const agentId = childrenOf(troupe)[0]?.agentId ?? ''
      void troupe.runtime.dispatch({
        type: 'conversation.send',
        conversationId: id,
        agentId,
        content: 'Wait!',
      })
    }
    await troupe.say(id, 'Go')
    await troupe.when('agent-ended', ({ report }) => report.includes('heard Wait!'))
    await troupe.runtime.settled(id)
    const seqs = (store.logs.get(childrenOf(troupe)[0]?.agentId ?? '') ?? []).map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs.keys()])
    expect(store.records.get(id)?.queued).toEqual([])
  })

  test('a message in transit when the program died resumes its receiver', async () => {
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], (request) => ({
        text: `heard ${lastWords(request)}`,
      })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const agentId = childrenOf(troupe)[0]?.agentId ?? ''
    const store = troupe.store.afterCrash()
    const record = store.records.get(id)
    const content = [{ type: 'text' as const, text: 'One more thing.' }]
    const message = { messageId: 'm-late', agentId, from: 'agent' as const, sender: 'a-main', content }
    if (record) store.records.set(id, { ...record, queued: [message] })
    const after = createTestRuntime({ store, script: echo })
    await after.say(id, 'Are you there?')
    await after.runtime.settled(id)
    expect(after.runtime.state(id, agentId)?.report).toContain('One more thing.')
    expect(store.records.get(id)?.queued).toEqual([])
  })

  test('a message that an ended agent read is not read again if the record was saved too early', async () => {
    const { work, troupe, id, agentId } = await messagedAtWork()
    const early = structuredClone(troupe.store.records.get(id))
    work.open()
    await troupe.runtime.settled(id)

    const store = troupe.store.afterCrash()
    const late = store.records.get(id)
    if (early && late) store.records.set(id, { ...late, queued: early.queued })
    const after = createTestRuntime({ store, script: echo })
    await after.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: 'And now?',
    })
    await after.when('agent-ended', (event) => event.agentId === agentId)
    expect(lastWords(after.model.requests.at(-1)!)).toBe('And now?')
    expect((await after.runtime.snapshot(id)).ok && store.records.get(id)?.queued).toEqual([])
  })

  describe('after a crash, before anyone opens the conversation', () => {
    /** A conversation whose record still lists these messages. */
    async function crashed(...messages: readonly (readonly [messageId: string, agentId: string | null])[]) {
      const troupe = createTestRuntime({ script: echo })
      const id = await troupe.begin('Go')
      await troupe.runtime.settled(id)
      const store = troupe.store.afterCrash()
      const record = store.records.get(id)!
      const read = eventsOf(troupe, record.mainAgentId).find(({ type }) => type === 'user-message')
      const queued = messages.map(([messageId, agentId]) => ({
        messageId: messageId === 'read' && read?.type === 'user-message' ? read.messageId : messageId,
        agentId: agentId ?? record.mainAgentId,
        from: 'user' as const,
        sender: null,
        content: [{ type: 'text' as const, text: `This is ${messageId}.` }],
      }))
      store.records.set(id, { ...record, queued })
      const after = createTestRuntime({ store, script: echo })
      const waiting = async () => {
        const snapshot = await after.runtime.snapshot(id)
        if (!snapshot.ok) throw new Error(snapshot.failure.message)
        return snapshot.value.record.queued.map(({ messageId, agentId }) => [messageId, agentId])
      }
      return { id, after, store, waiting, main: record.mainAgentId }
    }

    test('messages that no agent has read are shown as queued', async () => {
      const { waiting, main, after, id } = await crashed(
        ['read', null],
        ['m-new', null],
        ['m-lost', 'a-lost'],
      )
      const expected = [
        ['m-new', main],
        ['m-lost', main],
      ]
      expect(await waiting()).toEqual(expected)
      // Opening the conversation changes nothing about it.
      await after.runtime.dispatch({ type: 'conversation.setModel', conversationId: id, effort: null })
      expect(await waiting()).toEqual(expected)
    })

    test('a message can be taken back, and is not read', async () => {
      const { id, after, store, waiting } = await crashed(['m-new', null], ['m-other', null])
      expect(
        await after.runtime.dispatch({
          type: 'conversation.unqueue',
          conversationId: id,
          messageId: 'm-new',
        }),
      ).toEqual(ok({ text: 'This is m-new.' }))
      expect(await waiting()).toMatchObject([['m-other', expect.anything()]])
      await after.say(id, 'And now?')
      await after.runtime.settled(id)
      expect(lastWords(after.model.requests.at(-1)!)).toBe('This is m-other.\nAnd now?')
      expect(store.records.get(id)?.queued).toEqual([])
    })
  })

  test('no message is lost if the program dies while a message is taken', async () => {
    const work = gate()
    const store = createMemoryStore()
    const { open } = store
    let crashed: ReturnType<typeof store.afterCrash> | null = null
    store.open = async (record) => {
      const opened = await open(record)
      if (!opened.ok) return opened
      const log = opened.value
      const flush = async (id: string) => {
        const isTakenIn = JSON.stringify(store.logs.get(id) ?? []).includes('Look at b, too.')
        // Other writes finish before this one reaches the disk.
        await new Promise((resolve) => setImmediate(resolve))
        if (isTakenIn) crashed ??= store.afterCrash()
        return log.flush(id)
      }
      return ok({ ...log, flush })
    }
    const troupe = createTestRuntime({
      store,
      script: async (request) => {
        if (request.messages.length > 1) return { text: 'done' }
        await work.opened
        return { calls: [['TodoWrite', { todos: [] }]] }
      },
    })
    const id = await troupe.begin('Go')
    await troupe.when('request-started')
    await troupe.say(id, 'Look at b, too.')
    work.open()
    await troupe.runtime.settled(id)
    expect(store.records.get(id)?.queued).toEqual([])

    if (crashed === null) throw new Error('The words were never taken in.')
    const after = createTestRuntime({ store: crashed, script: echo })
    await after.say(id, 'And now?')
    await after.runtime.settled(id)
    expect(JSON.stringify(after.model.requests.at(-1)?.messages).match(/Look at b, too/g)).toHaveLength(1)
  })

  test('messages are unread until their answer has arrived', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: async () => {
        await work.opened
        return { text: 'ok' }
      },
    })
    const id = await troupe.begin('Go')
    const { messageId, agentId } = await troupe.when('user-message')
    await troupe.when('request-started')
    expect(troupe.runtime.state(id, agentId)?.unread).toEqual([messageId])
    work.open()
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, agentId)?.unread).toEqual([])
  })
})

test('an answer to a message that came during the last turn follows the report', async () => {
  const troupe: TestRuntime = createTestRuntime({
    script: script([{ calls: [agentCall('one')] }, echo], async (request) => {
      if (request.messages.length > 1) return { text: 'Nothing to add.' }
      const [child] = childrenOf(troupe)
      const content = [{ type: 'text', text: 'By the way' }] as const
      await troupe.runtime.dispatch({
        type: 'conversation.send',
        conversationId: id,
        agentId: child?.agentId ?? '',
        content,
      })
      return { text: 'The report.' }
    }),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  expect(lastWords(troupe.model.requests.filter(isMain).at(-1)!)).toContain('The report.\n\nNothing to add.')
})
