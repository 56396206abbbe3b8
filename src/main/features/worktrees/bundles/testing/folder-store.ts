/** An object store in a folder. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok } from '../../../../../shared/kernel/result.ts'
import type { ObjectStore } from '../../../../../shared/workers/object-store.ts'
import { exists } from '../../../../platform/system/exists.ts'

export interface FolderStore extends ObjectStore {
  readonly folder: string
  /** The sizes of all objects that were put, in order. */
  readonly sizes: readonly number[]
}

export async function folderStore(folder: string): Promise<FolderStore> {
  await mkdir(folder, { recursive: true })
  const sizes: number[] = []
  return {
    folder,
    sizes,
    async put(path) {
      const sha256 = createHash('sha256')
        .update(await readFile(path))
        .digest('hex')
      await copyFile(path, join(folder, sha256))
      const { size } = await stat(path)
      sizes.push(size)
      return ok({ object: sha256, sha256, bytes: size })
    },
    async get({ object }, path) {
      if (!(await exists(join(folder, object))))
        return fail({ type: 'missing', message: `The object ${object} is gone from the object store.` })
      await copyFile(join(folder, object), path)
      return ok(undefined)
    },
    has: (object) => exists(join(folder, object)),
    remove: (object) => rm(join(folder, object), { force: true }),
  }
}
