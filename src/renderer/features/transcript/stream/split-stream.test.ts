import { expect, test } from 'vitest'
import { StreamSplitter } from './split-stream.ts'

/** Feeds a text piece by piece. Returns the last split and every finished block. */
function stream(text: string, step = 3) {
  const splitter = new StreamSplitter()
  let split = splitter.read('')
  const seen: string[] = []
  for (let end = 0; end < text.length; end += step) {
    split = splitter.read(text.slice(0, end + step))
    // A finished block must never change afterwards.
    seen.forEach((block, index) => {
      expect(split.finished[index]).toBe(block)
    })
    seen.splice(0, seen.length, ...split.finished)
  }
  return split
}

const MESSAGE = `# Plan

Some words that go on
over two lines.

- one
- two

  still two

| a | b |
|---|---|
| 1 | 2 |

\`\`\`ts
const a = 1

const b = 2
\`\`\`

The end`

test('the joined blocks are the text, and only the last block grows', () => {
  const split = stream(MESSAGE)
  expect(split.finished.join('') + (split.growing.kind === 'markdown' ? split.growing.text : '')).toBe(
    MESSAGE,
  )
  expect(split.growing).toEqual({ kind: 'markdown', text: 'The end' })
  expect(split.finished).toHaveLength(5)
})

test('a list stays whole while it may continue', () => {
  expect(stream('words\n\n- one\n- two\n\n  more of two').growing).toEqual({
    kind: 'markdown',
    text: '- one\n- two\n\n  more of two',
  })
})

test('open code is a code block with its language; closed code is markdown', () => {
  const open = stream('Look:\n\n```python\nimport os\n\nprint(')
  expect(open.finished).toEqual(['Look:\n\n'])
  expect(open.growing).toEqual({ kind: 'code', language: 'python', code: 'import os\n\nprint(' })
  expect(stream('```\na\n```').growing.kind).toBe('markdown')
  expect(stream('````md\n```\nx\n```\n').growing.kind).toBe('code')
})

test('a long list is cut between its items', () => {
  const items = Array.from({ length: 80 }, (_, index) => `- item ${index} with a few words more`)
  const split = stream(items.join('\n'), 40)
  expect(split.growing.kind === 'markdown' && split.growing.text.length).toBeLessThan(1600)
  expect(split.finished.join('')).toMatch(/^- item 0/)
})

test('another text is read from its start', () => {
  const splitter = new StreamSplitter()
  splitter.read('one\n\ntwo\n\nthree')
  expect(splitter.read('a new message')).toEqual({
    finished: [],
    growing: { kind: 'markdown', text: 'a new message' },
  })
})
