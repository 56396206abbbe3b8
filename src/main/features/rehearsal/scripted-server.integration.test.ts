/** The refusals, token counts and streams of the scripted API, requested with plain fetch, as by any client. */

import { describe, expect, onTestFinished, test } from 'vitest'
import { smallPng } from '../../platform/documents/testing/small-png.ts'
import type { Director, ScriptedReply } from './director.ts'
import { startScriptedServer } from './feature.ts'
import type { ScriptedServerOptions } from './scripted-server.ts'

type Json = Record<string, unknown>

const hello: ScriptedReply = { blocks: [{ type: 'text', text: 'Hello.' }] }
const tool = { name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const text = (words: string, more: Json = {}) => ({ type: 'text', text: words, ...more })
const call = (id: string, more: Json = {}) => ({ type: 'tool_use', id, name: 'Read', input: {}, ...more })
const result = (id: string, more: Json = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...more,
})
const cached = { cache_control: { type: 'ephemeral' } }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = (data: string, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
})

const fine: Json = {
  model: 'claude-sonnet-5-5',
  max_tokens: 1000,
  tools: [tool],
  system: [text('You are.')],
  messages: [user(text('Hi'))],
}

async function start(reply: ScriptedReply | Director = hello, options: Partial<ScriptedServerOptions> = {}) {
  const director = 'blocks' in reply ? { reply: async () => reply } : reply
  const server = await startScriptedServer({ director, ...options })
  onTestFinished(() => server.close())
  const headers = { authorization: `Bearer ${server.apiKey}`, 'anthropic-version': '2026-10-21' }
  const post = (body: unknown, more: Record<string, string | undefined> = {}) => {
    const given = Object.entries({ ...headers, 'content-type': 'application/json', ...more })
    return fetch(`${server.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
  const ask = async (body: Json) =>
    (await (await post(body)).json()) as Json & { content: Json[]; usage: Json }
  return { server, post, ask, headers }
}

const refusals: readonly [string, Json | string, string][] = [
  ['no JSON', '{"model": ', 'The request body is not valid JSON'],
  ['no object', '[]', 'body: Input should be a valid dictionary'],
  ['no model', { ...fine, model: undefined }, 'model: Field required'],
  ['no max_tokens', { ...fine, max_tokens: undefined }, 'max_tokens: Field required'],
  ['max_tokens 0', { ...fine, max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
  [
    'too many max_tokens',
    { ...fine, max_tokens: 128_001 },
    'max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens',
  ],
  ['no messages', { ...fine, messages: undefined }, 'messages: Field required'],
  ['empty messages', { ...fine, messages: [] }, 'messages: at least one message is required'],
  ['temperature', { ...fine, temperature: 1 }, 'temperature: Extra inputs are not permitted'],
  ['top_p', { ...fine, top_p: 1 }, 'top_p: Extra inputs are not permitted'],
  ['top_k', { ...fine, top_k: 1 }, 'top_k: Extra inputs are not permitted'],
  [
    'a field that is not acted out',
    { ...fine, container: 'c' },
    'container: this scripted API does not act out this field',
  ],
  [
    'an unknown field in a message',
    { ...fine, messages: [{ ...user(text('Hi')), name: 'me' }] },
    'messages.0.name: Extra inputs are not permitted',
  ],
  [
    'an unknown field in a block',
    { ...fine, messages: [user(text('Hi', { id: 1 }))] },
    'messages.0.content.0.text.id: Extra inputs are not permitted',
  ],
  [
    'an unknown field in a tool',
    { ...fine, tools: [{ ...tool, icon: 'x' }] },
    'tools.0.custom.icon: Extra inputs are not permitted',
  ],
  [
    'an unknown field in a result',
    { ...fine, messages: [user(text('Hi')), assistant(call('t')), user(result('t', { name: 'Read' }))] },
    'messages.2.content.0.tool_result.name: Extra inputs',
  ],
  [
    'an unknown block',
    { ...fine, messages: [user({ type: 'video' })] },
    "messages.0.content.0: Input tag 'video' found using 'type' does not match any of the expected tags",
  ],
  [
    'a call by the user',
    { ...fine, messages: [user(call('t'))] },
    "messages.0.content.0: Input tag 'tool_use'",
  ],
  [
    'a result by the assistant',
    { ...fine, messages: [user(text('Hi')), assistant(result('t'))] },
    "messages.1.content.0: Input tag 'tool_result'",
  ],
  [
    'text that is none',
    { ...fine, messages: [user({ type: 'text', text: 7 })] },
    'messages.0.content.0.text.text: Input should be a valid string',
  ],
  [
    'input that is no object',
    { ...fine, messages: [user(text('Hi')), assistant(call('t', { input: '{' })), user(result('t'))] },
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'a wrong role',
    { ...fine, messages: [{ role: 'system', content: 'x' }] },
    "messages.0.role: Input should be 'user' or 'assistant'",
  ],
  [
    'the assistant first',
    { ...fine, messages: [assistant(text('Hi'))] },
    'first message must use the "user" role',
  ],
  [
    'two user turns in a row',
    { ...fine, messages: [user(text('a')), user(text('b'))] },
    'multiple "user" roles in a row',
  ],
  [
    'an empty message',
    { ...fine, messages: [user()] },
    'messages.0: user messages must have non-empty content',
  ],
  [
    'empty text',
    { ...fine, messages: [user(text(''))] },
    'messages.0.content.0: text content blocks must contain non-whitespace text',
  ],
  [
    'blank text in a result',
    {
      ...fine,
      messages: [user(text('Hi')), assistant(call('t')), user(result('t', { content: [text(' \n')] }))],
    },
    'messages.2.content.0.tool_result.content.0: text content blocks',
  ],
  [
    'an image that was cut short',
    { ...fine, messages: [user(image(png.slice(0, 60)))] },
    'messages.0.content.0.image.source.base64.data: Could not process image',
  ],
  [
    'an image with too many pixels',
    { ...fine, messages: [user(image(smallPng(8001, 1).toString('base64')))] },
    'image dimensions exceed max allowed size: 8000 pixels',
  ],
  [
    'more than 20 images with one of more than 2,000 pixels',
    {
      ...fine,
      messages: [
        user(...Array.from({ length: 20 }, () => image(png)), image(smallPng(2001, 1).toString('base64'))),
      ],
    },
    'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  ],
  [
    'a blank system block',
    { ...fine, system: [text('  ')] },
    'system: text content blocks must contain non-whitespace text',
  ],
  ['a system block of another kind', { ...fine, system: [image(png)] }, "system.0: Input tag 'image'"],
  [
    'a call without its result',
    { ...fine, messages: [user(text('Hi')), assistant(call('t1'), call('t2')), user(result('t2'))] },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1.',
  ],
  [
    'a call at the end',
    { ...fine, messages: [user(text('Hi')), assistant(call('t1'))] },
    'messages.1: `tool_use` ids were found without `tool_result`',
  ],
  [
    'a result without its call',
    { ...fine, messages: [user(result('t9'))] },
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9.',
  ],
  [
    'a result one turn late',
    {
      ...fine,
      messages: [
        user(text('Hi')),
        assistant(call('t')),
        user(result('t')),
        assistant(text('ok')),
        user(result('t')),
      ],
    },
    'messages.4.content.0: unexpected `tool_use_id`',
  ],
  [
    'two results for one call',
    { ...fine, messages: [user(text('Hi')), assistant(call('t')), user(result('t'), result('t'))] },
    'each tool_use must have a single result',
  ],
  [
    'words before results',
    { ...fine, messages: [user(text('Hi')), assistant(call('t')), user(text('So:'), result('t'))] },
    '`tool_result` blocks must come first in the message, found `text` before',
  ],
  [
    'one id twice',
    {
      ...fine,
      messages: [
        user(text('Hi')),
        assistant(call('t')),
        user(result('t')),
        assistant(call('t')),
        user(result('t')),
      ],
    },
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  [
    'calls but no tools',
    { ...fine, tools: [], messages: [user(text('Hi')), assistant(call('t')), user(result('t'))] },
    'must define tools',
  ],
  [
    'a bad tool name',
    { ...fine, tools: [{ ...tool, name: 'read file' }] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    'a tool name that is too long',
    { ...fine, tools: [{ ...tool, name: 'x'.repeat(129) }] },
    'tools.0.custom.name: String should match',
  ],
  ['a tool twice', { ...fine, tools: [tool, tool] }, 'tools: Tool names must be unique'],
  [
    'a schema that is no object',
    { ...fine, tools: [{ ...tool, input_schema: { type: 'string' } }] },
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    'a choice without tools',
    { ...fine, tools: undefined, tool_choice: { type: 'auto' } },
    'tool_choice: may only be specified while providing tools',
  ],
  [
    'a forced call',
    { ...fine, tool_choice: { type: 'any' } },
    'tool_choice: type "tool" and "any" are not supported for this model.',
  ],
  [
    'an unknown tool forced',
    { ...fine, model: 'claude-opus-4-6', tool_choice: { type: 'tool', name: 'Fly' } },
    "Tool 'Fly' not found",
  ],
  [
    'five breakpoints',
    {
      ...fine,
      tools: [{ ...tool, ...cached }],
      system: [text('a', cached), text('b', cached)],
      messages: [user(text('a', cached), text('b', cached))],
    },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a breakpoint for an hour after one for five minutes',
    {
      ...fine,
      system: [text('a', cached)],
      messages: [user(text('b', { cache_control: { type: 'ephemeral', ttl: '1h' } }))],
    },
    "ttl='1h' must not come after one of ttl='5m'",
  ],
  [
    'a breakpoint of another kind',
    { ...fine, system: [text('a', { cache_control: { type: 'eternal' } })] },
    "system.0.text.cache_control.type: Input should be 'ephemeral'",
  ],
  [
    'a breakpoint on thinking',
    {
      ...fine,
      messages: [
        user(text('a')),
        assistant({ type: 'thinking', thinking: 'x', signature: 'y', ...cached }),
        user(text('b')),
      ],
    },
    'messages.1.content.0.thinking.cache_control: Extra inputs',
  ],
  [
    'thinking with a budget',
    { ...fine, thinking: { type: 'enabled', budget_tokens: 1024 } },
    '"thinking.type.enabled" is not supported for this model',
  ],
  [
    'a budget above max_tokens',
    { ...fine, model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`',
  ],
  [
    'adaptive thinking of an old model',
    { ...fine, model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } },
    'adaptive thinking is not supported on this model',
  ],
  [
    'binding controls without their beta',
    { ...fine, thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } },
    'thinking.adaptive.block_binding: Extra inputs',
  ],
  [
    'thinking without a signature',
    { ...fine, messages: [user(text('a')), assistant({ type: 'thinking', thinking: 'x' }), user(text('b'))] },
    'messages.1.content.0.thinking.signature: Field required',
  ],
  [
    'thinking at the end of a message',
    {
      ...fine,
      messages: [
        user(text('a')),
        assistant(text('y'), { type: 'thinking', thinking: 'x', signature: 's' }),
        user(text('b')),
      ],
    },
    'messages.1: The final block in an assistant message cannot be `thinking`',
  ],
  [
    'thinking that nobody signed',
    {
      ...fine,
      messages: [
        user(text('a')),
        assistant({ type: 'thinking', thinking: 'x', signature: 'sig' }, text('y')),
        user(text('b')),
      ],
    },
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'a prefill',
    { ...fine, messages: [user(text('Hi')), assistant(text('The answer is'))] },
    'does not support assistant message prefill',
  ],
  [
    'a prefill with a space at its end',
    { ...fine, messages: [user(text('Hi')), assistant(text('The answer is '))] },
    'final assistant content cannot end with trailing whitespace',
  ],
  ['an image that is no base64', { ...fine, messages: [user(image('not base64!'))] }, 'invalid base64 data'],
  [
    'an image of another type',
    { ...fine, messages: [user(image(png, 'image/jpeg'))] },
    'specified using the image/jpeg media type',
  ],
  [
    'an image that is too large',
    { ...fine, messages: [user(image(png.slice(0, 16) + 'A'.repeat(7_200_000)))] },
    'image exceeds 5 MB maximum',
  ],
]
test.each(refusals)('refuses %s', async (_, body, words) => {
  const { post, server } = await start()
  const response = await post(body)
  const answer = (await response.json()) as { type: string; error: Json; request_id: string }
  expect([response.status, answer.error.message]).toEqual([400, expect.stringContaining(words)])
  expect(answer).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
  expect(response.headers.get('request-id')).toBe(answer.request_id)
  await expect.poll(() => server.requests).toMatchObject([{ status: 400, body: null }])
})

