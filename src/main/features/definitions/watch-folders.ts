/**
 * Notifies of changes in folders. For a missing folder, the nearest existing parent is watched until the folder is
 * created.
 */
import { watch as watchFolder } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { watch } from 'chokidar'

/** ms between a change and its notification, because editors write in several steps. */
const SOON = 80
/** The maximum depth below a folder. */
const DEEPEST = 12

/** Returns the function that ends the watch. */
export function watchFolders(folders: () => Promise<readonly string[]>, changed: () => void): () => void {
  let isOver = false
  let timer: NodeJS.Timeout | null = null
  let isChanged = false
  let end = () => {}
  let watched = ''

  /** Watches the existing folders. Runs again after each change. */
  const rewatch = async (): Promise<void> => {
    const paths = [...new Set(await folders())]
    const locations = await Promise.all(paths.map(nearest))
    const now = JSON.stringify(locations)
    if (isOver || watched === now) return
    watched = now
    end()
    const foldersThat = (wanted: boolean) => [
      ...new Set(locations.filter(({ isThere }) => isThere === wanted).map(({ real }) => real)),
    ]
    end = watchThese(
      { existing: foldersThat(true), parents: foldersThat(false) },
      { changed: () => soon(true), moved: () => soon(false) },
    )
  }
  const soon = (isReal: boolean) => {
    if (isOver) return
    isChanged ||= isReal
    // The delay does not restart: continuous writes still cause notifications.
    timer ??= setTimeout(() => {
      timer = null
      if (isChanged) changed()
      isChanged = false
      rewatch().catch(() => {})
    }, SOON)
  }
  rewatch().catch(() => {})
  return () => {
    isOver = true
    if (timer !== null) clearTimeout(timer)
    end()
  }
}

interface WatchedFolders {
  /** Existing folders, watched with their content. */
  readonly existing: readonly string[]
  /** The nearest existing parents of missing folders. */
  readonly parents: readonly string[]
}

interface WatchListeners {
  /** Also called once when ready, for changes during the setup. */
  readonly changed: () => void
  /** Something outside the folders changed, such as a file in the home folder. It may be a watched folder. */
  readonly moved: () => void
}

/** Changes in a folder that can't be watched are seen on the next load. */
function watchThese({ existing, parents }: WatchedFolders, { changed, moved }: WatchListeners): () => void {
  const watcher = watch([...existing], {
    ignoreInitial: true,
    // Links may lead anywhere, and the loader does not follow them either.
    followSymlinks: false,
    depth: DEEPEST,
    ignored: (path, stats) =>
      /[/\\](node_modules|\.git)$/.test(path) || (stats?.isFile() === true && !/\.(md|json)$/.test(path)),
  })
  // Without folders, the watcher never becomes ready.
  if (existing.length === 0) changed()
  watcher.on('ready', changed)
  watcher.on('all', changed)
  watcher.on('error', () => {})
  const others = parents.flatMap((folder) => {
    try {
      const other = watchFolder(folder, { persistent: false }, moved)
      other.on('error', () => {})
      return [other]
    } catch {
      return []
    }
  })
  return () => {
    void watcher.close()
    for (const other of others) other.close()
  }
}

/** The real path of a folder, or of its nearest existing parent. */
async function nearest(path: string): Promise<{ readonly real: string; readonly isThere: boolean }> {
  for (let here = path; ; here = dirname(here)) {
    const real = await realpath(here).catch(() => null)
    if (real !== null || dirname(here) === here) return { real: real ?? here, isThere: here === path }
  }
}
