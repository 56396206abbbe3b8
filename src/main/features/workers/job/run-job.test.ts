/** Agents whose runs are jobs: a sender's runtime and a worker's, connected in memory. */
import { describe, expect, test } from 'vitest'
import { plainDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import type { ConversationSummary } from '../../../../shared/state/conversation-summary.ts'
import type { LoadedDefinition } from '../../../runtime/ports/definitions.ts'
import type { AnyTool } from '../../../runtime/ports/tool.ts'
import type { TranscriptStore } from '../../../runtime/ports/transcripts.ts'
import { createHandClock } from '../../../runtime/testing/hand-clock.ts'
import { createMemoryStore } from '../../../runtime/testing/memory-store.ts'
import { lastWords, type Script } from '../../../runtime/testing/scripted-model.ts'
import {
  agentCall,
  allIsDone,
  childrenOf,
  eventsOf,
  gate,
  script,
  turnOf,
} from '../../../runtime/testing/scripts.ts'
import {
  createTestRuntime,
  type TestOptions,
  type TestRuntime,
  testDefinitions,
} from '../../../runtime/testing/test-runtime.ts'
import { createWorkerBacking } from '../worker-backing.ts'
import { type JobEnvironment, runJob } from './run-job.ts'
import { createMemoryLink, type MemoryLink } from './testing/memory-link.ts'

const outsider: LoadedDefinition = {
  ...plainDefinition('outsider', 'Runs in another process.'),
  tools: [
    'SendMessage',
    'Bash',
    'TodoWrite',
    'Agent(outsider)',
    'elicit',
    'TaskOutput',
    'mcp__notes',
    'mcp__gone',
  ],
  source: 'built-in',
  file: null,
}

const never = new AbortController().signal

/** The sender's program: its general-purpose agents run at workers. */
function sender(
  memory: MemoryLink,
  options: {
    store?: ReturnType<typeof createMemoryStore>
    main?: readonly Script[]
    permissionMode?: 'acceptEdits'
  } = {},
) {
  return createTestRuntime({
    script: script(
      options.main ?? [
        {
          calls: [agentCall('outside', { subagent_type: 'outsider', run_in_background: true, name: 'ann' })],
        },
        { text: 'Waits.' },
      ],
      () => ({ text: 'The sender must not run this agent.' }),
    ),
    ...(options.store && { store: options.store }),
    definitions: [...testDefinitions, outsider],
    runtime: {
      workers: {
        check: async () => ({ ok: true, value: undefined }),
        backing: (agent) =>
          agent.state().definition.name === 'outsider'
            ? createWorkerBacking(agent, memory.link, {
                clock: { now: () => 1, sleep: async () => {} },
                ids,
                trusted: () => true,
                rules: async () => ({ allow: [], deny: [] }),
                rehearsal: () => undefined,
              })
            : null,
        isAlive: async ({ id, jobId }) =>
          jobId !== null && (await memory.link.isAlive({ agentId: id, jobId })),
        conversations: async () => memory.jobs.map(({ conversationId }) => conversationId),
      },
    },
  })
}

let made = 0
const ids = { next: (prefix: string) => `${prefix}-w${++made}` }

function worker(
  child: Script,
  more: Partial<JobEnvironment> = {},
  options: Pick<TestOptions, 'shell' | 'ports' | 'definitions' | 'store'> = {},
) {
  const troupe = createTestRuntime({ script: child, ...options })
  const environment: JobEnvironment = {
    runtime: troupe.runtime,
    sendMessage: (message) => troupe.mailbox.put(message),
    stopped: never,
    sleep: async () => {},
    ...more,
  }
  return { troupe, environment }
}

const texts = (troupe: TestRuntime, agentId: string | undefined) =>
  eventsOf(troupe, agentId).flatMap((event) =>
    event.type === 'user-message' || event.type === 'assistant-message'
      ? [JSON.stringify(event.content)]
      : [],
  )

/** A main agent that waits for its subagent. */
const WAITS_FOR_OUTSIDER: readonly Script[] = [
  () => ({ calls: [agentCall('outside', { subagent_type: 'outsider' })] }),
  () => ({ text: 'Done.' }),
]

async function begin(memory: MemoryLink, options: Parameters<typeof sender>[1] = {}) {
  const troupe = sender(memory, options)
  const { permissionMode = 'default' } = options
  const id = await troupe.begin('Go', { permissionMode })
  await memory.submitted()
  const agentId = childrenOf(troupe)[0]?.agentId ?? ''
  return { troupe, id, agentId }
}

test('the worker runs the agent, and the sender has its dialogue once, with its report', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const { environment } = worker((request) =>
    request.messages.length === 1
      ? { text: 'I look.', calls: [['TodoWrite', { todos: [] }]] }
      : { text: 'Found it.' },
  )
  await runJob(memory.take(), environment)
  await troupe.runtime.settled(id)

  expect(troupe.runtime.state(id, agentId)).toMatchObject({
    status: 'completed',
    report: 'Found it.',
    turns: 2,
  })
  const events = eventsOf(troupe, agentId)
  expect(events.map(({ seq }) => seq)).toEqual([...events.keys()])
  expect(texts(troupe, agentId).slice(1)).toEqual([
    expect.stringContaining('Do outside.'),
    expect.stringContaining('I look.'),
    expect.stringContaining('Found it.'),
  ])
  expect(events.flatMap(({ origin }) => origin?.seq ?? [])).toEqual([...memory.reports.keys()].slice(0, -1))
  expect(memory.reports.at(-1)?.event.type).toBe('agent-ended')
})

