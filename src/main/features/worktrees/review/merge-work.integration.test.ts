import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Result } from '../../../../shared/kernel/result.ts'
import type { MergedWork, MergeMethod } from '../../../../shared/worktrees/review.ts'
import { createGit } from '../../../platform/git/git-client.ts'
import { createReview } from './create-review.ts'
import { gitEnvironment } from './testing/git-environment.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository

beforeEach(async () => {
  repository = await createReviewRepository()
})
afterEach(() => repository.remove())

function merge(
  id: string,
  method: MergeMethod,
  more: { into?: string; commits?: string[]; message?: string } = {},
): Promise<Result<MergedWork>> {
  return repository.review.merge({ folder: repository.folder, id }, { into: null, ...more, method })
}

const text = (path: string) => readFile(join(repository.folder, path), 'utf8')
const main = (...args: string[]) => repository.run(repository.folder, ...args)
const methods = ['merge', 'squash', 'rebase', 'cherry-pick'] as const

/** Two commits of an agent, and a later commit of the user. */
async function twoAndOne() {
  const location = await repository.work('fixer', [
    { 'a.txt': lines('a', 12, { 2: 'fixed' }) },
    { 'new.txt': 'new\n', 'b.txt': null },
  ])
  await repository.commit({ 'a.txt': lines('a', 12, { 11: 'by a person' }) })
  const commits = (await main('rev-list', '--reverse', `${location.branch}`, '^main')).split('\n')
  return { location, commits }
}

test('merge: a merge commit with both parents, even if a fast-forward is possible', async () => {
  const location = await repository.work('fixer', [
    { 'a.txt': lines('a', 12, { 2: 'fixed' }) },
    { 'n.txt': '' },
  ])
  const merged = value(await merge(location.id, 'merge'))
  expect(merged).toMatchObject({ into: 'main', commits: 2, files: 2 })
  expect(await main('rev-parse', 'main')).toBe(merged.commit)
  expect(await repository.graph('main')).toBe(
    ['*   Merge "Task of fixer"', '|\\', '| * fixer 2', '| * fixer 1', '|/', '* Begin'].join('\n'),
  )
  expect(await text('a.txt')).toBe(lines('a', 12, { 2: 'fixed' }))
  expect(await main('status', '--porcelain')).toBe('')
  expect(await main('log', '-1', '--format=%B')).toBe(
    `Merge "Task of fixer"\n\nAgent: fixer\nBranch: ${location.branch}`,
  )
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'merged',
    commits: 0,
    files: 2,
    check: { kind: 'nothing' },
    merged: { into: 'main', method: 'merge', commit: merged.commit },
  })
  expect(await merge(location.id, 'merge')).toMatchObject({ failure: { type: 'nothing' } })
})

test('squash: one commit with one parent and the given message; the worktree counts as merged', async () => {
  const { location } = await twoAndOne()
  const merged = value(await merge(location.id, 'squash', { message: 'Mend it\n\nAll at once.' }))
  expect(await repository.graph('main')).toBe('* Mend it\n* Work of a person\n* Begin')
  expect(await main('rev-parse', 'main^{tree}')).toBe(
    await main('merge-tree', '--write-tree', 'main~1', location.branch),
  )
  expect(merged.commits).toBe(2)
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'merged',
    merged: { method: 'squash' },
  })
  // The worktree counts as merged while the target contains the commit.
  await main('reset', '-q', '--hard', 'main~1')
  expect(await repository.listed(location.id)).toMatchObject({ state: 'ready', check: { kind: 'clean' } })
})

test('rebase: a linear history in which each commit keeps its author and date', async () => {
  const { location } = await twoAndOne()
  await repository.write(location.path, { 'late.txt': 'late\n' })
  await repository.run(location.path, 'add', '-A')
  const author = 'Zoë <zoe@example.org>'
  const date = '2020-02-02T02:02:02+0200'
  await repository.run(location.path, 'commit', '-qm', 'Später', `--author=${author}`, `--date=${date}`)
  const base = await main('rev-parse', 'main')
  const merged = value(await merge(location.id, 'rebase'))
  expect(merged.commits).toBe(3)
  expect(await repository.graph('main')).toBe('* Später\n* fixer 2\n* fixer 1\n* Work of a person\n* Begin')
  expect(await main('log', '-1', '--format=%an <%ae> %aI %cn')).toBe(
    'Zoë <zoe@example.org> 2020-02-02T02:02:02+02:00 Ada',
  )
  // The result of git's own rebase.
  await repository.run(location.path, 'rebase', '-q', base)
  expect(await main('rev-parse', 'main^{tree}')).toBe(await main('rev-parse', `${location.branch}^{tree}`))
  expect((await repository.listed(location.id)).state).toBe('merged')
})

