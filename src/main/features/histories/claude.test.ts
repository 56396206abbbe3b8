import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { claudeSession, textOfLines, timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'
import { shortRows } from './testing/short-rows.ts'

const PROJECT = '.claude/projects/-work-shop'
const FILE = `${PROJECT}/s-1.jsonl`

async function only(files: Readonly<Record<string, string>>) {
  const home = await historyHome()
  for (const [path, text] of Object.entries(files)) await home.write(path, text)
  const [entry, ...others] = await home.list('claude')
  expect(others).toEqual([])
  if (entry === undefined) throw new Error('nothing is listed')
  return { ...home, entry, id: entry.id }
}

test('lists a conversation with title, folder, times, agents and size, and reads it', async () => {
  const s = claudeSession('s-1')
  const text = textOfLines(
    '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}',
    s.user('Make the total right.\nIt is off by one cent.'),
    s.thinks('m1', 'Rounding?'),
    s.says('m1', 'I look into it.'),
    s.calls('t1', 'Read', { file_path: '/work/shop/src/cart.ts' }),
    s.result('t1', 'const total = 1'),
    s.says('m2', 'It is right now.'),
  )
  const { entry, read, id } = await only({ [FILE]: text })
  expect(entry).toMatchObject({
    ...{
      program: 'claude',
      title: 'Make the total right.',
      folder: '/work/shop',
      agents: 1,
      bytes: text.length,
    },
    ...{ createdAt: Date.parse(timeAt(1)), updatedAt: Date.parse(timeAt(6)) },
  })
  const { rows, agents, leftOut } = await read(id)
  expect(shortRows(rows.get(''))).toEqual([
    'user Make the total right.',
    'thinking Rounding?',
    'text I look into it.',
    'Read src/cart.ts: done "const total = 1"',
    'text It is right now.',
  ])
  expect(agents).toMatchObject([
    { status: 'waiting', waitingFor: 'message', model: 'claude-opus-4-5', turns: 3, cwd: '/work/shop' },
  ])
  expect(leftOut).toEqual([])
})

test('counts the tokens of a message once, whose blocks are lines of their own', async () => {
  const s = claudeSession('s-1')
  const { read, id } = await only({
    [FILE]: textOfLines(s.user('Go'), s.thinks('m1', 'a'), s.says('m1', 'b'), s.says('m1', 'c')),
  })
  const { agents } = await read(id)
  expect(agents[0]?.usage).toMatchObject({ input: 4, output: 20, cacheRead: 50, cacheWrite: 100 })
})

test.each([
  ['a custom title', '{"type":"custom-title","customTitle":"Mine","sessionId":"s-1"}', 'Mine'],
  ['a summary', '{"type":"summary","summary":"About totals","leafUuid":"x"}', 'About totals'],
  ['a title of a model', '{"type":"ai-title","aiTitle":"Totals","sessionId":"s-1"}', 'Totals'],
])('takes the title from %s', async (_, line, title) => {
  const s = claudeSession('s-1')
  const { entry } = await only({ [FILE]: textOfLines(s.user('Go'), s.says('m1', 'b'), line) })
  expect(entry.title).toBe(title)
})

test('shows a subagent of a file of its own under the call that started it', async () => {
  const [s, a] = [claudeSession('s-1'), claudeSession('a-1')]
  const call = { description: 'Find rounding', prompt: 'Where are cents rounded?', subagent_type: 'Explore' }
  const { read, id, entry } = await only({
    [FILE]: textOfLines(
      s.user('Go'),
      s.calls('t1', 'Agent', call),
      s.result('t1', [{ type: 'text', text: 'In cart.ts.' }], {
        toolUseResult: { agentId: 'x1', status: 'completed' },
      }),
      s.says('m2', 'Found.'),
    ),
    [`${PROJECT}/s-1/subagents/agent-x1.jsonl`]: textOfLines(
      a.user('Where are cents rounded?', { isSidechain: true, agentId: 'x1' }),
      a.calls('t9', 'Grep', { pattern: 'round' }, { isSidechain: true, agentId: 'x1' }),
      a.result('t9', 'cart.ts:4', { isSidechain: true, agentId: 'x1' }),
      a.says('m9', 'In cart.ts.', { isSidechain: true, agentId: 'x1' }),
    ),
    [`${PROJECT}/s-1/subagents/agent-x1.meta.json`]: '{"agentType":"Explore"}',
  })
  expect(entry.agents).toBe(2)
  const { agents, rows } = await read(id)
  expect(agents).toMatchObject([
    { parentId: null },
    {
      ...{ parentId: `${id}-main`, parentToolUseId: 't1', task: 'Find rounding', status: 'completed' },
      ...{ report: 'In cart.ts.', depth: 1, definition: { name: 'Explore', source: 'Claude Code' } },
    },
  ])
  expect(shortRows(rows.get('')).slice(1, 3)).toEqual(['agents t1', 'text Found.'])
  expect(shortRows(rows.get('Find rounding'))[1]).toBe('Grep round: done "cart.ts:4"')
})

test('shows side chains in the session itself as the agents that they were, also with a loop of parents', async () => {
  const s = claudeSession('s-1')
  const chain = (uuid: string, parentUuid: string | null) => ({ isSidechain: true, uuid, parentUuid })
  const { read, id } = await only({
    [FILE]: textOfLines(
      s.user('Go'),
      s.calls('t1', 'Task', { description: 'One', prompt: 'Do one', subagent_type: 'worker' }),
      s.calls('t2', 'Task', { description: 'Two', prompt: 'Do two', subagent_type: 'worker' }),
      s.user('Do two', chain('b1', null)),
      s.user('Do one', chain('a1', null)),
      s.says('ma', 'One is done.', chain('a2', 'a1')),
      s.says('mb', 'Two is done.', chain('b2', 'b1')),
      s.says('mc', 'And on.', chain('c1', 'c2')),
      s.says('md', 'And on and on.', chain('c2', 'c1')),
      s.result('t1', 'One is done.'),
      s.result('t2', 'Two is done.'),
    ),
  })
  const { agents, rows } = await read(id)
  expect(agents.map(({ task, parentToolUseId }) => [task, parentToolUseId])).toEqual([
    ['', null],
    ['Two', 't2'],
    ['One', 't1'],
  ])
  expect(shortRows(rows.get('One'))).toEqual(['user Do one', 'text One is done.', 'ended'])
  expect(agents.map(({ status }) => status)).toEqual(['waiting', 'completed', 'completed'])
})

test('an agent in the background that nobody waited for ends with its own last word', async () => {
  const [s, a] = [claudeSession('s-1'), claudeSession('a-1')]
  const { read, id } = await only({
    [FILE]: textOfLines(
      s.user('Go'),
      s.calls('t1', 'Agent', { description: 'Look', prompt: 'Look', run_in_background: true }),
      s.result('t1', 'Launched.', {
        toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'x1' },
      }),
      s.user('<task-notification><tool-use-id>t1</tool-use-id></task-notification>'),
      s.says('m2', 'It looked.'),
    ),
    [`${PROJECT}/s-1/subagents/agent-x1.jsonl`]: textOfLines(
      a.user('Look', { isSidechain: true }),
      a.line('assistant', {
        ...{ isSidechain: true },
        message: { id: 'm', model: 'm', content: [{ type: 'text', text: 'Seen.' }], stop_reason: 'end_turn' },
      }),
    ),
  })
  const { agents, rows } = await read(id)
  expect(agents[1]).toMatchObject({ status: 'completed', report: 'Seen.', background: 'started' })
  expect(shortRows(rows.get(''))).toContain('notice An agent or a command in the background ended.')
})

