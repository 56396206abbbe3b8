/**
 * The loop: ask the model, run the tools it calls, send it the results, until it has nothing more to do. The state
 * of the loop is local; everything that happened is in the agent's events.
 */
import type { Usage } from '../../../shared/events/agent-event.ts'
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import type { ToolUseBlock } from '../../../shared/messages/content.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { describeLimit } from '../../../shared/state/spending.ts'
import type { ModelReply, StopReason } from '../ports/model.ts'
import type { FailedRun, LimitReached, RunEnd } from '../ports/run-end.ts'
import type { AgentRun, RunContext } from './agent-run.ts'
import { answerWithoutTools, NO_TOOLS } from './answer-without-tools.ts'
import { type CompactionDeps, compactContext, summarizeNow } from './compact-context.ts'
import { requestCorrected } from './correct-request.ts'
import { reasonToContinue } from './reason-to-continue.ts'
import {
  type AgentNote,
  callsOf,
  notifyAgent,
  recordReply,
  refuseCalls,
  withUniqueCallIds,
} from './record-reply.ts'
import type { ToolDeps } from './run-tool-call.ts'
import { runTools } from './run-tools.ts'

export type LoopDeps = CompactionDeps & ToolDeps

/** More messages in a row that are cut off, or announce a call without making one, fail the agent. */
const MAX_CUT_OFF = 3
/** Requests in a row that do not fit: the first leads to a summary, the second also clears the newest results. */
const MOST_TOO_LONG = 2

const reportRequest = ({ description }: LimitReached): AgentNote => ({
  text: `You have reached ${description}: you cannot use tools any more. ${NO_TOOLS} Write your report now: what you did and found, with paths and line numbers, what is left, and what you are not sure of.`,
  note: `Reached ${description}. Asked for a report.`,
})
/** Time is not shared: a request that passes the time limit is followed by the report. */
const isSpent = (limit: LimitReached | null): boolean => limit?.kind === 'tokens' || limit?.kind === 'money'

/** The report of an agent that may not even make the request for one. */
const unreported = ({ description }: LimitReached, lastLine: string): string =>
  `Ended without a report: other agents reached ${description} while the last request was in flight. The transcript has the work so far. Last text: ${lastLine === '' ? 'none' : lastLine}`

/** The number of remaining turns at which the agent is warned. */
const WARNED_TURNS = 3
const FEW_TURNS: AgentNote = {
  text: `You have ${WARNED_TURNS} turns left. Use them for what matters most. After them you can only write your report.`,
  note: `${WARNED_TURNS} turns left before the turn limit.`,
}
const CUT_OFF: AgentNote = {
  text: 'Your message was cut off at the output limit. Continue where it ended, without repeating anything.',
  note: 'Message cut off at the output limit. Asked to continue it.',
}
const NOTHING_SAID: AgentNote = {
  text: 'Your message reached the output limit before any text or tool call, and was discarded. Think less, and answer in smaller steps.',
  note: 'Output limit reached before any text. Asked to answer in smaller steps.',
}
const EMPTY: AgentNote = {
  text: 'Your message was empty. If the task is done, write your final report now; otherwise continue.',
  note: 'Empty message. Asked to report or continue.',
}
const CALL_MISSING: AgentNote = {
  text: 'You ended your message to use a tool, but the message contains no tool call. Make the call again, or continue without it.',
  note: 'Announced a tool call without making it. Asked to repeat it.',
}

/** After these the next message continues the same text. */
const CONTINUED: ReadonlySet<StopReason> = new Set([
  'max_tokens',
  'pause_turn',
  'model_context_window_exceeded',
])

/** Changes from turn to turn. */
interface Progress {
  turn: number
  lastUsage: Usage | null
  /** Messages in a row that were cut off. */
  cutOff: number
  /** The text of the earlier messages that the next message continues. */
  begun: string
  /** Whether the model was asked to say something after an empty message. */
  wasEmpty: boolean
  /** The number of requests in a row that did not fit into the context window. */
  tooLong: number
  /** The number of times that interceptors made the agent continue. */
  continuations: number
  /** Other agents reached a shared limit while the last request was in flight: that request is the last one. */
  wasLate: boolean
}

