/**
 * Moves a branch to a commit that continues it, in one step. Where it is checked out its files move with it,
 * unless that would overwrite something: then nothing is changed.
 */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../../shared/result.ts'
import { branchRef } from '../branch-ref.ts'
import type { Git } from '../git-client.ts'
import { exists } from '../remove-worktree.ts'
import type { Repository } from '../repository.ts'
import { namedFiles } from './named-files.ts'
import { commitOf } from './review-tools.ts'

export interface BranchMove {
  readonly branch: string
  /** Where it stands, as the new commit was worked out. */
  readonly from: string
  readonly to: string
  /** What is written into the reflog. */
  readonly why: string
}

/** Failures: `would-overwrite`, `moved`, `git`. */
export async function advanceBranch(
  git: Git,
  repository: Repository,
  move: BranchMove,
): Promise<Result<void>> {
  const { branch, from, to, why } = move
  const [places, rebased] = await Promise.all([
    checkouts(git, repository.top),
    isBeingRebased(repository.commonFolder, branch),
  ])
  if (!places.ok) return places
  if (rebased)
    return fail({
      type: 'would-overwrite',
      message: `A rebase of ${branch} is under way. Finish it or abort it first; nothing was changed.`,
    })
  const place = places.value.find(({ ref }) => ref === branchRef(branch))?.path
  if (place !== undefined && (await exists(place))) {
    if ((await commitOf(git, repository.top, branchRef(branch))) !== from) return fail(movedFailure(branch))
    const moved = await fastForward(git, { place, move })
    if (!moved.ok) return moved
    const now = await commitOf(git, repository.top, branchRef(branch))
    return now === to ? ok(undefined) : fail(movedFailure(branch))
  }
  const updated = await git.run(repository.top, ['update-ref', '-m', why, branchRef(branch), to, from])
  if (updated.ok) return ok(undefined)
  return /but expected|cannot lock ref/.test(updated.failure.message) ? fail(movedFailure(branch)) : updated
}

export const movedFailure = (branch: string): Failure => ({
  type: 'moved',
  message: `${branch} got new commits meanwhile, so the result no longer fits. Nothing was changed; try again.`,
})

/** What a user has set for merges must not change it: no stashing, no squashing, nothing ignored overwritten. */
const PLAINLY = [
  'merge',
  '--ff-only',
  '--no-squash',
  '--commit',
  '--no-autostash',
  '--no-overwrite-ignore',
  '--no-verify-signatures',
  '--quiet',
]

async function fastForward(
  git: Git,
  { place, move }: { readonly place: string; readonly move: BranchMove },
): Promise<Result<void>> {
  const { branch, to, why } = move
  const moved = await git.run(place, [...PLAINLY, to], { environment: { GIT_REFLOG_ACTION: why } })
  if (moved.ok) return ok(undefined)
  const words = moved.failure.message
  if (/Not possible to fast-forward|Diverging branches/i.test(words)) return fail(movedFailure(branch))
  const files = [...words.matchAll(/^\t(.+)$/gm)].map(([, file = '']) => file)
  if (files.length > 0)
    return fail({
      type: 'would-overwrite',
      message: `Uncommitted changes in ${place} are in the way: ${namedFiles(files)}. Commit them or put them aside, then merge again. Nothing was changed.`,
      cause: moved.failure,
    })
  if (/have not concluded|unmerged files|is not possible because you have/i.test(words))
    return fail({
      type: 'would-overwrite',
      message: `A merge is under way in ${place}. Finish it or abort it first; nothing was changed.`,
      cause: moved.failure,
    })
  return moved
}

interface Checkout {
  readonly path: string
  /** The full ref of its branch; null: none is checked out. */
  readonly ref: string | null
}

async function checkouts(git: Git, folder: string): Promise<Result<readonly Checkout[]>> {
  const output = await git.run(folder, ['worktree', 'list', '--porcelain', '-z'])
  if (!output.ok) return output
  return ok(
    output.value.split('\0\0').flatMap((entry) => {
      const lines = entry.split('\0')
      const value = (key: string) =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null
      const path = value('worktree')
      return path === null ? [] : [{ path, ref: value('branch') }]
    }),
  )
}

/** While a branch is rebased, git has it checked out nowhere. */
async function isBeingRebased(commonFolder: string, branch: string): Promise<boolean> {
  const linked = await readdir(join(commonFolder, 'worktrees')).catch(() => [])
  const folders = [commonFolder, ...linked.map((name) => join(commonFolder, 'worktrees', name))]
  const names = await Promise.all(
    folders
      .flatMap((folder) => ['rebase-merge', 'rebase-apply'].map((step) => join(folder, step, 'head-name')))
      .map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  return names.some((name) => name.trim() === branchRef(branch))
}
