/**
 * Tells when something changed in folders, which need not be there yet: of one that is missing the nearest
 * folder above it is watched, until it comes.
 */
import { watch as watchFolder } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { watch } from 'chokidar'

/** ms between a change and the word of it: an editor writes in several steps. */
const SOON = 80
/** Below a folder. */
const DEEPEST = 12

/** Returns what ends it. */
export function watchFolders(folders: () => Promise<readonly string[]>, changed: () => void): () => void {
  let isOver = false
  let timer: NodeJS.Timeout | null = null
  let isChanged = false
  let end = () => {}
  let watched = ''

  /** Looks at what there is, and watches that; each change leads here again. */
  const look = async (): Promise<void> => {
    const paths = [...new Set(await folders())]
    const places = await Promise.all(paths.map(nearest))
    const now = JSON.stringify(places)
    if (isOver || watched === now) return
    watched = now
    end()
    const those = (wanted: boolean) => [
      ...new Set(places.filter(({ isThere }) => isThere === wanted).map(({ real }) => real)),
    ]
    end = watchThese(
      { there: those(true), above: those(false) },
      { changed: () => soon(true), moved: () => soon(false) },
    )
  }
  const soon = (isReal: boolean) => {
    if (isOver) return
    isChanged ||= isReal
    // Not put off again and again: where something is written all day, it is told all day.
    timer ??= setTimeout(() => {
      timer = null
      if (isChanged) changed()
      isChanged = false
      look().catch(() => {})
    }, SOON)
  }
  look().catch(() => {})
  return () => {
    isOver = true
    if (timer !== null) clearTimeout(timer)
    end()
  }
}

interface Places {
  /** Watched whole. */
  readonly there: readonly string[]
  /** Where a folder that is missing would begin. */
  readonly above: readonly string[]
}

interface Heard {
  /** Once when it is ready, too: for what happened meanwhile. */
  readonly changed: () => void
  /** Something beside the folders, such as the first file of the home folder: it may be one of them. */
  readonly moved: () => void
}

/** A folder that can't be watched is looked at when somebody asks. */
function watchThese({ there, above }: Places, { changed, moved }: Heard): () => void {
  const watcher = watch([...there], {
    ignoreInitial: true,
    // They are not read either, and may lead anywhere.
    followSymlinks: false,
    depth: DEEPEST,
    ignored: (path, stats) =>
      /[/\\](node_modules|\.git)$/.test(path) || (stats?.isFile() === true && !/\.(md|json)$/.test(path)),
  })
  // With nothing to watch it never says that it is ready.
  if (there.length === 0) changed()
  watcher.on('ready', changed)
  watcher.on('all', changed)
  watcher.on('error', () => {})
  const others = above.flatMap((folder) => {
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

/** The real path, or that of what is there of it. */
async function nearest(path: string): Promise<{ readonly real: string; readonly isThere: boolean }> {
  for (let here = path; ; here = dirname(here)) {
    const real = await realpath(here).catch(() => null)
    if (real !== null || dirname(here) === here) return { real: real ?? here, isThere: here === path }
  }
}
