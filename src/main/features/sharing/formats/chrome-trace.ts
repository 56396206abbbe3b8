/**
 * A conversation as a trace of Chrome, which Perfetto opens: the conversation is the process, agents are its threads, and
 * flow events are the arrows between them. Calls that run at the same time have threads of their own, because slices of
 * one thread must nest.
 */
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { mapTexts, wellFormed } from '../../../../shared/sharing/clean-value.ts'
import type { Arrow, Span } from '../../../../shared/timeline/span.ts'
import { emptyTimeline } from '../../../../shared/timeline/timeline.ts'
import type { SharedConversation } from '../shared-conversation.ts'
import { endOf, timelineBatches } from './timeline-batches.ts'

/** An event of the trace; times in microseconds. See the Trace Event Format of Chrome. */
type TraceEvent = { readonly ph: 'M' | 'X' | 's' | 'f'; readonly name: string } & Readonly<
  Record<string, unknown>
>

const PROCESS = 1
/** The thread of the coordinator's phases. */
const PHASES = 1

export async function* chromeTrace(shared: SharedConversation): AsyncGenerator<Result<string>> {
  const timeline = emptyTimeline()
  const threads = createThreads(shared.nameOf)
  const arrowEvents = createArrows(threads, shared.nameOf)
  // Versions of Perfetto take a `displayTimeUnit` for the unit of the times.
  yield ok(`{"traceEvents":[\n${lineOf(named('process_name', PHASES, shared.record.title))}`)
  const lines = (events: readonly TraceEvent[]) => events.map((event) => `,\n${lineOf(event)}`).join('')
  for await (const batch of timelineBatches(shared.events(), timeline)) {
    if (!batch.ok) return yield batch
    const { begun, spans, arrows } = batch.value
    for (const { agentId } of begun) threads.of(agentId)
    const slices = spans.map((span) => sliceOf(span, endOf(span, timeline), threads))
    const events = [...slices, ...arrows.flatMap(arrowEvents)]
    yield ok(lines([...threads.added(), ...events]))
  }
  const { phases } = timeline
  if (phases.length > 0) {
    const slices = phases.map(({ phase, note, from, to }) =>
      slice({
        name: phase,
        cat: 'phase',
        tid: PHASES,
        from,
        to: Math.max(from, to ?? timeline.to),
        args: { note },
      }),
    )
    yield ok(lines([named('thread_name', PHASES, 'Phases'), ...slices]))
  }
  yield ok('\n]}\n')
}

/** Perfetto refuses a name with a control character. */
const lineOf = (event: TraceEvent): string =>
  JSON.stringify(mapTexts({ ...event, name: event.name.replaceAll(/\p{Cc}/gu, ' ') }, wellFormed))

const named = (name: 'process_name' | 'thread_name', tid: number, text: string): TraceEvent => ({
  ...{ ph: 'M', name, pid: PROCESS, tid, args: { name: text } },
})

interface Slice {
  readonly name: string
  readonly cat: string
  readonly tid: number
  /** ms */
  readonly from: number
  readonly to: number
  readonly args: object
}

const slice = ({ from, to, ...rest }: Slice): TraceEvent => ({
  ...{ ph: 'X', ...rest, pid: PROCESS, ts: micros(from), dur: micros(to) - micros(from) },
})

/** Whole milliseconds: between them are the ends of arrows. */
const micros = (ms: number): number => Math.round(ms) * 1000

function sliceOf(span: Span, to: number, threads: Threads): TraceEvent {
  const { kind, from, seq, turn, spent } = span
  const tokens =
    spent === null
      ? {}
      : { tokens: spent.countedTokens, ...spent.usage, costUsd: spent.priced ? spent.costUsd : null }
  const detail = 'outcome' in span ? { outcome: span.outcome } : {}
  const title = 'title' in span && span.title !== '' ? { title: span.title } : {}
  const note = span.kind === 'tool' ? { note: span.note } : {}
  const args = { event: seq, turn, ...title, ...detail, ...note, ...tokens }
  return slice({ name: nameOf(span), cat: kind, tid: threads.forSpan(span, to), from, to, args })
}

const LONGEST_NAME = 80

