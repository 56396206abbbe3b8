import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import type { ConversationSnapshot, DeltaBatch, WindowDelta } from '../../../shared/ipc-contract.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { type DeltaPort, DeltaStream } from './delta-stream.ts'

/** A window: remembers its batches, and acknowledges them when the test says so. */
class FakeWindow implements DeltaPort {
  readonly batches: DeltaBatch[] = []
  closed = false
  private listener: (message: { readonly data: unknown }) => void = () => {}
  postMessage(batch: DeltaBatch): void {
    this.batches.push(batch)
  }
  on(_event: 'message', listener: (message: { readonly data: unknown }) => void): void {
    this.listener = listener
  }
  start(): void {}
  close(): void {
    this.closed = true
  }
  say(data: unknown): void {
    this.listener({ data })
  }
  acknowledge(): void {
    this.say({ ack: this.batches.at(-1)?.batch })
  }
  get deltas(): readonly WindowDelta[] {
    return this.batches.flatMap((batch) => batch.deltas)
  }
}

const trouble = (message: string): WindowDelta => ({ type: 'trouble', message })
const event = (order: number, conversationId = 'c', agentId = 'a'): WindowDelta => ({
  type: 'event',
  conversationId,
  event: { v: 1, agentId, seq: order, order, at: 0, type: 'notice', level: 'info', text: '' } as AgentEvent,
})
const question = (order: number): WindowDelta => ({
  type: 'event',
  conversationId: 'c',
  event: { v: 1, agentId: 'a', seq: order, order, at: 0, type: 'permission-asked' } as AgentEvent,
})
const words = (append: string, agentId = 'a'): WindowDelta => ({
  type: 'live',
  conversationId: 'c',
  event: { type: 'live-block', agentId, index: 0, kind: 'text', name: '', append },
})
const printed = (append: string, toolUseId = 't'): WindowDelta => ({
  type: 'live',
  conversationId: 'c',
  event: { type: 'live-output', agentId: 'a', toolUseId, append },
})
const snapshot = (order: number): Result<ConversationSnapshot> =>
  ok({ order, agents: [], queued: [], readOnly: false } as unknown as ConversationSnapshot)
const join = (stream: DeltaStream, order = 0) => stream.join('c', async () => snapshot(order))

let stream: DeltaStream
let window: FakeWindow

beforeEach(() => {
  vi.useFakeTimers()
  stream = new DeltaStream({ now: () => performance.now() })
  window = new FakeWindow()
  stream.attach(window)
})
afterEach(() => {
  stream.reset()
  vi.useRealTimers()
})

