import { execFileSync } from 'node:child_process'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { createReviewRepository, lines, type ReviewRepository, value } from './testing/review-repository.ts'

let repository: ReviewRepository
/** An action of another program right before a git call. */
let meanwhile: ((command: string) => Promise<void>) | null = null

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

const keyOf = ({ id }: WorktreeLocation) => ({ folder: repository.folder, id })
const main = (...args: string[]) => repository.run(repository.folder, ...args)
const refs = async (below: string) =>
  (await main('for-each-ref', '--format=%(refname)', below)).split('\n').filter((ref) => ref !== '')
const text = (location: WorktreeLocation, path: string) => readFile(join(location.path, path), 'utf8')

/** Runs the action once, right before the first git call that starts with these arguments. */
function once(start: string, act: () => Promise<unknown>): void {
  meanwhile = async (command) => {
    if (!command.startsWith(start)) return
    meanwhile = null
    await act()
  }
}

test('two aborted conflict resolutions are both kept', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  for (const attempt of ['first try\n', 'second try\n']) {
    value(await repository.review.beginResolving(keyOf(location)))
    await repository.write(location.path, { 'a.txt': attempt })
    value(await repository.review.abortResolving(keyOf(location)))
  }
  const kept = await Promise.all((await refs('refs/troupe/kept')).map((ref) => main('show', `${ref}:a.txt`)))
  expect(kept.sort()).toEqual(['first try', 'second try'])
})

test('an agent that resumes during a discard or an abort keeps its worktree', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  const resume = () => repository.worktrees.restore(location, new AbortController().signal)
  once('rev-parse --verify --quiet --end-of-options refs/heads/main', resume)
  expect(await repository.review.discard(keyOf(location), location.branch)).toMatchObject({
    failure: { type: 'in-use' },
  })
  expect(await text(location, 'a.txt')).toContain('agent')
  expect(await refs('refs/troupe')).toEqual([])
  await repository.worktrees.release(location)

  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  value(await repository.review.beginResolving(keyOf(location)))
  once('status', async () => {
    await resume()
    await repository.write(location.path, { 'a.txt': 'resolved\n' })
  })
  expect(await repository.review.abortResolving(keyOf(location))).toMatchObject({
    failure: { type: 'in-use' },
  })
  expect(await text(location, 'a.txt')).toBe('resolved\n')
})

test('a merge that is committed during its abort stays', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  value(await repository.review.beginResolving(keyOf(location)))
  once('add --all', async () => {
    await repository.write(location.path, { 'a.txt': 'resolved\n' })
    await repository.run(location.path, 'commit', '-qam', 'By hand')
  })
  expect(await repository.review.abortResolving(keyOf(location))).toMatchObject({
    failure: { type: 'unfinished' },
  })
  expect(await main('show', `${location.branch}:a.txt`)).toBe('resolved')
})

test('a write into a worktree during its discard stops the discard', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  once('update-ref refs/troupe/trash', () => repository.write(location.path, { 'b.txt': 'by hand\n' }))
  expect(await repository.review.discard(keyOf(location), location.branch)).toMatchObject({
    failure: { type: 'moved' },
  })
  expect(await text(location, 'b.txt')).toBe('by hand\n')
  expect(await repository.listed(location.id)).toMatchObject({ state: 'ready', uncommitted: 1 })
  expect(await refs('refs/troupe')).toEqual([])
})

test('a moved folder is never removed if another program recreated the original folder', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  const aside = join(dirname(location.path), `.gone-${location.id}`)
  once('update-ref refs/troupe/trash', async () => {
    await repository.write(location.path, { 'b.txt': 'by hand\n' })
    // During the second check of the moved folder.
    once('status', () => repository.write(location.path, { 'cache/x': 'x' }))
  })
  const stopped = await repository.review.discard(keyOf(location), location.branch)
  expect(stopped).toMatchObject({ failure: { type: 'moved', message: expect.stringContaining(aside) } })
  const again = await repository.review.discard(keyOf(location), location.branch)
  expect(again).toMatchObject({ failure: { message: expect.stringContaining(aside) } })
  expect(await readFile(join(aside, 'b.txt'), 'utf8')).toBe('by hand\n')
  expect(await text(location, 'cache/x')).toBe('x')
})

