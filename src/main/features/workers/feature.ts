/** The workers that carry out agents for a runtime: panes on this machine, and remote ones where a NATS server is set up. */
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import {
  type NatsAccess,
  type NatsFinding,
  noWorkers,
  type Workers,
  type WorkersState,
} from '../../../shared/workers/worker-presence.ts'
import type { ProgramLaunch, WorkerProgram } from '../../platform/launch-options.ts'
import type { Platform } from '../../platform/platform.ts'
import { type AgentBacking, plainBacking, type RuntimeWorkers } from '../../runtime/ports/agent-backing.ts'
import type { Mailbox, Ports } from '../../runtime/ports/ports.ts'
import { createWorkerLauncher } from './launch-worker.ts'
import { createPaneLink } from './pane-link.ts'
import { createPanePresence } from './pane-presence.ts'
import type { RemoteSide } from './remote-side.ts'
import { encodeAccess } from './worker-access.ts'
import { createWorkerBacking, type WorkerSide } from './worker-backing.ts'

/** @param options `ports` of the runtime that the workers belong to */
export async function composeWorkers(
  base: Platform,
  {
    ports,
    models,
    ...options
  }: Pick<ProgramLaunch, 'workerProgram' | 'conversationsFolder' | 'limits' | 'rehearsal' | 'rules'> & {
    readonly ports: Ports
    readonly models: WorkerModels
  },
) {
  const { dataFolder, now } = base
  // A worker starts no agents.
  const isSender = !options.conversationsFolder
  const pane =
    options.workerProgram && isSender
      ? paneSide(base, { ...options, workerProgram: options.workerProgram, ports, models })
      : null
  const remote = isSender ? await openRemote(base, { ports, models }) : null
  const limits = options.limits ?? remote?.limits
  return {
    ...(limits && { limits }),
    workers: runtimeWorkers({ ...(pane && { pane: pane.side }), ...(remote && { remote: remote.side }) }),
    /** All workers, for the window. */
    presence: combineWorkers([createPanePresence({ dataFolder }), ...(remote ? [remote.workers] : [])]),
    /** Checks whether a NATS server can be used with these settings. */
    async testNats(wanted: NatsAccess): Promise<readonly NatsFinding[]> {
      const { testNats } = await import('./nats/setup/diagnose.ts')
      return testNats(wanted, { dataFolder, now })
    },
    async close() {
      await pane?.close()
      await remote?.close()
    },
  }
}

/** Answers the window about workers, and about the mailboxes through which conversations reach each other. */
export function workerHandlers(
  { presence, testNats }: Pick<Awaited<ReturnType<typeof composeWorkers>>, 'presence' | 'testNats'>,
  mailbox: Pick<Mailbox, 'list'>,
): HandlersOf<'workers'> & HandlersOf<'mailboxes'> {
  return {
    'workers.state': async () => ok(presence.state()),
    'workers.test': async (wanted) => ok(await testNats(wanted)),
    'mailboxes.list': async () => (await mailbox.list?.()) ?? ok([]),
  }
}

/** The model of this program's agents. */
interface WorkerModels {
  readonly access: () => ModelAccess
  /** Undefined: a model answers. */
  readonly rehearsed: WorkerSide['deps']['rehearsal']
  /** `keys`: those of the system's key store, by their names. */
  readonly providers: { readonly keys: Readonly<Record<string, string>> }
}

