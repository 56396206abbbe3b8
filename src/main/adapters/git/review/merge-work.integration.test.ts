import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Result } from '../../../../shared/result.ts'
import type { MergeMethod } from '../../../../shared/review.ts'
import type { MergedWork } from '../../../runtime/worktrees.ts'
import { createReview } from '../create-review.ts'
import { createGit } from '../git-client.ts'
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

/** An agent's two commits, and one of a person that came meanwhile. */
async function twoAndOne() {
  const place = await repository.work('mender', [
    { 'a.txt': lines('a', 12, { 2: 'mended' }) },
    { 'new.txt': 'new\n', 'b.txt': null },
  ])
  await repository.commit({ 'a.txt': lines('a', 12, { 11: 'by a person' }) })
  const commits = (await main('rev-list', '--reverse', `${place.branch}`, '^main')).split('\n')
  return { place, commits }
}

test('merge: a merge commit with both parents, also where the branch could just have been moved along', async () => {
  const place = await repository.work('mender', [
    { 'a.txt': lines('a', 12, { 2: 'mended' }) },
    { 'n.txt': '' },
  ])
  const merged = value(await merge(place.id, 'merge'))
  expect(merged).toMatchObject({ into: 'main', commits: 2, files: 2 })
  expect(await main('rev-parse', 'main')).toBe(merged.commit)
  expect(await repository.graph('main')).toBe(
    [
      '*   Merge the work of mender: Task of mender',
      '|\\',
      '| * mender 2',
      '| * mender 1',
      '|/',
      '* Begin',
    ].join('\n'),
  )
  expect(await text('a.txt')).toBe(lines('a', 12, { 2: 'mended' }))
  expect(await main('status', '--porcelain')).toBe('')
  expect(await main('log', '-1', '--format=%B')).toBe(
    `Merge the work of mender: Task of mender\n\nAgent: mender\nBranch: ${place.branch}`,
  )
  expect(await repository.listed(place.id)).toMatchObject({
    state: 'merged',
    commits: 0,
    files: 2,
    check: { kind: 'nothing' },
    merged: { into: 'main', method: 'merge', commit: merged.commit },
  })
  expect(await merge(place.id, 'merge')).toMatchObject({ failure: { type: 'nothing' } })
})

test('squash: one commit with one parent and the words that were given; the worktree counts as merged', async () => {
  const { place } = await twoAndOne()
  const merged = value(await merge(place.id, 'squash', { message: 'Mend it\n\nAll at once.' }))
  expect(await repository.graph('main')).toBe('* Mend it\n* Work of a person\n* Begin')
  expect(await main('rev-parse', 'main^{tree}')).toBe(
    await main('merge-tree', '--write-tree', 'main~1', place.branch),
  )
  expect(merged.commits).toBe(2)
  expect(await repository.listed(place.id)).toMatchObject({ state: 'merged', merged: { method: 'squash' } })
  // It counts as merged as long as the commit is in the branch.
  await main('reset', '-q', '--hard', 'main~1')
  expect(await repository.listed(place.id)).toMatchObject({ state: 'ready', check: { kind: 'clean' } })
})

test('rebase: the commits in a row, each by its author and with its date', async () => {
  const { place } = await twoAndOne()
  await repository.write(place.path, { 'late.txt': 'late\n' })
  await repository.run(place.path, 'add', '-A')
  const author = 'Zoë <zoe@example.org>'
  const date = '2020-02-02T02:02:02+0200'
  await repository.run(place.path, 'commit', '-qm', 'Später', `--author=${author}`, `--date=${date}`)
  const base = await main('rev-parse', 'main')
  const merged = value(await merge(place.id, 'rebase'))
  expect(merged.commits).toBe(3)
  expect(await repository.graph('main')).toBe('* Später\n* mender 2\n* mender 1\n* Work of a person\n* Begin')
  expect(await main('log', '-1', '--format=%an <%ae> %aI %cn')).toBe(
    'Zoë <zoe@example.org> 2020-02-02T02:02:02+02:00 Ada',
  )
  // What git itself makes of it.
  await repository.run(place.path, 'rebase', '-q', base)
  expect(await main('rev-parse', 'main^{tree}')).toBe(await main('rev-parse', `${place.branch}^{tree}`))
  expect((await repository.listed(place.id)).state).toBe('merged')
})

