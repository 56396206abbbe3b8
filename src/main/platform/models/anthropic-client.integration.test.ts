import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ScriptedFault, ScriptedReply } from '../../features/rehearsal/director.ts'
import { startScriptedServer } from '../../features/rehearsal/feature.ts'
import {
  asks,
  inTurn,
  realClock,
  rehearsed,
  says,
} from '../../features/rehearsal/testing/rehearsed-client.ts'
import type { ModelFailure, ModelMessage, StopReason, ToolResultBlock } from '../../runtime/ports/model.ts'
import { createAnthropicClient } from './anthropic-client.ts'

const hello: ScriptedReply = { blocks: [{ type: 'text', text: 'Hello there.' }] }
const never = () => new AbortController().signal

/** The failure; throws if the request succeeds. */
async function failureOf(reply: ScriptedReply, options: Parameters<typeof rehearsed>[1] = {}) {
  const { ask } = await rehearsed(reply, options)
  const { result } = await ask()
  if (result.ok) throw new Error('it did not fail')
  return result.failure
}

const status = (code: number, type: string, message: string, headers = {}): ScriptedFault => ({
  kind: 'status',
  status: code,
  type,
  message,
  headers,
})

test('a message arrives complete: thinking with signature, text, calls, usage, pace', async () => {
  const { ask } = await rehearsed({
    blocks: [
      { type: 'thinking', text: 'Let me see.' },
      { type: 'redacted_thinking', text: 'hidden' },
      { type: 'text', text: 'I read it.' },
      { type: 'tool_use', name: 'Read', input: { file_path: 'ä/🎭.ts' }, id: 'toolu_1' },
    ],
  })
  const { result, deltas } = await ask()
  expect(result).toMatchObject({
    ok: true,
    value: {
      model: 'claude-sonnet-5-5',
      stopReason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: expect.stringMatching(/^scripted1\./) },
        { type: 'redacted_thinking', data: expect.stringMatching(/\.scripted1\./) },
        { type: 'text', text: 'I read it.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'ä/🎭.ts' } },
      ],
      usage: { input: expect.any(Number), output: expect.any(Number), cacheRead: 0, cacheWrite: 0 },
    },
  })
  const { value } = result as Extract<typeof result, { ok: true }>
  expect(value.pace.at(-1)![1]).toBe('Let me see.I read it.{"file_path":"ä/🎭.ts"}'.length)
  expect(value.notes).toBeUndefined()
  expect(deltas.map(({ index, kind, name }) => [index, kind, name])).toEqual([
    [0, 'thinking', ''],
    [2, 'text', ''],
    [3, 'tool', 'Read'],
    [3, 'tool', 'Read'],
  ])
})

const stopReasons: Record<StopReason, string> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  pause_turn: 'pause_turn',
  refusal: 'refusal',
  model_context_window_exceeded: 'model_context_window_exceeded',
  compaction: 'compaction',
  unknown: 'a_reason_of_next_year',
}
test.each(Object.entries(stopReasons))('stop reason %s', async (known, sent) => {
  const { ask } = await rehearsed({ ...hello, stopReason: sent })
  const { result } = await ask()
  expect(result).toMatchObject({
    ok: true,
    value: { stopReason: known, content: [{ text: 'Hello there.' }] },
  })
})

