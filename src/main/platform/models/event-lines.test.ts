import { expect, test } from 'vitest'
import { EventLines } from './event-lines.ts'

const stream =
  'event: a\r\ndata: {"t":"größer 🎭"}\r\n\r\n: comment\n\ndata: one\ndata:two\nid: 7\n\ndata: cut off'

function dataOf(text: string, chunkSize: number): string[] {
  const bytes = new TextEncoder().encode(text)
  const found: string[] = []
  const lines = new EventLines((data) => found.push(data))
  for (let at = 0; at < bytes.length; at += chunkSize) lines.push(bytes.subarray(at, at + chunkSize))
  lines.end()
  return found
}

test.each([1, 2, 3, 7, 1000])('in chunks of %i bytes the events are the same', (size) => {
  expect(dataOf(stream, size)).toEqual(['{"t":"größer 🎭"}', 'one\ntwo'])
})

test('one line of 10 MB in small chunks has linear cost', () => {
  const costOf = (megabytes: number) => {
    const line = `data: ${'x'.repeat(megabytes * 1_000_000)}\n\n`
    const startedAt = process.cpuUsage()
    expect(dataOf(line, 4096)[0]).toHaveLength(megabytes * 1_000_000)
    return process.cpuUsage(startedAt).user
  }
  // The minimum of five runs: other work, such as garbage collection, only adds time.
  const [one, ten] = [1, 10].map((megabytes) =>
    Math.min(...Array.from({ length: 5 }, () => costOf(megabytes))),
  )
  // At quadratic cost, ten times the length would take a hundred times as long.
  expect(ten!).toBeLessThan(40 * Math.max(one!, 2000))
})
