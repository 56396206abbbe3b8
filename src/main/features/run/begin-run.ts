/** How `troupe run` begins: a new conversation with the task as its first message, or a resumed one that is sent the task. */

import { noLimits, type PermissionMode, type SpendLimits } from '../../../shared/events/agent-event.ts'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ExpandRequest, SlashCommands } from '../../../shared/slash/slash-command.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { changedLimits } from '../../../shared/state/spending.ts'
import { readToolEntry } from '../../../shared/tools/tool-entry.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { type Goal, goalText } from './goal.ts'
import type { ProgressOutput } from './progress.ts'
import type { UnmergedBranch } from './run-outcome.ts'
import type { TaskOptions } from './run-rules.ts'

/** The values of `troupe run`. */
export interface RunOptions extends TaskOptions {
  readonly agent: string | null
  /** Whether the main agent only coordinates. Null: not said. */
  readonly coordinator: boolean | null
  readonly maxTurns: number | null
  readonly resume: string | null
  /** Resumes the newest conversation of the folder. */
  readonly continue: boolean
  /** The command that must succeed in the end. */
  readonly until: string | null
  /** A file with the JSON Schema of the report, or the schema itself. */
  readonly outputSchema: string | null
  readonly maxRounds: number | null
  /** Marks the folder for the mode bypassPermissions, for this run. */
  readonly markFolder: boolean
  /** Verifies the changes after the run. */
  readonly verify: boolean
  /** Waits for the end of a usage limit of the API; otherwise the run ends. */
  readonly waitForLimit: boolean
}

export interface PlannedRun extends RunOptions {
  /** Null: any report will do. */
  readonly goal: Goal | null
}

export interface RunCommandContext {
  readonly runtime: Runtime
  readonly slash: SlashCommands
  /** The real path of the folder for a new conversation. */
  readonly folder: string
  /** As the settings say. */
  readonly permissionMode: PermissionMode
  readonly isTrusted: (folder: string) => boolean
  /** Trusts a folder for this run. */
  readonly trust: (folder: string) => void
  /** Marks a folder for bypassPermissions for this run. */
  readonly mark: (folder: string) => void
  readonly rehearsal: boolean
  /** Aborts at the first Ctrl+C. */
  readonly interrupted: AbortSignal
  /** The branches with work of a conversation's agents that is not merged. */
  readonly unmerged: (conversationId: string) => Promise<readonly UnmergedBranch[]>
  readonly output: { write(text: string): void }
  readonly errors: ProgressOutput
  /** ms since the epoch. */
  readonly now: () => number
}

/** The agent that carries out the task: the main agent, or a resumed subagent. */
interface RunningAgent {
  readonly conversationId: string
  readonly agentId: string
}

/** Prints a message for the user. */
type Complain = (message: string) => void

/** The agent has the task when this resolves. Fails with `interrupted`, or as the commands do. */
export function beginRun(
  options: PlannedRun,
  context: RunCommandContext,
  complain: Complain,
): Promise<Result<RunningAgent>> {
  return options.resume === null
    ? begin(options, context, complain)
    : continueWith(options, context, complain)
}

/** Creates a conversation with the task as its first message. */
async function begin(
  options: PlannedRun,
  context: RunCommandContext,
  complain: Complain,
): Promise<Result<RunningAgent>> {
  const { runtime, folder } = context
  const { agent, coordinator, model, maxTurns, limits } = options
  const permissionMode = options.permissionMode ?? context.permissionMode
  const untrusted = noCheck(folder, options, context)
  if (untrusted !== null) return untrusted
  complainUntrusted(folder, context, complain)
  const message = await messageOf(options, { folder, agent: null, mode: permissionMode }, context)
  if (!message.ok) return message
  const created = await runtime.dispatch({
    type: 'conversation.create',
    ...{ folder, permissionMode, limits, message: message.value },
    ...(agent !== null && { agent }),
    ...(coordinator !== null && { coordinator }),
    ...(model !== null && { model }),
    ...(maxTurns !== null && { maxTurns }),
  })
  if (!created.ok) return created
  const { id, notSent } = created.value
  if (notSent) return fail(notSent)
  const snapshot = await runtime.snapshot(id)
  if (!snapshot.ok) return snapshot
  complainUnmergeable(options, snapshot.value, complain)
  return ok({ conversationId: id, agentId: snapshot.value.record.mainAgentId })
}

