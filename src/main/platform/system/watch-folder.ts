/** Watches the entries of one folder. */
import { type FSWatcher, watch } from 'node:fs'
import { makeFolder } from './atomic-file.ts'

/** ms. Changes within this time are told together. */
const SETTLE_TIME = 20
/** ms between looks where the system has no more watchers. */
const POLL_INTERVAL = 2000

/**
 * Calls `changed` soon after an entry was added, replaced or removed, and once at the beginning. A missing folder is
 * made. Where the system can't watch, `changed` is called every 2 s. Keeps no process alive.
 * @returns the function that stops watching
 */
export function watchFolder(folder: string, changed: () => void): () => void {
  let watcher: FSWatcher | null = null
  let timer: NodeJS.Timeout | null = null
  let poll: NodeJS.Timeout | null = null
  let stopped = false
  const soon = () => {
    if (stopped) return
    timer ??= setTimeout(() => {
      timer = null
      if (!stopped) changed()
    }, SETTLE_TIME)
  }
  const fallBack = () => {
    watcher?.close()
    if (!stopped) poll ??= setInterval(changed, POLL_INTERVAL).unref()
  }
  void makeFolder(folder).then(() => {
    if (stopped) return
    try {
      watcher = watch(folder, { persistent: false }, soon)
      watcher.on('error', fallBack)
    } catch {
      fallBack()
    }
    // A change before the watcher existed.
    soon()
  }, fallBack)
  return () => {
    stopped = true
    watcher?.close()
    if (timer !== null) clearTimeout(timer)
    if (poll !== null) clearInterval(poll)
  }
}