describe('batches', () => {
  test('what happens in one turn comes in one batch', async () => {
    stream.push(trouble('one'))
    stream.push(trouble('two'))
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches).toEqual([{ batch: 1, deltas: [trouble('one'), trouble('two')] }])
  })

  test('the next one waits until the last is acknowledged, and for its frame', async () => {
    stream.push(trouble('one'))
    await vi.advanceTimersByTimeAsync(0)
    stream.push(trouble('two'))
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(1)
    window.acknowledge()
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches).toHaveLength(2)
    window.acknowledge()
    stream.push(trouble('three'))
    await vi.advanceTimersByTimeAsync(15)
    expect(window.batches).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(window.deltas).toEqual([trouble('one'), trouble('two'), trouble('three')])
  })

  test('an acknowledgement of an older batch, or nonsense, does not count', async () => {
    stream.push(trouble('one'))
    await vi.advanceTimersByTimeAsync(0)
    stream.push(trouble('two'))
    for (const data of [{ ack: 0 }, null, 'ack', { ack: '1' }, { release: 1 }]) window.say(data)
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(1)
  })

  test('a question to the person does not wait for the frame, seen or hidden, and overtakes nothing', async () => {
    await join(stream)
    stream.push(trouble('one'))
    await vi.advanceTimersByTimeAsync(0)
    window.acknowledge()
    stream.setVisible(false)
    stream.push(event(1))
    stream.push(question(2))
    stream.push(question(3))
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches.map(({ deltas }) => deltas)).toEqual([
      [trouble('one')],
      [event(1), question(2), question(3)],
    ])
    window.acknowledge()
    stream.push(event(4))
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(2)
  })

  test('questions that the window has no time for yet come together', async () => {
    await join(stream)
    for (let order = 1; order <= 5; order++) {
      stream.push(question(order))
      await vi.advanceTimersByTimeAsync(0)
    }
    window.acknowledge()
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches.map(({ deltas }) => deltas)).toEqual([[question(1)], [2, 3, 4, 5].map(question)])
  })

  test('a question is held back like anything else while an answer is on its way', async () => {
    await join(stream)
    const hold = stream.hold()
    stream.push(question(1))
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(0)
    stream.release(hold)
    await vi.advanceTimersByTimeAsync(0)
    expect(window.deltas).toEqual([question(1)])
  })

  test('a hidden window is told once a second, and at once when it is seen again', async () => {
    stream.setVisible(false)
    for (let beat = 0; beat < 100; beat++) {
      stream.push(trouble(String(beat)))
      await vi.advanceTimersByTimeAsync(20)
      if (window.batches.length > 0) window.acknowledge()
    }
    expect(window.batches.length).toBeLessThanOrEqual(3)
    stream.push(trouble('last'))
    stream.setVisible(true)
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toHaveLength(101)
  })

  test('a backlog comes in parts', async () => {
    await join(stream)
    for (let order = 1; order <= 4500; order++) stream.push(event(order))
    for (const size of [2000, 2000, 500]) {
      await vi.advanceTimersByTimeAsync(16)
      expect(window.batches.at(-1)?.deltas).toHaveLength(size)
      window.acknowledge()
    }
  })

  test('without work there is no timer', async () => {
    stream.push(trouble('one'))
    await vi.advanceTimersByTimeAsync(0)
    window.acknowledge()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('conversations', () => {
  test('only those are sent that the window has joined', async () => {
    stream.push(event(1))
    await join(stream)
    stream.push(event(2))
    stream.push(event(3, 'other'))
    stream.leave('c')
    stream.push(event(4))
    await join(stream)
    stream.push(event(5))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([event(5)])
  })

  test('what happens while the snapshot is made follows it: no gap, nothing twice', async () => {
    let finish = (_: Result<ConversationSnapshot>): void => {}
    const joining = stream.join('c', () => new Promise((resolve) => (finish = resolve)))
    for (const order of [7, 8, 9, 10]) stream.push(event(order))
    finish(snapshot(8))
    await joining
    stream.push(event(11))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([event(9), event(10), event(11)])
  })

  test('a snapshot that fails or throws leaves the window outside', async () => {
    await stream.join('c', async () => ({ ok: false, failure: { type: 'not-found', message: '' } }))
    await expect(stream.join('c', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    stream.push(event(1))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([])
  })

  test('one that was left, or joined again, while its snapshot was made', async () => {
    const finish: ((result: Result<ConversationSnapshot>) => void)[] = []
    const slow = () => stream.join('c', () => new Promise((resolve) => finish.push(resolve)))
    const first = slow()
    stream.leave('c')
    finish[0]?.(snapshot(1))
    await first
    stream.push(event(2))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([])
    const [second, third] = [slow(), slow()]
    stream.push(event(3))
    finish[2]?.(snapshot(2))
    await third
    stream.watch('c', ['a'])
    finish[1]?.(snapshot(9))
    await second
    stream.push(words('still watched'))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([event(3), words('still watched')])
  })
})

describe('live events', () => {
  beforeEach(async () => {
    await join(stream)
  })

  test('only of agents that are watched', async () => {
    stream.push(words('unseen'))
    stream.watch('c', ['b'])
    stream.push(words('unseen'))
    stream.push(words('seen', 'b'))
    stream.watch('c', ['a'])
    stream.push(words('seen'))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([words('seen')])
  })

  test('what a page of the transcript already holds does not come once more', async () => {
    stream.watch('c', ['a', 'b'])
    stream.push(words('Hel'))
    stream.push(words('x', 'b'))
    stream.push(printed('out'))
    stream.push(printed('of another tool', 'u'))
    stream.watchFrom('c', 'a', [
      { type: 'live-block', agentId: 'a', index: 0, kind: 'text', name: '', append: 'Hel' },
      { type: 'live-output', agentId: 'a', toolUseId: 't', append: 'out' },
    ])
    stream.push(words('lo'))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([words('x', 'b'), printed('of another tool', 'u'), words('lo')])
  })
})

describe('holds', () => {
  test('nothing is sent before the window has the answers that deltas continue', async () => {
    const [first, second] = [stream.hold(), stream.hold()]
    stream.push(trouble('after'))
    window.say({ release: second })
    window.say({ release: 99 })
    await vi.advanceTimersByTimeAsync(100)
    expect(window.batches).toEqual([])
    window.say({ release: first })
    await vi.advanceTimersByTimeAsync(0)
    expect(window.deltas).toEqual([trouble('after')])
  })
})

test('a new page starts afresh: no port, no conversation, no hold of the old one', async () => {
  await join(stream)
  stream.hold()
  stream.push(event(1))
  stream.reset()
  expect(window.closed).toBe(true)
  const next = new FakeWindow()
  stream.attach(next)
  stream.push(event(2))
  stream.push(trouble('new'))
  await vi.advanceTimersByTimeAsync(16)
  expect(next.deltas).toEqual([trouble('new')])
  window.say({ ack: 1 })
  stream.push(trouble('waits for the new page'))
  await vi.advanceTimersByTimeAsync(100)
  expect(next.batches).toHaveLength(1)
})
