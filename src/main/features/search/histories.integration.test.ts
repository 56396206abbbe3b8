/** Searches in histories that were never opened, and the events of the places that they find. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { historyPrograms } from '../../../shared/histories/history.ts'
import {
  plainQuery,
  type SearchHit,
  type SearchPart,
  type SearchQuery,
} from '../../../shared/search/search.ts'
import { findRipgrep } from '../../platform/search/ripgrep-search.ts'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { claudeSession, textOfLines, timeAt } from '../histories/testing/claude-lines.ts'
import { historyHome } from '../histories/testing/history-home.ts'
import { composeSearch, searchScript } from './feature.ts'
import { searchCommand } from './search-command.ts'

type Home = Awaited<ReturnType<typeof historyHome>>

const CHOICES = Object.fromEntries(historyPrograms.map((program) => [program, true]))

async function withSearch(
  home: Home,
  work: (
    search: (query: string | SearchQuery) => Promise<Found>,
    place: (hit: SearchHit) => Promise<SearchHit>,
  ) => Promise<void>,
  histories = CHOICES,
) {
  const searches = composeSearch({
    ...{ dataFolder: home.dataFolder, home: home.home, variables: {}, environment: {} },
    settings: { current: { histories, recentFolders: [], trustedFolders: [] } },
    ...{ ready: home.histories.ready, script: searchScript('/nowhere'), rgPath: findRipgrep },
  })
  let query = plainQuery('')
  try {
    await work(
      async (asked) => {
        query = typeof asked === 'string' ? plainQuery(asked) : asked
        const parts = [unwrap(await searches.start({ searchId: 's', query }))]
        while (parts.at(-1)?.end === null) parts.push(unwrap(await searches.next({ searchId: 's' })))
        return {
          ...(parts.at(-1) as SearchPart),
          hits: parts.flatMap(({ hits }) => hits),
          agents: parts.flatMap(({ agents }) => agents),
          conversations: parts.flatMap(({ conversations }) => conversations),
        }
      },
      async (place) => unwrap(await searches.place({ query, place })),
    )
  } finally {
    await searches.close()
  }
}
type Found = SearchPart

const short = ({ kind, tool, line, at }: SearchHit) =>
  `${new Date(at).toISOString().slice(14, 19)} ${kind} ${tool ?? ''} ${line}`.replace('  ', ' ')

/** The event that a place stands for has the text of the place. */
async function eventTexts(home: Home, { conversationId, agentId, sequence }: SearchHit): Promise<string> {
  const { events } = await home.read(conversationId)
  return JSON.stringify(events.find((event) => event.agentId === agentId && event.seq === sequence))
}

async function keepClaude(home: Home) {
  const s = claudeSession('s-1')
  const a = claudeSession('x1')
  const chain = { isSidechain: true, agentId: 'x1' }
  await home.write(
    '.claude/projects/-work-shop/s-1.jsonl',
    textOfLines(
      s.line('summary', { summary: 'The charge key', leafUuid: 'x' }),
      s.user('Where is the charge key?'),
      s.thinks('m1', 'The charge_key, hm.'),
      s.says('m1', 'I ask for the chargeKey.'),
      s.calls('t1', 'Bash', { command: 'grep charge_key', charge_key: 'x' }),
      '{"type":"new-kind","text":"charge key"}',
      'charge key, no JSON',
      s.result('t1', 'a\ncharge-key = 1'),
      s.calls('t2', 'Task', {
        description: 'Find it',
        prompt: 'Find the charge key',
        subagent_type: 'Explore',
      }),
      s.result('t2', 'Nothing.', { toolUseResult: { agentId: 'x1', status: 'completed' } }),
      s.user('<local-command-stdout>charge key</local-command-stdout>', { isMeta: true }),
    ),
  )
  await home.write(
    '.claude/projects/-work-shop/s-1/subagents/agent-x1.jsonl',
    textOfLines(a.user('Find the charge key', chain), a.says('m9', 'No charge key here.', chain)),
  )
  await home.write('.claude/projects/-work-shop/s-1/subagents/agent-x1.meta.json', '{"agentType":"Explore"}')
}

test('a history of Claude Code is searched as its files are, with agents, tools, kinds and times; each place has its event', async () => {
  const home = await historyHome({ choices: CHOICES })
  await keepClaude(home)
  const before = await home.everything()
  await withSearch(home, async (search, place) => {
    const { hits, agents, conversations, counts, damaged } = await search('charge key')
    const names = new Map(agents.map(({ id, name }) => [id, name]))
    expect(hits.map((hit) => `${names.get(hit.agentId)} ${short(hit)}`)).toEqual([
      'main 00:09 message <local-command-stdout>charge key</local-command-stdout>',
      'main 00:07 input Task Find the charge key',
      'main 00:06 output Bash charge-key = 1',
      'main 00:05 input Bash grep charge_key',
      'main 00:04 said I ask for the chargeKey.',
      'main 00:03 thought The charge_key, hm.',
      'main 00:02 you Where is the charge key?',
      'Explore 00:02 said No charge key here.',
      'Explore 00:01 message Find the charge key',
    ])
    expect(conversations).toMatchObject([
      { title: 'The charge key', program: 'claude', folder: '/work/shop' },
    ])
    expect(counts.byProgram).toEqual({ claude: 9 })
    expect(damaged).toBe(1)
    for (const hit of hits) expect(await eventTexts(home, await place(hit))).toMatch(/charge[ _-]?key/i)
    expect((await search({ ...plainQuery('charge key'), tools: ['Bash'] })).counts.total).toBe(2)
    const since = Date.parse(timeAt(6))
    expect((await search({ ...plainQuery('charge key'), since })).counts.total).toBe(3)
    expect((await search({ ...plainQuery('charge key'), programs: ['troupe'] })).counts).toMatchObject({
      total: 0,
      byProgram: { claude: 9 },
    })
  })
  expect(await home.everything()).toEqual(before)
})

