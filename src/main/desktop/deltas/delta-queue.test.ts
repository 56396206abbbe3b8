import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { DeltaQueue, OUTPUT_LIMIT } from './delta-queue.ts'

const live = (event: LiveEvent): WindowDelta => ({ type: 'live', conversationId: 'c', event })
const block = (agentId: string, index: number, append: string): WindowDelta =>
  live({ type: 'live-block', agentId, index, kind: 'text', name: '', append })
const output = (agentId: string, toolUseId: string, append: string): WindowDelta =>
  live({ type: 'live-output', agentId, toolUseId, append })
const clear = (agentId: string): WindowDelta => live({ type: 'live-clear', agentId, reason: 'finished' })
const notice = (agentId: string, order: number): WindowDelta => ({
  type: 'event',
  conversationId: 'c',
  event: { v: 2, agentId, seq: order, order, at: 0, type: 'notice', level: 'info', text: '' } as AgentEvent,
})
const conversation = (id: string, title: string): WindowDelta => ({
  type: 'conversation',
  summary: { id, title } as ConversationSummary,
})

function merged(...deltas: readonly WindowDelta[]): readonly WindowDelta[] {
  const queue = new DeltaQueue()
  for (const delta of deltas) queue.push(delta)
  expect(queue.size).toBe(queue.take(Number.POSITIVE_INFINITY).length)
  for (const delta of deltas) queue.push(delta)
  return queue.take(Number.POSITIVE_INFINITY)
}

describe('merging', () => {
  test('appends to one block become one append, even with other agents in between', () => {
    expect(merged(block('a', 0, 'Hel'), block('b', 0, 'x'), notice('b', 1), block('a', 0, 'lo'))).toEqual([
      block('a', 0, 'Hello'),
      block('b', 0, 'x'),
      notice('b', 1),
    ])
  })

  test('text does not overtake its agent’s events', () => {
    const deltas = [block('a', 0, 'before'), notice('a', 1), block('a', 0, 'after')]
    expect(merged(...deltas)).toEqual(deltas)
  })

  test('void text is not sent, but the event that voids it is', () => {
    expect(merged(block('a', 0, 'x'), block('b', 0, 'y'), output('a', 't', 'o'), clear('a'))).toEqual([
      block('b', 0, 'y'),
      output('a', 't', 'o'),
      clear('a'),
    ])
    expect(merged(block('a', 0, 'x'), clear('a'), block('a', 0, 'new'))).toEqual([
      clear('a'),
      block('a', 0, 'new'),
    ])
  })

  test('only the last value of a state is sent', () => {
    expect(merged(conversation('c', 'one'), notice('a', 1), conversation('c', 'two'))).toEqual([
      notice('a', 1),
      conversation('c', 'two'),
    ])
    const line = (text: string): WindowDelta => ({ type: 'status-line', text, problem: null })
    expect(merged(line('one'), notice('a', 1), line('two'))).toEqual([notice('a', 1), line('two')])
    expect(merged(conversation('c', 'one'), { type: 'conversation-gone', conversationId: 'c' })).toEqual([
      { type: 'conversation-gone', conversationId: 'c' },
    ])
  })

  test('long output keeps its end and says how much is left out', () => {
    const line = `${'x'.repeat(99)}\n`
    const [delta] = merged(
      ...Array.from({ length: 5000 }, () => output('a', 't', line)),
      output('a', 't', 'end'),
    )
    const text = delta?.type === 'live' && delta.event.type === 'live-output' ? delta.event.append : ''
    expect(text.length).toBeLessThanOrEqual(OUTPUT_LIMIT + 100)
    expect(text.endsWith('\nend')).toBe(true)
    const [first = '', second] = text.split('\n')
    expect(second).toBe('x'.repeat(99))
    const skipped = Number(first.replaceAll(/\D/g, ''))
    expect(skipped + text.length - first.length - 1).toBe(5000 * 100 + 3)
  })
})

test('taking a part leaves the rest to merge further', () => {
  const queue = new DeltaQueue()
  for (const delta of [notice('a', 1), notice('a', 2), block('a', 0, 'x')]) queue.push(delta)
  expect(queue.take(1)).toEqual([notice('a', 1)])
  expect(queue.size).toBe(2)
  queue.push(conversation('c', 'one'))
  queue.push(conversation('c', 'two'))
  queue.drop((delta) => delta.type === 'live')
  queue.push(conversation('c', 'three'))
  expect(queue.take(9)).toEqual([notice('a', 2), conversation('c', 'three')])
  expect(queue.size).toBe(0)
})

// ---- Any interleaving: merged deltas give the window the same state as all deltas ----

/** A window's state. Each durable event also records the output of its agent's tools so far. */
function windowAfter(deltas: readonly WindowDelta[]) {
  const blocks = new Map<string, string>()
  const outputs = new Map<string, string>()
  const events: unknown[] = []
  const titles = new Map<string, string | null>()
  const messages: string[] = []
  for (const delta of deltas) {
    if (delta.type === 'event') {
      const printed = [...outputs].filter(([key]) => key.startsWith(`${delta.event.agentId} `)).sort()
      events.push([delta.event, printed])
    } else if (delta.type === 'conversation') titles.set(delta.summary.id, delta.summary.title)
    else if (delta.type === 'conversation-gone') titles.set(delta.conversationId, null)
    else if (delta.type === 'problem') messages.push(delta.message)
    else if (delta.type === 'live') {
      const { event } = delta
      if (event.type === 'live-output') {
        const key = `${event.agentId} ${event.toolUseId}`
        outputs.set(key, (outputs.get(key) ?? '') + event.append)
      } else if (event.type === 'live-block') {
        const key = `${event.agentId} ${event.index}`
        blocks.set(key, (blocks.get(key) ?? '') + event.append)
      } else for (const key of [...blocks.keys()]) if (key.startsWith(`${event.agentId} `)) blocks.delete(key)
    }
  }
  const sorted = <T>(map: Map<string, T>) => [...map].sort(([a], [b]) => a.localeCompare(b))
  return { blocks: sorted(blocks), outputs: sorted(outputs), events, titles: sorted(titles), messages }
}

const agent = fc.constantFrom('a', 'b', 'c')
const text = fc.string({ minLength: 1, maxLength: 3 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(agent, fc.nat(2), text).map(([id, index, append]) => block(id, index, append)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(agent, fc.constantFrom('t', 'u'), text)
      .map(([id, use, append]) => output(id, use, append)),
  },
  { weight: 1, arbitrary: agent.map(clear) },
  { weight: 2, arbitrary: fc.tuple(agent, fc.nat(1e6)).map(([id, order]) => notice(id, order)) },
  { weight: 1, arbitrary: fc.tuple(agent, text).map(([id, title]) => conversation(id, title)) },
  {
    weight: 1,
    arbitrary: agent.map((conversationId): WindowDelta => ({ type: 'conversation-gone', conversationId })),
  },
  { weight: 1, arbitrary: text.map((message): WindowDelta => ({ type: 'problem', message })) },
  /** The size of the batches that the window takes. */
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) },
)

test('any merging and any batch size lead to the same state', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new DeltaQueue()
      const told: WindowDelta[] = []
      const all: WindowDelta[] = []
      for (const one of steps) {
        if (typeof one === 'number') told.push(...queue.take(one))
        else {
          all.push(one)
          queue.push(one)
        }
      }
      told.push(...queue.take(Number.POSITIVE_INFINITY))
      expect(windowAfter(told)).toEqual(windowAfter(all))
      expect(told.length).toBeLessThanOrEqual(all.length)
    }),
    { numRuns: triesOf(2000) },
  )
})
