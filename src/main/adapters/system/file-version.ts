import { statSync } from 'node:fs'

/** A text that changes with the file; empty: the file is missing or can't be reached. */
export function fileVersion(file: string): string {
  try {
    // Synchronous: a thread switch would cost more.
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats === undefined
      ? ''
      : `${stats.dev}-${stats.ino}-${stats.ctimeNs}-${stats.mtimeNs}-${stats.size}`
  } catch {
    return ''
  }
}
