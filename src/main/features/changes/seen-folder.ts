/**
 * Whether a folder is still as a snapshot has it, by the versions that the file system gives its files and folders. This
 * starts no process. When it is not certain the answer is no, and a new snapshot is taken.
 */
import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import type { FileSide } from '../../../shared/changes/changes.ts'
import { isUnreadable } from '../../platform/git/status.ts'
import { settledTime } from '../../platform/system/file-times.ts'
import { type FileState, type FileStates, keyOf } from './file-states.ts'
import type { FolderSnapshot } from './folder-snapshot.ts'
import { gitFolderOf } from './hidden-files.ts'

/** Files and folders. With more, git's status costs less than asking for each here. */
const MOST_ENTRIES = 3000

interface SeenDeps {
  readonly states: FileStates
  /** The state of a file that was recorded in a turn later than this one; undefined: none was. */
  recordedSince(path: string, turn: number): { readonly side: FileSide | null } | undefined
}

interface Folder {
  readonly version: string
  readonly names: ReadonlySet<string>
}

/** By absolute path. A version of '' is never equal to one on the disk. */
interface Entries {
  readonly files: ReadonlyMap<string, string>
  readonly folders: ReadonlyMap<string, Folder>
  /** Git's own files: the checked-out commit, the index, the rules of what it ignores. */
  readonly git: ReadonlyMap<string, string>
}

export interface SeenFolder {
  readonly snapshot: FolderSnapshot
  readonly entries: Entries
  /** The journal's turn when the snapshot began. */
  readonly turn: number
}

/**
 * @param begun when the snapshot began: the settled time in ms (file-times.ts), and the journal's turn
 * @returns null: too many files, a nested repository, or a folder that can't be read
 */
export function seenFolder(
  snapshot: FolderSnapshot,
  begun: { readonly sure: number; readonly turn: number },
): SeenFolder | null {
  try {
    const { sure } = begun
    const below = entriesBelow(snapshot, sure)
    return below && { snapshot, turn: begun.turn, entries: { ...below, git: gitFiles(snapshot, sure) } }
  } catch {
    return null
  }
}

/**
 * The folder as it is now: the same snapshot if nothing changed, or with the changes of files that were recorded
 * meanwhile or differed from the commit before. Null: anything else may have changed.
 */
export async function seenAgain(seen: SeenFolder, turn: number, deps: SeenDeps): Promise<SeenFolder | null> {
  try {
    return await look(seen, turn, deps)
  } catch {
    return null
  }
}

async function look(seen: SeenFolder, turn: number, deps: SeenDeps): Promise<SeenFolder | null> {
  const { snapshot, entries } = seen
  const sure = settledTime()
  for (const [path, version] of entries.git) if (versionAt(path, Infinity) !== version) return null
  const touched = new Set<string>()
  const folders = new Map<string, Folder>()
  for (const [path, known] of entries.folders) {
    const stats = lstatSync(path)
    if (versionOf(stats) === known.version) continue
    const names = new Set(readdirSync(path))
    for (const name of names) if (!known.names.has(name)) touched.add(join(path, name))
    for (const name of known.names) if (!names.has(name)) touched.add(join(path, name))
    folders.set(path, { version: sureVersion(stats, sure), names })
  }
  for (const [path, version] of entries.files) if (versionAt(path, Infinity) !== version) touched.add(path)
  if (touched.size === 0 && folders.size === 0) return { ...seen, turn }

  const files = new Map(entries.files)
  const changed = new Map<string, FileState>()
  for (const path of touched) {
    const version = versionAt(path, sure)
    const state = await stateNow(path, seen, deps)
    if (state === null) return null
    if (state.side === null) files.delete(path)
    else files.set(path, version)
    const below = relative(snapshot.top, path)
    const before = snapshot.files.get(below)
    if (before === undefined || keyOf(before.side) !== keyOf(state.side)) changed.set(below, state)
  }
  return {
    turn,
    entries: { files, folders: new Map([...entries.folders, ...folders]), git: entries.git },
    snapshot:
      changed.size === 0 ? snapshot : { ...snapshot, files: new Map([...snapshot.files, ...changed]) },
  }
}

/** Null: only git can tell what the file was before, or whether it counts. */
async function stateNow(path: string, seen: SeenFolder, deps: SeenDeps): Promise<FileState | null> {
  if (RULES.has(basename(path))) return null
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return null
  const recorded = deps.recordedSince(path, seen.turn)
  const isRead = seen.snapshot.files.has(relative(seen.snapshot.top, path))
  if (!isRead && recorded === undefined) return null
  const state = await deps.states.read(path)
  return isRead || keyOf(recorded?.side ?? null) === keyOf(state.side) ? state : null
}

/** They decide what counts as changed in other files. */
const RULES: ReadonlySet<string> = new Set(['.git', '.gitignore', '.gitattributes', '.gitmodules'])

// ---- what is there ------------------------------------------------------------------------------

function entriesBelow({ top, ignored }: FolderSnapshot, sure: number): Omit<Entries, 'git'> | null {
  const skipped = new Set(ignored.map((path) => join(top, path.replace(/\/$/, ''))))
  const files = new Map<string, string>()
  const folders = new Map<string, Folder>()
  const open = [top]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const version = sureVersion(lstatSync(folder), sure)
    const found = readdirSync(folder, { withFileTypes: true })
    folders.set(folder, { version, names: new Set(found.map(({ name }) => name)) })
    // A file whose name is not UTF-8 can't be asked for by it.
    if (found.some(({ name }) => isUnreadable(name))) return null
    for (const entry of found) {
      const path = join(folder, entry.name)
      if (entry.name === '.git') {
        if (folder !== top) return null
      } else if (skipped.has(path)) continue
      else if (entry.isDirectory()) open.push(path)
      else files.set(path, versionAt(path, sure))
    }
    if (files.size + folders.size + open.length > MOST_ENTRIES) return null
  }
  return { files, folders }
}

function gitFiles({ top, isRepository }: FolderSnapshot, sure: number): ReadonlyMap<string, string> {
  const paths = isRepository ? gitPaths(join(top, '.git')) : [join(top, '.git')]
  return new Map(paths.map((path) => [path, versionAt(path, sure)]))
}

function gitPaths(dotGit: string): readonly string[] {
  const own = gitFolderOf(dotGit)
  const common = textAt(join(own, 'commondir'))
  const shared = common === null ? own : resolve(own, common.trim())
  const branch = /^ref: (.+)$/m.exec(readFileSync(join(own, 'HEAD'), 'utf8'))?.[1]
  return [
    ...['HEAD', 'index', 'logs/HEAD', 'config.worktree'].map((name) => join(own, name)),
    ...['config', 'packed-refs', 'info/exclude', 'info/attributes', 'reftable/tables.list'].map((name) =>
      join(shared, name),
    ),
    ...(branch === undefined ? [] : [join(shared, branch)]),
  ]
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

// ---- versions -----------------------------------------------------------------------------------

const versionOf = ({ ino, ctimeMs, mtimeMs, size, mode }: Stats): string =>
  `${ino} ${ctimeMs} ${mtimeMs} ${size} ${mode}`

/** '' for what changed after `sure`, a time in ms. */
const sureVersion = (stats: Stats, sure: number): string => (stats.ctimeMs > sure ? '' : versionOf(stats))

function versionAt(path: string, sure: number): string {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'none' : sureVersion(stats, sure)
}
