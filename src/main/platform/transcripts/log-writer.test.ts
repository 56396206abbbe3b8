import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import type { OpenFile } from './log-file.ts'
import { agentLogKind } from './log-kind.ts'
import { LogWriter } from './log-writer.ts'
import { readEvents } from './read-log.ts'
import { readyLog } from './ready-log.ts'
import { createMoodyDisk, type Mood } from './testing/moody-disk.ts'
import { ended, notice, sampleEvents, spawned } from './testing/sample-events.ts'
import { tempFolder } from './testing/temp-folder.ts'

const good = { ok: true, value: undefined }

describe('a log writer on a failing disk', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), size: fc.nat(400) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'drain' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('mood' as const),
        mood: fc.constantFrom<Mood>('fine', 'short', 'ENOSPC', 'EIO', 'EROFS'),
      }),
    },
  )

  it('loses no flushed event, and writes each event once after the failure', async () => {
    const folder = await tempFolder()
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const transcript = join(folder, `${run++}`, 'transcript.jsonl')
        const disk = createMoodyDisk()
        const writer = writerFor(transcript, disk.open)
        const appended: AgentEvent[] = []
        let promised = 0
        for (const step of steps) {
          if (step.do === 'append') {
            const event =
              appended.length === 0 ? spawned('a-1') : notice('a-1', appended.length, 'x'.repeat(step.size))
            appended.push(event)
            writer.append(event)
          } else if (step.do === 'mood') disk.moods.push(step.mood)
          else {
            const result = await writer[step.do]()
            if (result.ok && step.do === 'flush') promised = appended.length
            const there = await eventsIn(transcript)
            expect(there).toEqual(appended.slice(0, there.length))
            expect(there.length).toBeGreaterThanOrEqual(promised)
          }
        }
        disk.moods.length = 0
        expect(await writer.close()).toEqual(good)
        expect(await eventsIn(transcript)).toEqual(appended)
        expect((await readyLog({ log: transcript, snapshot: '' }, agentLogKind)).ok).toBe(true)
      }),
      { numRuns: triesOf(150) },
    )
  })

  it.each([
    ['ENOSPC', 'disk-full', 'the disk is full'],
    ['EIO', 'io', 'the disk reported an error'],
    ['EROFS', 'read-only', 'the disk is read-only'],
  ] as const)(
    'explains %s, leaves no partial line, and continues afterwards',
    async (code, type, message) => {
      const transcript = join(await tempFolder(), 'transcript.jsonl')
      const disk = createMoodyDisk()
      const writer = writerFor(transcript, disk.open)
      const events = sampleEvents('a-1', 3)
      for (const event of events.slice(0, 2)) writer.append(event)
      expect(await writer.flush()).toEqual(good)
      const before = await readFile(transcript, 'utf8')

      writer.append(event(events, 2))
      disk.moods.push(code)
      const failed = await writer.flush()
      expect(failed).toMatchObject({
        ok: false,
        failure: { type, message: expect.stringContaining(message) },
      })
      expect(await readFile(transcript, 'utf8')).toBe(before)

      expect(await writer.flush()).toEqual(good)
      expect(await eventsIn(transcript)).toEqual(events)
      await writer.close()
    },
  )

  it('rewrites events that a failed sync lost', async () => {
    const transcript = join(await tempFolder(), 'transcript.jsonl')
    const disk = createMoodyDisk()
    const writer = writerFor(transcript, disk.open)
    const events = sampleEvents('a-1', 5)
    for (const event of events) writer.append(event)
    expect(await writer.drain()).toEqual(good)
    disk.moods.push('EIO')
    expect((await writer.flush()).ok).toBe(false)
    expect(await writer.flush()).toEqual(good)
    expect(await eventsIn(transcript)).toEqual(events)
    await writer.close()
  })
})

it('uses one sync for simultaneous flushes, and a second one for later flushes', async () => {
  const transcript = join(await tempFolder(), 'transcript.jsonl')
  const disk = createMoodyDisk()
  const writer = writerFor(transcript, disk.open)
  const events = sampleEvents('a-1', 200)
  const flushes = events.map((event) => {
    writer.append(event)
    return writer.flush()
  })
  for (const flushed of await Promise.all(flushes)) expect(flushed).toEqual(good)
  expect(disk.syncs).toBeGreaterThanOrEqual(1)
  expect(disk.syncs).toBeLessThanOrEqual(2)
  expect(await eventsIn(transcript)).toEqual(events)
  await writer.close()
})

it('writes long queues without a flush, and without a sync for each write', async () => {
  const transcript = join(await tempFolder(), 'transcript.jsonl')
  const disk = createMoodyDisk()
  const writer = writerFor(transcript, disk.open)
  for (const event of sampleEvents('a-1', 300, 1000)) writer.append(event)
  await expect.poll(() => sizeOf(transcript)).toBeGreaterThan(256 * 1024)
  expect(disk.syncs).toBe(0)
  await writer.close()
})

it('refuses an event that would leave a gap, and writes nothing after it', async () => {
  const transcript = join(await tempFolder(), 'transcript.jsonl')
  const writer = writerFor(transcript)
  writer.append(spawned('a-1'))
  writer.append(notice('a-1', 2, 'one too far'))
  writer.append(notice('a-1', 1, 'too late'))
  expect(await writer.flush()).toMatchObject({ ok: false, failure: { type: 'bug' } })
  expect(await eventsIn(transcript)).toEqual([spawned('a-1')])
  await writer.close()
})

