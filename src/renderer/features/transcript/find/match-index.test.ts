import { expect, test, vi } from 'vitest'
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import { type Match, MatchIndex } from './match-index.ts'

const text = (seq: number, words: string): TranscriptRow => ({
  kind: 'text',
  key: `${seq}:0`,
  seq,
  at: 0,
  text: words,
})
const rows = (...texts: string[]) => texts.map((words, seq) => text(seq, words))
const tool = (more: Partial<ToolRow>): ToolRow => ({
  kind: 'tool',
  key: 't',
  seq: 0,
  at: 0,
  toolUseId: 't',
  name: 'Bash',
  call: rowForName('Bash'),
  input: { command: 'npm test' },
  summary: 'npm test',
  status: 'done',
  note: '',
  content: '',
  display: null,
  outputFile: null,
  startedAt: 0,
  durationMs: 0,
  ...more,
})

async function search(list: readonly TranscriptRow[], query: string, live: readonly TranscriptRow[] = []) {
  const index = new MatchIndex(query)
  await index.update(list, live, { signal: new AbortController().signal, pause: async () => {} })
  return index
}
/** All matches, in the order of next. */
function all(index: MatchIndex): readonly Match[] {
  let match = index.next(index.last, 1)
  return Array.from({ length: index.total }, () => {
    const found = match
    match = index.next(match, 1)
    return found
  }).filter((found) => found !== null)
}

test('every occurrence counts, ignoring case and kinds of space', async () => {
  const index = await search(rows('Retry, retry', 'none', 'a RETRY'), 'retry')
  expect(index.total).toBe(3)
  expect(all(index)).toEqual([
    { key: '0:0', index: 0, occurrence: 0 },
    { key: '0:0', index: 0, occurrence: 1 },
    { key: '2:0', index: 2, occurrence: 0 },
  ])
  expect(all(index).map((match) => index.numberOf(match))).toEqual([1, 2, 3])
  expect((await search(rows('two\nwords'), 'two words')).total).toBe(1)
  expect((await search(rows('x'), '')).total).toBe(0)
})

test('next and previous wrap around', async () => {
  const index = await search(rows('one one', 'nothing', 'one'), 'one')
  const [first, second, third] = all(index)
  expect([first, second, third].map((match) => index.next(match ?? null, 1))).toEqual([second, third, first])
  expect([first, second, third].map((match) => index.next(match ?? null, -1))).toEqual([third, first, second])
  expect((await search(rows('nothing'), 'one')).next(null, 1)).toBeNull()
})

test('a call counts its line, its input and its output, without terminal colors', async () => {
  const call = tool({ content: 'f\x1b[31mail\x1b[0med' })
  expect((await search([call], 'failed')).total).toBe(1)
  const index = await search([call], 'npm test')
  expect(index.total).toBe(2)
  expect(all(index).map((match) => index.isInBody(match))).toEqual([false, true])
})

test('only new and changed rows are searched again, and the current match keeps its place', async () => {
  const list = rows('one', 'two one', 'one')
  const index = await search(list, 'one')
  const current = all(index)[1] ?? null
  const spy = vi.fn(async () => {})
  list.push(text(3, 'one one'))
  const options = { signal: new AbortController().signal, pause: spy }
  await index.update(list, [{ ...text(4, 'one'), key: 'live:0' }], options)
  expect(index.total).toBe(6)
  expect(index.find(current)).toEqual(current)
  // The streamed message becomes a row.
  const live = index.last
  list.push(text(4, 'one'))
  await index.update(list, [], options)
  expect(index.total).toBe(6)
  expect(index.find(live)).toEqual({ key: '4:0', index: 4, occurrence: 0 })
  // Older rows are added in front.
  await index.update([text(-1, 'older one'), ...list], [], options)
  expect(index.find(current)).toEqual({ ...current, index: 2 })
  expect(index.total).toBe(7)
})

test('a long search yields to the window, can be aborted, and continues where it was', async () => {
  const long = rows(...Array.from({ length: 10_000 }, (_, at) => `row ${at}`))
  const index = new MatchIndex('row')
  const abort = new AbortController()
  const stop = vi.fn(async () => abort.abort())
  expect(await index.update(long, [], { signal: abort.signal, pause: stop })).toBe(false)
  expect(stop).toHaveBeenCalledTimes(1)
  const pause = vi.fn(async () => {})
  expect(await index.update(long, [], { signal: new AbortController().signal, pause })).toBe(true)
  expect(index.total).toBe(10_000)
  expect(pause).toHaveBeenCalledTimes(9)
})
