/** The names of the job queue at a NATS server. */
import { tokenOf } from '../subjects.ts'

export const jobNames = {
  /** Jobs that wait for a worker, or that a worker carries out. A job leaves the stream when it is acknowledged. */
  jobs: 'troupe-jobs',
  /** The consumer of `jobs` that all workers share. */
  workers: 'workers',
  /** What workers report about agents. */
  reports: 'troupe-reports',
  /** Messages and orders for agents, until a worker has carried them out. */
  commands: 'troupe-commands',
  /** Bucket: the state of each job, and the last command that was carried out for each agent. */
  records: 'troupe-job-records',
  /** Bucket: which worker carries out an agent. */
  leases: 'troupe-leases',
} as const

export const jobSubject = 'troupe.job.queue'

/** The durable reports about an agent, from all its jobs. */
export const reportSubject = (agentId: string) => `troupe.report.${tokenOf(agentId)}`

/** What an agent streams: lost when nobody listens. */
export const liveSubject = (agentId: string) => `troupe.live.${tokenOf(agentId)}`

/** Where the sender's program answers questions of an agent about the task list. */
export const boardSubject = (agentId: string) => `troupe.board.${tokenOf(agentId)}`

export const commandSubject = (agentId: string) => `troupe.command.${tokenOf(agentId)}`

/** Wakes the worker of an agent whose job was canceled. The record of the job says so durably. */
export const cancelSubject = (agentId: string) => `troupe.cancel.${tokenOf(agentId)}`

/** The name of the consumer with an agent's commands. */
export const commandConsumer = (agentId: string) => `agent-${tokenOf(agentId)}`

/** The key in `records` with the number of the last command of a series that was carried out for an agent. */
export const commandsKey = (agentId: string, series: string) => `commands.${tokenOf(agentId)}.${series}`

/** The key in `records` with the state of a job. */
export const recordKey = (jobId: string) => `job.${tokenOf(jobId)}`
