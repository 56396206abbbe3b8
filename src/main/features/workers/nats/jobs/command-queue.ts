/** The commands for an agent, as its worker takes them from the queue: in order, each one once. */
import { AckPolicy, type ConsumerMessages } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { z } from 'zod'
import { type WorkerCommand, workerCommand } from '../../../../../shared/workers/worker-protocol.ts'
import { openEnvelope } from './envelope.ts'
import { commandConsumer, commandSubject, commandsKey, jobNames } from './job-names.ts'
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
  readonly agentId: string
  readonly trusted: () => Promise<ReadonlySet<string>>
  /** Ends the commands. */
  readonly signal: AbortSignal
}

/** A command counts as carried out when the next one is asked for. */
export async function* takeCommands(options: QueueOptions): AsyncGenerator<WorkerCommand> {
  const { store, agentId, signal } = options
  while (!signal.aborted) {
    let messages: ConsumerMessages | null = null
    const stop = () => void messages?.close()
    try {
      messages = await openConsumer(store, agentId)
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) break
      for await (const message of messages) {
        const read = await readCommand(message, options)
        const done = read && Math.max(read.after, await commandsDone(store, agentId, read.series))
        if (read === null || done === null || read.number <= done) {
          message.ack()
          continue
        }
        // One before it was forgotten by the server. Its sender sends all of them again.
        if (read.number > done + 1) {
          message.term()
          continue
        }
        yield read.command
        await store.records.put(commandsKey(agentId, read.series), String(read.number))
        await message.ackAck()
      }
    } catch {
      // The connection broke: commands that were not acknowledged come again.
    } finally {
      signal.removeEventListener('abort', stop)
      await messages?.close().catch(() => undefined)
    }
    await store.sleep(RETRY, signal)
  }
}

/** The number of the last command of the series that was carried out; 0: none is known. Throws errors of NATS. */
export async function commandsDone({ records }: JobStore, agentId: string, series: string): Promise<number> {
  const entry = await records.get(commandsKey(agentId, series))
  return entry?.operation === 'PUT' ? Number(entry.string()) : 0
}

async function openConsumer(store: JobStore, agentId: string): Promise<ConsumerMessages> {
  const { js, jsm, settings } = store
  await jsm.consumers.add(jobNames.commands, {
    durable_name: commandConsumer(agentId),
    filter_subject: commandSubject(agentId),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(settings.ackWait),
    // The next one only after this one was carried out.
    max_ack_pending: 1,
  })
  const consumer = await js.consumers.get(jobNames.commands, commandConsumer(agentId))
  return consumer.consume({ max_messages: 1 })
}

async function readCommand(
  message: { readonly data: Uint8Array; readonly time: Date },
  { store, agentId, trusted }: QueueOptions,
): Promise<z.infer<typeof numberedCommand> | null> {
  const opened = await openEnvelope(
    message.data,
    { subject: commandSubject(agentId), storedAt: message.time.getTime(), trusted: await trusted() },
    store,
  )
  const read = numberedCommand.safeParse(opened.ok ? opened.value : null)
  return read.success ? read.data : null
}

/** ms between two attempts. */
const RETRY = 250