const at = new Date(2_000_000_000_000).toUTCString()
const refused: readonly [string, ScriptedFault, Partial<ModelFailure>][] = [
  [
    '429',
    status(429, 'rate_limit_error', 'Number of requests exceeded.'),
    { type: 'rate-limited', retryAfterMs: null },
  ],
  [
    '429 in seconds',
    status(429, 'rate_limit_error', 'Slow.', { 'retry-after': '7' }),
    { type: 'rate-limited', retryAfterMs: 7000 },
  ],
  [
    '429 in ms',
    status(429, 'rate_limit_error', 'Slow.', { 'retry-after-ms': '1250', 'retry-after': '2' }),
    { type: 'rate-limited', retryAfterMs: 1250 },
  ],
  [
    '429 as a date',
    status(429, 'rate_limit_error', 'Slow.', { 'retry-after': at }),
    { type: 'rate-limited', retryAfterMs: 30_000 },
  ],
  [
    '429 for ever',
    status(429, 'rate_limit_error', 'Slow.', { 'retry-after': '9'.repeat(400) }),
    { type: 'rate-limited', retryAfterMs: 86_400_000 },
  ],
  [
    '429 with nonsense',
    status(429, 'rate_limit_error', 'Slow.', { 'retry-after': 'soon' }),
    { type: 'rate-limited', retryAfterMs: null },
  ],
  [
    '429 that is final',
    status(429, 'rate_limit_error', 'Your spend limit is reached.', { 'x-should-retry': 'false' }),
    { type: 'bad-request', status: 429 },
  ],
  ['500', status(500, 'api_error', 'Internal server error'), { type: 'server', status: 500 }],
  ['502', status(502, 'api_error', 'Bad gateway'), { type: 'server', status: 502 }],
  [
    '503 with retry-after',
    status(503, 'api_error', 'Busy', { 'retry-after': '3' }),
    { type: 'server', retryAfterMs: 3000 },
  ],
  ['529', status(529, 'overloaded_error', 'Overloaded'), { type: 'overloaded', status: 529 }],
  ['408', status(408, 'timeout_error', 'Timed out'), { type: 'server', status: 408 }],
  ['409', status(409, 'conflict_error', 'Conflict'), { type: 'server', status: 409 }],
  ['401', status(401, 'authentication_error', 'invalid x-api-key'), { type: 'auth', status: 401 }],
  ['403', status(403, 'permission_error', 'No access to this model'), { type: 'auth', status: 403 }],
  ['404', status(404, 'not_found_error', 'model: claude-nope'), { type: 'not-found', status: 404 }],
  ['400', status(400, 'invalid_request_error', 'tools.0: bad schema'), { type: 'bad-request', status: 400 }],
  [
    '402',
    status(402, 'billing_error', 'Your credit balance is too low'),
    { type: 'bad-request', status: 402 },
  ],
  [
    '413',
    status(413, 'request_too_large', 'Request exceeds the maximum size'),
    { type: 'bad-request', status: 413 },
  ],
  [
    'too long',
    status(400, 'invalid_request_error', 'prompt is too long: 1000001 tokens > 1000000 maximum'),
    { type: 'prompt-too-long' },
  ],
  [
    'too long with max_tokens',
    status(
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
    ),
    { type: 'prompt-too-long' },
  ],
]
test.each(refused)('an answer with %s', async (_, fault, expected) => {
  const clock = { ...realClock, now: () => 2_000_000_000_000 - 30_000 }
  const failure = await failureOf({ ...hello, fault }, { clock })
  expect(failure).toMatchObject(expected)
  // The message contains the API's own message and the request's id.
  expect(failure.message).toContain((fault as Extract<ScriptedFault, { kind: 'status' }>).message)
  expect(failure.message).toMatch(/\(request req_\w+\)$/)
})

const broken: readonly [string, ScriptedFault, Partial<ModelFailure>, RegExp][] = [
  [
    'overloaded in the stream',
    { kind: 'stream-error', type: 'overloaded_error', message: 'Overloaded' },
    { type: 'overloaded', status: null },
    /overloaded: Overloaded/,
  ],
  [
    'rate limit in the stream',
    { kind: 'stream-error', type: 'rate_limit_error', message: 'Slow' },
    { type: 'rate-limited' },
    /Rate limited: Slow/,
  ],
  [
    'an error of the API in the stream',
    { kind: 'stream-error', type: 'api_error', message: 'Oops' },
    { type: 'server' },
    /failed: Oops/,
  ],
  [
    'a refusal in the stream',
    { kind: 'stream-error', type: 'invalid_request_error', message: 'Nope' },
    { type: 'bad-request' },
    /rejected the request: Nope/,
  ],
  [
    'a prompt that is too long, reported in the stream',
    { kind: 'stream-error', type: 'invalid_request_error', message: 'prompt is too long' },
    { type: 'prompt-too-long' },
    /too long/,
  ],
  [
    'an unknown error in the stream',
    { kind: 'stream-error', type: 'martian_error', message: 'Zap' },
    { type: 'server' },
    /Zap/,
  ],
  ['a connection cut at once', { kind: 'cut', afterCharacters: 0 }, { type: 'connection' }, /connection/i],
  [
    'a connection cut in the middle',
    { kind: 'cut', afterCharacters: 5 },
    { type: 'connection' },
    /connection/i,
  ],
  ['a hang-up without an answer', { kind: 'hang-up' }, { type: 'connection' }, /connection/i],
  [
    'a clean end without message_stop',
    { kind: 'no-stop' },
    { type: 'connection' },
    /before the message was complete/,
  ],
]
test.each(broken)('%s', async (_, fault, expected, pattern) => {
  const failure = await failureOf({ ...hello, fault })
  expect(failure).toMatchObject(expected)
  expect(failure.message).toMatch(pattern)
})

