import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, AgentEventType } from '../events/agent-event.ts'
import { noUsage } from '../models/no-usage.ts'
import { sampleDefinition, sampleEvent, sampleFields } from '../testing/sample-events.ts'
import { SampleLog, stateAfter } from '../testing/sample-log.ts'
import { triesOf } from '../testing/tries.ts'
import { type AgentInsight, addToInsight, figureNames, startInsight, type WorkKind } from './agent-insight.ts'

function insightAfter(events: readonly AgentEvent[]): AgentInsight {
  const [first, ...rest] = events
  if (first?.type !== 'agent-spawned') throw new Error('The first event must start the agent.')
  const insight = startInsight(first)
  for (const event of rest) addToInsight(insight, event)
  return insight
}

/** The sums of all cells; figures that are 0 are left out. */
function sums({ cells }: Pick<AgentInsight, 'cells'>): Record<string, number> {
  const all = figureNames.map((name) => [
    name,
    cells.reduce((sum, cell) => sum + (cell.figures[name] ?? 0), 0),
  ])
  return Object.fromEntries(all.filter(([, amount]) => amount !== 0))
}

/** What the kinds of work cost. */
function costs({ cells }: AgentInsight): Partial<Record<WorkKind, number>> {
  const sum: Partial<Record<WorkKind, number>> = {}
  for (const { work } of cells)
    for (const [kind, { costUsd }] of Object.entries(work))
      sum[kind as WorkKind] = (sum[kind as WorkKind] ?? 0) + costUsd
  return sum
}

const START = new Date(2026, 10, 25, 12).getTime()
const newLog = () => new SampleLog({ now: START, step: 0 })
const ofMain = (log: SampleLog) => insightAfter(log.events.filter(({ agentId }) => agentId === 'main'))
const tool = (name: string, more: object = {}) => ({ tool: name, summary: 'x', note: 'done', ms: 0, ...more })

