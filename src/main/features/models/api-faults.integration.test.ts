import { describe, expect, test } from 'vitest'
import { type EventOf, noLimits } from '../../../shared/events/agent-event.ts'
import { createModelCatalog } from '../../platform/models/model-catalog.ts'
import type { ShellRun } from '../../runtime/ports/shell.ts'
import { freePolicy } from '../../runtime/testing/plain-ports.ts'
import { type FaultyApi, type FaultyOptions, faultyApi } from '../../testing/faulty-api.ts'
import type { ScriptedFault, ScriptedReply } from '../rehearsal/director.ts'

const says = (text: string, more: Partial<ScriptedReply> = {}): ScriptedReply => ({
  blocks: [{ type: 'text', text }],
  ...more,
})
const calls = (
  command: string,
  more: Partial<ScriptedReply> = {},
  id = `toolu_${command}`,
): ScriptedReply => ({
  blocks: [
    { type: 'text', text: 'I run it.' },
    { type: 'tool_use', name: 'Bash', input: { command }, id },
  ],
  ...more,
})
const status = (
  code: number,
  type: string,
  message: string,
  more: { retryAfterSeconds?: number; headers?: Record<string, string> } = {},
): ScriptedFault => ({ kind: 'status', status: code, type, message, ...more })

const eventsOf = <T extends FaultyApi['events'][number]['type']>(troupe: FaultyApi, type: T) =>
  troupe.events.filter((event): event is EventOf<T> => event.type === type)

/** Runs one task against these answers. @returns the commands that ran */
async function play(replies: readonly ScriptedReply[], options: FaultyOptions = {}) {
  const ran: string[] = []
  const shell = async (run: ShellRun) => {
    ran.push(run.command)
    return { output: `ran ${run.command}`, exitCode: 0, ended: 'exit' as const, cwd: run.cwd }
  }
  const troupe = await faultyApi(replies, { shell, ...options })
  const id = await troupe.begin('Go')
  const state = await troupe.runtime.settled(id)
  return { troupe, id, state, ran }
}

const overloaded = { kind: 'stream-error', type: 'overloaded_error', message: 'Overloaded' } as const
const passing: readonly (readonly [string, ScriptedFault, string, RegExp, number?])[] = [
  ['429 without retry-after', status(429, 'rate_limit_error', 'Too many.'), 'rate-limited', /Too many/],
  [
    '429 with retry-after',
    status(429, 'rate_limit_error', 'Too many.', { retryAfterSeconds: 7 }),
    'rate-limited',
    /Too many/,
    7000,
  ],
  [
    '503 with retry-after',
    status(503, 'api_error', 'Busy.', { retryAfterSeconds: 3 }),
    'server',
    /\(503\): Busy/,
    3000,
  ],
  ['408', status(408, 'timeout_error', 'Timed out.'), 'server', /\(408\): Timed out/],
  ['409', status(409, 'conflict_error', 'Conflict.'), 'server', /\(409\): Conflict/],
  ['500', status(500, 'api_error', 'Oops.'), 'server', /\(500\): Oops/],
  ['502', status(502, 'api_error', 'Bad gateway.'), 'server', /\(502\): Bad gateway/],
  ['529 before the stream', status(529, 'overloaded_error', 'Overloaded'), 'overloaded', /overloaded/],
  ['overloaded inside the stream', overloaded, 'overloaded', /overloaded/],
  ['a stall', { kind: 'stall', afterCharacters: 6 }, 'stalled', /no data for 0\.3 s/],
  ['a cut socket', { kind: 'cut', afterCharacters: 6 }, 'connection', /Lost connection to the API/],
  ['a hang-up without an answer', { kind: 'hang-up' }, 'connection', /Lost connection to the API/],
  ['a clean end without message_stop', { kind: 'no-stop' }, 'connection', /before the message was complete/],
  ['a stream without message_start', { kind: 'no-start' }, 'server', /before message_start/],
]

