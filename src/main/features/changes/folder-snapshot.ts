/**
 * The files of a folder around a command. In a git repository only files that differ from the checked-out commit are
 * read, since git has the others; the index and the object store of the user are not touched. Elsewhere all files are.
 * Past a limit, and in folders that programs fill, paths are only listed: what is written there is found by its time.
 */
import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { isUnreadable, SUBMODULE_MODE } from '../../platform/git/status.ts'
import { isDraft } from '../../platform/system/draft-name.ts'
import { inParallel } from '../../platform/system/in-parallel.ts'
import { isRepositoryTop } from '../../platform/system/is-repository-top.ts'
import type { FileState, FileStates } from './file-states.ts'
import type { CommittedFile, HiddenFiles } from './hidden-files.ts'

/** Limits of what is read around a command. */
const MOST_FILES = 5000
const MOST_BYTES = 256 * 1024 * 1024

/** Limits of the files that git ignores one by one, as `.env` is, in bytes for each. */
const MOST_IGNORED = 300
const LARGEST_IGNORED = 1024 * 1024

/** Folders that are never read outside a repository, because programs fill them. */
const FILLED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__'])

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
  /**
   * Paths below `top` whose content is not kept: ignored folders and large ignored files, nested repositories, and what
   * is beyond the limits.
   */
  readonly ignored: readonly string[]
}

interface SnapshotDeps {
  readonly git: Git
  readonly hidden: HiddenFiles
  readonly states: FileStates
  /** How long git may take, in ms. */
  readonly patienceMs: number
}

/** Fails with `slow`, or if git or the disk fails; the message names the reason. */
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
  { git, hidden, states, patienceMs }: SnapshotDeps,
): Promise<Result<FolderSnapshot>> {
  const signal = AbortSignal.timeout(patienceMs)
  const [printed, { files: unshown, submodules }] = await Promise.all([
    git.run(top, STATUS, { signal }),
    hidden.of(top, signal),
  ])
  if (signal.aborted) return fail({ type: 'slow', message: tooSlow(patienceMs) })
  if (!printed.ok) return printed
  const { head, inHead, tracked, untracked, ignored } = readStatus(printed.value)
  for (const [path, file] of unshown) if (!inHead.has(path)) inHead.set(path, file)
  const small = ignored.filter((path) => isSmallFile(join(top, path))).slice(0, MOST_IGNORED)
  // What git tracks comes first: no number of new files keeps a change of it from being seen.
  const wanted = [...tracked, ...[...unshown.keys()].filter((path) => isThere(join(top, path))), ...untracked]
  const { files, left } = await readAll(top, { wanted, more: small }, states)
  const listed = new Set([...ignored, ...submodules, ...left])
  for (const path of files.keys()) listed.delete(path)
  return ok({ top, head, isRepository: true, files, inHead, ignored: [...listed] })
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function isSmallFile(path: string): boolean {
  if (path.endsWith('/')) return false
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isDirectory() && stats.size <= LARGEST_IGNORED
}

function readStatus(printed: string) {
  let head: string | null = null
  const tracked: string[] = []
  const untracked: string[] = []
  const ignored: string[] = []
  const inHead = new Map<string, CommittedFile>()
  for (const line of printed.split('\0')) {
    const path = line.slice(2)
    if (line.startsWith('# branch.oid ')) head = /[0-9a-f]{40,}/.exec(line)?.[0] ?? null
    else if (line.startsWith('! ')) ignored.push(path)
    else if (line.startsWith('? '))
      (path.endsWith('/') || isUnreadable(path) ? ignored : untracked).push(path)
    else if (line.startsWith('1 ') || line.startsWith('u ')) {
      const fields = line.split(' ')
      const isUnmerged = fields[0] === 'u'
      const name = fields.slice(isUnmerged ? 10 : 8).join(' ')
      const [mode = '', id = ''] = isUnmerged ? [fields[4], fields[8]] : [fields[3], fields[6]]
      if (mode === SUBMODULE_MODE) continue
      if (isUnreadable(name)) ignored.push(name)
      else tracked.push(name)
      if (!/^0*$/.test(id)) inHead.set(name, { mode, id })
    }
  }
  return { head, tracked, untracked, ignored, inHead }
}

// ---- elsewhere ----------------------------------------------------------------------------------

async function plainSnapshot(top: string, states: FileStates): Promise<Result<FolderSnapshot>> {
  const wanted: string[] = []
  const ignored: string[] = []
  const open = ['']
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    if (wanted.length > MOST_FILES || open.length > MOST_FILES) {
      ignored.push(`${folder}/`)
      continue
    }
    const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (isUnreadable(entry.name)) ignored.push(path)
      else if (!entry.isDirectory()) wanted.push(path)
      else if (FILLED_FOLDERS.has(entry.name)) ignored.push(`${path}/`)
      else open.push(path)
    }
  }
  const { files, left } = await readAll(top, { wanted, more: [] }, states)
  ignored.push(...left)
  return ok({ top, head: null, isRepository: false, files, inHead: new Map(), ignored })
}

/**
 * @param paths.more not counted with the others
 * @returns also what was left, because there are too many files or bytes
 */
async function readAll(
  top: string,
  paths: { readonly wanted: readonly string[]; readonly more: readonly string[] },
  states: FileStates,
): Promise<{ readonly files: ReadonlyMap<string, FileState>; readonly left: readonly string[] }> {
  let bytes = 0
  // Skips temporary files: their writer records them under their final name.
  const isFile = (path: string) => !isDraft(path)
  const wanted = paths.wanted.filter(isFile)
  const left = wanted.slice(MOST_FILES)
  const taken = [...wanted.slice(0, MOST_FILES), ...paths.more.filter(isFile)]
  const read = await inParallel(taken, 16, async (path) => {
    if (bytes > MOST_BYTES) {
      left.push(path)
      return null
    }
    const state = await states.read(join(top, path))
    if (state.kept === 'yes') bytes += state.side?.size ?? 0
    return [path, state] as const
  })
  return { files: new Map(read.flatMap((entry) => (entry === null ? [] : [entry]))), left }
}
