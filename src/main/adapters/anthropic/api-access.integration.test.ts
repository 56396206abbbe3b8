/** What leaves the program: the credential in one header, and never to the address of a redirect. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { asks, realClock } from '../rehearsal/testing/rehearsed-client.ts'
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