/** Worker processes on this machine, as the runtime's backing `pane`. */
function paneSide(
  { dataFolder, onProblem }: Platform,
  {
    workerProgram,
    rehearsal,
    rules,
    ports,
    models,
  }: Pick<ProgramLaunch, 'rehearsal' | 'rules'> & {
    readonly workerProgram: WorkerProgram
    readonly ports: Ports
    readonly models: WorkerModels
  },
) {
  const pace = () => (typeof rehearsal.pace === 'function' ? rehearsal.pace() : rehearsal.pace)
  const { command, environment } = workerProgram
  const launcher = createWorkerLauncher({
    command,
    environment,
    get tmux() {
      return workerProgram.tmux
    },
    access: () => encodeAccess(models.access(), { pace: pace(), keys: models.providers.keys }),
    onProblem,
  })
  const link = createPaneLink({ dataFolder, launcher, now: ports.clock.now })
  const side: WorkerSide = {
    link,
    check: async () => ok(undefined),
    conversations: () => link.conversations(),
    release: (agentId) => link.release(agentId),
    forget: (agentIds) => link.forget(agentIds),
    deps: {
      clock: ports.clock,
      ids: ports.ids,
      trusted: (folder) => ports.policy.trusted(folder),
      rules: async () => ({ allow: [...(rules?.allow ?? [])], deny: [...(rules?.deny ?? [])] }),
      rehearsal: models.rehearsed,
    },
  }
  return {
    side,
    /** Ends the idle processes that this program started. */
    close: () => link.close(),
  }
}

/** Loaded only where a NATS server is set up. */
async function openRemote(
  { dataFolder, settings, git, newKey, onProblem }: Platform,
  { ports, models }: { readonly ports: Ports; readonly models: WorkerModels },
): Promise<RemoteSide | null> {
  if (settings.current.natsUrl === '') return null
  const { remoteSide } = await import('./remote-side.ts')
  const { access, rehearsed: rehearsal } = models
  const opened = await remoteSide({
    ...{ dataFolder, git, ports, access, rehearsal, newKey, onProblem },
    settings: settings.current,
  })
  if (opened.ok) return opened.value
  onProblem(opened.failure.message)
  return null
}

/** A kind without a side can't be used. */
function runtimeWorkers(sides: Readonly<Partial<Record<'pane' | 'remote', WorkerSide>>>): RuntimeWorkers {
  return {
    check: async (kind, wanted) => (await sides[kind]?.check(wanted)) ?? fail(NO_SIDE[kind]),
    backing(agent) {
      const { backing } = agent.state()
      if (backing !== 'pane' && backing !== 'remote') return null
      const side = sides[backing]
      return side ? createWorkerBacking(agent, side.link, side.deps) : unavailable(backing)
    },
    async isAlive({ id, backing, jobId }) {
      if ((backing !== 'pane' && backing !== 'remote') || jobId === null) return false
      return (await sides[backing]?.link.isAlive({ agentId: id, jobId })) ?? false
    },
    released(_conversationId, agentId) {
      // A worker that can't be ended now ends on its own after its idle time.
      sides.pane?.release?.(agentId).catch(() => undefined)
    },
    async forget(agentIds) {
      await sides.pane?.forget?.(agentIds)
    },
    async conversations() {
      const ids = [sides.pane, sides.remote].map((side) => side?.conversations() ?? [])
      return [...new Set((await Promise.all(ids)).flat())]
    },
  }
}

/** An agent of another backing never runs in this process. */
const unavailable = (kind: keyof typeof NO_SIDE): AgentBacking =>
  plainBacking(kind, async () => ({ kind: 'failed', type: 'worker', message: NO_SIDE[kind].message }))

const NO_SIDE = {
  pane: {
    type: 'no-worker',
    message: 'This program can’t start worker processes. Use the backing in-process.',
  },
  remote: {
    type: 'no-worker',
    message:
      'No NATS server is set up, so no remote worker can be reached. Set natsUrl in the settings, or use the backing in-process or pane.',
  },
} as const

/** Combines the states: all workers, the connection to NATS, and the sum of the waiting jobs and messages. */
export function combineWorkers(sources: readonly Workers[]): Workers {
  const state = (): WorkersState => {
    const states = sources.map((source) => source.state())
    return {
      nats: states.map(({ nats }) => nats).find(({ kind }) => kind !== 'off') ?? noWorkers.nats,
      workers: states.flatMap(({ workers }) => workers),
      outbox: states.reduce((sum, { outbox }) => sum + outbox, 0),
    }
  }
  return {
    state,
    subscribe(listener) {
      const stops = sources.map((source) => source.subscribe(() => listener(state())))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
