/** Parts of a worktree's changes: one commit, and everything since comments were sent. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { ReviewComment, ReviewRange } from '../../../../shared/worktrees/review.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
let location: WorktreeLocation

beforeEach(async () => {
  repository = await createReviewRepository()
  location = await repository.work('fixer', [
    { 'a.txt': lines('a', 12, { 2: 'first' }) },
    { 'a.txt': lines('a', 12, { 2: 'first', 9: 'second' }), 'new.txt': 'new\n' },
  ])
})
afterEach(() => repository.remove())

const key = () => ({ folder: repository.folder, id: location.id })
const changes = async (range: ReviewRange | null = null) =>
  value(await repository.review.changes(key(), range))
const file = async (path: string, range: ReviewRange | null) =>
  value(await repository.review.file(key(), path, range))
const paths = async (range: ReviewRange | null) => (await changes(range)).files.map(({ path }) => path)
const comment: ReviewComment = {
  path: 'a.txt',
  line: 2,
  lastLine: null,
  side: 'after',
  quote: 'first',
  text: 'Why?',
}
const send = (comments: readonly ReviewComment[] = [comment], message = 'Please.') =>
  repository.review.comment(key(), { comments, message }, async () => ok({ messageId: 'm-1' }))
const inAgent = (...args: string[]) => repository.run(location.path, ...args)

test('each commit is shown by itself, and the list of commits stays', async () => {
  const all = await changes()
  const [second, first] = all.commits
  const range = (commit = '') => ({ kind: 'commit' as const, commit })
  expect(await paths(range(first?.sha))).toEqual(['a.txt'])
  expect(await paths(range(second?.sha))).toEqual(['a.txt', 'new.txt'])
  const shown = await changes(range(second?.sha))
  expect(shown.commits).toEqual(all.commits)
  expect(shown.version).not.toBe(all.version)
  expect(shown.files[0]).toMatchObject({ insertions: 1, deletions: 1 })
  expect(await file('a.txt', range(second?.sha))).toEqual({
    kind: 'text',
    before: lines('a', 12, { 2: 'first' }),
    after: lines('a', 12, { 2: 'first', 9: 'second' }),
  })
  // Uncommitted changes belong to no commit.
  await repository.write(location.path, { 'new.txt': 'by hand\n' })
  expect((await changes(range(second?.sha))).files.every(({ uncommitted }) => !uncommitted)).toBe(true)
  expect(await file('new.txt', range(second?.sha))).toMatchObject({ after: 'new\n' })
})

test('the first commit of a history is compared with nothing; an unknown one is said to be gone', async () => {
  expect(await paths({ kind: 'commit', commit: location.base })).toHaveLength(3)
  const gone = await repository.review.changes(key(), { kind: 'commit', commit: 'f'.repeat(40) })
  expect(gone).toMatchObject({ failure: { type: 'not-there', message: expect.stringContaining('Show all') } })
})

test('after comments only what changed since is shown, uncommitted changes included', async () => {
  await repository.write(location.path, { 'open.txt': 'uncommitted when the comments were sent\n' })
  value(await send())
  const [asked] = (await changes()).asked
  expect(asked).toMatchObject({ comments: [comment], message: 'Please.', changedBy: 'nobody' })
  const since = { kind: 'since' as const, commit: asked?.commit ?? '' }
  expect(await paths(since)).toEqual([])
  await inAgent('add', '-A')
  await inAgent('commit', '-qm', 'What was open')
  expect(await paths(since)).toEqual([])
  await repository.write(location.path, { 'a.txt': lines('a', 12, { 2: 'answer', 9: 'second' }) })
  await inAgent('commit', '-qam', 'Answer')
  await repository.write(location.path, { 'later.txt': 'uncommitted\n' })
  expect(await paths(since)).toEqual(['a.txt', 'later.txt'])
  expect((await changes(since)).files[0]).toMatchObject({ insertions: 1, deletions: 1 })
  expect(await file('a.txt', since)).toEqual({
    kind: 'text',
    before: lines('a', 12, { 2: 'first', 9: 'second' }),
    after: lines('a', 12, { 2: 'answer', 9: 'second' }),
  })
  for (const [byAgents, changedBy] of [
    [['a.txt', 'later.txt'], 'agent'],
    [['a.txt'], 'both'],
    [['other.txt'], 'user'],
    [null, 'agent'],
  ] as const) {
    repository.agentsChanged(byAgents)
    expect((await changes()).asked).toMatchObject([{ changedBy }])
  }
})

test('the work at that time outlives an amended commit and a garbage collection', async () => {
  value(await send())
  await inAgent('commit', '--amend', '-qm', 'Amended')
  await inAgent('reset', '-q', '--hard', 'HEAD~1')
  await repository.run(repository.folder, 'reflog', 'expire', '--expire=now', '--all')
  await repository.run(repository.folder, 'gc', '-q', '--prune=now')
  const [asked] = (await changes()).asked
  expect(await paths({ kind: 'since', commit: asked?.commit ?? '' })).toEqual(['a.txt', 'new.txt'])
})

test('the newest comments come first; comments that were not sent are not kept', async () => {
  value(await send([comment], 'One'))
  await repository.write(location.path, { 'b.txt': 'changed\n' })
  value(await send([], 'Two'))
  const refused = fail({ type: 'locked', message: 'Another Troupe runs it.' })
  expect(await repository.review.comment(key(), { comments: [], message: 'x' }, async () => refused)).toEqual(
    refused,
  )
  const { asked } = await changes()
  expect(asked.map(({ message, changedBy }) => [message, changedBy])).toEqual([
    ['Two', 'nobody'],
    ['One', 'agent'],
  ])
  expect(await paths({ kind: 'since', commit: asked[1]?.commit ?? '' })).toEqual(['b.txt'])
})

test('many long comments do not fill the record: the newest are kept', async () => {
  const long = { ...comment, text: 'x'.repeat(19_000), quote: 'y'.repeat(4000) }
  for (let sent = 1; sent <= 4; sent++)
    value(
      await send(
        Array.from({ length: 5 }, () => long),
        `Message ${sent}`,
      ),
    )
  value(
    await send(
      Array.from({ length: 30 }, () => long),
      'Largest',
    ),
  )
  expect((await changes()).asked.map(({ message }) => message)).toEqual(['Largest'])
  value(await send([comment], 'Last'))
  expect((await changes()).asked.map(({ message }) => message)).toEqual(['Last'])
})

test('only the times of sent comments can be compared with', async () => {
  const other = await repository.review.changes(key(), { kind: 'since', commit: location.base })
  expect(other).toMatchObject({ failure: { type: 'not-there' } })
})