test('shows what a user, a command and the program wrote as what it is', async () => {
  const s = claudeSession('s-1')
  const { read, id } = await only({
    [FILE]: textOfLines(
      s.user('Caveat: The messages below were generated', { isMeta: true }),
      s.user(
        '<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>',
      ),
      s.user('<local-command-stdout>Set model</local-command-stdout>'),
      s.user('<bash-input>ls</bash-input>'),
      s.user([
        { type: 'text', text: 'Look at this' },
        { type: 'image', source: { type: 'url', url: 'x' } },
      ]),
      s.says('m1', 'Yes.'),
      s.line('attachment', {
        attachment: { type: 'queued_command', prompt: 'And that', commandMode: 'prompt' },
      }),
      s.line('assistant', {
        isApiErrorMessage: true,
        message: { id: 'e', model: '<synthetic>', content: [{ type: 'text', text: 'Overloaded' }] },
      }),
      s.line('system', {
        subtype: 'compact_boundary',
        compactMetadata: { trigger: 'auto', preTokens: 1000 },
      }),
      s.user('This session continues. So far: totals.', { isCompactSummary: true }),
      s.user('[Request interrupted by user]'),
    ),
  })
  const rows = (await read(id)).rows.get('') ?? []
  expect(shortRows(rows)).toEqual([
    'notice Claude Code added a note.',
    'user <command-name>/model</command-name>',
    'notice The output of a command of the user.',
    'user <bash-input>ls</bash-input>',
    'user Look at this',
    'text Yes.',
    'user And that',
    'notice Overloaded',
    'notice Claude Code compacted the conversation here at 1,000 tokens.',
    'notice The context was nearly full: the model continues from a summary. This transcript keeps everything above.',
    'notice The user interrupted the agent.',
  ])
  expect(rows.flatMap((row) => (row.kind === 'user' && row.typed ? [row.typed] : []))).toEqual([
    '/model opus',
    '! ls',
  ])
})

