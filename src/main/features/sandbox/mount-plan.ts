/**
 * What a command in the sandbox sees of the file system. It is an allow-list: the system read-only, the home as a private
 * folder with toolchains, no neighbors of the agent's folder, and the agent's folder itself, without what is read as
 * configuration or run later.
 */
import { dirname, join } from 'node:path'
import type { FoundFile } from './folder-scan.ts'
import type { HomeEntry } from './home-view.ts'

/**
 * `read`, `write`: the path of the host stands here. `empty`: an empty folder. `nothing`: a file that can't be opened.
 * `link`: a symbolic link.
 */
export type Mount =
  | { readonly kind: 'read' | 'write'; readonly at: string; readonly source: string }
  | { readonly kind: 'empty' | 'nothing'; readonly at: string }
  | { readonly kind: 'link'; readonly at: string; readonly target: string }

interface ViewRequest {
  /** Whether the files of an image come into the view; else those of this machine are there, read-only. */
  readonly hasImage: boolean
  /** The agent's folder. All paths are absolute, with links resolved. */
  readonly folder: string
  readonly home: string
  /** Troupe's data. */
  readonly dataFolder: string
  /** Emptied: what all programs share, and the folders around the agent's. Existing folders only. */
  readonly emptied: readonly string[]
  /** Of `emptied`, those with temporary files. */
  readonly temporary: readonly string[]
  /** Bound back from `/run`. */
  readonly ofRun: readonly string[]
  /** The private folders of the agent: its home, and what stands for the system's temporary folders. */
  readonly own: { readonly home: string; readonly temp: string; readonly systemTemp: string }
  readonly toolchains: readonly HomeEntry[]
  /** Private folders in place of what package managers have downloaded. */
  readonly downloads: readonly { readonly at: string; readonly source: string }[]
  /** Read besides the agent's folder: its repository, its skills, the program's own helper. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** In place of the repository's git folder. */
  readonly git: readonly { readonly source: string; readonly at: string; readonly writable: boolean }[]
  /** Below `reads` and `writes`. */
  readonly found: readonly FoundFile[]
  /** Files that stand for missing ones. */
  readonly placeholders: readonly { readonly at: string; readonly source: string }[]
  /** Never read, wherever they are. Those that are missing are left out. */
  readonly hides: readonly { readonly path: string; readonly isFolder: boolean }[]
}

/** The mounts in their order: an outer one before an inner one; of two at one path, the later rule of this page. */
export function mountPlan(request: ViewRequest): readonly Mount[] {
  const { folder, home, dataFolder, own } = request
  const plan = new Map<string, Mount>()
  const put = (mount: Mount) => plan.set(mount.at, mount)

  if (request.hasImage) put({ kind: 'empty', at: '/' })
  for (const at of request.emptied) put({ kind: 'empty', at })
  for (const at of request.temporary) put({ kind: 'write', at, source: own.systemTemp })
  for (const path of request.ofRun) put({ kind: 'read', at: path, source: path })
  put({ kind: 'write', at: home, source: own.home })
  put({ kind: 'empty', at: dataFolder })

  const isEmptied = (path: string) => [...plan.values()].some(({ at }) => isBelow(path, at))
  for (const { path, real, link } of request.toolchains) {
    if (!isEmptied(path) || request.writes.some((folder) => isBelow(real, folder))) continue
    if (link !== null) put({ kind: 'link', at: path, target: link })
    if (isEmptied(real) && !holds(real, [folder, home, dataFolder]))
      put({ kind: 'read', at: real, source: real })
  }
  for (const { at, source } of request.downloads)
    if (!request.writes.some((folder) => isBelow(at, folder))) put({ kind: 'write', at, source })
  for (const path of [folder, ...request.reads]) put({ kind: 'read', at: path, source: path })
  for (const path of [...request.writes, own.temp]) put({ kind: 'write', at: path, source: path })
  for (const { source, at, writable } of request.git) put({ kind: writable ? 'write' : 'read', at, source })

  const isWritten = (path: string) => {
    const around = nearest(path, plan)
    return around?.kind === 'write' || around?.kind === 'read'
  }
  const held = new Set<string>()
  for (const { path, access, kind } of request.found) {
    if (kind === 'link' || plan.get(path) !== undefined || !isWritten(path)) continue
    if (access === 'hidden')
      put(kind === 'folder' ? { kind: 'empty', at: path } : { kind: 'nothing', at: path })
    else put({ kind: 'read', at: path, source: path })
    held.add(path)
  }
  for (const { at, source } of request.placeholders)
    if (!plan.has(at)) {
      put({ kind: 'read', at, source })
      held.add(at)
    }
  for (const { path, isFolder } of request.hides)
    if (plan.get(path)?.kind !== 'write' && !isUnseen(path, plan.values())) {
      put(isFolder ? { kind: 'empty', at: path } : { kind: 'nothing', at: path })
      held.add(path)
    }
  for (const pin of pinsOf(held, plan)) put(pin)
  return [...plan.values()]
    .filter((mount) => !isThereAlready(mount, plan))
    .sort((a, b) => depth(a.at) - depth(b.at))
}

