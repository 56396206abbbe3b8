/** What a part of a timeline adds up to: what took the time, and what cost the money. */
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
  const adder = new Adder()
  for (const span of spans) {
    if (agentIds !== null && !agentIds.has(span.agentId)) continue
    const end = span.to ?? to
    if (span.from > to || end < from) continue
    const { kind, agentId, spent } = span
    const ms = Math.max(0, Math.min(end, to) - Math.max(span.from, from))
    adder.ms[kind] += ms
    adder.time({ kind, name: nameOf(span), ms, spans: 1, failed: isFailed(span) ? 1 : 0 })
    if (kind === 'tool' && span.outcome !== 'asked') adder.all.calls += 1
    if (spent === null || end > to) continue
    const { model, countedTokens: tokens, costUsd, priced } = spent
    adder.money({ agentId, model, tokens, costUsd })
    adder.add({ tokens, costUsd, priced, calls: 0 })
  }
  return adder.sums()
}

/** The sums of several selections together. */
export function addSums(several: readonly Sums[]): Sums {
  const adder = new Adder()
  for (const sums of several) {
    for (const kind of spanKinds) adder.ms[kind] += sums.ms[kind]
    for (const share of sums.time) adder.time(share)
    for (const share of sums.money) adder.money(share)
    adder.add(sums)
  }
  return adder.sums()
}

class Adder {
  readonly ms = Object.fromEntries(spanKinds.map((kind) => [kind, 0])) as Record<SpanKind, number>
  readonly all = { tokens: 0, costUsd: 0, priced: true, calls: 0 }
  private readonly times = new Map<string, Changing<TimeShare>>()
  private readonly costs = new Map<string, Changing<MoneyShare>>()

  time(share: TimeShare): void {
    const key = `${share.kind} ${share.name}`
    const known = this.times.get(key)
    if (known === undefined) this.times.set(key, { ...share })
    else {
      known.ms += share.ms
      known.spans += share.spans
      known.failed += share.failed
    }
  }

  money(share: MoneyShare): void {
    const key = `${share.agentId} ${share.model}`
    const known = this.costs.get(key)
    if (known === undefined) this.costs.set(key, { ...share })
    else {
      known.tokens += share.tokens
      known.costUsd += share.costUsd
    }
  }

  add({ tokens, costUsd, priced, calls }: Pick<Sums, 'tokens' | 'costUsd' | 'priced' | 'calls'>): void {
    this.all.tokens += tokens
    this.all.costUsd += costUsd
    this.all.priced &&= priced
    this.all.calls += calls
  }

  sums(): Sums {
    return {
      ms: this.ms,
      time: [...this.times.values()].sort((one, other) => other.ms - one.ms),
      money: [...this.costs.values()].sort(
        (one, other) => other.costUsd - one.costUsd || other.tokens - one.tokens,
      ),
      ...this.all,
    }
  }
}

type Changing<T> = { -readonly [K in keyof T]: T[K] }

/** Whether a span ended badly: a failed request or call, a denied request, a retry. */
export function isFailed(span: Span): boolean {
  if (span.kind === 'retry') return true
  return 'outcome' in span && (span.outcome === 'failed' || span.outcome === 'denied')
}

const nameOf = (span: Span) =>
  span.kind === 'model' ? span.model : span.kind === 'user' ? span.asks : span.name
