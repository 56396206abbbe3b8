import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { tempFolder } from '../../platform/transcripts/testing/temp-folder.ts'
import { wholeLines } from './history-lines.ts'
import { claudeSession, textOfLines } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'

const fileOf = (session: string) => `.claude/projects/p/${session}.jsonl`

test('nothing is written where the programs keep their histories', async () => {
  const home = await historyHome()
  const s = claudeSession('s-1')
  await home.write(fileOf('s-1'), textOfLines(s.user('Go'), s.says('m1', 'Done.')))
  const before = await home.everything()
  const [entry] = await home.list('claude')
  await home.read(entry?.id ?? '')
  expect(await home.everything()).toEqual(before)
})

test('a history can be read like a conversation, and not be changed', async () => {
  const home = await historyHome()
  const s = claudeSession('s-1')
  await home.write(fileOf('s-1'), textOfLines(s.user('Go'), s.says('m1', 'Done.')))
  const [entry] = await home.list('claude')
  const { store } = home
  const id = entry?.id ?? ''
  const record = unwrap(await store.read(id))
  expect(record).toMatchObject({
    ...{ id, title: 'Go', named: true, history: { program: 'claude' } },
    createdAt: entry?.createdAt,
  })
  expect(await store.lockedByOther(id)).toBe(true)
  const events: unknown[] = []
  for await (const batch of store.readConversation(id)) events.push(...unwrap(batch))
  const state = unwrap(await store.stateAt(id, Number.MAX_SAFE_INTEGER))
  expect(events).toHaveLength(1 + (state.agents.get(record.mainAgentId)?.lastSeq ?? 0) + 1)
  expect(unwrap(await store.page(record.mainAgentId, { before: null, limit: 1 })).events).toHaveLength(1)
  const refused = {
    ok: false,
    failure: { type: 'not-allowed', message: expect.stringContaining('Claude Code') },
  }
  expect(await store.open(record)).toMatchObject(refused)
  expect(await store.trash(id)).toMatchObject(refused)
  expect(await store.amend(id, { type: 'conversation-titled', title: 'x', named: true })).toMatchObject(
    refused,
  )
  // Lists of Troupe's own conversations are without it.
  expect(await store.list()).toEqual([])
})

test('the same session in two folders is two conversations, and its own id names neither', async () => {
  const home = await historyHome()
  const s = claudeSession('s-1')
  const text = textOfLines(s.user('Go'), s.says('m1', 'Done.'))
  await home.write(fileOf('s-1'), text)
  await home.write('.claude/projects/q/s-1.jsonl', text)
  await home.write(fileOf('s-2'), textOfLines(s.user('Other')))
  const entries = await home.list('claude')
  expect(new Set(entries.map(({ id }) => id)).size).toBe(3)
  expect(await home.histories.find('s-1')).toMatchObject({ ok: false, failure: { type: 'several' } })
  expect(unwrap(await home.histories.find('s-2'))).toMatchObject({ title: 'Other' })
  expect(await home.histories.find('s-3')).toMatchObject({ ok: false, failure: { type: 'not-found' } })
})

test('a source that was not asked about or is off has no entries, and off can’t be opened', async () => {
  const s = claudeSession('s-1')
  const asked = await historyHome()
  await asked.write(fileOf('s-1'), textOfLines(s.user('Go')))
  const [entry] = await asked.list('claude')
  expect(unwrap(await asked.histories.list({ program: 'claude' }))).toMatchObject([
    { reading: 'ask', isFound: true, entries: [] },
  ])
  const off = await historyHome({ choices: { claude: false } })
  await off.write(fileOf('s-1'), textOfLines(s.user('Go')))
  expect(unwrap(await off.histories.list({ program: 'claude', allow: ['claude'] }))).toMatchObject([
    { reading: 'off', entries: [] },
  ])
  expect(await off.store.read(entry?.id ?? '')).toMatchObject({ ok: false, failure: { type: 'off' } })
})

