import { appendFile, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { sampleRecord } from '../../../shared/testing/sample-log.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { encodeLine } from './log-line.ts'
import { createMoodyDisk } from './testing/moody-disk.ts'
import { openStore, readAll, unwrap, writeAll } from './testing/open-store.ts'
import { conversationEvent, ended, notice, sampleEvents, spawned } from './testing/sample-events.ts'

const good = { ok: true, value: undefined }

describe('a written event', () => {
  it('is present after any series of append, flush, close and open', async () => {
    const { store, another } = await openStore()
    const agent = fc.constantFrom('a-1', 'a-2', 'a-3')
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), agent, text: fc.string() }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), agent }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        run++
        const name = (id: string) => `${id}-${run}`
        const record = sampleRecord(`c-${run}`, ['a-1', 'a-2', 'a-3'].map(name))
        const said = new Map<string, AgentEvent[]>(record.agentIds.map((id) => [id, []]))
        let log = unwrap(await store.open(record))
        for (const step of steps) {
          if (step.do === 'reopen') {
            await log.close()
            log = unwrap(await another().open(record))
          } else if (step.do === 'flush') expect(await log.flush(name(step.agent))).toEqual(good)
          else {
            const events = said.get(name(step.agent)) ?? []
            const { length } = events
            const event =
              length === 0 ? spawned(name(step.agent)) : notice(name(step.agent), length, step.text)
            events.push(event)
            log.append(event)
          }
        }
        await log.close()
        for (const [agentId, events] of said) expect(await readAll(another(), agentId)).toEqual(events)
        expect(unwrap(await another().states(record.agentIds))).toEqual(
          [...said.values()].flatMap((events) => foldAll(events) ?? []),
        )
      }),
      { numRuns: triesOf(60) },
    )
  })

  it('can be read in this process before the flush', async () => {
    const { store } = await openStore()
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    const events = sampleEvents('a-1', 5)
    for (const event of events) log.append(event)
    expect(unwrap(await store.page('a-1', { before: null, limit: 10 })).events).toEqual(events)
    log.append(notice('a-1', 5, 'one more'))
    expect(await readAll(store, 'a-1')).toHaveLength(6)
    log.append(ended('a-1', 6))
    expect(unwrap(await store.states(['a-1']))[0]?.status).toBe('completed')
    await log.close()
  })

  it('reaches the file without a flush within a moment', async () => {
    const { store, transcript } = await openStore()
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    log.append(spawned('a-1'))
    await expect.poll(() => contentOf(transcript('a-1'))).toMatch(/\n$/)
    await log.close()
  })

  it('is readable while the disk is full, and is not read twice afterwards', async () => {
    const disk = createMoodyDisk()
    const { store } = await openStore({ openFile: disk.open })
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    const events = [...sampleEvents('a-1', 7), ended('a-1', 7)]
    await writeAll(log, events.slice(0, 4))
    for (const event of events.slice(4)) log.append(event)
    const shown = async () => [
      await readAll(store, 'a-1'),
      unwrap(await store.page('a-1', { before: null, limit: 3 })),
      unwrap(await store.page('a-1', { before: 6, limit: 4 })),
      unwrap(await store.states(['a-1'])),
    ]
    const expected = [
      events,
      { events: events.slice(-3), total: 8 },
      { events: events.slice(2, 6), total: 8 },
      [foldAll(events)],
    ]
    disk.moods.push(...Array.from({ length: 4 }, () => 'ENOSPC' as const))
    expect(await shown()).toEqual(expected)
    expect(disk.moods).toEqual([])
    expect(await log.flush('a-1')).toEqual(good)
    expect(await shown()).toEqual(expected)
    await log.close()
  })

  it('is refused after the log is closed', async () => {
    const { store, problems, transcript } = await openStore()
    const record = sampleRecord('c-1', ['a-1'])
    const log = unwrap(await store.open(record))
    await log.close()
    log.append(spawned('a-1'))
    expect(problems).toMatchObject([{ type: 'closed' }])
    const closed = { ok: false, failure: { type: 'closed' } }
    expect(await log.flush('a-1')).toMatchObject(closed)
    expect(await log.save()).toMatchObject(closed)
    expect(await contentOf(transcript('a-1'))).toBe('')
  })

  it('is kept if the whole data folder is deleted, and the lock is acquired again', async () => {
    const { store, dataFolder, another } = await openStore()
    const record = sampleRecord('c-1', ['a-1', 'a-2'])
    const log = unwrap(await store.open(record))
    await writeAll(log, [...sampleEvents('a-1', 3), ...sampleEvents('a-2', 2)])
    await rm(dataFolder, { recursive: true })
    log.append(notice('a-1', 3, 'after the folder was deleted'))
    expect(await log.flush('a-1')).toMatchObject({ ok: false, failure: { type: 'folder-gone' } })
    expect(await log.flush('a-1')).toEqual(good)
    expect(await readAll(another(), 'a-1')).toHaveLength(4)
    expect(unwrap(await another().read('c-1'))).toEqual(record)
    expect(await another().open(record)).toMatchObject({ ok: false, failure: { type: 'locked' } })
    await log.close()
  })
})

