/** Files that a reader sees whole: the old content or the new one, whenever the writer dies. */
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './disk-failure.ts'

/** Nobody but the user reads what agents do. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/**
 * Replaces a file, making missing folders. The draft has a fixed name beside it: there is one writer, so a
 * draft left by a crash is simply written over.
 * @param options.durable whether it must survive a power cut from now on
 */
export async function replaceFile(
  path: string,
  content: string,
  options: { readonly durable: boolean },
): Promise<void> {
  const draft = `${path}.tmp`
  const handle = await openMakingFolder(draft)
  try {
    await handle.writeFile(content)
    if (options.durable) await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(draft, path)
  if (options.durable) await syncFolder(dirname(path))
}

async function openMakingFolder(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', FILE_MODE)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await makeFolder(dirname(path))
    return open(path, 'w', FILE_MODE)
  }
}

/** Makes a folder and those above it, each durably named in its parent. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Makes a folder's entries durable, where the system can (Windows can't, and does it by itself). */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Some network file systems refuse it.
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes(codeOf(error))) throw error
  } finally {
    await handle.close()
  }
}
