/** `git commit-tree`: commits that are made without a checkout. */
import { ok } from '../../../shared/kernel/result.ts'
import { asCommitter } from './committer.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

interface NewCommit {
  /** A tree, or a revision that names one. */
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** The author, if different from the committer. `date` in git's raw format: seconds and time zone. */
  readonly author?: { readonly name: string; readonly email: string; readonly date: string }
}

/** Commits under the user's identity, or Troupe's. @returns the new commit; no branch points to it */
export async function commitTree(
  git: Git,
  folder: string,
  { tree, parents, message, author }: NewCommit,
): Promise<GitResult<string>> {
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree]
  const made = await asCommitter(git, folder, ({ config, environment }) =>
    git.run(folder, args, {
      config,
      input: `${message.trimEnd()}\n`,
      environment: { ...environment, ...(author ? authorEnvironment(author) : {}) },
    }),
  )
  return made.ok ? ok(made.value.value.trim()) : made
}

const authorEnvironment = ({ name, email, date }: NonNullable<NewCommit['author']>) => ({
  // Git rejects an empty name.
  GIT_AUTHOR_NAME: name || email || 'unknown',
  GIT_AUTHOR_EMAIL: email,
  GIT_AUTHOR_DATE: date,
})

/** The identity and the date of commits that are only compared: equal content gives an equal commit. */
export const NOBODY = {
  GIT_AUTHOR_NAME: 'Troupe',
  GIT_AUTHOR_EMAIL: 'troupe@localhost',
  GIT_AUTHOR_DATE: '1000000000 +0000',
  GIT_COMMITTER_NAME: 'Troupe',
  GIT_COMMITTER_EMAIL: 'troupe@localhost',
  GIT_COMMITTER_DATE: '1000000000 +0000',
} as const
