/** A job for tests: an agent that was just started, with one message; and its reports. */
import { type AgentEvent, EVENT_VERSION, plainSpawn } from '../../../../../../shared/events/agent-event.ts'
import {
  WORKER_PROTOCOL,
  type WorkerJob,
  type WorkerReport,
} from '../../../../../../shared/workers/worker-protocol.ts'
import type { TakenJob } from '../../../../../runtime/ports/worker-link.ts'

const header = (agentId: string, seq: number) =>
  ({ v: EVENT_VERSION, agentId, seq, order: seq, at: 1 }) as const

export function sampleJob(agentId: string, change: Partial<WorkerJob> = {}): WorkerJob {
  const spawned: AgentEvent = {
    ...header(agentId, 0),
    ...plainSpawn,
    instructions: [],
    type: 'agent-spawned',
    conversationId: 'c-1',
    parentId: 'a-main',
    parentToolUseId: null,
    definition: {
      name: 'scout',
      source: 'built-in',
      file: null,
      color: 'blue',
      readOnly: false,
      oneShot: false,
      reminder: null,
      agentTypes: null,
      deniedAgentTypes: [],
      readFolders: [],
      writeFolders: [],
      memory: null,
      omitProjectInstructions: false,
      rules: { denied: [], only: [] },
      refused: [],
      digest: '',
    },
    task: 'Find the clock',
    model: 'claude-test',
    system: 'You explore.',
    tools: [],
    permissionMode: 'default',
    neverAsks: false,
    cwd: '/project',
    maxTurns: 15,
    depth: 1,
  }
  return {
    protocol: WORKER_PROTOCOL,
    jobId: `j-${agentId}`,
    conversationId: 'c-1',
    agentId,
    events: [
      spawned,
      {
        ...header(agentId, 1),
        type: 'user-message',
        messageId: 'm-1',
        from: 'parent',
        sender: null,
        content: [{ type: 'text', text: 'Find the clock' }],
      },
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
  const event: AgentEvent = { ...header(job.agentId, seq), type: 'notice', level: 'info', text }
  return { jobId: job.jobId, epoch, seq, event, work: null }
}

export function endReport({ job, epoch }: TakenJob, seq: number, text: string): WorkerReport {
  const event: AgentEvent = {
    ...header(job.agentId, seq),
    type: 'agent-ended',
    status: 'completed',
    report: text,
    failure: null,
    reachedLimit: null,
    limitOf: null,
  }
  return { jobId: job.jobId, epoch, seq, event, work: null }
}

/** The texts of notices and of the end. */
export function textsOf(reports: readonly WorkerReport[]): readonly string[] {
  return reports.map(({ event }) =>
    event.type === 'notice' ? event.text : event.type === 'agent-ended' ? `end: ${event.report}` : event.type,
  )
}
