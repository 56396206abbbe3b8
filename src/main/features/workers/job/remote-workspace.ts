/**
 * A remote job in a checkout of its own: the paths of the sender's worktree mean this checkout, and each report that
 * may follow a change of files carries them.
 */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { translatePaths } from '../../../../shared/kernel/translate-paths.ts'
import type {
  CheckoutState,
  WorkerCommand,
  WorkerJob,
  WorkerReport,
} from '../../../../shared/workers/worker-protocol.ts'
import type { TakenJob } from '../../../runtime/ports/worker-link.ts'
import type { BundleFailure } from '../../worktrees/bundles/bundle-failure.ts'
import type { Workspace, Workspaces } from '../../worktrees/bundles/workspaces.ts'
import type { JobEnvironment } from './run-job.ts'

export interface PlacedJob {
  /** The job as it holds here. What it reports holds at the sender. */
  readonly taken: TakenJob
  readonly environment: Required<Pick<JobEnvironment, 'folder' | 'work'>>
  /** Removes the checkout, unless it holds work that could not be sent. */
  close(): Promise<void>
}

/** Makes the checkout of a job, with the files that an earlier worker of the job left. */
export async function placeJob(
  taken: TakenJob,
  workspaces: Workspaces,
): Promise<Result<PlacedJob, BundleFailure>> {
  const { job, earlier, lost } = taken
  const from = worktreeOf(job)
  const { repository, jobId } = job
  if (repository === null || from === null)
    return fail({
      type: 'refused',
      message: 'The job names no repository. An agent can work on another machine only in a git worktree.',
    })
  const work = earlier.findLast((report) => report.work !== null)?.work ?? null
  const opened = await workspaces.open({ jobId, repository, work }, lost)
  if (!opened.ok) return opened
  return ok(new Placed(taken, { from, workspace: opened.value, work }))
}

/** The agent's worktree at the sender; null: it works in a shared folder. */
function worktreeOf({ events: [spawned] }: WorkerJob): string | null {
  return spawned?.type === 'agent-spawned' ? (spawned.worktree?.path ?? null) : null
}

interface Placement {
  /** The worktree at the sender. */
  readonly from: string
  readonly workspace: Workspace
  /** The state that an earlier worker has reported. */
  readonly work: CheckoutState | null
}

class Placed implements PlacedJob {
  readonly taken: TakenJob
  readonly environment: PlacedJob['environment']
  private readonly sender: TakenJob
  private readonly place: Placement
  /** The last state that was stored, and the last one that was reported. */
  private latest: CheckoutState | null
  private reported: CheckoutState | null
  private isUnsent = false
  /** The running tool calls that may write files. */
  private readonly writing = new Set<string>()

  constructor(sender: TakenJob, place: Placement) {
    this.sender = sender
    this.place = place
    this.latest = place.work
    this.reported = place.work
    const { job, epoch, lost, keepOutput } = sender
    this.taken = {
      job: { ...job, events: this.swapped(job.events) },
      epoch,
      earlier: this.swapped(sender.earlier),
      lost,
      commands: (signal) => this.commands(signal),
      report: (report) => this.report(report),
      live: (event) => sender.live(this.swapped(event)),
      ...(keepOutput && {
        keepOutput: (path: string, output: string) => keepOutput.call(sender, path, this.swapped(output)),
      }),
      done: () => sender.done(),
      giveBack: (problem) => sender.giveBack(this.swapped(problem)),
    }
    this.environment = { folder: place.workspace.folder, work: () => this.lastWork() }
  }

  async close(): Promise<void> {
    if (this.isUnsent || (await this.place.workspace.hasMore())) await this.place.workspace.keep()
    else await this.place.workspace.remove()
  }

  /** Paths at the sender become paths here, and the reverse. */
  private swapped<T>(value: T): T {
    return translatePaths(value, this.place.from, this.place.workspace.folder)
  }

  private async *commands(signal: AbortSignal): AsyncGenerator<WorkerCommand> {
    for await (const command of this.sender.commands(signal)) yield this.swapped(command)
  }

  /** The files are stored before the event that tells about them, so that no later worker has older files. */
  private async report(report: WorkerReport): Promise<Result<void>> {
    const { lost } = this.sender
    const { event } = report
    if (event.type === 'tool-started' && event.sideEffects) this.writing.add(event.toolUseId)
    if (event.type === 'tool-ended' && this.writing.has(event.toolUseId)) {
      const saved = await this.place.workspace.save(lost)
      // The disk or the store may work again soon; what is too large stays so, and the end says it.
      if (!saved.ok && (saved.failure.type === 'io' || saved.failure.type === 'aborted')) return saved
      if (saved.ok) this.latest = saved.value ?? this.latest
      this.writing.delete(event.toolUseId)
    }
    const { latest } = this
    const work = report.work ?? (latest === this.reported ? null : latest)
    const sent = await this.sender.report({ ...report, event: this.swapped(event), work })
    if (sent.ok && work !== null) this.reported = work
    return sent
  }

  /** The state that returns to the sender; null: nothing changed. */
  private async lastWork(): Promise<Result<CheckoutState | null>> {
    const saved = await this.place.workspace.save(this.sender.lost)
    if (saved.ok) {
      this.latest = saved.value ?? this.latest
      return ok(this.latest)
    }
    this.isUnsent = true
    const { message } = saved.failure
    return fail({
      type: saved.failure.type,
      message: `${message} The agent’s files are still on the worker, in ${this.place.workspace.folder}.`,
    })
  }
}
