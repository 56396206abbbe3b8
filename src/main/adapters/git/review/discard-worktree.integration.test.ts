import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorktreePlace } from '../../../../shared/worktree.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const keyOf = ({ id }: WorktreePlace) => ({ folder: repository.folder, id })
const main = (...args: string[]) => repository.run(repository.folder, ...args)
const branches = async () => (await main('for-each-ref', '--format=%(refname)')).split('\n')
const folders = async (place: WorktreePlace) =>
  (await readdir(dirname(place.path))).filter((name) => !name.endsWith('.json'))
/** Without what git only remembers of the files' times. */
const stateOf = async (folder: string) => ({ ...(await repository.state(folder)), index: '' })

async function changeRecord(place: WorktreePlace, change: (record: WorktreeRecord) => object) {
  const path = `${place.path}.json`
  const record = JSON.parse(await readFile(path, 'utf8')) as WorktreeRecord
  await repository.write(dirname(path), {
    [`${place.id}.json`]: JSON.stringify({ ...record, ...change(record) }),
  })
}
const DEAD = { pid: 999_999_999, start: 'long.ago' }

test('what is not merged goes only by its typed name, and comes back whole: commits, and what was not committed', async () => {
  await repository.commit({ '.gitignore': '.env\n', '.worktreeinclude': '.env\nlocal.cfg\n' })
  await repository.write(repository.folder, { '.env': 'SECRET=1\n', 'local.cfg': 'mine\n' })
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.write(place.path, {
    'b.txt': 'not committed\n',
    'new.txt': 'n\n',
    'docs/read me.md': null,
  })
  const before = await stateOf(place.path)
  const users = await repository.state(repository.folder)
  const tip = await main('rev-parse', place.branch)

  for (const typed of [null, '', place.id, `${place.branch} `]) {
    const refused = await repository.review.discard(keyOf(place), typed)
    expect(refused).toMatchObject({ failure: { type: 'confirm' } })
    if (!refused.ok)
      expect(refused.failure.message).toMatch(/uncommitted.*A commit.*not merged.*type.*troupe\//)
  }
  expect(await stateOf(place.path)).toEqual(before)

  value(await repository.review.discard(keyOf(place), place.branch))
  expect(await branches()).toEqual(['refs/heads/main', `refs/troupe/trash/${place.id}`])
  expect(await folders(place)).toEqual([`${place.id}.exclude`])
  const kept = await main('ls-tree', '-r', '--name-only', `refs/troupe/trash/${place.id}`)
  expect(kept).toContain('new.txt')
  expect(kept).not.toMatch(/\.env|local\.cfg/)
  const snapshot = await repository.review.list(repository.folder, { thorough: true })
  expect(snapshot.worktrees).toEqual([])
  expect(snapshot.discarded).toMatchObject([{ id: place.id, branch: place.branch, agentName: 'mender' }])
  expect(await repository.review.changes(keyOf(place))).toMatchObject({ failure: { type: 'discarded' } })

  // This process still runs, so it can be brought back.
  await repository.review.tidy(repository.folder)
  value(await repository.review.undoDiscard(keyOf(place)))
  expect(await stateOf(place.path)).toEqual(before)
  expect(await readFile(join(place.path, '.env'), 'utf8')).toBe('SECRET=1\n')
  expect(await main('rev-parse', place.branch)).toBe(tip)
  expect(await branches()).toEqual(['refs/heads/main', `refs/heads/${place.branch}`])
  expect(await repository.listed(place.id)).toMatchObject({ state: 'ready', uncommitted: 3, commits: 1 })
  expect(await repository.state(repository.folder)).toEqual(users)
  expect(await repository.review.undoDiscard(keyOf(place))).toMatchObject({ failure: { type: 'not-there' } })
  expect(repository.problems).toEqual([])
})

test('at the next start it is gone for good; nothing of others is', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  const other = await repository.work('other', [{ 'a.txt': 'other\n' }])
  value(await repository.review.discard(keyOf(place), place.branch))
  await changeRecord(place, ({ discarded }) => ({ discarded: { ...discarded, by: DEAD } }))
  await repository.review.tidy(repository.folder)
  expect(await branches()).toEqual(['refs/heads/main', `refs/heads/${other.branch}`])
  expect(await repository.review.undoDiscard(keyOf(place))).toMatchObject({ failure: { type: 'not-there' } })
  expect((await repository.review.list(repository.folder, { thorough: false })).discarded).toEqual([])
  expect(await repository.listed(other.id)).toMatchObject({ state: 'ready' })
})

test('cut off half way: a discard that took nothing yet is none, an undo goes on', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  await repository.write(place.path, { 'late.txt': 'late\n' })
  const before = await stateOf(place.path)
  const tip = await main('rev-parse', place.branch)
  await main('update-ref', `refs/troupe/trash/${place.id}`, tip)
  await changeRecord(place, () => ({
    state: 'discarded',
    head: tip,
    discarded: { at: 1, by: DEAD, head: tip },
  }))
  await repository.review.tidy(repository.folder)
  expect(await branches()).toEqual(['refs/heads/main', `refs/heads/${place.branch}`])
  expect(await stateOf(place.path)).toEqual(before)
  expect((await repository.listed(place.id)).state).toBe('ready')

  value(await repository.review.discard(keyOf(place), place.branch))
  await changeRecord(place, ({ discarded }) => ({ discarded: { ...discarded, by: DEAD, undoing: true } }))
  await repository.write(place.path, { 'a.txt': 'half of a folder' })
  await repository.review.tidy(repository.folder)
  expect(await stateOf(place.path)).toEqual(before)
})

