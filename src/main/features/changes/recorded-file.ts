/** A changed file as the event `files-changed` has it. */
import { relative } from 'node:path'
import type { FileChange, FileSide } from '../../../shared/changes/changes.ts'
import type { BlobStore } from './blob-store.ts'
import { countChangedLines, type LineCounts } from './count-lines.ts'
import type { ChangedState } from './file-states.ts'

export async function recordedFile(
  { path, before, after }: ChangedState,
  { root, blobs, maybeBy }: { readonly root: string; readonly blobs: BlobStore; readonly maybeBy: string[] },
): Promise<FileChange> {
  const below = relative(root, path)
  return {
    path,
    shown: below.startsWith('..') ? path : below,
    before: before.side,
    after: after.side,
    ...(await lineCounts(blobs, before.side, after.side)),
    renamedFrom: null,
    kept: before.kept === 'yes' ? after.kept : before.kept,
    maybeBy,
  }
}

async function lineCounts(
  blobs: BlobStore,
  before: FileSide | null,
  after: FileSide | null,
): Promise<LineCounts> {
  const [old, now] = await Promise.all([
    before && blobs.read(before.digest),
    after && blobs.read(after.digest),
  ])
  const isMissing = (before !== null && old === null) || (after !== null && now === null)
  return isMissing ? { added: null, removed: null } : countChangedLines(old, now)
}

/** Names the former path of files that were renamed: a file of the same content is gone. */
export function withRenames(files: readonly FileChange[]): readonly FileChange[] {
  const gone = files.filter(({ before, after }) => before !== null && before.size > 0 && after === null)
  return files.map((file) => {
    if (file.before !== null || file.after === null) return file
    const from = gone.findIndex(({ before }) => before?.digest === file.after?.digest)
    return from === -1 ? file : { ...file, renamedFrom: gone.splice(from, 1)[0]?.shown ?? null }
  })
}
