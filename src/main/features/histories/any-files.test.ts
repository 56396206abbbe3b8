import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentEvent } from '../../../shared/events/agent-event.ts'
import type { HistoryProgram } from '../../../shared/histories/history.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { textOfLines, timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'

const junk = fc.jsonValue({ maxDepth: 2 })
const word = fc.constantFrom(
  'Go',
  '<environment_context>',
  '',
  '\u0000',
  '*** Begin Patch\n*** Update File: a\n+b',
)
const id = fc.constantFrom('c1', 'c2', '../x', '')
const time = fc.oneof(fc.integer({ min: 0, max: 90 }).map(timeAt), junk)
const content = fc.oneof(
  word,
  fc.array(
    fc.record({ type: fc.constantFrom('input_text', 'output_text', 'input_image', 'x'), text: word }),
    {
      maxLength: 3,
    },
  ),
  junk,
)

/** A record of these values, with some of its keys missing. */
const some = <T>(values: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(values, { requiredKeys: [] })

const codexItem = some({
  type: fc.constantFrom(
    ...[
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
      'custom_tool_call',
      'web_search_call',
    ],
    ...['local_shell_call', 'custom_tool_call_output', 'new'],
  ),
  role: fc.oneof(fc.constantFrom('user', 'assistant'), junk),
  content,
  summary: content,
  name: fc.constantFrom('shell', 'spawn_agent', 'update_plan', 'apply_patch', 'a b'),
  call_id: id,
  arguments: fc.oneof(
    junk.map((value) => JSON.stringify(value)),
    word,
  ),
  input: word,
  output: fc.oneof(word, fc.constant('{"output":"x","metadata":{"exit_code":1}}'), junk),
  action: junk,
})
const codexEvent = some({
  type: fc.constantFrom(
    ...['user_message', 'token_count', 'turn_aborted', 'task_complete', 'exec_command_end', 'error', 'new'],
    ...['collab_agent_spawn_end'],
  ),
  ...{ message: word, call_id: id, exit_code: junk, new_thread_id: fc.constantFrom('s-2', ''), info: junk },
})
const codexLine = fc.oneof(
  fc.record({ timestamp: time, type: fc.constant('response_item'), payload: codexItem }),
  fc.record({ timestamp: time, type: fc.constant('event_msg'), payload: codexEvent }),
  some({
    timestamp: time,
    type: fc.constantFrom('compacted', 'turn_context', 'session_meta', 'new'),
    payload: junk,
  }),
  codexItem,
  junk,
)

const geminiMessage = some({
  id: fc.oneof(fc.constantFrom('m1', 'm2'), junk),
  ...{
    timestamp: time,
    type: fc.oneof(fc.constantFrom('user', 'gemini', 'info'), junk),
    content,
    model: word,
  },
  thoughts: fc.oneof(fc.array(some({ subject: word, description: junk }), { maxLength: 2 }), junk),
  toolCalls: fc.oneof(
    fc.array(
      some({
        id,
        name: word,
        args: junk,
        result: junk,
        status: fc.constantFrom('success', 'error', 'x'),
        agentId: word,
      }),
      { maxLength: 2 },
    ),
    junk,
  ),
  tokens: junk,
  $set: junk,
  $rewindTo: word,
})

const GO = { id: 'go', type: 'user', content: 'Go', timestamp: timeAt(0) }

const opencodePart = some({
  type: fc.constantFrom('text', 'reasoning', 'tool', 'file', 'step-start', 'new'),
  ...{
    text: word,
    callID: id,
    tool: fc.constantFrom('bash', 'task', 'todowrite', 'a b'),
    synthetic: junk,
    url: word,
  },
  state: fc.oneof(
    some({
      status: fc.constantFrom('completed', 'error', 'running'),
      ...{ input: junk, output: junk, error: junk, time: junk, metadata: junk },
    }),
    junk,
  ),
})
const opencodeMessage = fc.record({
  role: fc.constantFrom('user', 'assistant', 'assistant', 'x'),
  ...{ time: junk, tokens: junk, cost: junk, modelID: word, error: junk, summary: junk },
})

const lines = (values: readonly unknown[]) => textOfLines(...values.map((value) => JSON.stringify(value)))

type Files = Readonly<Record<string, string>>
const FILES: readonly (readonly [HistoryProgram, fc.Arbitrary<Files>])[] = [
  [
    'codex',
    fc
      .tuple(fc.array(codexLine, { maxLength: 25 }), fc.array(codexLine, { maxLength: 10 }))
      .map(([main, child]) => ({
        '.codex/sessions/rollout-1.jsonl': lines([
          { type: 'session_meta', payload: { id: 's-1' } },
          { type: 'event_msg', payload: { type: 'user_message', message: 'Go' } },
          ...main,
        ]),
        '.codex/sessions/rollout-2.jsonl': lines([
          { type: 'session_meta', payload: { id: 's-2', parent_thread_id: 's-1' } },
          ...child,
        ]),
      })),
  ],
  [
    'gemini',
    fc.array(geminiMessage, { minLength: 4, maxLength: 16 }).map((messages) => ({
      '.gemini/tmp/p/chats/session-1.json': JSON.stringify({ sessionId: 's-1', messages: [GO, ...messages] }),
      '.gemini/tmp/p/chats/session-2.jsonl': lines([{ sessionId: 's-2' }, GO, ...messages]),
    })),
  ],
  [
    'opencode',
    fc
      .tuple(
        fc.array(opencodeMessage, { minLength: 2, maxLength: 4 }),
        fc.array(opencodePart, { minLength: 6, maxLength: 16 }),
        junk,
      )
      .map(([messages, parts, session]) => ({
        '.local/share/opencode/storage/session/p/ses_1.json': JSON.stringify(session),
        ...Object.fromEntries(
          messages.map((message, at) => [
            `.local/share/opencode/storage/message/ses_1/m${at}.json`,
            JSON.stringify(message),
          ]),
        ),
        ...Object.fromEntries(
          parts.map((part, at) => [
            `.local/share/opencode/storage/part/m${at % 4}/p${at}.json`,
            JSON.stringify(part),
          ]),
        ),
      })),
  ],
]

test.each(FILES)(
  'any content of files of %s becomes events that fit their schemas',
  { timeout: 120_000 },
  async (program, files) => {
    const home = await historyHome()
    let read = 0
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        for (const [path, text] of Object.entries(all)) await home.write(path, text)
        for (const entry of await home.list(program)) {
          const { events, agents } = await home.read(entry.id)
          for (const event of events) agentEvent.parse(event)
          read += events.length
          expect(agents.map(({ lastSeq }) => lastSeq + 1).reduce((sum, one) => sum + one)).toBe(events.length)
          const open = new Set<string>()
          for (const event of events) {
            if (event.type === 'tool-started') open.add(`${event.agentId} ${event.toolUseId}`)
            if (event.type === 'tool-ended') open.delete(`${event.agentId} ${event.toolUseId}`)
          }
          expect([...open]).toEqual([])
        }
        for (const folder of ['.codex', '.gemini', '.local'])
          await rm(join(home.home, folder), { recursive: true, force: true })
      }),
      { numRuns: triesOf(100) },
    )
    expect(read).toBeGreaterThan(triesOf(300))
  },
)
