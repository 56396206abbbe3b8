/** Git clients that add options to every call. */
import type { Git, GitOptions } from './git-client.ts'

/** A git client whose calls carry `environment`; `options.environment` of a call wins where `overrides` is false. */
function withEnvironment(
  git: Git,
  environment: Readonly<Record<string, string>>,
  { overrides }: { readonly overrides: boolean },
): Git {
  const extend = <Options extends GitOptions>(options: Options): Options => ({
    ...options,
    environment: overrides
      ? { ...options.environment, ...environment }
      : { ...environment, ...options.environment },
  })
  return {
    run: (folder, args, options = {}) => git.run(folder, args, extend(options)),
    bytes: (folder, args, options = {}) => git.bytes(folder, args, extend(options)),
    answers: (folder, args, options) => git.answers(folder, args, extend(options)),
  }
}

/** Calls search no parent folder of `ceiling` for a repository: the data folder may itself be in one. */
export const confineGit = (git: Git, ceiling: string): Git =>
  withEnvironment(git, { GIT_CEILING_DIRECTORIES: ceiling }, { overrides: false })

/** Calls use this git folder, regardless of the state of the checkout. */
export const inGitFolder = (git: Git, gitFolder: string): Git =>
  withEnvironment(git, { GIT_DIR: gitFolder }, { overrides: true })