test('accepts every valid kind of block, choice and field', async () => {
  const { post } = await start()
  const bodies: Json[] = [
    fine,
    { ...fine, system: 'You are.', messages: [{ role: 'user', content: 'Hi' }] },
    { ...fine, tools: undefined, system: undefined },
    { ...fine, tool_choice: { type: 'none' }, metadata: { user_id: 'u' }, output_config: { effort: 'low' } },
    { ...fine, thinking: { type: 'adaptive', display: 'summarized' }, stop_sequences: ['x'] },
    {
      ...fine,
      model: 'claude-haiku-4-5',
      max_tokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 2048 },
    },
    { ...fine, messages: [user(text('Hi', cached), image(png))] },
    {
      ...fine,
      messages: [
        user(text('Hi')),
        assistant(call('a'), call('b')),
        user(
          result('a', { content: [text('x'), image(png)] }),
          result('b', { is_error: true, content: undefined }),
          text('go on'),
        ),
      ],
    },
  ]
  for (const body of bodies) {
    const response = await post(body)
    expect([response.status, await response.json()]).toMatchObject([200, { content: [{ text: 'Hello.' }] }])
  }
})

const strangers: readonly [string, Record<string, string | undefined>, number, string][] = [
  ['no key', { authorization: undefined }, 401, 'Authentication is missing'],
  ['a wrong key', { authorization: 'Bearer nope' }, 401, 'invalid bearer token'],
  ['a wrong x-api-key', { authorization: undefined, 'x-api-key': 'nope' }, 401, 'invalid x-api-key'],
  ['two credentials', { 'x-api-key': 'nope' }, 401, 'Send one credential'],
  ['no version', { 'anthropic-version': undefined }, 400, 'anthropic-version: header is required'],
  [
    'an old version',
    { 'anthropic-version': '2023-06-01' },
    400,
    'anthropic-version: "2023-06-01" is not a valid version',
  ],
]
test.each(strangers)('refuses %s', async (_, headers, status, words) => {
  const { post } = await start()
  const response = await post(fine, headers)
  expect([response.status, await response.json()]).toMatchObject([
    status,
    { error: { message: expect.stringContaining(words) } },
  ])
})

