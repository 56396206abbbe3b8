/**
 * Finds the files of a folder that commands must not change or read, before each command. Folders whose version is
 * unchanged are not read again, so that a scan costs one `stat` for each folder.
 */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { settledTime } from '../../platform/system/file-times.ts'

/** What a command may do with a file. `read-only`: not change it. `hidden`: not read it either. */
export type FileAccess = 'read-only' | 'hidden' | null

interface ScanRules {
  /** Equal for equal rules. */
  readonly key: string
  /** Folders that are searched, the nearest first. */
  readonly mostFolders: number
  /** Whether folders that programs fill are searched too. */
  readonly entersFilled: boolean
  /** @param below the path below the scanned folder */
  access(below: string, absolute: string): FileAccess
}

export interface FoundFile {
  /** Absolute. */
  readonly path: string
  readonly access: 'read-only' | 'hidden'
  readonly kind: 'file' | 'folder' | 'link'
}

interface FolderScan {
  /** The outermost first. Nothing below a found folder is listed. */
  readonly found: readonly FoundFile[]
  /** False: the folder has more subfolders than are searched. */
  readonly isWhole: boolean
}

/** Filled by programs. Their own folders are searched, their content is not. */
const FILLED: ReadonlySet<string> = new Set([
  ...['node_modules', '.venv', 'venv', '__pycache__', 'target', '.next', '.nuxt', '.turbo'],
  ...['.tox', '.mypy_cache', '.pytest_cache', '.cache', '.pnpm-store', 'Pods', '.terraform'],
])

interface KnownFolder {
  /** '' is equal to no version. */
  readonly version: string
  readonly found: readonly FoundFile[]
  readonly folders: readonly string[]
}

export interface FolderScans {
  of(folder: string, rules: ScanRules): FolderScan
}

export function createFolderScans(): FolderScans {
  /** By scanned folder and rules. The last few count: agents of one folder have the same rules. */
  const scans = new Map<string, Map<string, KnownFolder>>()
  return {
    of(folder, rules) {
      const key = `${folder}\0${rules.key}`
      const known = scans.get(key) ?? new Map<string, KnownFolder>()
      scans.delete(key)
      scans.set(key, known)
      if (scans.size > 8) scans.delete(scans.keys().next().value ?? '')
      return scan(folder, rules, known)
    },
  }
}

function scan(top: string, rules: ScanRules, known: Map<string, KnownFolder>): FolderScan {
  const found: FoundFile[] = []
  const open = [top]
  let at = 0
  for (; at < open.length && at < rules.mostFolders; at++) {
    const folder = open[at] ?? top
    const seen = look(folder, top, rules, known.get(folder))
    if (seen === null) known.delete(folder)
    else {
      known.set(folder, seen)
      found.push(...seen.found)
      open.push(...seen.folders)
    }
  }
  return { found, isWhole: at >= open.length }
}

/** Null: the folder is gone or not readable. */
function look(
  folder: string,
  top: string,
  rules: ScanRules,
  known: KnownFolder | undefined,
): KnownFolder | null {
  try {
    const stats = statSync(folder)
    const version = versionOf(stats)
    if (known !== undefined && known.version === version) return known
    const found: FoundFile[] = []
    const folders: string[] = []
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const access = rules.access(path.slice(top.length + 1), path)
      if (access !== null) found.push({ path, access, kind: kindOf(entry) })
      else if (entry.isDirectory() && (rules.entersFilled || !FILLED.has(entry.name))) folders.push(path)
    }
    return { version: stats.mtimeMs < settledTime() ? version : '', found, folders }
  } catch {
    return null
  }
}

const versionOf = ({ ino, mtimeMs, ctimeMs }: Stats): string => `${ino} ${mtimeMs} ${ctimeMs}`

const kindOf = (entry: Dirent): FoundFile['kind'] =>
  entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file'
