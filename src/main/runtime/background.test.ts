import { describe, expect, test } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { RuntimeDelta } from './ports/runtime.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, testDefinitions } from './testing/test-runtime.ts'

const inBackground = { run_in_background: true }
const mainRequests = (troupe: ReturnType<typeof createTestRuntime>) => troupe.model.requests.filter(isMain)

describe('a background agent', () => {
  test('its call returns at once, and its end wakes the main agent once', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one', inBackground)] }, { text: 'I go on.' }], async () => {
        await work.opened
        return { text: 'found it' }
      }),
    })
    const id = await troupe.begin('Go')
    await troupe.when('status-changed', (event) => event.waitingFor === 'message' && event.seq > 3)
    const [child] = childrenOf(troupe)
    expect(lastWords(mainRequests(troupe)[1]!)).toContain(
      `The agent general-purpose (one) works in the background; its id is ${child?.agentId}.`,
    )
    // The agent may not read the log.
    expect(lastWords(mainRequests(troupe)[1]!)).not.toContain('transcript.jsonl')
    expect(child).toMatchObject({ background: true, bubbles: false })

    work.open()
    const state = await troupe.runtime.settled(id)
    expect(state).toMatchObject({ status: 'waiting', waitingFor: 'message' })
    const notices = troupe.events.filter((event) => event.type === 'user-message' && event.from === 'runtime')
    expect(notices).toMatchObject([{ agentId: state.id, sender: child?.agentId }])
    const told = lastWords(mainRequests(troupe)[2]!)
    expect(told).toContain('An agent that worked in the background has ended')
    expect(told).toContain('found it')
    expect(told).toContain('An agent wrote this, not the user')
    expect(told).toMatch(/1 turn · \d+ tokens/)
    expect(mainRequests(troupe)).toHaveLength(3)
    // While it waits for the agent, its prompt is kept for an hour.
    expect(mainRequests(troupe).map(({ cacheFor }) => cacheFor)).toEqual(['5m', '1h', '5m'])
    expect(troupe.model.requests.filter((request) => !isMain(request))).toMatchObject([{ cacheFor: '5m' }])
  })

  test('can be required by a definition, and has only the background tools', async () => {
    const troupe = createTestRuntime({
      definitions: [
        ...testDefinitions,
        { ...testDefinitions[1]!, name: 'watcher', background: true, tools: ['Read', 'Agent(Explore)'] },
      ],
      script: script(
        [{ calls: [agentCall('one', { subagent_type: 'watcher' })] }, { text: 'I go on.' }],
        (request) => ({ text: request.tools.map(({ name }) => name).join() }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)[0]?.background).toBe(true)
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('\n\nRead\n\n')
  })

  test('a permission request is denied with the reason, unless the agent bubbles', async () => {
    const run = async (mode: 'bubble' | null) => {
      const troupe = createTestRuntime({
        definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', permissionMode: mode }],
        script: script(
          [{ calls: [agentCall('one', { ...inBackground, subagent_type: 'w' })] }, { text: 'I go on.' }],
          (request) =>
            request.messages.length > 1
              ? { text: lastWords(request) }
              : { calls: [['Bash', { command: 'make' }]] },
        ),
      })
      const id = await troupe.begin('Go')
      return { troupe, id }
    }
    const quiet = await run(null)
    await quiet.troupe.runtime.settled(quiet.id)
    expect(quiet.troupe.events.some((event) => event.type === 'permission-asked')).toBe(false)
    expect(lastWords(mainRequests(quiet.troupe).at(-1)!)).toContain('you work in the background')
    expect(lastWords(mainRequests(quiet.troupe).at(-1)!)).toMatch(/The rule \S+ would allow this/)

    const loud = await run('bubble')
    const { agentId, requestId } = await loud.troupe.when('permission-asked')
    await loud.troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: loud.id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    await loud.troupe.runtime.settled(loud.id)
    expect(lastWords(mainRequests(loud.troupe).at(-1)!)).toContain('ran make')
  })

  test('moved by the user: the call returns, the agent keeps its tools, may ask, and its parent gets a notice', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, { text: 'I go on.' }], async (request) => {
        if (request.messages.length > 1) return { text: lastWords(request) }
        await work.opened
        return { calls: [['Bash', { command: 'make' }]] }
      }),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('request-started', (event) => event.agentId !== mainId(troupe))
    expect(
      await troupe.runtime.dispatch({ type: 'agent.toBackground', conversationId: id, agentId }),
    ).toMatchObject({ ok: true })
    await troupe.when('assistant-message', (event) => JSON.stringify(event.content).includes('I go on.'))
    expect(lastWords(mainRequests(troupe)[1]!)).toContain('The user moved this agent to the background')
    expect(
      await troupe.runtime.dispatch({ type: 'agent.toBackground', conversationId: id, agentId }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-possible' },
    })

    work.open()
    const asked = await troupe.when('permission-asked')
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ background: 'moved', bubbles: true })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId: asked.requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(lastWords(mainRequests(troupe)[2]!)).toContain('ran make')
  })

  test('TaskOutput reports its progress and waits for it; TaskStop stops it', async () => {
    const work = gate()
    let id = ''
    const idOf = () => childrenOf(troupe)[0]?.agentId
    const troupe = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one', { ...inBackground, name: 'ada' })] },
          () => ({ calls: [['TaskOutput', { task_id: 'Ada', block: false }]] }),
          () => ({ calls: [['TaskStop', { task_id: idOf() }]] }),
          () => ({ calls: [['TaskOutput', { task_id: idOf() }]] }),
          () => ({ calls: [['TaskOutput', { task_id: 'nobody' }]] }),
          echo,
        ],
        async () => {
          await work.opened
          return { text: 'found it' }
        },
      ),
    })
    id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const told = mainRequests(troupe).map(lastWords)
    expect(told[2]).toMatch(/has not ended; it is (queued|running), in turn \d of at most 100/)
    expect(told[3]).toContain('was stopped. It can be resumed')
    expect(told[4]).toContain('has ended: stopped')
    expect(told[5]).toContain('You started no command or agent nobody')
    expect(troupe.runtime.state(id, idOf()!)).toMatchObject({ status: 'stopped' })
  })

  test('a waiting TaskOutput delivers the report in the same message, once', async () => {
    const work = gate()
    let now = 0
    const troupe = createTestRuntime({
      ports: {
        clock: {
          now: () => now++,
          // The time limit never expires.
          sleep: (_ms, signal) =>
            new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
        },
      },
      script: script(
        [
          { calls: [agentCall('one', inBackground)] },
          () => {
            work.open()
            return { calls: [['TaskOutput', { task_id: childrenOf(troupe)[0]?.agentId }]] }
          },
          echo,
        ],
        async () => {
          await work.opened
          return { text: 'found it' }
        },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const all = JSON.stringify(mainRequests(troupe).at(-1)?.messages)
    expect(all.match(/found it/g)).toHaveLength(1)
    expect(all).toContain('The notice with its report comes with this message.')
  })

  test('stopping its parent stops it too', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [agentCall('one', inBackground)] }, { text: 'I go on.' }],
        (_request, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' }))),
      ),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('request-started', (event) => event.agentId !== mainId(troupe))
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: mainId(troupe) })
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped' })
    const state = await troupe.runtime.settled(id)
    expect(['waiting', 'stopped']).toContain(state.status)
  })

  test('its notice is delivered exactly once after a crash at any moment', async () => {
    const whole = createTestRuntime({
      script: script([{ calls: [agentCall('one', inBackground)] }, echo], () => ({ text: 'found it' })),
    })
    const id = await whole.begin('Go')
    await whole.runtime.settled(id)
    const [child] = childrenOf(whole)
    const end = eventsOf(whole, child?.agentId).length

    // The possible states of the disk after the child's end is written and before its parent is notified.
    const store = whole.store.afterCrash()
    const mainLog = store.logs.get(mainId(whole)) ?? []
    const heard = mainLog.findIndex((event) => event.type === 'user-message' && event.sender !== null)
    store.logs.set(mainId(whole), mainLog.slice(0, heard))
    expect(store.logs.get(child?.agentId ?? '')).toHaveLength(end)

    const after = createTestRuntime({ store, script: () => ({ text: 'I see.' }) })
    await after.say(id, 'What now?')
    await after.runtime.settled(id)
    await after.say(id, 'And now?')
    await after.runtime.settled(id)
    const third = createTestRuntime({ store: store.afterCrash(), script: () => ({ text: 'I see.' }) })
    await third.say(id, 'Once more?')
    await third.runtime.settled(id)
    const sent = JSON.stringify(third.model.requests.at(-1)?.messages)
    expect(sent.match(/An agent that worked in the background has ended/g)?.length).toBe(1)
    const notices = (third.store.logs.get(mainId(whole)) ?? []).filter(
      (event) => event.type === 'user-message' && event.sender === child?.agentId,
    )
    expect(notices).toHaveLength(1)
  })

  test('when resumed by a call that waits, only that call reports its end, also after a restart', async () => {
    const troupe: ReturnType<typeof createTestRuntime> = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one', inBackground)] },
          { text: 'I go on.' },
          () => ({ calls: [agentCall('more', { resume: childrenOf(troupe)[0]?.agentId })] }),
          { text: 'Thanks.' },
        ],
        () => ({ text: 'found it' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childrenOf(troupe)[0]?.agentId ?? '')?.background).toBe('no')
    const after = createTestRuntime({ store: troupe.store.afterCrash(), script: () => ({ text: 'ok' }) })
    await after.say(id, 'And now?')
    await after.runtime.settled(id)
    const sent = JSON.stringify(after.model.requests.at(-1)?.messages)
    expect(sent.match(/An agent that worked in the background has ended/g)).toHaveLength(1)
  })

  test('a main agent that read the notice during its turn is not woken again', async () => {
    const store = createMemoryStore()
    const { open } = store
    const heard = gate()
    store.open = async (record, follower) => {
      const opened = await open(record, follower)
      if (!opened.ok) return opened
      const log = opened.value
      const save = async () => {
        if (log.record.queued.some(({ from }) => from === 'runtime')) await heard.opened
        return log.save()
      }
      return ok(Object.assign(Object.create(log), { save }))
    }
    const told = gate()
    const troupe = createTestRuntime({
      store,
      script: script(
        [
          { calls: [agentCall('one', inBackground)] },
          async () => {
            await told.opened
            return { text: 'I go on.' }
          },
          { text: 'I heard.' },
        ],
        () => ({ text: 'found it' }),
      ),
    })
    troupe.runtime.subscribe((delta) => {
      if (isNotice(delta)) told.open()
    })
    const id = await troupe.begin('Go')
    const { seq } = await troupe.when('user-message', ({ from }) => from === 'runtime')
    await troupe.when('status-changed', (event) => event.waitingFor === 'message' && event.seq > seq)
    // The run is over after all effects of this event.
    await new Promise((resolve) => setImmediate(resolve))
    heard.open()
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting' })
    expect(mainRequests(troupe)).toHaveLength(3)
  })

  test('the main agent gets the notice if the parent has ended', async () => {
    const waiting = gate()
    const troupe = createTestRuntime({
      definitions: [
        ...testDefinitions,
        { ...testDefinitions[1]!, name: 'lead', tools: ['Agent(general-purpose)'] },
      ],
      script: script(
        [{ calls: [agentCall('lead', { subagent_type: 'lead' })] }, { text: 'I see.' }],
        async (request) => {
          if (!JSON.stringify(request.messages[0]).includes('Do lead.')) return { text: 'found it' }
          if (request.messages.length === 1) return { calls: [agentCall('below', inBackground)] }
          await waiting.opened
          return { failure: { type: 'auth', message: 'The key was taken away.' } }
        },
      ),
    })
    troupe.runtime.subscribe((delta) => {
      if (isNotice(delta)) waiting.open()
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const notices = troupe.events.filter((event) => event.type === 'user-message' && event.sender !== null)
    expect(notices).toMatchObject([{ agentId: mainId(troupe) }])
    expect(JSON.stringify(mainRequests(troupe).at(-1)?.messages)).toContain('found it')
  })

  test('when interrupted, its parent gets a notice and can resume it', async () => {
    const before = createTestRuntime({
      script: script(
        [{ calls: [agentCall('one', inBackground)] }, { text: 'I go on.' }],
        () => new Promise(() => {}),
      ),
    })
    const id = await before.begin('Go')
    await before.when('request-started', (event) => event.agentId !== mainId(before))
    await before.when('status-changed', (event) => event.waitingFor === 'message' && event.seq > 3)

    const after = createTestRuntime({ store: before.store.afterCrash(), script: echo })
    await after.say(id, 'What now?')
    await after.runtime.settled(id)
    const sent = lastWords(after.model.requests.at(-1)!)
    expect(sent).toContain('was interrupted: the program ended while it worked')
    expect(sent).toContain(`resume: "${childrenOf(before)[0]?.agentId}"`)
  })
})

function mainId(troupe: ReturnType<typeof createTestRuntime>): string {
  return (
    troupe.events.find((event) => event.type === 'agent-spawned' && event.parentId === null)?.agentId ?? ''
  )
}

/** Whether the end of an agent is queued as a notice. */
function isNotice(delta: RuntimeDelta): boolean {
  return (
    delta.type === 'conversation-event' &&
    delta.event.type === 'message-queued' &&
    delta.event.message.from === 'runtime'
  )
}
