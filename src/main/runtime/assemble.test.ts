import { describe, expect, test } from 'vitest'
import type { AgentEvent, EventOf } from '../../shared/events/agent-event.ts'
import { textOf } from '../../shared/messages/text-of.ts'
import type { Script, Scripted } from './testing/scripted-model.ts'
import { lastWords, mistakeIn } from './testing/scripted-model.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const isMain = (request: { system: string }) => request.system.includes('You are the main agent.')
const agentCall = (task: string, more: object = {}) =>
  ['Agent', { description: task, prompt: `Do ${task}.`, ...more }] as const

/** A main agent that makes these calls first and then repeats what it received. */
const delegating =
  (calls: Scripted['calls'], child: Script): Script =>
  (request, signal) => {
    if (!isMain(request)) return child(request, signal)
    const fresh = !request.messages.some((message) => message.role === 'assistant')
    return fresh ? { text: 'I split this.', calls: calls ?? [] } : { text: `Got: ${lastWords(request)}` }
  }

const typesOf = (events: readonly AgentEvent[], agentId?: string) =>
  events.filter((event) => agentId === undefined || event.agentId === agentId).map((event) => event.type)

const childrenOf = (troupe: TestRuntime) =>
  troupe.events.flatMap((event) => (event.type === 'agent-spawned' && event.parentId !== null ? [event] : []))

describe('a split task', () => {
  test('agents started in one message run concurrently, and each report answers its call', async () => {
    let arrived = 0
    let letGo: () => void = () => {}
    const allHere = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const troupe = createTestRuntime({
      script: delegating([agentCall('one'), agentCall('two'), agentCall('three')], async (request) => {
        if (++arrived === 3) letGo()
        await allHere
        return { text: `report on ${lastWords(request)}` }
      }),
    })
    const id = await troupe.begin('Split this')
    const state = await troupe.runtime.settled(id)

    expect(state).toMatchObject({ status: 'waiting', waitingFor: 'message' })
    const answer = lastWords(troupe.model.requests.at(-1) ?? troupe.model.requests[0]!)
    for (const task of ['one', 'two', 'three']) expect(answer).toContain(`report on Do ${task}.`)
    expect(answer).toContain('An agent wrote this, not the user')
    expect(childrenOf(troupe)).toHaveLength(3)
  })

  test('the events of each agent have no gaps, and all events have one order', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('one'), agentCall('two')], () => ({ text: 'done' })),
    })
    await troupe.runtime.settled(await troupe.begin('Split this'))

    for (const [agentId, log] of troupe.store.logs)
      expect(
        log.map((event) => event.seq),
        agentId,
      ).toEqual([...log.keys()])
    const orders = troupe.events.map((event) => event.order)
    expect(orders).toEqual([...orders].sort((a, b) => a - b))
    expect(new Set(orders).size).toBe(orders.length)
  })

  test('a subagent’s complete event list', async () => {
    const troupe = createTestRuntime({ script: delegating([agentCall('one')], () => ({ text: 'done' })) })
    await troupe.runtime.settled(await troupe.begin('Split this'))

    expect(typesOf(troupe.events, childrenOf(troupe)[0]?.agentId)).toEqual([
      'agent-spawned',
      'user-message',
      'status-changed',
      'request-started',
      'assistant-message',
      'agent-ended',
    ])
  })

  test('no more subagents work at once than there are slots', async () => {
    const troupe = createTestRuntime({
      policy: { maxParallelAgents: 1 },
      script: delegating([agentCall('one'), agentCall('two')], () => ({ text: 'done' })),
    })
    const state = await troupe.runtime.settled(await troupe.begin('Split this'))

    expect(state.status).toBe('waiting')
    const running = new Set<string>()
    for (const event of troupe.events.filter(({ agentId }) => agentId !== state.id)) {
      if (event.type === 'status-changed' && event.status === 'running') running.add(event.agentId)
      else if (event.type === 'agent-ended' || event.type === 'status-changed') running.delete(event.agentId)
      expect(running.size).toBeLessThanOrEqual(1)
    }
  })

  test('the parent learns why an agent can’t be started, and which agents exist', async () => {
    const troupe = createTestRuntime({
      policy: { maxAgents: 2 },
      script: delegating(
        [agentCall('one', { subagent_type: 'nobody' }), agentCall('two'), agentCall('three')],
        () => ({ text: 'done' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Split this'))

    const answer = lastWords(troupe.model.requests.at(-1)!)
    expect(answer).toContain('There is no agent "nobody". Available: general-purpose, Explore.')
    expect(answer).toContain('has reached its limit of 2 agents')
    expect(childrenOf(troupe)).toHaveLength(1)
  })

  test('a subagent can’t start agents, and a failed one reports its progress', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('one')], (request) =>
        request.messages.length === 1
          ? { text: 'Looking around.', calls: [agentCall('deeper')] }
          : { failure: { type: 'auth', message: 'the key was refused' } },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Split this'))

    const child = childrenOf(troupe)[0]!
    expect(child.tools.map((tool) => tool.name)).not.toContain('Agent')
    const refused = troupe.events.find(
      (event) => event.type === 'tool-ended' && event.agentId === child.agentId,
    )
    expect(refused).toMatchObject({ isError: true })
    const answer = lastWords(troupe.model.requests.at(-1)!)
    expect(answer).toContain('failed: the key was refused')
    expect(answer).toContain('Looking around.')
  })

  test('siblings of one definition share their prefix byte for byte', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('one'), agentCall('two')], () => ({ text: 'done' })),
    })
    await troupe.runtime.settled(await troupe.begin('Split this'))

    const [one, two] = troupe.model.requests.filter((request) => !isMain(request))
    expect(JSON.stringify([one!.system, one!.tools])).toBe(JSON.stringify([two!.system, two!.tools]))
  })
})