test('cherry-pick: the chosen commits in the requested order; the others stay unmerged', async () => {
  const { location, commits } = await twoAndOne()
  const second = commits[1] ?? ''
  expect(await merge(location.id, 'cherry-pick', { commits: [] })).toMatchObject({
    failure: { type: 'nothing' },
  })
  const strange = await merge(location.id, 'cherry-pick', { commits: ['main'] })
  expect(strange).toMatchObject({ failure: { type: 'not-there' } })
  const foreign = await merge(location.id, 'cherry-pick', { commits: [await main('rev-parse', 'main')] })
  expect(foreign).toMatchObject({ failure: { type: 'not-there' } })
  expect(value(await merge(location.id, 'cherry-pick', { commits: [second] })).commits).toBe(1)
  expect(await repository.graph('main')).toBe('* fixer 2\n* Work of a person\n* Begin')
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'ready',
    merged: { method: 'cherry-pick' },
  })
  value(await merge(location.id, 'cherry-pick', { commits }))
  expect(await repository.graph('main')).toBe('* fixer 1\n* fixer 2\n* Work of a person\n* Begin')
  expect((await repository.listed(location.id)).state).toBe('merged')
})

test('a branch that is not checked out can be the target, a missing branch cannot', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'fixed\n' }])
  await main('branch', 'releases/1.0')
  const before = await repository.state(repository.folder)
  for (const into of ['gone', '-d', '--force', 'a..b', location.branch, '@{-1}', 'HEAD'])
    expect((await merge(location.id, 'merge', { into })).ok, into).toBe(false)
  expect(await repository.state(repository.folder)).toEqual(before)
  value(await merge(location.id, 'merge', { into: 'releases/1.0' }))
  expect(await repository.state(repository.folder)).toEqual(before)
  expect(await main('show', 'releases/1.0:a.txt')).toBe('fixed')
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'merged',
    merged: { into: 'releases/1.0' },
  })
})

test.each(methods)('after a first merge, %s brings the same commits into another branch', async (method) => {
  await main('branch', 'dev')
  const { location, commits } = await twoAndOne()
  const key = { folder: repository.folder, id: location.id }
  const subjects = async () =>
    value(await repository.review.changes(key)).commits.map(({ subject }) => subject)
  value(await merge(location.id, method, { commits }))
  expect(await subjects()).toEqual(['fixer 2', 'fixer 1'])
  expect(value(await repository.review.conflicts(key, { into: 'dev' }))).toEqual([])
  expect(value(await merge(location.id, method, { into: 'dev', commits })).commits).toBe(2)
  expect(await main('show', 'dev:a.txt')).toBe(lines('a', 12, { 2: 'fixed' }).trimEnd())
  expect(await repository.listed(location.id)).toMatchObject({ state: 'merged', merged: { into: 'dev' } })
  expect(await merge(location.id, 'merge')).toMatchObject({ failure: { type: 'nothing' } })
})

test('work that was merged into another branch first is still merged into its target', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'fixed\n' }])
  await main('branch', 'dev')
  value(await merge(location.id, 'merge', { into: 'dev' }))
  expect(await repository.listed(location.id)).toMatchObject({ state: 'merged', check: { kind: 'clean' } })
  value(await merge(location.id, 'merge'))
  expect(await text('a.txt')).toBe('fixed\n')
})

test('conflicts leave the user’s checkout unchanged with every merge method', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  await repository.write(repository.folder, { 'stash.txt': 'x' })
  await main('stash', 'push', '-qu')
  await repository.write(repository.folder, {
    'staged.txt': 's',
    'b.txt': 'unstaged\n',
    'untracked.txt': 'u',
  })
  await main('add', 'staged.txt')
  const before = await repository.state(repository.folder)
  const commits = [await main('rev-parse', location.branch)]
  for (const method of methods) {
    const failed = await merge(location.id, method, { commits })
    expect(failed, method).toMatchObject({ failure: { type: 'conflicts' } })
    if (!failed.ok) expect(failed.failure.message).toContain('a.txt')
    expect(await repository.state(repository.folder), method).toEqual(before)
  }
  expect(await repository.listed(location.id)).toMatchObject({
    state: 'ready',
    check: { kind: 'conflicts', files: ['a.txt'] },
    merged: null,
  })
})

test('uncommitted changes to merged files stop the merge and are named; others stay unchanged', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'fixed\n', 'new.txt': 'n\n', 'seen.log': 'l' }])
  await repository.write(repository.folder, { 'a.txt': 'mine\n', 'new.txt': 'mine too\n', 'b.txt': 'mine\n' })
  const commits = [await main('rev-parse', location.branch)]
  const before = await repository.state(repository.folder)
  // User settings that would make git stash changes or squash.
  await main('config', 'merge.autoStash', 'true')
  await main('config', 'branch.main.mergeOptions', '--squash')
  for (const method of methods) {
    const failed = await merge(location.id, method, { commits })
    expect(failed, method).toMatchObject({ failure: { type: 'would-overwrite' } })
    if (!failed.ok) expect(failed.failure.message).toMatch(/a\.txt|new\.txt/)
    expect(await repository.state(repository.folder), method).toEqual(before)
  }
  await main('checkout', '-q', 'a.txt')
  await repository.write(repository.folder, {
    'new.txt': null,
    '.git/info/exclude': '*.log\n',
    'seen.log': 'mine',
  })
  // Ignored files belong to the user, too.
  expect(await merge(location.id, 'squash')).toMatchObject({ failure: { type: 'would-overwrite' } })
  expect(await text('seen.log')).toBe('mine')
  await repository.write(repository.folder, { 'seen.log': null })
  value(await merge(location.id, 'merge'))
  expect(await text('b.txt')).toBe('mine\n')
  expect(await main('status', '--porcelain')).toBe(' M b.txt')
})

