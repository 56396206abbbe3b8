/** How a prompt ended: in the protocol's words for an editor, and by the words of an external agent. */
import type { StopReason } from '@agentclientprotocol/sdk'
import type { Usage } from '../../../shared/events/agent-event.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { RunEnd } from '../../runtime/ports/run-end.ts'
import type { ChildWork } from './subagent-sessions.ts'

interface EndedTurn {
  /** The state of the main agent. */
  readonly state: AgentState
  /** The stop reason of its last message; null: it wrote none. */
  readonly lastStop: string | null
  readonly isCancelled: boolean
}

/** Fails with the agent's failure, or with `stopped`. */
export function turnOutcome({ state, lastStop, isCancelled }: EndedTurn): Result<StopReason, Failure> {
  if (isCancelled) return ok('cancelled')
  const { status, failure, reachedLimit } = state
  // The protocol has no words for money and time; a limit of tokens is not the model's own.
  if (reachedLimit !== null) return ok('max_turn_requests')
  if (failure !== null) return fail(failure)
  if (status === 'stopped' || status === 'interrupted') return ok('cancelled')
  if (status === 'failed') return fail({ type: 'failed', message: 'The agent failed.' })
  if (lastStop === 'refusal') return ok('refusal')
  return ok(lastStop === 'max_tokens' ? 'max_tokens' : 'end_turn')
}

// ---- prompts to external agents ------------------------------------------------------------------

/** A run that failed with a reason for the user. */
export const failedRun = (message: string): RunEnd => ({ kind: 'failed', type: 'worker', message })

/** A text with a note below it. */
export const reportOf = (text: string, note: string): string => (text === '' ? note : `${text}\n\n${note}`)

/** The end of a run by the stop reason of its last prompt and the program's last message. */
export function runEndOfTurn(reason: string, text: string): RunEnd {
  switch (reason) {
    case 'refusal':
      return { kind: 'failed', type: 'refusal', message: reportOf(text, 'The program refused to go on.') }
    case 'cancelled':
      return failedRun(reportOf(text, 'The program ended its turn as canceled, and nobody had stopped it.'))
    case 'max_tokens':
      return answered(reportOf(text, '[Cut off: the program reached its limit of tokens.]'))
    case 'max_turn_requests':
      return answered(reportOf(text, '[Unfinished: the program reached its own limit of requests.]'))
    default:
      return answered(text === '' ? 'The program ended its work without a message.' : text)
  }
}

const answered = (text: string): RunEnd => ({ kind: 'answered', text, reachedLimit: null })

/** `name`: of the subagent. An answer has only what there is to say beside the report. */
export function childEnd(name: string, work: Exclude<ChildWork, { kind: 'running' }>): RunEnd {
  if (work.kind === 'lost') return failedRun(`The program can’t tell any more what ${name} does.`)
  switch (work.reason) {
    case 'error':
      return failedRun(work.error ?? `The program says that ${name} failed.`)
    case 'refusal':
      return { kind: 'failed', type: 'refusal', message: `${name} refused to go on.` }
    case 'cancelled':
      return { kind: 'stopped', by: 'agent' }
    case 'max_tokens':
      return answered('[Cut off: it reached its limit of tokens.]')
    case 'max_turn_requests':
      return answered('[Unfinished: it reached its limit of requests.]')
    default:
      return answered('')
  }
}

/** The report with the note that `end` has, if it has one. */
export function withReport(end: RunEnd, report: string): RunEnd {
  if (end.kind !== 'answered') return end
  const texts = [report, end.text].filter((text) => text !== '')
  return { ...end, text: texts.length === 0 ? 'It ended without a message.' : texts.join('\n\n') }
}

/** The tokens of a turn, where the program tells them; null: it does not. Nothing holds it to a shape. */
export function turnUsageOf(answer: object): Usage | null {
  const usage = 'usage' in answer ? answer.usage : null
  if (typeof usage !== 'object' || usage === null) return null
  const told = new Map<string, unknown>(Object.entries(usage))
  const count = (key: string) => {
    const value = told.get(key)
    return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0
  }
  return {
    input: count('inputTokens'),
    output: count('outputTokens'),
    cacheRead: count('cachedReadTokens'),
    cacheWrite: count('cachedWriteTokens'),
  }
}
