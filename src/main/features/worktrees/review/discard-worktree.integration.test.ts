import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

const keyOf = ({ id }: WorktreeLocation) => ({ folder: repository.folder, id })
const main = (...args: string[]) => repository.run(repository.folder, ...args)
const branches = async () => (await main('for-each-ref', '--format=%(refname)')).split('\n')
const folders = async (location: WorktreeLocation) =>
  (await readdir(dirname(location.path))).filter((name) => !name.endsWith('.json'))
/** Without git's cached file times. */
const stateOf = async (folder: string) => ({ ...(await repository.state(folder)), index: '' })

async function changeRecord(location: WorktreeLocation, change: (record: WorktreeRecord) => object) {
  const path = `${location.path}.json`
  const record = JSON.parse(await readFile(path, 'utf8')) as WorktreeRecord
  await repository.write(dirname(path), {
    [`${location.id}.json`]: JSON.stringify({ ...record, ...change(record) }),
  })
}
const DEAD = { pid: 999_999_999, start: 'long.ago' }

test('discarding unmerged work requires its typed name, and undo restores commits and uncommitted changes', async () => {
  await repository.commit({ '.gitignore': '.env\n', '.worktreeinclude': '.env\nlocal.cfg\n' })
  await repository.write(repository.folder, { '.env': 'SECRET=1\n', 'local.cfg': 'mine\n' })
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.write(location.path, {
    'b.txt': 'not committed\n',
    'new.txt': 'n\n',
    'docs/read me.md': null,
  })
  const before = await stateOf(location.path)
  const users = await repository.state(repository.folder)
  const tip = await main('rev-parse', location.branch)

  for (const typed of [null, '', location.id, `${location.branch} `]) {
    const refused = await repository.review.discard(keyOf(location), typed)
    expect(refused).toMatchObject({ failure: { type: 'confirm' } })
    if (!refused.ok)
      expect(refused.failure.message).toMatch(/uncommitted.*1 commit.*not merged.*type.*troupe\//)
  }
  expect(await stateOf(location.path)).toEqual(before)
  expect(repository.discarded).toEqual([])

  value(await repository.review.discard(keyOf(location), location.branch))
  expect(repository.discarded).toEqual(['conversation-1 agent-fixer'])
  expect(await branches()).toEqual(['refs/heads/main', `refs/troupe/trash/${location.id}`])
  expect(await folders(location)).toEqual([`${location.id}.exclude`])
  const kept = await main('ls-tree', '-r', '--name-only', `refs/troupe/trash/${location.id}`)
  expect(kept).toContain('new.txt')
  expect(kept).not.toMatch(/\.env|local\.cfg/)
  const snapshot = await repository.review.list(repository.folder, { thorough: true })
  expect(snapshot.worktrees).toEqual([])
  expect(snapshot.discarded).toMatchObject([{ id: location.id, branch: location.branch, agentName: 'fixer' }])
  expect(await repository.review.changes(keyOf(location))).toMatchObject({ failure: { type: 'discarded' } })

  // This process still runs, so the discard can be undone.
  await repository.review.tidy(repository.folder)
  value(await repository.review.undoDiscard(keyOf(location)))
  expect(await stateOf(location.path)).toEqual(before)
  expect(await readFile(join(location.path, '.env'), 'utf8')).toBe('SECRET=1\n')
  expect(await main('rev-parse', location.branch)).toBe(tip)
  expect(await branches()).toEqual(['refs/heads/main', `refs/heads/${location.branch}`])
  expect(await repository.listed(location.id)).toMatchObject({ state: 'ready', uncommitted: 3, commits: 1 })
  expect(await repository.state(repository.folder)).toEqual(users)
  expect(await repository.review.undoDiscard(keyOf(location))).toMatchObject({
    failure: { type: 'not-there' },
  })
  expect(repository.problems).toEqual([])
})

test('the next start deletes a discarded worktree for good, and no other worktree', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  const other = await repository.work('other', [{ 'a.txt': 'other\n' }])
  value(await repository.review.discard(keyOf(location), location.branch))
  await changeRecord(location, ({ discarded }) => ({ discarded: { ...discarded, by: DEAD } }))
  await repository.review.tidy(repository.folder)
  expect(await branches()).toEqual(['refs/heads/main', `refs/heads/${other.branch}`])
  expect(await repository.review.undoDiscard(keyOf(location))).toMatchObject({
    failure: { type: 'not-there' },
  })
  expect((await repository.review.list(repository.folder, { thorough: false })).discarded).toEqual([])
  expect(await repository.listed(other.id)).toMatchObject({ state: 'ready' })
})

test('an interrupted discard that moved nothing is ignored, and an interrupted undo continues', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  await repository.write(location.path, { 'late.txt': 'late\n' })
  const before = await stateOf(location.path)
  const tip = await main('rev-parse', location.branch)
  await main('update-ref', `refs/troupe/trash/${location.id}`, tip)
  await changeRecord(location, () => ({
    state: 'discarded',
    head: tip,
    discarded: { at: 1, by: DEAD, head: tip },
  }))
  await repository.review.tidy(repository.folder)
  expect(await branches()).toEqual(['refs/heads/main', `refs/heads/${location.branch}`])
  expect(await stateOf(location.path)).toEqual(before)
  expect((await repository.listed(location.id)).state).toBe('ready')

  value(await repository.review.discard(keyOf(location), location.branch))
  await changeRecord(location, ({ discarded }) => ({ discarded: { ...discarded, by: DEAD, undoing: true } }))
  await repository.write(location.path, { 'a.txt': 'half of a folder' })
  await repository.review.tidy(repository.folder)
  expect(await stateOf(location.path)).toEqual(before)
})

