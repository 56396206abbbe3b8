/** What a worker may be used for: `<data folder>/worker-policy.json`, written by its owner. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentEvent, EventOf } from '../../../../shared/agent-event.ts'
import { narrowerMode, permissionModes, plainMode } from '../../../../shared/permission-modes.ts'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import type { WorkerJob } from '../../../../shared/worker-protocol.ts'
import { isAllowed } from '../../bundles/allowed-repository.ts'
import { codeOf } from '../../system/error-code.ts'
import { parseJson } from './parcel.ts'

/** Every field may be missing. An unknown one is an error, so that a misspelled limit is not ignored. */
export const workerPolicy = z
  .object({
    /** First commits or addresses of repositories, as `github.com/acme/*`; `*` stands for any text. */
    repositories: z.array(z.string()).default(['*']),
    /** Whether jobs without a repository are carried out. */
    withoutRepository: z.boolean().default(true),
    /** Ids of models; `*` stands for any text. */
    models: z.array(z.string()).default(['*']),
    /** Tools or rules that no job may use: `Bash`, `WebFetch`, `Bash(git push*)`. */
    deniedTools: z.array(z.string()).default([]),
    /** The most permissive mode of an agent. */
    maxPermissionMode: z.enum(permissionModes).default('acceptEdits'),
    /** The sender's allow rules that have effect here, word for word; `*`: all of them. */
    allowRules: z.array(z.string()).default(['*']),
    /** US dollars; null: no limit. */
    usdPerJob: z.number().positive().nullable().default(null),
    usdPerDay: z.number().positive().nullable().default(null),
    /** Gigabytes that must stay free on the disk of the data folder. */
    freeDiskGb: z.number().nonnegative().default(1),
    /** Jobs at the same time. */
    maxJobs: z.number().int().min(1).max(100).default(1),
  })
  .strict()
export type WorkerPolicy = z.infer<typeof workerPolicy>

/** Reads the policy; without a file the defaults apply. Fails with the field that is wrong. */
export async function readWorkerPolicy(dataFolder: string): Promise<Result<WorkerPolicy>> {
  const path = join(dataFolder, 'worker-policy.json')
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ok(workerPolicy.parse({}))
    return fail({ type: 'io', message: `The worker’s policy ${path} can’t be read (${codeOf(thrown)}).` })
  }
  const read = workerPolicy.safeParse(parseJson(text))
  if (read.success) return ok(read.data)
  const [issue] = read.error.issues
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
  return fail({
    type: 'bad-policy',
    message: `The worker’s policy ${path} is not valid${where}: ${issue?.message ?? 'it is not JSON'}. Correct it; until then no jobs are taken.`,
  })
}

/**
 * The job as the worker may carry it out: its mode, rules and limits lowered to the policy. Fails with what the policy
 * does not allow.
 */
export function applyPolicy(job: WorkerJob, policy: WorkerPolicy): Result<WorkerJob> {
  const [spawned, ...later] = job.events
  if (spawned?.type !== 'agent-spawned')
    return fail({ type: 'bad-job', message: 'The job does not begin with the start of its agent.' })
  const refused = (message: string) => fail({ type: 'policy', message: `${message} (worker-policy.json)` })
  const { repository } = job
  if (repository === null && !policy.withoutRepository)
    return refused('This worker takes only jobs with a repository')
  if (repository !== null && !isAllowed(repository, policy.repositories))
    return refused(`This worker does not allow the repository ${repository.url ?? repository.id}`)
  const model = modelOf(spawned, job.events)
  if (!matchesAny(model, policy.models)) return refused(`This worker does not allow the model ${model}`)
  const lowered = <M extends Parameters<typeof narrowerMode>[0]>(event: M): M => ({
    ...event,
    ...narrowerMode(event, plainMode(policy.maxPermissionMode)),
  })
  const usd = lowest(spawned.limits.usd, policy.usdPerJob)
  const { usdByDefault, ...limits } = spawned.limits
  return ok({
    ...job,
    events: [
      {
        ...lowered(spawned),
        limits: { ...limits, ...(usdByDefault && usd === limits.usd && { usdByDefault }), usd },
      },
      ...later.map((event) =>
        event.type === 'permission-mode-changed' || event.type === 'definition-renewed'
          ? lowered(event)
          : event.type === 'limits-changed'
            ? { ...event, limits: { ...event.limits, usd: lowest(event.limits.usd, policy.usdPerJob) } }
            : event,
      ),
    ],
    rules: {
      allow: job.rules.allow.filter(
        (rule) => policy.allowRules.includes('*') || policy.allowRules.includes(rule),
      ),
      deny: [...new Set([...job.rules.deny, ...policy.deniedTools])],
    },
  })
}

/** The model of the agent after these events. */
export function modelOf({ model }: EventOf<'agent-spawned'>, events: readonly AgentEvent[]): string {
  return events.reduce((current, event) => (event.type === 'model-changed' ? event.model : current), model)
}

function lowest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}

/** Whether a pattern matches the whole name. `*` stands for any text; case does not matter. */
export function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern
      .toLowerCase()
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${parts.join('.*')}$`, 's').test(name.toLowerCase())
  })
}