test('another start reads only what is new, and a file that was written anew as a whole', async () => {
  const home = await historyHome()
  const s = claudeSession('s-1')
  await home.write(fileOf('s-1'), textOfLines(s.user('Go'), s.calls('t1', 'Task', { prompt: 'x' })))
  expect(await home.list('claude')).toMatchObject([{ agents: 2, title: 'Go' }])
  const list = async () =>
    unwrap(await home.again().list({ program: 'claude', allow: ['claude'] })).flatMap(
      ({ entries }) => entries,
    )
  await home.append(fileOf('s-1'), textOfLines(s.calls('t2', 'Task', { prompt: 'y' })))
  expect(await list()).toMatchObject([{ agents: 3, title: 'Go' }])
  const other = claudeSession('s-1')
  const text = textOfLines(
    other.user('Begin anew'),
    ...Array.from({ length: 20 }, () => other.says('m', 'On.')),
  )
  await home.write(fileOf('s-1'), text)
  expect(await list()).toMatchObject([{ agents: 1, title: 'Begin anew' }])
  await home.write(fileOf('s-1'), textOfLines(other.user('Short')))
  expect(await list()).toMatchObject([{ title: 'Short' }])
})

test('opening a long history says how far it is and can be stopped; nothing of it is left then', async () => {
  const home = await historyHome()
  const s = claudeSession('s-1')
  const text = textOfLines(
    s.user('Go'),
    ...Array.from({ length: 60 }, () => s.says('m', 'On. '.repeat(10_000))),
  )
  await home.write(fileOf('s-1'), text)
  const [entry] = await home.list('claude')
  const id = entry?.id ?? ''
  const { histories, store, dataFolder } = home
  expect(histories.progress(id)).toBeNull()
  const opened = store.read(id)
  while ((histories.progress(id) ?? 0) === 0) await setImmediate()
  expect(histories.progress(id)).toBeLessThan(1)
  histories.cancel(id)
  expect(await opened).toMatchObject({ ok: false, failure: { type: 'canceled' } })
  const kept = await readdir(join(dataFolder, 'histories'), { recursive: true })
  expect(kept.filter((name) => /jsonl|\.tmp/.test(name))).toEqual([])
  expect(histories.progress(id)).toBeNull()
  expect(unwrap(await store.read(id))).toMatchObject({ title: 'Go' })
  // What was read before stays, but who stops the reading of what is new wants nothing.
  await home.append(fileOf('s-1'), text)
  const again = store.read(id)
  while ((histories.progress(id) ?? 0) === 0) await setImmediate()
  histories.cancel(id)
  expect(await again).toMatchObject({ ok: false, failure: { type: 'canceled' } })
})

test('a large conversation at which its program works is not converted for each look at it', async () => {
  let time = 0
  const home = await historyHome({ elapsed: () => time })
  const s = claudeSession('s-1')
  const more = () => textOfLines(s.says('m', 'On. '.repeat(130_000)))
  await home.write(fileOf('s-1'), textOfLines(s.user('Go')) + Array.from({ length: 40 }, more).join(''))
  const id = (await home.list('claude'))[0]?.id ?? ''
  const stamp = async () => unwrap(await home.store.read(id)).history?.stamp
  const first = await stamp()
  await home.append(fileOf('s-1'), more())
  time = 3000
  expect(await stamp()).toBe(first)
  unwrap(await home.histories.ready(id, { isCurrent: true }))
  const second = await stamp()
  expect(second).not.toBe(first)
  await home.append(fileOf('s-1'), more())
  time = 9000
  expect(await stamp()).not.toBe(second)
})

test('lines that are too long are passed over, and a last line without an end waits', async () => {
  const path = join(await tempFolder(), 'lines')
  await writeFile(path, `one\n${'x'.repeat(2_000_000)}\ntwo\n${'y'.repeat(20)}\nthree`)
  const lines: string[] = []
  let [tooLong, last] = [0, 0]
  for await (const piece of wholeLines(path, { longest: 10, breathe: () => undefined })) {
    lines.push(...piece.lines.map(String))
    tooLong += piece.tooLong
    last = piece.end
  }
  expect({ lines, tooLong, last }).toEqual({ lines: ['one', 'two'], tooLong: 2, last: 2_000_030 })
})
