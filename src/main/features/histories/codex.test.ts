import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { textOfLines, timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'
import { shortRows } from './testing/short-rows.ts'

const DAY = '.codex/sessions/2026/03/01'
const fileOf = (id: string) => `${DAY}/rollout-2026-03-01T10-00-00-${id}.jsonl`

/** The lines of a rollout in the present form. */
function rollout(id: string, meta: object = {}) {
  let count = 0
  const line = (type: string, payload: object) =>
    JSON.stringify({ timestamp: timeAt(++count), type, payload })
  const event = (type: string, more: object = {}) => line('event_msg', { type, ...more })
  const item = (type: string, more: object = {}) => line('response_item', { type, ...more })
  return {
    ...{ line, event, item },
    meta: line('session_meta', {
      id,
      timestamp: timeAt(0),
      cwd: '/work/shop',
      originator: 'codex_cli_rs',
      ...meta,
    }),
    context: (model: string) => line('turn_context', { model, cwd: '/work/shop' }),
    user: (text: string) => [
      item('message', { role: 'user', content: [{ type: 'input_text', text }] }),
      event('user_message', { message: text, kind: 'plain' }),
    ],
    says: (text: string) => item('message', { role: 'assistant', content: [{ type: 'output_text', text }] }),
    calls: (call_id: string, name: string, input: object) =>
      item('function_call', { name, arguments: JSON.stringify(input), call_id }),
    output: (call_id: string, output: unknown) => item('function_call_output', { call_id, output }),
    tokens: (input: number, cached: number, output: number, total: number) =>
      event('token_count', {
        info: {
          last_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
          total_token_usage: { total_tokens: total },
        },
      }),
  }
}

test('reads a rollout in the present form: prompts once, calls, plans, tokens, models', async () => {
  const home = await historyHome()
  const r = rollout('11111111-aaaa')
  await home.write(
    fileOf('1'),
    textOfLines(
      r.meta,
      r.item('message', { role: 'user', content: [{ type: 'input_text', text: '<environment_context>x' }] }),
      r.context('gpt-5-codex'),
      ...r.user('Make the total right'),
      r.item('reasoning', { summary: [{ type: 'summary_text', text: 'Rounding?' }], encrypted_content: 'x' }),
      r.says('I look.'),
      r.calls('c1', 'shell', { command: ['bash', '-lc', 'ls'], workdir: '/work/shop' }),
      r.tokens(100, 60, 10, 110),
      r.output('c1', '{"output":"a.ts\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
      r.item('custom_tool_call', {
        ...{ call_id: 'c2', name: 'apply_patch', status: 'completed' },
        input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n+c\n*** End Patch',
      }),
      r.item('custom_tool_call_output', { call_id: 'c2', output: 'Success.' }),
      r.calls('c3', 'update_plan', { plan: [{ step: 'One', status: 'completed' }] }),
      r.output('c3', 'Plan updated'),
      r.calls('c4', 'exec_command', { cmd: 'false' }),
      r.event('exec_command_end', { call_id: 'c4', exit_code: 2 }),
      r.output('c4', 'no'),
      r.tokens(200, 100, 20, 330),
      r.tokens(200, 100, 20, 330),
      r.context('gpt-5-mini'),
      r.says('Done.'),
      r.event('agent_message', { message: 'Done.' }),
      r.event('new_event'),
      r.item('new_item'),
      r.line('new_line', {}),
      'no json',
    ),
  )
  const [entry] = await home.list('codex')
  expect(entry).toMatchObject({
    ...{ title: 'Make the total right', folder: '/work/shop', agents: 1, createdAt: Date.parse(timeAt(0)) },
  })
  const { rows, agents, leftOut } = await home.read(entry?.id ?? '')
  expect(shortRows(rows.get(''))).toEqual([
    'user Make the total right',
    'thinking Rounding?',
    'text I look.',
    'shell bash -lc ls: done "a.ts\\n"',
    'apply_patch src/a.ts: done "Success."',
    'update_plan : done "Plan updated"',
    'exec_command false: failed "no"',
    'notice Model: gpt-5-mini',
    'text Done.',
  ])
  expect(agents).toMatchObject([
    {
      ...{ model: 'gpt-5-mini', todos: [{ content: 'One', status: 'completed' }] },
      usage: { input: 140, cacheRead: 160, output: 30 },
    },
  ])
  expect(leftOut).toEqual([
    'Events of the unknown kind “new_event”: 1.',
    'Parts of the unknown kind “new_item”: 1.',
    'Lines of the unknown kind “new_line”: 1.',
    'Lines that are no JSON: 1.',
  ])
})

test('reads the older forms: lines without an envelope, and one value of JSON', async () => {
  const home = await historyHome()
  const items = [
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context><cwd>/old</cwd>' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'An old prompt' }] },
    { type: 'local_shell_call', call_id: 'c1', action: { type: 'exec', command: ['ls'] } },
    { type: 'function_call_output', call_id: 'c1', output: 'a' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'An answer' }] },
  ]
  const lines = [
    { id: 'old-1', timestamp: timeAt(1), instructions: null },
    { record_type: 'state' },
    ...items,
  ]
  await home.write(fileOf('old'), textOfLines(...lines.map((line) => JSON.stringify(line))))
  await home.write(
    '.codex/sessions/rollout-2025-05-01-old-2.json',
    JSON.stringify({ session: { id: 'old-2', timestamp: timeAt(2), instructions: '' }, items }),
  )
  const entries = await home.list('codex')
  expect(entries).toMatchObject([
    { title: 'An old prompt', folder: '/old' },
    { title: 'An old prompt', folder: '/old' },
  ])
  for (const { id } of entries)
    expect(shortRows((await home.read(id)).rows.get(''))).toEqual([
      'user An old prompt',
      'shell ls: done "a"',
      'text An answer',
    ])
})

