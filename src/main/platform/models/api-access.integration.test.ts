/** The credential is sent in one header, and never to the address of a redirect. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { asks, realClock } from '../../features/rehearsal/testing/rehearsed-client.ts'
import { type AnthropicClientOptions, createAnthropicClient } from './anthropic-client.ts'

const KEY = 'sk-ant-canary-0123456789'
const never = () => new AbortController().signal

/** A server on a port of its own, and the headers that it received. */
async function serverOf(answer: RequestListener) {
  const received: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, received }
}

const clientOf = (options: Partial<AnthropicClientOptions>) =>
  createAnthropicClient({ apiKey: KEY, clock: realClock, ...options })

const answered: RequestListener = (_, response) =>
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(
      [
        { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Run rm -rf.' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        { type: 'message_stop' },
      ]
        .map((data) => `data: ${JSON.stringify(data)}\n\n`)
        .join(''),
    )

test.each([300, 301, 302, 303, 307, 308])(
  'a redirect with %i is refused and names its address',
  async (status) => {
    const other = await serverOf(answered)
    const api = await serverOf((_, response) =>
      response.writeHead(status, { location: `${other.url}/v1/messages?token=abc` }).end('moved'),
    )
    const client = clientOf({ baseUrl: api.url })
    const sent = await client.request(asks(), { signal: never(), onDelta: () => {} })
    expect(sent).toMatchObject({
      ok: false,
      failure: { type: 'redirected', status, message: expect.stringContaining(`${other.url}/v1/messages`) },
    })
    expect(sent.ok ? '' : sent.failure.message).not.toContain('abc')
    expect(await client.listModels(never())).toMatchObject({ failure: { type: 'redirected' } })
    expect(other.received).toEqual([])
  },
)

test('the address of a redirect is shown without credentials', async () => {
  const shown = async (location: string) => {
    const api = await serverOf((_, response) => response.writeHead(307, { location }).end())
    const sent = await clientOf({ baseUrl: api.url }).request(asks(), { signal: never(), onDelta: () => {} })
    return sent.ok ? '' : sent.failure.message
  }
  expect(await shown(`http://user:${KEY}@other.test/a?key=${KEY}#${KEY}`)).toContain('http://other.test/a.')
  expect(await shown(`http://${KEY}.other.test/${KEY.toUpperCase()}`)).toContain('http://***.other.test/***.')
  expect(await shown('/elsewhere')).toMatch(/http:\/\/127\.0\.0\.1:\d+\/elsewhere\./)
  expect(await shown('http://[')).toContain('an invalid address')
  expect((await shown(`http://other.test/${'x'.repeat(5000)}`)).length).toBeLessThan(500)
})

describe('one kind of credential is sent', () => {
  const ANTHROPIC = 'https://api.anthropic.com'
  /** The headers of one request to that address. */
  async function sentTo(baseUrl: string, options: Partial<AnthropicClientOptions>) {
    const seen: Headers[] = []
    const client = clientOf({
      ...options,
      baseUrl,
      fetch: async (_, init) => {
        seen.push(new Headers(init?.headers))
        return new Response('{}', { status: 401 })
      },
    })
    await client.request(asks(), { signal: never(), onDelta: () => {} })
    return { key: seen[0]?.get('x-api-key'), bearer: seen[0]?.get('authorization') }
  }

  test.each([ANTHROPIC, 'https://gateway.test', 'http://127.0.0.1:9'])('to %s', async (address) => {
    const key = { key: KEY, bearer: null }
    const bearer = { key: null, bearer: `Bearer ${KEY}` }
    expect(await sentTo(address, {})).toEqual(key)
    expect(await sentTo(address, { apiKey: null, authToken: KEY })).toEqual(bearer)
    expect(await sentTo(address, { apiKey: ' ', authToken: KEY })).toEqual(bearer)
    expect(await sentTo(address, { authToken: 'other' })).toEqual(key)
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'authorization: Bearer other\nX-Api-Key: other')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await sentTo(address, {})).toEqual(key)
    expect(await sentTo(address, { apiKey: null, authToken: KEY })).toEqual(bearer)
  })
})

describe('a response is bounded', () => {
  /** Writes `piece` until the client has closed the connection. */
  const endless =
    (status: number, type: string, piece: string): RequestListener =>
    (_, response) => {
      response.writeHead(status, { 'content-type': type })
      const write = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', write)
      write()
    }

  async function failureOf(answer: RequestListener) {
    let closed = 0
    const api = await serverOf((request, response) => {
      response.once('close', () => closed++)
      answer(request, response)
    })
    const client = clientOf({ baseUrl: api.url })
    const cpu = process.cpuUsage()
    const sent = await client.request(asks(), { signal: never(), onDelta: () => {} })
    const seconds = process.cpuUsage(cpu).user / 1e6
    if (sent.ok) throw new Error('it did not fail')
    await expect.poll(() => closed).toBe(1)
    return { failure: sent.failure, seconds }
  }

  test('a page full of titles costs no time', async () => {
    const page =
      (piece: string): RequestListener =>
      (_, response) =>
        response.writeHead(502, { 'content-type': 'text/html' }).end(piece.repeat(3_000_000 / piece.length))
    for (const piece of ['<title', '<title ', '<', 'exceeds the model maximum ', ' \n']) {
      const { failure, seconds } = await failureOf(page(piece))
      expect(failure).toMatchObject({ type: 'server', status: 502 })
      expect(failure.message.length).toBeLessThan(1000)
      expect(seconds).toBeLessThan(5)
    }
  })

  test.each([
    ['an error page', endless(502, 'text/html', '<title>Bad gateway</title>'.padEnd(65_536, '<p>'))],
    ['an error of the API', endless(500, 'application/json', '['.repeat(65_536))],
    ['a page with status 200', endless(200, 'text/html', '<p>'.repeat(20_000))],
    ['a line', endless(200, 'text/event-stream', `data: ${'x'.repeat(65_536)}`)],
    ['an event of many lines', endless(200, 'text/event-stream', `data: ${'x'.repeat(65_536)}\n`)],
    ['a stream of events', endless(200, 'text/event-stream', 'data: {"type":"ping"}\n\n'.repeat(3000))],
    ['a comment', endless(200, 'text/event-stream', ':'.repeat(65_536))],
  ])('%s without an end is cut, and the connection closed', async (_, answer) => {
    const { failure } = await failureOf(answer)
    expect(failure.type).toBe('server')
    expect(failure.message.length).toBeLessThan(1000)
  })

  test('a compressed line is bounded by its decoded size', async () => {
    const bomb = gzipSync(`data: ${'x'.repeat(200_000_000)}`, { level: 1 })
    const before = process.memoryUsage().arrayBuffers
    const { failure } = await failureOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.end(bomb)
    })
    expect(failure).toMatchObject({ type: 'server', message: expect.stringContaining('more than 16 MB') })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
  })

  test('a list of models is bounded', async () => {
    const api = await serverOf(endless(200, 'application/json', `{"data":[${'"x",'.repeat(10_000)}`))
    expect(await clientOf({ baseUrl: api.url }).listModels(never())).toMatchObject({
      ok: false,
      failure: { type: 'server' },
    })
  })
})
