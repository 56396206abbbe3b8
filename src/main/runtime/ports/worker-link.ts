/**
 * Connects a conversation's program with the workers that carry out its agents, and a worker with the programs that
 * send it jobs. A pane's worker is linked by files, a remote one by NATS; both run a job with the same code.
 */
import type { AgentWorker, EventOf, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { WorkerCommand, WorkerJob, WorkerReport } from '../../../shared/workers/worker-protocol.ts'

// ---- the conversation's side -------------------------------------------------------------------

export interface WorkerLink {
  readonly kind: 'pane' | 'remote'
  /**
   * Hands over a job. Resolves when the job is stored where a worker finds it, even if this program ends now. Fails
   * with a message that says what happened, where, and what to do.
   */
  submit(job: WorkerJob): Promise<Result<void>>
  /** Sends a command to the agent's worker, in order. Resolves when it is stored durably. */
  send(agentId: string, command: WorkerCommand): Promise<Result<void>>
  /**
   * Delivers the reports of a job in order, from number `from` on, past ones first. Resolves with the report of
   * `agent-ended`, or when no worker will carry out the job any more, or when the signal aborts.
   */
  follow(job: FollowedJob, listener: WorkerListener, signal: AbortSignal): Promise<FollowEnd>
  /** Whether the job is carried out now or will be, also by a process that survived this program's last run. */
  isAlive(job: Pick<WorkerJob, 'jobId' | 'agentId'>): Promise<boolean>
  /** The whole stored output that a report's `outputFile` names. */
  output(job: Pick<WorkerJob, 'jobId' | 'agentId'>, path: string): Promise<Result<string>>
}

export interface FollowedJob {
  readonly jobId: string
  readonly agentId: string
  /** The number of the first report that is not in the sender's log. */
  readonly from: number
}

export interface WorkerListener {
  /**
   * Takes a report. Resolves to true when it is durable in the sender's log, and only then may it be forgotten; false:
   * it was refused, because a newer epoch has taken over.
   */
  report(report: WorkerReport): Promise<boolean>
  live(event: LiveEvent): void
  /** The process or its state changed. `note`: a sentence for the user; may be empty. */
  worker(worker: AgentWorker | null, state: EventOf<'worker-changed'>['state'], note: string): void
}

export type FollowEnd =
  | { readonly kind: 'ended'; readonly report: WorkerReport & { readonly event: EventOf<'agent-ended'> } }
  /** The worker is gone and no other will take the job: the agent is interrupted. */
  | { readonly kind: 'gone'; readonly message: string }
  /** The job was refused, is invalid, or failed on too many workers: the agent has failed. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'aborted' }

// ---- the worker's side -------------------------------------------------------------------------

/** A job that this worker has taken. */
export interface TakenJob {
  readonly job: WorkerJob
  readonly epoch: number
  /** Reports of earlier epochs, in order: the part of the dialogue that is not in `job.events`. */
  readonly earlier: readonly WorkerReport[]
  /** Aborts when another worker has taken over: the run stops, and nothing of it is reported any more. */
  readonly lost: AbortSignal
  /** The commands for the agent, in order. A command is acknowledged when the next one is asked for. */
  commands(signal: AbortSignal): AsyncIterable<WorkerCommand>
  /** Resolves when the report is stored durably. Fails with `lost` after another worker has taken over. */
  report(report: WorkerReport): Promise<Result<void>>
  live(event: LiveEvent): void
  /** Stores a large output of a tool for `WorkerLink.output`. Missing: the sender reads the worker's files. */
  keepOutput?(path: string, output: string): Promise<Result<void>>
  /** The job's end was reported and the job is not delivered again. */
  done(): Promise<void>
  /**
   * Gives the job back. `forGood`: no worker may try it again; the sender receives the message. `isEnding`: the worker
   * was ended on purpose, which is no failed attempt at the job.
   */
  giveBack(problem: {
    readonly message: string
    readonly forGood: boolean
    readonly isEnding?: boolean
  }): Promise<void>
}
