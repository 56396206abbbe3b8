import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventsOfRecord } from '../../../shared/events/conversation-event.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { plainQuery, type SearchPart, type SearchQuery } from '../../../shared/search/search.ts'
import { SampleLog, sampleRecord } from '../../../shared/testing/sample-log.ts'
import { findRipgrep } from '../../platform/search/ripgrep-search.ts'
import { encodeLine } from '../../platform/transcripts/log-line.ts'
import { composeSearch, type Searches, searchScript } from './feature.ts'
import { searchCommand } from './search-command.ts'
import { searchLogs } from './search-logs.ts'
import { createTroupeLogs } from './troupe-logs.ts'

const NO_HISTORIES = { histories: {}, recentFolders: [], trustedFolders: [] }
let dataFolder: string
let rgPath: string

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'troupe-search-'))
  const found = await findRipgrep()
  if (!found.ok) throw new Error(found.failure.message)
  rgPath = found.value
})
afterEach(() => {
  rmSync(dataFolder, { recursive: true, force: true })
})

const transcript = (agentId: string) => join(dataFolder, 'tasks', agentId, 'transcript.jsonl')

/** Writes a conversation whose log `say` fills; the agent `<id>-main` is there already. */
function conversation(
  id: string,
  say: (log: SampleLog, main: string) => void,
  more: Parameters<typeof sampleRecord>[2] = {},
): void {
  const log = new SampleLog({ conversationId: id })
  const main = `${id}-main`
  log.spawn(main, { system: 'The charge key is in the prompt.' })
  say(log, main)
  const agentIds = [...log.states.keys()]
  mkdirSync(join(dataFolder, 'conversations'), { recursive: true })
  const record = sampleRecord(id, agentIds, more)
  writeFileSync(
    join(dataFolder, 'conversations', `${id}.jsonl`),
    eventsOfRecord(record, 1).map(encodeLine).join(''),
  )
  for (const agentId of agentIds) {
    mkdirSync(join(dataFolder, 'tasks', agentId), { recursive: true })
    const own = log.events.filter((event) => event.agentId === agentId)
    writeFileSync(transcript(agentId), own.map(encodeLine).join(''))
  }
}

async function search(query: string | SearchQuery) {
  let read = 0
  const parts: SearchPart[] = []
  const logs = await createTroupeLogs(dataFolder, () => {}).list()
  const tools = {
    ripgrep: { rgPath, environment: {}, timeoutMs: 60_000 },
    signal: new AbortController().signal,
    onRead: () => {
      read += 1
    },
  }
  for await (const part of searchLogs(typeof query === 'string' ? plainQuery(query) : query, logs, tools)) {
    if (!part.ok) throw new Error(part.failure.message)
    parts.push(part.value)
  }
  const hits = parts.flatMap((part) => part.hits)
  const last = parts.at(-1)
  if (last === undefined) throw new Error('no part')
  return { ...last, hits, parts, read, lines: hits.map(({ line }) => line) }
}

