import { expect, test } from 'vitest'
import type { ReviewComment } from '../../../../shared/worktrees/review.ts'
import { commentText, resolveText } from './review-handlers.ts'

const work = { branch: 'troupe/writer-a91e42', path: '/data/worktrees/repo/writer-a91e42', target: 'main' }
const comment = (more: Partial<ReviewComment> = {}): ReviewComment => ({
  path: 'src/a.ts',
  line: 12,
  lastLine: null,
  side: 'after',
  quote: 'const a = 1',
  text: 'Why 1?',
  ...more,
})

test('comments form one message with location, quoted lines and text', () => {
  const text = commentText(
    work,
    [
      comment(),
      comment({ lastLine: 14, side: 'before', quote: 'one\n\ntwo\n', text: 'Keep these.' }),
      comment({ path: 'b.md', quote: '', text: 'No.' }),
    ],
    ' Nearly there. ',
  )
  expect(text).toContain('branch troupe/writer-a91e42 in the review and left 3 comments')
  expect(text).toContain('\n\nNearly there.\n\n')
  expect(text).toContain('1. src/a.ts:12\n> const a = 1\nWhy 1?\n')
  expect(text).toContain('2. src/a.ts:12-14 (as it was before your change)\n> one\n> \n> two\nKeep these.\n')
  expect(text).toContain('3. b.md:12\nNo.\n')
  expect(text).toContain('in your worktree (/data/worktrees/repo/writer-a91e42)')
  expect(text).toContain('the heading "### Comment 1" to "### Comment 3"')
})

test('a quote shorter than its lines is said to be cut', () => {
  const cut = commentText(work, [comment({ line: 1, lastLine: 900, quote: 'one\ntwo' })], '')
  expect(cut).toContain(
    '1. src/a.ts:1-900\n> one\n> two\n(The quote is cut. The comment is about all of the lines.)\nWhy 1?',
  )
  expect(commentText(work, [comment({ line: 1, lastLine: 2, quote: 'one\ntwo' })], '')).not.toContain('cut')
})

test('text without comments is a message, too', () => {
  const text = commentText(work, [], 'Please add a test.')
  expect(text).toContain('Please add a test.')
  expect(text).not.toContain('comments on them')
  expect(text).not.toContain('0 comments')
})

test('the request to resolve names files, sides and the last step', () => {
  const text = resolveText(work, { into: 'main', files: ['src/a.ts', 'b c.md'] })
  for (const phrase of [
    'merge your branch troupe/writer-a91e42 into main',
    '- src/a.ts\n- b c.md\n',
    '"<<<<<<<" and "======="',
    'git commit, on your own branch',
    'Do not touch main itself',
  ])
    expect(text).toContain(phrase)
  const rest = resolveText(work, { into: 'main', files: [] })
  expect(rest).toContain('its conflicts are resolved')
  expect(rest).not.toContain('<<<<<<<')
})
