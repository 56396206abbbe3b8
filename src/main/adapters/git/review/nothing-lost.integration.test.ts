import { execFileSync } from 'node:child_process'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorktreePlace } from '../../../../shared/worktree.ts'
import type { Git } from '../git-client.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
/** What somebody else does right before a call of git. */
let meanwhile: ((words: string) => Promise<void>) | null = null

const withOthers = (git: Git): Git => ({
  async run(folder, args, options) {
    await meanwhile?.(args.join(' '))
    return git.run(folder, args, options)
  },
  async bytes(folder, args, options) {
    await meanwhile?.(args.join(' '))
    return git.bytes(folder, args, options)
  },
  async answers(folder, args, options) {
    await meanwhile?.(args.join(' '))
    return git.answers(folder, args, options)
  },
})

beforeEach(async () => {
  meanwhile = null
  repository = await createReviewRepository({ wrap: withOthers })
})
afterEach(() => repository.remove())

const keyOf = ({ id }: WorktreePlace) => ({ folder: repository.folder, id })
const main = (...args: string[]) => repository.run(repository.folder, ...args)
const refs = async (below: string) =>
  (await main('for-each-ref', '--format=%(refname)', below)).split('\n').filter((ref) => ref !== '')
const text = (place: WorktreePlace, path: string) => readFile(join(place.path, path), 'utf8')

/** Does it once, right before the first call of git that begins so. */
function once(start: string, act: () => Promise<unknown>): void {
  meanwhile = async (words) => {
    if (!words.startsWith(start)) return
    meanwhile = null
    await act()
  }
}

test('two tries at conflicts that were taken back: both are kept', async () => {
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  for (const attempt of ['first try\n', 'second try\n']) {
    value(await repository.review.beginResolving(keyOf(place)))
    await repository.write(place.path, { 'a.txt': attempt })
    value(await repository.review.abortResolving(keyOf(place)))
  }
  const kept = await Promise.all((await refs('refs/troupe/kept')).map((ref) => main('show', `${ref}:a.txt`)))
  expect(kept.sort()).toEqual(['first try', 'second try'])
})

test('an agent that goes on while its worktree is being discarded, or a merge taken back, keeps it', async () => {
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  const goOn = () => repository.worktrees.restore(place, new AbortController().signal)
  once('rev-parse --verify --quiet --end-of-options refs/heads/main', goOn)
  expect(await repository.review.discard(keyOf(place), place.branch)).toMatchObject({
    failure: { type: 'in-use' },
  })
  expect(await text(place, 'a.txt')).toContain('agent')
  expect(await refs('refs/troupe')).toEqual([])
  await repository.worktrees.release(place)

  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  value(await repository.review.beginResolving(keyOf(place)))
  once('status', async () => {
    await goOn()
    await repository.write(place.path, { 'a.txt': 'resolved\n' })
  })
  expect(await repository.review.abortResolving(keyOf(place))).toMatchObject({ failure: { type: 'in-use' } })
  expect(await text(place, 'a.txt')).toBe('resolved\n')
})

test('a merge that somebody commits while it is being taken back stays', async () => {
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  value(await repository.review.beginResolving(keyOf(place)))
  once('add --all', async () => {
    await repository.write(place.path, { 'a.txt': 'resolved\n' })
    await repository.run(place.path, 'commit', '-qam', 'By hand')
  })
  expect(await repository.review.abortResolving(keyOf(place))).toMatchObject({
    failure: { type: 'unfinished' },
  })
  expect(await main('show', `${place.branch}:a.txt`)).toBe('resolved')
})

test('what somebody writes into a worktree while it is being discarded stops that', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  once('update-ref refs/troupe/trash', () => repository.write(place.path, { 'b.txt': 'by hand\n' }))
  expect(await repository.review.discard(keyOf(place), place.branch)).toMatchObject({
    failure: { type: 'moved' },
  })
  expect(await text(place, 'b.txt')).toBe('by hand\n')
  expect(await repository.listed(place.id)).toMatchObject({ state: 'ready', uncommitted: 1 })
  expect(await refs('refs/troupe')).toEqual([])
})

test('what was put aside and could not be put back, since a program made the folder anew, is never removed', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  const aside = join(dirname(place.path), `.gone-${place.id}`)
  once('update-ref refs/troupe/trash', async () => {
    await repository.write(place.path, { 'b.txt': 'by hand\n' })
    // As it looks once more into what it put aside.
    once('status', () => repository.write(place.path, { 'cache/x': 'x' }))
  })
  const stopped = await repository.review.discard(keyOf(place), place.branch)
  expect(stopped).toMatchObject({ failure: { type: 'moved', message: expect.stringContaining(aside) } })
  const again = await repository.review.discard(keyOf(place), place.branch)
  expect(again).toMatchObject({ failure: { message: expect.stringContaining(aside) } })
  expect(await readFile(join(aside, 'b.txt'), 'utf8')).toBe('by hand\n')
  expect(await text(place, 'cache/x')).toBe('x')
})

