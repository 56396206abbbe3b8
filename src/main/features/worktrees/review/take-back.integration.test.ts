import { chmod, lstat, readFile, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DiffPart } from '../../../../shared/worktrees/review.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
let location: WorktreeLocation

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const key = () => ({ folder: repository.folder, id: location.id })
const changes = async () => value(await repository.review.changes(key()))
const paths = async () => (await changes()).files.map(({ path }) => path)
async function takeBack(path: string, part: DiffPart | null = null) {
  const { version } = await changes()
  return repository.review.takeBack(key(), { path, version, part })
}
const text = (path: string) => readFile(join(location.path, path), 'utf8')

describe('a whole file', () => {
  test.each<[string, string, string[]]>([
    ['a changed file', 'a.txt', ['a.txt']],
    ['an added file', 'folder/added.txt', ['folder/added.txt']],
    ['a deleted file', 'b.txt', ['b.txt']],
    ['a renamed file', 'renamed.txt', ['renamed.txt']],
    ['a mode', 'mode.sh', ['mode.sh']],
    ['a link', 'link', ['link']],
    ['an uncommitted file', 'late.txt', ['late.txt']],
  ])('%s is as it was before the work; the rest stays, and an undo restores all', async (_, path, gone) => {
    await repository.commit({ 'old.txt': lines('old', 20), 'mode.sh': 'echo\n', link: 'a file\n' })
    location = await repository.begin('fixer')
    const at = (name: string) => join(location.path, name)
    await rename(at('old.txt'), at('renamed.txt'))
    await chmod(at('mode.sh'), 0o755)
    await repository.write(location.path, {
      'a.txt': lines('a', 12, { 3: 'changed' }),
      'folder/added.txt': 'added\n',
      'b.txt': null,
      link: null,
    })
    await symlink('a.txt', at('link'))
    value(await repository.worktrees.save(location, { task: 'Task', ended: 'completed' }))
    await repository.worktrees.release(location)
    await repository.write(location.path, { 'late.txt': 'late\n' })
    const before = await paths()
    value(await takeBack(path))
    expect(await paths()).toEqual(before.filter((one) => !gone.includes(one)))
    expect(await repository.run(location.path, 'status', '--porcelain')).toBe('')
    expect((await repository.listed(location.id)).takenBack).toMatchObject({ what: path })
    if (path === 'renamed.txt') expect(await text('old.txt')).toBe(lines('old', 20))
    if (path === 'link') expect((await lstat(at('link'))).isSymbolicLink()).toBe(false)
    value(await repository.review.undoTakeBack(key()))
    expect(await paths()).toEqual(before)
    expect((await repository.listed(location.id)).takenBack).toBeNull()
  })

  test('that a folder replaced is refused until the files in the folder are taken back', async () => {
    await repository.commit({ fd: 'a file\n' })
    location = await repository.begin('fixer')
    await repository.write(location.path, { fd: null })
    await repository.write(location.path, { 'fd/in.txt': 'in\n' })
    value(await repository.worktrees.save(location, { task: 'Task', ended: 'completed' }))
    await repository.worktrees.release(location)
    expect(await takeBack('fd')).toMatchObject({
      failure: { type: 'would-overwrite', message: expect.stringContaining('fd/in.txt') },
    })
    value(await takeBack('fd/in.txt'))
    value(await takeBack('fd'))
    expect(await text('fd')).toBe('a file\n')
  })
})

describe('a part of a file', () => {
  test('is as it was before the work, byte for byte; other parts stay', async () => {
    const before = Buffer.from('one\r\ntwo\r\nthr\xe9\r\nfour\r\nfive', 'latin1')
    const after = Buffer.from('ONE\r\ntwo\r\nTHR\xc9\r\nnew\r\nfour\r\nFIVE\n', 'latin1')
    await repository.commit({ 'text.txt': before })
    location = await repository.work('fixer', [{ 'text.txt': after }])
    const bytes = () => readFile(join(location.path, 'text.txt'), 'latin1')
    value(await takeBack('text.txt', { before: 2, beforeCount: 1, after: 2, afterCount: 2 }))
    expect(await bytes()).toBe('ONE\r\ntwo\r\nthr\xe9\r\nfour\r\nFIVE\n')
    value(await takeBack('text.txt', { before: 4, beforeCount: 1, after: 4, afterCount: 1 }))
    expect(await bytes()).toBe('ONE\r\ntwo\r\nthr\xe9\r\nfour\r\nfive')
    value(await takeBack('text.txt', { before: 0, beforeCount: 1, after: 0, afterCount: 1 }))
    expect(await readFile(join(location.path, 'text.txt'))).toEqual(before)
    for (let undone = 0; undone < 3; undone++) value(await repository.review.undoTakeBack(key()))
    expect(await readFile(join(location.path, 'text.txt'))).toEqual(after)
    expect(await repository.review.undoTakeBack(key())).toMatchObject({ failure: { type: 'nothing' } })
  })

  test('that does not exist is refused', async () => {
    location = await repository.work('fixer', [{ 'a.txt': 'one\n', 'new.txt': 'new\n' }])
    const part = { before: 0, beforeCount: 0, after: 0, afterCount: 2 }
    expect(await takeBack('a.txt', part)).toMatchObject({ failure: { type: 'not-there' } })
    expect(await takeBack('new.txt', part)).toMatchObject({ failure: { type: 'nothing' } })
    expect(await takeBack('b.txt')).toMatchObject({ failure: { type: 'not-there' } })
    expect(await takeBack('../a.txt')).toMatchObject({ failure: { type: 'not-there' } })
  })
})

test('nothing is taken back from work that changed since, or while its agent works', async () => {
  location = await repository.work('fixer', [{ 'a.txt': 'one\n' }])
  const { version } = await changes()
  await repository.write(location.path, { 'a.txt': 'by hand\n' })
  expect(await repository.review.takeBack(key(), { path: 'a.txt', version, part: null })).toMatchObject({
    failure: { type: 'moved' },
  })
  expect(await text('a.txt')).toBe('by hand\n')
  location = await repository.begin('working')
  await repository.write(location.path, { 'a.txt': 'two\n' })
  expect(await takeBack('a.txt')).toMatchObject({ failure: { type: 'in-use' } })
  expect(await repository.review.undoTakeBack(key())).toMatchObject({ failure: { type: 'nothing' } })
})

test('after a newer commit a taken-back file is not restored, and the reason is said', async () => {
  location = await repository.work('fixer', [{ 'a.txt': 'one\n' }])
  value(await takeBack('a.txt'))
  await repository.run(location.path, 'commit', '--allow-empty', '-qm', 'By hand')
  expect((await repository.listed(location.id)).takenBack).toBeNull()
  expect(await repository.review.undoTakeBack(key())).toMatchObject({
    failure: { type: 'moved', message: expect.stringContaining('newer commits') },
  })
})
