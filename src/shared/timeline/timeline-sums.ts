/** What a part of a timeline adds up to: what took the time, and what cost the money. */
import { totalTokens } from '../events/model-requests.ts'
import { type Span, type SpanKind, spanKinds } from './span.ts'

/** A part of a timeline: from one moment to another, and the agents. */
export interface Selection {
  /** Ms since the epoch. */
  readonly from: number
  readonly to: number
  /** Null: all agents. */
  readonly agentIds: ReadonlySet<string> | null
}

/** The time of one thing that agents did: of one tool, one model, one kind of wait. */
interface TimeShare {
  readonly kind: SpanKind
  /** The tool, the model, or what is waited for; may be empty. */
  readonly name: string
  readonly ms: number
  readonly spans: number
  /** Spans that failed, or were denied by the user. */
  readonly failed: number
}

/** The cost of one agent's requests to one model. */
interface MoneyShare {
  readonly agentId: string
  readonly model: string
  readonly tokens: number
  /** US dollars, of the requests with a known price. */
  readonly costUsd: number
}

export interface Sums {
  /** The time that all agents together spent, by kind. Calls that ran at the same time count each. */
  readonly ms: Readonly<Record<SpanKind, number>>
  /** The longest first. */
  readonly time: readonly TimeShare[]
  /** The most expensive first, then those with the most tokens. */
  readonly money: readonly MoneyShare[]
  readonly tokens: number
  /** US dollars, of the requests with a known price. */
  readonly costUsd: number
  /** False: the price of a request is unknown. */
  readonly priced: boolean
  /** Calls that ran. */
  readonly calls: number
}

/**
 * The sums of the spans of a selection. A span that the selection cuts counts with the part inside. What a span spent counts
 * where it ended, since a request costs nothing before its answer. Linear in the number of spans.
 */
export function sumSpans(spans: Iterable<Span>, { from, to, agentIds }: Selection): Sums {
  const ms = Object.fromEntries(spanKinds.map((kind) => [kind, 0])) as Record<SpanKind, number>
  const time = new Map<string, Changing<TimeShare>>()
  const money = new Map<string, Changing<MoneyShare>>()
  const all = { tokens: 0, costUsd: 0, priced: true, calls: 0 }
  for (const span of spans) {
    if (agentIds !== null && !agentIds.has(span.agentId)) continue
    const end = span.to ?? to
    if (span.from > to || end < from) continue
    const inside = Math.max(0, Math.min(end, to) - Math.max(span.from, from))
    ms[span.kind] += inside
    const share = entry(time, `${span.kind} ${nameOf(span)}`, () => ({
      ...{ kind: span.kind, name: nameOf(span), ms: 0, spans: 0, failed: 0 },
    }))
    share.ms += inside
    share.spans += 1
    if (isFailed(span)) share.failed += 1
    if (span.kind === 'tool' && span.outcome !== 'asked') all.calls += 1
    if (span.spent === null || end > to) continue
    const { model, usage, costUsd, priced } = span.spent
    const tokens = totalTokens(usage)
    const cost = entry(money, `${span.agentId} ${model}`, () => ({
      ...{ agentId: span.agentId, model, tokens: 0, costUsd: 0 },
    }))
    cost.tokens += tokens
    cost.costUsd += costUsd
    all.tokens += tokens
    all.costUsd += costUsd
    all.priced &&= priced
  }
  return {
    ms,
    time: [...time.values()].sort((one, other) => other.ms - one.ms),
    money: [...money.values()].sort((one, other) => other.costUsd - one.costUsd || other.tokens - one.tokens),
    ...all,
  }
}

/** Whether a span ended badly: a failed request or call, a denied request, a retry. */
function isFailed(span: Span): boolean {
  if (span.kind === 'retry') return true
  return 'outcome' in span && (span.outcome === 'failed' || span.outcome === 'denied')
}

const nameOf = (span: Span) =>
  span.kind === 'model' ? span.model : span.kind === 'user' ? span.asks : span.name

type Changing<T> = { -readonly [K in keyof T]: T[K] }

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = create()
  map.set(key, made)
  return made
}