describe('transient failures are retried', () => {
  test.for(passing)('%s', async ([, fault, type, message, wait = 1000]) => {
    const { troupe, state } = await play([says('Half a thought', { fault }), says('Whole.')], {
      ...(type === 'stalled' ? { idleTimeoutMs: 300 } : {}),
    })
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'Whole.', retry: null })

    const [failed, ...more] = eventsOf(troupe, 'request-failed')
    expect(more).toEqual([])
    expect(failed).toMatchObject({ attempt: 1, failure: { type, message: expect.stringMatching(message) } })
    // The panel counts down to this time, and the next attempt starts no earlier.
    expect(failed!.retryAt! - failed!.at).toBeGreaterThanOrEqual(wait - 5)
    expect(failed!.retryAt! - failed!.at).toBeLessThanOrEqual(wait * 1.25)
    const [, again] = eventsOf(troupe, 'request-started')
    expect(again).toMatchObject({ attempt: 2 })
    expect(again!.at).toBeGreaterThanOrEqual(failed!.retryAt!)

    // The same request is repeated, and the transcript has no streamed text of the failed attempt.
    const bodies = troupe.server.requests.map(({ text }) => text)
    expect(bodies).toEqual([bodies[0], bodies[0]])
    expect(eventsOf(troupe, 'assistant-message').map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'Whole.' }],
    ])
    expect(JSON.stringify(troupe.events)).not.toContain('Half')
    // The panel marks the streamed text as void before new text arrives.
    const clears = troupe.live.flatMap((event) => (event.type === 'live-clear' ? [event.reason] : []))
    expect(clears).toEqual(['retry', 'finished'])
  })

  test('eight times with growing waits, then the agent fails with the API’s message and accepts messages', async () => {
    const fault = status(529, 'overloaded_error', 'Overloaded')
    const { troupe, id, state } = await play([
      ...Array.from({ length: 8 }, () => says('', { fault })),
      says('Back.'),
    ])
    expect(state).toMatchObject({ status: 'failed', failure: { type: 'overloaded' } })
    const failed = eventsOf(troupe, 'request-failed')
    expect(failed.map(({ retryAt, at }) => (retryAt === null ? null : retryAt - at - 1))).toEqual(
      [999, 1999, 3999, 7999, 15_999, 31_999, 59_999, null].map((ms) =>
        ms === null ? null : expect.closeTo(ms, -1),
      ),
    )
    await troupe.say(id, 'Try again')
    expect((await troupe.runtime.settled(id)).lastLine).toBe('Back.')
  })
})

const final: readonly (readonly [string, ScriptedFault, string, RegExp])[] = [
  ['401', status(401, 'authentication_error', 'invalid x-api-key'), 'auth', /Check the key in Settings/],
  ['403', status(403, 'permission_error', 'not for you'), 'auth', /Use another key or model in Settings/],
  ['404 model', status(404, 'not_found_error', 'model: claude-x'), 'not-found', /Choose another model/],
  ['400', status(400, 'invalid_request_error', 'max_tokens: bad'), 'bad-request', /start a new conversation/],
  ['402', status(402, 'billing_error', 'No credit.'), 'bad-request', /Add credit .*or use another key/],
  ['413', status(413, 'request_too_large', 'Too large.'), 'bad-request', /Leave large files or images out/],
  [
    '307',
    status(307, 'api_error', 'https://other.test/v1', { headers: { location: 'https://other.test/v1' } }),
    'redirected',
    /enter it as the API address in Settings/,
  ],
  [
    '429 that is final',
    status(429, 'rate_limit_error', 'Spend limit reached.', { headers: { 'x-should-retry': 'false' } }),
    'bad-request',
    /use another key in Settings/,
  ],
]
describe('permanent failures fail at once, with the API’s message and the next step', () => {
  test.for(final)('%s', async ([, fault, type, todo]) => {
    const { troupe, state } = await play([says('', { fault })])
    expect(state).toMatchObject({ status: 'failed', failure: { type } })
    expect(state.failure?.message).toContain((fault as Extract<ScriptedFault, { kind: 'status' }>).message)
    expect(state.failure?.message).toMatch(todo)
    expect(troupe.server.requests).toHaveLength(1)
    expect(eventsOf(troupe, 'request-failed')).toMatchObject([{ retryAt: null }])
  })
})

