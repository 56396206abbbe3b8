import { expect, test } from 'vitest'
import { limitMessages, TOO_LARGE } from './message-limit.ts'

/** What is left of the text, which arrives in pieces of this many bytes. */
async function limited(text: string, pieceLength: number, limit: number) {
  let lost = 0
  const bytes = new TextEncoder().encode(text)
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceLength)
        controller.enqueue(bytes.slice(at, at + pieceLength))
      controller.close()
    },
  })
  const output = await new Response(input.pipeThrough(limitMessages(() => lost++, limit))).text()
  return { output, lost }
}

const request = (id: unknown, text: string) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/prompt', params: { id: 'other', text } })}\n`
const answer = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"${TOO_LARGE}"}\n`

test.each([1, 7, 64, 10_000])('only what is too large is replaced, in pieces of %i bytes', async (pieces) => {
  const [small, large] = [request(1, 'a ä'), request(2, 'x'.repeat(500))]
  const { output, lost } = await limited(`${small}${large}${small}`, pieces, 200)
  expect(output).toBe(`${small}${answer(2)}${small}`)
  expect(lost).toBe(0)
})

test('ids that are text are kept, and a message without one is told', async () => {
  const noId = `${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { id: 3, text: 'x'.repeat(500) } })}\n`
  const { output, lost } = await limited(`${request('a"b', 'x'.repeat(500))}${noId}`, 50, 200)
  expect(output).toBe(answer('a"b'))
  expect(lost).toBe(1)
})

test('a message at the limit passes, and one without a line end is passed on', async () => {
  const text = request(1, 'abc')
  expect((await limited(text, 5, text.length)).output).toBe(text)
  expect((await limited(text, 5, text.length - 1)).output).toBe(answer(1))
  expect((await limited('{"a":', 2, 100)).output).toBe('{"a":')
})
