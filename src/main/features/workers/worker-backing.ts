/**
 * The backing of an agent that a worker carries out, in another process or on another machine. Each run is a job. The
 * worker's events are added to the agent's transcript here; messages, answers and pauses are sent to the worker.
 */
import type { AgentEvent, AgentWorker, EventOf } from '../../../shared/events/agent-event.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import {
  type CheckoutState,
  type JobRepository,
  PANE_PROTOCOL,
  WORKER_PROTOCOL,
  type WorkerCommand,
  type WorkerJob,
  type WorkerReport,
} from '../../../shared/workers/worker-protocol.ts'
import type {
  AgentBacking,
  BackedAgent,
  BackingJob,
  WantedWorker,
} from '../../runtime/ports/agent-backing.ts'
import type { Clock, Ids } from '../../runtime/ports/ports.ts'
import type { RunEnd } from '../../runtime/ports/run-end.ts'
import type { FollowEnd, WorkerLink } from '../../runtime/ports/worker-link.ts'

export interface WorkerBackingDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly trusted: (folder: string) => boolean
  readonly rules: (folder: string) => Promise<WorkerJob['rules']>
  /** The rehearsal that answers this program's agents; undefined: a model does. */
  readonly rehearsal: () => WorkerJob['rehearsal']
  /** The code that the job works on; null: the worker shares this program's files. */
  readonly repository?: (agent: BackedAgent) => Promise<Result<JobRepository | null>>
  /** Keeps the files that a worker has reported, until they land. */
  readonly progressed?: (jobId: string, work: CheckoutState) => Promise<Result<void>>
  /**
   * Puts the files that were reported last into the agent's worktree, before the run counts as ended.
   * @returns what the agent's parent must know; empty: they are there
   */
  readonly land?: (jobId: string) => Promise<Result<string>>
}

/** One way to reach workers. */
export interface WorkerSide {
  readonly link: WorkerLink
  /** Why no agent can run there now. */
  readonly check: (wanted: WantedWorker) => Promise<Result<void>>
  /** The ids of conversations whose agents workers continued. */
  readonly conversations: () => Promise<readonly string[]>
  readonly deps: WorkerBackingDeps
  /** The agent left its team: its worker is not needed until a message resumes the agent. */
  readonly release?: (agentId: string) => Promise<void>
  /** The conversation of these agents was deleted. */
  readonly forget?: (agentIds: readonly string[]) => Promise<void>
}

/** ms that a stopped worker has to report its end. */
const STOP_TIME = 10_000

/** ms between attempts to keep the files of a worker. */
const KEEP_RETRY = 2000

export function createWorkerBacking(
  agent: BackedAgent,
  link: WorkerLink,
  deps: WorkerBackingDeps,
): AgentBacking {
  return new WorkerBacking(agent, link, deps)
}

interface CurrentJob {
  readonly jobId: string
  /** The messages that were sent to the worker. */
  readonly sent: Set<string>
  readonly answered: Set<string>
  /** Whether the worker was told that a limit is reached. */
  isLimited: boolean
}

class WorkerBacking implements AgentBacking {
  readonly name: string
  private readonly agent: BackedAgent
  private readonly link: WorkerLink
  private readonly deps: WorkerBackingDeps
  /** The job of a program that ended while its worker went on. */
  private surviving: string | null
  private current: CurrentJob | null = null

  constructor(agent: BackedAgent, link: WorkerLink, deps: WorkerBackingDeps) {
    const { jobId } = agent.state()
    this.name = link.kind
    this.agent = agent
    this.link = link
    this.deps = deps
    this.surviving = isLive(agent.state()) ? jobId : null
  }

  readonly attempts = null
  readonly program = null
  readonly job: BackingJob = {
    isAttached: () => this.surviving !== null,
    withdrawn: (messageId) => {
      if (this.current?.sent.has(messageId)) this.command({ type: 'withdraw', messageId })
    },
    stopCommand: (commandId) => {
      const isRunning = this.agent.state().commands.some((command) => command.commandId === commandId)
      if (!isRunning || this.current === null) return false
      this.command({ type: 'stop-command', commandId })
      return true
    },
  }

  async reserve(): Promise<void> {
    // The worker counts its own slots.
  }

  async start(signal: AbortSignal): Promise<RunEnd> {
    const { surviving } = this
    this.surviving = null
    const submitted = surviving === null ? await this.submit(signal) : ok(surviving)
    if (signal.aborted && surviving === null && !submitted.ok) return { kind: 'stopped' }
    if (!submitted.ok) {
      this.workerNow('gone', '')
      return { kind: 'failed', type: 'worker', message: submitted.failure.message }
    }
    const job = {
      jobId: submitted.value,
      sent: new Set<string>(),
      answered: new Set<string>(),
      isLimited: false,
    }
    this.current = job
    this.forward()
    try {
      return await this.follow(job.jobId, signal)
    } finally {
      this.current = null
    }
  }

