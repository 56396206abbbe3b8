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

test('one line of 10 MB in small chunks costs its length, not its square', () => {
  const sizes = [1, 10].map((megabytes) => {
    const line = `data: ${'x'.repeat(megabytes * 1_000_000)}\n\n`
    const startedAt = process.cpuUsage()
    expect(dataOf(line, 4096)[0]).toHaveLength(megabytes * 1_000_000)
    return process.cpuUsage(startedAt).user
  })
  // Ten times the length: a hundred times the work if it were quadratic.
  expect(sizes[1]!).toBeLessThan(40 * Math.max(sizes[0]!, 2000))
})
