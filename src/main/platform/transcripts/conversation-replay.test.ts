import { appendFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noLimits } from '../../../shared/events/agent-event.ts'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import {
  type ConversationState,
  emptyConversation,
  foldConversation,
} from '../../../shared/state/conversation-state.ts'
import { sampleRecord } from '../../../shared/testing/sample-log.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { lastWords } from '../../runtime/testing/scripted-model.ts'
import { agentCall, echo, script } from '../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from '../../runtime/testing/test-runtime.ts'
import { createSystemClock } from '../system/machine-time.ts'
import { createTranscriptStore, type TranscriptStoreOptions } from './create-transcript-store.ts'
import { encodeLine } from './log-line.ts'
import { createMoodyDisk } from './testing/moody-disk.ts'
import { openStore, unwrap } from './testing/open-store.ts'
import { conversationEvent, notice, spawned } from './testing/sample-events.ts'
import { tempFolder } from './testing/temp-folder.ts'

const released = join(import.meta.dirname, '../../../../test/fixtures/data-folders/v0.1.0/data')

const storeOn = (dataFolder: string, options: Partial<TranscriptStoreOptions> = {}): TranscriptStore =>
  createTranscriptStore({ dataFolder, clock: createSystemClock(), ...options })

async function collect(
  store: TranscriptStore,
  id: string,
  range: { readonly from?: number; readonly to?: number } = {},
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for await (const batch of store.readConversation(id, range)) events.push(...unwrap(batch))
  return events
}

/** The content of every file below a folder, by path. */
async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)))
}

interface LiveRun {
  readonly id: string
  readonly dataFolder: string
  readonly mainAgentId: string
  /** As the runtime published them, after `conversation-created`. */
  readonly events: readonly LoggedEvent[]
  /** The live state after each order. */
  readonly states: ReadonlyMap<number, ConversationState>
}

/** A run with subagents, permission requests, queued messages, a title and limits, and a second run that resumes it. */
async function liveRun(): Promise<LiveRun> {
  const dataFolder = await tempFolder()
  const disk = storeOn(dataFolder)
  const events: LoggedEvent[] = []
  const states = new Map<number, ConversationState>()
  let live = emptyConversation
  const store: TranscriptStore = {
    ...disk,
    open: async (record, follower) => {
      const opened = await disk.open(record, follower)
      if (opened.ok && live.record === null) {
        live = { record: opened.value.record, agents: new Map(), lastOrder: 0 }
        states.set(0, live)
      }
      return opened
    },
  }
  const follow = (troupe: TestRuntime) =>
    troupe.runtime.subscribe((delta) => {
      if (delta.type !== 'event' && delta.type !== 'conversation-event') return
      live = foldConversation(live, [delta.event])
      events.push(delta.event)
      states.set(delta.event.order, live)
    })

  const first = createTestRuntime({
    ports: { store },
    script: script(
      [
        { calls: [agentCall('one'), agentCall('two', { run_in_background: true, name: 'ada' })] },
        { calls: [['Bash', { command: 'npm publish' }]] },
        echo,
      ],
      (request) =>
        request.messages.length > 1
          ? { text: lastWords(request) }
          : { calls: [['TodoWrite', { todos: [] }]] },
    ),
  })
  follow(first)
  const id = await first.begin('Sort the notes.')
  const { agentId, requestId } = await first.when('permission-asked')
  await first.say(id, 'Look at b, too.')
  const text = [{ type: 'text', text: 'And at c.' }] as const
  const { messageId } = unwrap(
    await first.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content: text }),
  )
  unwrap(await first.runtime.dispatch({ type: 'conversation.unqueue', conversationId: id, messageId }))
  unwrap(
    await first.runtime.dispatch({ type: 'conversation.rename', conversationId: id, title: 'Sorted notes' }),
  )
  unwrap(
    await first.runtime.dispatch({
      type: 'conversation.setLimits',
      conversationId: id,
      limits: { ...noLimits, usd: 5 },
    }),
  )
  // Some of the events are only in memory now.
  const now = live
  expect(unwrap(await store.stateAt(id, now.lastOrder))).toEqual(now)
  unwrap(
    await first.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    }),
  )
  await first.runtime.settled(id)
  await first.runtime.close()

  const second = createTestRuntime({ ports: { store }, script: echo })
  follow(second)
  await second.say(id, 'Go on.')
  await second.runtime.settled(id)
  await second.runtime.close()
  return { id, dataFolder, mainAgentId: agentId, events, states }
}

