/** Leases that end soon, so that a test does not wait long for another worker to take over. */
import { defaultJobSettings, type JobSettings } from '../features/workers/nats/jobs/job-store.ts'

export const testJobSettings: JobSettings = {
  ...defaultJobSettings,
  ackWait: 4000,
  leaseTtl: 3000,
  retryWait: 200,
}
