/** The repository around a folder, as its files say it. */
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readPlainText } from '../files/plain-text.ts'

export interface Repository {
  /** The folder that holds `.git`. */
  readonly top: string
  /** Null where no branch is checked out, or its name is not one that git allows. */
  readonly branch: string | null
}

/** Bytes: both files hold one line. */
const LONGEST_LINE = 8 * 1024

/** Null outside a repository. Understands worktrees and submodules, whose `.git` is a file. */
export async function findRepository(folder: string): Promise<Repository | null> {
  for (let top = resolve(folder); ; top = dirname(top)) {
    const gitFolder = await gitFolderOf(top)
    if (gitFolder !== null) return { top, branch: await branchOf(gitFolder) }
    if (dirname(top) === top) return null
  }
}

async function gitFolderOf(folder: string): Promise<string | null> {
  const path = join(folder, '.git')
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return path
  if (!found?.isFile()) return null
  const read = await readPlainText(path, LONGEST_LINE)
  const named = /^gitdir: (.+)$/m.exec(read?.text ?? '')?.[1]?.trim()
  return named ? resolve(folder, named) : null
}

async function branchOf(gitFolder: string): Promise<string | null> {
  const read = await readPlainText(join(gitFolder, 'HEAD'), LONGEST_LINE)
  const branch = /^ref: refs\/heads\/(.+)$/.exec(read?.text.split('\n')[0]?.trim() ?? '')?.[1]
  return branch !== undefined && isBranchName(branch) ? branch : null
}

/**
 * A name goes into the system prompt, so a file that only looks like git's must not write sentences there:
 * blanks, control characters and git's own signs are not part of a branch's name.
 */
function isBranchName(name: string): boolean {
  return name.length <= 250 && /^[^\s~^:?*[\\\p{Cc}\p{Cf}]+$/u.test(name) && !/\.\.|(^|\/)\./.test(name)
}
