/**
 * Follows what holds a running command on Linux: a replaced file is mounted no more, and could be written; rules that
 * came meanwhile are not mounted.
 */
import { lstatSync, watch as watchFolder } from 'node:fs'
import { dirname } from 'node:path'
import type { Mount } from './mount-plan.ts'

interface WatchedCommand {
  /** Null: rules that name paths hold the command, whatever file is there. */
  readonly plan: readonly Mount[] | null
  /** Files that the command may not change, or that stand for missing ones. */
  readonly kept: readonly string[]
  /** Whether rules about files came since the command started. */
  rulesCame?(): Promise<boolean>
}

interface MountWatch {
  /** Aborts when the limits no longer hold, with a sentence as its reason. */
  readonly lost: AbortSignal
  stop(): void
}

/** How often it is looked whether the mounts of a running command still hold, in ms. */
const WATCH_MS = 1000

export function watchMounts({ plan, kept, rulesCame }: WatchedCommand): MountWatch {
  const lost = new AbortController()
  const mounted = plan?.flatMap((mount) => identityOf(mount) ?? []) ?? []
  const lose = (reason: string) => {
    stop()
    lost.abort(`The command was stopped because ${reason} Run the command again.`)
  }
  const check = () => {
    const changed = mounted.find((mount) => !isSameAsMounted(mount))
    if (changed !== undefined)
      lose(
        `${changed.at} was replaced or removed while it ran, so that the sandbox no longer kept it as it was.`,
      )
  }
  const folders = plan === null ? [] : [...new Set(kept.map((path) => dirname(path)))]
  const unwatch = watchNames(folders.slice(0, MOST_WATCHED), check)
  const timer = setInterval(() => {
    check()
    rulesCame?.().then(
      (came) => {
        if (came && !lost.signal.aborted) lose("the user's rules about files changed while it ran.")
      },
      () => undefined,
    )
  }, WATCH_MS)
  timer.unref()
  const stop = () => {
    clearInterval(timer)
    unwatch()
  }
  return { lost: lost.signal, stop }
}

interface MountedFile {
  readonly at: string
  readonly ino: number
  /** A file that is made in place of a removed one often has its number. */
  readonly birthtimeMs: number
}

/** What shows that a mount holds: its file is still the one that was mounted. */
function identityOf(mount: Mount): MountedFile | null {
  if (mount.kind === 'link' || mount.kind === 'empty') return null
  const found = lstatSync(mount.at, { throwIfNoEntry: false })
  return found === undefined ? null : { at: mount.at, ino: found.ino, birthtimeMs: found.birthtimeMs }
}

function isSameAsMounted({ at, ino, birthtimeMs }: MountedFile): boolean {
  const found = lstatSync(at, { throwIfNoEntry: false })
  return found?.ino === ino && found.birthtimeMs === birthtimeMs
}

/** Folders whose names are followed at once; the others once a second. */
const MOST_WATCHED = 50

/** Calls back soon after a name in one of the folders is made, removed or replaced. @returns the end */
function watchNames(folders: readonly string[], changed: () => void): () => void {
  let soon: NodeJS.Timeout | null = null
  const watchers = folders.flatMap((folder) => {
    try {
      const watcher = watchFolder(folder, { persistent: false }, (event) => {
        if (event !== 'rename' || soon !== null) return
        soon = setTimeout(() => {
          soon = null
          changed()
        }, 5)
        soon.unref()
      })
      watcher.on('error', () => undefined)
      return [watcher]
    } catch {
      return []
    }
  })
  return () => {
    if (soon !== null) clearTimeout(soon)
    for (const watcher of watchers) watcher.close()
  }
}
