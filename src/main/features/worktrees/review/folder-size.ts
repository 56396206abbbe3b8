/** Disk usage of a folder. */
import type { Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Concurrent `lstat` calls, so that other disk access is not delayed. */
const AT_A_TIME = 32

/** Bytes. Links are not followed, unreadable entries count as 0. Null: the folder is missing. */
export async function folderSize(folder: string): Promise<number | null> {
  const top = await lstat(folder).catch(() => null)
  if (top === null) return null
  let bytes = sizeOf(top)
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const here = next
    let pending: Promise<void>[] = []
    const entries = await opendir(here).catch(() => null)
    if (entries === null) continue
    for await (const entry of entries) {
      const path = join(here, entry.name)
      if (entry.isDirectory()) folders.push(path)
      pending.push(
        lstat(path).then(
          (stats) => {
            bytes += sizeOf(stats)
          },
          () => undefined,
        ),
      )
      if (pending.length < AT_A_TIME) continue
      await Promise.all(pending)
      pending = []
    }
    await Promise.all(pending)
  }
  return bytes
}

/** Windows reports no block count. */
const sizeOf = ({ blocks, size }: Stats): number => (blocks ? blocks * 512 : size)
