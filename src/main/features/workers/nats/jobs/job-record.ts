/** The state of each job, in a bucket: the one place that decides whether a job may start, and that it ends once. */

import { JetStreamApiError } from '@nats-io/jetstream'
import type { KV } from '@nats-io/kv'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { recordKey } from './job-names.ts'

const jobRecord = z.object({
  jobId: z.string(),
  agentId: z.string(),
  /** `canceled` before the end means: stop it. The last three are final. */
  state: z.enum(['queued', 'running', 'canceled', 'finished', 'refused']),
  /** Workers that began the job. */
  attempts: z.number().int(),
  epoch: z.number().int(),
  workerId: z.string().nullable(),
  /** Why the last attempt failed, or why the job was refused; null: no problem. */
  problem: z.string().nullable(),
  /** By worker: why its policy does not let it take the job. */
  refusals: z.record(z.string(), z.string()),
})
export type JobRecord = z.infer<typeof jobRecord>

export const newRecord = (job: { readonly jobId: string; readonly agentId: string }): JobRecord => ({
  jobId: job.jobId,
  agentId: job.agentId,
  state: 'queued',
  attempts: 0,
  epoch: 0,
  workerId: null,
  problem: null,
  refusals: {},
})

export const isOver = ({ state }: Pick<JobRecord, 'state'>) => state === 'finished' || state === 'refused'

export function readJobRecord(text: string): JobRecord | null {
  const read = jobRecord.safeParse(jsonOrUndefined(text))
  return read.success ? read.data : null
}

/** Null: there is no record. Throws errors of NATS. */
export async function getRecord(records: KV, jobId: string): Promise<JobRecord | null> {
  const entry = await records.get(recordKey(jobId))
  return entry === null || entry.operation !== 'PUT' ? null : readJobRecord(entry.string())
}

/**
 * Changes a record, and makes it if it is missing. `change` returns null to leave it; it is called again if another
 * program changes the record at the same time. Returns the record afterwards. Throws errors of NATS.
 */
export async function changeRecord(
  records: KV,
  job: { readonly jobId: string; readonly agentId: string },
  change: (record: JobRecord) => JobRecord | null,
): Promise<JobRecord> {
  const key = recordKey(job.jobId)
  for (;;) {
    const entry = await records.get(key)
    const before = (entry?.operation === 'PUT' && readJobRecord(entry.string())) || newRecord(job)
    const after = change(before)
    if (after === null) return before
    try {
      const text = JSON.stringify(after)
      if (entry === null) await records.create(key, text)
      else await records.update(key, text, entry.revision)
      return after
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown
    }
  }
}

/** Whether another program wrote first. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof JetStreamApiError && thrown.code === 10071
}
