/** What is not committed in a checkout, as a commit on its HEAD; the checkout itself, its index and stashes stay as they are. */
import { constants } from 'node:fs'
import { copyFile, lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../../shared/result.ts'
import { codeOf } from '../transcripts/disk-failure.ts'
import { asCommitter, type CommittedAs } from './committer.ts'
import { draftName } from './draft-files.ts'
import type { Git } from './git-client.ts'
import type { Repository } from './repository.ts'

export interface CarriedWork {
  readonly commit: string
  readonly committedAs: CommittedAs
}

export interface CarryOptions {
  /** The checkout. */
  readonly repository: Pick<Repository, 'top' | 'gitFolder'>
  /** The commit below it. */
  readonly base: string
  /** The checkout's own excludes, where it is a worktree of this program; null: the user's. */
  readonly excludesFile: string | null
  /** Below the top: nested repositories, files that are copied anyway. */
  readonly without: readonly string[]
  /** Where the draft of an index may lie. */
  readonly draftFolder: string
  readonly signal?: AbortSignal
}

/** Staged, unstaged and untracked work, ignored files left out. Null: there is none. Failures: those of git and the disk. */
export async function commitCarried(git: Git, options: CarryOptions): Promise<Result<CarriedWork | null>> {
  const { repository, base, signal } = options
  const tree = await workingTree(git, options)
  if (!tree.ok) return tree
  const call = signal ? { signal } : {}
  const before = await git.run(repository.top, ['rev-parse', `${base}^{tree}`], call)
  if (!before.ok) return before
  if (before.value.trim() === tree.value) return ok(null)
  const message = `Carried over: what was not committed in ${repository.top}\n`
  const made = await asCommitter((committer) =>
    git.run(repository.top, ['commit-tree', tree.value, '-p', base, '-F', '-'], {
      ...call,
      ...committer,
      input: message,
    }),
  )
  return made.ok ? ok({ commit: made.value.value.trim(), committedAs: made.value.as }) : made
}

/** The tree of a checkout as its files are now, built in an index of its own. */
async function workingTree(
  git: Git,
  { repository, excludesFile, without, draftFolder, signal }: CarryOptions,
): Promise<Result<string>> {
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
    // What git knows of unchanged files comes along, so that it reads only the others.
    await copyFile(join(repository.gitFolder, 'index'), index, constants.COPYFILE_FICLONE).catch(
      (error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error
      },
    )
    const paths = ['.', ...without.map((path) => `:(top,exclude,literal)${path.replace(/\/$/, '')}`)]
    const added = await git.run(
      repository.top,
      ['add', '-A', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'],
      {
        ...options,
        input: paths.map((path) => `${path}\0`).join(''),
      },
    )
    if (!added.ok) return added
    const tree = await git.run(repository.top, ['write-tree'], options)
    return tree.ok ? ok(tree.value.trim()) : tree
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })])
  }
}

/**
 * Whether all that was carried over is still in the checkout it came from, byte for byte. When in doubt it is not.
 * @param top of that checkout
 */
export async function isStillThere(
  git: Git,
  top: string,
  { base, carried }: { readonly base: string; readonly carried: string },
): Promise<boolean> {
  const changed = await git.run(top, ['diff-tree', '-r', '-z', '--no-renames', base, carried])
  if (!changed.ok) return false
  const words = changed.value.split('\0')
  const files: { readonly path: string; readonly hash: string; readonly mode: string }[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, mode = '', , hash = ''] = (words[at] ?? '').split(' ')
    files.push({ path: words[at + 1] ?? '', mode, hash })
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
