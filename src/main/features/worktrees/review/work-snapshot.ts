/**
 * The current content of a checkout, with all uncommitted changes, as a commit. It is built with a temporary index:
 * the checkout does not change, and no branch points to the commit.
 */
import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, messageOf, ok } from '../../../../shared/kernel/result.ts'
import { NOBODY } from '../../../platform/git/commit-tree.ts'
import { copyIndex } from '../../../platform/git/copy-index.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { GitResult } from '../../../platform/git/git-failure.ts'
import { excludedFiles, hiddenFiles } from '../../../platform/git/hidden-files.ts'
import { allExcept, PATHSPECS_FROM_INPUT } from '../../../platform/git/pathspecs.ts'
import { isUnreadable, readStatus, type StatusEntry } from '../../../platform/git/status.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'

export interface WorkSnapshot {
  /** The commit that is checked out. */
  readonly head: string
  /** The full ref of the branch that is checked out; null: none is. */
  readonly ref: string | null
  /** The tree of the checkout, without files that were copied in. */
  readonly tree: string
  /** `head` where nothing is uncommitted; else a commit on top of it. Equal work gives an equal commit. */
  readonly commit: string
  /** Commits of an unfinished merge. */
  readonly merging: readonly string[]
  /** Paths with uncommitted changes, including untracked files, without ignored and copied files. */
  readonly changed: readonly string[]
  /** The paths of `changed` that are in conflict. */
  readonly unmerged: readonly string[]
  /** Paths that are never committed: untracked copied files, and nested repositories. */
  readonly without: readonly string[]
  /** Files that `git status` does not list, but that the commit holds. Empty where the snapshot is lenient. */
  readonly unlisted: UnlistedFiles
}

interface SnapshotOptions {
  /** Paths that were copied in. They are left out. */
  readonly copied: readonly string[]
  /** Leaves out unreadable and unlisted files instead of failing. Enough to show the work, not enough to keep it. */
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
  '--git-common-dir',
]

