import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { textOfLines, timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'
import { shortRows } from './testing/short-rows.ts'

const HASH = createHash('sha256').update('/work/shop').digest('hex')
const CHATS = `.gemini/tmp/${HASH}/chats`
let count = 0
const message = (type: string, content: unknown, more: object = {}) => ({
  ...{ id: `m-${++count}`, timestamp: timeAt(count), type, content, ...more },
})
const about = (sessionId: string, more: object = {}) => ({
  ...{ sessionId, projectHash: HASH, startTime: timeAt(0), lastUpdated: timeAt(9), ...more },
})
const answer = (content: string, more: object = {}) =>
  message('gemini', content, {
    ...{
      model: 'gemini-3-pro',
      tokens: { input: 100, output: 10, cached: 40, thoughts: 5, tool: 0, total: 115 },
    },
    ...more,
  })
const call = (id: string, name: string, args: object, output: string, more: object = {}) => ({
  ...{ id, name, args, status: 'success', timestamp: timeAt(count) },
  result: [{ functionResponse: { id, name, response: { output } } }],
  ...more,
})

test('reads a session in one value: thoughts, calls, differences, tokens; the folder is found by its digest', async () => {
  const home = await historyHome()
  const messages = [
    message('info', 'Welcome'),
    message('user', [{ text: 'Make the total right' }]),
    answer('I look.', {
      thoughts: [{ subject: 'Rounding', description: 'Of cents.', timestamp: timeAt(3) }],
      toolCalls: [
        call('c1', 'read_file', { absolute_path: '/work/shop/a.ts' }, 'const a'),
        call('c2', 'replace', { file_path: '/work/shop/a.ts' }, 'ok', {
          resultDisplay: {
            fileDiff: 'Index: a.ts\n===\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n',
            fileName: 'a.ts',
          },
        }),
        call('c3', 'run_shell_command', { command: 'npm test' }, '', { status: 'cancelled', result: null }),
      ],
    }),
    message('error', 'Quota'),
    message('hologram', 'x'),
    answer('Done.'),
  ]
  await home.write(
    `${CHATS}/session-2026-03-01T10-00-abc.json`,
    JSON.stringify({ ...about('s-1'), messages }),
  )
  const [entry] = await home.list('gemini')
  expect(entry).toMatchObject({ title: 'Make the total right', folder: '/work/shop', agents: 1 })
  const { rows, agents, leftOut } = await home.read(entry?.id ?? '')
  expect(shortRows(rows.get(''))).toEqual([
    'notice Welcome',
    'user Make the total right',
    'thinking Rounding',
    'text I look.',
    'read_file a.ts: done "const a"',
    'replace a.ts: done "ok"',
    'run_shell_command npm test: failed ""',
    'notice Quota',
    'text Done.',
  ])
  expect(rows.get('')?.[5]).toMatchObject({ display: { kind: 'diff', added: 1, removed: 1 } })
  expect(agents).toMatchObject([{ model: 'gemini-3-pro', usage: { input: 120, cacheRead: 80, output: 30 } }])
  expect(leftOut).toEqual(['Messages of the unknown kind “hologram”: 1.'])
})

test('reads a session in lines: later lines replace messages, take them back and name the session; with subagents', async () => {
  const home = await historyHome()
  const [first, wrong, second] = [message('user', 'Go'), message('user', 'Wrong'), message('user', 'Right')]
  const draft = answer('', { id: 'a-1' })
  const whole = {
    ...draft,
    content: 'An agent looks.',
    toolCalls: [
      call('c1', 'investigator', { objective: 'Find the clock' }, 'In time.ts.', { agentId: 'sub-1' }),
    ],
  }
  const lines = [about('s-2', { kind: 'main' }), first, draft, whole, wrong, { $rewindTo: wrong.id }, second]
  const more = [answer('Found.'), { $set: { summary: 'The clock' } }]
  await home.write(
    `.gemini/tmp/shop/chats/session-1.jsonl`,
    `${textOfLines(...[...lines, ...more].map((line) => JSON.stringify(line)), 'no json')}{"torn`,
  )
  await home.write(
    `.gemini/tmp/shop/chats/s-2/sub-1.jsonl`,
    textOfLines(
      ...[about('sub-1', { kind: 'subagent' }), message('user', 'Find the clock'), answer('In time.ts.')].map(
        (line) => JSON.stringify(line),
      ),
    ),
  )
  await home.write('.gemini/tmp/shop/.project_root', '/work/clock\n')
  const [entry] = await home.list('gemini')
  expect(entry).toMatchObject({ title: 'The clock', folder: '/work/clock', agents: 2 })
  const { rows, agents, leftOut } = await home.read(entry?.id ?? '')
  expect(shortRows(rows.get(''))).toEqual([
    'user Go',
    'text An agent looks.',
    'agents c1',
    'user Right',
    'text Found.',
  ])
  expect(agents[1]).toMatchObject({
    ...{ task: 'Find the clock', parentToolUseId: 'c1', status: 'completed', report: 'In time.ts.' },
    definition: { name: 'investigator' },
  })
  expect(leftOut).toEqual(['Lines that are no JSON: 1.'])
})

test('where only the log of messages is left, these are shown, and a file that is no JSON does no harm', async () => {
  const home = await historyHome()
  const log = (sessionId: string, text: string, at: number) => ({
    ...{ sessionId, messageId: 0, type: 'user', message: text, timestamp: timeAt(at) },
  })
  await home.write(
    `.gemini/tmp/${HASH}/logs.json`,
    JSON.stringify([log('x-1', 'Old question', 1), log('x-1', 'Another', 2), log('x-2', 'Elsewhere', 3)]),
  )
  await home.write(`${CHATS}/session-broken.json`, '{"sessionId": "b", "mess')
  const entries = await home.list('gemini')
  expect(entries.map(({ title }) => title)).toEqual(['Elsewhere', 'Old question'])
  const { rows, leftOut } = await home.read(entries[1]?.id ?? '')
  expect(shortRows(rows.get(''))).toEqual(['user Old question', 'user Another'])
  expect(leftOut).toEqual(['Answers that Gemini CLI did not keep: 2.'])
})
