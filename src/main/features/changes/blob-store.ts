/** The kept content of changed files: one file per content, named by its SHA-256, in a folder per conversation. */
import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_MODE, makeFolder, publishFile, syncFolder } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { exists } from '../../platform/system/exists.ts'

export interface BlobStore {
  /** The folder of the conversation. */
  readonly folder: string
  /**
   * Keeps content, and returns its digest. Throws the system's error.
   * @param durable whether the content must survive a power cut
   */
  put(content: Uint8Array, durable?: boolean): Promise<string>
  has(digest: string): Promise<boolean>
  /** Null: the content is not kept, or no longer. */
  read(digest: string): Promise<Uint8Array | null>
}

export const blobDigest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** @param onKept called with the bytes of new content */
export function createBlobStore(folder: string, onKept: (bytes: number) => void = () => {}): BlobStore {
  const blobs = join(folder, 'content')
  return {
    folder,
    async put(content, durable = false) {
      const digest = blobDigest(content)
      const path = join(blobs, digest)
      // Checked each time: the cleanup deletes content while the program runs.
      if (!(await exists(path))) {
        await makeFolder(blobs)
        const draft = `${path}-${draftMark()}.tmp`
        if (durable) {
          await publishFile({ draft, content, mode: FILE_MODE, publish: () => rename(draft, path) })
          await syncFolder(blobs)
        } else {
          await writeFile(draft, content, { mode: FILE_MODE })
          await rename(draft, path)
        }
        onKept(content.length)
      }
      return digest
    },
    has: (digest) => exists(join(blobs, digest)),
    async read(digest) {
      if (!/^[0-9a-f]{64}$/.test(digest)) return null
      const content = await readFile(join(blobs, digest)).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return null
        throw error
      })
      // Damaged content is never restored.
      return content !== null && blobDigest(content) === digest ? content : null
    },
  }
}