  send(): void {
    this.forward()
  }

  pause(paused: boolean): void {
    this.command({ type: 'pause', paused })
  }

  changed(): void {
    if (this.current === null) return
    const { permissionMode, neverAsks, limits, model, effort, thinking } = this.agent.state()
    this.command({ type: 'changed', permissionMode, neverAsks, limits, model, effort, thinking })
  }

  answer(requestId: string, answer: Extract<WorkerCommand, { type: 'answer' }>['answer']): boolean {
    const isOpen = this.agent.state().requests.some((request) => request.requestId === requestId)
    if (!isOpen || this.current === null || this.current.answered.has(requestId)) return false
    this.current.answered.add(requestId)
    this.command({ type: 'answer', requestId, answer })
    return true
  }

  answerForm(formId: string, answer: FormAnswer): boolean {
    const isOpen = this.agent.state().forms.some((form) => form.formId === formId)
    if (!isOpen || this.current === null || this.current.answered.has(formId)) return false
    this.current.answered.add(formId)
    this.command({ type: 'form-answer', formId, answer })
    return true
  }

  /** Hands over a new job, which begins with the agent's whole dialogue. @returns its id */
  private async submit(signal: AbortSignal): Promise<Result<string>> {
    const { agent, deps, link } = this
    const jobId = deps.ids.next('j')
    agent.takeMessages()
    // Before the job is sent: a restart finds the worker by this id.
    agent.workerChanged({ worker: null, state: 'waiting', note: '', jobId })
    if (!(await agent.flush(signal)) || signal.aborted) return fail(stopped)
    const [events, repository] = [await agent.events(), await this.repository()]
    if (!events.ok) return events
    if (!repository.ok) return repository
    if (signal.aborted) return fail(stopped)
    const { id: conversationId, folder } = agent.conversation
    const { epoch, seq } = agent.takeOver()
    const rehearsal = deps.rehearsal()
    const submitted = await link.submit({
      protocol: link.kind === 'pane' ? PANE_PROTOCOL : WORKER_PROTOCOL,
      jobId,
      conversationId,
      agentId: agent.id,
      events: [...events.value],
      nextSeq: seq,
      epoch,
      roster: [...agent.roster()],
      teamId: agent.state().teamId,
      folder,
      outputFolder: agent.outputFolder,
      trusted: deps.trusted(folder),
      rules: await deps.rules(folder),
      ...(rehearsal && { rehearsal }),
      repository: repository.value,
      sentAt: deps.clock.now(),
    })
    return submitted.ok ? ok(jobId) : submitted
  }

  private async repository(): Promise<Result<JobRepository | null>> {
    return (await this.deps.repository?.(this.agent)) ?? ok(null)
  }

