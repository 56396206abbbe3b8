/** Commits all uncommitted changes of a checkout. */
import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import { asCommitter, type CommittedAs } from '../../platform/git/committer.ts'
import { hasMarkers } from '../../platform/git/conflict-markers.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { allExcept, PATHSPECS_FROM_INPUT } from '../../platform/git/pathspecs.ts'
import {
  isUnreadable,
  NO_MODE,
  readStatus,
  type StatusEntry,
  SUBMODULE_MODE,
} from '../../platform/git/status.ts'
import { submodulePaths } from '../../platform/git/submodules.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { fileListText } from './named-files.ts'

interface CommitAllOptions {
  readonly message: string
  /** The list of files that are never committed, as `core.excludesFile`. Null: the user's own list. */
  readonly excludesFile: string | null
  /** Paths that are always left out: files that were copied into the worktree. */
  readonly never?: readonly string[]
  readonly signal?: AbortSignal
}

export interface CommittedAll {
  /** The new commit; null: there was nothing to commit, or conflicts prevent it, see `unfinished`. */
  readonly commit: string | null
  readonly committedAs: CommittedAs | null
  /** Files with conflict markers of an unfinished merge. If there are any, nothing is committed. */
  readonly unfinished: readonly string[]
  /** The files that the commit leaves out, as text for the user. */
  readonly problems: readonly string[]
}

/**
 * Commits under the user's identity, or Troupe's where git knows none. An unfinished merge is completed. Nested
 * repositories are left out. Files that can't be committed stay in the folder unchanged.
 */
export async function commitAll(
  git: Git,
  folder: string,
  { message, excludesFile, never = [], signal }: CommitAllOptions,
): Promise<GitResult<CommittedAll>> {
  const options = {
    ...(signal ? { signal } : {}),
    config: excludesFile === null ? [] : [`core.excludesFile=${excludesFile}`],
  }
  const [status, merge] = await Promise.all([
    readStatus(git, folder, options),
    git.answers(folder, ['rev-parse', '-q', '--verify', 'MERGE_HEAD'], { ...options, accepts: [1] }),
  ])
  if (!status.ok) return status
  if (!merge.ok) return merge
  const unfinished = await withMarkers(folder, status.value)
  const nested = await nestedRepositories(git, folder, status.value)
  const names = new Set(status.value.map(({ path }) => path))
  const strangers = new Set([...nested, ...never.filter((path) => names.has(path))])
  const problems = [...nestedProblems(nested), ...submoduleProblems(status.value)]
  const nothing = { commit: null, committedAs: null, unfinished, problems }
  if (unfinished.length > 0) return ok(nothing)
  const added = addedStrangers(status.value, strangers)
  const toCommit = status.value.filter(
    (entry) => !strangers.has(entry.path) && (entry.staged || !onlyDirtySubmodule(entry)),
  )
  const isNothing = toCommit.length === 0 && merge.value.code !== 0
  // `git add` fails on ignored paths, even as exclusions: unstage them afterwards.
  const without = [...strangers].filter((path) => path.endsWith('/') || !added.includes(path))
  const paths = status.value.map(({ path }) => path)
  const staged = isNothing ? ok([]) : await stageAll(git, folder, { paths, without, options })
  if (!staged.ok) return staged
  const unstaged = await unstage(git, folder, { paths: added, options })
  if (!unstaged.ok) return unstaged
  if (isNothing) return ok(nothing)
  const made = await commitStaged(git, folder, { message, options })
  if (!made.ok) return made
  const all = [...problems, ...staged.value]
  if (made.value === null) return ok({ ...nothing, problems: all })
  const tip = await git.run(folder, ['rev-parse', 'HEAD'], options)
  if (!tip.ok) return tip
  return ok({ commit: tip.value.trim(), committedAs: made.value, unfinished, problems: all })
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly config: readonly string[]
}

/** Paths in the index that must not be committed. */
function addedStrangers(entries: readonly StatusEntry[], strangers: ReadonlySet<string>): readonly string[] {
  return entries
    .filter(
      ({ path, staged, modes }) =>
        staged && strangers.has(path) && (modes.head === NO_MODE || modes.index === SUBMODULE_MODE),
    )
    .map(({ path }) => path)
}

