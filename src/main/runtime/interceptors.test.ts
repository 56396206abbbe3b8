import { describe, expect, test } from 'vitest'
import type { AgentEvent, InterceptionPoint } from '../../shared/events/agent-event.ts'
import type { Interceptor, InterceptorHandlers, Interceptors } from './ports/interceptors.ts'
import type { Clock, Ports } from './ports/ports.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import { agentCall, allIsDone, type Call, childrenOf, echo, gate, isMain, script } from './testing/scripts.ts'
import {
  createTestRuntime,
  FOLDER,
  type TestOptions,
  type TestRuntime,
  testDefinitions,
} from './testing/test-runtime.ts'

/** A clock that only the test advances. */
function handClock() {
  let now = 0
  const sleepers = new Set<() => void>()
  const clock: Clock = {
    now: () => now++,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
        sleepers.add(resolve)
      }),
  }
  const wakeAll = () => {
    for (const wake of sleepers) wake()
  }
  return { clock, wakeAll }
}

const interceptor = (handlers: InterceptorHandlers, more: Partial<Interceptor> = {}): Interceptor => ({
  source: 'hook lint.sh',
  timeLimitMs: 60_000,
  handlers,
  ...more,
})

const listing = (...interceptors: readonly Interceptor[]): Interceptors => ({
  list: async () => interceptors,
})

interface Setup extends Omit<TestOptions, 'ports'> {
  readonly interceptors: readonly Interceptor[]
  readonly ports?: Partial<Ports>
}

const start = ({ interceptors, ports, ...options }: Setup): TestRuntime =>
  createTestRuntime({
    ...options,
    ports: { clock: handClock().clock, ...ports, interceptors: listing(...interceptors) },
  })

/** The main agent makes these calls, then repeats what it received. */
const calling = (...calls: readonly Call[]): Script => script([{ calls }, echo], echo)

const verdictsOf = ({ events }: Pick<TestRuntime, 'events'>) =>
  events.flatMap((event) => (event.type === 'interceptor-verdict' ? [event] : []))

const resultsOf = ({ events }: Pick<TestRuntime, 'events'>) =>
  events.flatMap((event) => (event.type === 'tool-ended' ? [event] : []))

const typesOf = ({ events }: Pick<TestRuntime, 'events'>): readonly AgentEvent['type'][] =>
  events.map(({ type }) => type)

const BASH: Call = ['Bash', { command: 'ls' }]
const WRITE: Call = ['Write', { file_path: '/project/a.txt', content: 'a' }]