/** Runs until the model ends its turn. Expected failures are a `RunEnd`. */
export async function runAgent(run: RunContext<LoopDeps>): Promise<RunEnd> {
  const { agent, deps } = run
  const progress: Progress = {
    turn: 0,
    lastUsage: null,
    cutOff: 0,
    begun: '',
    wasEmpty: false,
    tooLong: 0,
    continuations: 0,
    wasLate: false,
  }
  for (;;) {
    const start = await startTurn(run, progress)
    if (start.kind !== 'request') return start
    const { limit } = start
    const startedAt = deps.clock.now()
    const request = () => ({
      model: agent.state().model,
      effort: agent.state().effort,
      thinking: agent.state().thinking,
      system: agent.system,
      tools: agent.toolSchemas,
      cacheFor: agent.cacheFor(),
      messages: agent.history.messages(),
    })
    const result =
      limit === null
        ? await requestCorrected(run, () => ({ ...request(), toolChoice: 'auto' }), progress.turn)
        : await answerWithoutTools(run, request, progress.turn)
    if (!result.ok) {
      const { type, message } = result.failure
      if (type === 'aborted') return stopped
      if (type !== 'prompt-too-long' || progress.tooLong >= MOST_TOO_LONG) return failed(type, message)
      progress.tooLong++
      continue
    }
    const reply = withUniqueCallIds(result.value, agent.history)
    progress.wasLate = isSpent(agent.limitReached())
    recordReply(run, reply, { turn: progress.turn, startedAt })
    progress.lastUsage = reply.usage
    const end = await handleReply(run, progress, { reply, limit })
    if (end !== null && (end.kind !== 'answered' || (await mayEnd(run, progress, end)))) return end
  }
}

type TurnStart = RunEnd | { readonly kind: 'request'; readonly limit: LimitReached | null }

/** Takes in what changed since the last turn, applies the limits and compacts the context. */
async function startTurn(run: RunContext<LoopDeps>, progress: Progress): Promise<TurnStart> {
  const { agent, signal } = run
  await agent.acquireSlot(signal)
  if (signal.aborted) return stopped
  const hasMessage = agent.takeInMessages()
  await agent.announceChanges({ hasMessage })
  if (signal.aborted) return stopped
  const isFirst = progress.turn === 0
  const { awaitsAnswer } = agent.history
  const wanted = agent.takeCompaction()
  if (wanted !== null) await summarizeNow(run, { turn: progress.turn + 1, ...wanted })
  if (signal.aborted) return stopped
  // The message that started the run was taken back, or the run was only for the summary.
  if (isFirst && !awaitsAnswer) return answered(agent.state().report, null)
  const reached = agent.limitReached()
  // Also on its last turn: the report would be a second request past the limit.
  if (reached !== null && !reached.isRefusal && isSpent(reached) && progress.wasLate)
    return answered(unreported(reached, agent.state().lastLine), reached)
  const limit = turnLimit(agent, progress.turn) ?? reached
  if (limit !== null && (limit.isRefusal || isFirst)) return { ...failed('limit', refusalAt(limit)), limit }
  if (limit !== null) notifyAgent(agent, reportRequest(limit))
  else if (!isFirst && agent.state().maxTurns - progress.turn === WARNED_TURNS) notifyAgent(agent, FEW_TURNS)
  progress.turn++
  const { turn, lastUsage, tooLong } = progress
  const full = await compactContext(run, { turn, lastUsage, tooLong })
  if (full !== null) return failed('context-full', full)
  if (!signal.aborted && agent.history.summaryIsNew)
    await agent.announceChanges({ hasMessage: false, afterSummary: true })
  progress.lastUsage = null
  return signal.aborted ? stopped : { kind: 'request', limit }
}

interface Reply {
  readonly reply: ModelReply
  /** The limit at which this reply had to be the report. */
  readonly limit: LimitReached | null
}

