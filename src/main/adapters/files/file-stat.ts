/** The system's facts of a file as the port gives them. */
import type { BigIntStats } from 'node:fs'
import type { FileStat } from '../../runtime/ports.ts'

export function statOf(stats: BigIntStats): FileStat {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    size: Number(stats.size),
    // Nanoseconds as a fraction of milliseconds, as Node's own mtimeMs has them.
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    version: `${stats.dev}-${stats.ino}-${stats.ctimeNs}-${stats.mtimeNs}-${stats.size}`,
  }
}

/** Whether two facts speak of one unchanged file. */
export function isSameFile(one: FileStat, other: FileStat): boolean {
  if (one.version !== undefined && other.version !== undefined) return one.version === other.version
  return one.kind === other.kind && one.size === other.size && one.mtimeMs === other.mtimeMs
}
