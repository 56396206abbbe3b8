/** A server with the Messages API as people run it on their own machine: less strict than the API, and often worse. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * `text`: writes a tool call as text. `no-usage`: counts no tokens. `bad-json`: sends broken tool input. `whole`: does
 * not stream. `not-found`: has no such address. `silent`: accepts the request and sends nothing.
 */
export type LocalServerMode =
  | 'good'
  | 'text'
  | 'no-usage'
  | 'bad-json'
  | 'whole'
  | 'not-found'
  | 'silent'
  | 'limited'

export interface LocalModelServer {
  readonly baseUrl: string
  readonly requests: readonly { readonly headers: IncomingHttpHeaders; readonly body: LocalBody }[]
  mode: LocalServerMode
  close(): Promise<void>
}

interface LocalBody {
  readonly model: string
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly [key: string]: unknown
}

/** `says`: the text of its answers where it calls no tool. */
export async function startLocalModelServer(
  mode: LocalServerMode = 'good',
  says = 'The sum is 42.',
): Promise<LocalModelServer> {
  const requests: { headers: IncomingHttpHeaders; body: LocalBody }[] = []
  const server = createServer((request, response) => {
    void text(request).then((given) => {
      const body: LocalBody = given === '' ? { model: '', messages: [] } : JSON.parse(given)
      requests.push({ headers: request.headers, body })
      if (made.mode === 'silent') return
      if (made.mode === 'not-found') {
        response.writeHead(404).end('404 page not found')
        return
      }
      if (made.mode === 'limited') {
        response
          .writeHead(429, { 'content-type': 'application/json', 'retry-after': '30' })
          .end('{"type":"error","error":{"type":"rate_limit_error","message":"busy"}}')
        return
      }
      if (made.mode === 'whole') {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ type: 'message', content: [{ type: 'text', text: says }] }))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        eventsOf(body, made.mode, says)
          .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
          .join(''),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const made: LocalModelServer = {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    mode,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return made
}

type StreamEvent = { readonly type: string; readonly [key: string]: unknown }

function eventsOf(body: LocalBody, mode: LocalServerMode, says: string): readonly StreamEvent[] {
  const last = JSON.stringify(body.messages.at(-1)?.content ?? '')
  const tool = body.tools?.find(({ name }) => name === 'add')
  const calls = tool !== undefined && !last.includes('tool_result')
  const usage = mode === 'no-usage' ? {} : { usage: { input_tokens: 20, output_tokens: 5 } }
  const block =
    calls && mode !== 'text'
      ? {
          start: { type: 'tool_use', id: 'call_1', name: 'add', input: {} },
          delta: {
            type: 'input_json_delta',
            partial_json: mode === 'bad-json' ? '{"a": 19, b' : '{"a": 19, "b": 23}',
          },
          stop: 'tool_use',
        }
      : {
          start: { type: 'text', text: '' },
          delta: {
            type: 'text_delta',
            text: calls ? '{"name": "add", "arguments": {"a": 19, "b": 23}}' : says,
          },
          stop: 'end_turn',
        }
  return [
    { type: 'message_start', message: { id: 'msg_1', model: body.model, ...usage } },
    { type: 'content_block_start', index: 0, content_block: block.start },
    { type: 'content_block_delta', index: 0, delta: block.delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: block.stop }, ...usage },
    { type: 'message_stop' },
  ]
}