test('a message to the ended agent is the next job, with the whole dialogue', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  await runJob(memory.take(), worker(() => ({ text: 'One.' })).environment)
  await troupe.runtime.settled(id)
  await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId,
    content: 'And then?',
  })
  await memory.submitted()
  const second = worker((request) => ({ text: `Two after ${request.messages.length} messages.` }))
  await runJob(memory.take(), second.environment)
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)?.report).toBe('Two after 3 messages.')
  expect(new Set(memory.jobs.map(({ jobId }) => jobId)).size).toBe(2)
})

test('a message while it runs leaves the queue when the worker has it, and arrives once', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const first = gate()
  const { environment, troupe: there } = worker(async (request) => {
    if (request.messages.length === 1) {
      await first.opened
      return { calls: [['TodoWrite', { todos: [] }]] }
    }
    return { text: JSON.stringify(request.messages).includes('Hurry') ? 'Hurried.' : 'Slow.' }
  })
  const running = runJob(memory.take(), environment)
  await there.when('request-started')
  const sent = await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId,
    content: 'Hurry',
  })
  const snapshot = await troupe.runtime.snapshot(id)
  expect(snapshot.ok && snapshot.value.record.queued).toHaveLength(1)
  await allIsDone()
  first.open()
  await running
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)?.report).toBe('Hurried.')
  const arrived = eventsOf(troupe, agentId).filter(
    (event) => event.type === 'user-message' && sent.ok && event.messageId === sent.value.messageId,
  )
  expect(arrived).toHaveLength(1)
  const after = await troupe.runtime.snapshot(id)
  expect(after.ok && after.value.record.queued.filter((message) => message.agentId === agentId)).toEqual([])
})

test('a message that is withdrawn while the worker has not delivered it is never delivered', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const first = gate()
  const { environment, troupe: there } = worker(async (request) => {
    if (request.messages.length > 1) return { text: JSON.stringify(request.messages) }
    await first.opened
    return { calls: [['TodoWrite', { todos: [] }]] }
  })
  const running = runJob(memory.take(), environment)
  await there.when('request-started')
  const write = (text: string) =>
    troupe.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content: text })
  const [sent] = [await write('Hurry'), await write('Slowly')]
  // Both are in the worker's queue.
  await allIsDone()
  expect(
    sent.ok &&
      (await troupe.runtime.dispatch({
        type: 'conversation.unqueue',
        conversationId: id,
        messageId: sent.value.messageId,
      })),
  ).toMatchObject({ ok: true })
  await allIsDone()
  first.open()
  await running
  await troupe.runtime.settled(id)
  const report = troupe.runtime.state(id, agentId)?.report
  expect(report).toContain('Slowly')
  expect(report).not.toContain('Hurry')
  const arrived = eventsOf(troupe, agentId).flatMap((event) =>
    event.type === 'user-message' ? [event.messageId] : [],
  )
  expect(arrived).not.toContain(sent.ok && sent.value.messageId)
})