describe('before a tool call', () => {
  test('a denial refuses the call and tells the model why', async () => {
    const ran: string[] = []
    const troupe = start({
      interceptors: [interceptor({ 'tool-call': async () => ({ deny: 'No commands on Fridays.' }) })],
      script: calling(BASH),
      shell: async ({ command, cwd }) => {
        ran.push(command)
        return { output: '', exitCode: 0, ended: 'exit', cwd }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(ran).toEqual([])
    expect(resultsOf(troupe)).toMatchObject([
      { isError: true, note: 'denied', content: 'Denied by hook lint.sh: No commands on Fridays.' },
    ])
    expect(verdictsOf(troupe)).toMatchObject([
      {
        point: 'tool-call',
        source: 'hook lint.sh',
        toolUseId: 'call-1-0',
        verdict: 'denied',
        reason: 'No commands on Fridays.',
      },
    ])
    expect(typesOf(troupe)).not.toContain('tool-started')
  })

  test('a changed input replaces the old one', async () => {
    const ran: string[] = []
    const troupe = start({
      interceptors: [interceptor({ 'tool-call': async () => ({ input: { command: 'ls -l' } }) })],
      script: calling(BASH),
      shell: async ({ command, cwd }) => {
        ran.push(command)
        return { output: '', exitCode: 0, ended: 'exit', cwd }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(ran).toEqual(['ls -l'])
    expect(verdictsOf(troupe)).toMatchObject([{ verdict: 'input-changed' }])
  })

  test('a changed input is checked by the permission rules again', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'tool-call': async () => ({ input: { command: 'npm publish' } }) })],
      script: calling(BASH),
    })
    const id = await troupe.begin('Go')
    const asked = await troupe.when('permission-asked')
    expect(asked.subject).toMatchObject({ kind: 'command', text: 'npm publish' })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId: asked.agentId,
      requestId: asked.requestId,
      answer: { decision: 'deny', feedback: null },
    })
    await troupe.runtime.settled(id)
    expect(resultsOf(troupe)).toMatchObject([{ isError: true, note: 'denied' }])
  })

  test('a changed input that the schema rejects does not run', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'tool-call': async () => ({ input: { cmd: 1 } }) })],
      script: calling(BASH),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(resultsOf(troupe)).toMatchObject([{ isError: true, note: 'bad input' }])
    expect(resultsOf(troupe)[0]?.content).toContain('An interceptor replaced the input of this call')
    expect(typesOf(troupe)).not.toContain('tool-started')
  })

  test('asking requires the user, even for a call that needs no permission', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'tool-call': async () => ({ ask: 'It lists secrets.' }) })],
      script: calling(BASH),
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    const asked = await troupe.when('permission-asked')
    expect(asked).toMatchObject({
      subject: { kind: 'command', text: 'ls' },
      because: 'hook lint.sh requires permission: It lists secrets.',
      alwaysRule: null,
    })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId: asked.agentId,
      requestId: asked.requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(resultsOf(troupe)).toMatchObject([{ isError: false }])
  })

  test('asking is a denial where the mode never asks, and never lifts a denial', async () => {
    for (const [permissionMode, call] of [
      ['dontAsk', BASH],
      ['plan', WRITE],
    ] as const) {
      const troupe = start({
        interceptors: [interceptor({ 'tool-call': async () => ({ ask: 'Please look.' }) })],
        script: calling(call),
      })
      await troupe.runtime.settled(await troupe.begin('Go', { permissionMode }))
      expect(resultsOf(troupe)).toMatchObject([{ isError: true, note: 'denied' }])
      expect(typesOf(troupe)).not.toContain('permission-asked')
    }
  })

  test('those of a result run together, and their effects count in their order', async () => {
    const second = gate()
    const troupe = start({
      interceptors: [
        interceptor({
          'tool-result': async () => {
            await second.opened
            return { context: 'first' }
          },
        }),
        interceptor({
          'tool-result': async () => {
            second.open()
            return { context: 'second' }
          },
        }),
      ],
      script: calling(BASH),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(verdictsOf(troupe).map(({ reason }) => reason)).toEqual(['first', 'second'])
  })

  test('all interceptors run in order: changes chain, a denial beats asking', async () => {
    const seen: unknown[] = []
    const change = (flag: string) =>
      interceptor({
        'tool-call': async ({ input }) => {
          seen.push(input)
          return { input: { command: `${(input as { command: string }).command} ${flag}` } }
        },
      })
    const troupe = start({
      interceptors: [
        change('-a'),
        interceptor({ 'tool-call': async () => ({ ask: 'Look.' }) }),
        interceptor({ 'tool-call': async () => ({ deny: 'No.' }) }, { source: 'hook no.sh' }),
        change('-b'),
      ],
      script: calling(BASH),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(seen).toEqual([{ command: 'ls' }, { command: 'ls -a' }])
    expect(verdictsOf(troupe).map(({ verdict }) => verdict)).toEqual([
      'input-changed',
      'asked',
      'denied',
      'input-changed',
    ])
    expect(resultsOf(troupe)).toMatchObject([{ content: 'Denied by hook no.sh: No.' }])
    expect(typesOf(troupe)).not.toContain('permission-asked')
  })
})

describe('after a tool call', () => {
  test('context is added to the result, framed as a note from the system', async () => {
    const troupe = start({
      interceptors: [
        interceptor({ 'tool-result': async ({ tool }) => ({ context: `${tool} is slow today.` }) }),
      ],
      script: calling(BASH),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(resultsOf(troupe)[0]?.content).toBe(
      'ran ls\n\n<system-note source="hook lint.sh">\nBash is slow today.\n</system-note>',
    )
    expect(verdictsOf(troupe)).toMatchObject([{ verdict: 'context-added', reason: 'Bash is slow today.' }])
  })

  test('a denied call is not reported as run', async () => {
    const points: string[] = []
    const troupe = start({
      interceptors: [
        interceptor({
          'tool-call': async () => ({ deny: 'No.' }),
          'tool-result': async () => {
            points.push('tool-result')
            return null
          },
        }),
      ],
      script: calling(BASH),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(points).toEqual([])
  })
})

describe('user messages', () => {
  test('a refused message reaches no agent, and the sender learns why', async () => {
    const troupe = start({
      interceptors: [
        interceptor({
          'user-message': async ({ text }) =>
            text.includes('secret') ? { deny: 'It names a secret.' } : null,
        }),
      ],
      script: echo,
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: null,
      content: 'The secret is 7.',
    })
    expect(sent).toMatchObject({
      ok: false,
      failure: { type: 'refused', message: 'Denied by hook lint.sh: It names a secret.' },
    })
    await troupe.runtime.settled(id)
    expect(troupe.model.requests).toHaveLength(1)
    expect(verdictsOf(troupe)).toMatchObject([{ point: 'user-message', verdict: 'denied' }])
  })

  test('a refused first message leaves the conversation, with the reason', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'user-message': async () => ({ deny: 'It is late.' }) })],
      script: echo,
    })
    const message = { content: 'Go' }
    const created = await troupe.runtime.dispatch({ type: 'conversation.create', folder: FOLDER, message })
    const notSent = { type: 'refused', message: 'Denied by hook lint.sh: It is late.' }
    expect(created).toMatchObject({ ok: true, value: { notSent } })
    const listed = await troupe.runtime.conversations()
    expect(listed).toMatchObject([{ id: created.ok ? created.value.id : '' }])
    expect(listed[0]).not.toHaveProperty('notSent')
    expect(troupe.model.requests).toEqual([])
  })

  test('context follows the message as a note that the user did not write', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'user-message': async () => ({ context: 'The build is broken.' }) })],
      script: echo,
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const messages = troupe.events.flatMap((event) => (event.type === 'user-message' ? [event] : []))
    expect(messages.map(({ from }) => from)).toEqual(['user', 'runtime'])
    expect(messages[0]?.content).toEqual([{ type: 'text', text: 'Go' }])
    expect(lastWords(troupe.model.requests[0]!)).toContain('The build is broken.')
  })

  test('a message to an ended agent is intercepted too, and the verdict is in that agent’s log', async () => {
    const troupe = start({
      interceptors: [
        interceptor({ 'user-message': async () => null, 'subagent-start': async () => null }),
        interceptor({
          'user-message': async (_facts, { agent }) =>
            agent.parentId === null ? null : { deny: 'Leave it.' },
        }),
      ],
      script: calling(agentCall('one')),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const { agentId } = childrenOf(troupe)[0]!
    const content = [{ type: 'text', text: 'More' }] as const
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content,
    })
    expect(sent.ok).toBe(false)
    expect(verdictsOf(troupe)).toMatchObject([{ agentId, point: 'user-message', verdict: 'denied' }])
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed' })
  })

  test('messages stay in the order in which they were sent', async () => {
    let open = () => {}
    const first = new Promise<void>((resolve) => {
      open = resolve
    })
    const troupe = start({
      interceptors: [
        interceptor({
          'user-message': async ({ text }) => {
            if (text === 'first') await first
            return null
          },
        }),
      ],
      script: echo,
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const sending = [troupe.say(id, 'first'), troupe.say(id, 'second')]
    await allIsDone()
    open()
    await Promise.all(sending)
    await troupe.runtime.settled(id)
    const texts = troupe.events.flatMap((event) => (event.type === 'user-message' ? event.content : []))
    expect(texts.map((block) => block.type === 'text' && block.text)).toEqual(['Go', 'first', 'second'])
  })
})

