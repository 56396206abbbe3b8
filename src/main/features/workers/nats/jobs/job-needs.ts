/** What a job needs of its worker, and what workers offer in their heartbeats. */
import type { EventOf } from '../../../../../shared/events/agent-event.ts'
import { splitModel } from '../../../../../shared/models/model-provider.ts'
import type { WorkerFacts } from '../../../../../shared/workers/worker-presence.ts'
import type { JobRepository, WorkerJob } from '../../../../../shared/workers/worker-protocol.ts'
import { isAllowed, matchesAny, modelOf } from './worker-policy.ts'

export interface JobNeeds {
  readonly protocol: number
  readonly tools: readonly string[]
  /** The id of the model; null: a script answers. */
  readonly model: string | null
  /** `linux`, `macos` or `windows`; null: any. */
  readonly platform: string | null
  /** Null: the job works without one. */
  readonly repository: Pick<JobRepository, 'id' | 'url'> | null
}

export type WorkerOffer = Pick<
  WorkerFacts,
  | 'protocol'
  | 'oldestProtocol'
  | 'version'
  | 'platform'
  | 'models'
  | 'providers'
  | 'allowedModels'
  | 'tools'
  | 'repositories'
  | 'withoutRepository'
>

/** Null: the job does not begin with the start of an agent. */
export function needsOf({ protocol, events, rehearsal, repository }: WorkerJob): JobNeeds | null {
  const [spawned] = events
  if (spawned?.type !== 'agent-spawned') return null
  return {
    protocol,
    tools: neededTools(events.findLast((event) => event.type === 'definition-renewed') ?? spawned),
    model: rehearsal === undefined ? modelOf(spawned, events) : null,
    platform: spawned.platform ?? null,
    repository,
  }
}

/**
 * Without the tools of MCP servers: a worker's servers start with the job, and the agent is told which of its tools are
 * missing there.
 */
export function neededTools({ tools }: Pick<EventOf<'agent-spawned'>, 'tools'>): readonly string[] {
  return tools.map(({ name }) => name).filter((name) => !name.startsWith('mcp__'))
}

/** Why the worker can't take such a job, as `has no tool X`; null: it can. A missing need is not compared. */
export function whyUnfit(worker: WorkerOffer, needs: Partial<JobNeeds>): string | null {
  const { protocol, tools = [], model = null, platform = null, repository } = needs
  const oldest = worker.oldestProtocol ?? worker.protocol
  if (protocol !== undefined && (protocol < oldest || protocol > worker.protocol))
    return `has version ${worker.version} with protocol ${oldest === worker.protocol ? '' : `${oldest} to `}${worker.protocol}, and the job has protocol ${protocol}. Install the same version of Troupe on both machines`
  if (platform !== null && platformName(worker.platform) !== platform)
    return `runs ${platformName(worker.platform)}, and the job needs ${platform}`
  const missing = worker.tools.length === 0 ? [] : tools.filter((tool) => !worker.tools.includes(tool))
  if (missing.length > 0)
    return `has no tool ${missing.join(', ')}. Install the same version of Troupe on both machines, or leave out the tool`
  const provider = model === null ? null : splitModel(model).provider
  const hasProvider = provider !== null && worker.providers?.includes(provider) === true
  if (provider !== null && model !== null && !hasProvider && !worker.models.includes(model))
    return `has no model provider ${provider}. Add it to the settings of that machine`
  if (model !== null && !matchesAny(model, worker.allowedModels ?? ['*']))
    return `does not allow the model ${model} (worker-policy.json)`
  // An API lists models with their dates: `claude-x-20260101` is also `claude-x`.
  const isOffered = (id: string) => id === model || id.startsWith(`${model}-`)
  if (model !== null && !hasProvider && worker.models.length > 0 && !worker.models.some(isOffered))
    return `has a key without the model ${model}`
  if (repository === null && worker.withoutRepository === false)
    return 'takes only jobs with a repository (worker-policy.json)'
  if (repository && !allows(worker, repository))
    return `does not allow the repository ${repository.url ?? repository.id} (worker-policy.json)`
  return null
}

/** Why none of the workers can take such a job, and what to do; null: one can, or there are none. */
export function whyNoneFits(
  workers: readonly (WorkerOffer & { readonly host: string })[],
  needs: Partial<JobNeeds>,
): string | null {
  if (workers.length === 0 || workers.some((worker) => whyUnfit(worker, needs) === null)) return null
  const reasons = workers.map((worker) => ({ worker, why: whyUnfit(worker, needs) }))
  const { repository, ...withoutRepository } = needs
  // Where the repository alone is the reason, one sentence says it for all workers.
  if (repository && reasons.every(({ worker }) => whyUnfit(worker, withoutRepository) === null))
    return `No connected worker takes this repository: ${repository.url ?? repository.id}. Allow it on a worker with \`repositories\` in its worker-policy.json.`
  const found = reasons.map(({ worker, why }) => `${worker.host} ${why}`)
  return `No connected worker can take this job: ${[...new Set(found)].join('; ')}.`
}

const allows = ({ repositories = ['*'] }: WorkerOffer, repository: NonNullable<JobNeeds['repository']>) =>
  isAllowed(repository, repositories)

const NAMES: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' }

/** The name of a system for people: `linux`, `macos`, `windows`. */
function platformName(platform: string): string {
  return NAMES[platform] ?? platform
}
