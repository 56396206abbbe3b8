/** Facts about a folder for the system prompt. */
import type { FolderReader } from '../../runtime/ports/definitions.ts'
import type { Git } from '../git/git-client.ts'
import { findRepository } from './git-branch.ts'

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
