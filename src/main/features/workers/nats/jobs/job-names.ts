/**
 * The names of the job queue at a NATS server. Each has the sender in it, so that a program receives what belongs to
 * its own jobs with one consumer, however many jobs there are. Earlier versions of Troupe used other names.
 */
import { createHash } from 'node:crypto'
import { tokenOf } from '../subjects.ts'

export const jobNames = {
  /** Jobs that wait for a worker, or that a worker carries out. A job leaves the stream when it is acknowledged. */
  jobs: 'troupe-work',
  /** What workers report about agents. */
  reports: 'troupe-work-reports',
  /** Messages and orders for agents, until a worker has carried them out. */
  commands: 'troupe-work-commands',
  /** Bucket: what the jobs of each route need. */
  routes: 'troupe-routes',
  /** Bucket: the state of each job, and the last command that was carried out for each agent. */
  records: 'troupe-job-records',
  /** Bucket: which worker carries out an agent. */
  leases: 'troupe-leases',
} as const

/** An agent of a sender. */
export interface JobAddress {
  /** `senderOf` its key. */
  readonly sender: string
  readonly agentId: string
}

/** A short name for the sender with this public key. */
export const senderOf = (publicKey: string): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 16)

/** Where the jobs of a route wait. */
export const jobSubject = (route: string) => `troupe.work.${route}`

const ofAgent = ({ sender, agentId }: JobAddress) => `${sender}.${tokenOf(agentId)}`

/** The durable reports about an agent, from all its jobs. */
export const reportSubject = (address: JobAddress) => `troupe.report.${ofAgent(address)}`

/** What an agent streams: lost when nobody listens. */
export const liveSubject = (address: JobAddress) => `troupe.live.${ofAgent(address)}`

/** Where the sender's program answers questions of an agent about the task list. */
export const boardSubject = (address: JobAddress) => `troupe.board.${ofAgent(address)}`

export const commandSubject = (address: JobAddress) => `troupe.command.${ofAgent(address)}`

/** Wakes the worker of an agent whose job was canceled. The record of the job says so durably. */
export const cancelSubject = (address: JobAddress) => `troupe.cancel.${ofAgent(address)}`

/** The key of an agent's lease. */
export const leaseKey = ofAgent

/** The key in `records` with the number of the last command of a series that was carried out for an agent. */
export const commandsKey = ({ sender, agentId }: JobAddress, series: string) =>
  `${sender}.commands.${tokenOf(agentId)}.${series}`

/** The key in `records` with the state of a job. */
export const recordKey = ({ sender, jobId }: Pick<JobAddress, 'sender'> & { readonly jobId: string }) =>
  `${sender}.job.${tokenOf(jobId)}`

/** The name of a tool's large output in the object store. */
export function outputObject(agentId: string, path: string): string {
  return `output-${agentId}-${createHash('sha256').update(path).digest('hex')}`
}