function nameOf(span: Span): string {
  switch (span.kind) {
    case 'model':
      return span.model || 'model'
    case 'tool':
      return `${span.name} ${span.title}`.trim().slice(0, LONGEST_NAME)
    case 'user':
      return `Waits for the user: ${span.name}`
    case 'agents':
      return 'Waits for agents'
    case 'queued':
      return `Queued: ${span.name}`
    case 'retry':
      return `Retry: ${span.name}`
    case 'paused':
      return 'Paused'
  }
}

// ---- threads ------------------------------------------------------------------------------------

type Threads = ReturnType<typeof createThreads>

/** The threads of agents: the first one, and further ones for calls that overlap. */
function createThreads(nameOf: (agentId: string) => string) {
  const byAgent = new Map<string, { tid: number; free: number }[]>()
  let next = PHASES + 1
  let news: TraceEvent[] = []
  const add = (agentId: string) => {
    const tracks = byAgent.get(agentId) ?? []
    byAgent.set(agentId, tracks)
    const track = { tid: next++, free: 0 }
    tracks.push(track)
    const name = tracks.length === 1 ? nameOf(agentId) : `${nameOf(agentId)} (${tracks.length})`
    const index = [...byAgent.keys()].indexOf(agentId) * 100 + tracks.length
    news.push(named('thread_name', track.tid, name), {
      ...{ ph: 'M', name: 'thread_sort_index', pid: PROCESS, tid: track.tid, args: { sort_index: index } },
    })
    return track
  }
  const first = (agentId: string) => byAgent.get(agentId)?.[0] ?? add(agentId)
  return {
    /** The agent's own thread. */
    of: (agentId: string) => first(agentId).tid,
    /** A thread on which nothing overlaps the span. Spans come in the order of their ends. */
    forSpan({ agentId, from }: Span, to: number) {
      first(agentId)
      const track = byAgent.get(agentId)?.find(({ free }) => free <= from) ?? add(agentId)
      track.free = Math.max(to, track.free)
      return track.tid
    },
    /** What names the threads that are new since the last call. */
    added() {
      const added = news
      news = []
      return added
    },
  }
}

// ---- arrows -------------------------------------------------------------------------------------

/** Ends of arrows that a thread has in one millisecond, each in its own place; those that follow share the last one. */
const MOST_PLACES = 499

/**
 * A flow begins and ends in a slice. Each end has one of its own, a microsecond long and within a millisecond, so that it
 * never crosses the end of another slice: those are at whole milliseconds. A flow never ends before its begin.
 */
function createArrows(threads: Threads, nameOf: (agentId: string) => string) {
  let id = 0
  /** The places that a thread has used in a millisecond. */
  const used = new Map<string, number>()
  /** The first free place in a millisecond, after another place. */
  const place = (tid: number, at: number, after: number) => {
    const key = `${tid} ${micros(at)}`
    const free = Math.min(MOST_PLACES - 1, Math.max(used.get(key) ?? 0, after + 1))
    used.set(key, free + 1)
    return free
  }
  const names = { start: 'Starts', report: 'Reports to', message: 'Writes to' } as const
  return ({ kind, from, to, at, toAt, text }: Arrow): readonly TraceEvent[] => {
    const end = (agentId: string, name: string, { ms, after = -1 }: { ms: number; after?: number }) => {
      const tid = threads.of(agentId)
      const free = place(tid, ms, after)
      const ts = micros(ms) + 1 + 2 * free
      const where = { cat: 'message', pid: PROCESS, tid, ts }
      return {
        free,
        where,
        slice: { ph: 'X' as const, name, ...where, dur: 1, args: text === '' ? {} : { text } },
      }
    }
    if (from === null) return [end(to, 'From the user', { ms: toAt }).slice]
    const departure = end(from, `${names[kind]} ${nameOf(to)}`, { ms: at })
    // Clocks of other machines differ.
    const later = micros(toAt) > micros(at) ? { ms: toAt } : { ms: at, after: departure.free }
    const arrival = end(to, `From ${nameOf(from)}`, later)
    const flow = { id: ++id, name: kind }
    return [
      departure.slice,
      arrival.slice,
      { ph: 's', ...flow, ...departure.where },
      { ph: 'f', bp: 'e', ...flow, ...arrival.where },
    ]
  }
}
