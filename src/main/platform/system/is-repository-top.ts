/** Whether a folder is the top of a git repository's checkout, without running git. */
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exists } from './exists.ts'

/** An empty or meaningless `.git`, which anyone may have put into a parent folder, makes no repository. */
export async function isRepositoryTop(folder: string): Promise<boolean> {
  const path = join(folder, '.git')
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return exists(join(path, 'HEAD'))
  if (!found?.isFile() || found.size > 4096) return false
  const named = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8').catch(() => ''))?.[1]
  return named !== undefined && exists(join(resolve(folder, named.trim()), 'HEAD'))
}