/** Each mount takes time at the start of a command, so what the mount around it shows as well is left out. */
function isThereAlready(mount: Mount, plan: ReadonlyMap<string, Mount>): boolean {
  if (mount.kind !== 'read') return false
  const around = nearest(dirname(mount.at), plan)
  return around?.kind === 'read' && mount.source === join(around.source, mount.at.slice(around.at.length))
}

/**
 * The folders between a held file and the writable folder around it: each is mounted on itself, because a folder that
 * is a mount can't be renamed. Otherwise a command could move a held file away and make a new one at its path.
 */
function* pinsOf(held: ReadonlySet<string>, plan: ReadonlyMap<string, Mount>): Generator<Mount> {
  const pinned = new Set<string>()
  for (const path of held)
    for (let at = dirname(path); at !== '/' && !pinned.has(at); at = dirname(at)) {
      if (plan.has(at)) break
      const around = nearest(at, plan)
      if (around?.kind !== 'write') break
      pinned.add(at)
      yield { kind: 'write', at, source: join(around.source, at.slice(around.at.length)) }
    }
}

/** The innermost mount that contains the path. */
function nearest(path: string, plan: ReadonlyMap<string, Mount>): Mount | undefined {
  for (let at = path; ; at = dirname(at)) {
    const mount = plan.get(at)
    if (mount !== undefined || at === '/') return mount
  }
}

/** Whether a command does not see what the host has at the path. */
export function isUnseen(path: string, plan: Iterable<Mount>): boolean {
  const around = nearest(path, new Map([...plan].map((mount) => [mount.at, mount])))
  if (around === undefined) return false
  if (around.kind === 'empty' || around.kind === 'nothing') return true
  return (around.kind === 'read' || around.kind === 'write') && around.source !== around.at
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

const holds = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isBelow(folder, path))

/** How many folders are around a path. */
export const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length)

/**
 * The arguments of bubblewrap for a plan. Empty folders become read-only once everything in them is mounted.
 * @param root the folder in which the plan's `/` is
 */
export function mountArguments(plan: readonly Mount[], root = ''): readonly string[] {
  return [
    ...plan.flatMap((mount) => {
      const at = `${root}${mount.at}`
      if (mount.kind === 'read') return ['--ro-bind-try', mount.source, at]
      if (mount.kind === 'write') return ['--bind', mount.source, at]
      // The root begins as an empty folder.
      if (mount.kind === 'empty') return mount.at === '/' ? [] : ['--tmpfs', at]
      if (mount.kind === 'link') return ['--symlink', mount.target, at]
      return ['--ro-bind', '/dev/null', at]
    }),
    ...plan.flatMap((mount) => (mount.kind === 'empty' ? ['--remount-ro', `${root}${mount.at}`] : [])),
  ]
}