/** Resumes a conversation, or one of its agents, with the task. */
async function continueWith(
  options: PlannedRun,
  context: RunCommandContext,
  complain: Complain,
): Promise<Result<RunningAgent>> {
  const { runtime } = context
  const id = options.resume ?? ''
  const record = await runtime.find(id)
  if (record === null)
    return fail({
      type: 'usage',
      message: `No conversation or agent has the id ${id}. List conversations with: troupe conversations list`,
    })
  const { id: conversationId, folder } = record
  const agent = { conversationId, agentId: id === conversationId ? record.mainAgentId : id }
  if (options.until !== null && agent.agentId !== record.mainAgentId)
    return fail({
      type: 'usage',
      message: `--until works with the main agent. To resume it: troupe run "…" --resume ${conversationId}`,
    })
  const resumed = await resume({ ...agent, folder }, options, context)
  if (!resumed.ok) return resumed
  const untrusted = noCheck(folder, options, context)
  if (untrusted !== null) return untrusted
  complainUntrusted(folder, context, complain)
  const snapshot = record.coordinator ? await runtime.snapshot(conversationId) : null
  if (snapshot?.ok) complainUnmergeable(options, snapshot.value, complain)
  const limited = await limit(conversationId, options, runtime)
  if (!limited.ok) return limited
  const message = await messageOf(options, { folder, agent }, context)
  if (!message.ok) return message
  const sent = await runtime.dispatch({ type: 'conversation.send', ...agent, ...message.value })
  return sent.ok ? ok(agent) : sent
}

/** The task as a message, with the text of a command in its place, and the goal below. Fails with `interrupted`. */
async function messageOf(
  { task, goal }: PlannedRun,
  receiver: Pick<ExpandRequest, 'folder' | 'agent' | 'mode'>,
  { slash, interrupted }: RunCommandContext,
): Promise<Result<CommandInput<'conversation.create'>['message'] & object>> {
  const expanded =
    readSlashLine(task) === null || interrupted.aborted
      ? null
      : await slash.expand({ ...receiver, line: task, approved: [] }, interrupted)
  if (interrupted.aborted) return fail({ type: 'interrupted', message: '' })
  if (expanded?.ok === false) return expanded
  const texts = [expanded?.value.text ?? task, ...(goal === null ? [] : [goalText(goal)])]
  const content = texts.map((text) => ({ type: 'text' as const, text }))
  return ok({ content, ...(expanded !== null && { typed: task }) })
}

/** A check starts files of the folder: without trust it would be refused after all the work. */
function noCheck(folder: string, { until }: RunOptions, { isTrusted }: RunCommandContext) {
  if (until === null || isTrusted(folder)) return null
  return fail({
    type: 'usage',
    message: `--until runs a command in ${folder}, which is not trusted. Add --trust to trust it for this run.`,
  })
}

function complainUntrusted(folder: string, { isTrusted }: RunCommandContext, complain: Complain): void {
  if (!isTrusted(folder))
    complain(
      `${folder} is not trusted, so agents can only read files in it and cannot run commands. Add --trust to trust it for this run.`,
    )
}

function complainUnmergeable(options: RunOptions, snapshot: ConversationSnapshot, complain: Complain): void {
  const why = whyNotMerged(options, snapshot)
  if (why !== null)
    complain(`${why} The coordinator can't merge branches in this run; the result names them.`)
}

/** Resumes a conversation with the permission mode given now. The model given now is for the resumed agent. */
async function resume(
  { conversationId, agentId, folder }: RunningAgent & { readonly folder: string },
  options: RunOptions,
  context: RunCommandContext,
): Promise<Result<void>> {
  const { runtime } = context
  // Both have their links resolved.
  if (options.cwd !== null && context.folder !== folder)
    return fail({
      type: 'usage',
      message: `The conversation ${conversationId} works in ${folder}. Leave --cwd out, or give that folder.`,
    })
  if (options.trust && !context.isTrusted(folder)) context.trust(folder)
  if (options.markFolder) context.mark(folder)
  const changes = [
    options.permissionMode === null
      ? null
      : () =>
          runtime.dispatch({
            type: 'conversation.setMode',
            conversationId,
            permissionMode: options.permissionMode ?? 'default',
          }),
    options.model === null
      ? null
      : () =>
          runtime.dispatch({
            type: 'conversation.setModel',
            conversationId,
            model: options.model ?? '',
            agentId,
          }),
  ]
  for (const change of changes) {
    const changed = await change?.()
    if (changed && !changed.ok) return changed
  }
  return ok(undefined)
}

/** Applies the limits given on the command line; the others stay. */
async function limit(
  conversationId: string,
  { limits: wanted }: RunOptions,
  runtime: Runtime,
): Promise<Result<unknown>> {
  if (Object.keys(wanted).length === 0) return ok(undefined)
  const limits = changedLimits(await limitsNow(conversationId, runtime), wanted)
  return runtime.dispatch({ type: 'conversation.setLimits', conversationId, limits })
}

/** The limits of a conversation that hold now. */
export async function limitsNow(id: string, runtime: Runtime): Promise<SpendLimits> {
  const summary = (await runtime.conversations()).find((conversation) => conversation.id === id)
  return summary?.limits ?? noLimits
}

/** Why a coordinator's merges would be denied; null: they are not, or it is no coordinator. */
function whyNotMerged({ rules }: RunOptions, { record, agents }: ConversationSnapshot): string | null {
  if (!record.coordinator) return null
  if (rules.deny.some((rule) => readToolEntry(rule).name === 'MergeWorktree'))
    return 'A --deny rule forbids merges.'
  const main = agents.find(({ id }) => id === record.mainAgentId)
  return main?.permissionMode === 'plan' ? 'Plan mode forbids merges.' : null
}
