/** The uncommitted changes of a checkout as a commit on its HEAD. The checkout, its index and its stashes don't change. */
import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import { asCommitter, type CommittedAs } from '../../platform/git/committer.ts'
import { copyIndex } from '../../platform/git/copy-index.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { allExcept, PATHSPECS_FROM_INPUT } from '../../platform/git/pathspecs.ts'
import type { Repository } from '../../platform/git/repository.ts'
import { draftName } from './draft-files.ts'

interface CarriedWork {
  readonly commit: string
  readonly committedAs: CommittedAs
}

interface CarryOptions {
  /** The checkout. */
  readonly repository: Pick<Repository, 'top' | 'gitFolder'>
  /** The parent of the new commit. */
  readonly base: string
  /** The excludes of the checkout, if it is a worktree of Troupe; null: the user's excludes. */
  readonly excludesFile: string | null
  /** Paths to leave out: nested repositories, files that are copied anyway. */
  readonly without: readonly string[]
  /** The folder for the temporary index. */
  readonly draftFolder: string
  readonly signal?: AbortSignal
}

/** Commits staged, unstaged and untracked changes, without ignored files. Null: there are none. Throws errors of the disk. */
export async function commitCarried(git: Git, options: CarryOptions): Promise<GitResult<CarriedWork | null>> {
  const { repository, base, signal } = options
  const tree = await workingTree(git, options)
  if (!tree.ok) return tree
  const call = signal ? { signal } : {}
  const before = await git.run(repository.top, ['rev-parse', `${base}^{tree}`], call)
  if (!before.ok) return before
  if (before.value.trim() === tree.value) return ok(null)
  const message = `Carried over: uncommitted changes of ${repository.top}\n`
  const made = await asCommitter(git, repository.top, (committer) =>
    git.run(repository.top, ['commit-tree', tree.value, '-p', base, '-F', '-'], {
      ...call,
      ...committer,
      input: message,
    }),
  )
  return made.ok ? ok({ commit: made.value.value.trim(), committedAs: made.value.as }) : made
}

/** The tree of the files in a checkout, without ignored ones, built in a temporary index. Throws errors of the disk. */
export async function workingTree(
  git: Git,
  { repository, excludesFile, without, draftFolder, signal }: Omit<CarryOptions, 'base'>,
): Promise<GitResult<string>> {
  const index = join(draftFolder, draftName())
  const options = {
    ...(signal ? { signal } : {}),
    environment: { GIT_INDEX_FILE: index },
    config: [
      'core.splitIndex=false',
      ...(excludesFile === null ? [] : [`core.excludesFile=${excludesFile}`]),
    ],
  }
  try {
    // The copied index tells git which files are unchanged, so that it reads only the others.
    await copyIndex(join(repository.gitFolder, 'index'), index)
    const added = await git.run(repository.top, ['add', '-A', '--sparse', ...PATHSPECS_FROM_INPUT], {
      ...options,
      input: allExcept(without),
    })
    if (!added.ok) return added
    const tree = await git.run(repository.top, ['write-tree'], options)
    return tree.ok ? ok(tree.value.trim()) : tree
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })])
  }
}

/**
 * Whether the checkout still holds everything that was carried over, byte for byte. False if that is uncertain.
 * @param top the top of the checkout that the changes came from
 */
export async function isStillThere(
  git: Git,
  top: string,
  { base, carried }: { readonly base: string; readonly carried: string },
): Promise<boolean> {
  const changed = await git.run(top, ['diff-tree', '-r', '-z', '--no-renames', base, carried])
  if (!changed.ok) return false
  const fields = changed.value.split('\0')
  const files: { readonly path: string; readonly hash: string; readonly mode: string }[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , hash = ''] = (fields[at] ?? '').split(' ')
    files.push({ path: fields[at + 1] ?? '', mode, hash })
  }
  const present = await Promise.all(
    files.map(async ({ path, mode }) => {
      const found = await lstat(join(top, path)).catch(() => null)
      if (mode === '000000') return found === null
      const isExecutable = mode === '100755'
      if (!mode.startsWith('100') || !found?.isFile() || path.includes('\n')) return false
      return process.platform === 'win32' || isExecutable === ((found.mode & 0o100) !== 0)
    }),
  )
  if (present.includes(false)) return false
  const kept = files.filter(({ mode }) => mode !== '000000')
  if (kept.length === 0) return true
  const hashed = await git.run(top, ['hash-object', '--stdin-paths'], {
    input: kept.map(({ path }) => `${path}\n`).join(''),
  })
  if (!hashed.ok) return false
  return hashed.value.trim() === kept.map(({ hash }) => hash).join('\n')
}
