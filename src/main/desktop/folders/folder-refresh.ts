/** Keeps the title bar's facts about the open folder up to date: the branch, and the number of uncommitted files. */
import { execFile } from 'node:child_process'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { Folders } from './folders.ts'

interface FolderRefreshOptions {
  readonly folders: Pick<Folders, 'current' | 'info'>
  /** Called with the new facts after each change. */
  readonly onChange: (folder: FolderInfo) => void
}

interface FolderRefresh {
  /** Schedules a refresh. Calls before it share it. */
  schedule(): void
  /** As `schedule`, and tells the facts also if they are those that were told last. */
  tellAgain(): void
  /** Schedules a refresh if the agent may have changed files. */
  onDelta(delta: RuntimeDelta): void
  stop(): void
}

/** ms before git is called: agents write in bursts. */
const QUIET = 1000

export function createFolderRefresh({ folders, onChange }: FolderRefreshOptions): FolderRefresh {
  let timer: NodeJS.Timeout | undefined
  let last = ''

  const update = async (): Promise<void> => {
    const path = folders.current
    if (path === null) return
    const info = await folders.info(path)
    if (!info.ok || folders.current !== path) return
    const now = JSON.stringify(info.value)
    if (now === last) return
    last = now
    onChange(info.value)
  }
  const schedule = (): void => {
    // A later call does not postpone the refresh, so constant activity cannot starve it.
    timer ??= setTimeout(() => {
      timer = undefined
      // On an error the title bar keeps its last facts.
      update().catch(() => {})
    }, QUIET)
  }

  return {
    schedule,
    tellAgain() {
      last = ''
      schedule()
    },
    onDelta(delta) {
      if (delta.type !== 'event' || delta.event.type !== 'tool-ended') return
      const kind = delta.event.display?.kind
      if (kind === 'diff' || kind === 'terminal') schedule()
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** ms. A slower repository shows no number. */
const LIMIT = 5000

/** Reading a repository must not run its code or wait for a lock. */
const careful = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'safe.bareRepository=explicit',
  '-c',
  'submodule.recurse=false',
]

/**
 * Counts changed, added and untracked files. Null outside a repository, without git, or after a timeout.
 * Git may run the repository's filters for this: call it for trusted folders only.
 *
 * @param environment git's environment; holds no key
 */
export function countDirtyFiles(folder: string, environment: NodeJS.ProcessEnv): Promise<number | null> {
  const args = [...careful, 'status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=all']
  return new Promise((resolve) => {
    execFile(
      'git',
      args,
      {
        cwd: folder,
        env: { ...environment, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
        timeout: LIMIT,
        maxBuffer: 64 * 1024 * 1024,
        windowsHide: true,
      },
      (error, output) => resolve(error === null ? countRecords(output) : null),
    )
  })
}

/** Records end with a NUL, because names may hold any other character. */
function countRecords(output: string): number {
  let count = 0
  for (let at = output.indexOf('\0'); at !== -1; at = output.indexOf('\0', at + 1)) count++
  return count
}