describe('limits', () => {
  test('at the turn limit one request without tools asks for the report', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('one', { max_turns: 2 })], (request) =>
        request.toolChoice === 'none' ? { text: 'my report' } : { calls: [['TodoWrite', { todos: [] }]] },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Split this'))

    const ended = troupe.events.find((event) => event.type === 'agent-ended')
    expect(ended).toMatchObject({ status: 'completed', report: 'my report', reachedLimit: 'turns' })
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain("stopped at the agent's limit of 2 turns")
  })

  test('calls in a truncated message are not run', async () => {
    const ran: string[] = []
    const troupe = createTestRuntime({
      shell: async (run) => {
        ran.push(run.command)
        return { output: '', exitCode: 0, ended: 'exit', cwd: run.cwd }
      },
      script: (request) =>
        request.messages.length === 1
          ? { text: 'Now', calls: [['Bash', { command: 'ls' }]], stopReason: 'max_tokens' }
          : { text: lastWords(request) },
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))

    expect(ran).toEqual([])
    expect(state.status).toBe('waiting')
    expect(lastWords(troupe.model.requests[1]!)).toContain('was not run: your message was cut off')
  })

  test('a nearly full context is cleared of older results, then compacted', async () => {
    let turn = 0
    const troupe = createTestRuntime({
      contextTokens: 1000,
      script: (request) => {
        if (lastWords(request).includes('Write a summary')) return { text: 'the summary' }
        if (lastWords(request).includes('the summary')) return { text: 'went on' }
        return { calls: [['Bash', { command: `ls ${++turn}` }]], usage: { input: turn * 120 } }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))

    const types = typesOf(troupe.events)
    expect(types).toContain('context-compacted')
    expect(types.indexOf('context-cleared')).toBeLessThan(types.indexOf('context-compacted'))
    const last = troupe.model.requests.at(-1)!
    expect(last.messages).toHaveLength(1)
  })

  test('a prompt that the API rejects as too long is compacted once', async () => {
    let first = true
    const troupe = createTestRuntime({
      script: (request) => {
        if (lastWords(request).includes('Write a summary')) return { text: 'short' }
        if (first) {
          first = false
          return { failure: { type: 'prompt-too-long', message: 'prompt is too long' } }
        }
        return { text: 'fine' }
      },
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'fine' })
  })

  test.each([
    ['refusal', 'declined'],
    ['unknown', 'does not know'],
    ['compaction', 'does not know'],
  ] as const)('the stop reason %s fails the agent with a message', async (stopReason, feedback) => {
    const troupe = createTestRuntime({ script: () => ({ text: 'hm', stopReason }) })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state.status).toBe('failed')
    expect(state.failure?.message).toContain(feedback)
  })

  test('a paused turn continues', async () => {
    const troupe = createTestRuntime({
      script: (request) =>
        request.messages.length === 1
          ? { text: 'first half', stopReason: 'pause_turn' }
          : { text: 'second half' },
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'second half' })
  })
})