test('unknown events are ignored, unknown content is kept and leaves a note', async () => {
  const { ask } = await rehearsed({
    blocks: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'Fine.' },
    ],
    fault: { kind: 'unknown-events' },
  })
  const { result, deltas } = await ask()
  expect(result).toMatchObject({
    ok: true,
    value: {
      content: [
        { type: 'foreign', block: { type: 'hologram', shape: 'cube', faces: 6 } },
        { thinking: 'Hm.' },
        { type: 'foreign', block: { type: 'hologram' } },
        { text: 'Fine.' },
      ],
      notes: [expect.stringContaining('hologram')],
    },
  })
  expect(deltas.map((delta) => delta.append)).toEqual(['Hm.', 'Fine.'])
})

test('a stall ends the request and its socket', async () => {
  const { ask, server } = await rehearsed(
    { ...hello, fault: { kind: 'stall', afterCharacters: 5 } },
    { idleTimeoutMs: 80 },
  )
  const { result, deltas } = await ask()
  expect(result).toMatchObject({
    ok: false,
    failure: { type: 'stalled', message: expect.stringContaining('0.1 s') },
  })
  expect(deltas.map((delta) => delta.append).join('')).toMatch(/^Hello/)
  await expect.poll(() => server.requests).toMatchObject([{ over: true }])
})

test('a server that never answers counts as stalled', async () => {
  const failure = await failureOf({ ...hello, delayMs: 60_000 }, { idleTimeoutMs: 60 })
  expect(failure.type).toBe('stalled')
})

test('pings keep a silent stream alive', async () => {
  const { ask } = await rehearsed({ ...hello, silenceMs: 600 }, { idleTimeoutMs: 250, pingEveryMs: 25 })
  const { result } = await ask()
  expect(result).toMatchObject({ ok: true, value: { content: [{ text: 'Hello there.' }] } })
})

test('an abort in the middle of a message ends the request at once and leaves no socket', async () => {
  const stop = new AbortController()
  const { client, server } = await rehearsed(
    { blocks: [{ type: 'text', text: 'word '.repeat(10_000) }] },
    { pace: { tokensPerSecond: 100 } },
  )
  let said = ''
  const result = await client.request(asks(), {
    signal: stop.signal,
    onDelta: (delta) => {
      said += delta.append
      stop.abort()
    },
  })
  expect(result).toMatchObject({ ok: false, failure: { type: 'aborted' } })
  expect(said.length).toBeLessThan(100)
  await expect.poll(() => server.requests).toMatchObject([{ over: true }])
})

test('an abort works before the answer and before the request', async () => {
  const { ask, server } = await rehearsed({ ...hello, delayMs: 60_000 })
  const stop = new AbortController()
  const asked = ask(asks(), stop.signal)
  await expect.poll(() => server.requests).toHaveLength(1)
  stop.abort()
  expect((await asked).result).toMatchObject({ ok: false, failure: { type: 'aborted' } })
  expect((await ask(asks(), AbortSignal.abort())).result).toMatchObject({
    ok: false,
    failure: { type: 'aborted' },
  })
  expect(server.requests).toHaveLength(1)
})

test('consecutive requests share a connection', async () => {
  const { ask, server } = await rehearsed(hello)
  for (let turn = 0; turn < 12; turn++) expect((await ask()).result.ok).toBe(true)
  // Two connections: fetch may open a second one before the first is free again.
  expect(new Set(server.requests.map((request) => request.connection)).size).toBeLessThanOrEqual(2)
})

const finished = [
  { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]
const sendFinished = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(finished.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(''))
}

test('a connection whose stream ends shortly after the message is reused', async () => {
  const connections = new Set<unknown>()
  const client = await clientOf((request, response) => {
    connections.add(request.socket)
    sendFinished(response)
    setTimeout(() => response.end(), 5)
  })
  for (let turn = 0; turn < 8; turn++)
    expect((await client.request(asks(), { signal: never(), onDelta: () => {} })).ok).toBe(true)
  expect(connections.size).toBeLessThanOrEqual(2)
})

test('a stream that never ends does not delay the message, and is closed', async () => {
  let ended = false
  const client = await clientOf((_, response) => {
    sendFinished(response)
    response.once('close', () => {
      ended = true
    })
  })
  expect((await client.request(asks(), { signal: never(), onDelta: () => {} })).ok).toBe(true)
  expect(ended).toBe(false)
  await expect.poll(() => ended).toBe(true)
})

