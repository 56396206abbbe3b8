/** The files that differ between two snapshots of a folder, with their content before from git where git has it. */
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileSide } from '../../../shared/changes/changes.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { readFiltered } from '../../platform/git/objects.ts'
import { SUBMODULE_MODE } from '../../platform/git/status.ts'
import type { BlobStore } from './blob-store.ts'
import { type ChangedState, type FileState, type FileStates, keyOf, MISSING, UNKNOWN } from './file-states.ts'
import type { FolderSnapshot } from './folder-snapshot.ts'
import type { CommittedFile } from './hidden-files.ts'

interface ComparisonDeps {
  readonly git: Git
  readonly states: FileStates
  readonly blobs: BlobStore
}

/**
 * @param options.since a time of the file system, in ms, before the call: what was written in it is not older
 * @param options.commits whether files that differ between the commits count too
 */
export async function compareSnapshots(
  before: FolderSnapshot,
  after: FolderSnapshot,
  options: ComparisonDeps & { readonly since: number; readonly commits: boolean },
): Promise<readonly ChangedState[]> {
  const { git, states, blobs, since } = options
  const { top } = before
  if (before === after) return []
  const between =
    before.head === after.head
      ? new Map<string, CommittedFile | null>()
      : await filesOfCommit(git, top, { from: before.head, to: after.head })
  // The former commit is gone: a file that it had would look new, and an undo would delete it.
  const isLost = between === null
  const paths = new Set([
    ...before.files.keys(),
    ...after.files.keys(),
    ...(options.commits && between !== null ? between.keys() : []),
  ])
  const committed = (path: string) => {
    const file = between?.get(path)
    return file === undefined ? (after.inHead.get(path) ?? null) : file
  }
  // Git's content is needed only for files that were clean before.
  const wanted = [...paths].filter((path) => !before.files.has(path) && committed(path) !== null)
  const contents = await readFiltered(
    git,
    top,
    wanted.map((path) => ({ path, id: committed(path)?.id ?? '' })),
  )
  const listed = new Set(before.ignored)
  const changes: ChangedState[] = []
  for (const path of paths) {
    const absolute = join(top, path)
    const now = after.files.get(path) ?? (await states.read(absolute))
    const known = before.files.get(path)
    const file = committed(path)
    const was =
      known ?? (file === null ? MISSING : await cleanState(file, { now, content: contents.get(path), blobs }))
    if (keyOf(was.side) === keyOf(now.side)) continue
    if (was.side !== null || known !== undefined || !(isLost || isListed(path, listed)))
      changes.push({ path: absolute, before: was, after: now })
    else {
      const then = await unreadBefore(absolute, since, isLost ? 'unavailable' : 'ignored')
      if (then !== 'same') changes.push({ path: absolute, before: then, after: now })
    }
  }
  return changes
}

/** Whether a snapshot only lists the path, or a folder above it. */
function isListed(path: string, listed: ReadonlySet<string>): boolean {
  for (let at = path; at !== '.'; at = dirname(at)) if (listed.has(at) || listed.has(`${at}/`)) return true
  return false
}

/** A file whose content was not kept, before the call. */
async function unreadBefore(
  path: string,
  since: number,
  kept: 'ignored' | 'unavailable',
): Promise<FileState | 'same'> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null || stats.ctimeMs < since) return 'same'
  return stats.birthtimeMs >= since ? MISSING : { side: UNKNOWN, kept }
}

/** The file as a checkout writes it. */
async function cleanState(
  { mode, id }: CommittedFile,
  {
    now,
    content,
    blobs,
  }: { readonly now: FileState; readonly content: Uint8Array | undefined; readonly blobs: BlobStore },
): Promise<FileState> {
  const kind = mode === '120000' ? 'link' : 'file'
  const bits = kind === 'link' ? 0 : modeOf(now.side, mode === '100755')
  if (content === undefined)
    return { side: { digest: `stat:git ${id}`, size: 0, mode: bits, kind }, kept: 'unavailable' }
  const digest = await blobs.put(content)
  return { side: { digest, size: content.length, mode: bits, kind }, kept: 'yes' }
}

/** Git knows only whether a file is executable; the other bits are those that the file has now. */
function modeOf(now: FileSide | null, isExecutable: boolean): number {
  const mode = now?.kind === 'file' ? now.mode : 0o644
  if (((mode & 0o100) !== 0) === isExecutable) return mode
  return isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}

// ---- git ----------------------------------------------------------------------------------------

/**
 * The files of a commit that another one changed, or all where there is no other. Null for a file: the first commit does
 * not have it. Null: git can't tell.
 */
async function filesOfCommit(
  git: Git,
  top: string,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<ReadonlyMap<string, CommittedFile | null> | null> {
  if (from === null) return new Map()
  const found = new Map<string, CommittedFile | null>()
  if (to === null) {
    const listed = await git.run(top, ['ls-tree', '-r', '-z', '--full-tree', from])
    if (!listed.ok) return null
    for (const line of listed.value.split('\0')) {
      const [, mode = '', id = '', path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      if (path !== undefined && mode !== SUBMODULE_MODE) found.set(path, { mode, id })
    }
    return found
  }
  const options = ['-r', '-z', '--raw', '--no-renames', '--full-index', '--end-of-options']
  const printed = await git.run(top, ['diff-tree', ...options, from, to])
  if (!printed.ok) return null
  const fields = printed.value.split('\0')
  for (let at = 0; fields[at]?.startsWith(':'); at += 2) {
    const [mode = '', , id = ''] = (fields[at] ?? '').slice(1).split(' ')
    if (mode !== SUBMODULE_MODE) found.set(fields[at + 1] ?? '', /^0+$/.test(id) ? null : { mode, id })
  }
  return found
}
