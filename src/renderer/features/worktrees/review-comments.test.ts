import { beforeEach, expect, test } from 'vitest'
import { EMPTY_DRAFT, restoreDraft, useDrafts } from '../../stores/draft-store.ts'
import { beginComment, changeReviewDraft, finishComment, reviewDraftOf } from './review-comments.ts'

const KEY = '/work/shop:one'
const anchor = (line: number) => ({ path: 'a.ts', side: 'after' as const, line, lastLine: null, quote: 'x' })
function comment(line: number, text: string): void {
  beginComment(KEY, anchor(line))
  const { editing } = reviewDraftOf(KEY)
  if (editing !== null) changeReviewDraft(KEY, { editing: { ...editing, text } })
  finishComment(KEY)
}
const texts = () => reviewDraftOf(KEY).comments.map(({ key, text }) => [key, text])

beforeEach(() => {
  localStorage.clear()
  useDrafts.setState({ drafts: {} })
})

test('what was written before the stored comments were loaded stands beside them', () => {
  comment(1, 'first')
  const text = useDrafts.getState().drafts[`review:${KEY}`]?.text ?? ''
  useDrafts.setState({ drafts: {} })
  comment(2, 'early')
  restoreDraft(`review:${KEY}`, { ...EMPTY_DRAFT, text })
  expect(texts()).toEqual([
    ['1', 'first'],
    ['2', 'early'],
  ])
  comment(3, 'later')
  expect(texts().map(([, words]) => words)).toEqual(['first', 'early', 'later'])
})

test('comments that an earlier version kept are read, and move with the next change', () => {
  const old = { comments: [{ ...anchor(4), key: '1', text: 'old one' }], editing: null, words: 'All in all' }
  localStorage.setItem(`review-draft:${KEY}`, JSON.stringify(old))
  expect(reviewDraftOf(KEY)).toMatchObject({ comments: [{ text: 'old one' }], message: 'All in all' })
  comment(5, 'new one')
  expect(texts().map(([, words]) => words)).toEqual(['old one', 'new one'])
  expect(localStorage.length).toBe(0)
})

test('a broken line costs only itself, and the same object is returned until a change', () => {
  comment(1, 'whole')
  const text = useDrafts.getState().drafts[`review:${KEY}`]?.text ?? ''
  useDrafts.setState({ drafts: {} })
  restoreDraft(`review:${KEY}`, { ...EMPTY_DRAFT, text: `{"comments":[{\n${text}` })
  expect(texts()).toEqual([['1', 'whole']])
  expect(reviewDraftOf(KEY)).toBe(reviewDraftOf(KEY))
})
