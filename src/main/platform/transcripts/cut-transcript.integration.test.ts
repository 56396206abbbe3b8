/** The store with real transcripts, cut at every byte of the last 4 KB and damaged at every byte of a line. */
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { createSystemClock } from '../system/machine-time.ts'
import type { StoreProblem } from './conversation-records.ts'
import { createTranscriptStore } from './create-transcript-store.ts'
import { readAll, unwrap } from './testing/open-store.ts'
import { notice } from './testing/sample-events.ts'
import { tempFolder } from './testing/temp-folder.ts'

const frozen = join(import.meta.dirname, '../../../../test/fixtures/transcripts/v1/data')
const CONVERSATION = 'c-01jf8z3k4y7g1p5a8rjk'
const MAIN = 'a-01jf8z3k5mh2x9qtwv04'
const NEWLINE = 10
const LANES = 4
/** A random third of the cuts. */
const STEP = 3

/** A copy of the frozen conversation, and the events of its main agent’s transcript. */
async function copied() {
  const dataFolder = await tempFolder()
  await cp(frozen, dataFolder, { recursive: true })
  const problems: StoreProblem[] = []
  const open = () =>
    createTranscriptStore({
      dataFolder,
      clock: createSystemClock(),
      onProblem: (problem) => problems.push(problem),
    })
  const path = join(dataFolder, 'tasks', MAIN, 'transcript.jsonl')
  const whole = await readFile(path)
  const record: ConversationRecord = unwrap(await open().read(CONVERSATION))
  const events = await readAll(open(), MAIN)
  const ends = [...whole.entries()].flatMap(([index, byte]) => (byte === NEWLINE ? [index + 1] : []))
  return { dataFolder, path, whole, record, events, ends, problems, open }
}

/** Every file with its times and size. */
async function traces(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(
      files.map(async (file) => {
        const { mtimeNs, ctimeNs, size } = await stat(file, { bigint: true })
        return [file, `${mtimeNs} ${ctimeNs} ${size}`] as const
      }),
    ),
  )
}

/** Compares as text, which is much faster over thousands of runs. */
const textOf = (events: readonly AgentEvent[]): string => JSON.stringify(events)

const foldAll = (events: readonly AgentEvent[]): AgentState | null =>
  events.reduce<AgentState | null>(foldAgent, null)

describe('a transcript cut at any of its last 4,096 bytes', () => {
  it('opens, loses at most the torn record, which is moved aside, and can be continued', {
    timeout: 400_000,
  }, async () => {
    let cut = Math.floor(Math.random() * STEP)
    const nextSize = (whole: Buffer) => {
      const size = whole.length - cut
      cut += STEP
      return size
    }
    const lane = async () => {
      const test = await copied()
      const { dataFolder, path, whole, record, events, ends, open } = test
      const snapshot = await readFile(join(dataFolder, 'tasks', MAIN, 'state.json'))
      const others = record.agentIds.filter((id) => id !== MAIN)
      for (let size = nextSize(whole); size >= 0 && size >= whole.length - 4096; size = nextSize(whole)) {
        // A line that lacks only its newline is whole.
        const left = ends.filter((end) => end - 1 <= size).length
        const bytes = ends[left - 1] ?? 0
        const torn = whole.subarray(Math.min(bytes, size), size)
        await writeFile(path, whole.subarray(0, size))
        await writeFile(join(dataFolder, 'tasks', MAIN, 'state.json'), snapshot)

        const before = await traces(dataFolder)
        const reader = open()
        expect(textOf(await readAll(reader, MAIN)), `cut at ${size}`).toBe(textOf(events.slice(0, left)))
        expect(unwrap(await reader.page(MAIN, { before: null, limit: 3 }))).toEqual({
          events: events.slice(Math.max(0, left - 3), left),
          total: left,
        })
        expect(unwrap(await reader.states([MAIN]))[0] ?? null).toEqual(foldAll(events.slice(0, left)))
        expect(await traces(dataFolder)).toEqual(before)
        expect(whole.subarray(0, size).equals(await readFile(path))).toBe(true)

        test.problems.length = 0
        const log = unwrap(await open().open(record))
        expect(log.repaired?.map((repair) => repair.agentId)).toEqual(torn.length > 0 ? [MAIN] : [])
        expect(test.problems.map(({ type }) => type)).toEqual(torn.length > 0 ? ['torn'] : [])
        const fixed = await traces(dataFolder)
        for (const id of others)
          for (const [file, trace] of before) if (file.includes(id)) expect(fixed.get(file)).toBe(trace)
        expect(await readFile(path)).toEqual(whole.subarray(0, bytes))
        const aside = await readFile(`${path}.torn`).catch(() => null)
        expect(aside).toEqual(torn.length > 0 ? Buffer.concat([torn, Buffer.from('\n')]) : null)

        if (left > 0) {
          const next = notice(MAIN, left, 'goes on')
          log.append(next)
          expect(await log.flush(MAIN)).toEqual({ ok: true, value: undefined })
          const grown = await readFile(path)
          expect(grown.subarray(0, bytes)).toEqual(whole.subarray(0, bytes))
          expect(JSON.parse(grown.subarray(bytes).toString())).toMatchObject({ ...next })
        }
        await log.close()
        await rm(`${path}.torn`, { force: true })
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    expect(cut).toBeGreaterThan(4096)
  })
})

describe('a line in the middle with any byte changed', () => {
  it('is named in the failure, the rest is readable, and nothing is written', async () => {
    const { dataFolder, path, whole, record, events, ends, open } = await copied()
    await rm(join(dataFolder, 'tasks', MAIN, 'state.json'))
    const line = ends.findIndex((end, index) => index > 3 && end - (ends[index - 1] ?? 0) < 400)
    const [start = 0, end = 0] = [ends[line - 1], ends[line]]
    expect(line).toBeGreaterThan(3)
    expect(line).toBeLessThan(ends.length - 2)
    for (let at = start; at < end; at++) {
      const changed = Buffer.from(whole)
      changed[at] = (whole[at] ?? 0) ^ 1
      await writeFile(path, changed)
      const before = await traces(dataFolder)
      const store = open()
      const named = { ok: false, failure: { type: 'damaged', line: line + 1 } }
      const batches = []
      for await (const batch of store.events(MAIN)) batches.push(batch)
      expect(batches.pop(), `byte ${at}`).toMatchObject({ ok: false, failure: { type: 'damaged' } })
      expect(batches.flatMap(unwrap)).toEqual(events.slice(0, line))
      // A missing newline damages the next line, too.
      const after = at === end - 1 ? line + 2 : line + 1
      expect(unwrap(await store.page(MAIN, { before: null, limit: 2 })).events).toEqual(events.slice(-2))
      const page = await store.page(MAIN, { before: null, limit: events.length - after })
      expect(unwrap(page).events).toEqual(events.slice(after))
      expect(unwrap(await store.states([MAIN]))).toEqual([foldAll(events.slice(0, line))])
      expect(await store.open(record)).toMatchObject(named)
      expect(await traces(dataFolder)).toEqual(before)
    }
  })
})
