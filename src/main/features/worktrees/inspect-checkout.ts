/** Inspects the checkout that a worktree is created from: the files to carry over, to copy and to leave behind. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { ignoredPaths } from '../../platform/git/hidden-files.ts'
import { tolerateLargeFiles } from '../../platform/git/large-files.ts'
import type { Repository } from '../../platform/git/repository.ts'
import { readStatus, type StatusEntry } from '../../platform/git/status.ts'
import type { CarryOver, WorktreeResult } from '../../runtime/ports/worktrees.ts'
import { includedFiles } from './include-files.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecords } from './worktree-records.ts'

/** The uncommitted changes of the checkout that the worktree is created from, and the files to copy. */
export interface InspectedCheckout {
  readonly status: readonly StatusEntry[]
  /** Untracked files that are copied anyway, or were themselves copied into that checkout. */
  readonly copies: readonly string[]
  readonly included: readonly string[]
  /** Files and folders that git ignores, and that are not copied. Only listed where changes are carried over. */
  readonly ignored: readonly string[]
  /** Changed files that are too large to carry over. */
  readonly large: readonly string[]
  readonly notes: readonly string[]
}

export async function inspectCheckout(
  { git, records }: { readonly git: Git; readonly records: WorktreeRecords },
  { top }: Repository,
  { carryOver, signal }: { readonly carryOver: CarryOver; readonly signal: AbortSignal },
): Promise<WorktreeResult<InspectedCheckout>> {
  // The checkout may itself be a worktree of Troupe, with copied files that are not work.
  const excludes = excludesFileOf(top)
  const options = { signal, config: excludes === null ? [] : [`core.excludesFile=${excludes}`] }
  const [status, included, own, ignored] = await Promise.all([
    readStatus(tolerateLargeFiles(git), top, options),
    includedFiles(git, top, { signal }),
    excludes === null ? null : records.read(top),
    carryOver === 'changes' ? ignoredPaths(git, top, options) : ok([]),
  ])
  if (!status.ok) return status
  if (!included.ok) return included
  if (!ignored.ok) return ignored
  const copied = new Set([...included.value.paths, ...(own?.copied ?? [])])
  const isCopy = ({ path, kind }: StatusEntry) => kind === 'untracked' && copied.has(path)
  const entries = status.value.filter((entry) => !isCopy(entry))
  return ok({
    status: entries,
    ignored: ignored.value.filter((path) => !copied.has(path)),
    large: carryOver === 'no' ? [] : await largeFiles(top, entries),
    copies: status.value.filter(isCopy).map(({ path }) => path),
    included: included.value.paths,
    notes: included.value.notes,
  })
}

/** The paths that a new worktree lacks. */
export function leftOutOf(
  { status, large, ignored }: InspectedCheckout,
  carryOver: CarryOver,
): readonly string[] {
  if (carryOver === 'no') return status.map(({ path }) => path)
  const left = status.filter(({ kind, submodule }) => kind === 'nested' || submodule?.dirty === true)
  return [...left.map(({ path }) => path), ...large, ...ignored]
}

/** Bytes. Larger files are not carried over: each would be stored in the repository. */
const LARGEST_CARRIED = 50 * 1024 * 1024

async function largeFiles(top: string, entries: readonly StatusEntry[]): Promise<readonly string[]> {
  const sizes = await Promise.all(entries.map(({ path }) => lstat(join(top, path)).catch(() => null)))
  return entries
    .filter((_, index) => sizes[index]?.isFile() && sizes[index].size > LARGEST_CARRIED)
    .map(({ path }) => path)
}
