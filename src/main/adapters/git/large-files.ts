/** Repositories that keep large files with git-lfs, and computers that don't have it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from './git-client.ts'

/** `there`: git knows the filter. `missing`: it does not, so files are pointers. `broken`: it fails. `none`: no need. */
export type LargeFiles = 'none' | 'there' | 'missing' | 'broken'

/** Settings with which such files stay pointers. */
export const largeFilesOff = [
  'filter.lfs.required=false',
  'filter.lfs.process=',
  'filter.lfs.smudge=',
  'filter.lfs.clean=',
] as const

/** @param folder the top of a checkout */
export async function largeFilesOf(git: Git, folder: string): Promise<LargeFiles> {
  const attributes = await readFile(join(folder, '.gitattributes'), 'latin1').catch(() => '')
  if (!/\bfilter=lfs\b/.test(attributes)) return 'none'
  const known = await git.answers(folder, ['config', '--get-regexp', '^filter\\.lfs\\.(process|smudge)$'], {
    accepts: [1],
  })
  return known.ok && known.value.code === 0 ? 'there' : 'missing'
}
