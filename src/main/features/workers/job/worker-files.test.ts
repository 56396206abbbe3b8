/** What the sender does with the files that a worker reports: they are kept before the event, and land at the end. */
import { expect, test } from 'vitest'
import { plainDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { CheckoutState } from '../../../../shared/workers/worker-protocol.ts'
import type { LoadedDefinition } from '../../../runtime/ports/definitions.ts'
import type { TakenJob } from '../../../runtime/ports/worker-link.ts'
import { agentCall, childrenOf, script } from '../../../runtime/testing/scripts.ts'
import { createTestRuntime, testDefinitions } from '../../../runtime/testing/test-runtime.ts'
import { createWorkerBacking, type WorkerBackingDeps } from '../worker-backing.ts'
import { runJob } from './run-job.ts'
import { createMemoryLink } from './testing/memory-link.ts'

const outsider: LoadedDefinition = {
  ...plainDefinition('outsider', 'Runs in another process.'),
  tools: ['TodoWrite'],
  source: 'built-in',
  file: null,
}

const stateOf = (name: string): CheckoutState => ({ head: name, commit: name, bundles: [] })

type Files = Partial<Pick<WorkerBackingDeps, 'progressed' | 'land'>>

/** A sender whose agent runs at a worker; each report of a tool's end carries files, and so does the end. */
async function begin(files: Files) {
  const memory = createMemoryLink()
  let made = 0
  const troupe = createTestRuntime({
    script: script(
      [
        {
          calls: [agentCall('outside', { subagent_type: 'outsider', run_in_background: true, name: 'ann' })],
        },
        { text: 'Waits.' },
      ],
      () => ({ text: 'The sender must not run this agent.' }),
    ),
    definitions: [...testDefinitions, outsider],
    runtime: {
      workers: {
        check: async () => ok(undefined),
        backing: (agent) =>
          agent.state().definition.name === 'outsider'
            ? createWorkerBacking(agent, memory.link, {
                clock: { now: () => 1, sleep: async () => {} },
                ids: { next: (prefix) => `${prefix}-w${++made}` },
                trusted: () => true,
                rules: async () => ({ allow: [], deny: [] }),
                rehearsal: () => undefined,
                ...files,
              })
            : null,
        isAlive: async () => false,
        conversations: async () => [],
      },
    },
  })
  const id = await troupe.begin('Go')
  await memory.submitted()
  const agentId = childrenOf(troupe)[0]?.agentId ?? ''
  const agent = () => troupe.runtime.state(id, agentId)
  const carryOut = async (taken: TakenJob = memory.take()) => {
    const there = createTestRuntime({
      script: (request) =>
        request.messages.length === 1 ? { calls: [['TodoWrite', { todos: [] }]] } : { text: 'Done.' },
    })
    const withFiles: TakenJob = {
      ...taken,
      report: (report) =>
        taken.report(report.event.type === 'tool-ended' ? { ...report, work: stateOf('turn') } : report),
    }
    await runJob(withFiles, {
      runtime: there.runtime,
      sendMessage: async () => ok(undefined),
      stopped: new AbortController().signal,
      sleep: async () => {},
      work: async () => ok(stateOf('end')),
    })
    await troupe.runtime.settled(id)
  }
  return { memory, troupe, agent, carryOut }
}

test('files are kept before the event that tells about them, and land once at the end', async () => {
  const steps: string[] = []
  const { agent, carryOut, troupe } = await begin({
    async progressed(_, { head }) {
      const ends = troupe.events.filter(
        ({ type, agentId }) => type === 'tool-ended' && agentId === agent()?.id,
      )
      steps.push(`${head} ${ends.length}`)
      return ok(undefined)
    },
    async land() {
      steps.push('land')
      return ok('')
    },
  })
  await carryOut()
  expect(steps).toEqual(['turn 0', 'end 1', 'land'])
  expect(agent()).toMatchObject({ status: 'completed', report: 'Done.' })
})

test('what the parent must know about the files is at the end of the report', async () => {
  const { agent, carryOut } = await begin({ land: async () => ok('It is on the branch x-from-worker.') })
  await carryOut()
  expect(agent()?.report).toBe('Done.\n\nIt is on the branch x-from-worker.')
})

test('a run whose files can’t land has failed, with the reason', async () => {
  const { agent, carryOut } = await begin({
    land: async () => fail({ type: 'io', message: 'The disk is full.' }),
  })
  await carryOut()
  expect(agent()).toMatchObject({ status: 'failed', failure: { message: 'The disk is full.' } })
})

test('files of a worker that is gone land too', async () => {
  let landed = 0
  const { agent, memory, troupe } = await begin({
    async land() {
      landed++
      return ok('')
    },
  })
  memory.take()
  memory.die('The worker is gone.')
  await troupe.when('agent-ended', ({ status }) => status === 'interrupted')
  expect(landed).toBe(1)
  expect(agent()?.status).toBe('interrupted')
})

test('files that can’t be kept are tried again, and the event waits for them', async () => {
  let attempts = 0
  const { agent, carryOut } = await begin({
    async progressed(_, { head }) {
      attempts += head === 'turn' ? 1 : 0
      return attempts < 3 && head === 'turn'
        ? fail({ type: 'io', message: 'The disk is full.' })
        : ok(undefined)
    },
    land: async () => ok(''),
  })
  await carryOut()
  expect(attempts).toBe(3)
  expect(agent()).toMatchObject({ status: 'completed', report: 'Done.' })
})
