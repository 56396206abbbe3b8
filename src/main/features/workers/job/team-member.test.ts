/** A team with a member at a worker: its program and the worker share the task list and the mailboxes. */
import { expect, test } from 'vitest'
import { ok } from '../../../../shared/kernel/result.ts'
import { workerCommand } from '../../../../shared/workers/worker-protocol.ts'
import { createMemoryBoard } from '../../../runtime/testing/memory-board.ts'
import { createMemoryMailbox } from '../../../runtime/testing/plain-ports.ts'
import { lastWords, type Script } from '../../../runtime/testing/scripted-model.ts'
import { type Call, childrenOf, script } from '../../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from '../../../runtime/testing/test-runtime.ts'
import { createWorkerBacking } from '../worker-backing.ts'
import { runJob } from './run-job.ts'
import { createMemoryLink } from './testing/memory-link.ts'

const update = (task_id: string, status: string): Call => ['TaskUpdate', { task_id, status }]
let made = 0

test('it claims and completes tasks of the shared list, writes to an idle member, and a free task is its next job', async () => {
  const memory = createMemoryLink()
  const shared = { tasks: createMemoryBoard(), mailbox: createMemoryMailbox() }
  const members = [
    { name: 'ada', agent: 'general-purpose', prompt: 'You are ada.', backing: 'pane' },
    { name: 'bob', agent: 'general-purpose', prompt: 'You are bob.' },
  ]
  const bob: Script = (request) => {
    const words = lastWords(request)
    if (words.endsWith('You are bob.')) return { calls: [update('1', 'in_progress')] }
    return { text: `heard ${words}` }
  }
  const troupe: TestRuntime = createTestRuntime({
    ...shared,
    script: script(
      [
        {
          calls: [
            ['TaskCreate', { subject: 'one' }],
            ['TaskCreate', { subject: 'two' }],
            ['TaskCreate', { subject: 'three', depends_on: ['2'] }],
          ],
        },
        { calls: [['TeamCreate', { name: 'pay', members }]] },
        { text: 'I wait.' },
      ],
      bob,
    ),
    runtime: {
      workers: {
        check: async () => ok(undefined),
        backing: (agent) =>
          agent.state().backing === 'pane'
            ? createWorkerBacking(agent, memory.link, {
                clock: { now: () => 1, sleep: async () => {} },
                ids: { next: (prefix) => `${prefix}-w${++made}` },
                trusted: () => true,
                rules: async () => ({ allow: [], deny: [] }),
                rehearsal: () => undefined,
              })
            : null,
        isAlive: async () => false,
        conversations: async () => [],
      },
    },
  })
  const id = await troupe.begin('Go')
  await memory.submitted()
  await troupe.when('agent-ended', ({ report }) => report.includes('is yours'))
  const run = (child: Script) =>
    runJob(memory.take(), {
      runtime: createTestRuntime({ ...shared, script: child }).runtime,
      sendMessage: (message) => troupe.mailbox.put(message),
      stopped: new AbortController().signal,
      sleep: async () => {},
    })
  await run((request) => {
    const turn = 1 + request.messages.filter(({ role }) => role === 'assistant').length
    if (turn === 1) return { calls: [update('1', 'in_progress'), update('2', 'in_progress')] }
    if (turn > 2) return { text: lastWords(request) }
    return { calls: [['SendMessage', { to: '*', message: 'Two is done soon.' }], update('2', 'completed')] }
  })
  await troupe.when('agent-ended', ({ report }) => report.includes('Two is done soon.'))
  // It is idle, and task 3 is free: that is its next job.
  await memory.submitted()
  await run((request) =>
    lastWords(request).includes('Task 3 is free') ? { calls: [update('3', 'completed')] } : { text: 'Done.' },
  )
  await troupe.runtime.settled(id)

  const [ada, other] = childrenOf(troupe)
  const results = troupe.events.flatMap((event) =>
    event.type === 'tool-ended' && event.agentId === ada?.agentId ? [String(event.content)] : [],
  )
  expect(results[0]).toContain('bob works on task 1 already.')
  expect(results[1]).toContain('Task 2 (two) is yours.')
  // A message to all is one message, also from a worker.
  const copies = troupe.events.flatMap((event) =>
    event.type === 'user-message' && event.broadcast !== undefined ? [event] : [],
  )
  const { mainAgentId } = troupe.store.records.get(id)!
  expect(new Set(copies.map(({ agentId }) => agentId))).toEqual(new Set([mainAgentId, other?.agentId]))
  expect(new Set(copies.map(({ broadcast }) => broadcast)).size).toBe(1)
  const { tasks } = troupe.store.records.get(id)!
  expect(tasks).toMatchObject([
    { status: 'in_progress', owner: other?.agentId },
    { status: 'completed', owner: ada?.agentId },
    { status: 'completed', owner: ada?.agentId },
  ])
})

test('a message to all keeps what joins its copies on the way to a worker', () => {
  const message = { type: 'message', messageId: 'm', from: 'user', sender: null, content: [], broadcast: 'b' }
  expect(workerCommand.parse(message)).toEqual(message)
})