test.each(['--assume-unchanged', '--skip-worktree'])(
  'changes that git was told not to see (%s) go only by a typed name',
  async (flag) => {
    const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
    value(await repository.review.merge(keyOf(place), { method: 'merge', into: null }))
    await repository.run(place.path, 'update-index', flag, 'b.txt')
    await repository.write(place.path, { 'b.txt': 'only here\n' })
    const { kept } = value(await repository.review.removeMerged(repository.folder))
    expect(kept).toMatchObject([{ id: place.id, because: expect.stringContaining('b.txt') }])
    expect(await text(place, 'b.txt')).toBe('only here\n')
    value(await repository.review.discard(keyOf(place), place.branch))
  },
)

test('commits on no branch outlive the folder, which somebody deleted', async () => {
  const places = [
    await repository.work('mender', [{ 'a.txt': 'agent\n' }]),
    await repository.work('other', [{ 'b.txt': 'other\n' }]),
  ]
  for (const place of places) {
    await repository.run(place.path, 'switch', '-q', '--detach', 'main')
    await repository.write(place.path, { 'stray.txt': `${place.id}\n` })
    await repository.run(place.path, 'add', '-A')
    await repository.run(place.path, 'commit', '-qm', 'Stray')
    await rm(place.path, { recursive: true })
  }
  const [mender, other] = places as [WorktreePlace, WorktreePlace]
  const restored = value(await repository.worktrees.restore(mender, new AbortController().signal))
  expect(restored.notes.join()).toContain('refs/troupe/kept/')
  value(await repository.review.discard(keyOf(other), other.branch))
  const kept = await refs('refs/troupe')
  expect(kept).toHaveLength(3)
  const stray = kept.filter((ref) => ref.includes('/kept/'))
  expect(await Promise.all(stray.map((ref) => main('show', `${ref}:stray.txt`)))).toEqual([
    mender.id,
    other.id,
  ])
})

test('names that are not UTF-8: in the list, opened, kept by a discard, and merged', async () => {
  const odd = (folder: string, name: string) => Buffer.from(`${folder}/${name}`, 'latin1')
  await writeFile(odd(repository.folder, 'gr\xfc\xdfe.txt'), 'before\n')
  await main('add', '-A')
  await main('commit', '-qm', 'A name of old')
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  await writeFile(odd(place.path, 'gr\xfc\xdfe.txt'), 'after\n')
  await writeFile(odd(place.path, 'n\xeau.txt'), 'new\n')

  const { files } = value(await repository.review.changes(keyOf(place)))
  expect(files.map(({ path, kind }) => [path, kind])).toEqual([
    ['a.txt', 'modified'],
    ['gr\uFFFD\uFFFDe.txt', 'modified'],
    ['n\uFFFDu.txt', 'added'],
  ])
  expect(value(await repository.review.file(keyOf(place), 'gr\uFFFD\uFFFDe.txt'))).toEqual({
    kind: 'text',
    before: 'before\n',
    after: 'after\n',
  })

  value(await repository.review.discard(keyOf(place), place.branch))
  value(await repository.review.undoDiscard(keyOf(place)))
  expect(await readFile(odd(place.path, 'gr\xfc\xdfe.txt'), 'utf8')).toBe('after\n')
  expect(await readFile(odd(place.path, 'n\xeau.txt'), 'utf8')).toBe('new\n')
  value(await repository.review.merge(keyOf(place), { method: 'merge', into: null }))
  expect(await readFile(odd(repository.folder, 'gr\xfc\xdfe.txt'), 'utf8')).toBe('after\n')
})

test('a `git gc --prune=now` between the list and the merge: it merges', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  await repository.commit({ 'b.txt': 'person\n' })
  expect(await repository.listed(place.id)).toMatchObject({ check: { kind: 'clean' } })
  await main('gc', '--prune=now', '--quiet')
  value(await repository.review.merge(keyOf(place), { method: 'merge', into: null }))
  expect(await main('show', 'main:a.txt')).toBe('agent')
})

test('a branch that somebody made again by hand after a discard stays at the next start', async () => {
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  const tip = await main('rev-parse', place.branch)
  value(await repository.review.discard(keyOf(place), place.branch))
  await main('branch', place.branch, tip)
  const record = `${place.path}.json`
  const dead = (await readFile(record, 'utf8')).replace(/"pid": \d+/, '"pid": 999999999')
  await writeFile(record, dead)
  await repository.review.tidy(repository.folder)
  expect(await refs('refs')).toEqual(['refs/heads/main', `refs/heads/${place.branch}`])
})

