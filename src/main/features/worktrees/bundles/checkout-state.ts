/** The state of a checkout as commits: its HEAD, and a commit on top of it that holds the uncommitted changes. */
import { ok } from '../../../../shared/kernel/result.ts'
import { NOBODY } from '../../../platform/git/commit-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { GitResult } from '../../../platform/git/git-failure.ts'
import { readStatus } from '../../../platform/git/status.ts'
import { workingTree } from '../carried-work.ts'

interface ReadCheckout {
  /** The top of the checkout. */
  readonly top: string
  readonly gitFolder: string
  /** The excludes of the checkout, if it is a worktree of Troupe; null: the user's excludes. */
  readonly excludesFile: string | null
  /** Paths that are never sent: files that were only copied into the checkout. */
  readonly without: readonly string[]
  readonly draftFolder: string
  readonly signal?: AbortSignal
}

interface ReadState {
  readonly head: string
  /** Equal files give an equal commit. */
  readonly commit: string
  /** Repositories inside the checkout, which are left out. */
  readonly nested: readonly string[]
}

/** Changes neither the index nor the files. Throws errors of the disk. */
export async function readCheckoutState(git: Git, checkout: ReadCheckout): Promise<GitResult<ReadState>> {
  const { top, excludesFile, without, signal } = checkout
  const call = signal ? { signal } : {}
  const config = excludesFile === null ? [] : [`core.excludesFile=${excludesFile}`]
  const [head, status] = await Promise.all([
    git.run(top, ['rev-parse', 'HEAD', 'HEAD^{tree}'], call),
    readStatus(git, top, { ...call, config }),
  ])
  if (!head.ok) return head
  if (!status.ok) return status
  const [commit = '', before] = head.value.split('\n')
  const nested = status.value.filter(({ kind }) => kind === 'nested').map(({ path }) => path)
  if (status.value.length === 0) return ok({ head: commit, commit, nested })
  const untracked = new Set(status.value.filter(({ kind }) => kind === 'untracked').map(({ path }) => path))
  const tree = await workingTree(git, {
    repository: checkout,
    excludesFile,
    // `git add` fails on ignored paths, even as exclusions.
    without: [...nested, ...without.filter((path) => untracked.has(path))],
    draftFolder: checkout.draftFolder,
    ...call,
  })
  if (!tree.ok) return tree
  if (tree.value === before) return ok({ head: commit, commit, nested })
  const made = await git.run(top, ['commit-tree', '-p', commit, '-m', 'Uncommitted changes', tree.value], {
    ...call,
    environment: NOBODY,
  })
  return made.ok ? ok({ head: commit, commit: made.value.trim(), nested }) : made
}