describe('a page', () => {
  it('has the events before any position, also with long lines', async () => {
    const { store, write } = await openStore()
    const sizes = [10, 300_000, 5, 5, 70_000, 3, 200_000, 1_000]
    const events = Array.from({ length: 400 }, (_, seq) =>
      seq === 0
        ? spawned('a-1')
        : notice('a-1', seq, 'é'.repeat(seq % 20 === 0 ? (sizes[(seq / 20) % 8] ?? 0) : 500)),
    )
    await write('c-1', events)
    for (const [before, limit] of [
      [null, 1],
      [null, 50],
      [400, 3],
      [1000, 3],
      [399, 2],
      ...Array.from({ length: 40 }, (_, index) => [index * 10 + 1, 7] as const),
    ] as const) {
      const page = unwrap(await store.page('a-1', { before, limit }))
      const end = Math.min(before ?? 400, 400)
      expect(page.events.map((event) => event.seq)).toEqual(
        events.slice(Math.max(0, end - limit), end).map((event) => event.seq),
      )
      expect(page.total).toBe(400)
    }
    expect(unwrap(await store.page('a-1', { before: 20, limit: 20 })).events).toEqual(events.slice(0, 20))
    expect(unwrap(await store.page('a-1', { before: 0, limit: 20 })).events).toEqual([])
  })

  it('is empty for an empty log', async () => {
    const { store } = await openStore()
    expect(unwrap(await store.page('a-none', { before: null, limit: 5 }))).toEqual({ events: [], total: 0 })
    expect(await readAll(store, 'a-none')).toEqual([])
    expect(unwrap(await store.states(['a-none']))).toEqual([])
  })
})