test('a worktree that is in use or locked by the user is never discarded', async () => {
  const running = await repository.begin('runner')
  expect(await repository.review.discard(keyOf(running), running.branch)).toMatchObject({
    failure: { type: 'in-use' },
  })
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  await main('worktree', 'lock', location.path)
  expect(await repository.review.discard(keyOf(location), location.branch)).toMatchObject({
    failure: { type: 'in-use' },
  })
  expect(await branches()).toHaveLength(3)
})

test('a folder without its git entry or its branch can be discarded by its typed name and restored', async () => {
  for (const id of ['untied', 'branchless']) {
    const location = await repository.work(id, [{ [`${id}.txt`]: 'agent\n' }])
    await repository.write(location.path, { 'late.txt': 'late\n' })
    if (id === 'untied') await repository.write(location.path, { '.git': 'gitdir: /nowhere\n' })
    else await main('update-ref', '-d', `refs/heads/${location.branch}`)
    expect((await repository.listed(location.id)).problem).not.toBeNull()
    expect(await repository.review.discard(keyOf(location), null)).toMatchObject({
      failure: { type: 'confirm' },
    })
    value(await repository.review.discard(keyOf(location), location.branch))
    value(await repository.review.undoDiscard(keyOf(location)))
    expect(await repository.listed(location.id)).toMatchObject({ problem: null, commits: 1, uncommitted: 1 })
    expect(await readFile(join(location.path, 'late.txt'), 'utf8')).toBe('late\n')
  }
})

test('discard and undo keep commits that are not on the worktree’s branch', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  await repository.run(location.path, 'checkout', '-q', '--detach', 'main')
  await repository.write(location.path, { 'stray.txt': 'stray\n' })
  await repository.run(location.path, 'add', '-A')
  await repository.run(location.path, 'commit', '-qm', 'Stray')
  const stray = await repository.run(location.path, 'rev-parse', 'HEAD')
  value(await repository.review.discard(keyOf(location), location.branch))
  value(await repository.review.undoDiscard(keyOf(location)))
  expect(await main('show', `${location.branch}:a.txt`)).toBe('agent')
  expect(await main('for-each-ref', '--contains', stray, '--format=%(refname)')).toContain('refs/troupe/kept')
  expect((await repository.listed(location.id)).notes.join()).toContain(`refs/troupe/kept/${location.id}`)
})

test('kept attempts of a discarded worktree are deleted after 30 days, and those of others stay', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  const kept = [`${location.id}-2`, location.id].map((id) => `refs/troupe/kept/${id}.0123456789ab`)
  for (const ref of kept) await main('update-ref', ref, 'main')
  value(await repository.review.discard(keyOf(location), location.branch))
  const after = async (days: number) => {
    const at = 1_700_000_000_000 - days * 24 * 60 * 60 * 1000
    await changeRecord(location, ({ discarded }) => ({ discarded: { ...discarded, at, by: DEAD } }))
    await repository.review.tidy(repository.folder)
    return branches()
  }
  expect(await after(29)).toEqual(['refs/heads/main', ...kept])
  expect(await after(31)).toEqual(['refs/heads/main', kept[0]])
})

test('a nested repository and fetched submodules need confirmation even if all work is merged', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
  await repository.run(location.path, 'init', '-q', 'inner')
  await repository.run(join(location.path, 'inner'), 'commit', '-q', '--allow-empty', '-m', 'x')
  const refused = await repository.review.discard(keyOf(location), null)
  expect(refused).toMatchObject({ failure: { type: 'confirm', message: expect.stringContaining('inner') } })

  const other = await repository.work('other', [{ 'b.txt': 'agent\n' }])
  value(await repository.review.merge(keyOf(other), { method: 'merge', into: null }))
  await repository.write(join(repository.folder, '.git/worktrees', other.id, 'modules/inner'), { HEAD: 'x' })
  expect(await repository.review.discard(keyOf(other), null)).toMatchObject({
    failure: { type: 'confirm', message: expect.stringContaining('ubmodules') },
  })
})

test('all merged worktrees are removed together and can be restored; the others stay, with a reason', async () => {
  const merged = await repository.work('one', [{ 'a.txt': 'one\n' }])
  const squashed = await repository.work('two', [{ 'b.txt': 'two\n' }])
  const waiting = await repository.work('three', [{ 'c.txt': 'three\n' }])
  const late = await repository.work('four', [{ 'd.txt': 'four\n' }])
  const running = await repository.begin('five')
  for (const location of [merged, late])
    value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
  value(await repository.review.merge(keyOf(squashed), { method: 'squash', into: null }))
  await repository.write(late.path, { 'late.txt': 'late\n' })
  const { removed, kept } = value(await repository.review.removeMerged(repository.folder))
  expect(removed).toEqual([merged.id, squashed.id])
  expect(repository.discarded).toEqual(['conversation-1 agent-one', 'conversation-1 agent-two'])
  expect(kept).toEqual([
    { id: waiting.id, because: `1 commit on ${waiting.branch} is not merged into main` },
    { id: late.id, because: `${late.id} has uncommitted changes in 1 file` },
    { id: running.id, because: 'five is still working in it' },
  ])
  expect((await folders(merged)).sort()).toEqual([late.id, running.id, waiting.id].sort())
  value(await repository.review.undoDiscard(keyOf(squashed)))
  expect((await repository.listed(squashed.id)).state).toBe('merged')
})