describe('how a message ends', () => {
  test('tools run only if the model stopped to use them', async () => {
    for (const stopReason of [
      'max_tokens',
      'end_turn',
      'stop_sequence',
      'pause_turn',
      'model_context_window_exceeded',
    ]) {
      const { troupe, state, ran } = await play([calls('ls', { stopReason }), says('Fine.')])
      if (state.status === 'waiting' && state.lastLine !== 'Fine.') {
        // The turn has ended, and the API accepts the history with the next message.
        await troupe.say(state.conversationId, 'And now?')
        expect((await troupe.runtime.settled(state.conversationId)).lastLine, stopReason).toBe('Fine.')
      } else expect(state.lastLine, stopReason).toBe('Fine.')
      expect(ran, stopReason).toEqual([])
      expect(eventsOf(troupe, 'tool-started'), stopReason).toEqual([])
      expect(eventsOf(troupe, 'tool-ended'), stopReason).toMatchObject([{ isError: true }])
      expect(troupe.server.requests.map((request) => request.status)).toEqual(
        troupe.server.requests.map(() => 200),
      )
    }
  })

  test('input cut off at max_tokens is not run, even if it is valid', async ({ expect }) => {
    const { troupe, ran } = await play([
      calls('rm -rf /tmp/shop/build', { truncateToolInput: '{"command":"rm -rf /tmp/'.length }),
      says('Fine.'),
    ])
    expect(ran).toEqual([])
    expect(troupe.server.requests[1]?.text).toContain('was not run: your message was cut off')
  })

  test('truncated input sent as complete is refused with the reason', async () => {
    const { troupe, ran } = await play([
      calls('ls', { truncateToolInput: 5, stopReason: 'tool_use' }),
      says('Fine.'),
    ])
    expect(ran).toEqual([])
    expect(eventsOf(troupe, 'tool-ended')).toMatchObject([{ isError: true, note: 'bad input' }])
  })

  test('a paused turn continues as one message', async () => {
    const { troupe, state } = await play([
      says('First half.', { stopReason: 'pause_turn' }),
      says('Second half.'),
    ])
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'Second half.' })
    expect(troupe.server.requests.map((request) => request.status)).toEqual([200, 200])
  })

  test('the turn limit stops a server that pauses forever', async () => {
    const { state, troupe } = await play([says('Still here.', { stopReason: 'pause_turn' })])
    expect(state).toMatchObject({ status: 'waiting', turn: state.maxTurns + 1 })
    expect(troupe.server.requests).toHaveLength(state.maxTurns + 1)
  })

  test('a model that announces a tool call without making one is prompted again, a limited number of times', async () => {
    const once = await play([says('Now I read it.', { stopReason: 'tool_use' }), says('Fine.')])
    expect(once.state).toMatchObject({ status: 'waiting', lastLine: 'Fine.' })
    const always = await play([says('Now I read it.', { stopReason: 'tool_use' })])
    expect(always.state).toMatchObject({ status: 'failed' })
    expect(always.troupe.server.requests.length).toBeLessThan(6)
  })

  test('a refusal fails the agent with a next step, and the conversation can continue', async () => {
    const { troupe, state, id } = await play([says('I can’t.', { stopReason: 'refusal' }), says('Gladly.')])
    expect(state).toMatchObject({ status: 'failed', failure: { type: 'refusal' } })
    expect(state.failure?.message).toContain('Rephrase the task')
    await troupe.say(id, 'Something else')
    expect((await troupe.runtime.settled(id)).lastLine).toBe('Gladly.')
  })

  test('the details of a refusal are shown', async () => {
    const { state } = await play([
      says('', {
        stopReason: 'refusal',
        stopDetails: { type: 'refusal', category: 'bio', explanation: 'No.' },
      }),
    ])
    expect(state.failure?.message).toContain('declined to answer: No (bio). Rephrase')
  })

  test('thinking that was cut off is dropped, and the API accepts the next request', async () => {
    const thought: ScriptedReply = {
      blocks: [{ type: 'thinking', text: 'Let me think about' }],
      stopReason: 'max_tokens',
    }
    const { state, troupe } = await play([thought, says('Fine.')])
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'Fine.' })
    expect(troupe.server.requests.map((request) => request.status)).toEqual([200, 200])
  })

  test('a full context is compacted, and the work continues', async () => {
    const { state, troupe } = await play([
      says('So far', { stopReason: 'model_context_window_exceeded' }),
      says('A summary.'),
      says('Done.'),
    ])
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'Done.' })
    expect(eventsOf(troupe, 'context-compacted')).toMatchObject([{ summary: 'A summary.' }])
  })

  test('a content block that begins twice loses no text', async () => {
    const { state, troupe } = await play([says('Whole.', { fault: { kind: 'repeated-block' } })])
    expect(state).toMatchObject({ status: 'waiting' })
    expect(eventsOf(troupe, 'request-failed')).toEqual([])
    expect(JSON.stringify(eventsOf(troupe, 'assistant-message'))).toContain('Whole.')
  })

  test('unknown parts of a message are skipped with a notice', async () => {
    const { state, troupe, ran } = await play([
      calls('ls', { fault: { kind: 'unknown-events' } }),
      says('Fine.'),
    ])
    expect(state.lastLine).toBe('Fine.')
    expect(ran).toEqual(['ls'])
    expect(eventsOf(troupe, 'notice')[0]?.text).toContain('hologram')
  })
})

