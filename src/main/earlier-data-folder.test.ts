/** This version reads, folds and resumes a data folder that version 0.1.0 left when its process died. */
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { textOf } from '../shared/messages/text-of.ts'
import { createSystemClock } from './platform/system/machine-time.ts'
import { createTranscriptStore } from './platform/transcripts/create-transcript-store.ts'
import { readAll, unwrap } from './platform/transcripts/testing/open-store.ts'
import { tempFolder } from './platform/transcripts/testing/temp-folder.ts'
import { createMemoryWorktrees } from './runtime/testing/memory-worktrees.ts'
import { lastWords } from './runtime/testing/scripted-model.ts'
import { createTestRuntime } from './runtime/testing/test-runtime.ts'

const released = join(import.meta.dirname, '../../test/fixtures/data-folders/v0.1.0/data')
const CONVERSATION = 'c-01m814eb3b0vptx2cmx2'
const MAIN = 'a-01m814eb3b0vptx2cmx1'
const QUEUED = ['This one waits for the next turn.', 'And so does this one.']

async function copied() {
  const dataFolder = await tempFolder()
  await cp(released, dataFolder, { recursive: true })
  return { dataFolder, store: createTranscriptStore({ dataFolder, clock: createSystemClock() }) }
}

it('is listed, read and folded', async () => {
  const { store } = await copied()
  const [record] = await store.list()
  expect(record).toMatchObject({
    id: CONVERSATION,
    title: 'Sorted notes',
    named: true,
    mainAgentId: MAIN,
    limits: { tokens: 900_000, usd: 7, ms: null, spawns: null },
  })
  expect(record?.queued.map(({ content }) => textOf(content))).toEqual(QUEUED)
  const events = (await Promise.all((record?.agentIds ?? []).map((id) => readAll(store, id)))).flat()
  expect(new Set(events.map(({ type }) => type)).size).toBe(20)
  const states = unwrap(await store.states(record?.agentIds ?? []))
  expect(
    states.map(({ definition, status, name, forkOf }) => [definition.name, status, name, forkOf]),
  ).toEqual([
    ['main', 'paused', null, null],
    ['Explore', 'completed', null, null],
    ['fork', 'completed', null, MAIN],
    ['general-purpose', 'completed', 'ada', null],
  ])
  expect(states[3]).toMatchObject({
    limits: { tokens: 100_000, usd: 2, ms: 600_000, spawns: 3 },
    worktree: { own: true, branch: 'troupe/general-purpose-xd9t8t' },
    work: { commits: 1 },
  })
})

it('keeps the answer to a permission request', async () => {
  const { store } = await copied()
  const events = await readAll(store, MAIN)
  const asked = events.filter((event) => event.type === 'permission-asked')
  const answered = events.filter((event) => event.type === 'permission-answered')
  expect(answered.map(({ requestId }) => requestId)).toEqual(asked.map(({ requestId }) => requestId))
  expect(answered.map(({ decision, feedback }) => [decision, feedback])).toEqual([
    ['allow-once', null],
    ['deny', 'Put it into docs later.'],
  ])
  expect(events.some(({ type }) => type === 'context-compacted')).toBe(true)
})

it('is resumed: queued messages are delivered once, after the summary of the compaction', async () => {
  const { store, dataFolder } = await copied()
  const { model, runtime } = createTestRuntime({
    script: () => ({ text: 'Done.' }),
    ports: { store, worktrees: createMemoryWorktrees() },
  })
  unwrap(
    await runtime.dispatch({
      type: 'conversation.send',
      conversationId: CONVERSATION,
      agentId: null,
      content: 'Where were we?',
    }),
  )
  expect(await runtime.settled(CONVERSATION)).toMatchObject({ status: 'waiting', waitingFor: 'message' })
  const [request] = model.requests
  expect(JSON.stringify(request?.messages[0])).toContain('The user wants the notes sorted.')
  const told = model.requests.map((each) => lastWords(each)).join('\n')
  for (const text of [...QUEUED, 'Where were we?']) expect(told.split(text)).toHaveLength(2)
  await runtime.close()
  const record = unwrap(await store.read(CONVERSATION))
  expect(record).toMatchObject({ title: 'Sorted notes', named: true, queued: [] })
  // The record became the first events of a log, which can be read without the snapshot.
  await rm(join(dataFolder, 'conversations', `${CONVERSATION}.json`))
  expect(unwrap(await store.read(CONVERSATION))).toEqual(record)
})

it('is refused and left unchanged if a newer version wrote to it', async () => {
  const { store, dataFolder } = await copied()
  const path = join(dataFolder, 'tasks', MAIN, 'transcript.jsonl')
  const events = await readAll(store, MAIN)
  const body = JSON.stringify({ ...events.at(-1), v: 99, seq: events.length, type: 'dream' }).slice(0, -1)
  const sum = crc32(body).toString(16).padStart(8, '0')
  await writeFile(path, `${await readFile(path, 'utf8')}${body},"sum":"${sum}"}\n`)
  const before = [await readFile(path), (await stat(path)).mtimeMs]
  const { runtime } = createTestRuntime({ script: () => ({ text: 'Never asked.' }), ports: { store } })
  const sent = await runtime.dispatch({
    type: 'conversation.send',
    conversationId: CONVERSATION,
    agentId: null,
    content: 'Go on.',
  })
  expect(sent).toMatchObject({ ok: false, failure: { type: 'newer-version' } })
  expect(sent.ok ? '' : sent.failure.message).toContain('newer version of Troupe')
  expect([await readFile(path), (await stat(path)).mtimeMs]).toEqual(before)
  // The parts that this version understands can still be read.
  const page = unwrap(await store.page(MAIN, { before: null, limit: 5 }))
  expect(page.events.at(-1)).toEqual(events.at(-1))
})