test('cherry-pick: the chosen commits in the order that was asked for; the rest still waits', async () => {
  const { place, commits } = await twoAndOne()
  const second = commits[1] ?? ''
  expect(await merge(place.id, 'cherry-pick', { commits: [] })).toMatchObject({
    failure: { type: 'nothing' },
  })
  const strange = await merge(place.id, 'cherry-pick', { commits: ['main'] })
  expect(strange).toMatchObject({ failure: { type: 'not-there' } })
  const foreign = await merge(place.id, 'cherry-pick', { commits: [await main('rev-parse', 'main')] })
  expect(foreign).toMatchObject({ failure: { type: 'not-there' } })
  expect(value(await merge(place.id, 'cherry-pick', { commits: [second] })).commits).toBe(1)
  expect(await repository.graph('main')).toBe('* mender 2\n* Work of a person\n* Begin')
  expect(await repository.listed(place.id)).toMatchObject({
    state: 'ready',
    merged: { method: 'cherry-pick' },
  })
  value(await merge(place.id, 'cherry-pick', { commits }))
  expect(await repository.graph('main')).toBe('* mender 1\n* mender 2\n* Work of a person\n* Begin')
  expect((await repository.listed(place.id)).state).toBe('merged')
})

test('into another branch that nobody has checked out, and into none that is not there', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'mended\n' }])
  await main('branch', 'releases/1.0')
  const before = await repository.state(repository.folder)
  for (const into of ['gone', '-d', '--force', 'a..b', place.branch, '@{-1}', 'HEAD'])
    expect((await merge(place.id, 'merge', { into })).ok, into).toBe(false)
  expect(await repository.state(repository.folder)).toEqual(before)
  value(await merge(place.id, 'merge', { into: 'releases/1.0' }))
  expect(await repository.state(repository.folder)).toEqual(before)
  expect(await main('show', 'releases/1.0:a.txt')).toBe('mended')
  expect(await repository.listed(place.id)).toMatchObject({
    state: 'merged',
    merged: { into: 'releases/1.0' },
  })
})

test('conflicts: whichever way it was to be merged, nothing that a person has in the checkout changes', async () => {
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
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
  const commits = [await main('rev-parse', place.branch)]
  for (const method of methods) {
    const failed = await merge(place.id, method, { commits })
    expect(failed, method).toMatchObject({ failure: { type: 'conflicts' } })
    if (!failed.ok) expect(failed.failure.message).toContain('a.txt')
    expect(await repository.state(repository.folder), method).toEqual(before)
  }
  expect(await repository.listed(place.id)).toMatchObject({
    state: 'ready',
    check: { kind: 'conflicts', files: ['a.txt'] },
    merged: null,
  })
})

test('uncommitted changes in the way stop it and are named; others are left as they are', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'mended\n', 'new.txt': 'n\n', 'seen.log': 'l' }])
  await repository.write(repository.folder, { 'a.txt': 'mine\n', 'new.txt': 'mine too\n', 'b.txt': 'mine\n' })
  const commits = [await main('rev-parse', place.branch)]
  const before = await repository.state(repository.folder)
  // Settings of the user's that would have git put changes aside or squash.
  await main('config', 'merge.autoStash', 'true')
  await main('config', 'branch.main.mergeOptions', '--squash')
  for (const method of methods) {
    const failed = await merge(place.id, method, { commits })
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
  // A file that is ignored is somebody's, too.
  expect(await merge(place.id, 'squash')).toMatchObject({ failure: { type: 'would-overwrite' } })
  expect(await text('seen.log')).toBe('mine')
  await repository.write(repository.folder, { 'seen.log': null })
  value(await merge(place.id, 'merge'))
  expect(await text('b.txt')).toBe('mine\n')
  expect(await main('status', '--porcelain')).toBe(' M b.txt')
})

