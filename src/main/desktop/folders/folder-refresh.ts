/** Keeps what the title bar says about the open folder true: its branch, and how much is not committed. */
import type { FolderInfo } from '../../../shared/ipc-contract.ts'
import type { RuntimeDelta } from '../../runtime/runtime.ts'
import type { Folders } from './folders.ts'

export interface FolderRefreshOptions {
  readonly folders: Pick<Folders, 'current' | 'info'>
  readonly changed: (folder: FolderInfo) => void
}

export interface FolderRefresh {
  /** Looks soon; many calls are one look. */
  soon(): void
  /** What an agent did may have changed files. */
  hear(delta: RuntimeDelta): void
  stop(): void
}

/** ms of quiet before git is asked: agents write in bursts. */
const QUIET = 1000

export function createFolderRefresh({ folders, changed }: FolderRefreshOptions): FolderRefresh {
  let timer: NodeJS.Timeout | undefined
  let last = ''

  const look = async (): Promise<void> => {
    const path = folders.current
    if (path === null) return
    const info = await folders.info(path)
    if (!info.ok || folders.current !== path) return
    const now = JSON.stringify(info.value)
    if (now === last) return
    last = now
    changed(info.value)
  }
  const soon = (): void => {
    // Not put off again and again: a busy hour must not leave the title bar as it was.
    timer ??= setTimeout(() => {
      timer = undefined
      // A folder that can't be looked at now stays as it was.
      look().catch(() => {})
    }, QUIET)
  }

  return {
    soon,
    hear(delta) {
      if (delta.type !== 'event' || delta.event.type !== 'tool-ended') return
      const kind = delta.event.display?.kind
      if (kind === 'diff' || kind === 'terminal') soon()
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
