/** Keeps the title bar's facts about the open folder up to date: branch and number of uncommitted files. */
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
