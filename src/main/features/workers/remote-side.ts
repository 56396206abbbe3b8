/** Workers on other machines, as the runtime's backing `remote`. Loaded only where a NATS server is set up. */
import { join } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Workers } from '../../../shared/workers/worker-presence.ts'
import { WORKER_PROTOCOL } from '../../../shared/workers/worker-protocol.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { WantedWorker } from '../../runtime/ports/agent-backing.ts'
import type { Ports, SharedLimits } from '../../runtime/ports/ports.ts'
import { createBackingFiles, createJobFiles } from '../worktrees/bundles/job-files.ts'
import { repositoryFacts } from '../worktrees/bundles/repository-facts.ts'
import { neededTools, needsOf, whyNoneFits, whyUnfit } from './nats/jobs/job-needs.ts'
import { defaultJobSettings } from './nats/jobs/job-store.ts'
import { openOutbox } from './nats/jobs/outbox.ts'
import { createRemoteLink } from './nats/jobs/remote-link.ts'
import { loadSenderKey } from './nats/jobs/sender-keys.ts'
import { createSessionStores } from './nats/jobs/session-stores.ts'
import { createNatsObjectStore } from './nats/nats-object-store.ts'
import { openNats } from './nats/nats-session.ts'
import { createSharedLimits } from './nats/shared-limits.ts'
import { watchPresence } from './nats/worker-presence.ts'
import type { WorkerSide } from './worker-backing.ts'

export interface RemoteSideOptions {
  readonly dataFolder: string
  readonly settings: Pick<
    Settings,
    'natsUrl' | 'natsCredentials' | 'natsCa' | 'natsRetentionDays' | 'natsFileMegabytes'
  >
  readonly git: Git
  readonly ports: Ports
  /** The access to the model now. */
  readonly access: () => ModelAccess
  /** The rehearsal that answers this program's agents; undefined: a model does. */
  readonly rehearsal: WorkerSide['deps']['rehearsal']
  /** A name that nothing else has. */
  readonly newKey: () => string
  readonly onProblem: (message: string) => void
}

export interface RemoteSide {
  readonly side: WorkerSide
  readonly workers: Workers
  readonly limits: SharedLimits
  close(): Promise<void>
}

/** Connects in the background: nothing waits for the server. Fails if the key or the outbox can't be read. */
export async function remoteSide(options: RemoteSideOptions): Promise<Result<RemoteSide>> {
  const { dataFolder, settings, git, ports, newKey, onProblem } = options
  const { clock, ids } = ports
  const key = await loadSenderKey(dataFolder)
  if (!key.ok) return key
  const folder = join(dataFolder, 'outbox')
  const opened = await openOutbox(folder, onProblem, newKey).then(ok, (thrown) =>
    fail(outboxFailure(thrown, folder)),
  )
  if (!opened.ok) return opened
  const outbox = opened.value
  const keep = settings.natsRetentionDays * 24 * 60 * 60 * 1000
  const session = openNats({
    url: settings.natsUrl,
    credentials: settings.natsCredentials,
    ca: settings.natsCa,
    name: 'troupe',
    clock,
    streams: { keep, fileBytes: settings.natsFileMegabytes * 1_000_000 },
  })
  const stores = createSessionStores(session, onProblem, {
    sleep: clock.sleep,
    settings: { ...defaultJobSettings, keep },
  })
  const limits = createSharedLimits({
    ...{ session, clock, self: newKey() },
    access: options.access,
    onProblem,
  })
  const presence = watchPresence({ session, clock, outbox: () => outbox.size() })
  const remote = () => presence.state().workers.filter(({ kind }) => kind === 'remote')
  const link = createRemoteLink({
    stores,
    outbox,
    key: key.value,
    workers(job) {
      const needs = needsOf(job)
      const found = session.state().kind === 'connected' && needs !== null ? remote() : []
      return {
        fit: found.filter((worker) => whyUnfit(worker, needs ?? {}) === null).map(({ workerId }) => workerId),
        why: whyNoneFits(found, needs ?? {}),
        none: session.state().kind === 'connected' && remote().length === 0,
      }
    },
    deliver: (message) => ports.mailbox.put(message),
    board: ports.tasks,
    now: clock.now,
    onProblem,
  })
  const files = createBackingFiles(
    createJobFiles({
      git,
      dataFolder,
      store: createNatsObjectStore(() => stores.current()?.objects ?? null),
      onProblem,
    }),
  )

  /** Checked before an agent is started. A job that was sent waits for a worker without a time limit. */
  async function check({ folder, agent }: WantedWorker): Promise<Result<void>> {
    const refused = (message: string) =>
      fail({ type: 'no-worker', message: `${message} Or use the backing in-process or pane.` })
    const state = session.state()
    if (state.kind === 'failed') return refused(state.message)
    if (state.kind !== 'connected')
      return refused(`The connection to NATS at ${settings.natsUrl} is not there yet. Try again in a moment.`)
    const found = remote()
    if (found.length === 0)
      return refused(
        'No remote worker is connected. Start one on another machine: `troupe worker --connect`.',
      )
    const repository = await repositoryFacts(git, folder)
    if (!repository.ok) return repository
    const needs = {
      protocol: WORKER_PROTOCOL,
      repository: repository.value,
      ...(agent && {
        tools: neededTools(agent),
        model: options.rehearsal() === undefined ? agent.model : null,
        platform: agent.platform ?? null,
      }),
    }
    const unfit = whyNoneFits(found, needs)
    if (unfit !== null) return refused(unfit)
    const fitting = found.filter((worker) => whyUnfit(worker, needs) === null)
    if (fitting.every(({ problem }) => problem !== null))
      return refused(
        `No remote worker takes jobs now: ${fitting.map(({ host, problem }) => `${host}: ${problem}`).join('; ')}.`,
      )
    return ok(undefined)
  }

  return ok({
    workers: presence,
    limits,
    side: {
      link,
      check,
      conversations: async () => {
        const open = outbox.jobs().filter(({ state }) => state === 'waiting' || state === 'taken')
        return [...new Set(open.map(({ job }) => job.conversationId))]
      },
      deps: {
        clock,
        ids,
        trusted: (path) => ports.policy.trusted(path),
        rules: async (path) => {
          const { allow, ask, deny } = await ports.rules.of(path)
          // Workers can't ask the user, so what the user's rules ask about is denied there.
          return { allow: allow.flatMap(textsOf), deny: [...deny, ...ask].flatMap(textsOf) }
        },
        rehearsal: options.rehearsal,
        ...files,
      },
    },
    async close() {
      await link.close()
      stores.close()
      presence.close()
      limits.close()
      await session.close()
    },
  })
}

function outboxFailure(thrown: unknown, folder: string) {
  return { type: 'io', message: `The outbox ${folder} can’t be read: ${messageOf(thrown)}` }
}

const textsOf = ({ text, meaning = text, alsoMeans = [] }: WrittenRule): readonly string[] => [
  meaning,
  ...alsoMeans,
]
