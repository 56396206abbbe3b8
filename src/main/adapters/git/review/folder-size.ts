/** How much a folder takes on the disk. */
import type { Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Entries that are asked about at a time: the disk has other work, too. */
const AT_A_TIME = 32

/** Bytes; links count as links, and what can't be read counts as nothing. Null: the folder is not there. */
export async function folderSize(folder: string): Promise<number | null> {
  const top = await lstat(folder).catch(() => null)
  if (top === null) return null
  let bytes = sizeOf(top)
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const here = next
    let asked: Promise<void>[] = []
    const entries = await opendir(here).catch(() => null)
    if (entries === null) continue
    for await (const entry of entries) {
      const path = join(here, entry.name)
      if (entry.isDirectory()) folders.push(path)
      asked.push(
        lstat(path).then(
          (stats) => {
            bytes += sizeOf(stats)
          },
          () => undefined,
        ),
      )
      if (asked.length < AT_A_TIME) continue
      await Promise.all(asked)
      asked = []
    }
    await Promise.all(asked)
  }
  return bytes
}

/** Windows does not say how many blocks a file takes. */
const sizeOf = ({ blocks, size }: Stats): number => (blocks ? blocks * 512 : size)
