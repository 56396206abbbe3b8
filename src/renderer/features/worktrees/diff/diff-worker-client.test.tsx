import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { diffLines } from './diff-lines.ts'
import type { CompareAnswer, CompareRequest } from './diff-protocol.ts'
import { useFileDiff } from './diff-worker-client.ts'

const sent: CompareRequest[] = []

class ComparingWorker {
  onmessage: (event: { readonly data: CompareAnswer }) => void = () => {}

  postMessage(request: CompareRequest): void {
    sent.push(request)
    queueMicrotask(() => this.onmessage({ data: answerTo(request) }))
  }
}

const answerTo = ({ id, before, after, ignoreWhitespace }: CompareRequest): CompareAnswer => ({
  ...{ id, kind: 'compare' },
  blocks: diffLines(before, after, ignoreWhitespace),
})

const linesOf = (word: string) => Array.from({ length: 300 }, (_, at) => `${word} ${at}`).join('\n')

afterEach(() => vi.unstubAllGlobals())

test('a worker compares one large file after the other', async () => {
  vi.stubGlobal('Worker', ComparingWorker)
  const before = linesOf('old')
  const { result, rerender } = renderHook(({ after }) => useFileDiff({ before, after }, false), {
    initialProps: { after: linesOf('first') },
  })
  await act(async () => {})
  expect(result.current?.after[0]).toBe('first 0')
  for (const word of ['second', 'third']) {
    rerender({ after: linesOf(word) })
    await act(async () => {})
    expect(result.current?.after[0]).toBe(`${word} 0`)
  }
  expect(sent.map(({ after }) => after[0])).toEqual(['first 0', 'second 0', 'third 0'])
})