test('conflict markers of any length are no resolution', async () => {
  await repository.commit({ '.gitattributes': 'a.txt conflict-marker-size=20\n' })
  const place = await repository.work('mender', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  value(await repository.review.beginResolving(keyOf(place)))
  expect(await repository.review.merge(keyOf(place), { method: 'merge', into: null })).toMatchObject({
    failure: { type: 'unfinished' },
  })
})

test('what a user has set for git changes nothing that is worked out here', async () => {
  await appendFile(
    join(repository.home, '.gitconfig'),
    `[core]
	autocrlf = input
	safecrlf = true
	quotePath = true
	pager = false
	splitIndex = true
	untrackedCache = true
[status]
	showUntrackedFiles = no
	relativePaths = true
	branch = true
	showStash = true
[diff]
	external = false
	noprefix = true
	mnemonicPrefix = true
	ignoreSubmodules = all
	renames = false
	relative = true
	orderFile = /dev/null
[color]
	ui = always
[i18n]
	commitEncoding = ISO-8859-1
	logOutputEncoding = ISO-8859-1
[merge]
	conflictStyle = zdiff3
	ff = only
	autoStash = true
	log = true
[commit]
	gpgSign = true
	verbose = true
	template = /nowhere
[log]
	showSignature = true
	date = relative
	decorate = full
	follow = true
[submodule]
	recurse = true
[rebase]
	autoStash = true
[rerere]
	enabled = true
	autoUpdate = true
`,
  )
  const place = await repository.begin('mender')
  await repository.write(place.path, {
    'a.txt': lines('a', 12, { 5: 'agent' }),
    'crlf.txt': 'one\r\ntwo\r\n',
    'Größe.txt': 'ü\n',
  })
  const saved = value(await repository.worktrees.save(place, { task: 'Größe ändern', ended: 'completed' }))
  expect(saved).toMatchObject({ commits: 1, files: 3, problems: [], check: { kind: 'clean' } })
  await repository.worktrees.release(place)
  await repository.write(place.path, { 'late.txt': 'late\n' })
  const { files, commits } = value(await repository.review.changes(keyOf(place)))
  expect(files.map(({ path, insertions }) => [path, insertions])).toEqual([
    ['Größe.txt', 1],
    ['a.txt', 1],
    ['crlf.txt', 2],
    ['late.txt', 1],
  ])
  expect(commits.map(({ subject }) => subject)).toEqual(['Agent task: Größe ändern'])

  await repository.commit({ 'b.txt': 'person\n' })
  value(await repository.review.merge(keyOf(place), { method: 'rebase', into: null }))
  const words = execFileSync(
    'git',
    ['-c', 'i18n.logOutputEncoding=UTF-8', '-c', 'log.showSignature=false', 'log', '--format=%s'],
    {
      cwd: repository.folder,
      encoding: 'utf8',
    },
  )
  expect(words.split('\n').slice(0, 3)).toEqual([
    'Agent task: Task of mender',
    'Agent task: Größe ändern',
    'Work of a person',
  ])
  expect(await main('status', '--porcelain', '--untracked-files=all')).toBe('')
})

test('a submodule that its settings hide from git is in the list, and an abort leaves what lies in it', async () => {
  const library = join(repository.home, 'library')
  execFileSync('git', ['clone', '-q', repository.folder, library])
  const withSubmodules = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', ...args], {
      cwd: folder,
    })
  withSubmodules(repository.folder, 'add', library, 'sub')
  await main('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'all')
  await repository.commit({}, 'A submodule')
  const place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  withSubmodules(place.path, 'update', '--init')
  await repository.run(join(place.path, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'Further')
  await repository.run(place.path, 'add', '-f', 'sub')
  await repository.run(place.path, 'commit', '-qm', 'Moved')
  const { files } = value(await repository.review.changes(keyOf(place)))
  expect(files.map(({ path }) => path)).toEqual(['a.txt', 'sub'])

  await appendFile(join(repository.home, '.gitconfig'), '[submodule]\n\trecurse = true\n')
  await repository.commit({ 'a.txt': 'person\n' })
  value(await repository.review.beginResolving(keyOf(place)))
  await repository.write(place.path, { 'sub/a.txt': 'in the submodule\n' })
  value(await repository.review.abortResolving(keyOf(place)))
  expect(await text(place, 'sub/a.txt')).toBe('in the submodule\n')
})
