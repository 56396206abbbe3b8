import { expect, test } from 'vitest'
import type { ModelRequest } from '../../runtime/ports/model.ts'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { createAnthropicClient } from './anthropic-client.ts'

/** About 50,000 tokens. */
const LONG = 'word '.repeat(40_000)

const asking = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-sonnet-5-5',
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: LONG }] }],
  toolChoice: 'auto',
  ...more,
})

const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`
const ANSWER = [
  { type: 'message_start', message: { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
].map(event)

/** A server on a clock that the test advances. It answers with these pieces, or never. */
async function opened(pieces: readonly string[] | null) {
  // The first use of the client loads it, which takes real time.
  await import('./sdk-client.ts')
  const time = createHandClock()
  const to: { pieces: readonly string[] | null; stream: ReadableStreamDefaultController | null } = {
    pieces,
    stream: null,
  }
  const client = createAnthropicClient({
    apiKey: 'test-key',
    baseUrl: 'http://127.0.0.1:1',
    clock: time.clock,
    fetch: (_, init) =>
      new Promise((resolve, reject) => {
        if (init?.signal?.aborted) reject(new Error('aborted'))
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        if (to.pieces === null) return
        const body = new ReadableStream({
          start(stream) {
            to.stream = stream
            for (const piece of to.pieces ?? []) stream.enqueue(new TextEncoder().encode(piece))
            if (to.pieces === ANSWER) stream.close()
            init?.signal?.addEventListener('abort', () => stream.error(new Error('aborted')))
          },
        })
        resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
      }),
  })
  const signal = new AbortController().signal
  const ask = (request = asking()) => client.request(request, { signal, onDelta() {} })
  /** The failure of a request, and when it came, in ms. */
  const failing = async (request = asking()) => {
    const begun = time.clock.now()
    const asked = ask(request).then((result) => ({
      ms: time.clock.now() - begun,
      message: result.ok ? '' : result.failure.message,
    }))
    for (let second = 1; second <= 700; second += 1) await time.until(begun + second * 1000)
    return await asked
  }
  return { time, to, ask, failing }
}

test('the wait for the first byte grows with the tokens that the server has not kept', async () => {
  const { time, to, ask, failing } = await opened(null)
  const { ms, message } = await failing()
  expect(ms).toBeGreaterThanOrEqual(69_000)
  expect(ms).toBeLessThanOrEqual(71_000)
  expect(message).toMatch(/stalled: no data for (69|70)(\.\d)? s/)

  to.pieces = ANSWER
  expect((await ask()).ok).toBe(true)
  to.pieces = null
  expect((await failing()).ms).toBeLessThanOrEqual(61_000)
  await time.until(time.clock.now() + 5 * 60_000)
  expect((await failing()).ms).toBeGreaterThanOrEqual(69_000)
})

test('a stream with nothing but pings ends', async () => {
  const { time, to, failing } = await opened([...ANSWER.slice(0, 1)])
  const pinging = (async () => {
    for (;;) {
      await time.clock.sleep(20_000, new AbortController().signal)
      try {
        to.stream?.enqueue(new TextEncoder().encode(event({ type: 'ping' })))
      } catch {
        return
      }
    }
  })()
  const { ms, message } = await failing()
  expect(message).toContain('stalled: only pings for 61')
  expect(ms).toBeLessThanOrEqual(612_000)
  await pinging
})