describe('damage in the middle', () => {
  async function damaged() {
    const test = await openStore()
    const events = sampleEvents('a-1', 10)
    await test.write('c-1', events)
    const path = test.transcript('a-1')
    const lines = (await readFile(path, 'utf8')).split('\n')
    // Still valid JSON, but not the written text.
    await writeFile(
      path,
      lines.map((line, index) => (index === 5 ? line.replace('many', 'more') : line)).join('\n'),
    )
    return { ...test, events }
  }

  it('ends the read with a failure that names the line, after all earlier events', async () => {
    const { store, events } = await damaged()
    const batches = []
    for await (const batch of store.events('a-1')) batches.push(batch)
    const last = batches.pop()
    expect(batches.flatMap(unwrap)).toEqual(events.slice(0, 5))
    expect(last).toMatchObject({
      ok: false,
      failure: { type: 'damaged', message: expect.stringContaining('Line 6 ') },
    })
  })

  it('leaves the pages on both sides readable', async () => {
    const { store, events } = await damaged()
    expect(unwrap(await store.page('a-1', { before: null, limit: 100 })).events).toEqual(events.slice(6))
    expect(await store.page('a-1', { before: 6, limit: 100 })).toMatchObject({
      ok: false,
      failure: { type: 'damaged', line: 6, message: expect.stringContaining('Line 6 ') },
    })
    expect(unwrap(await store.page('a-1', { before: 5, limit: 100 })).events).toEqual(events.slice(0, 5))
  })

  it('prevents writes, and the lock is released', async () => {
    const { store, transcript, dataFolder } = await damaged()
    const before = await readFile(transcript('a-1'), 'utf8')
    expect(await store.open(sampleRecord('c-1', ['a-1']))).toMatchObject({
      ok: false,
      failure: { type: 'damaged', message: expect.stringContaining('Line 6 ') },
    })
    expect(await readFile(transcript('a-1'), 'utf8')).toBe(before)
    expect(await readdir(join(dataFolder, 'locks'))).toEqual([])
  })

  it('ends the state before the damage, with a failure', async () => {
    const { store, events, problems, dataFolder } = await damaged()
    await rm(join(dataFolder, 'tasks', 'a-1', 'state.json'))
    expect(unwrap(await store.states(['a-1']))).toEqual([foldAll(events.slice(0, 5))])
    expect(problems).toMatchObject([{ type: 'damaged' }])
  })

  it('includes missing, duplicate and inserted lines', async () => {
    const { store, write, transcript } = await openStore()
    await write('c-1', sampleEvents('a-1', 10))
    const lines = (await readFile(transcript('a-1'), 'utf8')).split('\n')
    for (const wrong of [
      lines.toSpliced(3, 1),
      lines.toSpliced(3, 0, lines[2] ?? ''),
      lines.toSpliced(3, 0, 'x'),
    ]) {
      await writeFile(transcript('a-1'), wrong.join('\n'))
      expect(await store.open(sampleRecord('c-1', ['a-1']))).toMatchObject({
        ok: false,
        failure: { type: 'damaged', line: 4 },
      })
    }
  })
})

describe('a torn last line', () => {
  it('is skipped, and a reader leaves the file unchanged', async () => {
    const { store, write, transcript } = await openStore()
    const events = sampleEvents('a-1', 4)
    await write('c-1', events)
    await truncate(transcript('a-1'), (await stat(transcript('a-1'))).size - 9)
    const before = await readFile(transcript('a-1'))
    expect(await readAll(store, 'a-1')).toEqual(events.slice(0, 3))
    expect(unwrap(await store.page('a-1', { before: null, limit: 9 }))).toEqual({
      events: events.slice(0, 3),
      total: 3,
    })
    expect(unwrap(await store.states(['a-1']))).toEqual([foldAll(events.slice(0, 3))])
    expect(await readFile(transcript('a-1'))).toEqual(before)
  })

  it('is moved aside and reported when the log is opened for writing, and writing continues', async () => {
    const { store, write, transcript, problems } = await openStore()
    const events = sampleEvents('a-1', 4)
    await write('c-1', events)
    const lines = (await readFile(transcript('a-1'), 'utf8')).split('\n')
    const half = (lines[3] ?? '').slice(0, 30)
    for (let round = 0; round < 2; round++) {
      await writeFile(transcript('a-1'), [...lines.slice(0, 3), half].join('\n'))
      const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
      expect(log.repaired).toMatchObject([{ agentId: 'a-1', message: expect.stringContaining('30 bytes') }])
      await writeAll(log, [notice('a-1', 3, 'instead')])
      await log.close()
    }
    expect(problems).toMatchObject([{ type: 'torn' }, { type: 'torn' }])
    expect(await readFile(`${transcript('a-1')}.torn`, 'utf8')).toBe(`${half}\n${half}\n`)
    expect(await readAll(store, 'a-1')).toEqual([...events.slice(0, 3), notice('a-1', 3, 'instead')])
  })

  it('may have its newline, or zeros from a power failure', async () => {
    const { store, write, transcript } = await openStore()
    const events = sampleEvents('a-1', 4)
    await write('c-1', events)
    await appendFile(
      transcript('a-1'),
      `${encodeLine(notice('a-1', 4, 'x')).slice(0, -9)}"}\n${'\0'.repeat(500)}`,
    )
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    expect(log.repaired).toHaveLength(1)
    await log.close()
    expect(await readAll(store, 'a-1')).toEqual(events)
  })
})