test.each(['--assume-unchanged', '--skip-worktree'])(
  'discarding changes that git was told to ignore (%s) requires the typed name',
  async (flag) => {
    const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
    value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
    await repository.run(location.path, 'update-index', flag, 'b.txt')
    await repository.write(location.path, { 'b.txt': 'only here\n' })
    const { kept } = value(await repository.review.removeMerged(repository.folder))
    expect(kept).toMatchObject([{ id: location.id, because: expect.stringContaining('b.txt') }])
    expect(await text(location, 'b.txt')).toBe('only here\n')
    value(await repository.review.discard(keyOf(location), location.branch))
  },
)

test('commits on no branch survive the deletion of the folder', async () => {
  const locations = [
    await repository.work('fixer', [{ 'a.txt': 'agent\n' }]),
    await repository.work('other', [{ 'b.txt': 'other\n' }]),
  ]
  for (const location of locations) {
    await repository.run(location.path, 'switch', '-q', '--detach', 'main')
    await repository.write(location.path, { 'stray.txt': `${location.id}\n` })
    await repository.run(location.path, 'add', '-A')
    await repository.run(location.path, 'commit', '-qm', 'Stray')
    await rm(location.path, { recursive: true })
  }
  const [fixer, other] = locations as [WorktreeLocation, WorktreeLocation]
  const restored = value(await repository.worktrees.restore(fixer, new AbortController().signal))
  expect(restored.notes.join()).toContain('refs/troupe/kept/')
  value(await repository.review.discard(keyOf(other), other.branch))
  const kept = await refs('refs/troupe')
  expect(kept).toHaveLength(3)
  const stray = kept.filter((ref) => ref.includes('/kept/'))
  expect(await Promise.all(stray.map((ref) => main('show', `${ref}:stray.txt`)))).toEqual([
    fixer.id,
    other.id,
  ])
})

test('file names that are not UTF-8 can be listed, opened, discarded and merged', async () => {
  const odd = (folder: string, name: string) => Buffer.from(`${folder}/${name}`, 'latin1')
  await writeFile(odd(repository.folder, 'gr\xfc\xdfe.txt'), 'before\n')
  await main('add', '-A')
  await main('commit', '-qm', 'A name of old')
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  await writeFile(odd(location.path, 'gr\xfc\xdfe.txt'), 'after\n')
  await writeFile(odd(location.path, 'n\xeau.txt'), 'new\n')

  const { files } = value(await repository.review.changes(keyOf(location)))
  expect(files.map(({ path, kind }) => [path, kind])).toEqual([
    ['a.txt', 'modified'],
    ['gr\uFFFD\uFFFDe.txt', 'modified'],
    ['n\uFFFDu.txt', 'added'],
  ])
  expect(value(await repository.review.file(keyOf(location), 'gr\uFFFD\uFFFDe.txt'))).toEqual({
    kind: 'text',
    before: 'before\n',
    after: 'after\n',
  })

  value(await repository.review.discard(keyOf(location), location.branch))
  value(await repository.review.undoDiscard(keyOf(location)))
  expect(await readFile(odd(location.path, 'gr\xfc\xdfe.txt'), 'utf8')).toBe('after\n')
  expect(await readFile(odd(location.path, 'n\xeau.txt'), 'utf8')).toBe('new\n')
  value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
  expect(await readFile(odd(repository.folder, 'gr\xfc\xdfe.txt'), 'utf8')).toBe('after\n')
})

test('a merge works after `git gc --prune=now`', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  await repository.commit({ 'b.txt': 'person\n' })
  expect(await repository.listed(location.id)).toMatchObject({ check: { kind: 'clean' } })
  await main('gc', '--prune=now', '--quiet')
  value(await repository.review.merge(keyOf(location), { method: 'merge', into: null }))
  expect(await main('show', 'main:a.txt')).toBe('agent')
})

