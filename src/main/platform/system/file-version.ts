import { statSync } from 'node:fs'
import { codeOf } from './error-code.ts'

/** A text that changes with the file; empty: the file is missing. */
export function fileVersion(file: string): string {
  try {
    // Synchronous: a thread switch would cost more.
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats === undefined
      ? ''
      : `${stats.dev}-${stats.ino}-${stats.ctimeNs}-${stats.mtimeNs}-${stats.size}`
  } catch (thrown) {
    const code = codeOf(thrown)
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : `can't be reached: ${code}`
  }
}