test('a mode that the user narrows applies in the worker, and is in the transcript once', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory, {
    main: WAITS_FOR_OUTSIDER,
    permissionMode: 'acceptEdits',
  })
  const first = gate()
  const { environment, troupe: there } = worker(async (request) => {
    if (request.messages.length > 1) return { text: 'Tried.' }
    await first.opened
    return { calls: [['Bash', { command: 'npm test' }]] }
  })
  const running = runJob(memory.take(), environment)
  await there.when('request-started')
  await troupe.runtime.dispatch({
    type: 'conversation.setMode',
    conversationId: id,
    permissionMode: 'dontAsk',
  })
  await allIsDone()
  first.open()
  await running
  await troupe.runtime.settled(id)
  const ended = eventsOf(troupe, agentId).find((event) => event.type === 'tool-ended')
  expect(ended).toMatchObject({ isError: true, note: expect.stringContaining('denied') })
  expect(eventsOf(troupe, agentId).filter(({ type }) => type === 'permission-mode-changed')).toHaveLength(1)
})

test('a limit of the conversation ends the agent at the worker with a report', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  await troupe.runtime.dispatch({
    type: 'conversation.setLimits',
    conversationId: id,
    limits: { tokens: 1, usd: null, ms: null, spawns: null },
  })
  const { environment } = worker((request) =>
    JSON.stringify(request.messages).includes('You have reached')
      ? { text: 'My report.' }
      : { calls: [['TodoWrite', { todos: [] }]] },
  )
  await runJob(memory.take(), environment)
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({
    status: 'completed',
    report: 'My report.',
    reachedLimit: 'tokens',
    limitOf: 'conversation',
  })
})

test('a worker that does not answer a stop in time is given up', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped', stoppedBy: 'user' })
  expect(memory.commands.at(-1)).toMatchObject({ type: 'stop', jobId: memory.jobs[0]?.jobId })
})

test('a permission request is answered from the sender', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory, { main: WAITS_FOR_OUTSIDER })
  const { environment } = worker((request) =>
    request.messages.length === 1 ? { calls: [['Bash', { command: 'npm test' }]] } : { text: 'Tested.' },
  )
  const running = runJob(memory.take(), environment)
  const asked = await troupe.when('permission-asked')
  expect(
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId: asked.requestId,
      answer: { decision: 'allow-once' },
    }),
  ).toMatchObject({ ok: true })
  // A second answer comes too late.
  expect(
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId: asked.requestId,
      answer: { decision: 'allow-once' },
    }),
  ).toMatchObject({ ok: false })
  await running
  await troupe.runtime.settled(id)
  expect(JSON.stringify(eventsOf(troupe, agentId))).toContain('ran npm test')
})

