/**
 * The files below some paths that were written since a time, by the times that the file system gives: a command can set
 * the time of a modification back, but not that of a change. This is for files whose content is not kept.
 */
import { isUtf8 } from 'node:buffer'
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FileChange } from '../../../shared/changes/changes.ts'
import { isUnreadable } from '../../platform/git/status.ts'
import { type ChangedState, type FileState, UNKNOWN } from './file-states.ts'

/** Files and folders that are looked at. */
const MOST_ENTRIES = 200_000

/** A folder at the top in which more files were written was filled by a program: its files are counted, not named. */
const MOST_NAMED = 20

/** Names of folders in a note. */
const MOST_IN_NOTE = 5

/** ms of searching before other code gets to run. */
const TURN_MS = 4

export interface Written {
  readonly changes: readonly ChangedState[]
  /** The number of other written files. */
  readonly count: number
  /** For display: where these files are, where files were deleted, and what was not inspected. Empty: none. */
  readonly note: string
}

interface WrittenOptions {
  /** A time of the file system, in ms. */
  readonly since: number
  /** Why the content of these files is not kept. */
  readonly kept: Exclude<FileChange['kept'], 'yes'>
}

/** Files and folders that changed since the time of a walk. */
interface Walked {
  readonly files: readonly { readonly path: string; readonly stats: Stats }[]
  /** With the time of the newest file in it, in ms. */
  readonly folders: readonly { readonly path: string; readonly stats: Stats; readonly newest: number }[]
  readonly missing: readonly string[]
  readonly unseen: readonly string[]
}

interface NextWalk {
  readonly paths: Set<string>
  since: number
  readonly walked: Promise<Walked>
}

export class WrittenFiles {
  /** By top folder: the running walk, and the next one, which all callers in between share. */
  private readonly walks = new Map<string, { readonly running: Promise<Walked>; next: NextWalk | null }>()

  private readonly isPlaceholder: (path: string) => boolean
  private readonly now: () => number

  /**
   * @param isPlaceholder whether an empty file or folder is a placeholder of the sandbox, which keeps a command from
   * making one there
   * @param now ms since the epoch
   */
  constructor(isPlaceholder: (path: string) => boolean, now: () => number) {
    this.isPlaceholder = isPlaceholder
    this.now = now
  }

  /** @param paths files and folders below `top`, relative to it; '': all but `.git`. One that is missing was deleted. */
  async since(top: string, paths: readonly string[], options: WrittenOptions): Promise<Written> {
    if (paths.length === 0) return { changes: [], count: 0, note: '' }
    const { files, ...walked } = await this.walk(top, paths, options.since)
    const own = files.filter(({ path, stats }) => stats.size > 0 || !this.isPlaceholder(join(top, path)))
    return writtenOf(top, { ...walked, files: own }, options)
  }

  /** One walk serves all commands that ended before it began. */
  private walk(top: string, paths: readonly string[], since: number): Promise<Walked> {
    const own = this.walks.get(top)
    if (own === undefined) {
      const running = walk(top, { paths, since, now: this.now }).finally(() => this.walks.delete(top))
      this.walks.set(top, { running, next: null })
      return running
    }
    const next: NextWalk = own.next ?? {
      paths: new Set<string>(),
      since,
      walked: own.running.then(
        () => again(),
        () => again(),
      ),
    }
    const again = (): Promise<Walked> => this.walk(top, [...next.paths], next.since)
    for (const path of paths) next.paths.add(path)
    next.since = Math.min(next.since, since)
    own.next = next
    return next.walked
  }
}

async function walk(
  top: string,
  {
    paths,
    since,
    now,
  }: { readonly paths: readonly string[]; readonly since: number; readonly now: () => number },
): Promise<Walked> {
  const files: { path: string; stats: Stats }[] = []
  const folders: { path: string; stats: Stats; newest: number }[] = []
  const missing: string[] = []
  const unseen: string[] = []
  /** Folders that have names that are not UTF-8. */
  const odd = new Set<string>()
  const open = paths.map((path) => path.replace(/\/$/, ''))
  let looked = 0
  let turn = now()

  /** Names that are not UTF-8, in a folder whose path is. A folder with such a name stands for all in it. */
  function lookForOdd(folder: string): void {
    for (const name of oddNames(join(top, folder))) {
      const path = folder === '' ? name.toString() : `${folder}/${name.toString()}`
      const stats = newestIn(Buffer.concat([Buffer.from(`${join(top, folder)}/`), name]), () => ++looked)
      if (stats === null) unseen.push(path)
      else if (stats.ctimeMs >= since) files.push({ path, stats })
    }
  }

  function lookInto(path: string, stats: Stats): void {
    const entries = entriesOf(join(top, path))
    if (entries === null) {
      unseen.push(path)
      return
    }
    let newest = 0
    if (entries.some(({ name }) => isUnreadable(name))) odd.add(path)
    for (const entry of entries) {
      if (isUnreadable(entry.name) && !statsOf(join(top, path, entry.name))) continue
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      // The repository's own folder is git's.
      if (entry.isDirectory() && below !== '.git') open.push(below)
      if (entry.isDirectory()) continue
      looked++
      const own = statsOf(join(top, below))
      if (own === 'hidden') unseen.push(below)
      if (own === undefined || own === 'hidden') continue
      newest = Math.max(newest, own.ctimeMs)
      if (own.ctimeMs >= since) files.push({ path: below, stats: own })
    }
    if (stats.ctimeMs >= since) folders.push({ path, stats, newest })
  }

  for (const path of open) {
    if (++looked > MOST_ENTRIES) {
      unseen.push(path)
      continue
    }
    if (now() - turn > TURN_MS) {
      await setImmediate()
      turn = now()
    }
    const stats = statsOf(join(top, path))
    if (stats === undefined && isUnreadable(path)) odd.add(readablePart(path))
    else if (stats === undefined) missing.push(path)
    else if (stats === 'hidden') unseen.push(path)
    else if (stats.isDirectory()) lookInto(path, stats)
    else if (stats.ctimeMs >= since) files.push({ path, stats })
  }
  for (const folder of odd) lookForOdd(folder)
  return { files, folders, missing, unseen }
}

