/** Workers that announce themselves at a real server, and programs that list them. */
import { Kvm } from '@nats-io/kv'
import { expect, onTestFinished, test } from 'vitest'
import type { WorkerHeartbeat, Workers, WorkersState } from '../../../../shared/workers/worker-presence.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import { combineWorkers } from '../feature.ts'
import { natsNames } from './subjects.ts'
import { startNatsServer, withNats } from './testing/nats-server.ts'
import { openTestSession, ready } from './testing/session.ts'
import { FORGOTTEN, publishPresence, watchPresence } from './worker-presence.ts'

const worker = (workerId: string): Omit<WorkerHeartbeat, 'at'> => ({
  workerId,
  kind: 'remote',
  host: 'build-3',
  pid: 77,
  cores: 8,
  platform: 'linux',
  version: '0.1.0',
  protocol: 1,
  tmux: null,
  models: [],
  tools: [],
  agentIds: [],
  load: 0.25,
  problem: null,
})

/** A clock whose waits end when the test says so. */
function manualClock(): Clock & { pass(ms: number): void } {
  let offset = 0
  const waiting = new Set<() => void>()
  return {
    now: () => Date.now() + offset,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(end)
          resolve()
        }
        waiting.add(end)
        signal.addEventListener('abort', end, { once: true })
      }),
    pass(ms) {
      offset += ms
      for (const end of [...waiting]) end()
    },
  }
}

const until = (workers: Workers, holds: (state: WorkersState) => boolean) =>
  new Promise<WorkersState>((resolve) => {
    const check = (state: WorkersState) => {
      if (!holds(state)) return
      queueMicrotask(() => stop())
      resolve(state)
    }
    const stop = workers.subscribe(check)
    check(workers.state())
  })

withNats('remote workers', () => {
  test('are listed with their load, as long as they live, on this machine’s clock', async () => {
    const server = await startNatsServer()
    const session = openTestSession(server.url)
    await ready(session)
    const problems: string[] = []
    const facts = { ...worker('w-1'), load: 0.25 }
    const publish = (heartbeat: () => Omit<WorkerHeartbeat, 'at'>) =>
      publishPresence({
        session: openTestSession(server.url),
        clock: createSystemClock(),
        heartbeat,
        onProblem: (problem) => problems.push(problem),
      })
    const first = publish(() => facts)
    const second = publish(() => worker('w-2'))
    const watch = watchPresence({ session, clock: createSystemClock(), outbox: () => 3 })
    onTestFinished(() => watch.close())
    const state = await until(watch, ({ workers }) => workers.length === 2)
    expect(state).toMatchObject({ nats: { kind: 'connected' }, outbox: 3 })
    for (const { lastSeenAt } of state.workers) expect(Math.abs(Date.now() - lastSeenAt)).toBeLessThan(60_000)
    facts.load = 0.75
    await first.now()
    await until(watch, ({ workers }) => workers.some(({ load }) => load === 0.75))
    await second.close()
    const left = await until(watch, ({ workers }) => workers.length === 1)
    expect(left.workers[0]).toMatchObject({ workerId: 'w-1', host: 'build-3', cores: 8 })
    await first.close()
    expect(problems).toEqual([])
  })

  test('that are silent keep the time of their last heartbeat, and are forgotten after a while', async () => {
    const server = await startNatsServer()
    const session = openTestSession(server.url)
    await ready(session)
    const clock = manualClock()
    const watch = watchPresence({ session, clock })
    onTestFinished(() => watch.close())
    const link = session.link()
    if (!link) throw new Error('no connection')
    const bucket = await new Kvm(link.connection).open(natsNames.workers)
    await bucket.put('w-1', JSON.stringify({ ...worker('w-1'), at: 0 }))
    // Neither a program of another version nor a forged name hides the others.
    await bucket.put('w-2', '{"workerId":"w-2"}')
    await bucket.put('w-3', JSON.stringify({ ...worker('w-1'), at: 0 }))
    const listed = await until(watch, ({ workers }) => workers.length > 0)
    expect(listed.workers.map(({ workerId }) => workerId)).toEqual(['w-1'])
    clock.pass(FORGOTTEN / 2)
    expect(watch.state().workers[0]?.lastSeenAt).toBe(listed.workers[0]?.lastSeenAt)
    clock.pass(FORGOTTEN)
    expect(await until(watch, ({ workers }) => workers.length === 0)).toMatchObject({ workers: [] })
  })

  test('are listed again after the server was killed', async () => {
    const server = await startNatsServer()
    const session = openTestSession(server.url)
    const other = openTestSession(server.url)
    await Promise.all([ready(session), ready(other)])
    const watch = watchPresence({ session, clock: createSystemClock() })
    onTestFinished(() => watch.close())
    const published = publishPresence({
      session: other,
      clock: createSystemClock(),
      heartbeat: () => worker('w-1'),
      onProblem: () => {},
    })
    await until(watch, ({ workers }) => workers.length === 1)
    const gone = until(watch, ({ nats }) => nats.kind === 'failed')
    await server.kill()
    const failed = await gone
    expect(failed.nats).toMatchObject({ message: expect.stringContaining('It is tried again') })
    const seen = failed.workers[0]?.lastSeenAt ?? 0
    await server.start()
    await until(watch, ({ workers }) => workers.some(({ lastSeenAt }) => lastSeenAt > seen))
    await published.close()
  })
})

test('workers of several sources are one state', () => {
  const listeners = new Set<() => void>()
  const source = (state: WorkersState): Workers => ({
    state: () => state,
    subscribe(listener) {
      const call = () => listener(state)
      listeners.add(call)
      return () => listeners.delete(call)
    },
  })
  const presence = (id: string) => ({ ...worker(id), at: 0, lastSeenAt: 0 })
  const all = combineWorkers([
    source({ nats: { kind: 'off' }, workers: [presence('w-1')], outbox: 1 }),
    source({ nats: { kind: 'connecting', url: 'nats://a' }, workers: [presence('w-2')], outbox: 2 }),
  ])
  expect(all.state()).toMatchObject({ nats: { kind: 'connecting' }, outbox: 3 })
  expect(all.state().workers.map(({ workerId }) => workerId)).toEqual(['w-1', 'w-2'])
  const seen: number[] = []
  const stop = all.subscribe(({ outbox }) => seen.push(outbox))
  for (const call of listeners) call()
  expect(seen).toEqual([3, 3])
  stop()
  expect(listeners.size).toBe(0)
  expect(combineWorkers([]).state()).toEqual({ nats: { kind: 'off' }, workers: [], outbox: 0 })
})