  private async follow(jobId: string, signal: AbortSignal): Promise<RunEnd> {
    const { agent, link } = this
    const following = new AbortController()
    const stop = () => {
      this.command({ type: 'stop', jobId })
      void this.deps.clock.sleep(STOP_TIME, following.signal).then(() => following.abort())
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    // Reports are added in order; several wait for one write of the disk.
    let adding: Promise<unknown> = Promise.resolve()
    try {
      const from = (agent.state().origin?.seq ?? -1) + 1
      const end = await link.follow(
        { jobId, agentId: agent.id, from },
        {
          report: (report) => {
            const added = adding.then(() => this.add(report, following.signal))
            adding = added.catch(() => undefined)
            return added.then((isAdded) => (isAdded ? agent.flush(following.signal) : false))
          },
          live: (event) => agent.live(event),
          worker: (worker, state, note) => this.workerIs(worker, { state, note }),
        },
        following.signal,
      )
      await adding
      return await this.ended(end, jobId)
    } finally {
      following.abort()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Records the worker's state. After a restart the first report may repeat what is known, which adds no event. */
  private workerIs(
    worker: AgentWorker | null,
    { state, note }: Pick<EventOf<'worker-changed'>, 'state' | 'note'>,
  ): void {
    const known = this.agent.state()
    const isSame = worker === null || worker.workerId === known.worker?.workerId
    // A worker that takes over knows only how the job began.
    if (!isSame && known.worker !== null) this.changed()
    if (!isSame || state !== known.workerState || note !== '')
      this.agent.workerChanged({ worker, state, note })
  }

  /** False: a newer epoch has taken over, or an event is missing. */
  private async add({ jobId, epoch, seq, event, work }: WorkerReport, signal: AbortSignal): Promise<boolean> {
    const { agent, name } = this
    if (event.type === 'agent-ended') return true
    const { origin } = agent.state()
    const isNew = origin === null || (epoch >= origin.epoch && seq > origin.seq)
    // First the files, then the event: a restart in between asks for the event again.
    if (work !== null && isNew && !(await this.keepWork(jobId, work, signal))) return false
    const own = await this.withOutput(event, jobId)
    const { ok: isAdded } = agent.ingest({ agentId: agent.id, backing: name, epoch }, { ...own, seq })
    if (event.type === 'assistant-message' || event.type === 'model-asked') this.checkLimits(jobId)
    return isAdded
  }

  /** The worker knows only what its own agent spends. */
  private checkLimits(jobId: string): void {
    const { current: job } = this
    const reached = this.agent.limitReached()
    if (reached === null || job === null || job.isLimited) return
    job.isLimited = true
    const { kind, of, description } = reached
    this.command({ type: 'limit', jobId, kind, of, description })
  }

  /** Tries again while the disk fails. False: the signal ended it. */
  private async keepWork(jobId: string, work: CheckoutState, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const kept = await this.deps.progressed?.(jobId, work)
      if (kept?.ok !== false) return true
      this.workerNow(this.agent.state().workerState ?? 'running', kept.failure.message)
      await this.deps.clock.sleep(KEEP_RETRY, signal)
      if (signal.aborted) return false
    }
  }

  /** Copies a large output: the worker's files do not last. */
  private async withOutput(event: AgentEvent, jobId: string): Promise<AgentEvent> {
    if (event.type !== 'tool-ended' || event.outputFile === null) return event
    const { agent } = this
    const output = await this.link.output({ jobId, agentId: agent.id }, event.outputFile.path)
    const kept = output.ok ? await agent.keepOutput(event.toolUseId, output.value) : output
    return { ...event, outputFile: kept.ok ? { ...event.outputFile, path: kept.value } : null }
  }

  private async ended(end: FollowEnd, jobId: string): Promise<RunEnd> {
    if (end.kind === 'aborted') return { kind: 'stopped' }
    const work = end.kind === 'ended' ? end.report.work : null
    const kept = work === null ? undefined : await this.deps.progressed?.(jobId, work)
    const landed = kept?.ok === false ? kept : await this.deps.land?.(jobId)
    if (landed?.ok === false) return { kind: 'failed', type: 'worker', message: landed.failure.message }
    const note = landed?.value ? `\n\n${landed.value}` : ''
    switch (end.kind) {
      case 'ended':
        return withNote(runEndOf(end.report.event), note)
      case 'gone':
        this.workerNow('gone', end.message)
        return { kind: 'interrupted', message: end.message + note }
      case 'refused':
        this.workerNow('gone', '')
        return { kind: 'failed', type: 'worker', message: end.message + note }
    }
  }

  /** Sends the queued messages that the worker does not have. They leave the queue when the worker reports them. */
  private forward(): void {
    const { current: job } = this
    if (job === null) return
    for (const { agentId: _, ...message } of this.agent.queued()) {
      if (job.sent.has(message.messageId)) continue
      job.sent.add(message.messageId)
      this.command({ type: 'message', ...message })
    }
  }

  private command(command: WorkerCommand): void {
    this.link.send(this.agent.id, command).then(
      (sent) => {
        if (!sent.ok) this.notSent(sent.failure.message)
      },
      (thrown) => this.notSent(messageOf(thrown)),
    )
  }

  private notSent(message: string): void {
    const { workerState } = this.agent.state()
    this.workerNow(workerState ?? 'waiting', `The worker was not told: ${message}`)
  }

  private workerNow(state: EventOf<'worker-changed'>['state'], note: string): void {
    this.agent.workerChanged({ worker: null, state, note })
  }
}

function runEndOf({
  status,
  report,
  failure,
  reachedLimit,
  limitOf,
  stoppedBy,
}: EventOf<'agent-ended'>): RunEnd {
  const limit = reachedLimit && {
    kind: reachedLimit,
    of: limitOf ?? ('agent' as const),
    description: `its limit of ${reachedLimit}`,
    isRefusal: false,
  }
  switch (status) {
    case 'completed':
      return { kind: 'answered', text: report, reachedLimit: limit }
    case 'failed':
      return {
        kind: 'failed',
        type: 'worker',
        message: failure?.message ?? 'The worker gave no reason.',
        ...(failure && { cause: failure }),
        ...(limit && { limit }),
      }
    case 'stopped':
      return { kind: 'stopped', ...(stoppedBy && { by: stoppedBy }) }
    case 'interrupted':
      return { kind: 'interrupted', message: report }
  }
}

function withNote(end: RunEnd, note: string): RunEnd {
  if (end.kind === 'answered') return { ...end, text: end.text + note }
  return end.kind === 'stopped' ? end : { ...end, message: end.message + note }
}

const stopped = { type: 'stopped', message: 'Stopped before the job was sent.' }
