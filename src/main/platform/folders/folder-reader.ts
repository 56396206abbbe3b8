/** Facts about a folder for the system prompt, and the repository around it, read from its files. */

import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { FolderReader } from '../../runtime/ports/definitions.ts'
import type { Git } from '../git/git-client.ts'
import { readPlainText } from '../system/plain-text.ts'

/** A conversation starts without the state of git if reading it takes longer. */
const LONGEST_GIT_MS = 1500
const MOST_COMMITS = 5

interface FolderReaderOptions {
  readonly platform: string
  readonly git: Git
  /** The name of the shell that runs commands. */
  shell(): Promise<string>
}

export function createFolderReader({ platform, git, shell }: FolderReaderOptions): FolderReader {
  return {
    /** Read from files. No git command runs, so nothing in the folder is executed. */
    facts: async (folder) => {
      const [repository, name] = await Promise.all([findRepository(folder), shell()])
      return {
        isRepository: repository !== null,
        gitBranch: repository?.branch ?? null,
        platform,
        shell: name,
      }
    },
    gitState: async (folder) => {
      const options = { signal: AbortSignal.timeout(LONGEST_GIT_MS) }
      const log = ['log', '--oneline', '--no-decorate', '--no-show-signature', `-${MOST_COMMITS}`]
      const [status, commits] = await Promise.all([
        git.run(folder, ['status', '--short', '--ignore-submodules=dirty', '--', '.'], options),
        git.run(folder, log, options),
      ])
      // A repository without commits has no log.
      return status.ok
        ? { status: linesOf(status.value), commits: commits.ok ? linesOf(commits.value) : [] }
        : null
    },
  }
}

const linesOf = (output: string): readonly string[] => output.split('\n').filter((line) => line.trim() !== '')

interface Repository {
  /** The folder that holds `.git`. */
  readonly top: string
  /** Null: no branch is checked out, or its name is not valid in git. */
  readonly branch: string | null
}

/** Bytes. Both files hold a single line. */
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
 * The name goes into the system prompt, so a planted file must not add sentences to the prompt: spaces, control
 * characters and git's special characters are not valid in a branch name.
 */
function isBranchName(name: string): boolean {
  return name.length <= 250 && /^[^\s~^:?*[\\\p{Cc}\p{Cf}]+$/u.test(name) && !/\.\.|(^|\/)\./.test(name)
}