/** The folders of a path up to the first whose name is not UTF-8. */
function readablePart(path: string): string {
  const names = path.split('/')
  return names.slice(0, names.findIndex(isUnreadable)).join('/')
}

/** Names in a folder that are not UTF-8, as bytes. */
function oddNames(folder: string): readonly Buffer[] {
  try {
    const names = readdirSync(Buffer.from(folder), { encoding: 'buffer' })
    return names.filter((name) => !isUtf8(name))
  } catch {
    return []
  }
}

/** What changed last of a file, or of a folder and all in it. Null: it can't be read, or there is too much. */
function newestIn(path: Buffer, look: () => number): Stats | null {
  try {
    if (look() > MOST_ENTRIES) return null
    const own = lstatSync(path)
    if (!own.isDirectory()) return own
    let newest = own
    for (const name of readdirSync(path, { encoding: 'buffer' })) {
      const stats = newestIn(Buffer.concat([path, Buffer.from('/'), name]), look)
      if (stats === null) return null
      if (stats.ctimeMs > newest.ctimeMs) newest = stats
    }
    return newest
  } catch {
    return null
  }
}

function writtenOf(top: string, walked: Walked, options: WrittenOptions): Written {
  const { since } = options
  const written = new Map<string, { readonly path: string; readonly stats: Stats }[]>()
  for (const file of walked.files) {
    if (file.stats.ctimeMs < since) continue
    const folder = groupOf(file.path)
    const files = written.get(folder)
    if (files) files.push(file)
    else written.set(folder, [file])
  }
  // A folder changes with its list of entries.
  const changedFolders = walked.folders.filter(
    ({ stats, newest }) => stats.ctimeMs >= since && stats.birthtimeMs < since && newest < since,
  )
  const filled = [...written].filter(([, files]) => files.length > MOST_NAMED)
  return {
    changes: [...written.values()]
      .filter((files) => files.length <= MOST_NAMED)
      .flat()
      .map(({ path, stats }) => changed(join(top, path), stats, options)),
    count: filled.reduce((all, [, files]) => all + files.length, 0),
    note: [
      ...said(
        'Many files were written in',
        filled.map(([folder, files]) => `${folder || 'the folder itself'} (${files.length})`),
      ),
      ...said('Files were deleted, renamed or added below', [
        ...walked.missing,
        ...changedFolders.map(({ path }) => path),
      ]),
      ...said('Not looked at, because it can’t be read or has too many files:', walked.unseen),
    ].join(' '),
  }
}

/** The folder at the top that a file is in, or the git folder of a nested repository: it would hide the files beside it. */
const groupOf = (path: string): string =>
  /^(.+\/)?\.git\//.exec(path)?.[0] ?? path.slice(0, path.indexOf('/') + 1)

const said = (what: string, names: readonly string[]): readonly string[] => {
  if (names.length === 0) return []
  const more = names.length > MOST_IN_NOTE ? ` and ${names.length - MOST_IN_NOTE} more` : ''
  return [`${what} ${names.slice(0, MOST_IN_NOTE).join(', ')}${more}.`]
}

function changed(path: string, stats: Stats, { since, kept }: WrittenOptions): ChangedState {
  const side = {
    digest: `stat:${stats.ino} ${stats.ctimeMs} ${stats.size}`,
    size: stats.size,
    mode: stats.isSymbolicLink() ? 0 : stats.mode & 0o7777,
    kind: stats.isSymbolicLink() ? ('link' as const) : ('file' as const),
  }
  const before: FileState = { side: stats.birthtimeMs >= since ? null : UNKNOWN, kept }
  return { path, before, after: { side, kept } }
}

/** Undefined: there is no file. `hidden`: a folder can't be searched, or the path is too long for the system. */
function statsOf(path: string): Stats | undefined | 'hidden' {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

/** Null: it can't be read. */
function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return null
  }
}
