/** The timeline of an opened history: lanes of the agents, what they did when, and the moments that a replay shows. */
import { expect, test } from 'vitest'
import { spansOf } from '../../../shared/timeline/lane.ts'
import { addToTimeline, emptyTimeline, type Timeline } from '../../../shared/timeline/timeline.ts'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { claudeSession, textOfLines, timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'

type Home = Awaited<ReturnType<typeof historyHome>>

async function timelineOf(home: Home, id: string): Promise<Timeline> {
  const timeline = emptyTimeline()
  for await (const batch of home.store.readConversation(id, {}))
    for (const event of unwrap(batch)) addToTimeline(timeline, event)
  return timeline
}

/** Seconds since the first line. */
const second = (at: number | null) => (at === null ? '' : (at - Date.parse(timeAt(0))) / 1000)

const told = (timeline: Timeline): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.values(timeline.lanes).map((lane) => [
      lane.task || lane.type,
      spansOf(lane).map((span) => {
        const name = span.kind === 'model' ? span.model : span.kind === 'user' ? span.asks : span.name
        return `${span.kind} ${name} ${second(span.from)}–${second(span.to)}`.replace('  ', ' ')
      }),
    ]),
  )

test('an opened conversation of Claude Code has a lane for each agent, with the times of its lines', async () => {
  const home = await historyHome()
  const s = claudeSession('s-1')
  const at = (count: number) => ({ timestamp: timeAt(count) })
  // The blocks of one message are lines of their own.
  const starts = (id: string, input: object) => {
    const content = [{ type: 'tool_use', id, name: 'Task', input }]
    return s.line('assistant', {
      message: { id: 'm3', model: 'claude-opus-4-5', role: 'assistant', content },
      ...at(8),
    })
  }
  await home.write(
    '.claude/projects/-work-shop/s-1.jsonl',
    textOfLines(
      s.user('Go', at(1)),
      s.calls('t1', 'Bash', { command: 'ls' }, at(4)),
      s.result('t1', 'a.ts', at(6)),
      starts('t2', { description: 'Find it', prompt: 'Find', subagent_type: 'Explore' }),
      starts('t3', { description: 'Test it', prompt: 'Test', subagent_type: 'Test' }),
      s.result('t2', 'Found.', { toolUseResult: { agentId: 'x1', status: 'completed' }, ...at(20) }),
      s.result('t3', 'Tested.', { toolUseResult: { agentId: 'x2', status: 'completed' }, ...at(30) }),
      s.says('m4', 'Done.', at(33)),
      s.user('And now?', at(100)),
      s.says('m5', 'Nothing.', at(104)),
    ),
  )
  for (const [id, prompt, from, to] of [
    ['x1', 'Find', 9, 19],
    ['x2', 'Test', 10, 29],
  ] as const) {
    const a = claudeSession(id)
    const chain = { isSidechain: true, agentId: id }
    await home.write(
      `.claude/projects/-work-shop/s-1/subagents/agent-${id}.jsonl`,
      textOfLines(
        a.user(prompt, { ...chain, ...at(from) }),
        a.calls(`${id}-t`, 'Grep', { pattern: 'x' }, { ...chain, ...at(from + 2) }),
        a.result(`${id}-t`, 'a.ts', { ...chain, ...at(from + 5) }),
        a.says(`${id}-m`, 'There.', { ...chain, ...at(to) }),
      ),
    )
  }
  const [entry] = await home.list('claude')
  const timeline = await timelineOf(home, entry?.id ?? '')
  const model = 'claude-opus-4-5'
  expect(told(timeline)).toEqual({
    main: [
      `model ${model} 1–4`,
      'tool Bash 4–6',
      `model ${model} 6–8`,
      'agents 8–30',
      `model ${model} 30–33`,
      `model ${model} 100–104`,
    ],
    'Find it': [`model ${model} 9–11`, 'tool Grep 11–14', `model ${model} 14–19`],
    'Test it': [`model ${model} 10–12`, 'tool Grep 12–15', `model ${model} 15–29`],
  })
  expect(
    timeline.arrows.map(({ kind, at: left, toAt }) => `${kind} ${second(left)}–${second(toAt)}`),
  ).toEqual(['message 1–1', 'start 9–9', 'start 10–10', 'report 20–20', 'report 30–30', 'message 100–100'])
  expect([second(timeline.from), second(timeline.to)]).toEqual([1, 104])
  const moments = [1, 4, 6, 8, 9, 10, 11, 12, 14, 15, 19, 20, 29, 30, 33, 100, 104]
  expect([...new Set(timeline.times.map(second))]).toEqual(moments)
})

test('so has one of Codex, whose subagents go on while their parent does something else', async () => {
  const home = await historyHome()
  const line = (count: number, type: string, payload: object) =>
    JSON.stringify({ timestamp: timeAt(count), type, payload })
  const item = (count: number, type: string, more: object) => line(count, 'response_item', { type, ...more })
  const text = (count: number, role: string, value: string) =>
    item(count, 'message', {
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: value }],
    })
  const calls = (count: number, call_id: string, name: string, input: object) =>
    item(count, 'function_call', { name, arguments: JSON.stringify(input), call_id })
  const output = (count: number, call_id: string, value: string) =>
    item(count, 'function_call_output', { call_id, output: value })
  const meta = (id: string, more: object = {}) =>
    line(0, 'session_meta', { id, timestamp: timeAt(0), cwd: '/work/shop', ...more })
  const model = (count: number) => line(count, 'turn_context', { model: 'gpt-5' })
  await home.write(
    '.codex/sessions/2026/03/01/rollout-1-main.jsonl',
    textOfLines(
      ...[meta('main'), model(1), text(1, 'user', 'Go')],
      calls(4, 'c1', 'spawn_agent', { message: 'Find it', agent_type: 'explorer' }),
      output(5, 'c1', '{"agent_id":"child"}'),
      ...[
        calls(7, 'c2', 'shell', { command: ['ls'] }),
        output(17, 'c2', 'a.ts'),
        text(20, 'assistant', 'Done.'),
      ],
    ),
  )
  const source = { subagent: { thread_spawn: { parent_thread_id: 'main', agent_role: 'explorer' } } }
  await home.write(
    '.codex/sessions/2026/03/01/rollout-2-child.jsonl',
    textOfLines(
      ...[meta('child', { source }), model(5), text(5, 'user', 'Find it')],
      ...[
        calls(9, 'x1', 'shell', { command: ['ls'] }),
        output(12, 'x1', 'b.ts'),
        text(15, 'assistant', 'There.'),
      ],
      line(15, 'event_msg', { type: 'task_complete', last_agent_message: 'There.' }),
    ),
  )
  const [entry] = await home.list('codex')
  expect(told(await timelineOf(home, entry?.id ?? ''))).toEqual({
    main: ['model gpt-5 1–4', 'agents 4–5', 'model gpt-5 5–7', 'tool shell 7–17', 'model gpt-5 17–20'],
    'Find it': ['model gpt-5 5–9', 'tool shell 9–12', 'model gpt-5 12–15'],
  })
})
