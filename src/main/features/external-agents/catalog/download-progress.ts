/** How far an installation is: what is in its folder, of what the program takes there. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../runtime/ports/ports.ts'

interface DownloadOptions {
  readonly folder: string
  /** Bytes of the complete folder, as measured for the program; 0: unknown, so nothing is told. */
  readonly bytes: number
  readonly clock: Clock
  /** Ends the measurements. */
  readonly signal: AbortSignal
  /** Called with a whole percentage that only grows, and is below 100 until the installation has ended. */
  readonly onPercent: (percent: number) => void
}

/** ms between measurements: a folder of a program has thousands of files. */
const PAUSE = 500
const MOST = 99

/** Resolves when the signal is aborted. */
export async function followDownload(options: DownloadOptions): Promise<void> {
  const { folder, bytes, clock, signal, onPercent } = options
  if (bytes <= 0) return
  let last = 0
  while (!signal.aborted) {
    const percent = Math.min(MOST, Math.floor(((await bytesIn(folder)) / bytes) * 100))
    if (percent > last && !signal.aborted) {
      last = percent
      onPercent(percent)
    }
    await clock.sleep(PAUSE, signal).catch(() => undefined)
  }
}

/** Files that vanish meanwhile count as nothing. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let sum = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sum += await bytesIn(path)
    else if (entry.isFile()) sum += (await stat(path).catch(() => null))?.size ?? 0
  }
  return sum
}