test('the next start keeps a branch that the user recreated after a discard', async () => {
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  const tip = await main('rev-parse', location.branch)
  value(await repository.review.discard(keyOf(location), location.branch))
  await main('branch', location.branch, tip)
  const record = `${location.path}.json`
  const dead = (await readFile(record, 'utf8')).replace(/"pid": \d+/, '"pid": 999999999')
  await writeFile(record, dead)
  await repository.review.tidy(repository.folder)
  expect(await refs('refs')).toEqual(['refs/heads/main', `refs/heads/${location.branch}`])
})

test('conflict markers of any length count as unresolved', async () => {
  await repository.commit({ '.gitattributes': 'a.txt conflict-marker-size=20\n' })
  const location = await repository.work('fixer', [{ 'a.txt': lines('a', 12, { 5: 'agent' }) }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'person' }) })
  value(await repository.review.beginResolving(keyOf(location)))
  expect(await repository.review.merge(keyOf(location), { method: 'merge', into: null })).toMatchObject({
    failure: { type: 'unfinished' },
  })
})

test('the user’s git settings do not change any result', async () => {
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
  const location = await repository.begin('fixer')
  await repository.write(location.path, {
    'a.txt': lines('a', 12, { 5: 'agent' }),
    'crlf.txt': 'one\r\ntwo\r\n',
    'Größe.txt': 'ü\n',
  })
  const saved = value(await repository.worktrees.save(location, { task: 'Größe ändern', ended: 'completed' }))
  expect(saved).toMatchObject({ commits: 1, files: 3, problems: [], check: { kind: 'clean' } })
  await repository.worktrees.release(location)
  await repository.write(location.path, { 'late.txt': 'late\n' })
  const { files, commits } = value(await repository.review.changes(keyOf(location)))
  expect(files.map(({ path, insertions }) => [path, insertions])).toEqual([
    ['Größe.txt', 1],
    ['a.txt', 1],
    ['crlf.txt', 2],
    ['late.txt', 1],
  ])
  expect(commits.map(({ subject }) => subject)).toEqual(['Agent task: Größe ändern'])

  await repository.commit({ 'b.txt': 'person\n' })
  value(await repository.review.merge(keyOf(location), { method: 'rebase', into: null }))
  const command = execFileSync(
    'git',
    ['-c', 'i18n.logOutputEncoding=UTF-8', '-c', 'log.showSignature=false', 'log', '--format=%s'],
    {
      cwd: repository.folder,
      encoding: 'utf8',
    },
  )
  expect(command.split('\n').slice(0, 3)).toEqual([
    'Agent task: Task of fixer',
    'Agent task: Größe ändern',
    'Work of a person',
  ])
  expect(await main('status', '--porcelain', '--untracked-files=all')).toBe('')
})

test('a submodule hidden by settings is listed, and an abort keeps its files', async () => {
  const catalog = join(repository.home, 'library')
  execFileSync('git', ['clone', '-q', repository.folder, catalog])
  const withSubmodules = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', ...args], {
      cwd: folder,
    })
  withSubmodules(repository.folder, 'add', catalog, 'sub')
  await main('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'all')
  await repository.commit({}, 'A submodule')
  const location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  withSubmodules(location.path, 'update', '--init')
  await repository.run(join(location.path, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'Further')
  await repository.run(location.path, 'add', '-f', 'sub')
  await repository.run(location.path, 'commit', '-qm', 'Moved')
  const { files } = value(await repository.review.changes(keyOf(location)))
  expect(files.map(({ path }) => path)).toEqual(['a.txt', 'sub'])

  await appendFile(join(repository.home, '.gitconfig'), '[submodule]\n\trecurse = true\n')
  await repository.commit({ 'a.txt': 'person\n' })
  value(await repository.review.beginResolving(keyOf(location)))
  await repository.write(location.path, { 'sub/a.txt': 'in the submodule\n' })
  value(await repository.review.abortResolving(keyOf(location)))
  expect(await text(location, 'sub/a.txt')).toBe('in the submodule\n')
})