test('a long output that Claude Code keeps beside a session is found at its call', async () => {
  const home = await historyHome({ choices: CHOICES })
  const s = claudeSession('s-1')
  const folder = '.claude/projects/-work-shop'
  await home.write(`${folder}/s-1/tool-results/t1.txt`, 'a\nthe "middle" key\nb\n')
  await home.write(
    `${folder}/s-1.jsonl`,
    textOfLines(
      s.user('Go'),
      s.calls('t1', 'Bash', { command: 'make' }),
      s.result(
        't1',
        `<persisted-output>\nOutput too large. Full output saved to: ${join(home.home, folder)}/s-1/tool-results/t1.txt\n\na`,
      ),
    ),
  )
  await withSearch(home, async (search, place) => {
    const [hit] = (await search('"middle" key')).hits
    expect(hit && short(hit)).toBe('00:03 output Bash the "middle" key')
    expect(await eventTexts(home, await place(hit as SearchHit))).toContain('tool-ended')
  })
})

test('rollouts of Codex are searched: each prompt once, patches, shell calls, reasoning', async () => {
  const home = await historyHome({ choices: CHOICES })
  let count = 0
  const line = (type: string, payload: object) =>
    JSON.stringify({ timestamp: timeAt(++count), type, payload })
  const item = (type: string, more: object) => line('response_item', { type, ...more })
  const meta = (id: string, more: object = {}) =>
    line('session_meta', { id, timestamp: timeAt(0), cwd: '/work/shop', ...more })
  const text = (type: string, value: string) => [{ type, text: value }]
  await home.write(
    '.codex/sessions/2026/03/01/rollout-1-aaaa.jsonl',
    textOfLines(
      meta('aaaa'),
      item('message', { role: 'user', content: text('input_text', '<environment_context>the key') }),
      item('message', { role: 'user', content: text('input_text', 'Where is the key?') }),
      line('event_msg', { type: 'user_message', message: 'Where is the key?' }),
      item('reasoning', { summary: text('summary_text', 'A key, hm.') }),
      item('function_call', { name: 'shell', arguments: '{"command":["grep","key"]}', call_id: 'c1' }),
      item('function_call_output', {
        call_id: 'c1',
        output: '{"output":"a.ts: key","metadata":{"exit_code":0}}',
      }),
      item('custom_tool_call', {
        call_id: 'c2',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Add File: key.ts\n+x',
      }),
      item('message', { role: 'assistant', content: text('output_text', 'The key is there.') }),
      line('event_msg', { type: 'agent_message', message: 'The key is there.' }),
    ),
  )
  const spawn = { source: { subagent: { thread_spawn: { parent_thread_id: 'aaaa', agent_role: 'scout' } } } }
  await home.write(
    '.codex/sessions/2026/03/01/rollout-2-bbbb.jsonl',
    textOfLines(
      meta('bbbb', spawn),
      item('message', { role: 'user', content: text('input_text', 'Find the key') }),
    ),
  )
  await withSearch(home, async (search, place) => {
    const { hits, agents } = await search('key')
    expect(agents.map(({ name }) => name)).toEqual(['main', 'scout'])
    expect(hits.map(short)).toEqual([
      '00:09 said The key is there.',
      '00:08 input apply_patch key.ts',
      '00:07 output shell a.ts: key',
      '00:06 input shell key',
      '00:05 thought A key, hm.',
      '00:03 you Where is the key?',
      '00:12 message Find the key',
    ])
    for (const hit of hits) expect(await eventTexts(home, await place(hit))).toContain('key')
  })
})

