/** Waits for changes in a folder: notifications of the system, and a slow poll where they are missing. */
import { type FSWatcher, watch } from 'node:fs'

interface FolderWatch {
  /** Resolves when something changed since the last call, after the poll's time, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>
  close(): void
}

/** @param pollMs the longest time between two checks of the folder */
export function createFolderWatch(folder: string, pollMs: number): FolderWatch {
  let isChanged = false
  let wake = (): void => {}
  let watcher: FSWatcher | null = null
  const changed = () => {
    isChanged = true
    wake()
  }
  try {
    watcher = watch(folder, changed)
    watcher.on('error', () => watcher?.close())
  } catch {
    // The poll finds the changes.
  }
  return {
    next: (signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => end(), pollMs)
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          wake = () => {}
          isChanged = false
          resolve()
        }
        wake = end
        signal.addEventListener('abort', end, { once: true })
        if (isChanged || signal.aborted) end()
      }),
    close: () => watcher?.close(),
  }
}
