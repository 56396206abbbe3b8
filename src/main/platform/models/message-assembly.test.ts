import { describe, expect, test } from 'vitest'
import { MessageAssembly } from './message-assembly.ts'

type Event = Record<string, unknown>

const start = (usage: Event = { input_tokens: 40, output_tokens: 1 }): Event => ({
  type: 'message_start',
  message: { id: 'm', model: 'x', usage },
})
const text = (index: number, words: string): Event => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'text', text: words },
})
const delta = (index: number, value: Event): Event => ({ type: 'content_block_delta', index, delta: value })
const end = (usage: Event = { output_tokens: 3 }): Event => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage,
})
const stop: Event = { type: 'message_stop' }

/** Feeds the events until one fails. The request is estimated at 1000 tokens. */
function assemble(events: readonly Event[]) {
  const deltas: string[] = []
  const assembly = new MessageAssembly({
    onDelta: ({ append }) => deltas.push(append),
    elapsed: () => 0,
    promptTokens: () => 1000,
  })
  for (const event of events) {
    const failure = assembly.take(JSON.stringify(event).replaceAll('"1e999"', '1e999'))
    if (failure !== null) return { failure, deltas }
  }
  const reply = assembly.reply()
  return reply.ok ? { ...reply.value, deltas } : { failure: reply.failure, deltas }
}

describe('usage', () => {
  const LONG = 'word '.repeat(400)
  const usageOf = (first: Event, last: Event) => {
    const made = assemble([start(first), text(0, LONG), end(last), stop])
    return 'usage' in made ? made.usage : made.failure
  }

  test('is as the API counts it', () => {
    const counted = { input_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 9 }
    expect(usageOf(counted, { output_tokens: 3 })).toEqual({
      input: 5,
      output: 3,
      cacheRead: 7,
      cacheWrite: 9,
    })
    const forAnHour = (tokens: unknown) =>
      usageOf({ ...counted, cache_creation: { ephemeral_1h_input_tokens: tokens } }, { output_tokens: 3 })
    expect(forAnHour(4)).toMatchObject({ cacheWrite: 9, cacheWriteHour: 4 })
    expect(forAnHour(99)).toMatchObject({ cacheWrite: 9, cacheWriteHour: 9 })
    for (const none of [0, -1, null, '4']) expect(forAnHour(none)).not.toHaveProperty('cacheWriteHour')
    // A prompt that comes from the cache has no other input.
    expect(usageOf({ input_tokens: 0, cache_read_input_tokens: 7 }, { output_tokens: 3 })).toEqual({
      input: 0,
      output: 3,
      cacheRead: 7,
      cacheWrite: 0,
    })
  })

  test.each([-1, -1e12, 1e12, 1.5, '1e999', '12', null, true])('a count of %s is estimated', (wrong) => {
    const estimated = { input: 1000, output: 500, cacheRead: 0, cacheWrite: 0 }
    expect(usageOf({ input_tokens: wrong }, { output_tokens: wrong })).toEqual(estimated)
    expect(
      usageOf(
        { input_tokens: wrong, cache_read_input_tokens: wrong, cache_creation_input_tokens: wrong },
        { output_tokens: wrong },
      ),
    ).toEqual(estimated)
    // The other counts hold, and the sum is at least the estimate.
    expect(usageOf({ input_tokens: wrong, cache_read_input_tokens: 300 }, { output_tokens: 3 })).toEqual({
      input: 700,
      output: 3,
      cacheRead: 300,
      cacheWrite: 0,
    })
    expect(usageOf({ input_tokens: 40, output_tokens: 1 }, { output_tokens: wrong })).toEqual({
      input: 40,
      output: 500,
      cacheRead: 0,
      cacheWrite: 0,
    })
  })

  test('without counts, or with zeros, is estimated', () => {
    const estimated = { input: 1000, output: 500, cacheRead: 0, cacheWrite: 0 }
    expect(usageOf({}, {})).toEqual(estimated)
    expect(usageOf({ input_tokens: 0, output_tokens: 0 }, { output_tokens: 0 })).toEqual(estimated)
  })

  test('a later impossible count does not undo an earlier one', () => {
    expect(usageOf({ input_tokens: 2000, output_tokens: 1 }, { input_tokens: -5, output_tokens: 3 })).toEqual(
      {
        input: 2000,
        output: 3,
        cacheRead: 0,
        cacheWrite: 0,
      },
    )
  })
})