describe('a search', () => {
  test('finds what was said, thought, called, put out and sent, but no keys, ids or prompts', async () => {
    conversation('c1', (log, main) => {
      log.receives(main, 'Where is the charge key?', 'user')
      log.answers(main, {
        thinking: 'The charge key, hm.',
        text: 'It says "charge key".',
        tools: [
          {
            tool: 'Bash',
            summary: 'charge key',
            input: { charge_key: 'no', command: 'grep charge_key' },
            note: '',
            output: 'a\nchargeKey = 1',
          },
        ],
      })
      log.uses(main, 'charge-key', 'Read')
      log.receives(main, 'Your charge key.', 'agent')
    })
    const { hits, counts, end } = await search('charge key')
    expect(hits.map(({ kind, tool, line }) => [kind, tool, line])).toEqual([
      ['message', null, 'Your charge key.'],
      ['output', 'Bash', 'chargeKey = 1'],
      ['thought', null, 'The charge key, hm.'],
      ['said', null, 'It says "charge key".'],
      ['input', 'Bash', 'grep charge_key'],
      ['you', null, 'Where is the charge key?'],
    ])
    expect(counts).toMatchObject({ total: 6, byAgent: { main: 6 }, byFolder: { '/work/shop': 6 } })
    expect(end).toBe('all')
    expect((await search('say "charge')).hits).toEqual([])
    expect((await search('says "charge key".')).counts.total).toBe(1)
    expect((await search('system')).hits).toEqual([])
  })

  test('reads only lines with the text, and asks a large log for no more', async () => {
    conversation('c1', (log, main) => {
      for (let at = 0; at < 500; at++) log.says(main, at % 100 === 0 ? `the key ${at}` : `nothing ${at}`)
      log.uses(main, 'key', 'Read')
    })
    const { read, lines } = await search('the key')
    expect(read).toBe(5)
    expect(lines).toEqual([400, 300, 200, 100, 0].map((at) => `the key ${at}`))
    expect((await search({ ...plainQuery('the key'), since: 1_700_000_001_000 + 350_000 })).read).toBe(1)
  })

  test('gives the newest conversations first, whole, and the following ones in larger parts', async () => {
    for (let at = 0; at < 20; at++)
      conversation(`c${at}`, (log, main) => log.says(main, `key ${at}`), { updatedAt: at })
    const { parts, hits } = await search('key')
    expect(parts.map(({ conversations }) => conversations.length)).toEqual([8, 12])
    expect(hits.map(({ conversationId }) => conversationId)).toEqual(
      Array.from({ length: 20 }, (_, at) => `c${19 - at}`),
    )
    expect(parts.map(({ searched }) => [searched.conversations, searched.of])).toEqual([
      [8, 20],
      [20, 20],
    ])
  })

  test('filters by agent, tool, folder, kind, time and archive; counts say what another choice would find', async () => {
    conversation('c1', (log, main) => {
      log.says(main, 'key of main')
      log.starts({ id: 'sub', name: 'Explore', color: 'blue', parentId: main, task: 'Look.' })
      log.says('sub', 'key of Explore')
      log.add('sub', 'tool-ended', { toolUseId: 't', name: 'Grep', content: 'key' })
    })
    conversation('c2', (log, main) => log.says(main, 'key of c2'), { folder: '/work/other' })
    conversation('c3', (log, main) => log.says(main, 'key of c3'), { archived: true })
    conversation('c4', (log, main) => log.says(main, 'key of c4'), { scratch: true })
    const plain = plainQuery('key')
    const found = async (more: Partial<SearchQuery>) => (await search({ ...plain, ...more })).lines.sort()
    expect(await found({})).toEqual(['key', 'key of Explore', 'key of c2', 'key of main'])
    expect(await found({ agents: ['Explore'] })).toEqual(['key', 'key of Explore'])
    expect(await found({ tools: ['Grep'] })).toEqual(['key'])
    expect(await found({ kinds: ['output'] })).toEqual(['key'])
    expect(await found({ folders: ['/work/other'] })).toEqual(['key of c2'])
    expect(await found({ conversations: ['c2'] })).toEqual(['key of c2'])
    expect(await found({ archived: true, agents: ['main'] })).toEqual([
      'key of c2',
      'key of c3',
      'key of main',
    ])
    expect(await found({ until: 0 })).toEqual([])
    expect((await search({ ...plain, agents: ['Explore'], kinds: ['said'] })).counts).toMatchObject({
      total: 1,
      byAgent: { main: 2, Explore: 1 },
      byKind: { said: 1, output: 1 },
    })
  })

  test('finds what only the file of a whole output has, at the call that made it', async () => {
    let end = 0
    conversation('c1', (log, main) => {
      log.uses(main, 'big', 'Bash')
      const outputFile = { path: `tasks/${main}/tool-results/big.txt`, bytes: 100 }
      end = log.add(main, 'tool-ended', {
        toolUseId: 'big',
        name: 'Bash',
        content: 'head … tail',
        outputFile,
      }).seq
    })
    mkdirSync(join(dataFolder, 'tasks', 'c1-main', 'tool-results'))
    writeFileSync(
      join(dataFolder, 'tasks', 'c1-main', 'tool-results', 'big.txt'),
      'head\nthe "middle" key\ntail\n',
    )
    expect((await search('"middle" key')).hits).toMatchObject([
      { sequence: end, kind: 'output', tool: 'Bash', line: 'the "middle" key' },
    ])
    expect((await search('tail')).counts.total).toBe(1)
  })

  test('leaves out torn lines and says how many, but not a line that is being written', async () => {
    conversation('c1', (log, main) => {
      log.says(main, 'key one')
    })
    appendFileSync(transcript('c1-main'), '{"v":2,"type":"assistant-message","text":"key two\n')
    appendFileSync(transcript('c1-main'), '{"v":2,"type":"assistant-message","text":"key three')
    expect(await search('key')).toMatchObject({ lines: ['key one'], damaged: 1 })
  })

  test('finds what was appended, renamed and removed since the last search', async () => {
    const logs = createTroupeLogs(dataFolder, () => {})
    const log = new SampleLog({ conversationId: 'c1' })
    conversation('c1', (own, main) => own.says(main, 'key one'))
    log.spawn('c1-main')
    const [first] = await logs.list()
    appendFileSync(transcript('c1-main'), encodeLine(log.says('c1-main', 'key two')))
    expect(await logs.list()).toEqual([first])
    expect((await search('key')).lines).toContain('key two')
    conversation('c1', (own, main) => own.says(main, 'key'), { title: 'Another title' })
    expect((await logs.list())[0]?.conversation.title).toBe('Another title')
    rmSync(join(dataFolder, 'conversations', 'c1.jsonl'))
    expect(await logs.list()).toEqual([])
  })

  test('conversations that are not listed yet are searched after the others', async () => {
    conversation('c1', (log, main) => log.says(main, 'key one'))
    const all = await createTroupeLogs(dataFolder, () => {}).list()
    let arrive = (_: typeof all) => {}
    const later = new Promise<typeof all>((resolve) => {
      arrive = resolve
    })
    const tools = {
      ripgrep: { rgPath, environment: {}, timeoutMs: 60_000 },
      signal: new AbortController().signal,
    }
    const parts = searchLogs(plainQuery('key'), all, tools, later)
    expect((await parts.next()).value).toMatchObject({ value: { counts: { total: 1 }, end: null } })
    arrive(all)
    expect((await parts.next()).value).toMatchObject({
      value: { counts: { total: 2 }, searched: { of: 2 }, end: 'all' },
    })
  })

  test('counts all places of an agent and keeps the newest hundred', async () => {
    conversation('c1', (log, main) => {
      for (let at = 0; at < 150; at++) log.says(main, `key ${at}`)
    })
    const { hits, counts, agents } = await search('key')
    expect([hits.length, counts.total, agents[0]?.places, hits[0]?.line]).toEqual([100, 150, 150, 'key 149'])
  })

  test('an expression without a fixed text reads every line, and a bad one fails', async () => {
    conversation('c1', (log, main) => log.says(main, 'a1 b22'))
    expect((await search({ ...plainQuery('\\b\\d\\b|\\d{2}$'), regex: true })).lines).toEqual(['a1 b22'])
    await expect(search({ ...plainQuery('('), regex: true })).rejects.toThrow('regular expression')
  })
})

