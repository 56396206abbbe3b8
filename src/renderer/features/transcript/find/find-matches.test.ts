import { expect, test, vi } from 'vitest'
import { rowForName } from '../../../../shared/row-for-name.ts'
import type { TranscriptRow } from '../../../../shared/transcript-row.ts'
import { findMatches, step } from './find-matches.ts'

const rows = (...texts: string[]): TranscriptRow[] =>
  texts.map((text, seq) => ({ kind: 'text', key: `${seq}:0`, seq, at: 0, text }))

const find = (list: readonly TranscriptRow[], query: string, signal = new AbortController().signal) =>
  findMatches(list, query, { signal, pause: async () => {} })

test('every occurrence counts, ignoring case', async () => {
  expect(await find(rows('Retry, retry', 'none', 'a RETRY'), 'retry')).toEqual([
    { key: '0:0', index: 0, occurrence: 0 },
    { key: '0:0', index: 0, occurrence: 1 },
    { key: '2:0', index: 2, occurrence: 0 },
  ])
  expect(await find(rows('x'), '')).toEqual([])
})

test('terminal colors do not split a word', async () => {
  const tool: TranscriptRow = {
    kind: 'tool',
    key: 't',
    seq: 0,
    at: 0,
    toolUseId: 't',
    name: 'Bash',
    call: rowForName('Bash'),
    input: {},
    summary: 'npm test',
    status: 'done',
    note: '',
    content: 'f\x1b[31mail\x1b[0med',
    display: null,
    outputFile: null,
    startedAt: 0,
    durationMs: 0,
  }
  expect(await find([tool], 'failed')).toHaveLength(1)
})

test('a long search yields to the window and can be aborted', async () => {
  const long = rows(...Array.from({ length: 10_000 }, (_, index) => `row ${index}`))
  const pause = vi.fn(async () => {})
  expect(await findMatches(long, 'row', { signal: new AbortController().signal, pause })).toHaveLength(10_000)
  expect(pause).toHaveBeenCalledTimes(4)

  const abort = new AbortController()
  const stop = vi.fn(async () => abort.abort())
  expect(await findMatches(long, 'row', { signal: abort.signal, pause: stop })).toBeNull()
  expect(stop).toHaveBeenCalledTimes(1)
})

test('next and previous wrap around', () => {
  expect([step(0, 3, 1), step(2, 3, 1), step(0, 3, -1), step(-1, 0, 1)]).toEqual([1, 0, 2, -1])
})
