import { expect, test } from 'vitest'
import { answersIn } from './sent-comments.ts'

test('each heading begins the answer to its comment', () => {
  const text = [
    'I went through all of them.',
    '',
    '### Comment 1',
    'Renamed.',
    '',
    '- in `a.ts`',
    '### Comment 2: the key',
    'It stays, because:',
    '```md',
    '### Comment 3',
    '```',
    '## What else changed',
    'Nothing.',
  ].join('\n')
  expect(answersIn(text, 2)).toEqual([
    'Renamed.\n\n- in `a.ts`',
    'the key\nIt stays, because:\n```md\n### Comment 3\n```',
  ])
})

test('a comment without a heading has no answer of its own', () => {
  expect(answersIn('### Comment 2\nDone.', 3)).toEqual([null, 'Done.', null])
  expect(answersIn('### Comment 1\n\n### Comment 2\nDone.', 2)).toEqual([null, 'Done.'])
  expect(answersIn('### Comment 7\nDone.', 2)).toEqual([null, null])
})

test('the whole text answers a single comment', () => {
  expect(answersIn(' Two is the limit.\n', 1)).toEqual(['Two is the limit.'])
  expect(answersIn('Changed.\n\n### Comment 1\nTwo is the limit.', 1)).toEqual(['Two is the limit.'])
})

test('a numbered list counts where it covers every comment', () => {
  expect(answersIn('1. Renamed.\n2. Kept:\n   it is used.\n**3.** Gone.', 3)).toEqual([
    'Renamed.',
    'Kept:\n   it is used.',
    'Gone.',
  ])
  expect(answersIn('1. First I read it.\n\nThen I changed it.', 2)).toEqual([null, null])
})

test('no comments have no answers', () => {
  expect(answersIn('Done.', 0)).toEqual([])
})
