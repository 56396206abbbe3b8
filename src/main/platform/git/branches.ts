/** `update-ref` and `for-each-ref` for branches. A branch is never moved or removed unless it is where we expect it. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'
import { inGitFolder } from './with-options.ts'

/** Git for a repository's common folder, independent of the state of its checkouts. */
export interface RepositoryGit {
  run(args: readonly string[]): Promise<GitResult<string>>
  /** The same client and folder, for functions that take both. */
  readonly git: Git
  readonly folder: string
  readonly commonFolder: string
}

/** @param folder any existing folder; commands work on the common folder alone */
export function repositoryGit(
  git: Git,
  { folder, commonFolder }: { readonly folder: string; readonly commonFolder: string },
): RepositoryGit {
  const common = inGitFolder(git, commonFolder)
  return { run: (args) => common.run(folder, args), git: common, folder, commonFolder }
}

export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** `taken`: the branch exists. `blocked`: the name of another branch is a prefix of this name, or the reverse. */
export type MadeBranch = 'made' | 'taken' | 'blocked'

export async function makeBranch(
  repository: RepositoryGit,
  branch: string,
  commit: string,
): Promise<GitResult<MadeBranch>> {
  const made = await repository.run(['update-ref', '--no-deref', branchRef(branch), commit, ''])
  if (made.ok) return ok('made')
  const known = await refsAround(repository, branch)
  if (!known.ok) return known
  if (known.value.includes(branchRef(branch))) return ok('taken')
  return known.value.length > 0 || (await isPathBlocked(repository, branch)) ? ok('blocked') : made
}

/** The branch itself, branches whose name is a folder of its name, and branches below its name. */
async function refsAround(repository: RepositoryGit, branch: string): Promise<GitResult<readonly string[]>> {
  const ref = branchRef(branch)
  const parents = parentsOf(branch).map(branchRef)
  const listed = await repository.run(['for-each-ref', '--format=%(refname)', '--', ref, ...parents])
  if (!listed.ok) return listed
  const names = listed.value.split('\n')
  return ok(names.filter((name) => name === ref || name.startsWith(`${ref}/`) || parents.includes(name)))
}

/** Whether remains in the folder of loose refs are in the way: git lists no broken refs. */
async function isPathBlocked({ commonFolder }: RepositoryGit, branch: string): Promise<boolean> {
  const typeAt = async (name: string) => {
    const found = await lstat(join(commonFolder, branchRef(name))).catch(() => null)
    return found === null ? 'missing' : found.isDirectory() ? 'folder' : 'file'
  }
  const parents = await Promise.all(parentsOf(branch).map(typeAt))
  return parents.includes('file') || (await typeAt(branch)) === 'folder'
}

/** `a/b/c` → `a`, `a/b`. */
function parentsOf(branch: string): readonly string[] {
  const parts = branch.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Removes a branch that still points to `commit`. */
export function removeBranch(
  repository: RepositoryGit,
  branch: string,
  commit: string,
): Promise<GitResult<string>> {
  return repository.run(['update-ref', '--no-deref', '-d', branchRef(branch), commit])
}

/** The commits and trees that branches point to. Branches that do not exist are left out. */
export async function tipsOf(
  repository: RepositoryGit,
  branches: readonly string[],
): Promise<GitResult<ReadonlyMap<string, { readonly commit: string; readonly tree: string }>>> {
  const listed = await repository.run([
    'for-each-ref',
    '--format=%(objectname) %(tree) %(refname)',
    '--',
    ...branches.map(branchRef),
  ])
  if (!listed.ok) return listed
  const lines = listed.value.split('\n').filter((line) => line !== '')
  return ok(
    new Map(
      lines.flatMap((line) => {
        const [commit = '', tree = '', ...ref] = line.split(' ')
        const branch = ref.join(' ').slice('refs/heads/'.length)
        return branches.includes(branch) ? [[branch, { commit, tree }] as const] : []
      }),
    ),
  )
}