describe('events of a newer version', () => {
  async function newer() {
    const test = await openStore()
    const events = sampleEvents('a-1', 6)
    await test.write('c-1', events)
    const unknown = encodeLine({ ...notice('a-1', 6, 'x'), type: 'agent-dreamt' })
    await appendFile(test.transcript('a-1'), unknown + encodeLine(notice('a-1', 7, 'afterwards')))
    return { ...test, known: [...events, notice('a-1', 7, 'afterwards')] }
  }

  it('are skipped, and the end of the read reports them', async () => {
    const { store, known } = await newer()
    const batches = []
    for await (const batch of store.events('a-1')) batches.push(batch)
    expect(batches.pop()).toMatchObject({
      ok: false,
      failure: { type: 'newer-version', message: expect.stringContaining('line 7 ') },
    })
    expect(batches.flatMap(unwrap)).toEqual(known)
    expect(unwrap(await store.page('a-1', { before: null, limit: 3 })).events).toEqual(known.slice(-3))
    expect(unwrap(await store.states(['a-1']))[0]?.lastSeq).toBe(7)
  })

  it('prevent writes to the conversation', async () => {
    const { store } = await newer()
    expect(await store.open(sampleRecord('c-1', ['a-1']))).toMatchObject({
      ok: false,
      failure: { type: 'newer-version', message: expect.stringContaining('newer version of Troupe') },
    })
  })
})

describe('states', () => {
  it('match the transcript, whatever happened to the snapshot', async () => {
    const { store, write, dataFolder, transcript } = await openStore()
    const events = [...sampleEvents('a-1', 30), ended('a-1', 30)]
    await write('c-1', events)
    const snapshot = join(dataFolder, 'tasks', 'a-1', 'state.json')
    const whole = await readFile(snapshot, 'utf8')
    const expected = [foldAll(events)]
    expect(unwrap(await store.states(['a-1']))).toEqual(expected)
    for (const broken of [
      '',
      '{}',
      'no JSON',
      whole.slice(0, 200),
      whole.replace('"completed"', '"failed"'),
    ]) {
      await writeFile(snapshot, broken)
      expect(unwrap(await store.states(['a-1']))).toEqual(expected)
    }
    // A good snapshot of another transcript.
    await write('c-2', [...sampleEvents('a-2', 20), ended('a-2', 20)])
    await writeFile(snapshot, await readFile(join(dataFolder, 'tasks', 'a-2', 'state.json')))
    expect(unwrap(await store.states(['a-1']))).toEqual(expected)
    // The transcript continued after the snapshot.
    await writeFile(snapshot, whole)
    await appendFile(transcript('a-1'), encodeLine(notice('a-1', 31, 'more')))
    expect(unwrap(await store.states(['a-1']))).toEqual([foldAll([...events, notice('a-1', 31, 'more')])])
  })

  it('get a new snapshot when the conversation is opened, if that saves much reading', async () => {
    const { store, write, dataFolder } = await openStore()
    await write('c-1', sampleEvents('a-1', 1200, 1000))
    const snapshot = join(dataFolder, 'tasks', 'a-1', 'state.json')
    const whole = await readFile(snapshot, 'utf8')
    await rm(snapshot)
    await unwrap(await store.open(sampleRecord('c-1', ['a-1']))).close()
    expect(await contentOf(snapshot)).toBe(whole)
  })

  it('come from the snapshot, and the events it covers are not read', async () => {
    const { store, write, transcript } = await openStore()
    const events = [...sampleEvents('a-1', 30), ended('a-1', 30)]
    await write('c-1', events)
    const { size } = await stat(transcript('a-1'))
    const end = (await readFile(transcript('a-1'))).subarray(-200)
    await writeFile(transcript('a-1'), Buffer.concat([Buffer.alloc(size - 200, 'x'), end]))
    expect(unwrap(await store.states(['a-1']))).toEqual([foldAll(events)])
  })
})

