import { expect, test } from 'vitest'
import type { UserBlock } from '../../../shared/messages/content.ts'
import type { ModelMessage, ModelRequest, ToolResultBlock } from '../../runtime/ports/model.ts'
import { traitsOf } from './model-table.ts'
import { wireRequest } from './wire-request.ts'

const says = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const answers = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const tool = (name: string) => ({
  name,
  description: `${name}s`,
  input_schema: { type: 'object', properties: {} },
})

const request = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-sonnet-5-5',
  system: 'You are.',
  tools: [tool('Read'), tool('Edit')],
  messages,
  toolChoice: 'auto',
  ...more,
})

const bodyOf = (...args: Parameters<typeof wireRequest>) => JSON.parse(wireRequest(...args).body)
const mark = { cache_control: { type: 'ephemeral' } }

test('breakpoints: the last tool, the system prompt, the last two user turns', () => {
  const messages = [says('1'), answers('2'), says('3'), answers('4'), says('5'), answers('6')]
  const body = bodyOf(request(messages))
  expect(body.tools.map((each: object) => 'cache_control' in each)).toEqual([false, true])
  expect(body.system).toEqual([{ type: 'text', text: 'You are.', ...mark }])
  expect(body.messages).toEqual([
    says('1'),
    answers('2'),
    { role: 'user', content: [{ type: 'text', text: '3', ...mark }] },
    answers('4'),
    { role: 'user', content: [{ type: 'text', text: '5', ...mark }] },
    answers('6'),
  ])
  expect(wireRequest(request(messages)).body.split('cache_control')).toHaveLength(5)
})

test('all breakpoints of a request that is kept for an hour ask for the hour', () => {
  const messages = [says('1'), answers('2'), says('3')]
  const { body } = wireRequest(request(messages, { cacheFor: '1h' }))
  expect(body.split('"cache_control":{"type":"ephemeral","ttl":"1h"}')).toHaveLength(5)
  expect(body.split('cache_control')).toHaveLength(5)
  expect(JSON.parse(body).system).toEqual([
    { type: 'text', text: 'You are.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ])
})

test('a breakpoint goes into the last block of any kind', () => {
  const image: UserBlock = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'aaaa' },
  }
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: 't', is_error: false, content: [image] }
  for (const block of [image, result]) {
    const body = bodyOf(request([{ role: 'user', content: [{ type: 'text', text: 'look' }, block] }]))
    expect(body.messages[0].content).toEqual([
      { type: 'text', text: 'look' },
      { ...block, ...mark },
    ])
  }
})

test('the effort is sent to models that have the setting', () => {
  const effort = 'xhigh' as const
  expect(bodyOf(request([says('1')], { effort })).output_config).toEqual({ effort })
  expect(bodyOf(request([says('1')], { effort: null }))).not.toHaveProperty('output_config')
  expect(bodyOf(request([says('1')], { effort, model: 'claude-haiku-4-5' }))).not.toHaveProperty(
    'output_config',
  )
  expect(bodyOf(request([says('1')], { effort, model: 'some-other' }))).not.toHaveProperty('output_config')
})

test.each<[string, Partial<ModelRequest>, unknown]>([
  ['claude-opus-4-8', { thinking: 'off' }, undefined],
  ['claude-opus-4-8', { thinking: 'on' }, { type: 'adaptive', display: 'summarized' }],
  ['claude-opus-5', { thinking: 'off' }, { type: 'disabled' }],
  ['claude-sonnet-5-5', { thinking: 'off' }, { type: 'between_tools' }],
  // These always think, and reject a request that turns thinking off.
  ['claude-opus-5-5', { thinking: 'off' }, expect.objectContaining({ type: 'adaptive' })],
  ['claude-fable-5', { thinking: 'off' }, expect.objectContaining({ type: 'adaptive' })],
  ['claude-haiku-4-5', { thinking: null }, undefined],
  ['claude-haiku-4-5', { thinking: 'off' }, undefined],
  ['claude-haiku-4-5', { thinking: 'on' }, { type: 'enabled', budget_tokens: 16_000 }],
  ['claude-haiku-4-5', { thinking: 'on', effort: 'low' }, { type: 'enabled', budget_tokens: 4096 }],
  ['some-other', { thinking: 'on' }, undefined],
])('thinking of %s with %j', (model, choice, expected) => {
  expect(bodyOf(request([says('1')], { model, ...choice })).thinking).toEqual(expected)
})

