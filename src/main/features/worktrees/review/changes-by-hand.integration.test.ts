/** Changes of a worktree by hand: they are found, and no command acts on work that the user did not see. */
import { rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
let location: WorktreeLocation

beforeEach(async () => {
  repository = await createReviewRepository()
  location = await repository.work('writer', [{ 'a.txt': lines('a', 12, { 2: 'changed' }) }])
})
afterEach(() => repository.remove())

const key = () => ({ folder: repository.folder, id: location.id })
const merge = (seen: string | null) => repository.review.merge(key(), { method: 'merge', into: null, seen })

describe('the stamp and the version', () => {
  const byHand: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a new file', () => repository.write(location.path, { 'new.txt': 'new\n' })],
    ['a changed file', () => repository.write(location.path, { 'b.txt': 'other\n' })],
    ['a deleted file', () => repository.write(location.path, { 'b.txt': null })],
    ['an empty commit', () => repository.run(location.path, 'commit', '--allow-empty', '-qm', 'Nothing')],
    ['an amended commit', () => repository.run(location.path, 'commit', '--amend', '-qm', 'Other words')],
    ['the deleted folder', () => rm(location.path, { recursive: true })],
  ]
  test.each(byHand)('change with %s', async (name, change) => {
    const before = await repository.review.stamp(repository.folder)
    const { version } = await repository.listed(location.id)
    expect(await repository.review.stamp(repository.folder)).toBe(before)
    await change()
    expect(await repository.review.stamp(repository.folder)).not.toBe(before)
    if (name !== 'the deleted folder')
      expect((await repository.listed(location.id)).version).not.toBe(version)
  })

  test('change with a second edit of one file that leaves every figure as it was', async () => {
    const figures = async () => {
      const { version, ...rest } = await repository.listed(location.id)
      return { version, rest: { ...rest, bytes: null } }
    }
    await repository.write(location.path, { 'b.txt': lines('b', 12, { 4: 'one' }) })
    const [before, first] = [await repository.review.stamp(repository.folder), await figures()]
    await repository.write(location.path, { 'b.txt': lines('b', 12, { 4: 'two' }) })
    // The clock of a coarse file system may not have moved.
    await utimes(join(location.path, 'b.txt'), 1, 1)
    const second = await figures()
    expect(second.rest).toEqual(first.rest)
    expect(second.version).not.toBe(first.version)
    expect(await repository.review.stamp(repository.folder)).not.toBe(before)
  })

  test('an edit of equal size within the second of the last commit is part of the work', async () => {
    const file = join(location.path, 'b.txt')
    await repository.run(location.path, 'config', 'core.trustctime', 'false')
    await utimes(file, 5000, 5000)
    await repository.run(location.path, 'update-index', '--refresh')
    const index = await repository.run(
      location.path,
      'rev-parse',
      '--path-format=absolute',
      '--git-path',
      'index',
    )
    await repository.write(location.path, { 'b.txt': lines('b', 12, { 4: 'b 5' }) })
    await Promise.all([utimes(file, 5000, 5000), utimes(index.trim(), 5000, 5000)])
    expect(await repository.listed(location.id)).toMatchObject({ files: 2, uncommitted: 1 })
  })

  test('the stamp changes when the target gets a commit, another branch is checked out, or a worktree is added', async () => {
    const seen = new Set([await repository.review.stamp(repository.folder)])
    await repository.commit({ 'c.txt': 'c\n' })
    seen.add(await repository.review.stamp(repository.folder))
    await repository.run(repository.folder, 'switch', '-qc', 'dev')
    seen.add(await repository.review.stamp(repository.folder))
    await repository.begin('second')
    seen.add(await repository.review.stamp(repository.folder))
    expect(seen.size).toBe(4)
  })

  test('a stamp reads no worktree that is gone, and says why there is none', async () => {
    expect(await repository.review.stamp(repository.home)).toContain('not in a git repository')
  })
})

describe('a command on work that is not what the user saw', () => {
  test('discards nothing after a further commit, and discards what is shown', async () => {
    const { version } = await repository.listed(location.id)
    await repository.run(location.path, 'commit', '--allow-empty', '-qm', 'By hand')
    const refused = await repository.review.discard(key(), location.branch, version)
    expect(refused).toMatchObject({ ok: false, failure: { type: 'moved' } })
    expect(refused).toMatchObject({
      failure: { message: expect.stringContaining('changed since it was shown') },
    })
    const now = await repository.listed(location.id)
    expect(now.commits).toBe(2)
    value(await repository.review.discard(key(), location.branch, now.version))
  })

  test('discards nothing after an uncommitted change', async () => {
    const { version } = await repository.listed(location.id)
    await repository.write(location.path, { 'new.txt': 'new\n' })
    expect(await repository.review.discard(key(), location.branch, version)).toMatchObject({
      failure: { type: 'moved' },
    })
    expect((await repository.listed(location.id)).uncommitted).toBe(1)
  })

  test('merges nothing', async () => {
    const { version } = await repository.listed(location.id)
    const main = await repository.run(repository.folder, 'rev-parse', 'main')
    await repository.write(location.path, { 'secret.txt': 'by hand\n' })
    expect(await merge(version)).toMatchObject({ failure: { type: 'moved' } })
    expect(await repository.run(repository.folder, 'rev-parse', 'main')).toBe(main)
    expect(await repository.run(location.path, 'status', '--porcelain')).toBe('?? secret.txt')
    value(await merge((await repository.listed(location.id)).version))
  })

  test('removes only the merged worktrees that were shown', async () => {
    value(await merge(null))
    const late = await repository.work('late', [{ 'late.txt': 'late\n' }])
    value(await repository.review.merge({ ...key(), id: late.id }, { method: 'merge', into: null }))
    const removed = value(await repository.review.removeMerged(repository.folder, [location.id]))
    expect(removed).toEqual({ removed: [location.id], kept: [] })
    expect((await repository.listed(late.id)).state).toBe('merged')
  })
})
