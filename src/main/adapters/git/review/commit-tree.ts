/** Commits that are made without a checkout. */
import { ok, type Result } from '../../../../shared/result.ts'
import { asCommitter } from '../committer.ts'
import type { Git } from '../git-client.ts'

export interface NewCommit {
  /** A tree, or a revision that names one. */
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Whose work it is, where it is not that of who commits; `date` as git writes it: seconds and zone. */
  readonly author?: { readonly name: string; readonly email: string; readonly date: string }
}

/** Under the user's name or, where git knows none, the program's. @returns the new commit; no branch knows of it */
export async function commitTree(
  git: Git,
  folder: string,
  { tree, parents, message, author }: NewCommit,
): Promise<Result<string>> {
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree]
  const made = await asCommitter(({ config, environment }) =>
    git.run(folder, args, {
      config,
      input: `${message.trimEnd()}\n`,
      environment: { ...environment, ...(author ? authorEnvironment(author) : {}) },
    }),
  )
  return made.ok ? ok(made.value.value.trim()) : made
}

const authorEnvironment = ({ name, email, date }: NonNullable<NewCommit['author']>) => ({
  // Git refuses a name that is empty.
  GIT_AUTHOR_NAME: name || email || 'unknown',
  GIT_AUTHOR_EMAIL: email,
  GIT_AUTHOR_DATE: date,
})

/** For commits that are only compared: the same content gives the same commit, so what was found out holds. */
export const NOBODY = {
  GIT_AUTHOR_NAME: 'Troupe',
  GIT_AUTHOR_EMAIL: 'troupe@localhost',
  GIT_AUTHOR_DATE: '1000000000 +0000',
  GIT_COMMITTER_NAME: 'Troupe',
  GIT_COMMITTER_EMAIL: 'troupe@localhost',
  GIT_COMMITTER_DATE: '1000000000 +0000',
} as const
