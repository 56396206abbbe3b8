import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'
import { shortRows } from './testing/short-rows.ts'

const TOP = '.local/share/opencode'
const at = (count: number) => Date.parse(timeAt(count))
const sessionOf = (id: string, more: object = {}) => ({
  ...{ id, projectID: 'p', version: '1.0.0', directory: '/work/shop', title: `Title ${id}` },
  ...{ time: { created: at(1), updated: at(9) }, ...more },
})
const userOf = (id: string, created = 1) => ({ id, role: 'user', time: { created: at(created) } })
const answerOf = (id: string, created = 2, more: object = {}) => ({
  ...{
    id,
    role: 'assistant',
    time: { created: at(created), completed: at(created + 1) },
    modelID: 'claude-sonnet-4',
  },
  ...{ cost: 0.25, tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 3, write: 2 } }, ...more },
})
const toolOf = (callID: string, tool: string, state: object) => ({
  ...{
    type: 'tool',
    callID,
    tool,
    state: { status: 'completed', time: { start: at(2), end: at(3) }, ...state },
  },
})

const PARTS = {
  u1: [
    { type: 'text', text: 'Make the total right' },
    { type: 'text', text: 'Called the Read tool', synthetic: true },
    { type: 'file', mime: 'text/plain', filename: 'a.ts', url: 'file:///a.ts' },
  ],
  a1: [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Rounding?' },
    { type: 'text', text: 'I look.' },
    toolOf('c1', 'bash', { input: { command: 'ls' }, output: 'a.ts', metadata: { exit: 0 } }),
    toolOf('c2', 'edit', {
      ...{ input: { filePath: '/work/shop/a.ts' }, output: 'ok' },
      metadata: { diff: 'Index: a\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n' },
    }),
    toolOf('c3', 'task', {
      ...{
        input: { description: 'Find the clock', prompt: 'Find it', subagent_type: 'general' },
        output: 'In time.ts.',
      },
      metadata: { sessionId: 'ses_child' },
    }),
    toolOf('c4', 'read', { status: 'error', input: { filePath: 'b.ts' }, error: 'No such file' }),
    { type: 'hologram' },
    { type: 'step-finish' },
  ],
  a2: [{ type: 'text', text: 'The story so far.' }],
  k1: [{ type: 'text', text: 'Find it' }],
  k2: [{ type: 'text', text: 'In time.ts.' }],
}
const MESSAGES = {
  ses_main: [
    userOf('u1'),
    answerOf('a1'),
    answerOf('a2', 5, { summary: true }),
    answerOf('a3', 6, { error: { name: 'ProviderError', data: { message: 'Overloaded' } } }),
  ],
  ses_child: [userOf('k1', 3), answerOf('k2', 4)],
}
const SESSIONS = [sessionOf('ses_main'), sessionOf('ses_child', { parentID: 'ses_main' })]

const ROWS = [
  'user Make the total right',
  'notice opencode added a note.',
  'thinking Rounding?',
  'text I look.',
  'bash ls: done "a.ts"',
  'edit a.ts: done "ok"',
  'agents c3',
  'read b.ts: failed "No such file"',
  'notice The context was nearly full: the model continues from a summary. This transcript keeps everything above.',
  'notice Overloaded',
]

type Home = Awaited<ReturnType<typeof historyHome>>