test('an error thrown by a listener is rethrown', async () => {
  const { client } = await rehearsed(hello)
  const asked = client.request(asks(), {
    signal: never(),
    onDelta: () => {
      throw new Error('a bug in the panel')
    },
  })
  await expect(asked).rejects.toThrow('a bug in the panel')
})

test('input cut off at max_tokens is delivered with that stop reason', async () => {
  const { ask } = await rehearsed({
    blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: '/a/b', limit: 3 } }],
    truncateToolInput: 12,
  })
  const { result } = await ask()
  expect(result).toMatchObject({
    ok: true,
    value: { stopReason: 'max_tokens', content: [{ type: 'tool_use', input: '{"file_path"' }] },
  })
})

test('invalid JSON input is rejected, and can still be sent back', async () => {
  const { ask } = await rehearsed({
    blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: '/a/b' }, id: 'toolu_1' }],
    truncateToolInput: 12,
    stopReason: 'tool_use',
  })
  const { result } = await ask()
  if (!result.ok) throw new Error(result.failure.message)
  const [call] = result.value.content
  expect(call).toMatchObject({ input: '{"file_path"' })
  const next = await ask(
    asks([
      says('Hello'),
      { role: 'assistant', content: result.value.content },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'bad', is_error: true }],
      },
    ]),
  )
  expect(next.result.ok).toBe(true)
})

test('two calls with the same id are refused', async () => {
  const call = { type: 'tool_use', name: 'Read', input: {}, id: 'toolu_same' } as const
  const failure = await failureOf({ blocks: [call, call] })
  expect(failure).toMatchObject({ type: 'server', message: expect.stringContaining('toolu_same') })
})

test('10 MB of tool input in thousands of pieces arrive complete, at linear cost', async () => {
  const costs: number[] = []
  for (const megabytes of [1, 10]) {
    const content = 'some words "quoted"\n'.repeat((megabytes * 1_000_000) / 20)
    const pieces = JSON.stringify({ content }).match(/[\s\S]{1,2000}/g)!
    const client = await clientOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)
      send({ type: 'message_start', message: { id: 'm', model: 'x', usage: {} } })
      send({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'Write', input: {} },
      })
      for (const partial_json of pieces)
        send({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } })
      send({ type: 'message_delta', delta: { stop_reason: 'tool_use' } })
      send({ type: 'message_stop' })
      response.end()
    })
    const startedAt = process.cpuUsage()
    const result = await client.request(asks(), { signal: never(), onDelta: () => {} })
    costs.push(process.cpuUsage(startedAt).user)
    if (!result.ok) throw new Error(result.failure.message)
    const [call] = result.value.content
    expect(call?.type === 'tool_use' && (call.input as { content: string }).content === content).toBe(true)
    expect(result.value.pace.length).toBeLessThanOrEqual(200)
  }
  // Linear cost: ten times the length takes about ten times as long. The clock has steps of up to 10 ms.
  expect(costs[1]!).toBeLessThan(40 * Math.max(costs[0]!, 10_000))
})

test('a turn is sent back unchanged: thinking, its signature, calls and results', async () => {
  const { ask, server } = await rehearsed({
    blocks: [
      { type: 'thinking', text: 'A thought.' },
      { type: 'tool_use', name: 'Read', input: { file_path: 'x' }, id: 'toolu_1' },
    ],
  })
  const first = await ask()
  if (!first.result.ok) throw new Error(first.result.failure.message)
  const messages = [
    says('Hello'),
    { role: 'assistant' as const, content: first.result.value.content },
    {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'file', is_error: false }],
    },
  ]
  const second = await ask(asks(messages))
  expect(second.result).toMatchObject({ ok: true })
  expect(server.requests.map((request) => request.status)).toEqual([200, 200])
})

test('thinking is dropped, not rejected, after an older result was cleared', async () => {
  const seen: string[][][] = []
  const { ask } = await rehearsed({
    async reply({ messages }) {
      const said = messages.filter((message) => message.role === 'assistant')
      seen.push(said.map((message) => message.content.map((block) => block.type)))
      return {
        blocks: [
          { type: 'thinking', text: 'A thought.' },
          { type: 'tool_use', name: 'Read', input: { file_path: 'x' } },
        ],
      }
    },
  })
  const messages: ModelMessage[] = [says('Hello')]
  for (let turn = 0; turn < 2; turn++) {
    const { result } = await ask(asks([...messages]))
    if (!result.ok) throw new Error(result.failure.message)
    const call = result.value.content.find((block) => block.type === 'tool_use')!
    messages.push(
      { role: 'assistant', content: result.value.content },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call.id, content: 'long', is_error: false }],
      },
    )
  }
  const cleared = messages.with(2, {
    role: 'user',
    content: [{ ...(messages[2]!.content[0] as ToolResultBlock), content: '(cleared)' }],
  })
  expect((await ask(asks(cleared))).result).toMatchObject({ ok: true })
  expect(seen.at(-1)).toEqual([['thinking', 'tool_use'], ['tool_use']])
})