describe('the thread of searches', () => {
  let searches: Searches

  beforeEach(() => {
    searches = composeSearch({
      ...{ dataFolder, home: dataFolder, variables: {} },
      settings: { current: NO_HISTORIES },
      ready: async () => ok(undefined),
      script: searchScript('/nowhere'),
      rgPath: async () => ok(rgPath),
      environment: {},
      patience: 50,
    })
    for (let at = 0; at < 9; at++)
      conversation(`c${at}`, (log, main) => log.says(main, `key ${'a'.repeat(40)}!`))
  })
  afterEach(() => searches.close())

  test('goes on only when it is asked, and a newer search ends the older one', async () => {
    const query = plainQuery('key')
    expect(await searches.prepare()).toMatchObject({ ok: true })
    expect(await searches.start({ searchId: 'one', query })).toMatchObject({ ok: true, value: { end: null } })
    expect(await searches.next({ searchId: 'one' })).toMatchObject({ ok: true, value: { end: 'all' } })
    expect(await searches.next({ searchId: 'one' })).toMatchObject({
      ok: false,
      failure: { type: 'aborted' },
    })
    await searches.start({ searchId: 'two', query })
    await searches.end({ searchId: 'two' })
    expect(await searches.next({ searchId: 'two' })).toMatchObject({
      ok: false,
      failure: { type: 'aborted' },
    })
  })

  test('an expression that never ends is given up for the next search', async () => {
    const endless = { ...plainQuery('(a+)+$'), regex: true }
    const first = searches.start({ searchId: 'one', query: endless })
    await searches.end({ searchId: 'one' })
    expect(await searches.start({ searchId: 'two', query: plainQuery('key') })).toMatchObject({ ok: true })
    expect(await first).toMatchObject({ ok: false, failure: { type: 'aborted' } })
  })
})