describe('the insight of an agent', () => {
  test('has its tokens, cost, turns, calls and runs', () => {
    const log = newLog().begins('Fix it.')
    log.answers('main', { tools: [tool('Read'), tool('Bash', { isError: true })], tokens: 1000, cost: 0.5 })
    log.answers('main', { text: 'Done.', tokens: 1000, cost: 0.25 })
    log.pass(4000).ends('main', 'Done.')
    expect(sums(ofMain(log))).toEqual({
      ...{ input: 180, output: 200, cacheRead: 1460, cacheWrite: 160, countedTokens: 726 },
      ...{ costUsd: 0.75, workedMs: 4000, turns: 2, runs: 1, calls: 2, failedCalls: 1 },
    })
    expect(ofMain(log).cells).toMatchObject([
      { day: '2026-11-25', model: 'claude-sonnet-4-5', definition: 0 },
    ])
  })

  test('divides the cost of a request among the kinds of the calls in its answer', () => {
    const log = newLog().begins('Fix it.')
    log.answers('main', { tools: [tool('Read'), tool('Grep'), tool('Edit'), tool('Bash')], cost: 0.4 })
    log.answers('main', { calls: [{ agentId: 'one', type: 'Explore', task: 'Look' }], cost: 0.2 })
    log.answers('main', { tools: [tool('mcp__web__get')], cost: 0.1 })
    log.answers('main', { text: 'Done.', cost: 0.3 })
    const found = costs(ofMain(log))
    expect(found).toEqual({
      ...{ read: expect.closeTo(0.2), edit: expect.closeTo(0.1), command: expect.closeTo(0.1) },
      ...{ agent: expect.closeTo(0.2), other: expect.closeTo(0.1), text: expect.closeTo(0.3) },
    })
  })

  test('counts a request that a tool made for the tool, under the model that answered it', () => {
    const log = newLog().begins('Look it up.')
    log.answers('main', { tools: [{ tool: 'WebFetch', summary: 'x' }], cost: 0.1 })
    log.add('main', 'model-asked', { toolUseId: 'toolu_1', model: 'claude-haiku-4-5', costUsd: 0.02 })
    const insight = ofMain(log)
    expect(costs(insight)).toEqual({ web: expect.closeTo(0.12) })
    expect(insight.cells.map(({ model, figures }) => [model, figures.costUsd])).toEqual([
      ['claude-sonnet-4-5', 0.1],
      ['claude-haiku-4-5', 0.02],
    ])
  })

  test('tells the wait for the user from the work, and how requests were answered', () => {
    const log = newLog().begins('Fix it.')
    for (const [id, more] of [
      ['p-1', {}],
      ['p-2', { decision: 'allow-always' }],
      ['p-3', { decision: 'deny' }],
      ['p-4', { answeredBy: 'rules' }],
      ['p-5', { decision: 'withdrawn' }],
    ] as const) {
      log.pass(1000).asks('main', id)
      log.status('main', 'waiting', 'permission')
      log.pass(5000).answered('main', id, more)
      log.status('main', 'running')
    }
    log.asks('main', 'p-6')
    expect(sums(ofMain(log))).toEqual({
      ...{ workedMs: 5000, waitedMs: 25_000, asked: 6 },
      ...{ allowedOnce: 1, allowedAlways: 1, denied: 1, decidedByRules: 1, withdrawn: 1 },
    })
  })

  test('does not count a call that the user denied as failed', () => {
    const log = newLog().begins('Fix it.')
    log.add('main', 'request-started')
    for (const id of ['p-1', 'p-2']) {
      log.asks('main', id)
      log.answered('main', id, { decision: id === 'p-1' ? 'deny' : 'allow-once' })
      log.add('main', 'tool-ended', { toolUseId: `t-${id}`, name: 'Bash', isError: true })
    }
    expect(sums(ofMain(log))).toMatchObject({ calls: 2, failedCalls: 1, denied: 1 })
  })

  test('tells retries apart, and does not count a request that is given up', () => {
    const log = newLog().begins('Fix it.')
    for (const [attempt, type] of ['rate-limited', 'overloaded', 'connection', 'connection'].entries()) {
      log.add('main', 'request-started', { attempt: attempt + 1 })
      const retryAt = attempt === 3 ? null : START + 9000
      log.add('main', 'request-failed', { attempt: attempt + 1, failure: { type, message: '' }, retryAt })
    }
    log.ends('main', '', 'failed', 'No connection.')
    expect(sums(ofMain(log))).toEqual({
      ...{ turns: 1, rateLimited: 1, overloaded: 1, otherRetries: 1, runs: 1, failedRuns: 1 },
    })
  })

  test('counts each turn of a main agent as a run, and its wait for the next message not at all', () => {
    const log = newLog().begins('One.')
    log.answers('main', { text: 'Done.' })
    log.pass(1000).status('main', 'waiting', 'message')
    log.pass(90_000).status('main', 'running')
    log.answers('main', { text: 'Done.' })
    log.pass(1000).status('main', 'waiting', 'message')
    log.pass(90_000).ends('main', 'Done.')
    expect(sums(ofMain(log))).toMatchObject({ runs: 2, workedMs: 2000 })
    expect(sums(ofMain(log))).not.toHaveProperty('waitedMs')
  })

  test('ends with the last event of a program that died, also while it waited for the user', () => {
    const log = newLog().begins('Fix it.')
    log.add('main', 'request-started')
    log.pass(1000).asks('main', 'p-1')
    log.status('main', 'waiting', 'permission')
    log.pass(90_000_000).ends('main', '', 'interrupted')
    expect(sums(ofMain(log))).toEqual({ asked: 1, turns: 1, workedMs: 1000, runs: 1, failedRuns: 1 })
    expect(ofMain(log).cells.map(({ day }) => day)).toEqual(['2026-11-25'])
  })

  test('counts no time twice after the clock went back', () => {
    const log = newLog().begins('Fix it.')
    for (const ms of [10_000, -8000, 8000]) log.pass(ms).add('main', 'notice')
    expect(sums(ofMain(log))).toEqual({ workedMs: 10_000 })
  })

  test('belongs to the day and the definition of each event', () => {
    const log = newLog().begins('Fix it.')
    log.answers('main', { text: 'One.', cost: 1 })
    log.pass(24 * 3_600_000)
    log.add('main', 'definition-renewed', { definition: sampleDefinition({ name: 'main', digest: 'b2' }) })
    log.answers('main', { text: 'Two.', cost: 2 })
    const { cells, definitions } = ofMain(log)
    const told = cells.map(({ day, definition, figures }) => [
      day,
      definitions[definition]?.digest,
      figures.costUsd,
    ])
    expect(told).toEqual([
      ['2026-11-25', '', 1],
      ['2026-11-26', 'b2', 2],
    ])
  })

  test('leaves out the calls that a branch copied from its original', () => {
    const log = newLog().begins('Fix it.')
    log.uses('main', 't-1')
    log.add('main', 'tool-ended', { toolUseId: 't-1', isError: true })
    log.answers('main', { tools: [tool('Read')] })
    expect(sums(ofMain(log))).toMatchObject({ calls: 1 })
    expect(sums(ofMain(log))).not.toHaveProperty('failedCalls')
  })

  test('keeps the cost of an external agent unknown until it tells one, which counts for all its calls', () => {
    const log = newLog()
    const program = { command: 'gemini', args: [], env: {} }
    log.starts({ id: 'main', name: 'gemini', color: 'blue', task: '', program, backing: 'acp' })
    log.add('main', 'request-started')
    const silent = { costUsd: null, usage: noUsage, model: 'gemini-pro' }
    const call = { type: 'tool_use', id: 't-1', name: 'acp_edit', input: {} } as const
    log.add('main', 'assistant-message', { ...silent, content: [call] })
    expect(ofMain(log)).toMatchObject({ isExternal: true, reportsCost: false })
    expect(sums(ofMain(log))).toEqual({ turns: 1, unpriced: 1 })
    log.add('main', 'assistant-message', { ...silent, content: [], costUsd: 0.3 })
    expect(ofMain(log).reportsCost).toBe(true)
    expect(costs(ofMain(log))).toEqual({ edit: 0.3 })
  })
})

