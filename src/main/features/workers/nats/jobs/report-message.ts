/** What a worker writes to the stream of reports about an agent. */
import type { StoredMsg } from '@nats-io/jetstream'
import { z } from 'zod'
import { agentWorker } from '../../../../../shared/events/agent-event.ts'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { userBlock } from '../../../../../shared/messages/content.ts'
import { workerReport } from '../../../../../shared/workers/worker-protocol.ts'
import type { MailboxMessage } from '../../../../runtime/ports/ports.ts'
import { inTime } from '../waits.ts'
import { type JobAddress, jobNames, reportSubject } from './job-names.ts'
import type { JobStore } from './job-store.ts'
import { unpackText } from './parcel.ts'

const common = {
  jobId: z.string(),
  epoch: z.number().int().nonnegative(),
  /** Counts the messages of the job and epoch from 0. */
  number: z.number().int().nonnegative(),
}

const mailboxMessage = z.object({
  messageId: z.string(),
  to: z.string(),
  sender: z.string().nullable(),
  content: z.array(userBlock),
  broadcast: z.string().optional(),
  at: z.number(),
})

const reportMessage = z.discriminatedUnion('type', [
  /** The first message of each epoch: the older worker can write nothing after it. */
  z.object({ ...common, type: z.literal('taken'), worker: agentWorker }),
  z.object({ ...common, type: z.literal('report'), report: workerReport }),
  /** A message of the agent to another one, for the mailbox at the sender. */
  z.object({ ...common, type: z.literal('mail'), message: mailboxMessage }),
])
export type ReportMessage = z.infer<typeof reportMessage>
export type ReportContent =
  | { readonly type: 'taken'; readonly worker: z.infer<typeof agentWorker> }
  | { readonly type: 'report'; readonly report: z.infer<typeof workerReport> }
  | { readonly type: 'mail'; readonly message: MailboxMessage }

/** Null: it is none. Throws errors of NATS. */
export async function readReportMessage(data: Uint8Array, store: JobStore): Promise<ReportMessage | null> {
  const text = await unpackText(data, store)
  const read = reportMessage.safeParse(text.ok ? jsonOrUndefined(text.value) : null)
  return read.success ? read.data : null
}

/** The newest message about an agent; null: there is none. Throws errors of NATS. */
export async function lastReport(address: JobAddress, { jsm }: JobStore): Promise<StoredMsg | null> {
  return jsm.streams.getMessage(jobNames.reports, { last_by_subj: reportSubject(address) })
}

/**
 * All stored messages about an agent, in order. Throws errors of NATS.
 * @param last the newest one; missing: it is looked up
 */
export async function storedReports(
  address: JobAddress,
  store: JobStore,
  last?: StoredMsg | null,
): Promise<readonly ReportMessage[]> {
  const end = last === undefined ? await lastReport(address, store) : last
  if (end === null) return []
  const filter_subjects = reportSubject(address)
  const consumer = await store.js.consumers.get(jobNames.reports, { filter_subjects })
  const messages = await consumer.consume()
  try {
    return await inTime(
      `the reports of ${address.agentId}`,
      async (alive) => {
        const found: ReportMessage[] = []
        for await (const message of messages) {
          alive()
          const read = await readReportMessage(message.data, store)
          if (read) found.push(read)
          if (message.seq >= end.seq) break
        }
        return found
      },
      store.settings.answerTime,
    )
  } finally {
    void messages.close().catch(() => undefined)
    await consumer.delete().catch(() => undefined)
  }
}