/** Checks the state at every order. */
async function expectLiveStates(store: TranscriptStore, { id, states }: LiveRun): Promise<void> {
  for (const [order, state] of states) {
    const read = unwrap(await store.stateAt(id, order))
    expect(read, `order ${order}`).toEqual(state)
    expect([...read.agents.keys()]).toEqual([...state.agents.keys()])
  }
}

const checkpointsOf = (dataFolder: string, id: string) => join(dataFolder, 'checkpoints', id)
const logOf = (dataFolder: string, agentId: string) => join(dataFolder, 'tasks', agentId, 'transcript.jsonl')

describe('the state of a conversation', () => {
  test('is the live state at every order', async () => {
    const run = await liveRun()
    const types = new Set(run.events.map(({ type }) => type))
    for (const type of ['agent-added', 'permission-asked', 'message-queued', 'message-withdrawn'] as const)
      expect(types).toContain(type)
    for (const type of ['conversation-titled', 'conversation-limited', 'agent-ended'] as const)
      expect(types).toContain(type)
    await expectLiveStates(storeOn(run.dataFolder), run)
    expect(await readdir(run.dataFolder)).not.toContain('checkpoints')
    const store = storeOn(run.dataFolder)
    expect(unwrap(await store.stateAt(run.id, -1))).toEqual(emptyConversation)
    expect(unwrap(await store.stateAt(run.id, Infinity))).toEqual([...run.states.values()].at(-1))
  })

  test('is the same with checkpoints, with some of them, and with none', async () => {
    const run = await liveRun()
    const folder = checkpointsOf(run.dataFolder, run.id)
    const store = storeOn(run.dataFolder, { checkpointBytes: 1000 })
    await store.stateAt(run.id, Infinity)
    const names = await readdir(folder)
    expect(names.length).toBeGreaterThan(5)
    await expectLiveStates(store, run)
    for (const name of names.filter((_, index) => index % 2 === 0)) await rm(join(folder, name))
    await expectLiveStates(store, run)
    unwrap(await store.trash(run.id))
    unwrap(await store.restore(run.id))
    expect(await readdir(join(folder, '..'))).toEqual([])
    await expectLiveStates(storeOn(run.dataFolder), run)
  })

  test('continues from the nearest checkpoint', async () => {
    const run = await liveRun()
    const folder = checkpointsOf(run.dataFolder, run.id)
    const store = storeOn(run.dataFolder, { checkpointBytes: 1000 })
    await store.stateAt(run.id, Infinity)
    const orders = (await readdir(folder)).map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)
    const nearest = orders[3] ?? 0
    const path = join(folder, `${nearest}.json`)
    const { sum: _, ...checkpoint } = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, encodeLine({ ...checkpoint, record: { ...checkpoint.record, folder: '/marked' } }))
    const folderAt = async (order: number) => unwrap(await store.stateAt(run.id, order)).record?.folder
    expect(await folderAt(nearest - 1)).toBe('/project')
    expect(await folderAt(nearest)).toBe('/marked')
    expect(await folderAt((orders[4] ?? 0) - 1)).toBe('/marked')
    expect(await folderAt(orders[4] ?? 0)).toBe('/project')
    // A broken checkpoint, and one of another version.
    await writeFile(path, 'broken')
    expect(await folderAt(nearest)).toBe('/project')
    await writeFile(
      path,
      encodeLine({ ...checkpoint, v: 'other', record: { ...checkpoint.record, folder: '/no' } }),
    )
    expect(await folderAt(nearest)).toBe('/project')
  })

  test('ignores the checkpoints of a log that changed', async () => {
    const run = await liveRun()
    const store = storeOn(run.dataFolder, { checkpointBytes: 1 })
    await store.stateAt(run.id, Infinity)
    const log = logOf(run.dataFolder, run.mainAgentId)
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1)
    const kept = lines.slice(0, -6)
    const { seq, order } = JSON.parse(kept.at(-1) ?? '')
    const other = Array.from({ length: 6 }, (_, index) => ({
      ...notice(run.mainAgentId, seq + 1 + index, 'Something else happened.'),
      order: order + 1000 + index,
    }))
    await writeFile(log, `${kept.join('\n')}\n${other.map(encodeLine).join('')}`)
    const all = await collect(store, run.id)
    for (const { order: to } of all) {
      const expected = foldConversation(
        emptyConversation,
        all.filter((event) => event.order <= to),
      )
      expect(unwrap(await store.stateAt(run.id, to)), `${to}`).toEqual(expected)
    }
  })

  test('ignores a checkpoint without the later events', async () => {
    const run = await liveRun()
    const child = run.events.find((event) => event.type === 'agent-spawned' && event.parentId !== null)
    const log = logOf(run.dataFolder, child?.type === 'agent-spawned' ? child.agentId : '')
    const written = await readFile(log)
    await rm(log)
    const store = storeOn(run.dataFolder, { checkpointBytes: 1 })
    await store.stateAt(run.id, Infinity)
    expect((await readdir(checkpointsOf(run.dataFolder, run.id))).length).toBeGreaterThan(5)
    await writeFile(log, written)
    await expectLiveStates(store, run)
  })

  test('is read without writing while another process has the conversation open', async () => {
    const run = await liveRun()
    const writer = storeOn(run.dataFolder)
    const opened = unwrap(await writer.open(unwrap(await writer.read(run.id))))
    const reader = storeOn(run.dataFolder, { checkpointBytes: 1, pid: 1 })
    await expectLiveStates(reader, run)
    expect(await readdir(run.dataFolder)).not.toContain('checkpoints')
    await opened.close()
    await reader.stateAt(run.id, Infinity)
    expect(await readdir(run.dataFolder)).toContain('checkpoints')
  })
})