// ---- Any list of events, also one that no runtime writes. ----

const types = Object.keys(sampleFields).filter(
  (type) => type !== 'agent-spawned',
) as readonly AgentEventType[]

interface Step {
  readonly type: AgentEventType
  readonly ms: number
  readonly pick: number
}

/** @param least by how much a clock goes on with an event, in ms; negative: it goes back */
const anyEvents = (least: number, most = 50_000_000): fc.Arbitrary<readonly AgentEvent[]> =>
  fc
    .array(
      fc.record({
        type: fc.oneof(
          fc.constantFrom<AgentEventType>('status-changed', 'request-started', 'assistant-message'),
          fc.constantFrom<AgentEventType>('tool-ended', 'permission-asked', 'permission-answered'),
          fc.constantFrom(...types),
        ),
        ms: fc.oneof(fc.integer({ min: least, max: 1000 }), fc.integer({ min: least, max: most })),
        pick: fc.nat({ max: 1000 }),
      }),
      { maxLength: 60 },
    )
    .map((steps) => {
      let at = START
      return [
        sampleEvent('agent-spawned', { agentId: 'main', seq: 0, at }),
        ...steps.map((one, index) => {
          at += one.ms
          return sampleEvent(one.type, { agentId: 'main', seq: index + 1, at, ...varied(one) }) as AgentEvent
        }),
      ]
    })

