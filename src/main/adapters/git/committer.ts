/** Under whose name commits are made: the user's, or the program's where git knows none. */
import { ok, type Result } from '../../../shared/result.ts'
import type { GitOptions } from './git-client.ts'

export type CommittedAs = 'user' | 'fallback'

/** Who commits where git knows no name. */
const FALLBACK_NAME = { name: 'Troupe', email: 'troupe@localhost' } as const

const FALLBACK_ENVIRONMENT = {
  GIT_AUTHOR_NAME: FALLBACK_NAME.name,
  GIT_AUTHOR_EMAIL: FALLBACK_NAME.email,
  GIT_COMMITTER_NAME: FALLBACK_NAME.name,
  GIT_COMMITTER_EMAIL: FALLBACK_NAME.email,
}

/**
 * Makes a commit as the user, and where git knows no name as the program.
 * @param call makes it with these options beside its own
 */
export async function asCommitter<T>(
  call: (options: Required<Pick<GitOptions, 'config' | 'environment'>>) => Promise<Result<T>>,
): Promise<Result<{ readonly value: T; readonly as: CommittedAs }>> {
  // A name that git makes up of the computer's is nobody's.
  const config = ['user.useConfigOnly=true']
  const asUser = await call({ config, environment: {} })
  if (asUser.ok) return ok({ value: asUser.value, as: 'user' })
  if (!/auto-detection is disabled|tell me who you are|empty ident name/i.test(asUser.failure.message))
    return asUser
  const asProgram = await call({ config, environment: FALLBACK_ENVIRONMENT })
  return asProgram.ok ? ok({ value: asProgram.value, as: 'fallback' }) : asProgram
}