/** @param folder the top of a checkout */
export async function workSnapshot(
  git: Git,
  folder: string,
  { copied, lenient }: SnapshotOptions,
): Promise<ReviewResult<WorkSnapshot>> {
  const [status, heads] = await Promise.all([
    readStatus(git, folder),
    git.answers(folder, FACTS, { accepts: [128] }),
  ])
  if (!status.ok) return status
  if (!heads.ok) return heads
  const [head = '', headTree = '', ref = '', realIndex = '', mergeHead = '', commonFolder = ''] =
    heads.value.output.split('\n')
  if (heads.value.code !== 0) return fail({ type: 'no-commits', message: `${folder} has no commits.` })
  const mergeHeads = await readFile(mergeHead, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
  const isCopied = new Set(copied)
  const isCopy = ({ path, kind }: StatusEntry) => kind === 'untracked' && isCopied.has(path)
  const entries = status.value.filter((entry) => !isCopy(entry))
  const unlisted = lenient
    ? ok(NOTHING_UNLISTED)
    : await unlistedFiles(git, folder, { commonFolder, isCopied })
  if (!unlisted.ok) return unlisted
  const merging = mergeHeads.split('\n').filter((line) => line !== '')
  const paths = (found: readonly StatusEntry[]) => found.map(({ path }) => path.replace(/\/$/, ''))
  const nested = paths(entries.filter(({ kind }) => kind === 'nested'))
  const without = [...nested, ...paths(status.value.filter(isCopy))]
  const facts = {
    head,
    ref: ref.startsWith('refs/heads/') ? ref : null,
    merging,
    changed: paths(entries),
    unmerged: paths(entries.filter(({ kind }) => kind === 'unmerged')),
    without,
    unlisted: unlisted.value,
  }
  const isListed =
    entries.length > 0 || unlisted.value.hidden.length > 0 || unlisted.value.excluded.length > 0
  if (!isListed && merging.length === 0) return ok({ ...facts, tree: headTree, commit: head })
  const files = entries.filter(({ kind, submodule }) => kind !== 'nested' && submodule?.moved !== false)
  const tree = await treeOfWork(git, folder, {
    realIndex,
    lenient,
    without,
    files: paths(files),
    unlisted: unlisted.value,
  })
  if (!tree.ok) return tree
  if (tree.value === headTree && merging.length === 0) return ok({ ...facts, tree: headTree, commit: head })
  const parents = [head, ...merging].flatMap((parent) => ['-p', parent])
  const args = ['commit-tree', ...parents, '-m', 'Work in progress', tree.value]
  const commit = await git.run(folder, args, { environment: NOBODY })
  if (!commit.ok) return commit
  return ok({ ...facts, tree: tree.value, commit: commit.value.trim() })
}

interface UnlistedFiles {
  /** Files whose changes git is set to ignore. */
  readonly hidden: readonly string[]
  /** Untracked files that only `.git/info/exclude` ignores. */
  readonly excluded: readonly string[]
  /** Like `excluded`, but too many or too large to keep: the commit does not contain these files. */
  readonly unkept: readonly string[]
}

const NOTHING_UNLISTED: UnlistedFiles = { hidden: [], excluded: [], unkept: [] }

/** Limits of the excluded files that a snapshot keeps. */
const MOST_EXCLUDED = { files: 2_000, bytes: 200 * 1024 * 1024 }

async function unlistedFiles(
  git: Git,
  folder: string,
  { commonFolder, isCopied }: { readonly commonFolder: string; readonly isCopied: ReadonlySet<string> },
): Promise<GitResult<UnlistedFiles>> {
  const [hidden, excluded] = await Promise.all([
    hiddenFiles(git, folder),
    excludedFiles(git, folder, { commonFolder }),
  ])
  if (!hidden.ok) return hidden
  if (!excluded.ok) return excluded
  const own = excluded.value.filter((path) => !isCopied.has(path))
  const areKept = own.length <= MOST_EXCLUDED.files && (await bytesOf(folder, own)) <= MOST_EXCLUDED.bytes
  return ok({ hidden: hidden.value, excluded: areKept ? own : [], unkept: areKept ? [] : own })
}

async function bytesOf(folder: string, paths: readonly string[]): Promise<number> {
  const found = await Promise.all(paths.map((path) => lstat(join(folder, path)).catch(() => null)))
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}

/** All files of a folder that is disconnected from its repository, as a commit on the tip of its branch. */
export async function salvagedWork(
  git: Git,
  { path, commonFolder, tip }: { readonly path: string; readonly commonFolder: string; readonly tip: string },
): Promise<ReviewResult<{ readonly commit: string; readonly tree: string }>> {
  const temporary = await mkdtemp(join(tmpdir(), 'troupe-index-'))
  const options = {
    environment: {
      ...NOBODY,
      GIT_DIR: commonFolder,
      GIT_WORK_TREE: path,
      GIT_INDEX_FILE: join(temporary, 'index'),
    },
    config: ['core.bare=false'],
  }
  try {
    const read = await git.run(path, ['read-tree', tip], options)
    if (!read.ok) return read
    const excluded = await excludedFiles(git, path, { commonFolder, environment: options.environment })
    if (!excluded.ok) return excluded
    const added = await git.run(path, ['add', '--all', '--sparse', '.'], options)
    if (!added.ok) return added
    const update = ['update-index', '--add', '-z', '--stdin']
    const extra = await git.run(path, update, { ...options, input: nulTerminated(excluded.value) })
    if (!extra.ok) return extra
    const tree = await git.run(path, ['write-tree'], options)
    if (!tree.ok) return tree
    const args = ['commit-tree', '-p', tip, '-m', 'Work in progress', tree.value.trim()]
    const commit = await git.run(path, args, options)
    return commit.ok ? ok({ commit: commit.value.trim(), tree: tree.value.trim() }) : commit
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

interface TreeOptions {
  /** The index of the checkout. */
  readonly realIndex: string
  readonly lenient: boolean
  readonly without: readonly string[]
  /** All files that differ from the commit or from the index. */
  readonly files: readonly string[]
  readonly unlisted: UnlistedFiles
}

async function treeOfWork(
  git: Git,
  folder: string,
  { realIndex, lenient, without, files, unlisted }: TreeOptions,
): Promise<ReviewResult<string>> {
  const temporary = await mkdtemp(join(tmpdir(), 'troupe-index-'))
  try {
    const index = join(temporary, 'index')
    // The copied index tells git which files are unchanged, so that it reads only the others.
    await copyIndex(realIndex, index)
    const environment = { GIT_INDEX_FILE: index }
    // `update-index` reads only the named files. If that fails, `add` goes through all files.
    const update = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
    const input = nulTerminated(files)
    const extra = await addUnlisted(git, folder, { unlisted, environment, update })
    if (!extra.ok) return extra
    const named = files.some(isUnreadable) ? null : await git.run(folder, update, { environment, input })
    if (named?.ok) return await writeTree(git, folder, environment)
    const add = ['add', '--all', '--sparse', ...(lenient ? ['--ignore-errors'] : [])]
    const added = await git.answers(folder, [...add, ...PATHSPECS_FROM_INPUT], {
      environment,
      input: allExcept(without),
      accepts: lenient ? [1] : [],
    })
    if (!added.ok) return added
    return await writeTree(git, folder, environment)
  } catch (error) {
    return fail({
      type: 'io',
      message: `Uncommitted changes in ${folder} could not be read: ${messageOf(error)}`,
      cause: error,
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function addUnlisted(
  git: Git,
  folder: string,
  {
    unlisted: { hidden, excluded },
    environment,
    update,
  }: {
    readonly unlisted: UnlistedFiles
    readonly environment: Readonly<Record<string, string>>
    readonly update: readonly string[]
  },
): Promise<GitResult<unknown>> {
  for (const flag of ['--no-skip-worktree', '--no-assume-unchanged']) {
    if (hidden.length === 0) break
    const args = ['update-index', flag, '-z', '--stdin']
    const shown = await git.run(folder, args, { environment, input: nulTerminated(hidden) })
    if (!shown.ok) return shown
  }
  const paths = [...hidden, ...excluded]
  return paths.length === 0 ? ok('') : git.run(folder, update, { environment, input: nulTerminated(paths) })
}

const nulTerminated = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')

async function writeTree(
  git: Git,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<ReviewResult<string>> {
  const tree = await git.run(folder, ['write-tree'], { environment })
  return tree.ok ? ok(tree.value.trim()) : tree
}
