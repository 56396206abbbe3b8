/**
 * The files of an agent's folder that a command must leave as they are: those that decide what runs later or what agents
 * are told, approved scripts, and what the user's rules deny or ask about. Missing ones count too.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import type { FileAccess, FolderScans, FoundFile } from './folder-scan.ts'

export interface MissingFile {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

interface KeptRequest {
  readonly scans: FolderScans
  readonly isProtected: (below: string, absolute: string) => boolean
  /** The user's rules about files. */
  readonly access: CommandLimits['access']
  /** Approved scripts, absolute. */
  readonly scripts: readonly string[]
  /** The folders that the command may change, or the one that it reads. */
  readonly roots: readonly string[]
  readonly mayWrite: boolean
  /** Paths below a folder that programs read unasked, for which an empty one stands where they are missing. */
  startupPaths(root: string): readonly MissingFile[]
  /** Makes an empty file or folder, or shares the one that was made. False: something else is there. */
  hold(path: string, kind: 'file' | 'folder'): boolean
}

interface KeptFiles {
  readonly found: readonly FoundFile[]
  /** Absolute paths, at which an empty file or folder was made. */
  readonly missing: readonly MissingFile[]
  /** False: a folder has so many subfolders that the user's rules can't be held in all of them. */
  readonly isWhole: boolean
}

/** Of those that no rule names. Each is a mount, and each mount costs time at the start of a command. */
const MOST_PROTECTED = 250
/** Folders that are searched for them, and for those that a rule names. */
const MOST_FOLDERS = 3000
const MOST_FOLDERS_FOR_RULES = 100_000

export function keptFiles(request: KeptRequest): KeptFiles {
  const { scans, access, roots, mayWrite, hold } = request
  const scripts = new Set(request.scripts)
  const byRule = (below: string | null, absolute: string): FileAccess => {
    const judged = access?.judge({ absolute, below }) ?? null
    return judged === 'hidden' || mayWrite ? judged : null
  }
  const searched = roots.map((root) => {
    const judge = (below: string, absolute: string): FileAccess =>
      byRule(below, absolute) ??
      (mayWrite && (request.isProtected(below, absolute) || scripts.has(absolute)) ? 'read-only' : null)
    const key = JSON.stringify([access?.key ?? '', mayWrite, request.scripts])
    const hasRules = access !== undefined
    return scans.of(root, {
      ...{ key, access: judge, entersFilled: hasRules },
      mostFolders: hasRules ? MOST_FOLDERS_FOR_RULES : MOST_FOLDERS,
    })
  })
  const all = searched.flatMap(({ found }) => found)
  const isByRule = ({ path }: FoundFile) =>
    roots.some((root) => path.startsWith(`${root}/`) && byRule(path.slice(root.length + 1), path) !== null)
  const ofRules = access === undefined ? [] : all.filter(isByRule)
  const named = new Set(ofRules)
  const found = [...ofRules, ...oldest(all.filter((file) => !named.has(file)))]
  const isWhole = access === undefined || searched.every((scan) => scan.isWhole)
  if (!mayWrite) return { found, missing: [], isWhole }
  const wanted = roots
    .slice(0, 1)
    .flatMap((root) => [
      ...request.startupPaths(root).flatMap((file) => firstMissing(root, file) ?? []),
      ...(access?.named ?? []).filter(({ path }) => path.startsWith(`${root}/`)),
    ])
  // Two paths may begin with the same missing folder.
  const missing = [...new Map(wanted.map((file) => [file.path, file])).values()].filter(({ path, kind }) =>
    hold(path, kind),
  )
  const isMissing = new Set(missing.map(({ path }) => path))
  return { found: found.filter(({ path }) => !isMissing.has(path)), missing, isWhole }
}

/** The first that came, if there are too many: a command may have made the others so that these are left out. */
function oldest(files: readonly FoundFile[]): readonly FoundFile[] {
  if (files.length <= MOST_PROTECTED) return files
  return files
    .map((file) => ({ file, since: lstatSync(file.path, { throwIfNoEntry: false })?.ctimeMs ?? 0 }))
    .sort((one, two) => one.since - two.since)
    .slice(0, MOST_PROTECTED)
    .map(({ file }) => file)
}

/** The path itself if its folder exists, or the first folder on the way that is missing; null: a link is on the way. */
function firstMissing(root: string, { path, kind }: MissingFile): MissingFile | null {
  const names = path.split('/')
  for (const [index] of names.entries()) {
    const at = join(root, ...names.slice(0, index + 1))
    if (index === names.length - 1) return { path: at, kind }
    const found = lstatSync(at, { throwIfNoEntry: false })
    // Much else is in this folder, and nothing in it runs on this machine.
    if (found === undefined) return names[index] === '.github' ? null : { path: at, kind: 'folder' }
    if (!found.isDirectory()) return null
  }
  return null
}