describe('usage that no model can have', () => {
  const noted = { blocks: [{ type: 'tool_use', name: 'TodoWrite', input: { todos: [] } }] } as const
  const limited = (tokens: number): FaultyOptions => ({
    policy: { limits: { ...freePolicy.limits, conversation: { ...noLimits, tokens } } },
  })
  test.for([
    ['negative', { input_tokens: -1_000_000_000, output_tokens: -1_000_000_000 }],
    ['negative reads of the cache', { cache_read_input_tokens: -1_000_000_000 }],
    ['huge', { input_tokens: 1e300, output_tokens: 1e300 }],
    ['missing', { input_tokens: undefined, output_tokens: undefined }],
  ] as const)('%s counts do not lift a token limit', async ([, usage]) => {
    const { state } = await play([{ ...noted, usage }], limited(20_000))
    expect(state).toMatchObject({ reachedLimit: 'tokens', limitOf: 'conversation' })
    // Neither the first message nor the last possible turn ended it.
    expect(state.turn).toBeGreaterThan(2)
    expect(state.turn).toBeLessThan(state.maxTurns)
  })

  test('a reply in the name of another model neither lifts a money limit nor blocks the next message', async () => {
    const { troupe, id, state } = await play([says('One.', { model: 'gateway/sonnet' })], {
      policy: { limits: { ...freePolicy.limits, conversation: { ...noLimits, usd: 20 } } },
      ports: { models: createModelCatalog({}) },
    })
    expect(state).toMatchObject({ status: 'waiting', priced: true })
    expect(state.costUsd).toBeGreaterThan(0)
    await troupe.say(id, 'And now?')
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', reachedLimit: null })
    expect(troupe.server.requests).toHaveLength(2)
  })
})

describe('unusual calls', () => {
  test('two calls with one id in a message: nothing runs, and the request is repeated', async () => {
    const call = { type: 'tool_use', name: 'Bash', input: { command: 'ls' }, id: 'toolu_same' } as const
    const { state, troupe, ran } = await play([{ blocks: [call, call] }, says('Fine.')])
    expect(ran).toEqual([])
    expect(state.lastLine).toBe('Fine.')
    expect(eventsOf(troupe, 'request-failed')).toMatchObject([{ failure: { type: 'server' } }])
  })

  test('a reused id is replaced, and both calls keep their results', async ({ expect }) => {
    const { state, troupe, ran } = await play([
      calls('ls', {}, 'toolu_same'),
      calls('git status', {}, 'toolu_same'),
      calls('git log', {}, 'toolu_same'),
      says('Fine.'),
    ])
    expect(state).toMatchObject({ status: 'waiting', lastLine: 'Fine.' })
    expect(ran).toEqual(['ls', 'git status', 'git log'])
    const ended = eventsOf(troupe, 'tool-ended')
    expect(ended.map(({ content }) => content)).toEqual(ran.map((command) => `ran ${command}`))
    expect(new Set(ended.map(({ toolUseId }) => toolUseId)).size).toBe(3)
    expect(troupe.server.requests.map((request) => request.status)).toEqual([200, 200, 200, 200])
  })

  test('10 MB of input arrive complete', async () => {
    const content = 'some "quoted" words\n'.repeat(500_000)
    const todos = [{ content, status: 'pending' }]
    const { state, troupe } = await play(
      [
        { blocks: [{ type: 'tool_use', name: 'TodoWrite', input: { todos } }], beyondLimit: true },
        says('Fine.'),
      ],
      { contextTokens: 100_000_000 },
    )
    expect(state.lastLine).toBe('Fine.')
    expect(state.todos[0]?.content === content).toBe(true)
    expect(troupe.server.requests.map((request) => request.status)).toEqual([200, 200])
  })

  test('wrong input names the field', async () => {
    const { troupe } = await play([
      { blocks: [{ type: 'tool_use', name: 'Read', input: { file: 'a.ts', limit: 'many' } }] },
      says('Fine.'),
    ])
    const [ended] = eventsOf(troupe, 'tool-ended')
    expect(ended).toMatchObject({ isError: true, note: 'bad input' })
    expect(ended?.content).toContain('`file_path`')
    expect(ended?.content).toContain('`limit`')
  })
})