/** Fields that vary, each with more than one value. */
function varied({ type, pick }: Step): object {
  const of = <T>(...values: readonly T[]) => values[pick % values.length] as T
  const toolUseId = of('t-1', 't-2', 't-3')
  switch (type) {
    case 'status-changed': {
      const waitingFor = of(null, 'permission', 'message', 'children', 'limit', 'answer', null, null)
      return { status: waitingFor === null ? of('running', 'paused', 'queued') : 'waiting', waitingFor }
    }
    case 'permission-answered':
      return { toolUseId, decision: of('deny', 'allow-once', 'allow-always', 'withdrawn') }
    case 'request-started':
      return { model: of('sonnet', 'opus'), attempt: of(1, 2, 1) }
    case 'tool-ended':
      return { toolUseId, isError: pick % 2 === 0 }
    case 'model-asked':
    case 'assistant-message':
      return {
        ...{ toolUseId, costUsd: of(null, 0.5, -1, 0.25), usage: { ...noUsage, input: pick, output: -pick } },
        content: Array.from({ length: pick % 3 }, (_, index) => {
          return { type: 'tool_use', id: `t-${index}`, name: of('Read', 'Bash', 'Agent'), input: {} }
        }),
      }
    case 'agent-ended':
      return { status: of('completed', 'failed', 'stopped', 'interrupted') }
    default:
      return {}
  }
}

test('folding in one go equals folding in pieces that were kept on disk', () => {
  fc.assert(
    fc.property(anyEvents(-5000), fc.array(fc.nat({ max: 60 }), { maxLength: 4 }), (events, cuts) => {
      let insight = insightAfter(events.slice(0, 1))
      for (const [index, event] of events.entries()) {
        if (cuts.includes(index)) insight = JSON.parse(JSON.stringify(insight)) as AgentInsight
        addToInsight(insight, event)
        // An event that arrives twice is counted once.
        if (index % 7 === 0) addToInsight(insight, event)
      }
      expect(insight).toEqual(insightAfter(events))
    }),
    { numRuns: triesOf(500) },
  )
})

test('sums are those of the state of the agent, which the status bar shows', () => {
  fc.assert(
    fc.property(anyEvents(0), (events) => {
      const state = stateAfter(events)
      const insight = insightAfter(events)
      const found = { ...Object.fromEntries(figureNames.map((name) => [name, 0])), ...sums(insight) }
      const { input, output, cacheRead, cacheWrite } = state.usage
      expect(found).toMatchObject({ input, output, cacheRead, cacheWrite, turns: state.turns })
      expect(found['countedTokens']).toBe(state.countedTokens)
      expect(found['costUsd']).toBeCloseTo(state.costUsd)
      expect(found['unpriced'] === 0).toBe(state.priced)
      const worked = events.reduce<number>((most, _, index) => {
        const { workedMs, runStartedAt, heldAt, lastAt } = stateAfter(events.slice(0, index + 1))
        const now = runStartedAt === null ? 0 : Math.max(0, Math.min(lastAt, heldAt ?? lastAt) - runStartedAt)
        return Math.max(most, workedMs + now)
      }, 0)
      expect(found['workedMs']).toBe(worked)
      const byKind = Object.values(costs(insight)).reduce((sum, cost) => sum + cost, 0)
      expect(byKind).toBeCloseTo(state.costUsd)
    }),
    { numRuns: triesOf(300) },
  )
})

test('a clock that goes back makes no figure negative, no time longer, and no day earlier', () => {
  fc.assert(
    fc.property(anyEvents(-20_000_000, 20_000_000), (events) => {
      const { cells } = insightAfter(events)
      const times = events.map(({ at }) => at)
      const longest = Math.max(...times) - Math.min(...times)
      for (const { figures, day } of cells) {
        expect(Object.values(figures).every((amount) => amount > 0 && Number.isFinite(amount))).toBe(true)
        expect(day >= '2026-11-25').toBe(true)
      }
      expect(sums({ cells })['workedMs'] ?? 0).toBeLessThanOrEqual(longest)
      expect(sums({ cells })['waitedMs'] ?? 0).toBeLessThanOrEqual(longest)
    }),
    { numRuns: triesOf(500) },
  )
})
