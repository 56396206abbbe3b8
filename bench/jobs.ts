/** The job queue over NATS: jobs per second, and the way of one event, beside the same messages without Troupe. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type JobStore, openJobStore } from '../src/main/features/workers/nats/jobs/job-store.ts'
import { openOutbox } from '../src/main/features/workers/nats/jobs/outbox.ts'
import { createRemoteLink, type RemoteLink } from '../src/main/features/workers/nats/jobs/remote-link.ts'
import { loadSenderKey } from '../src/main/features/workers/nats/jobs/sender-keys.ts'
import { serveJobs } from '../src/main/features/workers/nats/jobs/serve-jobs.ts'
import {
  endReport,
  noticeReport,
  sampleJob,
} from '../src/main/features/workers/nats/jobs/testing/sample-job.ts'
import { workerPolicy } from '../src/main/features/workers/nats/jobs/worker-policy.ts'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { fail, ok } from '../src/shared/kernel/result.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const JOBS = 60
const EVENTS = 200

export async function measure(): Promise<readonly Figure[]> {
  const rates = new Map<number, { readonly ours: number[]; readonly bare: number[] }>()
  const ways: { readonly ours: number[]; readonly bare: number[] } = { ours: [], bare: [] }
  for (let run = 0; run < 3; run++)
    await inFreshFolders({}, async ({ home }) => {
      const server = await startServer(join(home, 'nats'))
      try {
        const sender = await openSender(server.url, home)
        for (const workers of [1, 2, 4]) {
          const found = rates.get(workers) ?? { ours: [], bare: [] }
          rates.set(workers, found)
          found.ours.push(await jobsPerSecond(sender, { url: server.url, workers, run }))
          found.bare.push(await messagesPerSecond(server.url, workers))
        }
        ways.ours.push(await eventWay(sender, server.url, run))
        ways.bare.push(await messageWay(server.url))
        await sender.close()
      } finally {
        server.process.kill('SIGKILL')
      }
    })
  const crowds = [
    await crowd({ senders: 1, jobs: 1000, workers: 4, runs: 3 }),
    await crowd({ senders: 10, jobs: 10_000, workers: 50, runs: 1 }),
  ]
  return [
    ...[...rates].map(
      ([workers, { ours, bare }]): Figure => ({
        name: `remote jobs without work, ${workers} worker${workers === 1 ? '' : 's'}`,
        unit: '/s',
        runs: ours,
        reference: { name: 'JetStream: publish, fetch, ack', runs: bare },
        target: '≥ 20/s',
        met: median(ours) >= 20,
      }),
    ),
    {
      name: 'remote event: from the worker to the sender',
      unit: 'ms',
      runs: ways.ours,
      reference: { name: 'JetStream: publish, deliver', runs: ways.bare },
      target: '≤ 50 ms',
      met: median(ways.ours) <= 50,
    },
    ...crowds.flat(),
  ]
}

interface Crowd {
  readonly senders: number
  /** Of all senders together. All are outstanding when the workers begin. */
  readonly jobs: number
  /** Simulated ones in this process, with one job each at a time. */
  readonly workers: number
  readonly runs: number
}

/** Whether many outstanding jobs make each one slower, or cost more messages. */
async function crowd(wanted: Crowd): Promise<readonly Figure[]> {
  const { senders, jobs, workers, runs } = wanted
  const rates: { readonly start: number[]; readonly end: number[] } = { start: [], end: [] }
  const messages: { readonly many: number[]; readonly few: number[] } = { many: [], few: [] }
  for (let run = 0; run < runs; run++) {
    messages.few.push((await runCrowd({ ...wanted, jobs: jobs / 10 })).messages)
    const many = await runCrowd(wanted)
    messages.many.push(many.messages)
    rates.start.push(many.start)
    rates.end.push(many.end)
  }
  const name = `${jobs.toLocaleString('en-US')} remote jobs of ${senders === 1 ? 'one sender' : `${senders} senders`}, ${workers} workers`
  return [
    {
      name: `${name}: the last fifth`,
      unit: '/s',
      runs: rates.end,
      reference: { name: 'the first fifth', runs: rates.start },
      target: '≥ 0.7 × the reference',
      met: median(rates.end) >= 0.7 * median(rates.start),
    },
    {
      name: `${name}: messages a job`,
      unit: 'messages',
      runs: messages.many,
      reference: { name: `${(jobs / 10).toLocaleString('en-US')} jobs`, runs: messages.few },
      target: '≤ 1.1 × the reference',
      met: median(messages.many) <= 1.1 * median(messages.few),
    },
  ]
}

