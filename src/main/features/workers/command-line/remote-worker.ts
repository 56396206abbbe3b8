/** `troupe worker --connect`: carries out the jobs of trusted senders, each in a checkout of its own. */
import { mkdir, rm, statfs } from 'node:fs/promises'
import { availableParallelism, hostname, loadavg } from 'node:os'
import { join } from 'node:path'
import { messageOf, type Result } from '../../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { NatsState, WorkerHeartbeat } from '../../../../shared/workers/worker-presence.ts'
import {
  OLDEST_WORKER_PROTOCOL,
  WORKER_PROTOCOL,
  type WorkerJob,
} from '../../../../shared/workers/worker-protocol.ts'
import type { ComposedRuntime } from '../../../features.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { Clock, Ids, SharedLimits } from '../../../runtime/ports/ports.ts'
import type { TakenJob } from '../../../runtime/ports/worker-link.ts'
import { DEFAULT_LIMITS } from '../../worktrees/bundles/job-files.ts'
import { createWorkspaces, type Workspaces } from '../../worktrees/bundles/workspaces.ts'
import { type PlacedJob, placeJob } from '../job/remote-workspace.ts'
import { runJob } from '../job/run-job.ts'
import type { JobSettings } from '../nats/jobs/job-store.ts'
import { trustedSenders } from '../nats/jobs/sender-keys.ts'
import { serveJobs } from '../nats/jobs/serve-jobs.ts'
import { createSessionStores } from '../nats/jobs/session-stores.ts'
import type { RemoteJob } from '../nats/jobs/taken-job.ts'
import {
  createSpending,
  type DaySpending,
  readWorkerPolicy,
  type WorkerPolicy,
  workerPolicy,
} from '../nats/jobs/worker-policy.ts'
import { createNatsObjectStore } from '../nats/nats-object-store.ts'
import type { NatsSession } from '../nats/nats-session.ts'
import { createSharedLimits } from '../nats/shared-limits.ts'
import { publishPresence } from '../nats/worker-presence.ts'
import type { ComposeForJob } from './worker-command.ts'

export interface RemoteWorkerContext {
  readonly dataFolder: string
  readonly version: string
  readonly session: NatsSession
  readonly clock: Clock
  readonly ids: Ids
  /** ms, for durations. */
  readonly elapsed: () => number
  readonly git: Git
  readonly access: ModelAccess
  /** Ends the worker: its jobs go back to the queue. */
  readonly interrupted: AbortSignal
  /** Tells what happens, a line each. */
  readonly say: (text: string) => void
  /** A runtime for one job, with conversations in a folder of its own. */
  readonly compose: (job: WorkerJob, options: ComposeForJob) => Promise<ComposedRuntime>
  readonly offer: WorkerOffer
  readonly settings?: JobSettings
}

/** The tools of this program, and the models of its key; empty: unknown. */
type WorkerOffer = Pick<WorkerHeartbeat, 'tools' | 'models' | 'providers'>

/** Asks the API once. */
export async function programOffer(program: ComposedRuntime, access: ModelAccess): Promise<WorkerOffer> {
  const switched = await program.switchAccess(access)
  const listed = switched.ok && access.kind === 'api' ? await program.listModels() : null
  return {
    tools: [...program.toolNames()],
    models: listed?.ok ? listed.value.map(({ id }) => id) : [],
    providers: [...program.providers.names],
  }
}

/** Bytes of checkouts and mirrors that are kept between jobs. */
const KEPT_BYTES = 10_000_000_000

/** Resolves after `interrupted`, when every job has ended or went back to the queue. */
export async function serveRemoteJobs(context: RemoteWorkerContext): Promise<void> {
  const { dataFolder, session, clock, git, interrupted, say } = context
  const workerId = context.ids.next('w')
  const stopTelling = tellConnection(session, say)
  const stores = createSessionStores(session, say, { sleep: clock.sleep, settings: context.settings })
  const store = await stores.opened(interrupted)
  if (store === null) return stopTelling()
  const workspaces = createWorkspaces({
    git,
    store: createNatsObjectStore(() => stores.current()?.objects ?? null),
    limits: DEFAULT_LIMITS,
    dataFolder,
  })
  const limits = createSharedLimits({
    ...{ session, clock, self: workerId },
    access: () => context.access,
    onProblem: say,
  })
  const spending = await createSpending(dataFolder, clock.now)
  let running: readonly WorkerJob[] = []
  let problem: string | null = null
  const readPolicy = () => readWorkerPolicy(dataFolder)
  let offer = offerOf(context, await readPolicy())
  const facts = () => ({ ...factsOf(workerId), ...offer })
  const presence = publishPresence({
    session,
    clock,
    heartbeat: () => ({
      ...facts(),
      agentIds: running.map(({ agentId }) => agentId),
      problem,
    }),
    onProblem: say,
  })
  const tidy = () =>
    workspaces.tidy({ maxBytes: KEPT_BYTES, running: new Set(running.map(({ jobId }) => jobId)) })
  await tidy().catch((thrown: unknown) => say(`Old checkouts can’t be removed: ${messageOf(thrown)}`))
  say(`Worker ${workerId} waits for jobs in ${dataFolder}.`)
  await serveJobs({
    store,
    elapsed: context.elapsed,
    worker: { workerId, host: hostname(), pid: process.pid, cores: availableParallelism(), tmux: null },
    async policy() {
      const read = await readPolicy()
      const next = offerOf(context, read)
      const isChanged = JSON.stringify(next) !== JSON.stringify(offer)
      offer = next
      if (isChanged) void presence.now()
      return read
    },
    offer: facts,
    trusted: async () => {
      const read = await trustedSenders(dataFolder)
      if (!read.ok) say(read.failure.message)
      return read.ok ? read.value : new Set()
    },
    async problem() {
      const found = await problemOf(dataFolder, spending)
      if (found !== problem) {
        problem = found
        if (found !== null) say(`No job is taken: ${found}.`)
        void presence.now()
      }
      return found
    },
    runJob: (taken, stopping) => carryOut(taken, { ...context, workspaces, spending, limits, stopping }),
    onJobs(jobs) {
      running = jobs
      void presence.now()
    },
    onNote: say,
    signal: interrupted,
  })
  await presence.close()
  limits.close()
  stores.close()
  stopTelling()
}

