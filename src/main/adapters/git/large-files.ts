/** Repositories that use git-lfs, on machines where git-lfs can't run: their large files stay pointers. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from './git-client.ts'
import { type GitResult, gitReason } from './git-failure.ts'

const OFF = [
  'filter.lfs.required=false',
  'filter.lfs.process=',
  'filter.lfs.smudge=',
  'filter.lfs.clean=',
] as const

export interface TolerantGit extends Git {
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
export async function lacksLargeFiles(git: Git, folder: string): Promise<boolean> {
  const attributes = await readFile(join(folder, '.gitattributes'), 'latin1').catch(() => '')
  if (!/\bfilter=lfs\b/.test(attributes)) return false
  const args = ['config', '--get-regexp', '^filter\\.lfs\\.(process|smudge)$']
  const known = await git.answers(folder, args, { accepts: [1] })
  return !known.ok || known.value.code !== 0
}