describe('the events of a conversation', () => {
  test('are read in order, without gaps or duplicates, from any order to any order', async () => {
    const run = await liveRun()
    const store = storeOn(run.dataFolder)
    const before = await filesIn(run.dataFolder)
    const [created, ...later] = await collect(store, run.id)
    expect(created).toMatchObject({ type: 'conversation-created', order: 0 })
    expect(later).toEqual(run.events)
    expect(later.map(({ order }) => order)).toEqual(later.map((_, index) => index + 1))
    for (let from = 0; from <= later.length + 1; from++)
      expect(await collect(store, run.id, { from })).toEqual([created, ...later].slice(from))
    expect(await collect(store, run.id, { from: 5, to: 9 })).toEqual(later.slice(4, 9))
    expect(await filesIn(run.dataFolder)).toEqual(before)
  })

  test('are found in long logs without reading the logs from their start', async () => {
    const { dataFolder, store } = await openStore()
    const agentIds = ['a-1', 'a-2']
    const seqs = new Map<string, number>()
    const events = Array.from({ length: 6000 }, (_, index) => {
      const agentId = agentIds[index % 5 === 0 ? 1 : 0] ?? ''
      const seq = seqs.get(agentId) ?? 0
      seqs.set(agentId, seq + 1)
      const event = seq === 0 ? spawned(agentId) : notice(agentId, seq, `${index} ${'.'.repeat(index % 700)}`)
      return { ...event, order: index + 1 }
    })
    const log = unwrap(await store.open(sampleRecord('c-1', agentIds)))
    for (const event of events) log.append(event)
    await log.close()
    for (const from of [1, 2, 777, 3000, 3001, 4444, 5999, 6000, 6001])
      expect(await collect(store, 'c-1', { from, to: from + 20 })).toEqual(events.slice(from - 1, from + 20))
    const path = logOf(dataFolder, 'a-1')
    const content = await readFile(path)
    content.write('#', 100)
    await writeFile(path, content)
    expect(await collect(store, 'c-1', { from: 4444 })).toEqual(events.slice(4443))
  })

  test('include those that are only in memory, also while the disk refuses them', async () => {
    const disk = createMoodyDisk()
    const { dataFolder, store } = await openStore({ openFile: disk.open, checkpointBytes: 1 })
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    const titled = (seq: number, order: number) =>
      conversationEvent(
        'c-1',
        { seq, order },
        { type: 'conversation-titled', title: `${order}`, named: true },
      )
    const events = [
      { ...spawned('a-1'), order: 1 },
      titled(1, 2),
      { ...notice('a-1', 1, 'Written.'), order: 3 },
      { ...notice('a-1', 2, 'Refused.'), order: 4 },
      titled(2, 5),
    ]
    for (const event of events.slice(0, 3)) log.append(event)
    expect(await collect(store, 'c-1', { from: 1 })).toEqual(events.slice(0, 3))
    for (const event of events.slice(3)) log.append(event)
    disk.moods.push(...Array.from({ length: 50 }, () => 'ENOSPC' as const))
    expect(await collect(store, 'c-1', { from: 1 })).toEqual(events)
    expect(await collect(store, 'c-1', { from: 4, to: 4 })).toEqual(events.slice(3, 4))
    const state = unwrap(await store.stateAt('c-1', 5))
    expect(state.record?.title).toBe('5')
    expect(state.agents.get('a-1')?.lastSeq).toBe(2)
    expect(await readdir(dataFolder)).not.toContain('checkpoints')

    // An event that is appended during a read belongs to the next read.
    disk.moods.length = 0
    const reading = collect(store, 'c-1', { from: 4 })
    log.append({ ...notice('a-1', 3, 'Later.'), order: 6 })
    expect(await reading).toEqual(events.slice(3))
    await log.close()
  })

  test('end before a damaged line, which the failure names; a torn line only ends its log', async () => {
    const run = await liveRun()
    const store = storeOn(run.dataFolder)
    const log = logOf(run.dataFolder, run.mainAgentId)
    const whole = await readFile(log, 'utf8')
    await appendFile(log, '{"v":2,"agentId":"a')
    expect(await collect(store, run.id, { from: 1 })).toEqual(run.events)

    await writeFile(log, whole.replace(/("seq":7,.*)"sum"/, '$1 "sum"'))
    const batches = []
    for await (const batch of store.readConversation(run.id, { from: 1 })) batches.push(batch)
    const failed = batches.pop()
    expect(failed).toMatchObject({ ok: false, failure: { type: 'damaged', line: 8 } })
    expect(failed).toMatchObject({ failure: { message: expect.stringContaining(log) } })
    const lastGood = run.events.findIndex(
      (event) => 'agentId' in event && event.agentId === run.mainAgentId && event.seq === 6,
    )
    expect(batches.flatMap(unwrap)).toEqual(run.events.slice(0, lastGood + 1))
    expect(await store.stateAt(run.id, Infinity)).toMatchObject({ ok: false, failure: { type: 'damaged' } })
    const last = run.events[lastGood]?.order ?? 0
    expect(unwrap(await store.stateAt(run.id, last))).toEqual(run.states.get(last))
    expect(await store.stateAt(run.id, last + 1)).toMatchObject({ ok: false })
    const writing = storeOn(run.dataFolder, { checkpointBytes: 1 })
    for (let again = 0; again < 2; again++) {
      expect(unwrap(await writing.stateAt(run.id, last))).toEqual(run.states.get(last))
      expect(await writing.stateAt(run.id, last + 1)).toMatchObject({ ok: false })
    }
  })

  test('of a newer version are left out, and no checkpoint is written without them', async () => {
    const run = await liveRun()
    const log = logOf(run.dataFolder, run.mainAgentId)
    const last = run.events.at(-1)?.order ?? 0
    const seq = (await readFile(log, 'utf8')).split('\n').length - 1
    await appendFile(
      log,
      encodeLine({ ...notice(run.mainAgentId, seq, ''), order: last + 1, type: 'teleported' }),
    )
    await appendFile(log, encodeLine({ ...notice(run.mainAgentId, seq + 1, 'Known.'), order: last + 2 }))
    const store = storeOn(run.dataFolder, { checkpointBytes: 1 })
    const batches = []
    for await (const batch of store.readConversation(run.id, { from: last })) batches.push(batch)
    expect(batches.pop()).toMatchObject({ ok: false, failure: { type: 'newer-version' } })
    expect(batches.flatMap(unwrap).map(({ order }) => order)).toEqual([last, last + 2])
    expect(unwrap(await store.stateAt(run.id, Infinity)).lastOrder).toBe(last + 2)
    const orders = (await readdir(checkpointsOf(run.dataFolder, run.id))).map((name) =>
      Number.parseInt(name, 10),
    )
    expect(Math.max(...orders)).toBe(last)
  })

  test('of version 0.1.0 are read with the events that make its record', async () => {
    const dataFolder = await tempFolder()
    await cp(released, dataFolder, { recursive: true })
    const before = await filesIn(dataFolder)
    const store = storeOn(dataFolder, { checkpointBytes: 1 })
    const record = (await store.list())[0]
    if (!record) throw new Error('the data folder has a conversation')
    const events = await collect(store, record.id)
    const [created, ...later] = events.map(({ order }) => order)
    expect([created, ...later]).toEqual([0, ...Array.from({ length: 106 }, (_, order) => order)])
    expect(events[0]?.type).toBe('conversation-created')
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['message-queued', 'message-queued'])
    expect(events.some(({ type }) => type === 'context-compacted')).toBe(true)
    const state = unwrap(await store.stateAt(record.id, Infinity))
    expect(state.record).toEqual(record)
    expect([...state.agents.values()]).toEqual(
      expect.arrayContaining([...unwrap(await store.states(record.agentIds))]),
    )
    expect(await filesIn(dataFolder)).toEqual(before)

    // Opened for writing, the conversation gets a log of its own with the same events.
    await unwrap(await store.open(record)).close()
    expect(await collect(store, record.id)).toEqual(events)
    for (const order of [0, 50, 103, 105])
      expect(unwrap(await store.stateAt(record.id, order))).toEqual(
        foldConversation(
          emptyConversation,
          events.filter((event) => event.order <= order),
        ),
      )
  })
})