/** Jobs per second in the first and the last fifth, and the messages a job between the server and all programs. */
function runCrowd({ senders: count, jobs, workers }: Crowd) {
  return inFreshFolders({}, async ({ home }) => {
    const server = await startServer(join(home, 'nats'))
    try {
      const senders: Sender[] = []
      for (let index = 0; index < count; index++)
        senders.push(await openSender(server.url, join(home, `sender-${index}`)))
      const sent = senders.flatMap((sender, index) =>
        Array.from({ length: jobs / count }, (_, job) => ({ sender, job: sampleJob(`a-${index}-${job}`) })),
      )
      await Promise.all(sent.map(({ sender, job }) => sender.link.submit(job)))
      const times: number[] = []
      const ends = sent.map(async ({ sender, job }) => {
        const { kind } = await followed(sender, job, () => {})
        if (kind !== 'ended') throw new Error('Not every job has ended.')
        times.push(performance.now())
      })
      const started = await startWorkers(senders, { url: server.url, workers, events: 0 })
      const begun = performance.now()
      await Promise.all(ends)
      const sum = [...senders, ...started.connections.map((connection) => ({ connection }))]
        .map(({ connection }) => connection.stats())
        .reduce((all, { inMsgs, outMsgs }) => all + inMsgs + outMsgs, 0)
      await started.stop()
      for (const sender of senders) await sender.close()
      const fifth = jobs / 5
      const at = (index: number) => times[index - 1] ?? begun
      const rate = (from: number) => fifth / ((at(from + fifth) - at(from)) / 1000)
      return { start: rate(0), end: rate(jobs - fifth), messages: sum / jobs }
    } finally {
      server.process.kill('SIGKILL')
    }
  })
}

interface Sender {
  readonly connection: NatsConnection
  readonly link: RemoteLink
  readonly publicKey: string
  close(): Promise<void>
}

async function openSender(url: string, home: string): Promise<Sender> {
  const connection = await connect({ servers: url, noAsyncTraces: true })
  const store = await storeAt(connection)
  const key = await loadSenderKey(home)
  if (!key.ok) throw new Error(key.failure.message)
  const nothing = async () => fail({ type: 'io' as const, message: 'There is no task list.' })
  const link = createRemoteLink({
    stores: { current: () => store, onOpen: () => () => {} },
    outbox: await openOutbox(join(home, 'outbox'), console.error, randomUUID),
    key: key.value,
    workers: () => ({ fit: [], why: null, none: false }),
    deliver: async () => ok(undefined),
    board: { list: nothing, create: nothing, update: nothing, watch: () => () => {} },
    now: Date.now,
    onProblem: console.error,
  })
  return {
    connection,
    link,
    publicKey: key.value.publicKey,
    async close() {
      await link.close()
      await connection.close()
    },
  }
}

async function storeAt(connection: NatsConnection): Promise<JobStore> {
  const store = await openJobStore(connection, createSystemClock().sleep)
  if (!store.ok) throw new Error(store.failure.message)
  return store.value
}

/** Starts workers whose jobs only report, each on a connection of its own. `stop` ends them. */
async function startWorkers(
  senders: readonly Sender[],
  options: { readonly url: string; readonly workers: number; readonly events: number },
): Promise<{ readonly connections: readonly NatsConnection[]; readonly stop: () => Promise<void> }> {
  const trusted = new Set(senders.map(({ publicKey }) => publicKey))
  const end = new AbortController()
  const connections: NatsConnection[] = []
  const stores: JobStore[] = []
  for (let worker = 0; worker < options.workers; worker++) {
    const connection = await connect({ servers: options.url, noAsyncTraces: true })
    connections.push(connection)
    stores.push(await storeAt(connection))
  }
  const served = stores.map((store, worker) =>
    serveJobs({
      store,
      elapsed: () => performance.now(),
      worker: { workerId: `w-${worker}`, host: 'bench', pid: 1, cores: 1, tmux: null },
      policy: async () => ok(workerPolicy.parse({})),
      trusted: async () => trusted,
      async runJob(taken) {
        for (let seq = 0; seq < options.events; seq++)
          await taken.report(noticeReport(taken, seq, String(performance.now())))
        await taken.report(endReport(taken, options.events, 'done'))
        await taken.done()
      },
      signal: end.signal,
    }),
  )
  const stop = async () => {
    end.abort()
    await Promise.all(served)
    for (const connection of connections) await connection.close()
  }
  return { connections, stop }
}