describe('the end of a turn', () => {
  const continueOnce: InterceptorHandlers = {
    'turn-end': async ({ continuations }) => (continuations === 0 ? { continue: 'Run the tests.' } : null),
    'subagent-stop': async ({ continuations }) =>
      continuations === 0 ? { continue: 'Run the tests.' } : null,
  }

  test('an interceptor can make the main agent continue', async () => {
    const troupe = start({ interceptors: [interceptor(continueOnce)], script: echo })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(troupe.model.requests).toHaveLength(2)
    expect(lastWords(troupe.model.requests[1]!)).toContain('Do not stop yet: Run the tests.')
    expect(state.status).toBe('waiting')
    expect(verdictsOf(troupe)).toMatchObject([{ point: 'turn-end', verdict: 'continued' }])
  })

  test('an interceptor can make a subagent continue, whose parent receives the last report', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'subagent-stop': continueOnce['subagent-stop']! })],
      script: calling(agentCall('one')),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(resultsOf(troupe)[0]?.content).toContain('Run the tests.')
    expect(verdictsOf(troupe)).toMatchObject([{ point: 'subagent-stop', verdict: 'continued' }])
  })

  test('an interceptor that always continues the agent is ignored after eight times', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'turn-end': async () => ({ continue: 'Again.' }) })],
      script: echo,
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(troupe.model.requests).toHaveLength(9)
  })

  test('no interceptor continues past the turn limit', async () => {
    const heard: boolean[] = []
    const troupe = start({
      interceptors: [
        interceptor({
          'subagent-stop': async ({ canContinue }) => {
            heard.push(canContinue)
            return { continue: 'Again.' }
          },
        }),
      ],
      script: calling(agentCall('one', { max_turns: 2 })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(heard).toEqual([true, true, false])
    expect(verdictsOf(troupe).map(({ verdict }) => verdict)).toEqual(['continued', 'continued'])
  })
})

test('context at a compaction is added to the request for the summary', async () => {
  const troupe = start({
    contextTokens: 1000,
    interceptors: [interceptor({ compaction: async () => ({ context: 'Keep the ticket number.' }) })],
    script: (request) => {
      if (lastWords(request).includes('Write a summary')) return { text: 'Ticket 7.' }
      if (request.messages.length > 1 || lastWords(request).includes('Ticket 7')) return { text: 'done' }
      return { calls: [['TodoWrite', { todos: [] }]], usage: { input: 990 } }
    },
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const summary = troupe.model.requests.find((request) => lastWords(request).includes('Write a summary'))
  expect(lastWords(summary!)).toContain('Keep the ticket number.')
})

describe('every kind of agent passes every point', () => {
  /** Records each point that an agent passes. */
  const recorder = () => {
    const passed: { readonly id: string; readonly point: string; readonly cwd: string }[] = []
    const handle =
      (point: InterceptionPoint) =>
      async (_facts: unknown, { agent }: { agent: { id: string; cwd: string } }) => {
        passed.push({ id: agent.id, point, cwd: agent.cwd })
        return null
      }
    const handlers: InterceptorHandlers = {
      'tool-call': handle('tool-call'),
      'tool-result': handle('tool-result'),
      'user-message': handle('user-message'),
      'subagent-start': handle('subagent-start'),
      'subagent-stop': handle('subagent-stop'),
      'turn-end': handle('turn-end'),
      compaction: handle('compaction'),
      notification: handle('notification'),
      'session-start': handle('session-start'),
      'session-end': handle('session-end'),
    }
    return { passed, interceptors: [interceptor(handlers)] }
  }
  const working: Script = (request) =>
    request.messages.some(({ role }) => role === 'assistant')
      ? { text: 'done' }
      : { calls: [['TodoWrite', { todos: [] }]] }
  const forking = { ...testDefinitions[1]!, name: 'forker', forkContext: true }
  const SUBAGENT = ['subagent-start', 'tool-call', 'tool-result', 'subagent-stop']

  test('a main agent, until the conversation closes', async () => {
    const { passed, interceptors } = recorder()
    const troupe = start({ interceptors, script: working })
    await troupe.runtime.settled(await troupe.begin('Go'))
    await troupe.runtime.close()
    expect(passed.map(({ point }) => point)).toEqual([
      'session-start',
      'user-message',
      'tool-call',
      'tool-result',
      'turn-end',
      'notification',
      'session-end',
    ])
  })

  test.each([
    ['a subagent', {}],
    ['a background agent', { run_in_background: true }],
    ['an agent in a worktree', { isolation: 'worktree' }],
  ])('%s', async (_kind, more) => {
    const { passed, interceptors } = recorder()
    const troupe = start({
      interceptors,
      script: script([{ calls: [agentCall('one', more)] }, echo], working),
      ports: { worktrees: createMemoryWorktrees() },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const { agentId, cwd } = childrenOf(troupe)[0]!
    const own = passed.filter(({ id }) => id === agentId)
    expect(own.map(({ point }) => point)).toEqual(SUBAGENT)
    expect(own.every((entry) => entry.cwd === cwd)).toBe(true)
  })

  test('a fork', async () => {
    const { passed, interceptors } = recorder()
    const troupe = start({
      interceptors,
      definitions: [...testDefinitions, forking],
      script: script([{ calls: [agentCall('one', { subagent_type: 'forker' })] }, echo], (request) =>
        lastWords(request).includes('Do one.') ? { calls: [['TodoWrite', { todos: [] }]] } : { text: 'done' },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const { agentId } = childrenOf(troupe)[0]!
    expect(passed.filter(({ id }) => id === agentId).map(({ point }) => point)).toEqual(SUBAGENT)
  })

  test('a resumed agent, also in a reopened conversation', async () => {
    const first = start({ interceptors: [], script: calling(agentCall('one')) })
    const id = await first.begin('Go')
    await first.runtime.settled(id)
    await first.runtime.close()
    const { agentId } = childrenOf(first)[0]!
    const resumed: boolean[] = []
    const { passed, interceptors } = recorder()
    const troupe = start({
      store: first.store,
      interceptors: [
        ...interceptors,
        interceptor({
          'session-start': async ({ isResumed }) => {
            resumed.push(isResumed)
            return null
          },
          'subagent-start': async ({ isResumed }) => {
            resumed.push(isResumed)
            return null
          },
        }),
      ],
      script: (request) =>
        isMain(request)
          ? lastWords(request).includes('Again')
            ? { calls: [agentCall('one', { resume: agentId })] }
            : { text: 'ok' }
          : { text: 'done again' },
    })
    await troupe.say(id, 'Again')
    await troupe.runtime.settled(id)
    expect(resumed).toEqual([true, true])
    expect(passed.filter((entry) => entry.id === agentId).map(({ point }) => point)).toEqual([
      'subagent-start',
      'subagent-stop',
    ])
  })

  test('context at a start reaches the agent before its first request', async () => {
    const troupe = start({
      interceptors: [
        interceptor({
          'session-start': async () => ({ context: 'The server runs on port 3000.' }),
          'subagent-start': async () => ({ context: 'Use pnpm.' }),
        }),
      ],
      script: calling(agentCall('one')),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests[0]!)).toContain('The server runs on port 3000.')
    expect(lastWords(troupe.model.requests[1]!)).toContain('Use pnpm.')
  })
})

describe('failures', () => {
  const throwing: InterceptorHandlers = {
    'tool-call': async () => {
      throw new Error('exit code 127')
    },
  }

  test('an interceptor that throws is recorded and ignored', async () => {
    const troupe = start({ interceptors: [interceptor(throwing)], script: calling(BASH) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(verdictsOf(troupe)).toMatchObject([{ verdict: 'failed', reason: 'exit code 127' }])
    expect(resultsOf(troupe)).toMatchObject([{ isError: false, content: 'ran ls' }])
  })

  test('an interceptor that must not fail blocks the call', async () => {
    const troupe = start({
      interceptors: [interceptor(throwing, { failClosed: true })],
      script: calling(BASH),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(verdictsOf(troupe).map(({ verdict }) => verdict)).toEqual(['failed', 'denied'])
    expect(resultsOf(troupe)).toMatchObject([
      { isError: true, content: 'Denied by hook lint.sh: It failed: exit code 127' },
    ])
  })

  test('a hanging interceptor is aborted at its time limit', async () => {
    const { clock, wakeAll } = handClock()
    let given: AbortSignal | null = null
    const troupe = start({
      ports: { clock },
      interceptors: [
        interceptor({
          'tool-call': (_facts, { signal }) => {
            given = signal
            return new Promise(() => {})
          },
        }),
      ],
      script: calling(BASH),
    })
    const id = await troupe.begin('Go')
    await allIsDone()
    expect(resultsOf(troupe)).toEqual([])
    wakeAll()
    await troupe.runtime.settled(id)
    expect(given).toMatchObject({ aborted: true })
    expect(verdictsOf(troupe)).toMatchObject([{ verdict: 'failed', reason: 'No answer within 60 s.' }])
    expect(resultsOf(troupe)).toMatchObject([{ isError: false, content: 'ran ls' }])
  })

  test('stopping the agent ends a hanging interceptor at once, without a verdict', async () => {
    const troupe = start({
      interceptors: [interceptor({ 'tool-call': () => new Promise(() => {}) })],
      script: calling(BASH),
    })
    const id = await troupe.begin('Go')
    await allIsDone()
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'stopped' })
    expect(verdictsOf(troupe)).toEqual([])
  })

  test('a hanging notification delays nothing, and ends with the answer', async () => {
    let given: AbortSignal | null = null
    const troupe = start({
      interceptors: [
        interceptor({
          notification: ({ kind }, { signal }) => {
            if (kind === 'permission-request') given = signal
            return new Promise(() => {})
          },
        }),
      ],
      script: calling(WRITE),
    })
    const id = await troupe.begin('Go')
    const { agentId, requestId } = await troupe.when('permission-asked')
    await allIsDone()
    expect(given).toMatchObject({ aborted: false })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(given).toMatchObject({ aborted: true })
    expect(verdictsOf(troupe)).toEqual([])
  })
})

test('interceptors without an effect leave the same events as none', async () => {
  const types = async (interceptors: readonly Interceptor[]) => {
    const troupe = start({ interceptors, script: calling(BASH, agentCall('one')) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    return typesOf(troupe)
  }
  const silent = interceptor({ 'tool-call': async () => null, 'turn-end': async () => ({}) })
  expect(await types([silent])).toEqual(await types([]))
})
