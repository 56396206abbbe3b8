/** Commits all that is not committed in a checkout, under the user's name or, where git knows none, the program's. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../../shared/result.ts'
import { asCommitter, type CommittedAs } from './committer.ts'
import type { Git } from './git-client.ts'
import { isUnreadable, NOT_THERE, readStatus, type StatusEntry, SUBMODULE_MODE } from './git-status.ts'

export interface CommitAllOptions {
  readonly message: string
  /** What is never committed, in gitignore syntax: `core.excludesFile`. Null: the user's own list. */
  readonly excludesFile: string | null
  /** Files below the top that are left out whatever else is said of them: those that were copied in. */
  readonly never?: readonly string[]
  readonly signal?: AbortSignal
}

export interface CommittedAll {
  /** The new commit; null: there was nothing to commit, or it can't be yet: see `unfinished`. */
  readonly commit: string | null
  readonly committedAs: CommittedAs | null
  /** Files of a merge in which conflict markers are left. Where there are any, nothing is committed. */
  readonly unfinished: readonly string[]
  /** What is left out of it, in words for a person. */
  readonly problems: readonly string[]
}

/**
 * A merge that is under way is completed by it. Repositories within the checkout are left out. What can't be
 * committed stays as it is in the folder. Failures: those of git.
 */
export async function commitAll(
  git: Git,
  folder: string,
  { message, excludesFile, never = [], signal }: CommitAllOptions,
): Promise<Result<CommittedAll>> {
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
  const planted = plantedIn(status.value, strangers)
  const toCommit = status.value.filter(
    (entry) => !strangers.has(entry.path) && (entry.staged || !onlyDirtySubmodule(entry)),
  )
  const isNothing = toCommit.length === 0 && merge.value.code !== 0
  // Git takes it ill when what it ignores is named, even to be left out: these are taken out afterwards.
  const without = [...strangers].filter((path) => path.endsWith('/') || !planted.includes(path))
  const staged = isNothing ? ok([]) : await stageAll(git, folder, { without, options })
  if (!staged.ok) return staged
  const unstaged = await unstage(git, folder, { paths: planted, options })
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

/** What was added to the index and must not be committed. */
function plantedIn(entries: readonly StatusEntry[], strangers: ReadonlySet<string>): readonly string[] {
  return entries
    .filter(
      ({ path, staged, modes }) =>
        staged && strangers.has(path) && (modes.head === NOT_THERE || modes.index === SUBMODULE_MODE),
    )
    .map(({ path }) => path)
}

async function unstage(
  git: Git,
  folder: string,
  { paths, options }: { paths: readonly string[]; options: CallOptions },
): Promise<Result<unknown>> {
  if (paths.length === 0) return ok(undefined)
  const input = paths.map((path) => `${path}\0`).join('')
  return git.run(folder, ['update-index', '--force-remove', '-z', '--stdin'], { ...options, input })
}

/** @returns problems in words */
async function stageAll(
  git: Git,
  folder: string,
  { without, options }: { without: readonly string[]; options: CallOptions },
): Promise<Result<readonly string[]>> {
  const input = ['.', ...without.map((path) => `:(top,exclude,literal)${path.replace(/\/$/, '')}`)]
    .map((path) => `${path}\0`)
    .join('')
  const args = ['--pathspec-from-file=-', '--pathspec-file-nul']
  const added = await git.run(folder, ['add', '-A', '--sparse', ...args], { ...options, input })
  if (added.ok) return ok([])
  if (!/Permission denied/.test(added.failure.message)) return added
  const rest = await git.answers(folder, ['add', '-A', '--sparse', '--ignore-errors', ...args], {
    ...options,
    input,
    accepts: [1],
  })
  if (!rest.ok) return rest
  return ok([
    `Files that can’t be read were not committed and are still in ${folder}: ${added.failure.message}`,
  ])
}

async function commitStaged(
  git: Git,
  folder: string,
  { message, options }: { message: string; options: CallOptions },
): Promise<Result<CommittedAs | null>> {
  const args = ['commit', '-q', '--no-verify', '--cleanup=whitespace', '-F', '-']
  const made = await asCommitter(({ config, environment }) =>
    git.answers(folder, args, {
      ...options,
      config: [...options.config, ...config],
      input: message,
      environment,
      // Nothing was staged after all.
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

/** Whether a text still holds both sides of a conflict. */
export function hasMarkers(text: string): boolean {
  return /^<{7,}( |$)/m.test(text) && /^>{7,}( |$)/m.test(text)
}

/** Also those that were added by hand as if they were submodules, which nobody else could fetch. */
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

/** The paths that `.gitmodules` of a checkout names. */
export async function submodulePaths(git: Git, folder: string): Promise<ReadonlySet<string>> {
  const args = ['config', '-z', '-f', '.gitmodules', '--get-regexp', '^submodule\\..*\\.path$']
  const named = await git.answers(folder, args, { accepts: [1] })
  if (!named.ok) return new Set()
  return new Set(named.value.output.split('\0').flatMap((entry) => entry.split('\n')[1] ?? []))
}

const onlyDirtySubmodule = ({ submodule }: StatusEntry): boolean => submodule !== null && !submodule.moved

function nestedProblems(paths: readonly string[]): readonly string[] {
  return paths.map(
    (path) =>
      `${path.replace(/\/$/, '')} is a repository of its own within the worktree: it is left there and not committed. Move it out, or remove its .git and commit its files.`,
  )
}

function submoduleProblems(entries: readonly StatusEntry[]): readonly string[] {
  return entries.flatMap(({ path, submodule }) => {
    if (submodule?.dirty)
      return [`Changes within the submodule ${path} are not committed; they are in its folder.`]
    if (submodule?.moved)
      return [
        `The submodule ${path} stands at another commit; push that commit from there, or others can’t fetch it.`,
      ]
    return []
  })
}
