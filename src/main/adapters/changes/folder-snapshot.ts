/**
 * The files of a folder around a command. In a git repository only files that differ from the checked-out commit are
 * read, since git has the others; the index and the object store of the user are not touched. Elsewhere all files are,
 * up to a limit.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { Git } from '../git/git-client.ts'
import { isUnreadable, SUBMODULE_MODE } from '../git/status.ts'
import { isDraft } from '../system/draft-name.ts'
import { inParallel } from '../system/in-parallel.ts'
import { isRepositoryTop } from '../system/is-repository-top.ts'
import type { FileState, FileStates } from './file-states.ts'

/** Limits of what is read around a command. */
const MOST_FILES = 5000
const MOST_BYTES = 256 * 1024 * 1024

/** Folders that are never read outside a repository, because programs fill them. */
const FILLED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__'])

/** A file as git stores it. */
export interface CommittedFile {
  /** Octal: `100755`. */
  readonly mode: string
  readonly id: string
}

export interface FolderSnapshot {
  /** The top of the repository, or the folder. */
  readonly top: string
  /** The checked-out commit; null: there is none, or no repository. */
  readonly head: string | null
  readonly isRepository: boolean
  /** By path below `top`. In a repository only files that differ from the commit. */
  readonly files: ReadonlyMap<string, FileState>
  /** The files in the commit, by path. Only of paths in `files`. */
  readonly inHead: ReadonlyMap<string, CommittedFile>
  /** Ignored files and folders, nested repositories: paths below `top`. Their content is not kept. */
  readonly ignored: readonly string[]
}

interface SnapshotDeps {
  readonly git: Git
  readonly states: FileStates
  /** How long git may take, in ms. */
  readonly patienceMs: number
}

/** Fails with `too-many`, `slow`, or if git or the disk fails; the message names the reason. */
export async function snapshotOf(folder: string, deps: SnapshotDeps): Promise<Result<FolderSnapshot>> {
  const top = await repositoryTop(folder)
  try {
    return top === null ? await plainSnapshot(folder, deps.states) : await gitSnapshot(top, deps)
  } catch (error) {
    return fail({ type: 'io', message: messageOf(error), cause: error })
  }
}

/** The nearest folder above with a repository, without running git. */
export async function repositoryTop(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isRepositoryTop(at)) return at
    if (dirname(at) === at) return null
  }
}

const tooMany = fail({
  type: 'too-many',
  message: `the folder has more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MB outside git's history`,
})

// ---- in a repository ----------------------------------------------------------------------------

const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--untracked-files=all',
  '--ignored=matching',
  '--no-renames',
  '--ignore-submodules=all',
]

const tooSlow = (ms: number): string =>
  `git status takes more than ${ms / 1000} s in this repository, so Troupe does not wait for it around commands for a while. Changes by Write and Edit are recorded`

async function gitSnapshot(
  top: string,
  { git, states, patienceMs }: SnapshotDeps,
): Promise<Result<FolderSnapshot>> {
  const signal = AbortSignal.timeout(patienceMs)
  const printed = await git.run(top, STATUS, { signal })
  if (signal.aborted) return fail({ type: 'slow', message: tooSlow(patienceMs) })
  if (!printed.ok) return printed
  const status = readStatus(printed.value)
  if (status.paths.length > MOST_FILES) return tooMany
  const files = await readAll(top, status.paths, states)
  if (files === null) return tooMany
  return ok({ top, isRepository: true, ...status, files })
}

function readStatus(printed: string) {
  let head: string | null = null
  const paths: string[] = []
  const ignored: string[] = []
  const inHead = new Map<string, CommittedFile>()
  for (const line of printed.split('\0')) {
    const path = line.slice(2)
    if (line.startsWith('# branch.oid ')) head = /[0-9a-f]{40,}/.exec(line)?.[0] ?? null
    else if (line.startsWith('! ')) ignored.push(path)
    else if (line.startsWith('? ')) (path.endsWith('/') ? ignored : paths).push(path)
    else if (line.startsWith('1 ') || line.startsWith('u ')) {
      const fields = line.split(' ')
      const isUnmerged = fields[0] === 'u'
      const name = fields.slice(isUnmerged ? 10 : 8).join(' ')
      const [mode = '', id = ''] = isUnmerged ? [fields[4], fields[8]] : [fields[3], fields[6]]
      if (mode === SUBMODULE_MODE) continue
      if (isUnreadable(name)) ignored.push(name)
      else paths.push(name)
      if (!/^0*$/.test(id)) inHead.set(name, { mode, id })
    }
  }
  return { head, paths, ignored, inHead }
}

// ---- elsewhere ----------------------------------------------------------------------------------

async function plainSnapshot(top: string, states: FileStates): Promise<Result<FolderSnapshot>> {
  const paths: string[] = []
  const ignored: string[] = []
  const open = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (!entry.isDirectory()) paths.push(path)
      else if (FILLED_FOLDERS.has(entry.name)) ignored.push(`${path}/`)
      else open.push(path)
    }
    if (paths.length > MOST_FILES || open.length > MOST_FILES) return tooMany
  }
  const files = await readAll(top, paths, states)
  return files === null
    ? tooMany
    : ok({ top, head: null, isRepository: false, files, inHead: new Map(), ignored })
}

/** Null: more bytes than the limit. */
async function readAll(
  top: string,
  paths: readonly string[],
  states: FileStates,
): Promise<ReadonlyMap<string, FileState> | null> {
  let bytes = 0
  // What is just being written is no file yet: its writer records it under its own name.
  const written = paths.filter((path) => !isDraft(path))
  const read = await inParallel(written, 16, async (path) => {
    if (bytes > MOST_BYTES) return null
    const state = await states.read(join(top, path))
    if (state.kept === 'yes') bytes += state.side?.size ?? 0
    return [path, state] as const
  })
  if (bytes > MOST_BYTES) return null
  return new Map(read.flatMap((entry) => (entry === null ? [] : [entry])))
}

// ---- ignored files ------------------------------------------------------------------------------

/** Files and folders that are looked at. */
const MOST_COUNTED = 1000

/**
 * The number of ignored files that were made or changed since a time of the file system, in ms. Only a lower bound
 * where there are many.
 */
export function countIgnoredSince(
  { top, ignored }: FolderSnapshot,
  since: number,
): { readonly count: number; readonly isAll: boolean } {
  const open = ignored.map((path) => join(top, path))
  let count = 0
  let looked = 0
  for (const path of open) {
    if (++looked > MOST_COUNTED) return { count, isAll: false }
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) continue
    if (stats.isDirectory()) open.push(...namesIn(path).map((name) => join(path, name)))
    else if (stats.ctimeMs >= since) count++
  }
  return { count, isAll: true }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