test('servers of the worker’s machine are started, and tools that are missing there are announced as removed', async () => {
  const memory = createMemoryLink()
  const troupe = sender(memory)
  const serverTool = (name: string): AnyTool => ({
    ...elicit,
    name,
    run: async () => ({ isError: false, note: '', content: `${name} at work` }),
  })
  troupe.runtime.tools.add('mcp:notes', [serverTool('mcp__notes__read')])
  troupe.runtime.tools.add('mcp:gone', [serverTool('mcp__gone__read')])
  const id = await troupe.begin('Go')
  await memory.submitted()
  const asked: string[] = []
  const { environment, troupe: other } = worker(
    (request) =>
      request.messages.length === 1
        ? {
            calls: [
              ['mcp__notes__read', {}],
              ['mcp__gone__read', {}],
            ],
          }
        : { text: lastWords(request) },
    {},
    {
      definitions: [...testDefinitions, { ...outsider, mcpServers: ['gone', { notes: { command: 'x' } }] }],
      ports: {
        serverTools: {
          servers: () => [],
          ready: async (folder) => {
            asked.push(`ready ${folder}`)
          },
          need: async (_, { name }) => {
            asked.push(`need ${name}`)
            other.runtime.tools.add('mcp:notes', [serverTool('mcp__notes__read')])
            return []
          },
          released: (_, servers) => asked.push(`released ${servers.join(' ')}`),
          closed: () => asked.push('closed'),
        },
      },
    },
  )
  await runJob(memory.take(), environment)
  await troupe.runtime.settled(id)
  expect(asked).toEqual([expect.stringContaining('ready /'), 'need outsider', 'closed'])
  const [first, second] = other.model.requests
  expect(lastWords(first!)).toContain('These tools were removed, so calls of them fail: mcp__gone__read.')
  expect(JSON.stringify(second)).toContain('mcp__notes__read at work')
  expect(JSON.stringify(second)).not.toContain('mcp__gone__read at work')
})

test('a form is answered from the sender', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory, { main: WAITS_FOR_OUTSIDER })
  const { environment, troupe: other } = worker((request) =>
    request.messages.length === 1 ? { calls: [['elicit', {}]] } : { text: 'Asked.' },
  )
  other.runtime.tools.add('mcp:x', [elicit])
  const running = runJob(memory.take(), environment)
  const { formId } = await troupe.when('form-opened')
  expect(troupe.runtime.state(id, agentId)?.forms).toHaveLength(1)
  const form = { conversationId: id, agentId, formId }
  const answer = { action: 'accept' as const, values: { name: 'Ada' } }
  expect(await troupe.runtime.dispatch({ type: 'agent.answerForm', ...form, answer })).toMatchObject({
    ok: true,
  })
  // A second answer comes too late.
  expect(await troupe.runtime.dispatch({ type: 'agent.answerForm', ...form, answer })).toMatchObject({
    ok: false,
  })
  await running
  await troupe.runtime.settled(id)
  expect(JSON.stringify(eventsOf(troupe, agentId))).toContain('The user is Ada.')
  expect(troupe.runtime.state(id, agentId)?.forms).toEqual([])
})

test('a command in the background is stopped from the sender, and ends with the run', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory, { main: WAITS_FOR_OUTSIDER })
  const { environment } = worker(
    (request) =>
      request.messages.length === 1
        ? { calls: [['Bash', { command: 'npm run dev', run_in_background: true }]] }
        : turnOf(request) === 2
          ? { calls: [['TaskOutput', { task_id: commandIdOf(troupe) }]] }
          : { text: JSON.stringify(request.messages.at(-1)?.content) },
    {},
    {
      shell: (run) =>
        new Promise((resolve) => {
          const end = () => resolve({ output: '', exitCode: null, ended: 'aborted', cwd: run.cwd })
          run.signal.addEventListener('abort', end, { once: true })
        }),
    },
  )
  const running = runJob(memory.take(), environment)
  const { requestId } = await troupe.when('permission-asked')
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId: id,
    agentId,
    requestId,
    answer: { decision: 'allow-once' },
  })
  const { commandId } = await troupe.when('command-started')
  expect(troupe.runtime.state(id, agentId)?.commands).toHaveLength(1)
  const command = { conversationId: id, agentId, commandId }
  expect(await troupe.runtime.dispatch({ type: 'agent.stopCommand', ...command })).toMatchObject({ ok: true })
  await running
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ commands: [] })
  expect(troupe.runtime.state(id, agentId)?.report).toContain('the user stopped it')
  expect(await troupe.runtime.dispatch({ type: 'agent.stopCommand', ...command })).toMatchObject({
    ok: false,
  })
})

