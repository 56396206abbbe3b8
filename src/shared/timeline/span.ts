/** The timeline of a conversation as data: a lane for each agent with its spans, arrows between lanes, and phases. */
import type { EventOf, Usage } from '../events/agent-event.ts'
import { addUsage, countedIn, countedUsage } from '../events/model-requests.ts'
import type { Phase } from '../teams/team.ts'

/** What an agent did from one moment to another. */
export type Span = ModelSpan | ToolSpan | UserSpan | PlainSpan

export type SpanKind = Span['kind']

/** In the order in which legends and sums list them. */
export const spanKinds: readonly SpanKind[] = ['model', 'tool', 'user', 'agents', 'queued', 'retry', 'paused']

interface SpanBase {
  readonly agentId: string
  /** The number of its first event in the agent's transcript. */
  readonly seq: number
  /** Ms since the epoch. */
  readonly from: number
  /** Null: it has not ended. */
  readonly to: number | null
  /** What its requests to a model cost, once they were answered; null: nothing, or not yet. */
  readonly spent: SpanSpent | null
}

/** With several requests their sum, and the model of the last one. */
export interface SpanSpent {
  readonly model: string
  readonly usage: Usage
  /** As limits and the status bar count them: cached ones by their price. */
  readonly countedTokens: number
  /** US dollars, of the requests with a known price. */
  readonly costUsd: number
  /** False: the price of a request is unknown. */
  readonly priced: boolean
}

/** What was spent, with one more answer. Other programs write events too: negative costs count as 0. */
export function addSpent(
  before: SpanSpent | null,
  event: EventOf<'assistant-message' | 'model-asked'>,
): SpanSpent {
  const { model, costUsd } = event
  const counted = countedUsage(event.usage)
  return {
    model,
    usage: before === null ? counted : addUsage(before.usage, counted),
    countedTokens: (before?.countedTokens ?? 0) + countedIn(event),
    costUsd: (before?.costUsd ?? 0) + Math.max(0, costUsd ?? 0),
    priced: costUsd !== null && (before?.priced ?? true),
  }
}

/** A request to a model, or the time in which an external agent thinks. */
export interface ModelSpan extends SpanBase {
  readonly kind: 'model'
  readonly model: string
  readonly turn: number
  /** Counts from 1. */
  readonly attempt: number
  /** From the request to the first word, in ms; null: unknown. */
  readonly firstWordMs: number | null
  /** Null: it has not ended. `stopped`: it was cut off. */
  readonly outcome: 'answered' | 'failed' | 'stopped' | null
}

/** A call that runs. A call that asks the user while it runs has a span before the question and one after it. */
export interface ToolSpan extends SpanBase {
  readonly kind: 'tool'
  readonly toolUseId: string
  readonly name: string
  /** A path, a pattern, a command. */
  readonly title: string
  readonly turn: number
  /** Null: it has not ended. `asked`: the span ends with a question. `stopped`: the call has no result. */
  readonly outcome: 'done' | 'failed' | 'asked' | 'stopped' | null
  /** "412 lines", "exit 1"; empty while it runs. */
  readonly note: string
}

/** The agent waits for the user. */
export interface UserSpan extends SpanBase {
  readonly kind: 'user'
  /** The call that asks; null: an external agent wants a login. */
  readonly toolUseId: string | null
  readonly asks: 'permission' | 'form' | 'login'
  /** The tool, or the program. */
  readonly name: string
  /** The command, path or address; the reason for a login; empty for a form. */
  readonly title: string
  readonly turn: number
  /** Null: not answered yet. `stopped`: nobody answered. */
  readonly outcome: 'allowed' | 'denied' | 'answered' | 'withdrawn' | 'stopped' | null
}

interface PlainSpan extends SpanBase {
  /** `agents`: it waits for other agents. `paused`: by the user. */
  readonly kind: 'agents' | 'queued' | 'retry' | 'paused'
  /**
   * Of `queued`: what it waits for, a `slot`, a usage `limit` of the API, or a `worker`. Of `retry`: the status, `429` or
   * `529`, or the type of the failure. Otherwise empty.
   */
  readonly name: string
  /** Of `retry` and of a usage limit: the message of the API. Otherwise empty. */
  readonly title: string
  readonly turn: number
}

/** A line from one lane to another. `from` null: the user wrote. */
export interface Arrow {
  readonly kind: 'start' | 'report' | 'message'
  readonly from: string | null
  readonly to: string
  /** When it left and when it arrived, ms since the epoch. */
  readonly at: number
  readonly toAt: number
  /** The place in the transcript of `from`; null: unknown. */
  readonly fromSeq: number | null
  /** The place in the transcript of `to`; null: the transcript of `to` does not have it yet. */
  readonly toSeq: number | null
  /** The beginning of a message. */
  readonly text: string
}

/** A phase of the main agent. */
export interface PhaseSpan {
  readonly phase: Phase
  readonly note: string
  readonly from: number
  readonly to: number | null
}

/** The end of a run. */
export interface RunEndMark {
  readonly at: number
  readonly seq: number
  readonly status: 'completed' | 'failed' | 'stopped' | 'interrupted'
  /** Of a failed run. */
  readonly failure: string
}

/** Whether two kinds may stand over each other in one lane: only what calls do, since calls run at the same time. */
export function mayOverlap(one: Span, other: Span): boolean {
  const callOf = (span: Span) => (span.kind === 'tool' || span.kind === 'user' ? span.toolUseId : null)
  const [a, b] = [callOf(one), callOf(other)]
  return a !== null && b !== null && a !== b
}