async function jobsPerSecond(
  sender: Sender,
  { url, workers, run }: { readonly url: string; readonly workers: number; readonly run: number },
): Promise<number> {
  const { stop } = await startWorkers([sender], { url, workers, events: 0 })
  const jobs = Array.from({ length: JOBS }, (_, index) => sampleJob(`a-${run}-${workers}-${index}`))
  const begun = performance.now()
  await Promise.all(jobs.map((job) => sender.link.submit(job)))
  const ends = await Promise.all(jobs.map((job) => followed(sender, job, () => {})))
  if (ends.some(({ kind }) => kind !== 'ended')) throw new Error('Not every job has ended.')
  const rate = JOBS / ((performance.now() - begun) / 1000)
  await stop()
  return rate
}

/** ms, the median. Sender and worker are one process, so that one clock measures. */
async function eventWay(sender: Sender, url: string, run: number): Promise<number> {
  const { stop } = await startWorkers([sender], { url, workers: 1, events: EVENTS })
  const times: number[] = []
  const job = sampleJob(`a-way-${run}`)
  await sender.link.submit(job)
  await followed(sender, job, (text) => times.push(performance.now() - Number(text)))
  await stop()
  return median(times)
}

function followed({ link }: Sender, job: ReturnType<typeof sampleJob>, notice: (text: string) => void) {
  return link.follow(
    { ...job, from: 0 },
    {
      async report({ event }) {
        if (event.type === 'notice') notice(event.text)
        return true
      },
      live() {},
      worker() {},
    },
    new AbortController().signal,
  )
}

async function messagesPerSecond(url: string, workers: number): Promise<number> {
  const connection = await connect({ servers: url })
  const manager = await jetstreamManager(connection)
  const stream = { name: 'bare', subjects: ['bare'], retention: RetentionPolicy.Workqueue }
  await manager.streams.add(stream)
  await manager.consumers.add('bare', { durable_name: 'all', ack_policy: AckPolicy.Explicit })
  const js = jetstream(connection)
  const payload = new Uint8Array(2000)
  const begun = performance.now()
  let left = JOBS
  const worker = async () => {
    const consumer = await js.consumers.get('bare', 'all')
    while (left > 0) {
      const message = await consumer.next({ expires: 1000 })
      if (message === null) continue
      await message.ackAck()
      left--
    }
  }
  const published = Promise.all(Array.from({ length: JOBS }, () => js.publish('bare', payload)))
  const done = new Promise<void>((resolve) => {
    for (let index = 0; index < workers; index++)
      void worker().then(() => {
        if (left <= 0) resolve()
      })
  })
  await published
  await done
  const rate = JOBS / ((performance.now() - begun) / 1000)
  await connection.close()
  const cleaning = await connect({ servers: url })
  await (await jetstreamManager(cleaning)).streams.delete('bare')
  await cleaning.close()
  return rate
}

async function messageWay(url: string): Promise<number> {
  const connection = await connect({ servers: url })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: 'way', subjects: ['way'] })
  const js = jetstream(connection)
  const messages = await (await js.consumers.get('way')).consume()
  const times: number[] = []
  const arriving = (async () => {
    for await (const message of messages) {
      times.push(performance.now() - Number(message.string()))
      if (times.length === EVENTS) return
    }
  })()
  for (let index = 0; index < EVENTS; index++) await js.publish('way', String(performance.now()))
  await arriving
  await messages.close()
  await manager.streams.delete('way')
  await connection.close()
  return median(times)
}

async function startServer(
  folder: string,
): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const args = ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', folder]
  const child = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const url = new Promise<string>((resolve) => {
    let port = ''
    createInterface({ input: child.stderr }).on('line', (line) => {
      port = /Listening for client connections on \S*:(\d+)/.exec(line)?.[1] ?? port
      if (line.includes('Server is ready')) resolve(`nats://127.0.0.1:${port}`)
    })
  })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('nats-server ended.')))
  return { url: await Promise.race([url, failed]), process: child }
}
