/** `troupe run`: one task for a main agent, from start to report. */

import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { ConversationEvent } from '../../../shared/events/conversation-event.ts'
import { verdictText } from '../../../shared/events/hooks.ts'
import { ok } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { untilText } from '../../../shared/state/limit-wait.ts'
import { evidenceText } from '../../../shared/verification/verification.ts'
import { jsonLine } from '../../platform/command-line/terminal.ts'
import { answerUnattended } from './answer-unattended.ts'
import { beginRun, limitsNow, type PlannedRun, type RunCommandContext, type RunOptions } from './begin-run.ts'
import { type GoalEnd, hasAnswered, reachGoal } from './goal.ts'
import { createProgress } from './progress.ts'
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
import { readTask } from './slash-in-run.ts'

/** @returns the exit code */
export async function carryOutRun(options: PlannedRun, context: RunCommandContext): Promise<number> {
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
    const ended =
      limitedUntil === null ? performed : rateLimited(untilText(limitedUntil, context.now()), performed)
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
function rateLimited(until: string, performed: RunCommandOutcome): RunCommandOutcome {
  if (performed.type !== 'agent-failed') return performed
  return {
    type: 'limit-reached',
    message: `Rate limited until ${until}. The agents are stopped. To wait for the end of the limit, add --wait-for-limit. ${performed.message}`,
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
  options: PlannedRun,
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
  const begun = await beginRun(options, context, run.complain)
  if (!begun.ok) return interrupted.aborted ? { type: 'interrupted', message: '' } : notStarted(begun.failure)
  const { conversationId, agentId } = begun.value
  const stop = () => void runtime.dispatch({ type: 'conversation.stop', conversationId })
  interrupted.addEventListener('abort', stop, { once: true })
  if (interrupted.aborted) stop()
  const main = await runtime.settled(conversationId)
  const reached =
    options.goal === null
      ? ok(null)
      : await reachGoal(options.goal, begun.value, {
          ...{ runtime, interrupted, say: run.complain },
          answers: () => run.report.answersOf(agentId),
        })
  const state = runtime.state(conversationId, agentId) ?? main
  run.endProgress()
  if (!reached.ok) return { type: 'agent-failed', message: reached.failure.message }
  const report = run.report.of(agentId)
  return finish(state, report, { options, context, complain: run.complain, goal: reached.value })
}

/** Prints the report or the result line, and says how the run ended. */
async function finish(
  state: AgentState,
  report: string,
  {
    options,
    context,
    complain,
    goal,
  }: {
    readonly options: RunOptions
    readonly context: RunCommandContext
    readonly goal: GoalEnd | null
  } & Pick<RunOutput, 'complain'>,
): Promise<RunCommandOutcome> {
  const { runtime, output, interrupted, rehearsal } = context
  const { conversationId, reachedLimit, failure } = state
  const snapshot = await runtime.snapshot(conversationId)
  const unmerged = await context.unmerged(conversationId)
  // A coordinator's work is done when it is in the user's branch; other agents may leave a branch on purpose.
  const isMerged = unmerged.length === 0 || !snapshot.ok || !snapshot.value.record.coordinator
  const missed = goal?.missed ?? null
  const answered = hasAnswered(state)
  const isDone = answered && isMerged && missed === null
  const states = snapshot.ok ? snapshot.value.agents : [state]
  const free = rehearsal && (!snapshot.ok || snapshot.value.record.rehearsal)
  const stopped = reachedLimit === null ? null : stoppedAt(state, await limitsNow(conversationId, runtime))
  if (options.json) {
    const line = resultLine(conversationId, states, {
      ok: isDone,
      ...{ report, goal },
      stoppedAt: stopped,
      free,
      unmerged,
    })
    output.write(jsonLine(line))
  } else if (goal?.output !== undefined) output.write(jsonLine(goal.output))
  else if (report !== '') output.write(`${report}\n`)
  const unpriced = new Set(states.filter(({ priced }) => !free && !priced).map(({ model }) => model))
  const known = states.reduce((sum, { costUsd }) => sum + costUsd, 0)
  if (unpriced.size > 0) complain(unknownCost([...unpriced], known))

  if (interrupted.aborted)
    return { type: 'interrupted', message: `Interrupted. To resume: troupe run "…" --resume ${state.id}` }
  const failed = options.verify && snapshot.ok ? failedVerification(snapshot.value.record) : null
  if (isDone) return failed === null ? { type: 'completed' } : { type: 'check-failed', message: failed }
  if (answered && missed !== null)
    return {
      type: missed.what === 'check' ? 'check-failed' : 'wrong-report',
      message: `${missed.message} To go on: troupe run "…" --resume ${conversationId}`,
    }
  if (answered) return { type: 'not-merged', message: notMerged(unmerged) }
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
