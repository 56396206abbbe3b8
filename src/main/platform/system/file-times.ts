/**
 * The time as files have it. A file's times come from this machine, so they are compared with its clock and with no other
 * one.
 */
import { utimes } from 'node:fs/promises'
import { machineNow } from './machine-time.ts'

/** A file changed this shortly before it was read may change again without a new time, in ms. */
const CLOCK_STEP_MS = 50

/** A time in ms since the epoch: what has an earlier one gets a new time with its next change. */
export const settledTime = (): number => machineNow() - CLOCK_STEP_MS

/** ms since a time of a file, such as `mtimeMs`. Negative: it is in the future. */
export const ageOf = (fileTime: number): number => machineNow() - fileTime

/** That time of a file, or now if it is in the future. */
export const notInFuture = (fileTime: number): Date => new Date(Math.min(fileTime, machineNow()))

/** Marks a file or a folder as used now. Throws the system's error. */
export async function touch(path: string): Promise<void> {
  const now = new Date(machineNow())
  await utimes(path, now, now)
}