test('work that was not committed comes along; one whose agent works, or that holds markers, does not', async () => {
  const running = await repository.begin('runner')
  expect(await merge(running.id, 'merge')).toMatchObject({ failure: { type: 'in-use' } })

  const place = await repository.work('mender', [{ 'a.txt': 'mended\n' }], 'stopped')
  await repository.write(place.path, { 'late.txt': 'late\n', 'title.md': 'Heading\n=======\n' })
  value(await merge(place.id, 'rebase'))
  expect(await text('late.txt')).toBe('late\n')
  expect(await main('log', '-1', '--format=%s%n%b')).toMatch(/^Agent task: Task of mender\n+Unfinished/)

  const marked = `one\n<<<<<<< ours\ntwo\n=======\nthree\n>>>>>>> theirs\n`
  const left = await repository.work('leaver', [{ 'odd name.txt': marked }])
  const failed = await merge(left.id, 'squash')
  expect(failed).toMatchObject({ failure: { type: 'unfinished' } })
  if (!failed.ok) expect(failed.failure.message).toContain('odd name.txt:2')
})

test('files that were only copied in never come into another branch', async () => {
  await repository.commit({ '.worktreeinclude': '.env\n', '.gitignore': '.env\n' })
  await repository.write(repository.folder, { '.env': 'SECRET=1\n' })
  const place = await repository.begin('mender')
  await repository.write(place.path, { 'a.txt': 'mended\n' })
  await repository.run(place.path, 'add', '-f', '.env', 'a.txt')
  await repository.run(place.path, 'commit', '-qm', 'All')
  await repository.worktrees.release(place)
  const failed = await merge(place.id, 'merge')
  expect(failed).toMatchObject({ failure: { type: 'unfinished' } })
  if (!failed.ok) expect(failed.failure.message).toContain('.env')
})

test('a branch into which the target was merged is not taken apart where that would lose what was resolved', async () => {
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  await repository.git.run(place.path, ['merge', '-q', 'main'])
  await repository.write(place.path, { 'a.txt': lines('a', 12, { 5: 'both' }) })
  await repository.run(place.path, 'commit', '-qam', 'Resolved')
  expect(await merge(place.id, 'rebase')).toMatchObject({ failure: { type: 'conflicts' } })
  value(await merge(place.id, 'squash'))
  expect(await text('a.txt')).toBe(lines('a', 12, { 5: 'both' }))

  // Nothing conflicts here, but only the merge has what was added with it.
  const other = await repository.work('other', [{ 'other.txt': 'other\n' }])
  await repository.commit({ 'b.txt': 'person\n' })
  await repository.git.run(other.path, ['merge', '-q', '--no-commit', '--no-ff', 'main'])
  await repository.write(other.path, { 'added with the merge.txt': 'x\n' })
  await repository.run(other.path, 'add', '-A')
  await repository.run(other.path, 'commit', '-qm', 'Merged')
  expect(await merge(other.id, 'rebase')).toMatchObject({ failure: { type: 'conflicts' } })
})

test('a target that moves while the result is worked out: nothing is merged over it', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'mended\n' }])
  await main('branch', 'other')
  const moving = (into: string) =>
    createReview({
      git: {
        ...repository.git,
        async run(folder, args, options) {
          // Right before the branch is moved.
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
    const key = { folder: repository.folder, id: place.id }
    const failed = await moving(into).merge(key, { method: 'merge', into })
    expect(failed).toMatchObject({ failure: { type: 'moved' } })
    expect(await main('log', '-1', '--format=%s', into)).toBe('Meanwhile')
  }
})

test('without a name of the user, the program commits under its own; the author of a commit stays who it was', async () => {
  const { place } = await twoAndOne()
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, ...nameless } =
    gitEnvironment(repository.home)
  const review = createReview({
    git: createGit({ environment: nameless }),
    dataFolder: repository.dataFolder,
    now: Date.now,
    onProblem: () => {},
  })
  value(await review.merge({ folder: repository.folder, id: place.id }, { method: 'rebase', into: null }))
  expect(await main('log', '-1', '--format=%an, %cn <%ce>')).toBe(
    `${GIT_AUTHOR_NAME}, Troupe <troupe@localhost>`,
  )
  expect([GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL]).toContain('Ada')
})
