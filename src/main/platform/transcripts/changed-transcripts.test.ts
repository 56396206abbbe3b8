/** Transcripts that another program changed: an editor, or a service that syncs folders. */
import { existsSync } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { sampleRecord } from '../../../shared/testing/sample-log.ts'
import { encodeLine } from './log-line.ts'
import { openStore, readAll, unwrap, writeAll } from './testing/open-store.ts'
import { notice, sampleEvents } from './testing/sample-events.ts'

describe('a transcript whose lines end in CR LF', () => {
  async function withCrlf(count: number) {
    const test = await openStore()
    const events = sampleEvents('a-1', count)
    await test.write('c-1', events)
    const path = test.transcript('a-1')
    const convert = async () => writeFile(path, (await readFile(path, 'utf8')).replaceAll(/\r?\n/g, '\r\n'))
    await convert()
    return { ...test, events, path, convert, record: sampleRecord('c-1', ['a-1']) }
  }

  it('is read', async () => {
    const { store, events } = await withCrlf(400)
    expect(await readAll(store, 'a-1')).toEqual(events)
    expect(unwrap(await store.states(['a-1']))).toEqual([foldAll(events)])
    expect(unwrap(await store.page('a-1', { before: null, limit: 3 })).events).toEqual(events.slice(-3))
    expect(unwrap(await store.read('c-1'))).toEqual(unwrap(await store.stateAt('c-1', Infinity)).record)
    expect(unwrap(await store.page('a-1', { before: 7, limit: 3 })).events).toEqual(events.slice(4, 7))
  })

  it('is continued, also after it was converted again', async () => {
    const { store, events, path, convert, record, problems } = await withCrlf(4)
    const all = [...events]
    for (let seq = 4; seq < 8; seq++) {
      const before = await readFile(path)
      const log = unwrap(await store.open(record))
      expect(log.repaired).toEqual([])
      all.push(notice('a-1', seq, 'more'))
      await writeAll(log, all.slice(-1))
      await log.close()
      expect((await readFile(path)).subarray(0, before.length)).toEqual(before)
      expect(await readAll(store, 'a-1')).toEqual(all)
      expect(unwrap(await store.states(['a-1']))).toEqual([foldAll(all)])
      if (seq % 2 === 1) await convert()
    }
    expect(problems).toEqual([])
    expect(existsSync(`${path}.torn`)).toBe(false)
  })

  it('may be cut off at any byte of its end', async () => {
    const { store, events, path, record } = await withCrlf(4)
    const whole = await readFile(path)
    for (let cut = 1; cut < 40; cut++) {
      await writeFile(path, whole.subarray(0, -cut))
      const left = events.slice(0, cut <= 2 ? 4 : 3)
      const log = unwrap(await store.open(record))
      expect(log.repaired).toHaveLength(cut <= 2 ? 0 : 1)
      const more = notice('a-1', left.length, 'more')
      await writeAll(log, [more])
      await log.close()
      expect(await readAll(store, 'a-1')).toEqual([...left, more])
    }
  })
})

describe('a conversation that cannot be resumed', () => {
  it('has no file changed, whatever is wrong with one of them', async () => {
    const { store, write, transcript, dataFolder } = await openStore()
    await write('c-1', [...sampleEvents('a-1', 4), ...sampleEvents('a-2', 4)])
    const record = sampleRecord('c-1', ['a-1', 'a-2'])
    const own = join(dataFolder, 'conversations', 'c-1.jsonl')
    const whole = new Map<string, Buffer>()
    for (const path of [transcript('a-1'), transcript('a-2'), own]) whole.set(path, await readFile(path))
    const newer = encodeLine({ ...notice('a-1', 4, 'x'), type: 'agent-dreamt' })
    for (const path of [transcript('a-2'), own])
      for (const [content, type] of [
        [Buffer.concat([whole.get(path) ?? Buffer.alloc(0), Buffer.from(newer)]), /newer-version|damaged/],
        [Buffer.from((whole.get(path) ?? '').toString().replaceAll('"', "'")), /damaged/],
        [Buffer.from((whole.get(path) ?? '').toString(), 'utf16le'), /damaged/],
      ] as const) {
        for (const [each, bytes] of whole) await writeFile(each, bytes)
        await truncate(transcript('a-1'), (whole.get(transcript('a-1'))?.length ?? 0) - 9)
        await writeFile(path, content)
        const before = await Promise.all([...whole.keys()].map((each) => readFile(each)))
        expect(await store.open(record)).toMatchObject({
          ok: false,
          failure: { type: expect.stringMatching(type) },
        })
        expect(await Promise.all([...whole.keys()].map((each) => readFile(each)))).toEqual(before)
        for (const each of whole.keys()) expect(existsSync(`${each}.torn`)).toBe(false)
      }
  })
})

function foldAll(events: readonly AgentEvent[]): AgentState | null {
  return events.reduce<AgentState | null>(foldAgent, null)
}
