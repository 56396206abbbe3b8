import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, AgentEventType } from '../events/agent-event.ts'
import { addUsage } from '../events/model-requests.ts'
import { noUsage } from '../models/no-usage.ts'
import { type AgentState, foldAgent } from '../state/agent-state.ts'
import { sampleDefinition, sampleEvent, sampleFields } from '../testing/sample-events.ts'
import { SampleLog } from '../testing/sample-log.ts'
import { triesOf } from '../testing/tries.ts'
import { spansOf } from './lane.ts'
import { mayOverlap, type Span } from './span.ts'
import { addToTimeline, emptyTimeline, type Timeline } from './timeline.ts'
import { addSums, sumSpans } from './timeline-sums.ts'

const timelineOf = (events: readonly AgentEvent[]): Timeline => {
  const timeline = emptyTimeline()
  for (const event of events) addToTimeline(timeline, event)
  return timeline
}

/** The spans of an agent as text: kind, name, from and to in seconds since the start, and how each ended. */
function told(log: SampleLog, agentId = 'main'): readonly string[] {
  const timeline = timelineOf(log.events)
  const lane = timeline.lanes[agentId]
  if (lane === undefined) throw new Error(`${agentId} has no lane.`)
  const seconds = (at: number | null) => (at === null ? '' : `${(at - timeline.from) / 1000}`)
  return spansOf(lane).map((span) => {
    const name = span.kind === 'model' ? '' : span.kind === 'user' ? span.asks : span.name
    const outcome = 'outcome' in span ? (span.outcome ?? 'open') : ''
    return `${span.kind} ${name} ${seconds(span.from)}–${seconds(span.to)} ${outcome}`
      .replaceAll(/ +/g, ' ')
      .trim()
  })
}

const newLog = () => new SampleLog({ now: 1_000_000, step: 0 })

