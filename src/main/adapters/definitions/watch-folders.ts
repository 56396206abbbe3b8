/**
 * Tells when something changed in folders, which need not be there yet: of one that is missing the nearest
 * folder above it is watched, until it comes.
 */
import { watch as watchFolder } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { watch } from 'chokidar'

/** ms of quiet after a change: an editor writes in several steps. */
const QUIET = 60
/** Below a folder. */
const DEEPEST = 12

/** Returns what ends it. */
export function watchFolders(folders: () => Promise<readonly string[]>, changed: () => void): () => void {
  let isOver = false
  let timer: NodeJS.Timeout | null = null
  let end = () => {}
  let watched = ''

  /** Looks at what there is, and watches that; each change leads here again. */
  const look = async (): Promise<void> => {
    const paths = [...new Set(await folders())]
    const places = await Promise.all(paths.map(nearest))
    if (isOver || watched === places.join('\n')) return
    watched = places.join('\n')
    end()
    const there = paths.filter((path, index) => places[index] === path)
    const above = [...new Set(places.filter((place, index) => place !== paths[index]))]
    end = watchThese(there, above, soon)
  }
  const soon = () => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => {
      timer = null
      if (isOver) return
      changed()
      look().catch(() => {})
    }, QUIET)
  }
  look().catch(() => {})
  return () => {
    isOver = true
    if (timer !== null) clearTimeout(timer)
    end()
  }
}

/** `soon` is called once when it is ready, too: for what happened meanwhile. A folder that can't be watched is looked at when somebody asks. */
function watchThese(there: readonly string[], above: readonly string[], soon: () => void): () => void {
  const watcher = watch([...there], {
    ignoreInitial: true,
    depth: DEEPEST,
    ignored: (path, stats) => stats?.isFile() === true && !/\.(md|json)$/.test(path),
  })
  // With nothing to watch it never says that it is ready.
  if (there.length === 0) soon()
  watcher.on('ready', soon)
  watcher.on('all', soon)
  watcher.on('error', () => {})
  const others = above.flatMap((folder) => {
    try {
      const other = watchFolder(folder, { persistent: false }, soon)
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

/** The path, or what is there of it. */
async function nearest(path: string): Promise<string> {
  for (let here = path; ; here = dirname(here)) {
    const isThere = await stat(here).then(
      () => true,
      () => false,
    )
    if (isThere || dirname(here) === here) return here
  }
}