describe('text keeps its place in a message that is against the format', () => {
  const call = { ...text(0, ''), content_block: { type: 'tool_use', id: 't', name: 'Read', input: {} } }
  const thinking = { ...text(0, ''), content_block: { type: 'thinking', thinking: 'Hm', signature: 's' } }
  const words = (index: number, more: string) => delta(index, { type: 'text_delta', text: more })
  const input = (index: number, json: string) =>
    delta(index, { type: 'input_json_delta', partial_json: json })
  const contentOf = (events: readonly Event[]) => {
    const made = assemble([start(), ...events, end(), stop])
    return 'content' in made
      ? made.content.map((block) =>
          block.type === 'text' ? block.text : block.type === 'tool_use' ? block.input : block.type,
        )
      : made.failure.message
  }
  test.each<[string, readonly Event[], unknown]>([
    [
      'a block begun twice',
      [text(0, 'One'), text(1, 'Two'), text(0, 'Three'), words(0, '!')],
      ['One', 'Two', 'Three!'],
    ],
    [
      'every block with the same index',
      [text(0, 'One'), call, input(0, '{"a":1}'), text(0, 'Two')],
      ['One', { a: 1 }, 'Two'],
    ],
    ['a call begun twice', [call, input(0, '{"a":'), call, input(0, '1}')], [{ a: 1 }]],
    [
      'an unknown block begun again',
      [{ ...text(0, ''), content_block: { type: 'new' } }, text(0, 'One')],
      ['foreign', 'One'],
    ],
    [
      'text for a call',
      [call, words(0, 'One'), input(0, '{"a":1}'), words(0, ' two')],
      [{ a: 1 }, 'One two'],
    ],
    ['text for thinking', [thinking, words(0, 'One')], ['thinking', 'One']],
  ])('%s', (_, events, expected) => {
    expect(contentOf(events)).toEqual(expected)
  })

  test.each([
    ['input', { type: 'input_json_delta', partial_json: '{' }],
    ['thinking', { type: 'thinking_delta', thinking: 'x' }],
    ['a signature', { type: 'signature_delta', signature: 'x' }],
  ])('%s for a text is left out, and said', (_, value) => {
    expect(assemble([start(), text(0, 'One'), delta(0, value), end(), stop])).toMatchObject({
      content: [{ type: 'text', text: 'One' }],
      notes: [expect.stringContaining(`${value.type} in a block of the kind text`)],
    })
  })
})

const LONG_TEXT = Array.from({ length: 21 }, () =>
  delta(0, { type: 'text_delta', text: 'x'.repeat(200_000) }),
)

