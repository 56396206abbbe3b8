import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { DeltaBatch, WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { type DeltaPort, DeltaStream } from './delta-stream.ts'

/** A fake window: records its batches and acknowledges them on demand. */
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

const problem = (message: string): WindowDelta => ({ type: 'problem', message })
const event = (order: number, conversationId = 'c', agentId = 'a'): WindowDelta => ({
  type: 'event',
  conversationId,
  event: { v: 2, agentId, seq: order, order, at: 0, type: 'notice', level: 'info', text: '' } as AgentEvent,
})
const question = (order: number): WindowDelta => ({
  type: 'event',
  conversationId: 'c',
  event: { v: 2, agentId: 'a', seq: order, order, at: 0, type: 'permission-asked' } as AgentEvent,
})
const streamed = (append: string, agentId = 'a'): WindowDelta => ({
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
  test('deltas of one turn of the event loop share a batch', async () => {
    stream.push(problem('one'))
    stream.push(problem('two'))
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches).toEqual([{ batch: 1, deltas: [problem('one'), problem('two')] }])
  })

  test('the next batch waits for the acknowledgement and for its frame', async () => {
    stream.push(problem('one'))
    await vi.advanceTimersByTimeAsync(0)
    stream.push(problem('two'))
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(1)
    window.acknowledge()
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches).toHaveLength(2)
    window.acknowledge()
    stream.push(problem('three'))
    await vi.advanceTimersByTimeAsync(15)
    expect(window.batches).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(window.deltas).toEqual([problem('one'), problem('two'), problem('three')])
  })

  test('an acknowledgement of an older batch, or an invalid message, does not count', async () => {
    stream.push(problem('one'))
    await vi.advanceTimersByTimeAsync(0)
    stream.push(problem('two'))
    for (const data of [{ ack: 0 }, null, 'ack', { ack: '1' }, { release: 1 }]) window.say(data)
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(1)
  })

  test('a permission request does not wait for the frame, visible or hidden, and overtakes nothing', async () => {
    await join(stream)
    stream.push(problem('one'))
    await vi.advanceTimersByTimeAsync(0)
    window.acknowledge()
    stream.setVisible(false)
    stream.push(event(1))
    stream.push(question(2))
    stream.push(question(3))
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches.map(({ deltas }) => deltas)).toEqual([
      [problem('one')],
      [event(1), question(2), question(3)],
    ])
    window.acknowledge()
    stream.push(event(4))
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(2)
  })

  test('permission requests that wait for the window come together', async () => {
    await join(stream)
    for (let order = 1; order <= 5; order++) {
      stream.push(question(order))
      await vi.advanceTimersByTimeAsync(0)
    }
    window.acknowledge()
    await vi.advanceTimersByTimeAsync(0)
    expect(window.batches.map(({ deltas }) => deltas)).toEqual([[question(1)], [2, 3, 4, 5].map(question)])
  })

  test('a permission request waits during a hold', async () => {
    await join(stream)
    const hold = stream.hold()
    stream.push(question(1))
    await vi.advanceTimersByTimeAsync(500)
    expect(window.batches).toHaveLength(0)
    stream.release(hold)
    await vi.advanceTimersByTimeAsync(0)
    expect(window.deltas).toEqual([question(1)])
  })

  test('a hidden window gets one batch a second, and the next at once when it is visible', async () => {
    stream.setVisible(false)
    for (let beat = 0; beat < 100; beat++) {
      stream.push(problem(String(beat)))
      await vi.advanceTimersByTimeAsync(20)
      if (window.batches.length > 0) window.acknowledge()
    }
    expect(window.batches.length).toBeLessThanOrEqual(3)
    stream.push(problem('last'))
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

  test('without deltas there is no timer', async () => {
    stream.push(problem('one'))
    await vi.advanceTimersByTimeAsync(0)
    window.acknowledge()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('conversations', () => {
  test('only deltas of joined conversations are sent', async () => {
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

  test('events during the snapshot follow it without a gap or a duplicate', async () => {
    let finish = (_: Result<ConversationSnapshot>): void => {}
    const joining = stream.join('c', () => new Promise((resolve) => (finish = resolve)))
    for (const order of [7, 8, 9, 10]) stream.push(event(order))
    finish(snapshot(8))
    await joining
    stream.push(event(11))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([event(9), event(10), event(11)])
  })

  test('after a failed snapshot the window has not joined', async () => {
    await stream.join('c', async () => ({ ok: false, failure: { type: 'not-found', message: '' } }))
    await expect(stream.join('c', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    stream.push(event(1))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([])
  })

  test('a conversation that was left or joined again during its snapshot', async () => {
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
    stream.push(streamed('still watched'))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([event(3), streamed('still watched')])
  })
})

describe('live events', () => {
  beforeEach(async () => {
    await join(stream)
  })

  test('are sent for watched agents only', async () => {
    stream.push(streamed('unseen'))
    stream.watch('c', ['b'])
    stream.push(streamed('unseen'))
    stream.push(streamed('seen', 'b'))
    stream.watch('c', ['a'])
    stream.push(streamed('seen'))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([streamed('seen')])
  })

  test('that the transcript page contains are not sent again', async () => {
    stream.watch('c', ['a', 'b'])
    stream.push(streamed('Hel'))
    stream.push(streamed('x', 'b'))
    stream.push(printed('out'))
    stream.push(printed('of another tool', 'u'))
    stream.watchFrom('c', 'a', [
      { type: 'live-block', agentId: 'a', index: 0, kind: 'text', name: '', append: 'Hel' },
      { type: 'live-output', agentId: 'a', toolUseId: 't', append: 'out' },
    ])
    stream.push(streamed('lo'))
    await vi.advanceTimersByTimeAsync(16)
    expect(window.deltas).toEqual([streamed('x', 'b'), printed('of another tool', 'u'), streamed('lo')])
  })
})

describe('the lines of agents without a panel', () => {
  beforeEach(async () => {
    await join(stream)
  })
  const line = (text: string, agentId = 'a'): WindowDelta => ({
    type: 'live-line',
    conversationId: 'c',
    agentId,
    line: text,
  })
  const writing = (append: string): WindowDelta => ({
    type: 'live',
    conversationId: 'c',
    event: { type: 'live-block', agentId: 'a', index: 1, kind: 'tool', name: 'Write', append },
  })
  const sent = async () => {
    const before = window.deltas.length
    await vi.advanceTimersByTimeAsync(420)
    window.acknowledge()
    return window.deltas.slice(before)
  }

  test('follow the stream, at most one in 400 ms', async () => {
    for (const word of ['First line.\nI look', ' at', ' the\n', 'routes']) stream.push(streamed(word))
    stream.push(streamed('elsewhere', 'b'))
    await vi.advanceTimersByTimeAsync(390)
    expect(window.deltas).toEqual([])
    expect(await sent()).toEqual([line('routes'), line('elsewhere', 'b')])
    stream.push(streamed(' and tests\n\n'))
    expect(await sent()).toEqual([line('routes and tests')])
    stream.push(streamed('\n'))
    expect(await sent()).toEqual([])
    stream.push(writing('{"file_path":"/a'))
    expect(await sent()).toEqual([line('preparing Write')])
    stream.push(printed('12 passed\n'))
    expect(await sent()).toEqual([line('12 passed')])
  })

  test('show the end of a long line, from the start of a word', async () => {
    stream.push(streamed('many words '.repeat(200)))
    stream.push(streamed('to the end'))
    const [delta] = await sent()
    const text = delta?.type === 'live-line' ? delta.line : ''
    expect(text).toMatch(/^… (many|words) .*many words to the end$/)
    expect(text.length).toBeLessThan(170)
  })

  test('end with an event, a panel, a discarded message, or another conversation', async () => {
    const cases: (() => void)[] = [
      () => stream.push(event(9)),
      () => stream.watch('c', ['a']),
      () =>
        stream.push({
          type: 'live',
          conversationId: 'c',
          event: { type: 'live-clear', agentId: 'a', reason: 'retry' },
        }),
      () => stream.leave('c'),
    ]
    for (const end of cases) {
      stream.push(streamed('gone'))
      end()
      const types = (await sent()).map(({ type }) => type)
      expect(types).not.toContain('live-line')
    }
  })

  test('of a slow window merge into the last one', async () => {
    stream.push(problem('not acknowledged'))
    await vi.advanceTimersByTimeAsync(20)
    for (const word of ['one', ' two', ' three']) {
      stream.push(streamed(word))
      await vi.advanceTimersByTimeAsync(500)
    }
    window.acknowledge()
    expect(await sent()).toEqual([line('one two three')])
  })
})

describe('holds', () => {
  test('nothing is sent before the window has the answer that deltas continue', async () => {
    const [first, second] = [stream.hold(), stream.hold()]
    stream.push(problem('after'))
    window.say({ release: second })
    window.say({ release: 99 })
    await vi.advanceTimersByTimeAsync(100)
    expect(window.batches).toEqual([])
    window.say({ release: first })
    await vi.advanceTimersByTimeAsync(0)
    expect(window.deltas).toEqual([problem('after')])
  })
})

test('a new page starts afresh: no port, no conversation, no hold', async () => {
  await join(stream)
  stream.hold()
  stream.push(event(1))
  stream.reset()
  expect(window.closed).toBe(true)
  const next = new FakeWindow()
  stream.attach(next)
  stream.push(event(2))
  stream.push(problem('new'))
  await vi.advanceTimersByTimeAsync(16)
  expect(next.deltas).toEqual([problem('new')])
  window.say({ ack: 1 })
  stream.push(problem('waits for the new page'))
  await vi.advanceTimersByTimeAsync(100)
  expect(next.batches).toHaveLength(1)
})