describe('permissions', () => {
  const asking: Script = (request) =>
    request.messages.length === 1
      ? { text: 'I need this.', calls: [['Bash', { command: 'npm test' }]] }
      : { text: lastWords(request) }

  test('a command asks; once allowed it runs, and "always allow" does not ask again', async () => {
    const troupe = createTestRuntime({
      script: (request) =>
        request.messages.length < 4 ? { calls: [['Bash', { command: 'npm test' }]] } : { text: 'done' },
    })
    const conversationId = await troupe.begin('Go')
    const asked = await troupe.when('permission-asked')
    expect(asked).toMatchObject({ toolName: 'Bash', subject: { kind: 'command', text: 'npm test' } })
    expect(troupe.runtime.state(conversationId, asked.agentId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'permission',
    })
    const answered = await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId: asked.agentId,
      requestId: asked.requestId,
      answer: { decision: 'allow-always' },
    })
    expect(answered.ok).toBe(true)
    await troupe.runtime.settled(conversationId)
    expect(typesOf(troupe.events).filter((type) => type === 'permission-asked')).toHaveLength(1)
    expect(typesOf(troupe.events).filter((type) => type === 'tool-started')).toHaveLength(2)
  })

  test('"always allow" adds the chosen rule, if it was offered', async () => {
    const commands = ['npm test', 'npm test -- a', 'npm run build', 'npm run build']
    const troupe = createTestRuntime({
      script: ({ messages }) => {
        const command = commands[(messages.length - 1) / 2]
        return command === undefined ? { text: 'done' } : { calls: [['Bash', { command }]] }
      },
    })
    const conversationId = await troupe.begin('Go')
    const choose = async (rule: string, event: EventOf<'permission-asked'>) => {
      const { agentId, requestId } = event
      const answer = { decision: 'allow-always', rule } as const
      await troupe.runtime.dispatch({ type: 'agent.answer', conversationId, agentId, requestId, answer })
    }
    const asked = () => troupe.events.filter((event) => event.type === 'permission-asked')
    const first = await troupe.when('permission-asked')
    expect(first.ruleOffers?.map(({ rule }) => rule)).toEqual(['Bash(npm test)', 'Bash(npm test:*)'])
    await choose('Bash(npm test:*)', first)
    const second = await troupe.when('permission-asked', ({ subject }) => subject.text === 'npm run build')
    expect(asked()).toHaveLength(2)
    await choose('Bash(*)', second)
    await troupe.when(
      'permission-asked',
      ({ requestId }) => ![first, second].some((one) => one.requestId === requestId),
    )
    expect(asked().map(({ subject }) => subject.text)).toEqual(['npm test', 'npm run build', 'npm run build'])
    expect(troupe.events).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('Bash(*) was not offered') }),
    )
  })

  test('a denial gives the user’s feedback to the agent, and nothing runs', async () => {
    const troupe = createTestRuntime({ script: asking })
    const conversationId = await troupe.begin('Go')
    const { agentId, requestId } = await troupe.when('permission-asked')
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback: 'use vitest' },
    })
    const state = await troupe.runtime.settled(conversationId)
    expect(state.lastLine).toContain('use vitest')
    expect(typesOf(troupe.events)).not.toContain('tool-started')
    const again = await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    expect(again.ok).toBe(false)
  })

  test('a subagent’s permission request can be answered while its siblings continue', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('asks'), agentCall('works')], (request, signal) =>
        lastWords(request).includes('works') ? { text: 'worked' } : asking(request, signal),
      ),
    })
    const conversationId = await troupe.begin('Go')
    const { agentId, requestId } = await troupe.when('permission-asked')
    await troupe.when('agent-ended')
    expect(troupe.runtime.state(conversationId, agentId)?.requests).toHaveLength(1)
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(conversationId)
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('ran npm test')
  })

  test('a definition that narrows a tool applies in every mode', async () => {
    const [main, general] = testDefinitions
    if (!main || !general) throw new Error('no definitions')
    const troupe = createTestRuntime({
      definitions: [main, { ...general, tools: ['Bash(git log:*)'] }],
      script: delegating([agentCall('one')], (request) =>
        request.messages.length === 1
          ? {
              calls: [
                ['Bash', { command: 'git log' }],
                ['Bash', { command: 'ls' }],
              ],
            }
          : { text: lastWords(request) },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const started = troupe.events.flatMap((event) =>
      event.type === 'tool-started' && event.name === 'Bash' ? [event.summary] : [],
    )
    expect(started).toEqual(['git log'])
    expect(typesOf(troupe.events)).not.toContain('permission-asked')
  })

  test('dontAsk denies calls that need permission', async () => {
    const troupe = createTestRuntime({ script: asking })
    const state = await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    expect(typesOf(troupe.events)).not.toContain('permission-asked')
    expect(typesOf(troupe.events)).not.toContain('tool-started')
    expect(state.status).toBe('waiting')
  })
})

describe('messages and stopping', () => {
  test('a message to a busy agent is queued and shown, can be taken back, and is read in its next turn', async () => {
    let go: () => void = () => {}
    const busy = new Promise<void>((resolve) => {
      go = resolve
    })
    const troupe = createTestRuntime({
      script: async (request) => {
        if (request.messages.length > 1) return { text: lastWords(request) }
        await busy
        return { calls: [['TodoWrite', { todos: [] }]] }
      },
    })
    const conversationId = await troupe.begin('Go')
    await troupe.when('request-started')
    await troupe.say(conversationId, 'and also this')
    await troupe.say(conversationId, 'not this')
    const snapshot = await troupe.runtime.snapshot(conversationId)
    if (!snapshot.ok) throw new Error('no snapshot')
    expect(snapshot.value.record.queued.map(({ content }) => textOf(content))).toEqual([
      'and also this',
      'not this',
    ])
    const taken = await troupe.runtime.dispatch({
      type: 'conversation.unqueue',
      conversationId,
      messageId: snapshot.value.record.queued[1]!.messageId,
    })
    expect(taken).toEqual({ ok: true, value: { text: 'not this' } })
    go()
    const state = await troupe.runtime.settled(conversationId)
    expect(state.lastLine).toBe('and also this')
  })

  test('stop ends the children too, and the conversation continues with a valid history', async () => {
    const aborted: string[] = []
    let bothAsk: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      bothAsk = resolve
    })
    let requests = 0
    const troupe = createTestRuntime({
      script: delegating([agentCall('one'), agentCall('two')], (request, signal) => {
        signal.addEventListener('abort', () => aborted.push(lastWords(request)))
        if (++requests === 2) bothAsk()
        return new Promise(() => {})
      }),
    })
    const conversationId = await troupe.begin('Go')
    await asked
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId })

    expect(aborted).toHaveLength(2)
    const snapshot = await troupe.runtime.snapshot(conversationId)
    expect(snapshot.ok && snapshot.value.agents.map((agent) => agent.status)).toEqual([
      'stopped',
      'stopped',
      'stopped',
    ])
    await troupe.say(conversationId, 'Go on')
    const state = await troupe.runtime.settled(conversationId)
    expect(state).toMatchObject({ status: 'waiting' })
    expect(state.lastLine).toContain('Go on')
  })

  test('a message from the user resumes an ended agent with its history', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('one')], (request) => ({ text: `heard ${lastWords(request)}` })),
    })
    const conversationId = await troupe.begin('Go')
    await troupe.runtime.settled(conversationId)
    const { agentId } = childrenOf(troupe)[0]!
    const say = (text: string) =>
      troupe.runtime.dispatch({ type: 'conversation.send', conversationId, agentId, content: text })
    expect((await say('and why?')).ok).toBe(true)
    await troupe.when('agent-ended', (event) => event.report === 'heard and why?')
    const last = troupe.model.requests.at(-1)!
    expect(JSON.stringify(last.messages)).toContain('heard Do one.')
    expect(troupe.runtime.state(conversationId, agentId)).toMatchObject({ status: 'completed' })
    const log = troupe.store.logs.get(agentId) ?? []
    expect(log.map((event) => event.seq)).toEqual([...log.keys()])
  })

  test('stopping one agent leaves its siblings running', async () => {
    const troupe = createTestRuntime({
      script: delegating([agentCall('stays'), agentCall('goes')], (request) =>
        lastWords(request).includes('stays') ? { text: 'stayed' } : new Promise(() => {}),
      ),
    })
    const conversationId = await troupe.begin('Go')
    const goes = await troupe.when('agent-spawned', (event) => event.task === 'goes')
    await troupe.when('agent-ended', (event) => event.agentId !== goes.agentId)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId, agentId: goes.agentId })
    await troupe.runtime.settled(conversationId)
    const answer = lastWords(troupe.model.requests.at(-1)!)
    expect(answer).toContain('stayed')
    expect(answer).toContain('was stopped by the user')
  })

  test('stopping withdraws an open permission request', async () => {
    const troupe = createTestRuntime({ script: () => ({ calls: [['Bash', { command: 'npm test' }]] }) })
    const conversationId = await troupe.begin('Go')
    await troupe.when('permission-asked')
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId })
    expect(troupe.events.find((event) => event.type === 'permission-answered')).toMatchObject({
      decision: 'withdrawn',
    })
    expect(typesOf(troupe.events)).not.toContain('tool-started')
  })
})