test('uncommitted work is merged too; a worktree with a running agent or conflict markers is refused', async () => {
  const running = await repository.begin('runner')
  expect(await merge(running.id, 'merge')).toMatchObject({ failure: { type: 'in-use' } })

  const location = await repository.work('fixer', [{ 'a.txt': 'fixed\n' }], 'stopped')
  await repository.write(location.path, { 'late.txt': 'late\n', 'title.md': 'Heading\n=======\n' })
  value(await merge(location.id, 'rebase'))
  expect(await text('late.txt')).toBe('late\n')
  expect(await main('log', '-1', '--format=%s%n%b')).toMatch(/^Agent task: Task of fixer\n+Unfinished/)

  const marked = `one\n<<<<<<< ours\ntwo\n=======\nthree\n>>>>>>> theirs\n`
  const left = await repository.work('leaver', [{ 'odd name.txt': marked }])
  const failed = await merge(left.id, 'squash')
  expect(failed).toMatchObject({ failure: { type: 'unfinished' } })
  if (!failed.ok) expect(failed.failure.message).toContain('odd name.txt:2')
})

test('files copied by .worktreeinclude are never merged into another branch', async () => {
  await repository.commit({ '.worktreeinclude': '.env\n', '.gitignore': '.env\n' })
  await repository.write(repository.folder, { '.env': 'SECRET=1\n' })
  const location = await repository.begin('fixer')
  await repository.write(location.path, { 'a.txt': 'fixed\n' })
  await repository.run(location.path, 'add', '-f', '.env', 'a.txt')
  await repository.run(location.path, 'commit', '-qm', 'All')
  await repository.worktrees.release(location)
  const failed = await merge(location.id, 'merge')
  expect(failed).toMatchObject({ failure: { type: 'unfinished' } })
  if (!failed.ok) expect(failed.failure.message).toContain('.env')
})

test('a branch that merged its target is not rebased if that would lose conflict resolutions', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  await repository.git.run(location.path, ['merge', '-q', 'main'])
  await repository.write(location.path, { 'a.txt': lines('a', 12, { 5: 'both' }) })
  await repository.run(location.path, 'commit', '-qam', 'Resolved')
  expect(await merge(location.id, 'rebase')).toMatchObject({ failure: { type: 'conflicts' } })
  value(await merge(location.id, 'squash'))
  expect(await text('a.txt')).toBe(lines('a', 12, { 5: 'both' }))

  // Nothing conflicts here, but only the merge commit contains the added change.
  const other = await repository.work('other', [{ 'other.txt': 'other\n' }])
  await repository.commit({ 'b.txt': 'person\n' })
  await repository.git.run(other.path, ['merge', '-q', '--no-commit', '--no-ff', 'main'])
  await repository.write(other.path, { 'added with the merge.txt': 'x\n' })
  await repository.run(other.path, 'add', '-A')
  await repository.run(other.path, 'commit', '-qm', 'Merged')
  expect(await merge(other.id, 'rebase')).toMatchObject({ failure: { type: 'conflicts' } })
})

test('a target that moves during the merge is not overwritten', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'fixed\n' }])
  await main('branch', 'other')
  const moving = (into: string) =>
    createReview({
      git: {
        ...repository.git,
        async run(folder, args, options) {
          // Right before the target branch is updated.
          if (args[0] === 'worktree') {
            const tree = await main('rev-parse', `${into}^{tree}`)
            const next = await main('commit-tree', tree, '-p', into, '-m', 'Meanwhile')
            await main('update-ref', `refs/heads/${into}`, next)
          }
          return repository.git.run(folder, args, options)
        },
      },
      dataFolder: repository.dataFolder,
      now: Date.now,
      onProblem: () => {},
    })
  for (const into of ['main', 'other']) {
    const key = { folder: repository.folder, id: location.id }
    const failed = await moving(into).merge(key, { method: 'merge', into })
    expect(failed).toMatchObject({ failure: { type: 'moved' } })
    expect(await main('log', '-1', '--format=%s', into)).toBe('Meanwhile')
  }
})

test('without a user name, Troupe is the committer, and each commit keeps its author', async () => {
  const { location } = await twoAndOne()
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, ...nameless } =
    gitEnvironment(repository.home)
  const review = createReview({
    git: createGit({ environment: nameless }),
    dataFolder: repository.dataFolder,
    now: Date.now,
    onProblem: () => {},
  })
  value(await review.merge({ folder: repository.folder, id: location.id }, { method: 'rebase', into: null }))
  expect(await main('log', '-1', '--format=%an, %cn <%ce>')).toBe(
    `${GIT_AUTHOR_NAME}, Troupe <troupe@localhost>`,
  )
  expect([GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL]).toContain('Ada')
})