describe('the spans of an agent', () => {
  test('tell the model, its calls, and the wait for a permission apart', () => {
    const log = newLog()
    log.spawn('main')
    log.pass(1000).status('main', 'running')
    log.add('main', 'request-started')
    log.pass(2000).add('main', 'assistant-message', { pace: [[300, 4]] })
    log.asks('main', 'p', { toolUseId: 't-1' })
    log.status('main', 'waiting', 'permission')
    log.pass(3000).answered('main', 'p', { toolUseId: 't-1' })
    log.status('main', 'running')
    log.add('main', 'tool-started', { name: 'Bash', summary: 'npm test\nand more' })
    log.pass(4000).add('main', 'tool-ended', { name: 'Bash', isError: true, note: 'exit 1' })
    log.add('main', 'request-started', { turn: 2 })
    expect(told(log)).toEqual([
      'queued slot 0–1',
      'model 1–3 answered',
      'user permission 3–6 allowed',
      'tool Bash 6–10 failed',
      'model 10– open',
    ])
    const [, model, user, tool] = spansOf(timelineOf(log.events).lanes['main'] as never) as [
      Span,
      Span,
      Span,
      Span,
    ]
    expect(model).toMatchObject({ seq: 2, turn: 1, firstWordMs: 300, spent: { costUsd: 0.01, priced: true } })
    expect(user).toMatchObject({ seq: 4, title: 'npm test', toolUseId: 't-1' })
    expect(tool).toMatchObject({ seq: 8, title: 'npm test', note: 'exit 1', turn: 1 })
  })

  test('have one span for each of two calls that run at the same time', () => {
    const log = newLog()
    log.starts({ id: 'main', name: 'main', color: 'blue', task: '' })
    for (const toolUseId of ['a', 'b']) log.add('main', 'tool-started', { toolUseId })
    log.pass(1000).toolEnds('main', 'a')
    log.pass(1000).toolEnds('main', 'b')
    expect(told(log)).toEqual(['tool Grep 0–1 done', 'tool Grep 0–2 done'])
  })

  test('split a call that asks while it runs', () => {
    const log = newLog()
    log.starts({ id: 'main', name: 'main', color: 'blue', task: '' })
    log.add('main', 'tool-started', { toolUseId: 't-1' })
    log.pass(1000).add('main', 'form-opened')
    log.pass(1000).add('main', 'form-closed')
    log.pass(1000).toolEnds('main', 't-1')
    expect(told(log)).toEqual(['tool Grep 0–1 asked', 'user form 1–2 denied', 'tool Grep 2–3 done'])
  })

  test('show retries with their status, a usage limit, a pause and a full program', () => {
    const log = newLog()
    const failure = { type: 'rate-limited', message: 'Slow down' }
    log.starts({ id: 'main', name: 'main', color: 'blue', task: '' })
    log.add('main', 'request-started')
    log.pass(1000).add('main', 'request-failed', { failure, retryAt: 5 })
    log.pass(1000).add('main', 'request-started', { attempt: 2 })
    log.pass(1000).status('main', 'waiting', 'limit')
    log.add('main', 'request-failed', { failure, retryAt: 9_000_000 })
    log.pass(1000).status('main', 'paused')
    log.pass(1000).status('main', 'queued')
    log.pass(1000).status('main', 'running')
    expect(told(log)).toEqual([
      'model 0–1 failed',
      'retry 429 1–2',
      'model 2–3 failed',
      'queued limit 3–4',
      'paused 4–5',
      'queued slot 5–6',
    ])
  })

  test('show the wait for agents, their starts and their reports', () => {
    const log = newLog()
    log.begins('Sort.').answers('main', { calls: [{ agentId: 'one', type: 'Explore', task: 'look' }] })
    log.starts({
      id: 'one',
      name: 'Explore',
      color: 'blue',
      task: 'look',
      parentId: 'main',
      call: 'toolu_agent_one',
    })
    log.pass(2000)
    log.ends('one', 'Found.')
    expect(told(log)).toEqual(['model 0–0 answered', 'agents 0–2'])
    const { arrows } = timelineOf(log.events)
    expect(arrows.map(({ kind, from, to, toAt }) => [kind, from, to, toAt - 1_000_000])).toEqual([
      ['message', null, 'main', 0],
      ['start', 'main', 'one', 0],
      ['report', 'one', 'main', 2000],
    ])
  })

  test('fill the time between the calls of an external agent with its model', () => {
    const log = newLog()
    log.spawn('main', {
      backing: 'acp',
      definition: sampleDefinition({ program: { command: 'gemini', args: [], env: {} } }),
    })
    log.status('main', 'running')
    log.add('main', 'request-started')
    log.pass(1000).uses('main', 't-1')
    log.add('main', 'tool-started')
    log.pass(1000).toolEnds('main', 't-1')
    log.pass(1000).says('main', 'Done.')
    log.pass(1000).add('main', 'agent-ended')
    expect(told(log)).toEqual([
      'model 0–1 answered',
      'tool Grep 1–2 done',
      'model 2–3 answered',
      'model 3–4 answered',
    ])
  })

  test('keep what a call asked a model for, when the answer comes', () => {
    const log = newLog()
    log.spawn('main', { backing: 'acp' })
    log.status('main', 'running')
    log.add('main', 'model-asked', { costUsd: null })
    log.pass(1000).says('main', 'Done.')
    const [lane] = Object.values(timelineOf(log.events).lanes)
    expect(lane && spansOf(lane).map(({ spent }) => spent?.priced ?? null)).toEqual([false, null])
  })

  test('end with the next request if a call has no result', () => {
    const log = newLog()
    log.starts({ id: 'main', name: 'main', color: 'blue', task: '' })
    log.add('main', 'tool-started')
    log.pass(1000).add('main', 'request-started')
    expect(told(log)).toEqual(['tool Grep 0–1 stopped', 'model 1– open'])
  })

  test('end with the last event of an agent whose program died', () => {
    const log = newLog()
    log.starts({ id: 'main', name: 'main', color: 'blue', task: '' })
    log.add('main', 'tool-started')
    log.pass(1000).add('main', 'notice')
    log.pass(90_000_000).add('main', 'agent-ended', { status: 'interrupted' })
    expect(told(log)).toEqual(['tool Grep 0–1 stopped'])
  })

  test('name who wrote a message, and when it was sent and read', () => {
    const log = newLog()
    for (const id of ['main', 'one']) log.spawn(id)
    const timeline = timelineOf(log.events)
    addToTimeline(timeline, {
      ...{ v: 1, conversationId: 'c1', seq: 1, order: 5, at: 1_003_000, type: 'message-queued' },
      message: {
        ...{ messageId: 'm', agentId: 'one', from: 'agent', sender: 'main' },
        content: [{ type: 'text', text: 'Use the key.' }],
      },
    } as never)
    log.pass(9000).receives('one', 'A frame. Use the key.', 'agent', { messageId: 'm', sender: 'main' })
    for (const event of log.events.slice(-1)) addToTimeline(timeline, event)
    expect(timeline.arrows).toEqual([
      {
        ...{ kind: 'message', from: 'main', to: 'one', at: 1_003_000, toAt: 1_009_000 },
        ...{ fromSeq: 0, toSeq: 1, text: 'Use the key.' },
      },
    ])
    expect(timeline.sent).toEqual({})
  })
})