describe('failures', () => {
  test('a transient failure is retried, and the wait is shown', async () => {
    let tries = 0
    const troupe = createTestRuntime({
      script: () => (++tries < 3 ? { failure: { type: 'overloaded' } } : { text: 'at last' }),
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state.lastLine).toBe('at last')
    const failed = troupe.events.filter((event) => event.type === 'request-failed')
    expect(failed.map((event) => event.retryAt !== null)).toEqual([true, true])
  })

  test('a 429 with retry-after delays every agent on the key', async () => {
    let limited = false
    const troupe = createTestRuntime({
      script: delegating([agentCall('one'), agentCall('two')], () => {
        if (limited) return { text: 'done' }
        limited = true
        return { failure: { type: 'rate-limited', retryAfterMs: 30_000 } }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const failed = troupe.events.find((event) => event.type === 'request-failed')
    const later = troupe.events.filter(
      (event) => event.type === 'request-started' && event.order > (failed?.order ?? 0) && event.attempt > 1,
    )
    expect(later.every((event) => event.at >= (failed?.at ?? 0) + 30_000)).toBe(true)
    expect(later.length).toBeGreaterThan(0)
  })

  test('a permanent failure fails at once with the API’s message', async () => {
    const troupe = createTestRuntime({
      script: () => ({ failure: { type: 'auth', message: 'invalid x-api-key' } }),
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state).toMatchObject({ status: 'failed', failure: { type: 'auth', message: 'invalid x-api-key' } })
    expect(troupe.model.requests).toHaveLength(1)
  })

  test('a throwing tool, an unknown tool and bad input are results, not crashes', async () => {
    const troupe = createTestRuntime({
      shell: async () => {
        throw new Error('the shell fell over')
      },
      script: (request) =>
        request.messages.length === 1
          ? {
              calls: [
                ['Bash', { command: 'ls' }],
                ['Nope', {}],
                ['Bash', { command: ['ls'] }],
                ['Read', {}],
              ],
            }
          : { text: lastWords(request) },
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(state.status).toBe('waiting')
    const feedback = lastWords(troupe.model.requests[1]!)
    expect(feedback).toContain('the shell fell over')
    expect(feedback).toContain('There is no tool Nope')
    expect(feedback).toContain('file_path')
  })

  test('while the log can’t be written the agent waits, and continues afterwards', async () => {
    const troupe = createTestRuntime({ script: () => ({ text: 'done' }) })
    const told = new Promise<string>((resolve) => {
      troupe.runtime.subscribe((delta) => {
        if (delta.type === 'write-failure' && delta.agentIds.length > 0) resolve(delta.message)
      })
    })
    const conversationId = await troupe.begin('Go')
    await troupe.runtime.settled(conversationId)
    troupe.store.trouble = 'The disk is full.'
    await troupe.say(conversationId, 'More')
    expect(await told).toBe('The disk is full.')
    expect(troupe.model.requests).toHaveLength(1)
    troupe.store.trouble = null
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId })
    const state = await troupe.runtime.settled(conversationId)
    expect(state.lastLine).toBe('done')
    expect(troupe.model.requests).toHaveLength(2)
  })
})

test('an agent that is stopped the moment it is spawned does nothing', async () => {
  const troupe = createTestRuntime({ script: delegating([agentCall('one')], () => ({ text: 'done' })) })
  const spawned = troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
  const id = await troupe.begin('Go')
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: (await spawned).agentId })
  await troupe.runtime.settled(id)
  const [child] = childrenOf(troupe)
  expect(troupe.runtime.state(id, child?.agentId ?? '')).toMatchObject({ status: 'stopped', turn: 0 })
})

describe('after a restart', () => {
  test('everything is restored, and the conversation continues', async () => {
    const before = createTestRuntime({ script: delegating([agentCall('one')], () => ({ text: 'found it' })) })
    const conversationId = await before.begin('Look')
    await before.runtime.settled(conversationId)
    const was = await before.runtime.snapshot(conversationId)
    await before.runtime.close()

    const after = createTestRuntime({
      store: before.store,
      script: (request) => ({ text: lastWords(request) }),
    })
    const is = await after.runtime.snapshot(conversationId)
    expect(is).toEqual(was)
    await after.say(conversationId, 'and now?')
    const state = await after.runtime.settled(conversationId)
    expect(state.lastLine).toBe('and now?')
    expect(JSON.stringify(after.model.requests[0]?.messages)).toContain('found it')
    expect(after.model.requests[0]?.tools).toEqual(before.model.requests[0]?.tools)
  })

  test('running agents become interrupted: nothing flushed is lost, nothing runs twice', async () => {
    const before = createTestRuntime({
      script: delegating([agentCall('one')], (request) =>
        request.messages.length === 1 ? { calls: [['Bash', { command: 'ls' }]] } : new Promise(() => {}),
      ),
    })
    const conversationId = await before.begin('Look')
    await before.when('request-started', (event) => event.turn === 2)
    const disk = before.store.afterCrash()

    const after = createTestRuntime({ store: disk, script: (request) => ({ text: lastWords(request) }) })
    const snapshot = await after.runtime.snapshot(conversationId)
    expect(snapshot.ok && snapshot.value.agents.map((agent) => agent.status)).toEqual([
      'interrupted',
      'interrupted',
    ])
    await after.say(conversationId, 'Go on')
    const state = await after.runtime.settled(conversationId)
    expect(state.status).toBe('waiting')
    expect(lastWords(after.model.requests[0]!)).toContain('was interrupted')
    for (const request of after.model.requests) expect(mistakeIn(request)).toBeNull()
    for (const log of disk.logs.values()) expect(log.map((event) => event.seq)).toEqual([...log.keys()])
  })

  test('a message that was queued when the process died is read once', async () => {
    const before = createTestRuntime({ script: () => new Promise(() => {}) })
    const conversationId = await before.begin('First')
    await before.when('request-started')
    await before.say(conversationId, 'Second')
    const after = createTestRuntime({
      store: before.store.afterCrash(),
      script: (request) => ({ text: lastWords(request) }),
    })
    await after.say(conversationId, 'Third')
    await after.runtime.settled(conversationId)
    const said = after.events.flatMap((event) => (event.type === 'user-message' ? [event.content] : []))
    expect(said).toEqual([[{ type: 'text', text: 'Second' }], [{ type: 'text', text: 'Third' }]])
  })
})
