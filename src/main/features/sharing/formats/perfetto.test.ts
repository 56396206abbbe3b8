import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent, AgentEventType } from '../../../../shared/events/agent-event.ts'
import { sampleEvent } from '../../../../shared/testing/sample-events.ts'
import { callOf, SampleLog, sampleRecord } from '../../../../shared/testing/sample-log.ts'
import { triesOf } from '../../../../shared/testing/tries.ts'
import type { SharedConversation } from '../shared-conversation.ts'
import { chromeTrace } from './chrome-trace.ts'
import { otelBatches } from './otel-spans.ts'

// ---- The rules by which Perfetto's trace processor reads JSON traces, as a checker. -----------------------------------

type Event = Readonly<Record<string, unknown>>

interface Slice {
  readonly ts: number
  readonly end: number
  readonly name: string
}

interface Imported {
  /** What the trace processor would count as errors: it drops these events, or binds them to nothing. */
  readonly problems: readonly string[]
  readonly slices: readonly Slice[]
  /** Arrows: the slices that they connect. */
  readonly flows: readonly (readonly [from: Slice, to: Slice])[]
}

/** The text as the tokenizer reads it, then the events by their times as tracks of slices and flows. */
function importTrace(text: string): Imported {
  const problems: string[] = []
  // The reader of JSON refuses half of a surrogate pair.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(text)) problems.push('half of a surrogate pair')
  const { traceEvents, ...others } = JSON.parse(text) as { readonly traceEvents: readonly Event[] }
  // Older versions take `displayTimeUnit` for the unit of the times; newer ones count it as a mistake.
  for (const key of Object.keys(others)) problems.push(`key ${key}`)
  for (const event of traceEvents) {
    if (event.ph !== 'M' && !Number.isSafeInteger(event.ts))
      problems.push(`no time: ${JSON.stringify(event)}`)
    for (const [key, value] of Object.entries(event)) {
      // The tokenizer looks for keys in the outer object: it ends at arrays, and at control characters of texts.
      if (Array.isArray(value)) problems.push(`array ${key}`)
      if (typeof value === 'string' && /\p{Cc}/u.test(value)) problems.push(`control character in ${key}`)
    }
  }
  const tracks = new Map<string, Slice[]>()
  const names = new Map<string, string>()
  const open = new Map<string, Slice>()
  const slices: Slice[] = []
  const flows: (readonly [Slice, Slice])[] = []
  // The sorter is stable: of events at the same time the first one in the file comes first.
  const inTime = [...traceEvents].sort((one, other) => Number(one.ts ?? 0) - Number(other.ts ?? 0))
  for (const event of inTime) {
    const { ph, pid, tid, ts, dur, name, id, cat, bp } = event
    if (!isUint32(pid) || !isUint32(tid) || tid === 0) problems.push(`thread ${pid}/${tid}`)
    const track = `${pid}/${tid}`
    const stack = tracks.get(track) ?? []
    tracks.set(track, stack)
    const flow = `${id} ${cat} ${name}`
    switch (ph) {
      case 'M': {
        const { name: text, sort_index: index } = event.args as Event
        if (name === 'thread_sort_index' && typeof index === 'number') break
        if (typeof text !== 'string' || text === '') problems.push(`empty ${name}`)
        else if (name === 'thread_name') names.set(track, text)
        else if (name !== 'process_name') problems.push(`metadata ${name}`)
        break
      }
      case 'X': {
        if (!Number.isSafeInteger(dur) || Number(dur) < 0) problems.push(`duration ${dur}`)
        if (typeof name !== 'string' || name === '') problems.push('no name')
        const slice = { ts: Number(ts), end: Number(ts) + Number(dur), name: String(name) }
        if (!nests(slice, stack)) {
          problems.push(`dropped, as it overlaps: ${slice.name}`)
          break
        }
        if (stack.length >= MOST_NESTED) problems.push(`too deep: ${slice.name}`)
        stack.push(slice)
        slices.push(slice)
        break
      }
      case 's': {
        const slice = stack.at(-1)
        if (typeof id !== 'number' || open.has(flow)) problems.push(`flow id ${flow}`)
        if (slice === undefined) problems.push(`flow without a slice: ${flow}`)
        else open.set(flow, slice)
        break
      }
      case 'f': {
        const [from, to] = [open.get(flow), stack.at(-1)]
        if (bp !== 'e') problems.push(`flow binds to the next slice: ${flow}`)
        if (from === undefined || to === undefined) problems.push(`flow ends before it begins: ${flow}`)
        else flows.push([from, to])
        break
      }
      default:
        problems.push(`phase ${ph}`)
    }
  }
  for (const [track, stack] of tracks)
    if (stack.length > 0 && !names.has(track)) problems.push(`thread without a name: ${track}`)
  return { problems, slices, flows }
}

const MOST_NESTED = 512
const isUint32 = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32

/** Closes what has ended before the slice; false: the slice begins in another one and ends after it. */
function nests(slice: Slice, stack: Slice[]): boolean {
  for (const other of [...stack].reverse()) {
    const isInstants = other.ts === other.end && slice.ts === slice.end
    if (other.end < slice.ts || (other.end === slice.ts && !isInstants)) stack.pop()
    else if (slice.ts < other.end && slice.end > other.end) return false
  }
  return true
}

// ---- Traces of conversations. -----------------------------------------------------------------------------------------