describe('troupe search', () => {
  const words = {
    ...{
      words: ['key'],
      agent: [],
      tool: [],
      kind: [],
      folder: [],
      program: [],
      since: null,
      until: null,
      limit: null,
    },
    ...{ regex: false, case: false, word: false, archived: false, json: false },
  }
  async function run(more: Partial<Parameters<typeof searchCommand>[0]>) {
    const printed = { out: '', err: '' }
    const to = (name: 'out' | 'err') => ({
      write: (text: string) => {
        printed[name] += text
      },
    })
    const code = await searchCommand(
      { ...words, ...more },
      {
        ...{ dataFolder, home: dataFolder, variables: {}, elapsed: () => 0 },
        settings: { current: NO_HISTORIES },
        clock: { now: () => 1_800_000_000_000 },
        output: to('out'),
        errors: to('err'),
      },
    )
    return { code, ...printed }
  }

  test('prints places under their conversations; its exit code says whether there are any', async () => {
    conversation(
      'c1',
      (log, main) => {
        log.says(main, 'one key')
        log.says(main, 'two keys\u001b[31m')
      },
      { title: 'Find the key' },
    )
    const found = await run({})
    expect(found.code).toBe(0)
    expect(found.out).toBe(
      `Find the key  (c1, /work/shop)\n  main\n    2023-11-14 22:13  said     two keys⟨ESC⟩[31m\n    2023-11-14 22:13  said     one key\n\n`,
    )
    const json = await run({ json: true, limit: '1' })
    expect(JSON.parse(json.out)).toMatchObject({
      title: 'Find the key',
      agent: 'main',
      sequence: 2,
      kind: 'said',
    })
    expect(json.err).toContain('1 of 2 places')
    expect(await run({ words: ['nothing'] })).toMatchObject({ code: 1, out: '' })
  })

  test.each([
    [{ kind: ['sad'] }, 'Unknown kind "sad"'],
    [{ program: ['vim'] }, 'Unknown program "vim"'],
    [{ since: 'soon' }, '"soon" is not a time'],
    [{ limit: '0' }, '--limit 0'],
    [{ words: ['('], regex: true }, 'not valid'],
  ])('a wrong use exits with 2: %o', async (more, message) => {
    const { code, err } = await run(more)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})