/** Tells each change of the connection, until the returned function is called. */
function tellConnection(session: NatsSession, say: RemoteWorkerContext['say']): () => void {
  let last = ''
  const tell = (text: string) => {
    if (text !== last) say(text)
    last = text
  }
  const take = (state: NatsState) => {
    if (state.kind === 'failed') tell(state.message)
    if (state.kind === 'connecting') tell(`Connects to the NATS server at ${state.url}.`)
    if (state.kind === 'connected') tell(`Connected to the NATS server at ${state.url}.`)
  }
  take(session.state())
  return session.subscribe(take)
}

interface CarryingOut extends RemoteWorkerContext {
  readonly workspaces: Workspaces
  readonly spending: DaySpending
  readonly limits: SharedLimits
  readonly stopping: AbortSignal
}

async function carryOut(sent: RemoteJob, context: CarryingOut): Promise<void> {
  const { job } = sent
  const { dataFolder, workspaces, spending, say, stopping } = context
  // A worker that ends says nothing more about its jobs: another one continues them.
  const lost = AbortSignal.any([sent.lost, stopping])
  const taken: TakenJob = {
    ...sent,
    lost,
    async report(report) {
      const { event } = report
      if (event.type === 'assistant-message' || event.type === 'model-asked')
        await spending.add(event.costUsd ?? 0)
      return sent.report(report)
    },
  }
  const placed = await placeJob(taken, workspaces)
  if (!placed.ok) {
    const { type, message } = placed.failure
    return sent.giveBack({
      message,
      forGood: type === 'refused' || type === 'invalid',
      isEnding: stopping.aborted,
    })
  }
  const folder = join(dataFolder, 'jobs', job.jobId)
  say(`Begins the job of ${job.agentId} in ${placed.value.environment.folder}.`)
  try {
    // What an earlier attempt on this machine left is in the reports.
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await runPlaced(placed.value, { ...context, sent, folder })
  } finally {
    await placed.value.close()
    await rm(folder, { recursive: true, force: true })
    say(`${lost.aborted ? 'Leaves' : 'Has ended'} the job of ${job.agentId}.`)
  }
}

async function runPlaced(
  { taken, environment }: PlacedJob,
  context: CarryingOut & { readonly sent: RemoteJob; readonly folder: string },
): Promise<void> {
  const { access, compose, folder, limits, sent } = context
  const { job } = taken
  const program = await compose(
    { ...job, folder: environment.folder },
    {
      conversationsFolder: folder,
      pace: null,
      tasks: sent.board,
      // A script has no limits.
      ...(job.rehearsal === undefined && { limits }),
    },
  )
  try {
    const switched = await program.switchAccess(job.rehearsal === undefined ? access : { kind: 'rehearsal' })
    if (!switched.ok) return await taken.giveBack({ message: switched.failure.message, forGood: false })
    await runJob(taken, {
      ...environment,
      runtime: program.runtime,
      sendMessage: (message) => sent.mail(message),
      stopped: new AbortController().signal,
      onTrouble: (problem) => sent.troubled(problem),
      sleep: context.clock.sleep,
    })
  } finally {
    await program.close()
  }
}

/** Why no job can be taken now; null: one can. */
async function problemOf(dataFolder: string, spending: DaySpending): Promise<string | null> {
  const policy = await readWorkerPolicy(dataFolder)
  if (!policy.ok) return policy.failure.message
  const { freeDiskGb, usdPerDay } = policy.value
  if (usdPerDay !== null && spending.today() >= usdPerDay)
    return `the limit of $${usdPerDay} a day is used up (worker-policy.json)`
  const disk = await statfs(dataFolder).catch(() => null)
  const free = disk === null ? 0 : (disk.bavail * disk.bsize) / 1e9
  if (free < freeDiskGb)
    return `the disk of ${dataFolder} has ${free.toFixed(1)} GB free, and ${freeDiskGb} GB must stay free (worker-policy.json)`
  return null
}

/** A policy that can't be read lets no job begin, so nothing of it is announced. */
function offerOf({ offer, version }: RemoteWorkerContext, policy: Result<WorkerPolicy>) {
  const { repositories, withoutRepository, models } = policy.ok ? policy.value : workerPolicy.parse({})
  return { ...offer, version, repositories, withoutRepository, allowedModels: models }
}

function factsOf(workerId: string) {
  const cores = availableParallelism()
  return {
    workerId,
    kind: 'remote' as const,
    host: hostname(),
    pid: process.pid,
    cores,
    platform: process.platform,
    protocol: WORKER_PROTOCOL,
    oldestProtocol: OLDEST_WORKER_PROTOCOL,
    tmux: null,
    load: (loadavg()[0] ?? 0) / cores,
  }
}