describe('conversations', () => {
  it('are listed by last use; a damaged record is left out and reported', async () => {
    const { store, dataFolder, problems } = await openStore()
    expect(await store.list()).toEqual([])
    for (const [id, updatedAt] of [
      ['c-1', 5],
      ['c-2', 9],
      ['c-3', 7],
    ] as const)
      await unwrap(await store.open({ ...sampleRecord(id, ['a-1']), updatedAt })).close()
    const conversations = join(dataFolder, 'conversations')
    await writeFile(join(conversations, 'c-broken.json'), '{"v":1,')
    await writeFile(join(conversations, 'c-evil.json'), JSON.stringify(sampleRecord('c-evil', ['../../etc'])))
    await writeFile(join(conversations, 'notes.txt'), 'not ours')
    expect((await store.list()).map((record) => record.id)).toEqual(['c-2', 'c-3', 'c-1'])
    expect(problems.map((problem) => problem.type)).toEqual(['damaged', 'damaged'])
    expect(problems.map((problem) => problem.message).join()).toContain('c-broken.json')
  })

  it('are renamed without being opened, but not while they are open', async () => {
    const { store } = await openStore()
    const record = sampleRecord('c-1', ['a-1'])
    const log = unwrap(await store.open(record))
    expect(
      await store.amend('c-1', { type: 'conversation-titled', title: 'Mine', named: true }),
    ).toMatchObject({ ok: false, failure: { type: 'locked' } })
    await log.close()
    expect(await store.amend('c-1', { type: 'conversation-titled', title: 'Mine', named: true })).toEqual(
      good,
    )
    expect(unwrap(await store.read('c-1'))).toEqual({ ...record, title: 'Mine', named: true })
    expect(
      await store.amend('c-none', { type: 'conversation-titled', title: 'Mine', named: true }),
    ).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  })

  it('are opened in their state on disk, not the state the caller has', async () => {
    const { store } = await openStore()
    const record = sampleRecord('c-1', ['a-1'])
    await unwrap(await store.open(record)).close()
    unwrap(await store.amend('c-1', { type: 'conversation-titled', title: 'Renamed meanwhile', named: true }))
    const log = unwrap(await store.open(record))
    expect(log.record.title).toBe('Renamed meanwhile')
    const next = { ...log.record, agentIds: ['a-1', 'a-2'] }
    log.append(conversationEvent('c-1', log.next, { type: 'agent-added', agentId: 'a-2' }))
    expect(await log.save()).toEqual(good)
    expect(log.record).toEqual(next)
    await log.close()
    expect(unwrap(await store.read('c-1'))).toEqual(next)
  })

  it('have one writer, also within one process', async () => {
    const { store, another } = await openStore()
    const record = sampleRecord('c-1', ['a-1'])
    const log = unwrap(await store.open(record))
    expect(await another().open(record)).toMatchObject({
      ok: false,
      failure: { type: 'locked', message: 'This conversation is already open here.' },
    })
    expect(await another().lockedByOther('c-1')).toBe(false)
    await log.close()
    await unwrap(await another().open(record)).close()
  })
})

describe('the trash', () => {
  const events = [...sampleEvents('a-1', 3), ...sampleEvents('a-2', 2)]

  async function filled() {
    const test = await openStore()
    await test.write('c-1', events)
    const inTrash = (path: string) => join(test.dataFolder, 'trash', 'c-1', path)
    const expectBack = async () => {
      expect((await test.store.list()).map((record) => record.id)).toEqual(['c-1'])
      expect(await readAll(test.store, 'a-1')).toEqual(events.slice(0, 3))
      expect(await readAll(test.store, 'a-2')).toEqual(events.slice(3))
      expect(await readdir(join(test.dataFolder, 'trash'))).toEqual([])
    }
    const expectGone = async () => {
      expect(await test.store.list()).toEqual([])
      expect(await readdir(join(test.dataFolder, 'tasks'))).toEqual([])
      expect(await readdir(inTrash('tasks'))).toEqual(['a-1', 'a-2'])
    }
    return { ...test, inTrash, expectBack, expectGone }
  }

  it('takes a conversation with its transcripts, and restores all of it', async () => {
    const { store, expectBack, expectGone } = await filled()
    expect(await store.trash('c-1')).toEqual(good)
    await expectGone()
    expect(await store.read('c-1')).toMatchObject({ ok: false, failure: { type: 'not-found' } })
    expect(await store.restore('c-1')).toEqual(good)
    await expectBack()
    expect(await store.restore('c-1')).toMatchObject({ ok: false, failure: { type: 'not-found' } })
    expect(await store.trash('c-none')).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  })

  it('does not take an open conversation', async () => {
    const { store } = await filled()
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1', 'a-2'])))
    expect(await store.trash('c-1')).toMatchObject({ ok: false, failure: { type: 'locked' } })
    await log.close()
    expect(await readAll(store, 'a-1')).toHaveLength(3)
  })

  // The states that a crash leaves: the record and some of the transcripts are moved.
  it.each([0, 1, 2])('finishes a move or restore after a crash (%i transcripts moved)', async (moved) => {
    for (const finish of ['trash', 'restore'] as const) {
      const { store, dataFolder, inTrash, expectBack, expectGone } = await filled()
      await mkdir(inTrash('tasks'), { recursive: true })
      await rm(join(dataFolder, 'conversations', 'c-1.json'))
      await rename(join(dataFolder, 'conversations', 'c-1.jsonl'), inTrash('record.jsonl'))
      for (const agentId of ['a-1', 'a-2'].slice(0, moved))
        await rename(join(dataFolder, 'tasks', agentId), inTrash(join('tasks', agentId)))
      expect(await store[finish]('c-1')).toEqual(good)
      await (finish === 'trash' ? expectGone() : expectBack())
    }
  })

  it('does not overwrite an existing conversation', async () => {
    const { store, write } = await filled()
    unwrap(await store.trash('c-1'))
    await write('c-1', sampleEvents('a-3', 1))
    expect(await store.restore('c-1')).toMatchObject({ ok: false, failure: { type: 'exists' } })
    expect(unwrap(await store.read('c-1')).agentIds).toEqual(['a-3'])
  })
})

