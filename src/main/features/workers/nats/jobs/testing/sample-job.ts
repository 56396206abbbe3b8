/** A job for tests: an agent that was just started, with one message; and its reports. */
import { sampleDefinition, sampleEvent } from '../../../../../../shared/testing/sample-events.ts'
import {
  WORKER_PROTOCOL,
  type WorkerJob,
  type WorkerReport,
} from '../../../../../../shared/workers/worker-protocol.ts'
import type { TakenJob } from '../../../../../runtime/ports/worker-link.ts'

const header = (agentId: string, seq: number) => ({ agentId, seq, order: seq, at: 1 })

export function sampleJob(agentId: string, change: Partial<WorkerJob> = {}): WorkerJob {
  return {
    protocol: WORKER_PROTOCOL,
    jobId: `j-${agentId}`,
    conversationId: 'c-1',
    agentId,
    events: [
      sampleEvent('agent-spawned', {
        ...header(agentId, 0),
        parentId: 'a-main',
        definition: sampleDefinition({ name: 'scout' }),
        depth: 1,
      }),
      sampleEvent('user-message', { ...header(agentId, 1), from: 'parent' }),
    ],
    nextSeq: 0,
    epoch: 0,
    roster: [],
    teamId: null,
    folder: '/project',
    outputFolder: '/data/outputs',
    trusted: true,
    rules: { allow: [], deny: [] },
    repository: null,
    sentAt: 1,
    ...change,
  }
}

/** The next report: a notice with this text. */
export function noticeReport({ job, epoch }: TakenJob, seq: number, text: string): WorkerReport {
  const event = sampleEvent('notice', { ...header(job.agentId, seq), level: 'info', text })
  return { jobId: job.jobId, epoch, seq, event, work: null }
}

export function endReport({ job, epoch }: TakenJob, seq: number, text: string): WorkerReport {
  const event = sampleEvent('agent-ended', { ...header(job.agentId, seq), report: text })
  return { jobId: job.jobId, epoch, seq, event, work: null }
}

/** The texts of notices and of the end. */
export function textsOf(reports: readonly WorkerReport[]): readonly string[] {
  return reports.map(({ event }) =>
    event.type === 'notice' ? event.text : event.type === 'agent-ended' ? `end: ${event.report}` : event.type,
  )
}