it('never throws on an event that JSON can’t hold', async () => {
  const transcript = join(await tempFolder(), 'transcript.jsonl')
  const writer = writerFor(transcript)
  const input: { self?: unknown } = {}
  input.self = input
  writer.append({ ...notice('a-1', 0, ''), type: 'tool-started', input } as unknown as AgentEvent)
  expect(await writer.flush()).toMatchObject({ ok: false, failure: { type: 'bug' } })
  await writer.close()
})

describe('a log file that another program changes', () => {
  async function three() {
    const folder = await tempFolder()
    const transcript = join(folder, 'tasks', 'a-1', 'transcript.jsonl')
    const writer = writerFor(transcript)
    const events = sampleEvents('a-1', 4)
    for (const event of events.slice(0, 3)) writer.append(event)
    expect(await writer.flush()).toEqual(good)
    return { folder, transcript, writer, events }
  }

  it('is written again by the next flush if it was deleted with its folders', async () => {
    const { folder, transcript, writer, events } = await three()
    await rm(join(folder, 'tasks'), { recursive: true })
    writer.append(event(events, 3))
    expect(await writer.flush()).toMatchObject({ ok: false, failure: { type: 'folder-gone' } })
    expect(await writer.flush()).toEqual(good)
    expect(await eventsIn(transcript)).toEqual(events)
    await writer.close()
  })

  it('is continued if it was moved away and back', async () => {
    const { folder, transcript, writer, events } = await three()
    await rename(join(folder, 'tasks'), join(folder, 'elsewhere'))
    writer.append(event(events, 3))
    expect(await writer.flush()).toMatchObject({ ok: false, failure: { type: 'folder-gone' } })
    await rename(join(folder, 'elsewhere'), join(folder, 'tasks'))
    expect(await writer.flush()).toEqual(good)
    expect(await eventsIn(transcript)).toEqual(events)
    await writer.close()
  })

  it('is not written while another file replaces it', async () => {
    const { transcript, writer, events } = await three()
    await rename(transcript, `${transcript}.kept`)
    await writeFile(transcript, 'somebody else’s\n'.repeat(500))
    writer.append(event(events, 3))
    expect((await writer.flush()).ok).toBe(false)
    expect(await writer.flush()).toMatchObject({ ok: false, failure: { type: 'replaced' } })
    expect(await readFile(transcript, 'utf8')).toBe('somebody else’s\n'.repeat(500))
    await rename(`${transcript}.kept`, transcript)
    expect(await writer.flush()).toEqual(good)
    expect(await eventsIn(transcript)).toEqual(events)
    await writer.close()
  })

  it('is not written if it existed before its agent', async () => {
    const transcript = join(await tempFolder(), 'tasks', 'a-1', 'transcript.jsonl')
    await mkdir(dirname(transcript), { recursive: true })
    await writeFile(transcript, 'something')
    const writer = writerFor(transcript)
    writer.append(spawned('a-1'))
    expect(await writer.flush()).toMatchObject({ ok: false, failure: { type: 'replaced' } })
    expect(await readFile(transcript, 'utf8')).toBe('something')
    await writer.close()
  })
})

it('leaves a snapshot and no open file when the agent ends, and can continue', async () => {
  const folder = await tempFolder()
  const transcript = join(folder, 'transcript.jsonl')
  const disk = createMoodyDisk()
  const writer = writerFor(transcript, disk.open)
  const events = [...sampleEvents('a-1', 2), ended('a-1', 2)]
  for (const event of events) writer.append(event)
  await writer.flush()
  await expect.poll(() => disk.openFiles).toBe(0)
  expect(await sizeOf(join(folder, 'state.json'))).toBeGreaterThan(0)
  writer.append(notice('a-1', 3, 'said afterwards'))
  expect(await writer.flush()).toEqual(good)
  expect(await eventsIn(transcript)).toEqual([...events, notice('a-1', 3, 'said afterwards')])
  await writer.close()
})

it.skipIf(process.platform === 'win32')('creates files that other users cannot read', async () => {
  const transcript = join(await tempFolder(), 'tasks', 'a-1', 'transcript.jsonl')
  const writer = writerFor(transcript)
  writer.append(spawned('a-1'))
  await writer.close()
  const modes = [transcript, dirname(transcript), dirname(dirname(transcript))].map(
    async (path) => (await stat(path)).mode & 0o777,
  )
  expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o700])
})

function writerFor(log: string, open?: OpenFile): LogWriter<AgentEvent, AgentState> {
  return new LogWriter({ log, snapshot: join(dirname(log), 'state.json'), kind: agentLogKind, open })
}

async function eventsIn(transcript: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const batch of readEvents(transcript, agentLogKind)) {
    if (!batch.ok) throw new Error(batch.failure.message)
    events.push(...batch.value)
  }
  return events
}

function event(events: readonly AgentEvent[], index: number): AgentEvent {
  const found = events[index]
  if (!found) throw new Error(`there is no event ${index}`)
  return found
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
