/** The events of a job that its sender does not have yet, in order. */
import type { AgentEvent } from '../../shared/agent-event.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { WorkerReport } from '../../shared/worker-protocol.ts'
import type { TakenJob } from '../runtime/worker-link.ts'

export class ReportQueue {
  private readonly taken: Pick<TakenJob, 'job' | 'epoch' | 'report'>
  private readonly waiting: WorkerReport[] = []
  private nextSeq: number
  private sending: Promise<Result<void>> | null = null

  /** @param nextSeq the number of the first report */
  constructor(taken: Pick<TakenJob, 'job' | 'epoch' | 'report'>, nextSeq: number) {
    this.taken = taken
    this.nextSeq = nextSeq
  }

  add(event: AgentEvent, work: WorkerReport['work'] = null): void {
    const { job, epoch } = this.taken
    const seq = this.nextSeq++
    this.waiting.push({ jobId: job.jobId, epoch, seq, event: { ...event, seq }, work })
    void this.sent()
  }

  /** Resolves when every event so far is stored; a report that failed is sent again first. */
  sent(): Promise<Result<void>> {
    this.sending ??= this.send().finally(() => {
      this.sending = null
    })
    return this.sending
  }

  private async send(): Promise<Result<void>> {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const sent = await this.taken.report(next)
      if (!sent.ok) return sent
      this.waiting.shift()
    }
    return ok(undefined)
  }
}
