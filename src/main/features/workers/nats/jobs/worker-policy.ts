/**
 * What a worker may be used for: `<data folder>/worker-policy.json`, written by its owner; and what it has spent today, in
 * US dollars, also before its last start: `<data folder>/worker-spending.json`.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentEvent, DefinitionSnapshot, EventOf } from '../../../../../shared/events/agent-event.ts'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../../../shared/kernel/result.ts'
import {
  narrowerMode,
  permissionModes,
  plainMode,
} from '../../../../../shared/permissions/permission-modes.ts'
import { checkRule, refusalText } from '../../../../../shared/rules/rule-form.ts'
import type {
  JobRepository,
  WorkerCommand,
  WorkerJob,
} from '../../../../../shared/workers/worker-protocol.ts'
import { replaceFile } from '../../../../platform/system/atomic-file.ts'
import { codeOf } from '../../../../platform/system/error-code.ts'

/** Every field may be missing. An unknown one is an error, so that a misspelled limit is not ignored. */
/** A rule that covers nothing would deny nothing. */
function isRule(text: string, context: z.RefinementCtx): void {
  const form = checkRule(text, 'deny')
  if (!form.ok) context.addIssue({ code: 'custom', message: refusalText(text, form) })
}

export const workerPolicy = z
  .object({
    /** First commits or addresses of repositories, as `github.com/acme/*`; `*` stands for any text. */
    repositories: z.array(z.string()).default(['*']),
    /** Whether jobs without a repository are carried out. */
    withoutRepository: z.boolean().default(true),
    /** Ids of models; `*` stands for any text. */
    models: z.array(z.string()).default(['*']),
    /** Names of MCP servers that jobs may use; `*` stands for any text. */
    mcpServers: z.array(z.string()).default(['*']),
    /** Whether jobs run whose agent's definition brings hooks: commands that run here as the worker's user. */
    hooks: z.boolean().default(false),
    /** Tools or rules that no job may use: `Bash`, `WebFetch`, `Bash(git push*)`. */
    deniedTools: z.array(z.string().superRefine(isRule)).default([]),
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
  const read = workerPolicy.safeParse(jsonOrUndefined(text))
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
  // They become names of folders here.
  if (![job.jobId, job.agentId, job.conversationId].every((id) => /^(?!\.+$)[\w.-]{1,200}$/.test(id)))
    return fail({ type: 'bad-job', message: 'An id of the job can’t be the name of a folder.' })
  const refused = (message: string) => fail({ type: 'policy', message: `${message} (worker-policy.json)` })
  const { repository } = job
  if (repository === null && !policy.withoutRepository)
    return refused('This worker takes only jobs with a repository')
  if (repository !== null && !isAllowed(repository, policy.repositories))
    return refused(`This worker does not allow the repository ${repository.url ?? repository.id}`)
  const model = modelOf(spawned, job.events)
  if (!matchesAny(model, policy.models)) return refused(`This worker does not allow the model ${model}`)
  const definitions = job.events.flatMap((event) => ('definition' in event ? [event.definition] : []))
  if (!policy.hooks && definitions.some(({ hooks = {} }) => Object.keys(hooks).length > 0))
    return refused('This worker takes no agent whose definition has hooks')
  if (definitions.some(({ program }) => program !== undefined))
    return refused('This worker starts no program that a job names')
  const place = spawned.worktree?.path ?? spawned.cwd
  if (!isBelow(spawned.cwd, place))
    return fail({ type: 'bad-job', message: 'The job’s agent works outside its worktree.' })
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
        definition: narrowed(spawned.definition, { place, policy }),
        tools: allowedTools(spawned.tools, policy),
        limits: { ...limits, ...(usdByDefault && usd === limits.usd && { usdByDefault }), usd },
      },
      ...later.map((event) =>
        event.type === 'permission-mode-changed'
          ? lowered(event)
          : event.type === 'definition-renewed'
            ? {
                ...lowered(event),
                definition: narrowed(event.definition, { place, policy }),
                tools: allowedTools(event.tools, policy),
              }
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

/** A change of a running agent, lowered as its job was. A model that is not allowed changes nothing. */
export function applyToChange(
  change: Extract<WorkerCommand, { type: 'changed' }>,
  policy: WorkerPolicy,
  current: string,
): typeof change {
  return {
    ...change,
    ...narrowerMode(change, plainMode(policy.maxPermissionMode)),
    limits: { ...change.limits, usd: lowest(change.limits.usd, policy.usdPerJob) },
    model: matchesAny(change.model, policy.models) ? change.model : current,
  }
}

/** Without folders outside the checkout, and without servers that the policy does not name. */
function narrowed(
  definition: DefinitionSnapshot,
  { place, policy }: { readonly place: string; readonly policy: WorkerPolicy },
): DefinitionSnapshot {
  const here = (folders: readonly string[]) => folders.filter((folder) => isBelow(folder, place))
  const { toolLists = { tools: null, disallowedTools: [], mcpServers: null } } = definition
  const isAny = policy.mcpServers.includes('*')
  const servers = toolLists.mcpServers?.filter((name) => matchesAny(name, policy.mcpServers))
  return {
    ...definition,
    readFolders: here(definition.readFolders),
    writeFolders: here(definition.writeFolders),
    ...(!isAny && { toolLists: { ...toolLists, mcpServers: servers ?? policy.mcpServers } }),
  }
}

const allowedTools = <T extends { readonly name: string }>(tools: readonly T[], policy: WorkerPolicy): T[] =>
  tools.filter(({ name }) => {
    const [, server] = /^mcp__(.+?)__/.exec(name) ?? []
    return server === undefined || matchesAny(server, policy.mcpServers)
  })

/** Paths of the sender, so of any system. */
function isBelow(path: string, folder: string): boolean {
  if (path.split(/[\\/]/).includes('..')) return false
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`)
}

/** The model of the agent after these events. */
export function modelOf({ model }: EventOf<'agent-spawned'>, events: readonly AgentEvent[]): string {
  return events.reduce(
    (current, event) => (event.type === 'model-changed' && event.forTurn !== true ? event.model : current),
    model,
  )
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

/** What a worker has spent today, in US dollars. */
export interface DaySpending {
  today(): number
  /** Resolves when the sum is on the disk, as far as that is possible. */
  add(usd: number): Promise<void>
}

const spent = z.object({ day: z.string(), usd: z.number() })

/** Days begin at midnight UTC. */
export async function createSpending(dataFolder: string, now: () => number): Promise<DaySpending> {
  const path = join(dataFolder, 'worker-spending.json')
  const day = () => new Date(now()).toISOString().slice(0, 10)
  const read = spent.safeParse(jsonOrUndefined(await readFile(path, 'utf8').catch(() => '')))
  let sum = read.success ? read.data : { day: day(), usd: 0 }
  let writing: Promise<unknown> = Promise.resolve()
  const today = () => (sum.day === day() ? sum.usd : 0)
  return {
    today,
    async add(usd) {
      if (usd === 0) return
      sum = { day: day(), usd: today() + usd }
      const text = JSON.stringify(sum)
      writing = writing.then(() => replaceFile(path, text, { durable: false })).catch(() => undefined)
      await writing
    },
  }
}

/**
 * Whether one of the patterns names the repository: the hash of its first commit, or its address without scheme, user
 * and `.git`, as in `github.com/acme/*`. A `*` stands for any text. The sender of a job states both, so this keeps
 * repositories apart and does not replace the check of who sent the job.
 */
export function isAllowed(
  { id, url }: Pick<JobRepository, 'id' | 'url'>,
  patterns: readonly string[],
): boolean {
  const address = url === null ? null : plainAddress(url)
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === id) return true
    const wanted = plainAddress(pattern)
    return address !== null && wanted !== null && matches(address, wanted)
  })
}

/** `git@github.com:acme/tools.git` and `https://github.com/acme/tools` → `github.com/acme/tools`; null: it leads elsewhere. */
function plainAddress(address: string): string | null {
  const withoutScheme = address.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const isUrl = withoutScheme !== address.trim()
  const withoutUser = withoutScheme.replace(/^[^/@]*@/, '')
  const joined = isUrl ? withoutUser : withoutUser.replace(/^([^/:]+):/, '$1/')
  const [host = '', ...path] = joined.split('/').filter((part) => part !== '')
  if (path.some((part) => part === '..' || part === '.' || /%2e/i.test(part))) return null
  return [host.toLowerCase(), ...path].join('/').replace(/\.git$/, '')
}

/** Compares without a regular expression: no pattern takes longer than others. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
