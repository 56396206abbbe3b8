/** Repositories that use git-lfs, on machines where git-lfs can't run: their large files stay pointers. */
import { join } from 'node:path'
import { LARGEST_TEXT, readPlainText } from '../system/plain-text.ts'
import type { Git, GitOptions } from './git-client.ts'
import { type GitResult, gitReason } from './git-failure.ts'

const OFF = [
  'filter.lfs.required=false',
  'filter.lfs.process=',
  'filter.lfs.smudge=',
  'filter.lfs.clean=',
] as const

interface TolerantGit extends Git {
  /** Whether a call was repeated without git-lfs because git-lfs failed. */
  fellBack(): boolean
}

/** Repeats a call without git-lfs where git-lfs failed. */
export function tolerateLargeFiles(git: Git): TolerantGit {
  let fellBack = false

  async function tolerate<T, Options extends GitOptions>(
    options: Options,
    call: (options: Options) => Promise<GitResult<T>>,
  ): Promise<GitResult<T>> {
    const done = await call(options)
    if (done.ok || gitReason(done.failure) !== 'lfs') return done
    const without = await call({ ...options, config: [...(options.config ?? []), ...OFF] })
    if (!without.ok) return done
    fellBack = true
    return without
  }

  return {
    run: (folder, args, options = {}) => tolerate(options, (chosen) => git.run(folder, args, chosen)),
    bytes: (folder, args, options = {}) => tolerate(options, (chosen) => git.bytes(folder, args, chosen)),
    answers: (folder, args, options) => tolerate(options, (chosen) => git.answers(folder, args, chosen)),
    fellBack: () => fellBack,
  }
}

/** Whether a checkout uses git-lfs and git-lfs is not configured. @param folder the top of the checkout */
export async function lacksLargeFiles(git: Pick<Git, 'answers'>, folder: string): Promise<boolean> {
  // A link in a checkout can lead to a file without an end.
  const attributes = await readPlainText(join(folder, '.gitattributes'), LARGEST_TEXT)
  if (!/\bfilter=lfs\b/.test(attributes?.text ?? '')) return false
  const args = ['config', '--get-regexp', '^filter\\.lfs\\.(process|smudge)$']
  const known = await git.answers(folder, args, { accepts: [1] })
  return !known.ok || known.value.code !== 0
}
