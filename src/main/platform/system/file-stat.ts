/** File metadata in the form of the `FileSystem` port. */
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FileStat } from '../../runtime/ports/files.ts'

export function statOf(stats: BigIntStats): FileStat & { readonly version: string } {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    size: Number(stats.size),
    // Nanoseconds as a fraction of milliseconds, as Node's own mtimeMs has them.
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    version: `${stats.dev}-${stats.ino}-${stats.ctimeNs}-${stats.mtimeNs}-${stats.size}`,
  }
}

/** A text that changes with every change of the file; null: the file is gone. */
export async function fileVersionOf(path: string): Promise<string | null> {
  const stats = await stat(path, { bigint: true }).catch(() => null)
  return stats === null ? null : statOf(stats).version
}

/** Whether two stats describe the same, unchanged file. */
export function isSameFile(one: FileStat, other: FileStat): boolean {
  if (one.version !== undefined && other.version !== undefined) return one.version === other.version
  return one.kind === other.kind && one.size === other.size && one.mtimeMs === other.mtimeMs
}