test('refuses unknown paths, unknown models and oversized bodies', async () => {
  const { server, post, headers } = await start(hello, { models: ['claude-sonnet-5-5'] })
  expect((await fetch(`${server.baseUrl}/v1/complete`, { headers })).status).toBe(404)
  const unknown = await post({ ...fine, model: 'claude-nope' })
  expect([unknown.status, await unknown.json()]).toMatchObject([
    404,
    { error: { type: 'not_found_error', message: 'model: claude-nope' } },
  ])
  const huge = await post({ ...fine, messages: [user(text('x'.repeat(33 * 1024 * 1024)))] })
  expect([huge.status, await huge.json()]).toMatchObject([413, { error: { type: 'request_too_large' } }])
})

test('refuses a prompt beyond the context window with the message of the API', async () => {
  const { post } = await start(hello, { contextTokens: 1000 })
  const response = await post({ ...fine, messages: [user(text('word '.repeat(2000)))] })
  expect((await response.json()) as Json).toMatchObject({
    error: {
      type: 'invalid_request_error',
      message: expect.stringMatching(/^prompt is too long: 25\d\d tokens > 1000 maximum$/),
    },
  })
})

describe('thinking', () => {
  const thoughtful: ScriptedReply = {
    blocks: [
      { type: 'thinking', text: 'First.' },
      { type: 'text', text: 'So.' },
      { type: 'thinking', text: 'Second.' },
      { type: 'redacted_thinking', text: 'Third.' },
      { type: 'text', text: 'Done.' },
    ],
  }
  const continued = (content: readonly unknown[], more: Json = {}): Json => ({
    ...fine,
    ...more,
    messages: [user(text('Hi')), assistant(...content), user(text('Go on'))],
  })

  test('must be sent back unchanged, except for cache marks and request fields', async () => {
    const { ask, post } = await start(thoughtful)
    const { content } = await ask(fine)
    expect((await post(continued(content))).status).toBe(200)
    expect((await post(continued(content.slice(1)))).status).toBe(200)
    const marked = continued(content, { max_tokens: 7, system: [text('You are.', cached)] })
    expect((await post(marked)).status).toBe(200)
  })

  const changes: readonly [string, (content: Json[]) => Json, string][] = [
    [
      'its words',
      (content) => continued([{ ...content[0], thinking: 'First?' }, ...content.slice(1)]),
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'hidden words',
      (content) =>
        continued(
          content.map((block) => (block.data ? { ...block, data: `x${String(block.data)}` } : block)),
        ),
      'messages.1.content.3: Invalid `data` in `redacted_thinking` block',
    ],
    [
      'another signature',
      (content) => continued([{ ...content[0], signature: content[2]!.signature }, ...content.slice(1)]),
      'messages.1.content.0: Invalid `signature`',
    ],
    [
      'the system prompt',
      (content) => continued(content, { system: [text('You were.')] }),
      'The `system` prompt differs',
    ],
    [
      'the tools',
      (content) => continued(content, { tools: [{ ...tool, description: 'x' }] }),
      'The `tools` list differs',
    ],
    [
      'an earlier message',
      (content) => ({
        ...continued(content),
        messages: [user(text('Ho')), assistant(...content), user(text('Go on'))],
      }),
      'The messages before it differ',
    ],
    [
      'what was said between',
      (content) => continued([content[0], text('Yes.'), ...content.slice(2)]),
      'messages.1.content.2: Invalid `signature` in `thinking` block. The block is bound to a different conversation',
    ],
    [
      'a block left out of the middle',
      (content) => continued([content[0], content[1], content[3], content[4]]),
      'A thinking block before it was left out or moved',
    ],
  ]
  test.each(changes)('is refused after a change of %s', async (_, changed, words) => {
    const { ask, post } = await start(thoughtful)
    const response = await post(changed((await ask(fine)).content))
    expect([response.status, ((await response.json()) as { error: Json }).error.message]).toEqual([
      400,
      expect.stringContaining(words),
    ])
  })

  test('is dropped on request, from the first invalid block on', async () => {
    const seen: string[][] = []
    const { ask, post } = await start({
      async reply({ messages }) {
        seen.push(
          messages.flatMap((message) =>
            message.role === 'assistant' ? message.content.map(({ type }) => type) : [],
          ),
        )
        return thoughtful
      },
    })
    const { content } = await ask(fine)
    const binding = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    const response = await post(
      continued([content[0], text('Yes.'), ...content.slice(2)], { thinking: binding }),
      {
        'anthropic-beta': 'other, thinking-binding-controls-2026-08-01',
      },
    )
    expect((await response.json()) as Json).toMatchObject({
      input_transformations: [
        { type: 'thinking_dropped', path: 'messages.1.content.2', reason: 'prefix_binding_mismatch' },
        { path: 'messages.1.content.3' },
      ],
    })
    expect(seen.at(-1)).toEqual(['thinking', 'text', 'text'])
  })

  test('is dropped together with older invalid blocks, and kept after they are left out', async () => {
    const { ask, post } = await start(thoughtful)
    const { content } = await ask(fine)
    const binding = {
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    }
    const beta = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' }
    const changed = [user(text('Ho')), assistant(...content), user(text('Go on'))]
    const dropsIn = async (messages: unknown[]) => {
      const response = await post({ ...fine, ...binding, messages }, beta)
      const answer = (await response.json()) as { input_transformations: Json[]; content: Json[] }
      return { paths: answer.input_transformations.map(({ path }) => path), content: answer.content }
    }
    const second = await dropsIn(changed)
    expect(second.paths).toHaveLength(3)
    const more = [assistant(...second.content), user(text('And on'))]
    expect((await dropsIn([...changed, ...more])).paths).toHaveLength(6)
    const spoken = content.filter((block) => block.type === 'text')
    expect((await dropsIn([changed[0], assistant(...spoken), changed[2], ...more])).paths).toEqual([])
  })

  test('of older models is signed, but not bound to the earlier messages', async () => {
    const { ask, post } = await start(thoughtful)
    const { content } = await ask({ ...fine, model: 'claude-opus-4-8' })
    expect((await post(continued(content, { model: 'claude-opus-4-8', system: 'You were.' }))).status).toBe(
      200,
    )
  })
})