describe('outputs of tools', () => {
  it('are stored completely, in the data folder', async () => {
    const { store, dataFolder } = await openStore()
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    const output = 'line “with” ünïcode\n'.repeat(5000)
    const path = unwrap(await log.keepOutput('a-1', 'toolu_01Ab', output))
    expect(path).toBe('tasks/a-1/tool-results/toolu_01Ab.txt')
    expect(await readFile(join(dataFolder, path), 'utf8')).toBe(output)
    expect(await store.toolOutput('a-1', 'toolu_01Ab')).toEqual({ ok: true, value: output })
    expect(await store.toolOutput('a-1', 'toolu_none')).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
    expect(await readdir(join(dataFolder, 'tasks', 'a-1', 'tool-results'))).toEqual(['toolu_01Ab.txt'])
    await log.close()
  })
})

describe('ids that would lead to other paths', () => {
  const evil = ['../../evil', '..', '', 'a/b', 'a\\b', 'a\0b', 'x'.repeat(101)]

  it.each(evil)('are refused everywhere: %j', async (id) => {
    const { store, dataFolder, problems } = await openStore()
    const log = unwrap(await store.open(sampleRecord('c-1', ['a-1'])))
    const refused = { ok: false, failure: { type: 'bad-id' } }
    expect(await store.read(id)).toMatchObject(refused)
    expect(await store.states([id])).toMatchObject(refused)
    expect(await store.page(id, { before: null, limit: 1 })).toMatchObject(refused)
    expect(await store.open(sampleRecord(id, ['a-1']))).toMatchObject(refused)
    expect(await store.open(sampleRecord('c-2', ['a-1', id]))).toMatchObject(refused)
    expect(await store.trash(id)).toMatchObject(refused)
    expect(await store.restore(id)).toMatchObject(refused)
    expect(await store.amend(id, { type: 'conversation-titled', title: 'x', named: true })).toMatchObject(
      refused,
    )
    expect(await store.toolOutput('a-1', id)).toMatchObject(refused)
    expect(await log.keepOutput('a-1', id, 'x')).toMatchObject(refused)
    expect(await log.flush(id)).toMatchObject(refused)
    for await (const batch of store.events(id)) expect(batch).toMatchObject(refused)
    log.append(spawned(id))
    expect(problems).toMatchObject([{ type: 'bad-id' }])
    await log.close()
    expect((await readdir(dataFolder)).toSorted()).toEqual(['conversations', 'locks'])
  })
})

function foldAll(events: readonly AgentEvent[]): AgentState | null {
  return events.reduce<AgentState | null>(foldAgent, null)
}

async function contentOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
