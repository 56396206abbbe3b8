/** The commands for an agent, as its worker takes them: in order, each one once, and a stop before all others. */
import { z } from 'zod'
import { type WorkerCommand, workerCommand } from '../../../../../shared/workers/worker-protocol.ts'
import { pauseAfter } from '../waits.ts'
import { openEnvelope } from './envelope.ts'
import { cancelSubject, commandSubject, commandsKey, type JobAddress, jobNames } from './job-names.ts'
import { readJobState } from './job-record.ts'
import type { JobStore } from './job-store.ts'

/** A command with its place in the sequence of all commands for the agent, from 1 on. */
const numberedCommand = z.object({
  /** Numbers count within a series: a sender that lost its files begins another one. */
  series: z.string().regex(/^[\w-]{1,64}$/),
  number: z.number().int().positive(),
  /** The sender knows that the commands up to this number were carried out. */
  after: z.number().int().nonnegative(),
  command: workerCommand,
})

interface QueueOptions {
  readonly store: JobStore
  readonly job: JobAddress & { readonly jobId: string }
  readonly trusted: () => Promise<ReadonlySet<string>>
  /** Ends the commands. */
  readonly signal: AbortSignal
}

/** A command counts as carried out when the next one is asked for. */
export async function* takeCommands(options: QueueOptions): AsyncGenerator<WorkerCommand> {
  const { store, job, signal } = options
  const bell = openBell(options)
  let isStopped = false
  let next = 1
  try {
    for (let failures = 0; !signal.aborted; )
      try {
        if (bell.isRestarted()) next = 1
        if (!isStopped && (await readJobState(store.records, job)).record?.state === 'canceled') {
          isStopped = true
          yield { type: 'stop', jobId: job.jobId }
          continue
        }
        const filter = commandSubject(job)
        const message = await store.jsm.direct.getMessage(jobNames.commands, {
          seq: next,
          next_by_subj: filter,
        })
        failures = 0
        if (message === null) {
          await bell.rung()
          continue
        }
        const read = await readCommand(message, options)
        const done = read && Math.max(read.after, await commandsDone(store, job, read.series))
        // One before it may have been forgotten by the server: its sender sends all of them again.
        if (read !== null && read.number === (done ?? 0) + 1) {
          yield read.command
          await store.records.put(commandsKey(job, read.series), String(read.number))
        }
        next = message.seq + 1
        await store.jsm.streams.purge(jobNames.commands, { filter, seq: next })
      } catch {
        // The connection broke: what was not recorded as carried out comes again.
        await store.sleep(pauseAfter(failures++), signal)
      }
  } finally {
    bell.close()
  }
}

/** Rings when a command or a cancellation may be there: with its message, and now and then, because that may be lost. */
function openBell({ store, job, signal }: QueueOptions) {
  let isRung = false
  let isRestarted = false
  let wake = () => {}
  const ring = () => {
    isRung = true
    wake()
  }
  const subscriptions = [commandSubject(job), cancelSubject(job)].map((subject) =>
    store.connection.subscribe(subject, { callback: ring }),
  )
  const stopWaiting = store.onReconnect(() => {
    isRestarted = true
    ring()
  })
  const timer = setInterval(ring, store.settings.leaseTtl)
  signal.addEventListener('abort', ring, { once: true })
  return {
    async rung(): Promise<void> {
      if (!isRung && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      isRung = false
    },
    /** Whether the server may have forgotten its last messages, and given their numbers to others. */
    isRestarted(): boolean {
      const was = isRestarted
      isRestarted = false
      return was
    },
    close(): void {
      clearInterval(timer)
      stopWaiting()
      signal.removeEventListener('abort', ring)
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}

/** The number of the last command of the series that was carried out; 0: none is known. Throws errors of NATS. */
export async function commandsDone(
  { records }: JobStore,
  address: JobAddress,
  series: string,
): Promise<number> {
  const entry = await records.get(commandsKey(address, series))
  return entry?.operation === 'PUT' ? Number(entry.string()) : 0
}

async function readCommand(
  message: { readonly data: Uint8Array; readonly time: Date },
  { store, job, trusted }: QueueOptions,
): Promise<z.infer<typeof numberedCommand> | null> {
  const opened = await openEnvelope(
    message.data,
    { subject: commandSubject(job), storedAt: message.time.getTime(), trusted: await trusted() },
    store,
  )
  const read = numberedCommand.safeParse(opened.ok ? opened.value.content : null)
  return read.success ? read.data : null
}