// ---- Any list of events, also one that no runtime writes. ----

const agentIds = ['main', 'one', 'acp']
const types = Object.keys(sampleFields).filter(
  (type) => type !== 'agent-spawned',
) as readonly AgentEventType[]

interface Step {
  readonly agent: number
  readonly type: AgentEventType
  readonly ms: number
  readonly pick: number
}

const step: fc.Arbitrary<Step> = fc.record({
  agent: fc.nat({ max: 2 }),
  type: fc.oneof(
    fc.constantFrom<AgentEventType>('status-changed', 'request-started', 'assistant-message', 'tool-started'),
    fc.constantFrom<AgentEventType>('tool-ended', 'permission-asked', 'permission-answered', 'model-asked'),
    fc.constantFrom(...types),
  ),
  ms: fc.integer({ min: -50, max: 1000 }),
  pick: fc.nat({ max: 1000 }),
})

/** Fields that vary, each with more than one value. */
function varied({ type, pick }: Step): object {
  const of = <T>(...values: readonly T[]) => values[pick % values.length] as T
  const toolUseId = of('t-1', 't-2', 't-3')
  const name = of('Grep', 'Agent', 'Bash', 'Task')
  switch (type) {
    case 'status-changed': {
      const waitingFor = of(null, 'permission', 'message', 'children', 'limit', 'answer', null, null)
      return { status: waitingFor === null ? of('running', 'paused', 'queued') : 'waiting', waitingFor }
    }
    case 'permission-asked':
    case 'permission-answered':
      return { toolUseId, requestId: of('p-1', 'p-2'), decision: of('deny', 'allow-once', 'withdrawn') }
    case 'tool-started':
      return { toolUseId, name }
    case 'tool-ended':
      return { toolUseId, name, isError: pick % 2 === 0 }
    case 'model-asked':
    case 'assistant-message':
      return {
        toolUseId,
        costUsd: of(null, 0.5, -1),
        usage: { ...noUsage, input: pick, cacheRead: 10 * pick },
        durationMs: pick,
      }
    case 'worker-changed':
      return { state: of('waiting', 'running', 'silent', 'gone') }
    case 'agent-ended':
      return { status: of('completed', 'failed', 'stopped', 'interrupted') }
    default:
      return {}
  }
}

function eventsOf(steps: readonly Step[]): readonly AgentEvent[] {
  const seqs = new Map<string, number>()
  let at = 1_000_000
  const head = (agentId: string) => {
    const seq = seqs.get(agentId) ?? 0
    seqs.set(agentId, seq + 1)
    return { agentId, seq, order: at, at }
  }
  const spawned = agentIds.map((id, index) =>
    sampleEvent('agent-spawned', {
      ...head(id),
      parentId: index === 0 ? null : 'main',
      backing: id === 'acp' ? 'acp-child' : 'in-process',
    }),
  )
  const rest = steps.map((one) => {
    at += one.ms
    return sampleEvent(one.type, { ...head(agentIds[one.agent] ?? 'main'), ...varied(one) }) as AgentEvent
  })
  return [...spawned, ...rest]
}

const anyEvents = fc.array(step, { maxLength: 60 }).map(eventsOf)

test('the spans of any events overlap only where calls run at the same time, and never go back in time', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const lane of Object.values(timelineOf(events).lanes)) {
        const spans = spansOf(lane)
        const end = (span: Span) => span.to ?? Number.POSITIVE_INFINITY
        for (const [index, one] of spans.entries()) {
          expect(end(one)).toBeGreaterThanOrEqual(one.from)
          expect(one.from).toBeGreaterThanOrEqual(lane.spawnedAt)
          expect(events.some(({ agentId, seq }) => agentId === one.agentId && seq === one.seq)).toBe(true)
          for (const other of spans.slice(index + 1))
            if (one.from < end(other) && other.from < end(one)) expect(mayOverlap(one, other)).toBe(true)
        }
        if (lane.now.status === 'ended' && lane.now.calls.length === 0)
          expect(spans.every(({ to }) => to !== null)).toBe(true)
      }
    }),
    { numRuns: triesOf(1000) },
  )
})