test('sessions of Gemini CLI and opencode, in files and in a database, are searched as what they become', async () => {
  const home = await historyHome({ choices: CHOICES })
  const said = (type: string, content: string, count: number) => ({
    id: `m-${count}`,
    timestamp: timeAt(count),
    type,
    content,
  })
  const session = {
    sessionId: 'g-1',
    startTime: timeAt(0),
    messages: [said('user', 'Where is the key?', 1), said('gemini', 'Here is the key.', 2)],
  }
  await home.write('.gemini/tmp/shop/chats/session-1.json', JSON.stringify(session, null, 2))
  const lines = [
    { sessionId: 'g-2', startTime: timeAt(0) },
    said('user', 'The key!', 3),
    said('gemini', 'No key', 4),
    { $rewindTo: 'm-4' },
  ]
  await home.write(
    '.gemini/tmp/shop/chats/session-2.jsonl',
    textOfLines(...lines.map((line) => JSON.stringify(line))),
  )
  const top = '.local/share/opencode'
  const write = (path: string, value: object) =>
    home.write(`${top}/storage/${path}.json`, JSON.stringify(value, null, 2))
  const at = (count: number) => Date.parse(timeAt(count))
  const time = { created: at(5), updated: at(6) }
  await write('session/p/ses_1', { id: 'ses_1', directory: '/work/shop', title: 'Files', time })
  await write('message/ses_1/u1', { id: 'u1', role: 'user', time })
  await write('part/u1/p1', { type: 'text', text: 'A key in a file' })
  mkdirSync(join(home.home, top), { recursive: true })
  const database = new DatabaseSync(join(home.home, top, 'opencode.db'))
  database.exec(`
    CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT, directory TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
    INSERT INTO session VALUES ('ses_2', NULL, 'Database', '/work/shop', ${at(7)}, ${at(8)});
    INSERT INTO message VALUES ('u2', 'ses_2', ${at(7)}, ${at(7)}, '{"role":"user","time":{"created":${at(7)}}}');
    INSERT INTO part VALUES ('p2', 'u2', 'ses_2', '{"type":"text","text":"A key in a table"}');`)
  database.close()
  await withSearch(home, async (search, place) => {
    const { hits, counts } = await search('key')
    expect(hits.map(short)).toEqual([
      '00:07 you A key in a table',
      '00:05 you A key in a file',
      '00:03 you The key!',
      '00:02 said Here is the key.',
      '00:01 you Where is the key?',
    ])
    expect(counts.byProgram).toEqual({ gemini: 3, opencode: 2 })
    for (const hit of hits) expect(await eventTexts(home, await place(hit))).toContain('key')
    expect((await search('nothing')).counts.total).toBe(0)
  })
})

test('a compressed rollout of Codex is searched as a whole', async () => {
  const home = await historyHome({ choices: CHOICES })
  const content = [{ type: 'input_text', text: 'Where is the key?' }]
  const lines = [
    { type: 'session_meta', payload: { id: 'zzzz', cwd: '/work/shop' } },
    { type: 'response_item', payload: { type: 'message', role: 'user', content } },
  ]
  const text = textOfLines(...lines.map((line, at) => JSON.stringify({ timestamp: timeAt(at), ...line })))
  await home.write('.codex/sessions/2026/03/01/rollout-1-zzzz.jsonl.zst', zstdCompressSync(text))
  await withSearch(home, async (search, place) => {
    const { hits } = await search('key')
    expect(hits.map(short)).toEqual(['00:01 you Where is the key?'])
    expect(await eventTexts(home, await place(hits[0] as SearchHit))).toContain('key')
  })
})

test('only programs that the user lets Troupe read are searched; naming one on the command line is leave', async () => {
  const home = await historyHome()
  await keepClaude(home)
  await withSearch(home, async (search) => expect((await search('key')).searched.of).toBe(0), {})
  const run = async (program: readonly string[], histories = {}) => {
    let [out, err] = ['', '']
    const words = {
      ...{
        words: ['charge', 'key'],
        agent: [],
        tool: [],
        kind: [],
        folder: [],
        program,
        since: null,
        until: null,
      },
      ...{ regex: false, case: false, word: false, archived: false, json: false, limit: '1' },
    }
    const code = await searchCommand(words, {
      ...{
        dataFolder: home.dataFolder,
        home: home.home,
        variables: {},
        elapsed: () => 0,
        clock: { now: () => 0 },
      },
      settings: { current: { histories, recentFolders: [], trustedFolders: [] } },
      output: {
        write: (text: string) => {
          out += text
        },
      },
      errors: {
        write: (text: string) => {
          err += text
        },
      },
    })
    return { code, out, err }
  }
  expect(await run([])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('--program claude\n'),
  })
  expect((await run(['claude'])).out).toContain('The charge key  (Claude Code, from-claude-')
  expect(await run(['claude'], { claude: false })).toMatchObject({
    code: 1,
    err: 'troupe: No conversation has this text.\n',
  })
  expect((await run([], { claude: true })).code).toBe(0)
})

test('what was said since a place was opened is found too', async () => {
  const home = await historyHome({ choices: CHOICES })
  const s = claudeSession('s-1')
  await home.write('.claude/projects/-work-shop/s-1.jsonl', textOfLines(s.user('The first key')))
  await withSearch(home, async (search, place) => {
    const [hit] = (await search('key')).hits
    await place(hit as SearchHit)
    await home.append('.claude/projects/-work-shop/s-1.jsonl', textOfLines(s.says('m1', 'The second key')))
    const found = await search('key')
    expect(found.hits.map(({ line }) => line)).toEqual(['The second key', 'The first key'])
    expect(await eventTexts(home, await place(found.hits[0] as SearchHit))).toContain('The second key')
  })
})
