/** Repositories that keep large files with git-lfs, and computers where that can't be run: such files stay pointers. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../../../shared/result.ts'
import type { Git, GitOptions } from './git-client.ts'

const OFF = [
  'filter.lfs.required=false',
  'filter.lfs.process=',
  'filter.lfs.smudge=',
  'filter.lfs.clean=',
] as const

export interface TolerantGit extends Git {
  /** Whether some call was made without git-lfs, since with it it failed. */
  fellBack(): boolean
}

/** What fails because of git-lfs is done once more without it. */
export function tolerateLargeFiles(git: Git): TolerantGit {
  let fellBack = false

  async function tolerantly<T, Options extends GitOptions>(
    options: Options,
    call: (options: Options) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const done = await call(options)
    if (done.ok || !/\blfs\b[\s\S]*(filter|not found)|filter[^\n]*\blfs\b/i.test(done.failure.message))
      return done
    const without = await call({ ...options, config: [...(options.config ?? []), ...OFF] })
    if (!without.ok) return done
    fellBack = true
    return without
  }

  return {
    run: (folder, args, options = {}) => tolerantly(options, (chosen) => git.run(folder, args, chosen)),
    bytes: (folder, args, options = {}) => tolerantly(options, (chosen) => git.bytes(folder, args, chosen)),
    answers: (folder, args, options) => tolerantly(options, (chosen) => git.answers(folder, args, chosen)),
    fellBack: () => fellBack,
  }
}

/** Whether files are kept with git-lfs and git does not know it. @param folder the top of a checkout */
export async function lacksLargeFiles(git: Git, folder: string): Promise<boolean> {
  const attributes = await readFile(join(folder, '.gitattributes'), 'latin1').catch(() => '')
  if (!/\bfilter=lfs\b/.test(attributes)) return false
  const args = ['config', '--get-regexp', '^filter\\.lfs\\.(process|smudge)$']
  const known = await git.answers(folder, args, { accepts: [1] })
  return !known.ok || known.value.code !== 0
}
