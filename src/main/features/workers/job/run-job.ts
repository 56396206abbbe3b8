/**
 * Carries out a job: adopts the agent, runs it to its end with this program's runtime, sends every event back as a
 * report, and carries out the commands that arrive. The links for panes and for remote workers share it.
 */
import type { AgentEvent, EventOf } from '../../../../shared/events/agent-event.ts'
import { messageOf, ok, type Result } from '../../../../shared/kernel/result.ts'
import {
  WORKER_PROTOCOL,
  type WorkerCommand,
  type WorkerJob,
  type WorkerReport,
} from '../../../../shared/workers/worker-protocol.ts'
import type { MailboxMessage } from '../../../runtime/ports/ports.ts'
import type { AdoptedRun, Runtime } from '../../../runtime/ports/runtime.ts'
import type { TakenJob } from '../../../runtime/ports/worker-link.ts'

export interface JobEnvironment {
  /** With a store of its own for this job. */
  readonly runtime: Pick<Runtime, 'adopt' | 'subscribe' | 'dispatch'>
  /** Sends a message of the agent to another agent, whose id is in `to`. */
  readonly sendMessage: (message: MailboxMessage) => Promise<Result<void>>
  /** The agent's start as it holds on this machine: another folder. */
  readonly placed?: (spawned: EventOf<'agent-spawned'>) => EventOf<'agent-spawned'>
  /** The folder of the conversation here; the job's by default. */
  readonly folder?: string
  /** Hands over the agent's work when it has ended, before its end is reported. */
  readonly work?: (ended: EventOf<'agent-ended'>) => Promise<Result<WorkerReport['work']>>
  /** Called once the agent is there, before it runs. */
  readonly onStart?: (agent: AdoptedRun) => void
  /** Called when the program is to end after the job. */
  readonly onShutdown?: () => void
  /** Aborts when the user stops the worker: the agent is stopped and its end reported. */
  readonly stopped: AbortSignal
  /** Called with why the agent can't go on now: this disk is full; null: it goes on. */
  readonly onTrouble?: (problem: string | null) => void
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** ms between attempts to write what could not be written. */
const RETRY = 2000

/** ms without a success after which the job goes to another worker. */
const GIVE_UP = 30_000

/** Resolves when the job is over here: ended, given back, or lost to another worker. Never rejects. */
export async function runJob(taken: TakenJob, environment: JobEnvironment): Promise<void> {
  try {
    await carryOut(taken, environment)
  } catch (thrown) {
    await taken.giveBack({ message: `Internal error of the worker: ${messageOf(thrown)}`, forGood: true })
  }
}

async function carryOut(taken: TakenJob, environment: JobEnvironment): Promise<void> {
  const { job, lost } = taken
  if (job.protocol > WORKER_PROTOCOL)
    return taken.giveBack({
      message: `The job was made by a newer version of Troupe (protocol ${job.protocol}, this worker has ${WORKER_PROTOCOL}). Update Troupe on the worker.`,
      forGood: true,
    })
  const events = dialogueOf(taken, environment)
  const reports = new ReportQueue(taken, job.nextSeq + taken.earlier.length)
  const adopted = await environment.runtime.adopt({
    conversationId: job.conversationId,
    folder: environment.folder ?? job.folder,
    isRehearsal: job.rehearsal !== undefined,
    events,
    isContinued: taken.earlier.length > 0,
    relay: { roster: job.roster, send: environment.sendMessage },
    reported: () => reports.sent(),
  })
  if (!adopted.ok)
    return taken.giveBack({
      message: adopted.failure.message,
      forGood: adopted.failure.type === 'not-possible',
    })
  const agent = adopted.value
  const over = new AbortController()
  const stop = (by: 'user' | 'program') => () => agent.stop(by)
  const onLost = stop('program')
  const onStopped = stop('user')
  let ended: EventOf<'agent-ended'> | null = null
  const disk = createDiskWatch({ environment, conversationId: job.conversationId, over: over.signal })
  const unsubscribe = environment.runtime.subscribe((delta) => {
    if (delta.type === 'write-failure') disk.failed(delta.agentIds.length > 0 ? delta.message : null)
    if (delta.type === 'live' && delta.event.agentId === job.agentId && !lost.aborted) taken.live(delta.event)
    if (delta.type !== 'event' || delta.event.agentId !== job.agentId) return
    const { event } = delta
    if (event.type === 'agent-ended') ended = event
    else if (event.seq >= agent.firstSeq && !NOT_REPORTED.has(event.type))
      reports.add(asAtSender(event, { job, agent }))
  })
  lost.addEventListener('abort', onLost, { once: true })
  environment.stopped.addEventListener('abort', onStopped, { once: true })
  try {
    environment.onStart?.(agent)
    const running = agent.run()
    // An abort before the run began would be without effect.
    if (lost.aborted) onLost()
    if (environment.stopped.aborted) onStopped()
    const commands = carryOutCommands(taken, { agent, environment, over: over.signal })
    const problem = await Promise.race([running.then(() => null), disk.givenUp])
    over.abort()
    if (problem !== null) {
      // The next worker begins with what was reported so far.
      unsubscribe()
      onLost()
      return taken.giveBack({ message: problem, forGood: false })
    }
    await commands
  } finally {
    over.abort()
    unsubscribe()
    lost.removeEventListener('abort', onLost)
    environment.stopped.removeEventListener('abort', onStopped)
    await agent.close()
  }
  if (!lost.aborted && ended !== null) await reportEnd(taken, { ended, reports, environment })
}

/** What this disk refuses is written again now and then; after a while the job is for another worker. */
function createDiskWatch({
  environment,
  conversationId,
  over,
}: {
  readonly environment: JobEnvironment
  readonly conversationId: string
  readonly over: AbortSignal
}) {
  const { sleep, runtime, onTrouble } = environment
  let works = new AbortController()
  let problem: string | null = null
  let giveUp: (problem: string) => void = () => {}
  const givenUp = new Promise<string>((resolve) => {
    giveUp = resolve
  })
  const countDown = async () => {
    const ended = AbortSignal.any([over, works.signal])
    await sleep(GIVE_UP, ended)
    if (!ended.aborted && problem !== null) giveUp(problem)
  }
  return {
    givenUp,
    /** Null: everything was written. */
    failed(message: string | null): void {
      const isFirst = problem === null && message !== null
      if (message !== problem) onTrouble?.(message)
      problem = message
      if (message === null) works.abort()
      if (isFirst) {
        works = new AbortController()
        void countDown()
      }
      if (message !== null)
        void sleep(RETRY, over).then(() =>
          runtime.dispatch({ type: 'conversation.retryLog', conversationId }),
        )
    },
  }
}

/** Reports the end until it is stored: the sender would wait forever. */
async function reportEnd(
  taken: TakenJob,
  {
    ended,
    reports,
    environment,
  }: {
    readonly ended: EventOf<'agent-ended'>
    readonly reports: ReportQueue
    readonly environment: JobEnvironment
  },
): Promise<void> {
  const { lost } = taken
  const handed = (await environment.work?.(ended)) ?? ok(null)
  const last = handed.ok ? ended : withFailure(ended, handed.failure.message)
  reports.add(last, handed.ok ? handed.value : null)
  while (!lost.aborted) {
    if ((await reports.sent()).ok) return taken.done()
    await environment.sleep(RETRY, lost)
  }
}

/** The work could not be handed over, so the run counts as failed; the report stays. */
function withFailure(ended: EventOf<'agent-ended'>, message: string): EventOf<'agent-ended'> {
  return { ...ended, status: 'failed', failure: { type: 'work', message } }
}

/** Events that the sender's program writes itself. */
const NOT_REPORTED: ReadonlySet<AgentEvent['type']> = new Set([
  'work-saved',
  'worker-changed',
  'permission-mode-changed',
  'limits-changed',
  'model-changed',
  'effort-changed',
  'thinking-changed',
] as const)

/** The whole dialogue: the job's events, and what earlier workers reported. */
function dialogueOf({ job, earlier }: TakenJob, { placed, folder }: JobEnvironment): readonly AgentEvent[] {
  const events = [...job.events, ...earlier.map(({ event }) => event)]
  return events.map((event) => {
    if (event.type !== 'agent-spawned') return event
    const { definition } = event
    // On another machine the sender's path means another folder.
    const outputs = folder === undefined ? [job.outputFolder] : []
    const readFolders = [...new Set([...definition.readFolders, ...outputs])]
    const spawned = { ...event, definition: { ...definition, readFolders } }
    return placed?.(spawned) ?? spawned
  })
}

/** A large output gets a copy at the sender, so its text names that one. */
function asAtSender(
  event: AgentEvent,
  { job, agent }: { readonly job: WorkerJob; readonly agent: AdoptedRun },
): AgentEvent {
  if (event.type !== 'tool-ended' || event.outputFile === null || typeof event.content !== 'string')
    return event
  return { ...event, content: event.content.replaceAll(agent.outputFolder, job.outputFolder) }
}

interface Commanded {
  readonly agent: AdoptedRun
  readonly environment: JobEnvironment
  readonly over: AbortSignal
}

async function carryOutCommands(taken: TakenJob, commanded: Commanded): Promise<void> {
  for await (const command of taken.commands(commanded.over)) {
    carryOutCommand(taken.job, command, commanded)
    if (commanded.over.aborted) return
  }
}

function carryOutCommand(job: WorkerJob, command: WorkerCommand, { agent, environment }: Commanded): void {
  switch (command.type) {
    case 'message': {
      const { type: _, ...message } = command
      agent.message(message)
      break
    }
    case 'withdraw':
      agent.withdraw(command.messageId)
      break
    case 'pause':
      agent.pause(command.paused)
      break
    case 'answer':
      agent.answer(command.requestId, command.answer)
      break
    case 'form-answer':
      agent.answerForm(command.formId, command.answer)
      break
    case 'stop-command':
      agent.stopCommand(command.commandId)
      break
    case 'changed': {
      const { type: _, ...change } = command
      agent.changed(change)
      break
    }
    case 'limit':
      if (command.jobId === job.jobId) agent.limit(command)
      break
    case 'stop':
      if (command.jobId === job.jobId) agent.stop('user')
      break
    case 'shutdown':
      environment.onShutdown?.()
      agent.stop('program')
  }
}

/** The events of a job that its sender does not have yet, in order. */
class ReportQueue {
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