test('settings: the models of a key, and an access test that names the problem', async () => {
  const { client } = await rehearsed(hello, { models: ['claude-sonnet-5-5'] })
  expect(await client.listModels(never())).toEqual({
    ok: true,
    value: [{ id: 'claude-sonnet-5-5', name: 'claude-sonnet-5-5', contextTokens: 1_000_000 }],
  })
  expect(await client.testAccess('claude-sonnet-5-5', never())).toMatchObject({ ok: true })
  expect(await client.testAccess('claude-opus-5-5', never())).toMatchObject({
    ok: false,
    failure: { type: 'not-found', message: expect.stringContaining('Choose another model') },
  })
  expect(await client.testAccess('claude-sonnet-5-5', AbortSignal.abort())).toMatchObject({
    failure: { type: 'aborted' },
  })
})

test('settings: a wrong key, no key, and an address without a server', async () => {
  const { server } = await rehearsed(hello, { requireKey: 'right' })
  const trying = (options: Partial<Parameters<typeof createAnthropicClient>[0]>) =>
    createAnthropicClient({ baseUrl: server.baseUrl, clock: realClock, ...options }).testAccess('m', never())
  expect(await trying({ apiKey: 'wrong' })).toMatchObject({
    failure: { type: 'auth', message: expect.stringContaining('Check the key in Settings') },
  })
  expect(await trying({ authToken: 'right' })).toMatchObject({ ok: true })
  expect(await trying({})).toMatchObject({
    failure: { type: 'auth', message: expect.stringContaining('no API key') },
  })
  expect(server.requests).toHaveLength(2)
  expect(await trying({ apiKey: 'k', baseUrl: 'api.example' })).toMatchObject({
    failure: { type: 'bad-request', message: expect.stringContaining('not a valid URL') },
  })
  const gone = await startScriptedServer({ director: inTurn(hello) })
  await gone.close()
  expect(await trying({ apiKey: 'right', baseUrl: gone.baseUrl })).toMatchObject({
    failure: { type: 'connection', message: expect.stringContaining('ECONNREFUSED') },
  })
})

test('a slash or /v1 at the end of an address is ignored', async () => {
  const { server } = await rehearsed(hello)
  for (const end of ['/', '/v1', '/v1/']) {
    const client = createAnthropicClient({
      apiKey: server.apiKey,
      baseUrl: server.baseUrl + end,
      clock: realClock,
    })
    expect((await client.testAccess('m', never())).ok).toBe(true)
  }
})

const strangers: readonly [string, RequestListener, Partial<ModelFailure>, RegExp][] = [
  [
    'a web page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hi</html>'),
    { type: 'server' },
    /text\/html.*address in Settings/,
  ],
  [
    'an error page',
    (_, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><title>Bad gateway</title>…'),
    { type: 'server', status: 502 },
    /web page, "Bad gateway"/,
  ],
  [
    'an error as a 200',
    (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
    { type: 'overloaded' },
    /Overloaded/,
  ],
  [
    'an error of another shape',
    (_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"detail":"unknown model"}'),
    { type: 'bad-request' },
    /unknown model/,
  ],
  [
    'events that are no JSON',
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"type": oops\n\n'),
    { type: 'server' },
    /not JSON: \{"type": oops/,
  ],
  [
    'pieces without a block',
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(
        [
          { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
          { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'x' } },
        ]
          .map((data) => `data: ${JSON.stringify(data)}\n\n`)
          .join(''),
      ),
    { type: 'server' },
    /never started/,
  ],
  [
    'an empty answer',
    (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    { type: 'connection' },
    /before the message was complete/,
  ],
]
test.each(strangers)('a server that is not the API: %s', async (_, answer, expected, pattern) => {
  const client = await clientOf(answer)
  const result = await client.request(asks(), { signal: never(), onDelta: () => {} })
  if (result.ok) throw new Error('it did not fail')
  expect(result.failure).toMatchObject(expected)
  expect(result.failure.message).toMatch(pattern)
})

/** A client of a server with this response. */
async function clientOf(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return createAnthropicClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}`, clock: realClock })
}
