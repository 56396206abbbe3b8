/** `troupe run`: one task for a main agent, from start to report. */

import { noLimits, type PermissionMode, type SpendLimits } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { ConversationEvent } from '../../../shared/events/conversation-event.ts'
import { verdictText } from '../../../shared/events/hooks.ts'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ExpandRequest, SlashCommands } from '../../../shared/slash/slash-command.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { untilText } from '../../../shared/state/limit-wait.ts'
import { changedLimits } from '../../../shared/state/spending.ts'
import { readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { evidenceText } from '../../../shared/verification/verification.ts'
import { jsonLine } from '../../platform/command-line/terminal.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { answerUnattended } from './answer-unattended.ts'
import { createProgress, type ProgressOutput } from './progress.ts'
import {
  exitCodeOf,
  FinalReports,
  notStarted,
  type RunCommandOutcome,
  resultLine,
  stoppedAt,
  stoppedText,
  type UnmergedBranch,
} from './run-outcome.ts'
import type { TaskOptions } from './run-rules.ts'
import { readTask } from './slash-in-run.ts'

/** The values of `troupe run`. */
export interface RunOptions extends TaskOptions {
  readonly agent: string | null
  /** Whether the main agent only coordinates. Null: not said. */
  readonly coordinator: boolean | null
  readonly maxTurns: number | null
  readonly resume: string | null
  /** Marks the folder for the mode bypassPermissions, for this run. */
  readonly markFolder: boolean
  /** Verifies the changes after the run. */
  readonly verify: boolean
  /** Waits for the end of a usage limit of the API; otherwise the run ends. */
  readonly waitForLimit: boolean
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
}

/** @returns the exit code */
export async function carryOutRun(options: RunOptions, context: RunCommandContext): Promise<number> {
  const { runtime, output, errors } = context
  const progress = options.json ? null : createProgress(errors)
  const complain = (message: string) => {
    progress?.end()
    errors.write(`troupe: ${message}\n`)
  }
  const report = new FinalReports()
  let unsaved = false
  /** The end of the usage limit that ends this run. */
  let limitedUntil: number | null = null
  /** Why a hook stopped the main agent. */
  let hookStop: string | null = null
  const unsubscribe = runtime.subscribe((delta) => {
    if (delta.type === 'write-failure' && delta.agentIds.length > 0 && !unsaved) {
      unsaved = true
      complain(delta.message)
      void runtime.dispatch({ type: 'conversation.stop', conversationId: delta.conversationId })
    }
    if (delta.type === 'conversation-event' && SHOWN.has(delta.event.type)) {
      if (options.json) output.write(jsonLine(delta.event))
      else progress?.show(delta.event)
    }
    if (delta.type !== 'event') return
    const { event, conversationId } = delta
    if (options.json) output.write(jsonLine(event))
    else progress?.show(event)
    report.take(event)
    if (event.type === 'interceptor-verdict' && event.verdict === 'stopped') {
      const isMain = runtime.state(conversationId, event.agentId)?.parentId === null
      if (isMain) hookStop = verdictText(event)
    }
    if (event.type === 'request-failed' && !options.waitForLimit && limitedUntil === null) {
      // The fold of the event comes with its publication.
      limitedUntil = runtime.state(conversationId, event.agentId)?.limitedUntil ?? null
      if (limitedUntil !== null) void runtime.dispatch({ type: 'conversation.stop', conversationId })
    }
    answerUnattended(runtime, conversationId, event)
  })
  try {
    const performed = await perform(options, context, {
      report,
      complain,
      endProgress: () => progress?.end(),
    })
    const ended = limitedUntil === null ? performed : rateLimited(limitedUntil, performed)
    const outcome = hookStop === null ? ended : withReason(hookStop, ended)
    if (outcome.type !== 'completed' && outcome.message !== '') complain(outcome.message)
    return exitCodeOf(outcome)
  } finally {
    unsubscribe()
  }
}

/** The outcome of a run that a hook has ended. */
function withReason(reason: string, ended: RunCommandOutcome): RunCommandOutcome {
  return ended.type === 'agent-failed' ? { ...ended, message: `${reason}\n${ended.message}` } : ended
}

/** The outcome of a run that a usage limit has ended. */
function rateLimited(until: number, performed: RunCommandOutcome): RunCommandOutcome {
  if (performed.type !== 'agent-failed') return performed
  return {
    type: 'limit-reached',
    message: `Rate limited until ${untilText(until, Date.now())}. The agents are stopped. To wait for the end of the limit, add --wait-for-limit. ${performed.message}`,
  }
}

/** The events of the conversation itself that are printed: phases, teams and tasks. */
const SHOWN: ReadonlySet<ConversationEvent['type']> = new Set([
  'phase-changed',
  'team-created',
  'team-member-added',
  'team-member-removed',
  'team-ended',
  'task-changed',
  'verification-changed',
  'work-verified',
])

interface RunOutput {
  readonly report: FinalReports
  readonly complain: (message: string) => void
  readonly endProgress: () => void
}

async function perform(
  options: RunOptions,
  context: RunCommandContext,
  run: RunOutput,
): Promise<RunCommandOutcome> {
  const { runtime, interrupted, slash } = context
  const read = await readTask(options.task, context.folder, slash)
  if (!read.ok) return { type: 'not-started', message: read.failure.message }
  if (read.value.kind === 'answer') {
    context.output.write(
      options.json ? jsonLine({ type: 'answer', text: read.value.text }) : `${read.value.text}\n`,
    )
    return { type: 'completed' }
  }
  const begun =
    options.resume === null ? await begin(options, context, run) : await goOn(options, context, run)
  if (!begun.ok) return interrupted.aborted ? { type: 'interrupted', message: '' } : notStarted(begun.failure)
  const { conversationId, agentId } = begun.value
  const stop = () => void runtime.dispatch({ type: 'conversation.stop', conversationId })
  interrupted.addEventListener('abort', stop, { once: true })
  if (interrupted.aborted) stop()
  const main = await runtime.settled(conversationId)
  const state = runtime.state(conversationId, agentId) ?? main
  run.endProgress()
  return finish(state, run.report.of(agentId), { options, context, complain: run.complain })
}

/** Prints the report or the result line, and says how the run ended. */
async function finish(
  state: AgentState,
  report: string,
  {
    options,
    context,
    complain,
  }: { readonly options: RunOptions; readonly context: RunCommandContext } & Pick<RunOutput, 'complain'>,
): Promise<RunCommandOutcome> {
  const { runtime, output, interrupted, rehearsal } = context
  const { conversationId, reachedLimit, failure } = state
  // A main agent that has answered waits for more; a subagent has completed.
  const answeredStatus = state.parentId === null ? 'waiting' : 'completed'
  const snapshot = await runtime.snapshot(conversationId)
  const unmerged = await context.unmerged(conversationId)
  // A coordinator's work is done when it is in the user's branch; other agents may leave a branch on purpose.
  const isMerged = unmerged.length === 0 || !snapshot.ok || !snapshot.value.record.coordinator
  const hasAnswered = state.status === answeredStatus && reachedLimit === null
  const isDone = hasAnswered && isMerged
  const states = snapshot.ok ? snapshot.value.agents : [state]
  const free = rehearsal && (!snapshot.ok || snapshot.value.record.rehearsal)
  const stopped = reachedLimit === null ? null : stoppedAt(state, await limitsOf(conversationId, runtime))
  if (options.json) {
    const line = resultLine(conversationId, states, {
      ok: isDone,
      report,
      stoppedAt: stopped,
      free,
      unmerged,
    })
    output.write(jsonLine(line))
  } else if (report !== '') output.write(`${report}\n`)
  const unpriced = new Set(states.filter(({ priced }) => !free && !priced).map(({ model }) => model))
  const known = states.reduce((sum, { costUsd }) => sum + costUsd, 0)
  if (unpriced.size > 0) complain(unknownCost([...unpriced], known))

  if (interrupted.aborted)
    return { type: 'interrupted', message: `Interrupted. To resume: troupe run "…" --resume ${state.id}` }
  const failed = options.verify && snapshot.ok ? failedVerification(snapshot.value.record) : null
  if (isDone) return failed === null ? { type: 'completed' } : { type: 'agent-failed', message: failed }
  if (hasAnswered) return { type: 'not-merged', message: notMerged(unmerged) }
  if (failure?.type === 'auth')
    return {
      type: 'no-access',
      message: `${failure.message}\nSet ANTHROPIC_API_KEY to a valid key, or add --rehearsal, which needs none.`,
    }
  if (failure === null && stopped !== null)
    return { type: 'limit-reached', message: stoppedText(stopped, state.id) }
  const resume = `To resume: troupe run "…" --resume ${state.id}`
  return { type: 'agent-failed', message: failure?.message ?? `The agent is ${state.status}. ${resume}` }
}

/** Why a coordinator's merges would be denied; null: they are not, or it is no coordinator. */
function whyNotMerged({ rules }: RunOptions, { record, agents }: ConversationSnapshot): string | null {
  if (!record.coordinator) return null
  if (rules.deny.some((rule) => readToolEntry(rule).name === 'MergeWorktree'))
    return 'A --deny rule forbids merges.'
  const main = agents.find(({ id }) => id === record.mainAgentId)
  return main?.permissionMode === 'plan' ? 'Plan mode forbids merges.' : null
}

const notMerged = (unmerged: readonly UnmergedBranch[]): string =>
  `Not merged: ${unmerged.map(({ branch }) => branch).join(', ')}. To merge a branch: troupe worktrees merge BRANCH`

/** What the newest verification found, if it failed or came to no verdict; null: it passed, or nothing changed. */
function failedVerification({ verifications }: ConversationRecord): string | null {
  const last = verifications.findLast(({ state }) => state === 'done')
  if (last === undefined || last.verdict === 'passed') return null
  const found = last.evidence.map((one) => `\n  ${evidenceText(one)}`).join('')
  return `Verification ${last.verdict}. ${last.summary}${found}`
}

const unknownCost = (models: readonly string[], known: number): string =>
  `The cost is ${known === 0 ? 'unknown' : `at least $${known.toFixed(2)}`}: ${models.join(' and ')} ${models.length === 1 ? 'has' : 'have'} no known price.`

/** The agent that carries out the task: the main agent, or a resumed subagent. */
interface RunningAgent {
  readonly conversationId: string
  readonly agentId: string
}

/** The conversation that is resumed. */
interface OpenConversation extends RunningAgent {
  readonly folder: string
}

/** Creates a conversation with the task as its first message. */
async function begin(
  options: RunOptions,
  context: RunCommandContext,
  run: RunOutput,
): Promise<Result<RunningAgent>> {
  const { runtime, folder } = context
  const { agent, coordinator, model, maxTurns, limits } = options
  const permissionMode = options.permissionMode ?? context.permissionMode
  complainUntrusted(folder, context, run)
  const message = await messageOf(options.task, { folder, agent: null, mode: permissionMode }, context)
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
  complainUnmergeable(options, snapshot.value, run)
  return ok(opened(snapshot.value.record))
}

/** Resumes a conversation, or one of its agents, with the task. */
async function goOn(
  options: RunOptions,
  context: RunCommandContext,
  run: RunOutput,
): Promise<Result<RunningAgent>> {
  const { runtime } = context
  const resumed = await resume(options.resume ?? '', options, context)
  if (!resumed.ok) return resumed
  const { conversationId, agentId, folder } = resumed.value
  const agent = { conversationId, agentId }
  complainUntrusted(folder, context, run)
  const snapshot = await runtime.snapshot(conversationId)
  if (snapshot.ok) complainUnmergeable(options, snapshot.value, run)
  const limited = await limit(conversationId, options, runtime)
  if (!limited.ok) return limited
  const message = await messageOf(options.task, { folder, agent }, context)
  if (!message.ok) return message
  const sent = await runtime.dispatch({ type: 'conversation.send', ...agent, ...message.value })
  return sent.ok ? ok(agent) : sent
}

/** The task as a message, with the text of a command in its place. Fails with `interrupted`. */
async function messageOf(
  task: string,
  receiver: Pick<ExpandRequest, 'folder' | 'agent' | 'mode'>,
  { slash, interrupted }: RunCommandContext,
): Promise<Result<CommandInput<'conversation.create'>['message'] & object>> {
  const expanded =
    readSlashLine(task) === null || interrupted.aborted
      ? null
      : await slash.expand({ ...receiver, line: task, approved: [] }, interrupted)
  if (interrupted.aborted) return fail({ type: 'interrupted', message: '' })
  if (expanded?.ok === false) return expanded
  const content = [{ type: 'text' as const, text: expanded?.value.text ?? task }]
  return ok({ content, ...(expanded !== null && { typed: task }) })
}

function complainUntrusted(folder: string, { isTrusted }: RunCommandContext, { complain }: RunOutput): void {
  if (!isTrusted(folder))
    complain(
      `${folder} is not trusted, so agents can only read files in it and cannot run commands. Add --trust to trust it for this run.`,
    )
}

function complainUnmergeable(
  options: RunOptions,
  snapshot: ConversationSnapshot,
  { complain }: RunOutput,
): void {
  const why = whyNotMerged(options, snapshot)
  if (why !== null)
    complain(`${why} The coordinator can't merge branches in this run; the result names them.`)
}

function opened({ id, mainAgentId, folder }: ConversationRecord, agentId = mainAgentId): OpenConversation {
  return { conversationId: id, agentId, folder }
}

/** Resumes a conversation with the permission mode given now. The model given now is for the resumed agent. */
async function resume(
  id: string,
  options: RunOptions,
  context: RunCommandContext,
): Promise<Result<OpenConversation>> {
  const { runtime } = context
  const found = await find(runtime, id)
  if (!found.ok) return found
  const { conversationId, folder } = found.value
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
            agentId: found.value.agentId,
          }),
  ]
  for (const change of changes) {
    const changed = await change?.()
    if (changed && !changed.ok) return changed
  }
  return found
}

