/**
 * A conversation as OpenTelemetry spans in OTLP/JSON, with the semantic conventions for generative AI (1.41): an
 * `invoke_agent` span for each agent, below it `chat` for requests to a model, `execute_tool` for calls, and waits. The same
 * conversation always has the same ids, so that a receiver recognizes what it has.
 */
import { hash } from 'node:crypto'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { splitModel } from '../../../../shared/models/model-provider.ts'
import { mapTexts, wellFormed } from '../../../../shared/sharing/clean-value.ts'
import type { Lane } from '../../../../shared/timeline/lane.ts'
import type { Span, SpanSpent } from '../../../../shared/timeline/span.ts'
import { emptyTimeline, type Timeline } from '../../../../shared/timeline/timeline.ts'
import type { SharedConversation } from '../shared-conversation.ts'
import { endOf, timelineBatches } from './timeline-batches.ts'

type AttributeValue =
  | { readonly stringValue: string }
  /** 64 bits, as text. */
  | { readonly intValue: string }
  | { readonly doubleValue: number }

interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

/** `Span` of the protocol, with the fields that are used here. */
export interface OtelSpan {
  /** Hexadecimal: 16 bytes, and 8 bytes. */
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  /** 64 bits, as text. */
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code: number; readonly message?: string }
}

const KIND = { internal: 1, client: 3 } as const
const STATUS = { unset: 0, error: 2 } as const

/** The spans, in batches; those of agents come last. */
export async function* otelBatches(shared: SharedConversation): AsyncGenerator<Result<readonly OtelSpan[]>> {
  const timeline = emptyTimeline()
  const ids = spanIds(shared.record.id)
  for await (const batch of timelineBatches(shared.events(), timeline)) {
    if (!batch.ok) return yield batch
    if (batch.value.spans.length > 0)
      yield ok(
        mapTexts(
          batch.value.spans.map((span) => spanOf(span, endOf(span, timeline), ids)),
          wellFormed,
        ),
      )
  }
  const lanes = Object.values(timeline.lanes)
  yield ok(
    mapTexts(
      lanes.map((lane) => agentSpan(lane, { timeline, ids, shared })),
      wellFormed,
    ),
  )
}

/** One request of the protocol, on one line. */
export async function* otelFile(shared: SharedConversation, version: string): AsyncGenerator<Result<string>> {
  const [before, after] = JSON.stringify(otelRequest([], version)).split('"spans":[]')
  let isFirst = true
  yield ok(`${before}"spans":[`)
  for await (const batch of otelBatches(shared)) {
    if (!batch.ok) return yield batch
    const text = batch.value.map((span) => JSON.stringify(span)).join(',')
    yield ok(isFirst || text === '' ? text : `,${text}`)
    isFirst &&= text === ''
  }
  yield ok(`]${after}\n`)
}

/** `ExportTraceServiceRequest` with these spans. */
export function otelRequest(spans: readonly OtelSpan[], version: string) {
  const resource = attributes({ 'service.name': 'troupe', 'service.version': version })
  return {
    resourceSpans: [
      {
        resource: { attributes: resource },
        scopeSpans: [
          {
            scope: { name: 'troupe', version },
            schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
            spans,
          },
        ],
      },
    ],
  }
}

interface Ids {
  readonly traceId: string
  readonly conversationId: string
  readonly agent: (agentId: string) => string
  /** Unique, also for spans that begin with the same event. */
  readonly span: (span: Span) => string
}

function spanIds(conversationId: string): Ids {
  const used = new Map<string, number>()
  const idOf = (name: string) => hash('sha256', `${conversationId} ${name}`).slice(0, 16)
  return {
    traceId: hash('sha256', conversationId).slice(0, 32),
    conversationId,
    agent: (agentId) => idOf(agentId),
    span({ agentId, seq, kind, from }) {
      const name = `${agentId} ${seq} ${kind} ${from}`
      const count = used.get(name) ?? 0
      used.set(name, count + 1)
      return idOf(`${name} ${count}`)
    },
  }
}