test('only a paused turn may be the last message', async () => {
  const { ask, post } = await start({ ...hello, stopReason: 'pause_turn' })
  const { content } = await ask(fine)
  expect((await post({ ...fine, messages: [user(text('Hi')), assistant(...content)] })).status).toBe(200)
  const other = await post({ ...fine, messages: [user(text('Hi')), assistant(text('Hello!'))] })
  expect(other.status).toBe(400)
})

test('a reply ends at max_tokens, and calls no tool if tools are not allowed', async () => {
  const { ask } = await start({
    blocks: [
      { type: 'text', text: 'x'.repeat(100) },
      { type: 'tool_use', name: 'Read', input: {} },
    ],
  })
  expect(await ask({ ...fine, max_tokens: 10 })).toMatchObject({
    content: [{ text: 'x'.repeat(40) }],
    stop_reason: 'max_tokens',
    usage: { output_tokens: 10 },
  })
  expect(await ask({ ...fine, tool_choice: { type: 'none' } })).toMatchObject({
    content: [{ type: 'text' }],
    stop_reason: 'end_turn',
  })
})

describe('the cache', () => {
  const long = (words: string) => words.repeat(1000)
  const turn = (messages: unknown[]): Json => ({ ...fine, system: [text(long('s '), cached)], messages })

  test('has a prefix written once and then read; only new input has the full price', async () => {
    let now = 0
    const { ask } = await start(hello, { now: () => now })
    const first = (await ask(turn([user(text(long('a '), cached))]))).usage
    expect(first).toMatchObject({ cache_read_input_tokens: 0, input_tokens: 0 })
    expect(first.cache_creation_input_tokens).toBeGreaterThan(1000)
    const second = (
      await ask(turn([user(text(long('a '))), assistant(text('Hello.')), user(text('b', cached))]))
    ).usage
    expect(second).toMatchObject({
      cache_read_input_tokens: first.cache_creation_input_tokens,
      input_tokens: 0,
    })
    expect(second.cache_creation_input_tokens).toBeLessThan(20)
    const changed = (await ask(turn([user(text(long('c '), cached))]))).usage
    expect(changed.cache_read_input_tokens).toBeLessThan(Number(first.cache_creation_input_tokens))
    expect(changed.cache_read_input_tokens).toBeGreaterThan(500)
    now += 5 * 60_000
    expect((await ask(turn([user(text(long('a '), cached))]))).usage).toMatchObject({
      cache_read_input_tokens: 0,
    })
  })

  test('keeps a prefix for an hour where a breakpoint asks for it, and counts it apart', async () => {
    let now = 0
    const { ask } = await start(hello, { now: () => now })
    const forHour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const asking = (mark: Json, system = mark): Json => ({
      ...fine,
      system: [text(long('s '), system)],
      messages: [user(text(long('a '), mark))],
    })
    const { usage } = await ask(asking(forHour))
    const written = Number(usage.cache_creation_input_tokens)
    const tokens = (forFiveMinutes: number, hour: number) => ({
      cache_creation: { ephemeral_5m_input_tokens: forFiveMinutes, ephemeral_1h_input_tokens: hour },
    })
    expect(usage).toMatchObject(tokens(0, written))
    now += 59 * 60_000
    expect((await ask(asking(cached))).usage).toMatchObject({
      cache_read_input_tokens: written,
      ...tokens(0, 0),
    })
    now += 59 * 60_000
    expect((await ask(asking(cached))).usage).toMatchObject({ cache_read_input_tokens: written })
    now += 60 * 60_000
    const mixed = (await ask(asking(cached, forHour))).usage.cache_creation as Json
    expect(Number(mixed['ephemeral_1h_input_tokens'])).toBeGreaterThan(400)
    expect(Number(mixed['ephemeral_5m_input_tokens'])).toBeGreaterThan(400)
  })

  test('keeps nothing without a breakpoint, below 512 tokens, or for another model', async () => {
    const { ask } = await start()
    const none = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    for (let again = 0; again < 2; again++) {
      expect((await ask({ ...fine, messages: [user(text(long('a ')))] })).usage).toMatchObject(none)
      expect((await ask({ ...fine, messages: [user(text('short', cached))] })).usage).toMatchObject(none)
    }
    await ask(turn([user(text('a'))]))
    expect((await ask({ ...turn([user(text('a'))]), model: 'claude-opus-5-5' })).usage).toMatchObject({
      cache_read_input_tokens: 0,
    })
  })
})