describe('a broken stream is a failure of the server', () => {
  const hello = text(0, 'Hello')
  test.each<[string, readonly Event[], RegExp]>([
    ['without message_start', [hello, end(), stop], /before message_start/],
    ['with nothing but the end', [stop], /before message_start/],
    ['with two starts', [start(), hello, start()], /message_start came twice/],
    ['with text and no end', [start(), hello, ...LONG_TEXT], /4 million characters of text/],
    [
      'with blocks and no end',
      [start(), ...Array.from({ length: 10_001 }, () => hello)],
      /more than 10000 blocks/,
    ],
  ])('%s', (_, events, message) => {
    expect(assemble(events)).toMatchObject({
      failure: { type: 'server', message: expect.stringMatching(message) },
    })
  })

  test('nothing of a message is shown before its start', () => {
    expect(assemble([hello]).deltas).toEqual([])
  })

  test('pings and unknown events may come before the start', () => {
    const made = assemble([{ type: 'ping' }, { type: 'weather' }, start(), hello, end(), stop])
    expect(made).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] })
  })

  test('a block of an unknown kind is kept as it came, with all that its deltas append; the user is told', () => {
    const begun = (index: number, content_block: object) => ({ ...text(index, ''), content_block })
    const made = assemble([
      start(),
      begun(0, { type: 'server_tool_use', id: 's1', name: 'run', input: {}, caller: { type: 'direct' } }),
      delta(0, { type: 'input_json_delta', partial_json: '{"code":' }),
      delta(0, { type: 'input_json_delta', partial_json: '"1 + 1"}' }),
      begun(1, { type: 'run_result', tool_use_id: 's1', content: { type: 'done', lines: [2] } }),
      begun(2, { type: 'compaction', content: null }),
      delta(2, { type: 'compaction_delta', content: 'So ' }),
      delta(2, { type: 'compaction_delta', content: 'far.', parts: [1] }),
      begun(3, { type: 'text', text: '', citations: [] }),
      delta(3, { type: 'citations_delta', citation: { type: 'page', cited_text: 'two' } }),
      delta(3, { type: 'text_delta', text: 'Two.' }),
      begun(4, {
        type: 'tool_use',
        id: 't',
        name: 'Read',
        input: {},
        caller: { type: 'code', tool_id: 's1' },
      }),
      end(),
      stop,
    ])
    expect(made).toMatchObject({
      content: [
        {
          type: 'foreign',
          block: {
            type: 'server_tool_use',
            id: 's1',
            name: 'run',
            input: { code: '1 + 1' },
            caller: { type: 'direct' },
          },
        },
        {
          type: 'foreign',
          block: { type: 'run_result', tool_use_id: 's1', content: { type: 'done', lines: [2] } },
        },
        { type: 'foreign', block: { type: 'compaction', content: 'So far.', parts: [1] } },
        { type: 'text', text: 'Two.', citations: [{ type: 'page', cited_text: 'two' }] },
        { type: 'tool_use', caller: { type: 'code', tool_id: 's1' } },
      ],
      notes: [expect.stringContaining('(run_result, compaction). It is not shown, and is sent back')],
    })
  })
  test('blocks that the message begins with are kept', () => {
    const call = { type: 'tool_use', id: 't', name: 'Read', input: { path: 'a' } }
    const message = { id: 'm', model: 'x', content: [call], usage: { input_tokens: 1, output_tokens: 1 } }
    const whole = { ...message, stop_reason: 'tool_use', usage: { input_tokens: 1, output_tokens: 9 } }
    expect(assemble([{ type: 'message_start', message }, end(), stop])).toMatchObject({ content: [call] })
    expect(assemble([{ type: 'message_start', message: whole }, stop])).toMatchObject({
      content: [call],
      stopReason: 'tool_use',
      usage: { output: 9 },
    })
  })
  test('an input that stays empty is the one that it began with, and a fallback names the model that answers', () => {
    const begun = (index: number, content_block: object) => ({ ...text(index, ''), content_block })
    const made = assemble([
      start(),
      begun(0, { type: 'fallback', from: { model: 'claude-a' }, to: { model: 'claude-b' } }),
      begun(1, { type: 'server_tool_use', id: 's1', name: 'advisor', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '' }),
      end(),
      stop,
    ])
    expect(made).toMatchObject({
      model: 'claude-b',
      content: [{ block: { type: 'fallback' } }, { block: { input: {} } }],
    })
  })
  test('a block without a type is left out with its deltas; deltas of an unknown kind are skipped', () => {
    const unknown = { ...text(1, ''), content_block: { form: 'hologram' } }
    const odd = [delta(1, { type: 'text_delta', text: 'x' }), delta(0, { type: 'citations_delta' })]
    expect(assemble([start(), hello, unknown, ...odd, end(), stop])).toMatchObject({
      content: [{ type: 'text', text: 'Hello' }],
    })
  })
})

describe('the details of a refusal', () => {
  const detailsOf = (stop_details: unknown) => {
    const refused = { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } }
    const made = assemble([start(), refused, stop])
    return 'stopDetails' in made ? made.stopDetails : undefined
  }
  test('are a sentence with the category', () => {
    const explanation = 'This could be malware'
    expect(detailsOf({ type: 'refusal', category: 'cyber', explanation })).toBe(
      'This could be malware (cyber).',
    )
    expect(detailsOf({ type: 'refusal', category: 'cyber', explanation: null })).toBe('cyber.')
    expect(detailsOf({ type: 'refusal', category: null, explanation: 'No.' })).toBe('No.')
    expect(detailsOf({ type: 'refusal', category: null, explanation: 'No.\u001b[2J\n  no' })).toBe(
      'No. [2J no.',
    )
    expect(detailsOf({ category: 'x'.repeat(9000), explanation: 'y'.repeat(9000) })?.length).toBeLessThan(700)
  })
  test('are left out where there are none', () => {
    for (const none of [null, undefined, {}, 'text', { category: 3, explanation: ' ' }])
      expect(detailsOf(none)).toBeUndefined()
  })
})

test('input nested too deep for the program stays text, which every tool refuses', () => {
  const inputOf = (json: string) => {
    const call = { type: 'tool_use', id: 't', name: 'Read', input: {} }
    const begun = { ...text(0, ''), content_block: call }
    const made = assemble([
      start(),
      begun,
      delta(0, { type: 'input_json_delta', partial_json: json }),
      end(),
      stop,
    ])
    const [block] = 'content' in made ? made.content : []
    return block?.type === 'tool_use' ? block.input : undefined
  }
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  expect(inputOf(nested(100))).toEqual(JSON.parse(nested(100)))
  for (const depth of [5000, 200_000]) expect(inputOf(nested(depth))).toBe(nested(depth))
  // Brackets inside a text are not nested.
  expect(inputOf(`{"a":"${'['.repeat(5000)}"}`)).toEqual({ a: '['.repeat(5000) })
})