async function expectShown(home: Home, entries: Awaited<ReturnType<Home['list']>>) {
  expect(entries).toMatchObject([
    { title: 'Title ses_main', folder: '/work/shop', agents: 2, updatedAt: at(9) },
  ])
  const { rows, agents, leftOut } = await home.read(entries[0]?.id ?? '')
  expect(shortRows(rows.get(''))).toEqual(ROWS)
  expect(agents).toMatchObject([
    { model: 'claude-sonnet-4', usage: { input: 10, output: 6, cacheRead: 3, cacheWrite: 2 }, costUsd: 0.25 },
    {
      ...{ task: 'Find the clock', parentToolUseId: 'c3', status: 'completed', report: 'In time.ts.' },
      definition: { name: 'general' },
    },
  ])
  expect(leftOut).toEqual(['Parts of the unknown kind “hologram”: 1.'])
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

test('reads files of sessions, messages and parts', async () => {
  const home = await historyHome()
  for (const session of SESSIONS)
    await home.write(`${TOP}/storage/session/p/${session.id}.json`, json(session))
  for (const [session, messages] of Object.entries(MESSAGES))
    for (const message of messages)
      await home.write(`${TOP}/storage/message/${session}/${message.id}.json`, json(message))
  for (const [message, parts] of Object.entries(PARTS))
    for (const [index, part] of parts.entries())
      await home.write(`${TOP}/storage/part/${message}/prt_${index}.json`, json(part))
  await expectShown(home, await home.list('opencode'))
  await home.write(`${TOP}/storage/message/ses_main/zz.json`, '{"half')
  const [entry] = await home.list('opencode')
  expect((await home.read(entry?.id ?? '')).leftOut).toContain(
    'Messages that are no JSON, or of an unknown kind: 1.',
  )
})

test('reads the files of earlier versions, a folder for each project', async () => {
  const home = await historyHome()
  const top = `${TOP}/project/shop/storage/session`
  await home.write(`${top}/info/ses_1.json`, json({ ...sessionOf('ses_1'), directory: undefined }))
  await home.write(`${top}/message/ses_1/u1.json`, json(userOf('u1')))
  await home.write(`${top}/part/ses_1/u1/prt_0.json`, json({ type: 'text', text: 'An old prompt' }))
  const entries = await home.list('opencode')
  expect(entries).toMatchObject([{ title: 'Title ses_1', folder: '' }])
  expect(shortRows((await home.read(entries[0]?.id ?? '')).rows.get(''))).toEqual(['user An old prompt'])
})

test('reads a database from a copy, with what was not yet moved into its main file, and writes nothing beside it', async () => {
  const home = await historyHome()
  await home.write(`${TOP}/storage/session/p/ses_main.json`, json(sessionOf('ses_main', { title: 'Moved' })))
  await home.write(`${TOP}/storage/message/ses_main/u1.json`, json(userOf('u1')))
  const database = new DatabaseSync(join(home.home, TOP, 'opencode.db'))
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);`)
  const add = (table: string, ...values: (string | number | null)[]) =>
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values)
  for (const { id, directory, title, time, ...more } of SESSIONS)
    add(
      'session',
      id,
      (more as { parentID?: string }).parentID ?? null,
      directory,
      title,
      time.created,
      time.updated,
    )
  for (const [session, messages] of Object.entries(MESSAGES))
    for (const { id, time, ...data } of messages) {
      add('message', id, session, time.created, time.created, JSON.stringify({ ...data, time }))
      for (const [index, part] of (PARTS[id as keyof typeof PARTS] ?? []).entries())
        add('part', `prt_${index}`, id, session, JSON.stringify(part))
    }
  const before = [...(await home.everything()).keys()]
  await expectShown(home, await home.list('opencode'))
  expect([...(await home.everything()).keys()]).toEqual(before)
  // Two threads of the program may look at the same time.
  database.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(at(19), 'ses_main')
  const look = async () => unwrap(await home.again().list({ program: 'opencode', allow: ['opencode'] }))
  for (const [source] of await Promise.all([look(), look()]))
    expect(source).toMatchObject({ entries: [{ updatedAt: at(19) }], problems: [] })
  const kept = await readdir(join(home.dataFolder, 'histories'))
  expect(kept.filter((name) => name.includes('.tmp'))).toEqual([])
  database
    .prepare('UPDATE session SET title = ?, time_updated = ? WHERE id = ?')
    .run('Renamed', at(20), 'ses_main')
  expect(await home.list('opencode')).toMatchObject([{ title: 'Renamed' }])
  database.close()
})

test('a file that is no database is told', async () => {
  const home = await historyHome()
  await home.write(`${TOP}/opencode.db`, 'no database at all, but a text that is long enough to look at')
  const [source] = unwrap(await home.histories.list({ program: 'opencode', allow: ['opencode'] }))
  expect(source).toMatchObject({ entries: [], problems: [expect.stringContaining('opencode.db')] })
  await rm(join(home.home, TOP, 'opencode.db'))
})

test('a Node without SQLite says so, and the files of earlier versions are still read', async () => {
  const home = await historyHome()
  await home.write(`${TOP}/opencode.db`, 'x')
  await home.write(`${TOP}/storage/session/p/ses_1.json`, json(sessionOf('ses_1')))
  await home.write(`${TOP}/storage/message/ses_1/u1.json`, json(userOf('u1')))
  const builtIn = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  const [source] = unwrap(await home.histories.list({ program: 'opencode', allow: ['opencode'] }))
  builtIn.mockRestore()
  expect(source?.entries).toMatchObject([{ title: 'Title ses_1' }])
  expect(source?.problems).toEqual([expect.stringContaining('needs Node 22.5')])
})