test('shows changes of files, commands and plans as such, and finds long outputs beside the session', async () => {
  const s = claudeSession('s-1')
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ['-a', '+b', '+c'] }
  const home = await historyHome()
  const kept = join(home.home, PROJECT, 's-1/tool-results/t3.txt')
  await home.write(`${PROJECT}/s-1/tool-results/t3.txt`, 'all of it')
  await home.write(
    FILE,
    textOfLines(
      s.user('Go'),
      s.calls('t1', 'Edit', { file_path: '/work/shop/a.ts', old_string: 'a', new_string: 'b' }),
      s.result('t1', 'Updated.', { toolUseResult: { filePath: '/work/shop/a.ts', structuredPatch: [hunk] } }),
      s.calls('t2', 'Write', { file_path: '/work/shop/new.ts', content: 'x\ny\n' }),
      s.result('t2', 'Created.', {
        toolUseResult: { type: 'create', content: 'x\ny\n', structuredPatch: [] },
      }),
      s.calls('t3', 'Bash', { command: 'npm test' }),
      s.result(
        't3',
        `<persisted-output>\nOutput too large. Full output saved to: ${kept}\n\nPreview</persisted-output>`,
      ),
      s.calls('t4', 'Bash', { command: 'false' }),
      s.result('t4', 'Exit code 3\nno', {}, true),
      s.calls('t5', 'TodoWrite', {
        todos: [{ content: 'One', status: 'pending', activeForm: 'Doing one' }, { x: 1 }],
      }),
      s.result('t5', 'ok'),
      s.calls('t6', 'Read', { file_path: 'b' }),
      s.result('t6', 'z'.repeat(50_000)),
    ),
  )
  const [entry] = await home.list('claude')
  const { rows } = await home.read(entry?.id ?? '')
  const tools = (rows.get('') ?? []).flatMap((row) => (row.kind === 'tool' ? [row] : []))
  expect(tools.map(({ display }) => display)).toEqual([
    {
      kind: 'diff',
      path: '/work/shop/a.ts',
      patch: '@@ -1,1 +1,2 @@\n-a\n+b\n+c\n',
      added: 2,
      removed: 1,
      created: false,
    },
    {
      kind: 'diff',
      path: '/work/shop/new.ts',
      patch: '@@ -0,0 +1,2 @@\n+x\n+y\n',
      added: 2,
      removed: 0,
      created: true,
    },
    { kind: 'terminal', exitCode: 0, timedOut: false },
    { kind: 'terminal', exitCode: 3, timedOut: false },
    { kind: 'todos', todos: [{ content: 'One', status: 'pending', activeForm: 'Doing one' }] },
    null,
  ])
  expect(tools.map(({ outputFile }) => outputFile?.bytes)).toEqual([
    undefined,
    undefined,
    9,
    undefined,
    undefined,
    50_000,
  ])
  const main = `${entry?.id}-main`
  expect(unwrap(await home.store.toolOutput(main, 't3'))).toBe('all of it')
  expect(unwrap(await home.store.toolOutput(main, 't6'))).toBe('z'.repeat(50_000))
})