async function unstage(
  git: Git,
  folder: string,
  { paths, options }: { paths: readonly string[]; options: CallOptions },
): Promise<GitResult<unknown>> {
  if (paths.length === 0) return ok(undefined)
  const input = paths.map((path) => `${path}\0`).join('')
  return git.run(folder, ['update-index', '--force-remove', '-z', '--stdin'], { ...options, input })
}

interface Staging {
  /** All paths with changes. */
  readonly paths: readonly string[]
  readonly without: readonly string[]
  readonly options: CallOptions
}

/** @returns problems, as text for the user */
async function stageAll(
  git: Git,
  folder: string,
  { paths, without, options }: Staging,
): Promise<GitResult<readonly string[]>> {
  const input = allExcept(without)
  const args = ['add', '-A', '--sparse', ...PATHSPECS_FROM_INPUT]
  const added = await git.run(folder, args, { ...options, input })
  if (added.ok) return ok([])
  const denied = await unreadableFiles(folder, paths)
  if (denied.length === 0) return added
  const others = await git.answers(folder, [...args, '--ignore-errors'], { ...options, input, accepts: [1] })
  if (!others.ok) return others
  return ok([
    `Files that can’t be read were not committed and are still in ${folder}: ${fileListText(denied)}. Check their owner and permissions.`,
  ])
}

/** The files that exist and that this process may not read. */
async function unreadableFiles(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const isDenied = await Promise.all(
    paths.map((path) =>
      access(join(folder, path), constants.R_OK).then(
        () => false,
        (error: unknown) => codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM',
      ),
    ),
  )
  return paths.filter((_, index) => isDenied[index])
}

async function commitStaged(
  git: Git,
  folder: string,
  { message, options }: { message: string; options: CallOptions },
): Promise<GitResult<CommittedAs | null>> {
  const args = ['commit', '-q', '--no-verify', '--cleanup=whitespace', '-F', '-']
  const made = await asCommitter(git, folder, ({ config, environment }) =>
    git.answers(folder, args, {
      ...options,
      config: [...options.config, ...config],
      input: message,
      environment,
      // Exit code 1: nothing is staged.
      accepts: [1],
    }),
  )
  if (!made.ok) return made
  return ok(made.value.value.code === 0 ? made.value.as : null)
}

async function withMarkers(folder: string, entries: readonly StatusEntry[]): Promise<readonly string[]> {
  const unmerged = entries.filter(({ kind }) => kind === 'unmerged').map(({ path }) => path)
  const marked = await Promise.all(
    unmerged.map(
      async (path) =>
        isUnreadable(path) || hasMarkers(await readFile(join(folder, path), 'latin1').catch(() => '')),
    ),
  )
  return unmerged.filter((_, index) => marked[index])
}

/** Includes repositories that were added to the index like submodules: without a URL, no clone could fetch them. */
async function nestedRepositories(
  git: Git,
  folder: string,
  entries: readonly StatusEntry[],
): Promise<readonly string[]> {
  const added = entries.filter(({ modes }) => modes.index === SUBMODULE_MODE && modes.head !== SUBMODULE_MODE)
  const known = added.length === 0 ? new Set<string>() : await submodulePaths(git, folder)
  return [
    ...entries.filter(({ kind }) => kind === 'nested').map(({ path }) => path),
    ...added.filter(({ path }) => !known.has(path)).map(({ path }) => path),
  ]
}

const onlyDirtySubmodule = ({ submodule }: StatusEntry): boolean => submodule !== null && !submodule.moved

function nestedProblems(paths: readonly string[]): readonly string[] {
  return paths.map(
    (path) =>
      `${path.replace(/\/$/, '')} is a repository of its own inside the worktree: it was not committed and stays there. Move it elsewhere, or remove its .git and commit its files.`,
  )
}

function submoduleProblems(entries: readonly StatusEntry[]): readonly string[] {
  return entries.flatMap(({ path, submodule }) => {
    if (submodule?.dirty)
      return [`Changes inside the submodule ${path} were not committed. They are in its folder.`]
    if (submodule?.moved)
      return [
        `The submodule ${path} points to another commit. Push that commit from the submodule, or others can’t fetch it.`,
      ]
    return []
  })
}