describe('the stream', () => {
  async function eventsOf(response: Response): Promise<{ at: number; type: string; data: Json }[]> {
    const events: { at: number; type: string; data: Json }[] = []
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body!) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true })
      const parts = rest.split('\n\n')
      rest = parts.pop()!
      for (const part of parts) {
        const [type, data] = part.split('\n')
        events.push({ at: performance.now(), type: type!.slice(7), data: JSON.parse(data!.slice(6)) })
      }
    }
    return events
  }

  test('has the events of the real stream, in the same order', async () => {
    const { post } = await start({
      blocks: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Hi.' },
        { type: 'tool_use', name: 'Read', input: { a: 1 } },
      ],
    })
    const response = await post({ ...fine, stream: true })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = await eventsOf(response)
    expect(events.every(({ type, data }) => data.type === type)).toBe(true)
    const delta = 'content_block_delta'
    const [begin, stop] = ['content_block_start', 'content_block_stop']
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      begin,
      'ping',
      delta,
      delta,
      stop,
      begin,
      delta,
      stop,
      begin,
      delta,
      delta,
      stop,
      'message_delta',
      'message_stop',
    ])
    expect(events.filter(({ type }) => type === delta).map(({ data }) => (data.delta as Json).type)).toEqual([
      'thinking_delta',
      'signature_delta',
      'text_delta',
      'input_json_delta',
      'input_json_delta',
    ])
    expect(events[0]!.data).toMatchObject({
      message: { role: 'assistant', content: [], stop_reason: null, usage: { output_tokens: 1 } },
    })
    expect(events.at(-2)!.data).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 4 },
    })
  })

  test('keeps its pace, in pieces of a few characters', async () => {
    const words = 'The quick brown fox jumps over the lazy dog again and again. '.repeat(4)
    const { post } = await start(
      { blocks: [{ type: 'text', text: words }] },
      { pace: { tokensPerSecond: 200 } },
    )
    const events = (await eventsOf(await post({ ...fine, stream: true }))).filter(
      ({ data }) => data.delta && data.index === 0,
    )
    const pieces = events.map(({ data }) => String((data.delta as Json).text))
    expect(pieces.join('')).toBe(words)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(8)
    const took = events.at(-1)!.at - events[0]!.at
    const planned = ((pieces.length - 1) / 200) * 1000
    expect(took).toBeGreaterThan(planned * 0.8)
    // The stream catches up after late timers: a busy machine delays it but does not slow it down.
    expect(took).toBeLessThan(planned + 1000)
  })

  test('ignores its pace for a reply that comes at once', async () => {
    const { post } = await start(
      { blocks: [{ type: 'text', text: 'word '.repeat(500) }], pace: 'instant' },
      // At this pace the reply would take longer than the test may.
      { pace: { tokensPerSecond: 1, delayMs: 600_000 } },
    )
    const response = await post({ ...fine, stream: true, max_tokens: 10_000 })
    expect((await eventsOf(response)).at(-1)?.data).toMatchObject({ type: 'message_stop' })
  })

  test('ends when the client disconnects, and the director is notified', async () => {
    let signal: AbortSignal | undefined
    const stop = new AbortController()
    const { server, headers } = await start(
      {
        reply: async (_, heard) => {
          signal = heard
          return { blocks: [{ type: 'text', text: 'word '.repeat(10_000) }] }
        },
      },
      { pace: { tokensPerSecond: 50 } },
    )
    const response = await fetch(`${server.baseUrl}/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...fine, stream: true, max_tokens: 100_000 }),
      signal: stop.signal,
    })
    await response.body!.getReader().read()
    expect(signal!.aborted).toBe(false)
    stop.abort()
    await expect.poll(() => signal!.aborted).toBe(true)
    await expect.poll(() => server.requests).toMatchObject([{ over: true }])
  })

  test('ends at once when the server closes', async () => {
    const { server, post } = await start({ ...hello, delayMs: 600_000 })
    const asked = post({ ...fine, stream: true }).then(
      () => 'answered',
      () => 'cut off',
    )
    await expect.poll(() => server.requests).toHaveLength(1)
    await server.close()
    expect(await asked).toBe('cut off')
  })
})

test('a director that throws causes a 500 with its message; the next request is answered', async () => {
  let first = true
  const { post } = await start({
    async reply() {
      if (!first) return hello
      first = false
      throw new Error('the script has a hole')
    },
  })
  const response = await post(fine)
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { type: 'api_error', message: expect.stringContaining('the script has a hole') } },
  ])
  expect((await post(fine)).status).toBe(200)
})

test('only the newest requests are kept, with their original JSON', async () => {
  const { server, post } = await start(hello, { keepRequests: 2 })
  for (const words of ['one', 'two', 'three']) await post({ ...fine, messages: [user(text(words))] })
  expect(server.requests.map(({ body }) => (body as { messages: Json[] }).messages[0]!.content)).toEqual([
    [text('two')],
    [text('three')],
  ])
  expect(JSON.parse(server.requests[1]!.text)).toEqual(server.requests[1]!.body)
})
