/**
 * A checkout as it is at this moment, with all that is not committed, as a commit. It is made through an index
 * beside the checkout's own: nothing in the checkout changes, and no branch knows of it.
 */
import { constants } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../../shared/result.ts'
import { codeOf } from '../../transcripts/disk-failure.ts'
import type { Git } from '../git-client.ts'
import { isUnreadable, readStatus, type StatusEntry } from '../git-status.ts'
import { NOBODY } from './commit-tree.ts'

export interface WorkSnapshot {
  /** The commit that is checked out. */
  readonly head: string
  /** The branch that is checked out, as a full ref; null: none is. */
  readonly ref: string | null
  /** Of all that is in the checkout, without what was copied in. */
  readonly tree: string
  /** `head` where nothing is uncommitted; else a commit on top of it, the same one for the same work. */
  readonly commit: string
  /** Commits that are being merged into it. */
  readonly merging: readonly string[]
  /** Paths with changes that are not committed, untracked ones included, ignored and copied ones not. */
  readonly changed: readonly string[]
  /** Those of them that a merge left in conflict. */
  readonly unmerged: readonly string[]
  /** What is never committed: copied files that git does not ignore, and repositories that lie in it. */
  readonly without: readonly string[]
  /** Repositories of their own that lie in it, and submodules with changes: git keeps nothing of those. */
  readonly beyond: readonly string[]
}

export interface SnapshotOptions {
  /** Paths that were copied in: they are left out. */
  readonly copied: readonly string[]
  /** Files that can't be read are left out instead of failing: enough to look at, not enough to keep. */
  readonly lenient: boolean
}

const FACTS = [
  'rev-parse',
  '--path-format=absolute',
  'HEAD',
  'HEAD^{tree}',
  '--symbolic-full-name',
  'HEAD',
  '--git-path',
  'index',
  '--git-path',
  'MERGE_HEAD',
]

/** @param folder the top of a checkout. Failures: `no-commits`, `git`, `io`, `not-found` */
export async function workSnapshot(
  git: Git,
  folder: string,
  { copied, lenient }: SnapshotOptions,
): Promise<Result<WorkSnapshot>> {
  const [status, heads] = await Promise.all([
    readStatus(git, folder),
    git.answers(folder, FACTS, { accepts: [128] }),
  ])
  if (!status.ok) return status
  if (!heads.ok) return heads
  const [head = '', headTree = '', ref = '', realIndex = '', mergeHead = ''] = heads.value.output.split('\n')
  if (heads.value.code !== 0)
    return fail({ type: 'no-commits', message: `Nothing was committed yet in ${folder}.` })
  const mergeHeads = await readFile(mergeHead, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
  const isCopied = new Set(copied)
  const isCopy = ({ path, kind }: StatusEntry) => kind === 'untracked' && isCopied.has(path)
  const entries = status.value.filter((entry) => !isCopy(entry))
  const merging = mergeHeads.split('\n').filter((line) => line !== '')
  const paths = (found: readonly StatusEntry[]) => found.map(({ path }) => path.replace(/\/$/, ''))
  const nested = paths(entries.filter(({ kind }) => kind === 'nested'))
  const without = [...nested, ...paths(status.value.filter(isCopy))]
  const seen = {
    head,
    ref: ref.startsWith('refs/heads/') ? ref : null,
    merging,
    changed: paths(entries),
    unmerged: paths(entries.filter(({ kind }) => kind === 'unmerged')),
    without,
    beyond: [...nested, ...paths(entries.filter(({ submodule }) => submodule?.dirty))],
  }
  if (entries.length === 0 && merging.length === 0) return ok({ ...seen, tree: headTree, commit: head })
  const files = entries.filter(({ kind, submodule }) => kind !== 'nested' && submodule?.moved !== false)
  const tree = await treeOfWork(git, folder, { realIndex, lenient, without, files: paths(files) })
  if (!tree.ok) return tree
  if (tree.value === headTree && merging.length === 0) return ok({ ...seen, tree: headTree, commit: head })
  const parents = [head, ...merging].flatMap((parent) => ['-p', parent])
  const words = ['commit-tree', ...parents, '-m', 'Work in progress', tree.value]
  const commit = await git.run(folder, words, { environment: NOBODY })
  if (!commit.ok) return commit
  return ok({ ...seen, tree: tree.value, commit: commit.value.trim() })
}

/**
 * The same for a folder that does not lead to its repository any more: all files in it, as a commit on the tip
 * of its branch. Failures: `git`, `io`
 */
export async function salvagedWork(
  git: Git,
  { path, commonFolder, tip }: { readonly path: string; readonly commonFolder: string; readonly tip: string },
): Promise<Result<{ readonly commit: string; readonly tree: string }>> {
  const aside = await mkdtemp(join(tmpdir(), 'troupe-index-'))
  const options = {
    environment: {
      ...NOBODY,
      GIT_DIR: commonFolder,
      GIT_WORK_TREE: path,
      GIT_INDEX_FILE: join(aside, 'index'),
    },
    config: ['core.bare=false'],
  }
  try {
    const read = await git.run(path, ['read-tree', tip], options)
    if (!read.ok) return read
    const added = await git.run(path, ['add', '--all', '--sparse', '.'], options)
    if (!added.ok) return added
    const tree = await git.run(path, ['write-tree'], options)
    if (!tree.ok) return tree
    const words = ['commit-tree', '-p', tip, '-m', 'Work in progress', tree.value.trim()]
    const commit = await git.run(path, words, options)
    return commit.ok ? ok({ commit: commit.value.trim(), tree: tree.value.trim() }) : commit
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

interface TreeOptions {
  /** The checkout's own. */
  readonly realIndex: string
  readonly lenient: boolean
  readonly without: readonly string[]
  /** All that differs from the commit, or from the index. */
  readonly files: readonly string[]
}

async function treeOfWork(
  git: Git,
  folder: string,
  { realIndex, lenient, without, files }: TreeOptions,
): Promise<Result<string>> {
  const aside = await mkdtemp(join(tmpdir(), 'troupe-index-'))
  try {
    const index = join(aside, 'index')
    // With what git knows of the files, it reads only those that changed.
    await copyFile(realIndex, index, constants.COPYFILE_FICLONE).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    const environment = { GIT_INDEX_FILE: index }
    // By name, git looks at those files alone; where one of them stands in its way, it goes through all.
    const update = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
    const input = files.map((path) => `${path}\0`).join('')
    const named = files.some(isUnreadable) ? null : await git.run(folder, update, { environment, input })
    if (named?.ok) return await writtenTree(git, folder, environment)
    const add = ['add', '--all', '--sparse', ...(lenient ? ['--ignore-errors'] : [])]
    const paths = ['.', ...without.map((path) => `:(top,exclude,literal)${path}`)]
    const added = await git.answers(folder, [...add, '--pathspec-from-file=-', '--pathspec-file-nul'], {
      environment,
      input: paths.map((path) => `${path}\0`).join(''),
      accepts: lenient ? [1] : [],
    })
    if (!added.ok) return added
    return await writtenTree(git, folder, environment)
  } catch (error) {
    return fail({
      type: 'io',
      message: `What is not committed in ${folder} could not be looked at: ${messageOf(error)}`,
      cause: error,
    })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

async function writtenTree(
  git: Git,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Result<string>> {
  const tree = await git.run(folder, ['write-tree'], { environment })
  return tree.ok ? ok(tree.value.trim()) : tree
}
