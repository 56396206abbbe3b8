/** Atomic file replacement: a reader sees the old content or the new content, whenever the writer dies. */
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'
import { exists } from './exists.ts'

/** Only the user may read the data folder. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/**
 * Replaces a file and makes missing folders. Throws the system's error, which names the file and not the temporary one.
 * @param options.durable whether the new content survives a power cut once this resolves
 * @param options.draft the temporary file, in the same folder. Default: `<path>.tmp`, which suits a file with a
 *   single writer, because the next write reuses a draft that a crash left behind
 */
export async function replaceFile(
  path: string,
  content: string,
  { durable, draft = `${path}.tmp` }: { readonly durable: boolean; readonly draft?: string },
): Promise<void> {
  const handle = await openMakingFolder(draft).catch((error) => {
    throw naming(path, draft, error)
  })
  try {
    await handle.writeFile(content)
    if (durable) await handle.datasync()
    await rename(draft, path)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw naming(path, draft, error)
  } finally {
    await handle.close()
  }
  if (durable) await syncFolder(dirname(path))
}

/** The error about the file that the user knows. */
function naming(path: string, draft: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // `rename` names both: "rename '/x/a.tmp' -> '/x/a'".
  error.message = error.message
    .replace(`rename '${draft}' -> '${path}'`, `write '${path}'`)
    .replaceAll(draft, path)
  return error
}

interface NewFile<T> {
  /** The path of the temporary file; no file may have this path yet. */
  readonly draft: string
  readonly content: string | Uint8Array
  readonly mode: number
  /** Runs before the content is flushed to the disk, to set the owner and the mode. */
  readonly prepare?: (handle: FileHandle) => Promise<unknown>
  /** Gives the complete draft its final name, see `rename` and `claimName`. */
  readonly publish: (handle: FileHandle) => Promise<T>
}

/** Writes a draft durably and publishes it. No draft remains, whether publishing succeeds or fails. */
export async function publishFile<T>({ draft, content, mode, prepare, publish }: NewFile<T>): Promise<T> {
  const handle = await open(draft, 'wx', mode)
  try {
    await handle.writeFile(content)
    await prepare?.(handle)
    await handle.datasync()
    return await publish(handle)
  } finally {
    await handle.close()
    await unlink(draft).catch(() => undefined)
  }
}

/**
 * Gives a draft its name unless another file has that name.
 * @returns true: the draft is gone, and the file's change time is final; false: the name is taken
 */
export async function claimName(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    await unlink(draft)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!WITHOUT_HARD_LINKS.includes(codeOf(error))) throw error
    if (await exists(path)) return false
    await rename(draft, path)
    return true
  }
}

/** Error codes of a file system without hard links. */
const WITHOUT_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

async function openMakingFolder(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', FILE_MODE)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await makeFolder(dirname(path))
    return open(path, 'w', FILE_MODE)
  }
}

/**
 * Makes a folder and its missing parents. Throws the system's error, where Node's own function reports ENOENT for a
 * read-only disk. Returns the first folder that was made.
 */
export async function makeFolders(path: string, mode: number = FOLDER_MODE): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    const parent = dirname(path)
    if (parent !== path && !(await exists(parent))) await makeFolders(parent, mode)
    await mkdir(path, { mode })
    return path
  }
}

/** Makes a folder and its missing parents. The new entries survive a power cut. */
export async function makeFolder(path: string): Promise<void> {
  const first = await makeFolders(path)
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Flushes a folder's entries to the disk. Windows has no such call and flushes them itself. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Some network file systems do not support it.
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes(codeOf(error))) throw error
  } finally {
    await handle.close()
  }
}