const commandIdOf = (troupe: TestRuntime) =>
  troupe.events.flatMap((event) => (event.type === 'command-started' ? [event.commandId] : []))[0] ?? ''

const elicit: AnyTool = {
  name: 'elicit',
  aliases: [],
  description: 'Asks.',
  schema: { type: 'object' },
  kind: 'other',
  icon: 'tool',
  concurrent: true,
  sideEffects: () => false,
  summary: () => '',
  target: async () => ({ kind: 'none' }),
  run: async (_, { askForm }) => {
    const answer = await askForm({ kind: 'elicitation', server: 'x', message: '', schema: {} })
    const name = answer.action === 'accept' ? answer.values['name'] : answer.action
    return { isError: false, note: '', content: `The user is ${name}.` }
  },
}

test('a stop reaches the worker, and what it had done is in the transcript', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const { environment } = worker(
    (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ text: 'never' }))
      }),
  )
  const running = runJob(memory.take(), environment)
  await troupe.when('request-started', (event) => event.agentId === agentId)
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
  await running
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped', stoppedBy: 'user' })
})

test('the worker’s own user stops it: the agent is stopped by the user', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const interrupted = new AbortController()
  const { environment } = worker(() => new Promise(() => {}), { stopped: interrupted.signal })
  const running = runJob(memory.take(), environment)
  await troupe.when('request-started', (event) => event.agentId === agentId)
  interrupted.abort()
  await running
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped', stoppedBy: 'user' })
})

test('a worker that dies leaves an interrupted agent, which a message resumes', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const { environment } = worker((request) =>
    request.messages.length === 1
      ? { text: 'I begin.', calls: [['TodoWrite', { todos: [] }]] }
      : new Promise(() => {}),
  )
  const taken = memory.take()
  const running = runJob(taken, environment)
  await troupe.when('tool-ended', (event) => event.agentId === agentId)
  memory.die('The worker ended unexpectedly.')
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'interrupted', workerState: 'gone' })
  taken.lose()
  await running
  await troupe.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content: 'Again' })
  await memory.submitted()
  const next = worker((request) => ({
    text: JSON.stringify(request.messages).includes('I begin.') ? 'Knows.' : 'Forgot.',
  }))
  await runJob(memory.take(), next.environment)
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', report: 'Knows.' })
})

test('a job that another worker takes over continues with the dialogue, and the first one reports nothing more', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const first = worker((request) =>
    request.messages.length === 1
      ? { text: 'I begin.', calls: [['TodoWrite', { todos: [] }]] }
      : new Promise(() => {}),
  )
  const lost = memory.take()
  const running = runJob(lost, first.environment)
  await first.troupe.when('request-started', ({ turn }) => turn === 2)
  const second = worker((request) => ({
    text: JSON.stringify(request.messages).includes('another one continues') ? 'Finished.' : 'Not told.',
  }))
  const again = memory.take()
  lost.lose()
  await runJob(again, second.environment)
  await running
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', report: 'Finished.' })
  const said = texts(troupe, agentId).filter((text) => text.includes('I begin.'))
  expect(said).toHaveLength(1)
  const ends = memory.reports.filter(({ event }) => event.type === 'agent-ended')
  expect(ends).toHaveLength(1)
})

