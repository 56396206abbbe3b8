/**
 * Writes the files of a planned undo, and says what came of it. Each file is replaced in one step, and only if it is as
 * planned.
 */
import { chmod, lstat, mkdir, realpath, rename, rmdir, symlink, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ChangesUndone, FileSide, UndoOutcome } from '../../../shared/changes/changes.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import { newDraftName } from '../../platform/system/draft-name.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { BlobStore } from './blob-store.ts'
import { FileStates, keyOf } from './file-states.ts'
import type { PlannedFile, UndoPlan } from './plan-undo.ts'

interface WrittenFile {
  readonly file: PlannedFile
  /** Why the file was not written; null: it was. */
  readonly failure: string | null
}

/** Keeps the present and the new content, so that the undo can be undone. Throws the system's error. */
export async function keepContents(files: readonly PlannedFile[], blobs: BlobStore): Promise<void> {
  const states = new FileStates(blobs)
  for (const { preview, made } of files) {
    await states.read(preview.path, true)
    for (const content of made.values()) await blobs.put(content, true)
  }
}

/** Deletions come last, so that a file that was renamed exists all the time. */
export async function writeFiles(
  files: readonly PlannedFile[],
  blobs: BlobStore,
): Promise<readonly WrittenFile[]> {
  const states = new FileStates(blobs)
  const ordered = [...files].sort((one, other) => Number(one.next === null) - Number(other.next === null))
  const written: WrittenFile[] = []
  for (const file of ordered) {
    const failure = await writeOne(file, { states, blobs }).catch(messageOf)
    written.push({ file, failure })
  }
  return written
}

async function writeOne(
  { preview: { path }, now, next, since }: PlannedFile,
  { states, blobs }: { readonly states: FileStates; readonly blobs: BlobStore },
): Promise<string | null> {
  const linked = await linkInFolders(path)
  if (linked !== null) return `${linked} is now a link. The file was not touched.`
  const { side } = await states.read(path)
  if (keyOf(side) !== keyOf(now)) return 'The file changed during the undo. It was not touched.'
  if (next === null) {
    await unlink(path)
    await removeEmptyFolders(dirname(path), since)
    return null
  }
  const content = await blobs.read(next.digest)
  if (content === null) return 'Its former content is no longer kept.'
  await mkdir(dirname(path), { recursive: true })
  const draft = join(dirname(path), newDraftName())
  try {
    await writeDraft(draft, next, content)
    await rename(draft, path)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    if (codeOf(error) === 'EISDIR') return 'There is a folder at this path now.'
    throw error
  }
  return null
}

async function writeDraft(draft: string, { kind, mode }: FileSide, content: Uint8Array): Promise<void> {
  if (kind === 'link') return symlink(Buffer.from(content).toString(), draft)
  await writeFile(draft, content, { flag: 'wx', mode })
  // The mode of a new file is subject to the umask.
  await chmod(draft, mode)
}

/** The first folder of the path that leads elsewhere. The recorded path had all links resolved. */
async function linkInFolders(path: string): Promise<string | null> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => null)
    if (real !== null) return real === folder ? null : folder
    if (dirname(folder) === folder) return null
  }
}

/** Folders that the call made. An older folder stays, even if it is empty. */
async function removeEmptyFolders(folder: string, since: number): Promise<void> {
  const stats = await lstat(folder).catch(() => null)
  // The clock of the file system may lag behind by a few milliseconds.
  if (stats === null || stats.birthtimeMs < since - 20 || basename(folder) === '') return
  const isRemoved = await rmdir(folder).then(
    () => true,
    () => false,
  )
  if (isRemoved) await removeEmptyFolders(dirname(folder), since)
}

/** An undo as its event records it. */
export const recordOf = (files: readonly PlannedFile[]): Pick<ChangesUndone, 'changes' | 'files'> => ({
  changes: files.flatMap(({ keys }) => [...keys]),
  files: files
    .filter(({ now, next }) => keyOf(now) !== keyOf(next))
    .map(({ preview: { path }, now, next, choice }) => ({ path, before: now, after: next, choice })),
})

/** An undo as the user reads it. */
export function undoOutcomeOf(
  undoId: string,
  { files }: UndoPlan,
  {
    doable,
    failures,
  }: { readonly doable: readonly PlannedFile[]; readonly failures: ReadonlyMap<string, string> },
): Omit<UndoOutcome, 'conversationId'> {
  const done = new Set(doable)
  // Each file counts once: a conflict may be settled by a deletion.
  const isDeleted = ({ now, next }: PlannedFile) => now !== null && next === null
  const count = (...actions: readonly string[]) =>
    doable.filter((file) => actions.includes(file.preview.action) && !isDeleted(file)).length
  return {
    undoId,
    restored: count('restored', 'recreated'),
    merged: count('merged', 'choose'),
    deleted: doable.filter(isDeleted).length,
    left: files
      .filter((file) => !done.has(file))
      .map(({ preview: { path, shown, reason, action } }) => ({
        shown,
        reason: failures.get(path) ?? (action === 'choose' ? `${reason} Choose what to keep.` : reason),
      })),
  }
}
