/** The state of each job, in a bucket: the one place that decides whether a job may start, and that it ends once. */

import { JetStreamApiError } from '@nats-io/jetstream'
import type { KV } from '@nats-io/kv'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { type JobAddress, recordKey } from './job-names.ts'

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

/** A record with its place in the bucket. */
export interface StoredRecord {
  /** Null: there is none. */
  readonly record: JobRecord | null
  /** 0: there never was one. */
  readonly revision: number
}

type Job = JobAddress & { readonly jobId: string }

/** Throws errors of NATS. */
export async function readJobState(records: KV, job: Job): Promise<StoredRecord> {
  const entry = await records.get(recordKey(job))
  return {
    record: entry?.operation === 'PUT' ? readJobRecord(entry.string()) : null,
    revision: entry?.revision ?? 0,
  }
}

/**
 * Changes a record, and makes it if it is missing. `change` returns null to leave it; it is called again if another
 * program changes the record at the same time. Returns the record afterwards. Throws errors of NATS.
 * @param known the record as it was read before; missing: it is read now
 */
export async function changeRecord(
  records: KV,
  job: Job,
  change: (record: JobRecord, isNew: boolean) => JobRecord | null,
  known?: StoredRecord,
): Promise<StoredRecord & { readonly record: JobRecord }> {
  const key = recordKey(job)
  for (
    let stored = known ?? (await readJobState(records, job));
    ;
    stored = await readJobState(records, job)
  ) {
    const { revision } = stored
    const before = stored.record ?? newRecord(job)
    const record = change(before, stored.record === null)
    if (record === null) return { record: before, revision }
    try {
      const text = JSON.stringify(record)
      const next =
        revision === 0 ? await records.create(key, text) : await records.update(key, text, revision)
      return { record, revision: next }
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown
    }
  }
}

/** Whether another program wrote first. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof JetStreamApiError && thrown.code === 10071
}