describe('a full disk of the worker', () => {
  async function begun() {
    const memory = createMemoryLink()
    const { troupe, id, agentId } = await begin(memory)
    const hand = createHandClock()
    const store = createMemoryStore()
    const said: (string | null)[] = []
    const first = worker(
      (request) => {
        if (request.messages.length > 1) return { text: 'Written.' }
        store.trouble = 'The disk is full. Free some space.'
        return { text: 'I begin.', calls: [['TodoWrite', { todos: [] }]] }
      },
      { sleep: hand.clock.sleep, onTrouble: (problem) => said.push(problem) },
      { store },
    )
    const running = runJob(memory.take(), first.environment)
    while (said.length === 0) await hand.settle()
    expect(said).toEqual(['The disk is full. Free some space.'])
    return { memory, troupe, id, agentId, hand, store, said, running }
  }

  test('is said, and the agent goes on as soon as there is space', async () => {
    const { troupe, id, agentId, hand, store, said, running, memory } = await begun()
    await hand.until(9000)
    expect(memory.givenBack).toEqual([])
    store.trouble = null
    await hand.until(12_000)
    await running
    await troupe.runtime.settled(id)
    expect(said).toEqual(['The disk is full. Free some space.', null])
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', report: 'Written.' })
    await hand.until(60_000)
    expect(memory.givenBack).toEqual([])
  })

  test('that stays full gives the job to another worker, which continues with what was reported', async () => {
    const { memory, troupe, id, agentId, hand, running } = await begun()
    await hand.until(30_000)
    await running
    expect(memory.givenBack).toEqual([{ message: 'The disk is full. Free some space.', forGood: false }])
    const second = worker((request) => ({
      text: JSON.stringify(request.messages).includes('I begin.') ? 'Continued.' : 'Begun anew.',
    }))
    await runJob(memory.take(), second.environment)
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', report: 'Continued.' })
  })
})

describe('after the sender’s program died', () => {
  async function begun() {
    const memory = createMemoryLink()
    const first = await begin(memory)
    const second = gate()
    const { environment, troupe: there } = worker(async (request) => {
      if (request.messages.length === 1) return { text: 'I begin.', calls: [['TodoWrite', { todos: [] }]] }
      await second.opened
      return { text: JSON.stringify(request.messages).includes('Hurry') ? 'Hurried.' : 'Done.' }
    })
    const running = runJob(memory.take(), environment)
    await there.when('request-started', ({ turn }) => turn === 2)
    await allIsDone()
    return { memory, ...first, running, open: second.open }
  }

  test('the worker goes on; a snapshot follows it again, and everything is there once', async () => {
    const { memory, troupe: dead, id, agentId, running, open } = await begun()
    const troupe = sender(memory, { store: dead.store.afterCrash() })
    const summaries: ConversationSummary[] = []
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'conversation') summaries.push(delta.summary)
    })
    const snapshot = await troupe.runtime.snapshot(id)
    expect(snapshot.ok && snapshot.value.agents.find((agent) => agent.id === agentId)).toMatchObject({
      status: 'running',
    })
    expect(summaries.at(-1)).toMatchObject({ id, running: 1 })
    open()
    await running
    await troupe.when('agent-ended', (event) => event.agentId === agentId)
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', report: 'Done.' })
    const log = troupe.store.logs.get(agentId) ?? []
    expect(log.map(({ seq }) => seq)).toEqual([...log.keys()])
    expect(log.flatMap(({ origin }) => origin?.seq ?? [])).toEqual([...memory.reports.slice(0, -1).keys()])
    expect(log.filter(({ type }) => type === 'agent-spawned')).toHaveLength(1)
  })

  test('a worker that ended meanwhile has its end in the log', async () => {
    const { memory, troupe: dead, id, agentId, running, open } = await begun()
    const store = dead.store.afterCrash()
    open()
    await running
    const troupe = sender(memory, { store })
    await troupe.runtime.followWorkers()
    await troupe.when('agent-ended', (event) => event.agentId === agentId)
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'completed', report: 'Done.' })
  })

  test('a message that was queued before is sent again, and arrives once', async () => {
    const { memory, troupe: dead, id, agentId, running, open } = await begun()
    await dead.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content: 'Hurry' })
    const troupe = sender(memory, { store: dead.store.afterCrash() })
    await troupe.runtime.followWorkers()
    await allIsDone()
    expect(memory.commands.filter(({ type }) => type === 'message')).toHaveLength(2)
    open()
    await running
    await troupe.when('agent-ended', (event) => event.agentId === agentId)
    const log = JSON.stringify(troupe.store.logs.get(agentId))
    expect(log.split('Hurry')).toHaveLength(2)
  })

  test('a worker that died too: the agent is interrupted', async () => {
    const { memory, troupe: dead, id, agentId } = await begun()
    memory.die('Gone.')
    const troupe = sender(memory, { store: dead.store.afterCrash() })
    const snapshot = await troupe.runtime.snapshot(id)
    expect(snapshot.ok && snapshot.value.agents.find((agent) => agent.id === agentId)).toMatchObject({
      status: 'interrupted',
    })
  })
})

