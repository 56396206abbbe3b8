import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MergeMethod } from '../../../../shared/review.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const merge = (id: string, method: MergeMethod, more: { into?: string | null; commits?: string[] } = {}) =>
  repository.review.merge({ folder: repository.folder, id }, { into: null, ...more, method })

const text = (path: string) => readFile(join(repository.folder, path), 'utf8')

describe('histories', () => {
  test('a merge makes a merge commit, also where it could be moved along', async () => {
    const place = await repository.work('mender', [
      { 'a.txt': lines('a', 12, { 2: 'mended' }) },
      { 'new.txt': 'n\n' },
    ])
    const merged = value(await merge(place.id, 'merge'))
    expect(merged).toMatchObject({ into: 'main', commits: 2, files: 2 })
    expect(await repository.run(repository.folder, 'rev-parse', 'main')).toBe(merged.commit)
    expect(await repository.graph('main')).toMatchInlineSnapshot(`
      "*   Merge the work of mender: Task of mender
      |\\  
      | * mender 2
      | * mender 1
      |/  
      * Begin"
    `)
    expect(await text('a.txt')).toBe(lines('a', 12, { 2: 'mended' }))
    expect(await repository.run(repository.folder, 'status', '--porcelain')).toBe('')
    expect(
      await repository.run(repository.folder, 'log', '-1', '--format=%B', 'main'),
    ).toMatchInlineSnapshot(`
      "Merge the work of mender: Task of mender

      Agent task: Task of mender
      Agent: mender
      Branch: troupe/mender-mender"
    `)
    expect(await repository.listed(place.id)).toMatchObject({
      state: 'merged',
      check: { kind: 'nothing' },
      merged: { into: 'main', method: 'merge', commit: merged.commit },
    })
  })
})