/** Runs or refuses the calls of a message. Null: the loop continues. */
async function handleReply(
  run: RunContext<LoopDeps>,
  progress: Progress,
  { reply, limit }: Reply,
): Promise<RunEnd | null> {
  const { agent } = run
  const { stopReason } = reply
  const calls = callsOf(reply)
  const isCutOff = stopReason === 'max_tokens' || (stopReason === 'tool_use' && calls.length === 0)
  progress.cutOff = isCutOff ? progress.cutOff + 1 : 0
  const said = textOf(reply.content)
  const report = answered(progress.begun + said, limit)
  progress.begun = CONTINUED.has(stopReason) ? report.text : ''
  if (stopReason !== 'tool_use' || limit !== null) refuseCalls(agent, calls, noteFor(stopReason))

  switch (stopReason) {
    case 'tool_use':
      progress.tooLong = 0
      return limit === null ? await runCalls(run, progress, calls) : report
    case 'pause_turn':
      return limit === null ? null : report
    case 'end_turn':
    case 'stop_sequence':
      if (limit !== null || calls.length > 0 || report.text.trim() !== '' || progress.wasEmpty) return report
      progress.wasEmpty = true
      notifyAgent(agent, EMPTY)
      return null
    case 'max_tokens':
      if (limit !== null) return report
      if (progress.cutOff > MAX_CUT_OFF)
        return failed('output-limit', `The model's message was cut off ${progress.cutOff} times in a row.`)
      notifyAgent(agent, calls.length === 0 && said.trim() === '' ? NOTHING_SAID : CUT_OFF)
      return null
    case 'model_context_window_exceeded':
      if (progress.tooLong >= MOST_TOO_LONG)
        return failed('context-full', 'The conversation no longer fits into the model’s context window.')
      progress.tooLong++
      if (!agent.history.awaitsAnswer) notifyAgent(agent, CUT_OFF)
      return null
    case 'refusal':
      return failed(
        'refusal',
        `The model declined to answer${reply.stopDetails === undefined ? '.' : `: ${reply.stopDetails}`} Rephrase the task, or leave out the part that the model declined.`,
      )
    case 'compaction':
    case 'unknown':
      return failed(
        'unknown-stop-reason',
        'The model stopped for a reason that this version of Troupe does not know. The message is in the transcript; send a message to continue.',
      )
    default:
      return assertNever(stopReason)
  }
}

async function runCalls(
  run: RunContext<LoopDeps>,
  { cutOff }: Progress,
  calls: readonly ToolUseBlock[],
): Promise<RunEnd | null> {
  if (await runTools(run, calls)) return run.signal.aborted ? stopped : stoppedByHook
  if (cutOff > MAX_CUT_OFF)
    return failed('no-call', `The model announced a tool call ${cutOff} times in a row without making one.`)
  if (cutOff > 0) notifyAgent(run.agent, CALL_MISSING)
  return null
}

/** Asks the interceptors. False: one of them made the agent continue. */
async function mayEnd(
  run: RunContext<LoopDeps>,
  progress: Progress,
  { text, reachedLimit }: Extract<RunEnd, { kind: 'answered' }>,
): Promise<boolean> {
  const { continuations } = progress
  const reason = await reasonToContinue(run, { text, reachedLimit, continuations })
  if (reason === null) return true
  progress.continuations++
  notifyAgent(run.agent, { text: reason })
  return false
}

/** Calls of a message that was cut off may have incomplete inputs. */
function noteFor(stopReason: StopReason): 'not run' | 'cut off' {
  switch (stopReason) {
    case 'tool_use':
    case 'pause_turn':
    case 'end_turn':
    case 'stop_sequence':
      return 'not run'
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'refusal':
    case 'compaction':
    case 'unknown':
      return 'cut off'
  }
}

function turnLimit(agent: AgentRun, turn: number): LimitReached | null {
  const { maxTurns } = agent.state()
  if (turn < maxTurns) return null
  const description = describeLimit({ limit: 'turns', of: 'agent', most: maxTurns })
  return { kind: 'turns', of: 'agent', description, isRefusal: false }
}

function refusalAt({ isRefusal, description }: LimitReached): string {
  return isRefusal ? description : `This agent has reached ${description}. Raise the limit to continue.`
}

const stopped: RunEnd = { kind: 'stopped' }
const stoppedByHook: RunEnd = { kind: 'stopped', by: 'hook' }

const answered = (text: string, reachedLimit: LimitReached | null) =>
  ({ kind: 'answered', text, reachedLimit }) as const satisfies RunEnd

const failed = (type: FailedRun['type'], message: string) =>
  ({ kind: 'failed', type, message }) as const satisfies RunEnd
