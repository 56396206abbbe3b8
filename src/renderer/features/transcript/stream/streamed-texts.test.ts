import { expect, test } from 'vitest'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { StreamedTexts } from './streamed-texts.ts'

const text = (seq: number, index = 0): TranscriptRow => ({
  kind: 'text',
  key: `${seq}:${index}`,
  seq,
  at: 0,
  text: `text ${seq}`,
})
const notice = (seq: number): TranscriptRow => ({
  kind: 'notice',
  key: `${seq}:notice`,
  seq,
  at: 0,
  level: 'info',
  text: 'x',
})

test('a streamed text becomes the row of its message, in the same element', () => {
  const streamed = new StreamedTexts()
  streamed.settle([text(1)], true)
  const host = streamed.entryOfLive(0).host
  expect(streamed.entryOfLive(0).host).toBe(host)
  streamed.settle([text(1), text(5)], false)
  expect(streamed.entryOfRow('5:0')?.host).toBe(host)
  expect(streamed.entryOfRow('1:0')).toBeNull()
  expect(streamed.entries()[0]?.row).toEqual({ key: '5:0', text: 'text 5' })
})

test('each block of a message has its own row', () => {
  const streamed = new StreamedTexts()
  streamed.settle([], true)
  const [first, third] = [streamed.entryOfLive(0).host, streamed.entryOfLive(2).host]
  streamed.settle([text(3, 0), text(3, 2)], false)
  expect([streamed.entryOfRow('3:0')?.host, streamed.entryOfRow('3:2')?.host]).toEqual([first, third])
})

test('a notice in between does not affect the streaming text', () => {
  const streamed = new StreamedTexts()
  streamed.settle([], true)
  const host = streamed.entryOfLive(0).host
  streamed.settle([notice(2)], true)
  expect(streamed.entryOfLive(0).host).toBe(host)
})

test('the next message gets a new element', () => {
  const streamed = new StreamedTexts()
  streamed.settle([], true)
  const host = streamed.entryOfLive(0).host
  streamed.settle([text(2)], true)
  expect(streamed.entryOfLive(0).host).not.toBe(host)
})

test('discarded text leaves no element', () => {
  const streamed = new StreamedTexts()
  streamed.settle([], true)
  streamed.entryOfLive(0).host
  streamed.settle([], false)
  expect(streamed.entries()).toEqual([])
})

test('only the last few elements are kept', () => {
  const streamed = new StreamedTexts()
  const rows: TranscriptRow[] = []
  for (let seq = 0; seq < 20; seq++) {
    streamed.entryOfLive(0).host
    rows.push(text(seq))
    streamed.settle(rows, true)
  }
  expect(streamed.entries().length).toBe(6)
  expect(streamed.entryOfRow('0:0')).toBeNull()
  expect(streamed.entryOfRow('19:0')).not.toBeNull()
})

test('a very long text gets a row of its own kind, others are remembered as streamed', () => {
  const streamed = new StreamedTexts()
  streamed.settle([], true)
  streamed.entryOfLive(0)
  streamed.settle([{ kind: 'text', key: '1:0', seq: 1, at: 0, text: 'x'.repeat(40_000) }], false)
  expect(streamed.entryOfRow('1:0')).toBeNull()
  expect(streamed.hasStreamed('1:0')).toBe(false)
  streamed.entryOfLive(0)
  streamed.settle([text(1), text(2)], false)
  expect(streamed.hasStreamed('2:0')).toBe(true)
})
