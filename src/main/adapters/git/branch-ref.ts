/** Branches of worktrees, made and removed by their full names and never over another value. */
import { ok, type Result } from '../../../shared/result.ts'
import type { Git, GitOptions } from './git-client.ts'

/** Git for a repository, whatever becomes of its checkouts. */
export interface RepositoryGit {
  run(args: readonly string[]): Promise<Result<string>>
  /** The same for what takes a git and a folder. */
  readonly git: Git
  readonly folder: string
}

/** @param folder any that is there; the command works on the common folder alone */
export function repositoryGit(
  git: Git,
  { folder, commonFolder }: { readonly folder: string; readonly commonFolder: string },
): RepositoryGit {
  const own = <Options extends GitOptions>(options: Options): Options => ({
    ...options,
    environment: { ...options.environment, GIT_DIR: commonFolder },
  })
  const itsGit: Git = {
    run: (place, args, options = {}) => git.run(place, args, own(options)),
    bytes: (place, args, options = {}) => git.bytes(place, args, own(options)),
    answers: (place, args, options) => git.answers(place, args, own(options)),
  }
  return { run: (args) => itsGit.run(folder, args), git: itsGit, folder }
}

export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** `taken`: there is a branch of that name. `blocked`: another branch's name is in the way of it. */
export type MadeBranch = 'made' | 'taken' | 'blocked'

export async function makeBranch(
  git: RepositoryGit,
  branch: string,
  commit: string,
): Promise<Result<MadeBranch>> {
  const made = await git.run(['update-ref', '--no-deref', branchRef(branch), commit, ''])
  if (made.ok) return ok('made')
  const { message } = made.failure
  if (/reference already exists|but expected/.test(message)) return ok('taken')
  if (/exists; cannot create|Not a directory|Is a directory|there are still refs under/.test(message))
    return ok('blocked')
  return made
}

/** Removes a branch that still stands where it is said to. */
export async function removeBranch(
  git: RepositoryGit,
  branch: string,
  commit: string,
): Promise<Result<string>> {
  return git.run(['update-ref', '--no-deref', '-d', branchRef(branch), commit])
}

/** Where branches stand; those that are not there are missing. */
export async function tipsOf(
  git: RepositoryGit,
  branches: readonly string[],
): Promise<Result<ReadonlyMap<string, { readonly commit: string; readonly tree: string }>>> {
  const listed = await git.run([
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
