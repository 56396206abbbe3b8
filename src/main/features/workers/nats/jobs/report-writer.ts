/**
 * Writes the reports of one job and epoch. Each message names the one before it, so that the server refuses it after
 * another worker has written. A server that was killed may have forgotten its last messages although it acknowledged
 * them: they are kept here, and written again.
 */
import type { StoredMsg } from '@nats-io/jetstream'
import { reportSubject } from './job-names.ts'
import { isConflict } from './job-record.ts'
import type { JobStore } from './job-store.ts'
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
  readonly job: { readonly agentId: string; readonly jobId: string; readonly epoch: number }
  readonly lease: Pick<Lease, 'lost' | 'isHeld'>
  /** Called when the server says that another worker has written. */
  readonly onOvertaken: () => void
}

export function createReportWriter({ store, job, lease, onOvertaken }: WriterOptions): ReportWriter {
  const subject = reportSubject(job.agentId)
  /** All messages of this epoch. The first `stored` of them are at the server. */
  const messages: Uint8Array[] = []
  let stored = 0
  /** The number of the last message about the agent in the stream; 0: there is none. */
  let last = 0
  let isClosed = false
  let chain: Promise<unknown> = Promise.resolve()

  /** Compares with the server: which of these messages does it have? */
  async function compare(): Promise<void> {
    const found = await lastReport(job.agentId, store)
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
    while (stored < messages.length && !isOver()) {
      const message = messages[stored]
      if (message === undefined) break
      try {
        const { seq } = await store.js.publish(subject, message, {
          msgID: `${job.jobId}.${job.epoch}.${stored}`,
          expect: { lastSubjectSequence: last },
        })
        last = seq
        stored++
      } catch (thrown) {
        if (isConflict(thrown)) await compare().catch(pause)
        else await pause()
      }
    }
    return !isOver()
  }

  /** Without a connection nothing can be written: a lost lease ends the wait. */
  const pause = () => store.sleep(RETRY, lease.lost)

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
        for (;;)
          try {
            messages.push(await packText(text, store))
            break
          } catch {
            await pause()
            if (isOver()) return false
          }
        return flush()
      }),
    close() {
      isClosed = true
      stopWatching()
    },
  }
}

/** ms between two attempts. */
const RETRY = 250
