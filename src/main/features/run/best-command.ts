/** `troupe best`: one task for several agents, and a table of what each of them did. */

import type { WantedAttempt } from '../../../shared/comparison/contract.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AttemptRow, attemptRows, bestRows } from '../../../shared/state/comparison-rows.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { untilText } from '../../../shared/state/limit-wait.ts'
import { EXIT, jsonLine } from '../../platform/command-line/terminal.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import { answerUnattended } from './answer-unattended.ts'
import type { RunCommandContext } from './begin-run.ts'
import { comparisonLines } from './comparison-lines.ts'
import { createProgress, type Progress } from './progress.ts'
import { exitCodeOf, FinalReports, notStarted } from './run-outcome.ts'
import type { TaskOptions } from './run-rules.ts'

/** The values of `troupe best`. Its model is for agents whose definition names none. */
export interface BestOptions extends TaskOptions {
  readonly attempts: readonly WantedAttempt[]
  /** The command that checks each attempt; null: the one that the folder suggests. */
  readonly test: string | null
  /** Whether nothing is checked. */
  readonly noTest: boolean
}

/** @returns the exit code: 0 if an attempt passed the check, or changed something where there is no check */
export async function bestCommand(options: BestOptions, context: RunCommandContext): Promise<number> {
  const { runtime, output, errors, interrupted } = context
  const progress = options.json ? null : createProgress(errors)
  const complain = (message: string) => {
    progress?.end()
    errors.write(`troupe: ${message}\n`)
  }
  const reports = new FinalReports()
  const unsubscribe = follow(context, { json: options.json, progress, reports, complain })
  try {
    const begun = await begin(options, context, complain)
    if (!begun.ok) {
      complain(begun.failure.message)
      return exitCodeOf(notStarted(begun.failure))
    }
    const conversationId = begun.value
    const stop = () => void runtime.dispatch({ type: 'conversation.stop', conversationId })
    interrupted.addEventListener('abort', stop, { once: true })
    if (interrupted.aborted) stop()
    await runtime.settled(conversationId)
    progress?.end()
    const snapshot = await runtime.snapshot(conversationId)
    if (!snapshot.ok) {
      complain(snapshot.failure.message)
      return EXIT.failed
    }
    const rows = rowsOf(snapshot.value, context.now())
    const best = bestRows(rows)
    output.write(
      options.json
        ? jsonLine(resultOf(snapshot.value, { rows, best, reports }))
        : `${comparisonLines(snapshot.value, rows, best).join('\n')}\n`,
    )
    if (interrupted.aborted) return EXIT.interrupted
    return best.length > 0 ? EXIT.done : EXIT.failed
  } finally {
    unsubscribe()
  }
}

/** Shows what happens, and answers for the user who is not there. */
function follow(
  { runtime, output, now }: RunCommandContext,
  {
    json,
    progress,
    reports,
    complain,
  }: {
    readonly json: boolean
    readonly progress: Progress | null
    readonly reports: FinalReports
    readonly complain: (message: string) => void
  },
): () => void {
  let isStopped = false
  const stop = (conversationId: string, because: string) => {
    if (isStopped) return
    isStopped = true
    complain(because)
    void runtime.dispatch({ type: 'conversation.stop', conversationId })
  }
  return runtime.subscribe((delta: RuntimeDelta) => {
    if (delta.type === 'write-failure' && delta.agentIds.length > 0) stop(delta.conversationId, delta.message)
    if (delta.type === 'conversation-event' && SHOWN.has(delta.event.type) && json)
      output.write(jsonLine(delta.event))
    if (delta.type !== 'event') return
    const { event, conversationId } = delta
    if (json) output.write(jsonLine(event))
    else progress?.show(event)
    reports.take(event)
    const until =
      event.type === 'request-failed'
        ? (runtime.state(conversationId, event.agentId)?.limitedUntil ?? null)
        : null
    if (until !== null)
      stop(conversationId, `Rate limited until ${untilText(until, now())}. The agents are stopped.`)
    answerUnattended(runtime, conversationId, event)
  })
}

const SHOWN: ReadonlySet<string> = new Set(['comparison-started', 'comparison-checked', 'comparison-merged'])

/** Creates the conversation and starts the comparison. @returns the id of the conversation */
async function begin(
  options: BestOptions,
  context: RunCommandContext,
  complain: (message: string) => void,
): Promise<Result<string>> {
  const { runtime, folder, interrupted } = context
  if (!context.isTrusted(folder))
    return fail({
      type: 'usage',
      message: `${folder} is not trusted, and each agent needs a git worktree. Add --trust to trust it for this run.`,
    })
  const suggests =
    options.test === null && !options.noTest
      ? await runtime.dispatch({ type: 'comparison.suggestCheck', folder })
      : ok(null)
  if (!suggests.ok) return suggests
  const suggested = suggests.value
  const command = options.noTest ? null : (options.test ?? suggested?.command ?? null)
  if (suggested !== null) complain(`The check is ${suggested.command} (from ${suggested.from}).`)
  else if (command === null && !options.noTest)
    complain('No check: this folder suggests no test command. Give one with --test.')
  const created = await runtime.dispatch({
    type: 'conversation.create',
    folder,
    ...(options.model !== null && { model: options.model }),
    permissionMode: options.permissionMode ?? context.permissionMode,
    ...{ agent: null, coordinator: false, limits: options.limits },
  })
  if (!created.ok) return created
  const { id } = created.value
  if (interrupted.aborted) return fail({ type: 'interrupted', message: 'Interrupted before the start.' })
  const { task, attempts } = options
  const started = await runtime.dispatch({
    type: 'comparison.start',
    conversationId: id,
    task,
    attempts,
    command,
  })
  return started.ok ? ok(id) : started
}

const rowsOf = ({ record, agents }: ConversationSnapshot, at: number): readonly AttemptRow[] =>
  record.comparisons.flatMap((one) => attemptRows(one, agents, at))

/** The last line of `--json`. */
function resultOf(
  { record, agents }: ConversationSnapshot,
  {
    rows,
    best,
    reports,
  }: {
    readonly rows: readonly AttemptRow[]
    readonly best: readonly AttemptRow[]
    readonly reports: FinalReports
  },
) {
  const worktreeOf = (agentId: string) => agents.find(({ id }) => id === agentId)?.worktree ?? null
  return {
    type: 'result',
    ok: best.length > 0,
    conversationId: record.id,
    command: record.comparisons[0]?.command ?? null,
    base: record.comparisons[0]?.base ?? null,
    /** The attempts that passed, the smallest change first. */
    passed: best.map(({ agentId }) => agentId),
    attempts: rows.map((row) => ({
      agentId: row.agentId,
      agent: row.label,
      model: row.model,
      status: row.status,
      failure: row.failure,
      check: row.check,
      counts: row.counts,
      ms: row.ms,
      tokens: row.tokens,
      costUsd: row.costUsd,
      work: row.work && {
        files: row.work.files,
        insertions: row.work.insertions,
        deletions: row.work.deletions,
      },
      worktree: worktreeOf(row.agentId)?.id ?? null,
      branch: worktreeOf(row.agentId)?.branch ?? null,
      report: reports.of(row.agentId),
    })),
  }
}