test('folding in one go equals folding in pieces that travel between processes', () => {
  fc.assert(
    fc.property(anyEvents, fc.array(fc.nat({ max: 60 }), { maxLength: 4 }), (events, cuts) => {
      let timeline = emptyTimeline()
      for (const [index, event] of events.entries()) {
        if (cuts.includes(index)) timeline = JSON.parse(JSON.stringify(timeline)) as Timeline
        addToTimeline(timeline, event)
        // An event that arrives twice is counted once.
        if (index % 7 === 0) addToTimeline(timeline, event)
      }
      expect(timeline).toEqual(timelineOf(events))
    }),
    { numRuns: triesOf(500) },
  )
})

test('the spans of any events cost what the agents cost', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const states = new Map<string, AgentState | null>()
      for (const event of events)
        states.set(event.agentId, foldAgent(states.get(event.agentId) ?? null, event))
      const timeline = timelineOf(events)
      for (const lane of Object.values(timeline.lanes)) {
        const spent = spansOf(lane).flatMap((span) => span.spent ?? [])
        const state = states.get(lane.agentId)
        expect(spent.reduce((sum, { usage }) => addUsage(sum, usage), noUsage)).toEqual(state?.usage)
        expect(spent.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(state?.costUsd ?? -1)
        expect(spent.every(({ priced }) => priced)).toBe(state?.priced)
      }
      const all = Object.values(timeline.lanes).flatMap(spansOf)
      const whole = sumSpans(all, { from: 0, to: 2_000_000, agentIds: null })
      const tokens = [...states.values()].reduce((sum, state) => sum + (state?.countedTokens ?? 0), 0)
      expect(whole.tokens).toBe(tokens)
      const byLane = Object.values(timeline.lanes).map((lane) =>
        sumSpans(spansOf(lane), { from: 0, to: 2_000_000, agentIds: null }),
      )
      const added = addSums(byLane)
      expect({ ...added, costUsd: 0, money: [], time: [] }).toEqual({
        ...whole,
        costUsd: 0,
        money: [],
        time: [],
      })
      expect(added.time).toHaveLength(whole.time.length)
      expect(added.costUsd).toBeCloseTo(whole.costUsd)
      expect(whole.money.reduce((sum, share) => sum + share.costUsd, 0)).toBeCloseTo(whole.costUsd)
    }),
    { numRuns: triesOf(500) },
  )
})

test('a selection counts the part of each span inside it, and the cost of what ended in it', () => {
  const log = newLog()
  log.starts({ id: 'main', name: 'main', color: 'blue', task: '' })
  log.add('main', 'request-started')
  log.pass(4000).add('main', 'assistant-message')
  log.add('main', 'tool-started', { toolUseId: 't-1' })
  log.pass(2000).toolEnds('main', 't-1')
  log.starts({ id: 'one', name: 'Explore', color: 'blue', task: 'look' })
  log.add('one', 'request-started')
  log.pass(1000).add('one', 'assistant-message', { costUsd: 0.5 })
  const spans = Object.values(timelineOf(log.events).lanes).flatMap(spansOf)
  const start = 1_000_000
  const early = sumSpans(spans, { from: start + 1000, to: start + 3000, agentIds: null })
  expect(early).toMatchObject({ ms: { model: 2000, tool: 0 }, costUsd: 0, calls: 0 })
  const whole = sumSpans(spans, { from: start, to: start + 9000, agentIds: null })
  expect(whole.time.map(({ kind, name, ms }) => [kind, name, ms])).toEqual([
    ['model', 'claude-test', 5000],
    ['tool', 'Grep', 2000],
  ])
  expect(whole.money.map(({ agentId, costUsd }) => [agentId, costUsd])).toEqual([
    ['one', 0.5],
    ['main', 0.01],
  ])
  const one = sumSpans(spans, { from: start, to: start + 9000, agentIds: new Set(['one']) })
  expect(one).toMatchObject({ ms: { model: 1000, tool: 0 }, costUsd: 0.5, calls: 0 })
})