const sharedOf = (events: readonly AgentEvent[]) =>
  ({
    states: [],
    record: sampleRecord('c1', ['main'], { title: 'Retries\u001b' }),
    nameOf: (id: string) => `Agent ${id}`,
    async *events() {
      // In batches, as they are read.
      for (let at = 0; at < events.length; at += 7)
        yield { ok: true, value: events.slice(at, at + 7) } as const
    },
  }) as unknown as SharedConversation

async function traceOf(events: readonly AgentEvent[]): Promise<string> {
  let text = ''
  for await (const chunk of chromeTrace(sharedOf(events))) text += chunk.ok ? chunk.value : ''
  return text
}

/** So many agents start in the same millisecond, call tools at the same time, write to each other and report at once. */
function crowd(count: number): SampleLog {
  const log = new SampleLog({ step: 0 })
  const ids = Array.from({ length: count }, (_, index) => `agent-${index}`)
  log.begins('Go.')
  log.answers('main', {
    calls: ids.map((agentId) => ({ agentId, type: 'Explore', task: `Task ${agentId}` })),
  })
  for (const id of ids)
    log.starts({
      id,
      name: 'Explore',
      color: 'blue',
      task: `Task ${id}`,
      parentId: 'main',
      call: callOf(id),
    })
  for (const id of ids) log.receives(id, `Do ${id}. 😀`, 'parent')
  for (const [index, id] of ids.entries()) {
    log.add(id, 'request-started', { turn: 1 })
    log.pass(index % 3).add(id, 'assistant-message', { turn: 1, costUsd: 0.01 })
    for (const call of ['one', 'two', 'three'])
      log.add(id, 'tool-started', {
        toolUseId: `${id}-${call}`,
        name: 'Bash',
        summary: `${'x'.repeat(74)}😀\u007f ${call}`,
      })
  }
  for (const id of ids)
    for (const call of ['two', 'three', 'one'])
      log.pass(1).add(id, 'tool-ended', { toolUseId: `${id}-${call}`, name: 'Bash' })
  for (const id of ids) log.receives('main', `From ${id}.`, 'agent', { sender: id })
  for (const id of ids) log.ends(id, 'Found.')
  return log
}

test.each([1, 24, 300])('Perfetto reads all of a trace with %i agents at the same time', async (count) => {
  const { events } = crowd(count)
  const { problems, slices, flows } = importTrace(await traceOf(events))
  expect(problems).toEqual([])
  expect(slices.filter(({ name }) => name.startsWith('Bash'))).toHaveLength(3 * count)
  const starts = flows.filter(([out]) => out.name.startsWith('Starts '))
  expect(new Set(starts.map(([out, { name }]) => `${out.name} ${name}`)).size).toBe(count)
  expect(starts.every(([, { name }]) => name === 'From Agent main')).toBe(true)
  expect(flows.filter(([out]) => out.name === 'Reports to Agent main')).toHaveLength(count)
})

const IDS = ['main', 'one', 'two']

interface Step {
  readonly agent: number
  readonly type: AgentEventType
  /** Clocks of other machines go back, and are finer than a millisecond. */
  readonly ms: number
  readonly pick: number
}

const step: fc.Arbitrary<Step> = fc.record({
  agent: fc.nat({ max: 2 }),
  type: fc.constantFrom<AgentEventType>(
    ...(['request-started', 'assistant-message', 'tool-started', 'tool-ended', 'user-message'] as const),
    ...(['status-changed', 'permission-asked', 'permission-answered', 'agent-ended'] as const),
  ),
  ms: fc.oneof(fc.constantFrom(0, 0, 1, -5, 0.4), fc.integer({ min: -50, max: 900 })),
  pick: fc.nat({ max: 40 }),
})

/** The spawns of all agents, then the steps. */
function eventsOf(steps: readonly Step[]): readonly AgentEvent[] {
  const seqs = new Map<string, number>()
  let at = 1_700_000_000_000
  const head = (agentId: string) => {
    const seq = seqs.get(agentId) ?? 0
    seqs.set(agentId, seq + 1)
    return { agentId, seq, order: at, at }
  }
  const spawned = IDS.map((id, index) =>
    sampleEvent('agent-spawned', { ...head(id), parentId: index === 0 ? null : 'main' }),
  )
  const rest = steps.map(({ agent, type, ms, pick }) => {
    at += ms
    const of = <T>(...values: readonly T[]) => values[pick % values.length] as T
    return sampleEvent(type, {
      ...head(of(...IDS.slice(agent), ...IDS)),
      ...{
        toolUseId: of('t-1', 't-2', 't-3'),
        name: of('Bash', 'Agent'),
        requestId: 'p-1',
        durationMs: pick,
      },
      ...(type === 'user-message' && { messageId: `m-${at}`, from: of('user', 'agent'), sender: of(...IDS) }),
      ...(type === 'agent-ended' && { status: of('completed', 'failed', 'interrupted') }),
      ...(type === 'status-changed' &&
        of({ status: 'paused' }, { status: 'waiting', waitingFor: 'children' })),
    }) as AgentEvent
  })
  return [...spawned, ...rest]
}

test('Perfetto reads all of a trace of any events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      expect(importTrace(await traceOf(eventsOf(steps))).problems).toEqual([])
    }),
    { numRuns: triesOf(500) },
  )
})

test('spans of OpenTelemetry have no half of a surrogate pair, which receivers of protobuf refuse', async () => {
  const log = crowd(1)
  log.add('main', 'tool-started', { toolUseId: 't-half', name: 'Bash', summary: 'echo \ud83d' })
  let text = ''
  for await (const batch of otelBatches(sharedOf(log.events))) text += JSON.stringify(batch)
  expect(text).toContain('echo \ufffd')
  expect(text).not.toMatch(/\\ud83d/)
})