test('counts what it does not know, and reads on', async () => {
  const s = claudeSession('s-1')
  const { read, id } = await only({
    [FILE]: `${textOfLines(
      s.user('Go'),
      'no json',
      '[1]',
      '',
      '{"type":"new-kind"}',
      s.result('nobody', 'x'),
      s.says('m1', 'Done.'),
      s.line('assistant', { message: { id: 'm2', model: 'm', content: [{ type: 'hologram' }] } }),
    )}{"type":"user","mess`,
  })
  const { rows, leftOut } = await read(id)
  expect(shortRows(rows.get(''))).toEqual(['user Go', 'text Done.'])
  expect(leftOut).toEqual([
    'Lines that are no JSON: 2.',
    'Lines of the unknown kind “new-kind”: 1.',
    'Results without their calls: 1.',
    'Parts of the unknown kind “hologram”: 1.',
  ])
})

test('a conversation that grows is read again, and a torn line counts once it is whole', async () => {
  const s = claudeSession('s-1')
  const { read, id, append, list } = await only({ [FILE]: textOfLines(s.user('Go'), s.says('m1', 'One.')) })
  const next = s.says('m2', 'Two.')
  await append(FILE, next.slice(0, 40))
  expect(shortRows((await read(id)).rows.get('')).at(-1)).toBe('text One.')
  await append(FILE, `${next.slice(40)}\n`)
  expect(shortRows((await read(id)).rows.get('')).at(-1)).toBe('text Two.')
  await append(FILE, textOfLines('{"type":"custom-title","customTitle":"Named"}'))
  expect(await list('claude')).toMatchObject([{ title: 'Named' }])
})

test('times out of order, repeated ids and years of nonsense stay in order', async () => {
  const s = claudeSession('s-1')
  const { read, id } = await only({
    [FILE]: textOfLines(
      s.user('Go', { timestamp: timeAt(50) }),
      s.says('m1', 'One.', { timestamp: timeAt(10) }),
      s.says('m1', 'One again.', { timestamp: '+999999-01-01' }),
      s.user('Twice', { uuid: 's-1-1' }),
      s.calls('t1', 'Read', {}),
      s.calls('t1', 'Read', {}, { timestamp: 'never' }),
      s.result('t1', 'x'),
    ),
  })
  const { events } = await read(id)
  const [ats, orders] = [events.map(({ at }) => at), events.map(({ order }) => order)]
  expect(ats).toEqual([...ats].sort((a, b) => a - b))
  expect(new Set(orders).size).toBe(orders.length)
  expect(orders).toEqual([...orders].sort((a, b) => a - b))
  expect(events.filter(({ type }) => type === 'user-message')).toHaveLength(1)
})

test('what can’t be read is told, and the rest is listed; no folder is no failure', async () => {
  const home = await historyHome()
  expect(await home.list('claude')).toEqual([])
  const s = claudeSession('s-1')
  await home.write(FILE, textOfLines(s.user('Go')))
  await home.write('.claude/projects/note.txt', 'no folder')
  await home.write(`${PROJECT}/empty.jsonl`, '')
  await home.write(`${PROJECT}/only-title.jsonl`, textOfLines('{"type":"summary","summary":"x"}'))
  await home.write(`${PROJECT}/binary.jsonl`, '\u0000\u0001\n')
  await mkdir(join(home.home, `${PROJECT}/folder.jsonl`))
  await mkdir(join(home.home, '.claude/projects/locked'))
  await chmod(join(home.home, '.claude/projects/locked'), 0o000)
  const [source] = unwrap(await home.histories.list({ program: 'claude', allow: ['claude'] }))
  expect(source?.entries).toMatchObject([{ title: 'Go' }])
  if (process.getuid?.() !== 0) expect(source?.problems).toEqual([expect.stringContaining('locked')])
})

test('a conversation that its program deleted is gone here too', async () => {
  const s = claudeSession('s-1')
  const { read, id, home, dataFolder, store, list } = await only({ [FILE]: textOfLines(s.user('Go')) })
  await read(id)
  await rm(join(home, FILE))
  expect(await list('claude')).toEqual([])
  expect(await readdir(join(dataFolder, 'histories', 'tasks'))).toEqual([])
  expect(await store.read(id)).toMatchObject({ ok: false, failure: { type: 'not-found' } })
})