test('one in use, or locked by a person, stays whatever is typed', async () => {
  const running = await repository.begin('runner')
  expect(await repository.review.discard(keyOf(running), running.branch)).toMatchObject({
    failure: { type: 'in-use' },
  })
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  await main('worktree', 'lock', place.path)
  expect(await repository.review.discard(keyOf(place), place.branch)).toMatchObject({
    failure: { type: 'in-use' },
  })
  expect(await branches()).toHaveLength(3)
})

test('a folder that lost its tie to the repository, or its branch, goes by its typed name and comes back', async () => {
  for (const id of ['untied', 'branchless']) {
    const place = await repository.work(id, [{ [`${id}.txt`]: 'agent\n' }])
    await repository.write(place.path, { 'late.txt': 'late\n' })
    if (id === 'untied') await repository.write(place.path, { '.git': 'gitdir: /nowhere\n' })
    else await main('update-ref', '-d', `refs/heads/${place.branch}`)
    expect((await repository.listed(place.id)).problem).not.toBeNull()
    expect(await repository.review.discard(keyOf(place), null)).toMatchObject({
      failure: { type: 'confirm' },
    })
    value(await repository.review.discard(keyOf(place), place.branch))
    value(await repository.review.undoDiscard(keyOf(place)))
    expect(await repository.listed(place.id)).toMatchObject({ problem: null, commits: 1, uncommitted: 1 })
    expect(await readFile(join(place.path, 'late.txt'), 'utf8')).toBe('late\n')
  }
})

test('commits that were made beside its branch are kept through discard and undo', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  await repository.run(place.path, 'checkout', '-q', '--detach', 'main')
  await repository.write(place.path, { 'stray.txt': 'stray\n' })
  await repository.run(place.path, 'add', '-A')
  await repository.run(place.path, 'commit', '-qm', 'Stray')
  const stray = await repository.run(place.path, 'rev-parse', 'HEAD')
  value(await repository.review.discard(keyOf(place), place.branch))
  value(await repository.review.undoDiscard(keyOf(place)))
  expect(await main('show', `${place.branch}:a.txt`)).toBe('agent')
  expect(await main('for-each-ref', '--contains', stray, '--format=%(refname)')).toContain('refs/troupe/kept')
  expect((await repository.listed(place.id)).notes.join()).toContain(`refs/troupe/kept/${place.id}`)
})

test('what was taken back stays for 30 days after the discard, whoever’s worktree it was', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  const kept = [`${place.id}-2`, place.id].map((id) => `refs/troupe/kept/${id}.0123456789ab`)
  for (const ref of kept) await main('update-ref', ref, 'main')
  value(await repository.review.discard(keyOf(place), place.branch))
  const after = async (days: number) => {
    const at = 1_700_000_000_000 - days * 24 * 60 * 60 * 1000
    await changeRecord(place, ({ discarded }) => ({ discarded: { ...discarded, at, by: DEAD } }))
    await repository.review.tidy(repository.folder)
    return branches()
  }
  expect(await after(29)).toEqual(['refs/heads/main', ...kept])
  expect(await after(31)).toEqual(['refs/heads/main', kept[0]])
})

test('a repository within it, and submodules that were fetched, are asked about even where all is merged', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  value(await repository.review.merge(keyOf(place), { method: 'merge', into: null }))
  await repository.run(place.path, 'init', '-q', 'inner')
  await repository.run(join(place.path, 'inner'), 'commit', '-q', '--allow-empty', '-m', 'x')
  const refused = await repository.review.discard(keyOf(place), null)
  expect(refused).toMatchObject({ failure: { type: 'confirm', message: expect.stringContaining('inner') } })

  const other = await repository.work('other', [{ 'b.txt': 'agent\n' }])
  value(await repository.review.merge(keyOf(other), { method: 'merge', into: null }))
  await repository.write(join(repository.folder, '.git/worktrees', other.id, 'modules/inner'), { HEAD: 'x' })
  expect(await repository.review.discard(keyOf(other), null)).toMatchObject({
    failure: { type: 'confirm', message: expect.stringContaining('ubmodules') },
  })
})

test('all that are merged go at once, and can be brought back; others stay, and why is said', async () => {
  const merged = await repository.work('one', [{ 'a.txt': 'one\n' }])
  const squashed = await repository.work('two', [{ 'b.txt': 'two\n' }])
  const waiting = await repository.work('three', [{ 'c.txt': 'three\n' }])
  const late = await repository.work('four', [{ 'd.txt': 'four\n' }])
  const running = await repository.begin('five')
  for (const place of [merged, late])
    value(await repository.review.merge(keyOf(place), { method: 'merge', into: null }))
  value(await repository.review.merge(keyOf(squashed), { method: 'squash', into: null }))
  await repository.write(late.path, { 'late.txt': 'late\n' })
  const { removed, kept } = value(await repository.review.removeMerged(repository.folder))
  expect(removed).toEqual([merged.id, squashed.id])
  expect(kept).toEqual([
    { id: waiting.id, because: `A commit on ${waiting.branch} is not merged into main` },
    { id: late.id, because: `${late.id} has uncommitted changes in a file` },
    { id: running.id, because: 'five still works in it' },
  ])
  expect((await folders(merged)).sort()).toEqual([late.id, running.id, waiting.id].sort())
  value(await repository.review.undoDiscard(keyOf(squashed)))
  expect((await repository.listed(squashed.id)).state).toBe('merged')
})