test('SendMessage of the agent goes to the sender’s agents by name; an unknown name is an error with the names', async () => {
  const memory = createMemoryLink()
  const { troupe, id } = await begin(memory, { main: WAITS_FOR_OUTSIDER })
  const put: { to: string; text: string }[] = []
  const { environment, troupe: there } = worker(
    (request) =>
      request.messages.length === 1
        ? {
            calls: [
              ['SendMessage', { to: 'main', message: 'Half done' }],
              ['SendMessage', { to: 'nobody', message: 'Hello?' }],
              ['Agent', { description: 'more', prompt: 'More.', subagent_type: 'outsider' }],
            ],
          }
        : { text: 'Done.' },
    {
      sendMessage: async ({ to, content }) => {
        put.push({ to, text: JSON.stringify(content) })
        return { ok: true, value: undefined }
      },
    },
  )
  await runJob(memory.take(), environment)
  await troupe.runtime.settled(id)
  const main = troupe.events.find(
    (event) => event.type === 'agent-spawned' && event.parentId === null,
  )?.agentId
  expect(put).toEqual([{ to: main, text: expect.stringContaining('Half done') }])
  const results = there.events.flatMap((event) =>
    event.type === 'tool-ended' ? [String(event.content)] : [],
  )
  expect(results.join('\n')).toContain('There is no agent nobody to write to. You can write to: main, parent')
  expect(results.join('\n')).toContain('you run in a worker process')
})

test('a large output is copied to the sender, and its text names the copy', async () => {
  const memory = createMemoryLink()
  const { troupe, id, agentId } = await begin(memory)
  const there = createTestRuntime({
    script: (request) =>
      request.messages.length === 1 ? { calls: [['Bash', { command: 'ls' }]] } : { text: 'Listed.' },
    shell: async ({ cwd }) => ({ output: 'x'.repeat(20_000), exitCode: 0, ended: 'exit', cwd }),
    store: elsewhere(),
  })
  const { environment } = worker(() => ({ text: '' }))
  await runJob(memory.take(), { ...environment, runtime: there.runtime })
  expect(memory.givenBack).toEqual([])
  await troupe.runtime.settled(id)
  const ended = eventsOf(troupe, agentId).find((event) => event.type === 'tool-ended')
  expect(ended).toMatchObject({
    content: expect.stringContaining(`/data/tasks/${agentId}/tool-results/`),
    outputFile: { path: expect.stringContaining(`tasks/${agentId}`) },
  })
  expect(JSON.stringify(ended)).not.toContain('/elsewhere')
})

/** A store in another folder. */
function elsewhere(): ReturnType<typeof createMemoryStore> {
  const store = createMemoryStore()
  const open: TranscriptStore['open'] = async (record) => {
    const opened = await store.open(record)
    if (!opened.ok) return opened
    const log = opened.value
    const before = log.outputFolder
    const outputFolder = (agentId: string) => before(agentId).replace('/data', '/elsewhere')
    return { ok: true, value: Object.defineProperty(log, 'outputFolder', { value: outputFolder }) }
  }
  return { ...store, open }
}

test('a job of a newer program is given back for good, with what to do', async () => {
  const memory = createMemoryLink()
  await begin(memory)
  const taken = memory.take()
  await runJob({ ...taken, job: { ...taken.job, protocol: 99 } }, worker(() => ({ text: '' })).environment)
  expect(memory.givenBack).toEqual([
    { forGood: true, message: expect.stringContaining('Update Troupe on the worker') },
  ])
})
