/** What the log of an environment says about commands that do not fail, and do not work either. */
import { expect, test } from 'vitest'
import type { FolderCommands } from '../../../shared/environments/environments.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ShellEnd } from '../../runtime/ports/shell.ts'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { runServer, runSetup } from './environment-runner.ts'

const web = { name: 'web', command: './serve', portVariable: null, listens: null }
const commands: FolderCommands = {
  commands: { setup: ['./setup.sh'], run: [web], teardown: [], hosts: [] },
  ...{ sources: ['.troupe/environment.yaml'], isProposed: false, problems: [], folder: '/shop' },
  ...{ approval: { state: 'approved' }, digest: 'd'.repeat(64), scripts: [] },
}

/** @param run what each command does */
function bench(run: () => Promise<ShellEnd>) {
  const hand = createHandClock()
  const notes: string[] = []
  return {
    ...{ hand, notes },
    options: {
      clock: hand.clock,
      limits: async () => ok(null),
      images: { prepare: async () => fail({ type: 'none', message: 'Nothing here names an image.' }) },
      shell: { run: async () => ok(await run()) },
    },
    running: {
      worktree: {
        ...{ id: 'fix-a', path: '/w/fix-a', branch: 'troupe/fix-a', from: '/shop', project: '/shop' },
        // Nothing can be reached there: a connection to port 1 is refused.
        ...{ environment: {}, base: 1 },
      },
      ...{ commands, isAsApproved: true },
      log: {
        add: (source: string, text: string) => void (source === 'troupe' && notes.push(text)),
        flush: async () => undefined,
      },
      signal: new AbortController().signal,
      emit: async () => undefined,
    },
  }
}

const end: ShellEnd = { output: '', exitCode: 0, ended: 'exit', cwd: '/w/fix-a' }

test('a server that listens nowhere for 20 seconds is noted, with the key that leads to its own port', async () => {
  let stop: (ended: ShellEnd) => void = () => undefined
  const { hand, notes, options, running } = bench(() => new Promise((resolve) => (stop = resolve)))
  const done = runServer(options, running, web)
  await hand.settle()
  await hand.until(19_999)
  expect(notes).toEqual([])
  await hand.until(20_000)
  await hand.settle()
  expect(notes).toEqual([expect.stringMatching(/^Nothing listens at port 1 after 20 s.+"listens"/)])
  stop(end)
  await done
})

test('a server that ends before that is not noted', async () => {
  const { hand, notes, options, running } = bench(async () => end)
  await runServer(options, running, web)
  await hand.until(60_000)
  expect(notes).toEqual([])
})

test('a set-up that ends well although hosts were refused says which', async () => {
  const { notes, options, running } = bench(async () => ({ ...end, refusedHosts: ['git.example.com'] }))
  expect(await runSetup(options, running)).toBe(true)
  expect(notes).toEqual([expect.stringContaining('refused connections to git.example.com')])
})
