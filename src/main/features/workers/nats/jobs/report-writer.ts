/**
 * Writes the reports of one job and epoch. Each message names the one before it, so that the server refuses it after
 * another worker has written. A server that was killed may have forgotten its last messages although it acknowledged
 * them: they are kept here, and written again.
 */
import type { StoredMsg } from '@nats-io/jetstream'
import { natsFailure } from '../nats-failure.ts'
import { pauseAfter } from '../waits.ts'
import { type JobAddress, reportSubject } from './job-names.ts'
import { isConflict } from './job-record.ts'
import { type JobStore, orReconnect } from './job-store.ts'
import type { Lease } from './lease.ts'
import { packText } from './parcel.ts'
import { lastReport, type ReportContent, readReportMessage } from './report-message.ts'

interface ReportWriter {
  /** Resolves to true when the message is stored; false: the job was lost, and nothing more is written. */
  write(content: ReportContent): Promise<boolean>
  close(): void
}

interface WriterOptions {
  readonly store: JobStore
  readonly job: JobAddress & { readonly jobId: string; readonly epoch: number }
  /** The number of the last message about the agent in the stream; 0: there is none. */
  readonly last: number
  readonly lease: Pick<Lease, 'lost' | 'isHeld'>
  /** Called when the server says that another worker has written. */
  readonly onOvertaken: () => void
  /** Called with why nothing can be stored now, and with null when it was stored. May be called with the same again. */
  readonly onTrouble: (problem: string | null) => void
}

export function createReportWriter({
  store,
  job,
  lease,
  onOvertaken,
  ...options
}: WriterOptions): ReportWriter {
  const subject = reportSubject(job)
  /** All messages of this epoch. The first `stored` of them are at the server. */
  const messages: Uint8Array[] = []
  let stored = 0
  let { last } = options
  let isClosed = false
  let chain: Promise<unknown> = Promise.resolve()

  /** Compares with the server: which of these messages does it have? */
  async function compare(): Promise<void> {
    const found = await lastReport(job, store)
    const message = found && (await readOwn(found))
    if (message === 'newer' || !(await lease.isHeld())) return overtake()
    last = found?.seq ?? 0
    stored = message === null ? 0 : message.number + 1
  }

  async function readOwn(found: StoredMsg): Promise<'newer' | { readonly number: number } | null> {
    const message = await readReportMessage(found.data, store)
    if (message === null || message.epoch < job.epoch) return null
    return message.epoch === job.epoch && message.jobId === job.jobId ? message : 'newer'
  }

  function overtake(): void {
    isClosed = true
    onOvertaken()
  }

  const isOver = () => isClosed || lease.lost.aborted

  async function flush(): Promise<boolean> {
    for (let failures = 0; stored < messages.length && !isOver(); ) {
      const message = messages[stored]
      if (message === undefined) break
      try {
        const published = store.js.publish(subject, message, {
          msgID: `${job.jobId}.${job.epoch}.${stored}`,
          expect: { lastSubjectSequence: last },
        })
        const { seq } = await orReconnect(store, published)
        last = seq
        stored++
        failures = 0
      } catch (thrown) {
        if (isConflict(thrown)) await compare().catch((again: unknown) => pause(again, failures++))
        else await pause(thrown, failures++)
      }
    }
    return !isOver()
  }

  /** Nothing can be written now: a lost lease ends the wait. */
  async function pause(thrown: unknown, failures: number): Promise<void> {
    options.onTrouble(natsFailure(thrown, `The reports of ${job.agentId} can’t be stored`).message)
    await store.sleep(pauseAfter(failures, LONGEST_PAUSE), lease.lost)
  }

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = chain.then(work)
    chain = result.catch(() => undefined)
    return result
  }

  const stopWatching = store.onReconnect(() => {
    void inTurn(async () => {
      if (isOver()) return
      await compare().catch(() => undefined)
      await flush()
    })
  })

  return {
    write: (content) =>
      inTurn(async () => {
        if (isOver()) return false
        const text = JSON.stringify({
          ...content,
          jobId: job.jobId,
          epoch: job.epoch,
          number: messages.length,
        })
        for (let failures = 0; ; failures++)
          try {
            messages.push(await packText(text, store))
            break
          } catch (thrown) {
            await pause(thrown, failures)
            if (isOver()) return false
          }
        const isStored = await flush()
        if (isStored) options.onTrouble(null)
        return isStored
      }),
    close() {
      isClosed = true
      stopWatching()
    },
  }
}

/** ms. A lease must outlast several attempts. */
const LONGEST_PAUSE = 2000
