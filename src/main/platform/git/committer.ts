/** The identity of commits: the user's, or Troupe's where git is configured without one. */
import { ok } from '../../../shared/kernel/result.ts'
import type { Git, GitOptions } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

export type CommittedAs = 'user' | 'fallback'

export const FALLBACK_NAME = { name: 'Troupe', email: 'troupe@localhost' } as const

const FALLBACK_ENVIRONMENT = {
  GIT_AUTHOR_NAME: FALLBACK_NAME.name,
  GIT_AUTHOR_EMAIL: FALLBACK_NAME.email,
  GIT_COMMITTER_NAME: FALLBACK_NAME.name,
  GIT_COMMITTER_EMAIL: FALLBACK_NAME.email,
}

/** An identity that git derives from the host name is useless in a commit. */
const CONFIG = ['user.useConfigOnly=true']

/**
 * Makes a commit under the user's identity, or under Troupe's where git knows none.
 * @param commit makes the commit; it adds these options to its own
 */
export async function asCommitter<T>(
  git: Git,
  folder: string,
  commit: (options: Required<Pick<GitOptions, 'config' | 'environment'>>) => Promise<GitResult<T>>,
): Promise<GitResult<{ readonly value: T; readonly as: CommittedAs }>> {
  const asUser = await commit({ config: CONFIG, environment: {} })
  if (asUser.ok) return ok({ value: asUser.value, as: 'user' })
  if (await hasIdentity(git, folder)) return asUser
  const asProgram = await commit({ config: CONFIG, environment: FALLBACK_ENVIRONMENT })
  return asProgram.ok ? ok({ value: asProgram.value, as: 'fallback' }) : asProgram
}

/** Whether git knows a name for commits. `git var` exits with 128 where no identity is configured. */
export async function hasIdentity(git: Git, folder: string): Promise<boolean> {
  const asked = await Promise.all(
    ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((name) =>
      git.answers(folder, ['var', name], { config: CONFIG, accepts: [128] }),
    ),
  )
  return asked.every((answer) => answer.ok && answer.value.code === 0)
}