test('shows subagents, each of a file of its own, below the call that started them, and named threads by name', async () => {
  const home = await historyHome()
  const [main, child] = [
    rollout('main-1'),
    rollout('child-1', {
      source: {
        subagent: { thread_spawn: { parent_thread_id: 'main-1', depth: 1, agent_role: 'explorer' } },
      },
    }),
  ]
  await home.write(
    fileOf('main'),
    textOfLines(
      main.meta,
      ...main.user('Go'),
      main.calls('c1', 'spawn_agent', { message: 'Find the clock', agent_type: 'explorer' }),
      main.event('collab_agent_spawn_end', {
        call_id: 'c1',
        new_thread_id: 'child-1',
        prompt: 'Find the clock',
      }),
      main.output('c1', '{"agent_id":"child-1"}'),
      main.says('Found.'),
    ),
  )
  await home.write(
    fileOf('child'),
    textOfLines(
      child.meta,
      main.meta,
      ...child.user('Find the clock'),
      child.says('In time.ts.'),
      child.event('task_complete', { last_agent_message: 'In time.ts.' }),
    ),
  )
  await home.write(
    '.codex/session_index.jsonl',
    textOfLines('{"id":"main-1","thread_name":"The clock"}', 'x'),
  )
  const entries = await home.list('codex')
  expect(entries).toMatchObject([{ title: 'The clock', agents: 2 }])
  const { agents, rows } = await home.read(entries[0]?.id ?? '')
  expect(agents[1]).toMatchObject({
    ...{ parentToolUseId: 'c1', task: 'Find the clock', status: 'completed', report: 'In time.ts.' },
    definition: { name: 'explorer' },
  })
  expect(shortRows(rows.get(''))).toEqual(['user Go', 'agents c1', 'text Found.'])
})

test('a loop of parents, a copy in the archive, compressed and empty files do no harm', async () => {
  const home = await historyHome()
  const child = (id: string, parent: string) =>
    rollout(id, { source: { subagent: { thread_spawn: { parent_thread_id: parent } } } })
  const [a, b] = [child('a', 'b'), child('b', 'a')]
  await home.write(fileOf('a'), textOfLines(a.meta, ...a.user('One'), a.says('1')))
  await home.write(fileOf('b'), textOfLines(b.meta, ...b.user('Two'), b.says('2')))
  await home.write('.codex/archived_sessions/rollout-x.jsonl', textOfLines(a.meta, ...a.user('One')))
  await home.write(fileOf('empty'), '')
  await home.write(`${DAY}/rollout-z.jsonl.zst`, 'x')
  await home.write(`${DAY}/rollout-y.jsonl.gz`, 'x')
  const [source] = unwrap(await home.histories.list({ program: 'codex', allow: ['codex'] }))
  expect(source?.entries).toMatchObject([{ agents: 2 }])
  expect(source?.problems).toEqual([
    expect.stringContaining('rollout-y.jsonl.gz'),
    expect.stringContaining('rollout-z.jsonl.zst'),
  ])
  expect((await home.read(source?.entries[0]?.id ?? '')).agents).toHaveLength(2)
})

test.each([
  ['zst', zstdCompressSync],
  ['gz', gzipSync],
] as const)('a compressed rollout (.%s) is read like any other', async (end, pack) => {
  const home = await historyHome()
  const r = rollout('11111111-cccc')
  const many = Array.from({ length: 200 }, (_, at) => r.says(`${at} ${'word '.repeat(1000)}`))
  const text = textOfLines(r.meta, ...r.user('Make the total right'), ...many, r.says('Done.'))
  await home.write(`${fileOf('1')}.${end}`, pack(text))
  const [entry] = await home.list('codex')
  expect(entry).toMatchObject({ title: 'Make the total right', agents: 1 })
  const { rows } = await home.read(entry?.id ?? '')
  expect(shortRows(rows.get('')).at(-1)).toBe('text Done.')
  expect(rows.get('')).toHaveLength(202)
})