test('a model that refuses to think nothing at a high effort gets a lower one', () => {
  const choice = { thinking: 'off', effort: 'max' } as const
  const body = bodyOf(request([says('1')], { model: 'claude-haiku-5-5', ...choice }))
  expect(body).toMatchObject({ thinking: { type: 'disabled' }, output_config: { effort: 'high' } })
  expect(bodyOf(request([says('1')], { model: 'claude-haiku-5-5', effort: 'max' }))).toMatchObject({
    output_config: { effort: 'max' },
  })
})

test('the beta is named only where a request uses it', () => {
  expect(wireRequest(request([says('1')])).beta).not.toBeNull()
  expect(wireRequest(request([says('1')], { thinking: 'off' })).beta).toBeNull()
})

test('a server without a cache gets no breakpoints, also after one that has it got the same messages', () => {
  const messages = [says('1'), answers('2'), says('3')]
  const tools = [tool('Read')]
  expect(wireRequest(request(messages, { tools })).body).toContain('cache_control')
  const traits = { ...traitsOf('some-other'), cache: false }
  expect(wireRequest(request(messages, { tools }), { traits }).body).not.toContain('cache_control')
})

test('earlier messages are not serialized again', () => {
  let made = 0
  const counted = (message: ModelMessage): ModelMessage =>
    ({
      role: message.role,
      get content() {
        made++
        return message.content
      },
    }) as ModelMessage
  const messages: ModelMessage[] = []
  const bodies: string[] = []
  for (let turn = 0; turn < 50; turn++) {
    messages.push(counted(says(`question ${turn}`)))
    bodies.push(wireRequest(request([...messages])).body)
    messages.push(counted(answers(`answer ${turn}`)))
  }
  expect(made).toBeLessThanOrEqual(2 * messages.length)
  expect(JSON.parse(bodies.at(-1)!).messages).toHaveLength(99)
})

test('at the turn limit, the tools stay in the cached prefix and cannot be called', () => {
  const body = bodyOf(request([says('1')], { toolChoice: 'none' }))
  expect(body.tool_choice).toEqual({ type: 'none' })
  expect(body.tools).toHaveLength(2)
  expect(bodyOf(request([says('1')], { toolChoice: 'none', tools: [] }))).not.toHaveProperty('tool_choice')
})

test.each([
  ['claude-sonnet-5-5', 64_000, 'adaptive', 'thinking-binding-controls-2026-08-01'],
  ['claude-opus-4-8', 64_000, 'adaptive', null],
  ['claude-haiku-4-5-20251001', 64_000, undefined, null],
  ['somebody-elses-model', 32_000, undefined, null],
])('%s: %i tokens at most, thinking %s', (model, tokens, thinking, beta) => {
  const wire = wireRequest(request([says('1')], { model }))
  const body = JSON.parse(wire.body)
  expect(body.max_tokens).toBe(tokens)
  expect(body.thinking?.type).toBe(thinking)
  expect(body.thinking?.block_binding === undefined).toBe(beta === null)
  expect(wire.beta).toBe(beta)
})

test('a missing system prompt and missing tools leave no fields', () => {
  expect(Object.keys(bodyOf(request([says('1')], { system: ' ', tools: [] })))).toEqual([
    'model',
    'max_tokens',
    'stream',
    'thinking',
    'messages',
  ])
})

test('thinking is sent back unchanged, and calls keep their input', () => {
  const content: ModelMessage['content'] = [
    { type: 'thinking', thinking: '', signature: 'a+b/c==' },
    { type: 'redacted_thinking', data: 'x"y' },
    { type: 'tool_use', id: 't', name: 'Read', input: { a: [1, { b: null }] } },
  ]
  const body = bodyOf(request([says('1'), { role: 'assistant', content } as ModelMessage]))
  expect(body.messages[1].content).toEqual(content)
})

test.each([['{"a":'], [['list']], [null], [7]])(
  'input that is not an object, %j, is sent as written',
  (input) => {
    const content = [{ type: 'tool_use', id: 't', name: 'Read', input }] as const
    const body = bodyOf(request([says('1'), { role: 'assistant', content }]))
    expect(body.messages[1].content[0].input).toEqual({
      not_json: typeof input === 'string' ? input : expect.any(String),
    })
  },
)