function spanOf(span: Span, to: number, ids: Ids): OtelSpan {
  const isFailed = 'outcome' in span && span.outcome === 'failed'
  return {
    traceId: ids.traceId,
    spanId: ids.span(span),
    parentSpanId: ids.agent(span.agentId),
    ...nameAndKind(span),
    ...times(span.from, to),
    attributes: attributes({
      'gen_ai.conversation.id': ids.conversationId,
      'gen_ai.agent.id': span.agentId,
      ...ofKind(span),
      ...(span.spent && spending(span.spent)),
      ...(isFailed && { 'error.type': '_OTHER' }),
      'troupe.turn': span.turn,
      'troupe.event': span.seq,
    }),
    status: isFailed
      ? { code: STATUS.error, ...(span.kind === 'tool' && { message: span.note }) }
      : { code: STATUS.unset },
  }
}

function nameAndKind(span: Span): Pick<OtelSpan, 'name' | 'kind'> {
  if (span.kind === 'model') return { name: `chat ${splitModel(span.model).model}`.trim(), kind: KIND.client }
  if (span.kind === 'tool') return { name: `execute_tool ${span.name}`, kind: KIND.internal }
  return { name: `wait ${span.kind}`, kind: KIND.internal }
}

type Values = Readonly<Record<string, string | number | null>>

function ofKind(span: Span): Values {
  switch (span.kind) {
    case 'model':
      return {
        'gen_ai.operation.name': 'chat',
        ...modelOf(span.model),
        'troupe.attempt': span.attempt,
        'troupe.first_word_ms': span.firstWordMs,
      }
    case 'tool':
      return {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': span.name,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': span.toolUseId,
        'troupe.title': span.title,
        'troupe.outcome': span.outcome,
      }
    default:
      return {
        'troupe.wait': span.kind,
        'troupe.wait.for': span.name,
        'troupe.title': span.title,
        ...('outcome' in span && { 'troupe.outcome': span.outcome }),
      }
  }
}

/** A model without a provider's name is Anthropic's. */
function modelOf(name: string): Values {
  const { provider, model } = splitModel(name)
  return { 'gen_ai.provider.name': provider ?? 'anthropic', 'gen_ai.request.model': model }
}

/** The convention counts cached tokens among the input tokens; `troupe.tokens` counts them by their price, as limits do. */
function spending({ usage, countedTokens, costUsd, priced }: SpanSpent): Values {
  const { input, output, cacheRead, cacheWrite } = usage
  return {
    'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
    'troupe.tokens': countedTokens,
    'troupe.cost_usd': priced ? costUsd : null,
  }
}

function agentSpan(
  lane: Lane,
  {
    timeline,
    ids,
    shared,
  }: { readonly timeline: Timeline; readonly ids: Ids; readonly shared: SharedConversation },
): OtelSpan {
  const { agentId, parentId, type, task, spawnedAt, lastAt, ends } = lane
  const last = ends.at(-1)
  const isFailed = last?.status === 'failed'
  const model = shared.states.find(({ id }) => id === agentId)?.model ?? ''
  return {
    traceId: ids.traceId,
    spanId: ids.agent(agentId),
    ...(parentId !== null && timeline.lanes[parentId] && { parentSpanId: ids.agent(parentId) }),
    name: `invoke_agent ${type}`,
    kind: KIND.internal,
    ...times(spawnedAt, lastAt),
    attributes: attributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': ids.conversationId,
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.name': type,
      'gen_ai.agent.description': task,
      ...modelOf(model),
      'troupe.status': last?.status ?? null,
      ...(isFailed && { 'error.type': '_OTHER' }),
    }),
    status: isFailed ? { code: STATUS.error, message: last.failure } : { code: STATUS.unset },
  }
}

/** What is null or empty is left out. A number that is not whole is a cost. */
function attributes(values: Values): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]): readonly Attribute[] => {
    if (value === null || value === '') return []
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }]
    const isAmount = key === 'troupe.cost_usd'
    return [{ key, value: isAmount ? { doubleValue: value } : { intValue: String(Math.round(value)) } }]
  })
}

const times = (from: number, to: number) => ({
  startTimeUnixNano: nanos(from),
  endTimeUnixNano: nanos(to),
})

/** Beyond what a number can hold exactly. */
const nanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)