/** Applies the limits given on the command line; the others stay. */
async function limit(
  conversationId: string,
  { limits: wanted }: RunOptions,
  runtime: Runtime,
): Promise<Result<unknown>> {
  if (Object.keys(wanted).length === 0) return ok(undefined)
  const limits = changedLimits(await limitsOf(conversationId, runtime), wanted)
  return runtime.dispatch({ type: 'conversation.setLimits', conversationId, limits })
}

async function limitsOf(id: string, runtime: Runtime): Promise<SpendLimits> {
  const summary = (await runtime.conversations()).find((conversation) => conversation.id === id)
  return summary?.limits ?? noLimits
}

/** Finds a conversation by its id or by the id of one of its agents. */
async function find(runtime: Runtime, id: string): Promise<Result<OpenConversation>> {
  const direct = await runtime.snapshot(id)
  if (direct.ok) return ok(opened(direct.value.record))
  for (const conversation of await runtime.conversations()) {
    const snapshot = await runtime.snapshot(conversation.id)
    if (!snapshot.ok) continue
    const { record } = snapshot.value
    if (record.agentIds.includes(id)) return ok(opened(record, id))
  }
  return fail({
    type: 'usage',
    message: `No conversation or agent has the id ${id}. List conversations with: troupe conversations list`,
  })
}
