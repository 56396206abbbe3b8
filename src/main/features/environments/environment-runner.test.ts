import { expect, test } from 'vitest'
import type { EnvironmentEvent } from '../../../shared/environments/environment.ts'
import type { FolderCommands } from '../../../shared/environments/environments.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { type RunnerOptions, runSetup } from './environment-runner.ts'

const commands: FolderCommands = {
  commands: { setup: ['npm ci'], run: [], teardown: [], hosts: ['packages.example.com'] },
  ...{ sources: ['.troupe/environment.yaml'], isProposed: false, problems: [], folder: '/shop' },
  ...{ approval: { state: 'approved' }, digest: 'd'.repeat(64), scripts: [] },
}

/** Runs the set-up. @returns whether it was ready, what it asked its limits for, and its events */
async function setUp(isAsApproved: boolean, hasSandbox: boolean) {
  const asked: Parameters<RunnerOptions['limits']>[0][] = []
  const ran: string[] = []
  const events: EnvironmentEvent[] = []
  const isReady = await runSetup(
    {
      clock: createHandClock().clock,
      limits: async (given) => {
        asked.push(given)
        const { cwd, agentId } = given
        const limits = { folder: cwd, reads: [], writes: [cwd], domains: [], refusedDomains: [], agentId }
        return ok(hasSandbox ? limits : null)
      },
      images: { prepare: async () => fail({ type: 'none', message: 'Nothing here names an image.' }) },
      shell: {
        async run({ command, cwd }) {
          ran.push(command)
          return ok({ output: '', exitCode: 0, ended: 'exit', cwd })
        },
      },
    },
    {
      worktree: {
        ...{ id: 'fix-a', path: '/w/fix-a', branch: 'troupe/fix-a', from: '/shop', project: '/shop' },
        ...{ environment: {}, base: 20_010 },
      },
      ...{ commands, isAsApproved },
      log: { add: () => undefined, flush: async () => undefined },
      signal: new AbortController().signal,
      emit: async (event) => void events.push(event),
    },
  )
  return { isReady, asked: asked[0], ran, last: events.at(-1) }
}

test('an approved set-up reaches its hosts, with a cache that such set-ups share', async () => {
  const { isReady, asked } = await setUp(true, true)
  expect(isReady).toBe(true)
  expect(asked).toMatchObject({ hosts: ['packages.example.com'], agentId: 'environment-dddddddddddddddd' })
})

test('a set-up whose script an agent changed has no hosts and a cache of its own', async () => {
  const { ran, asked } = await setUp(false, true)
  expect(ran).toEqual(['npm ci'])
  expect(asked).toMatchObject({ hosts: [], agentId: 'environment-fix-a' })
})

test('without a sandbox, such a set-up does not run', async () => {
  const { isReady, ran, last } = await setUp(false, false)
  expect([isReady, ran]).toEqual([false, []])
  expect(last).toMatchObject({ type: 'setup-ended', error: expect.stringContaining('nothing was run') })
})
