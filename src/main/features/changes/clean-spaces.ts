/**
 * Deletes kept content over the limits of age and size: whole conversations, the oldest first. Of a conversation that
 * is in use, only its oldest content.
 */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ageOf } from '../../platform/system/file-times.ts'

const DAY_MS = 86_400_000

/** A conversation that kept content within this time is in use. */
const IN_USE_MS = 3_600_000

/** Newer content may belong to a call that is running. */
const CALL_MS = 600_000

/** A conversation's folder counts as old as its last kept content. Throws the system's error. */
export async function cleanSpaces(
  folder: string,
  { days, megabytes }: { readonly days: number; readonly megabytes: number },
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const spaces = []
  for (const name of names) {
    const path = join(folder, name)
    spaces.push({ path, usedAt: await lastUse(path), bytes: await sizeOfFolder(path) })
  }
  spaces.sort((one, other) => other.usedAt - one.usedAt)
  let room = megabytes * 1024 * 1024
  for (const { path, usedAt, bytes } of spaces) {
    room -= bytes
    if (ageOf(usedAt) <= days * DAY_MS && room >= 0) continue
    if (ageOf(usedAt) > IN_USE_MS) await rm(path, { recursive: true, force: true })
    else room += await dropOldest(join(path, 'content'), -room)
  }
}

/** @returns the bytes that were deleted */
async function dropOldest(folder: string, bytes: number): Promise<number> {
  const found = []
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => null)
    if (stats && ageOf(stats.mtimeMs) > CALL_MS) found.push({ path, at: stats.mtimeMs, size: stats.size })
  }
  let dropped = 0
  for (const { path, size } of found.sort((one, other) => one.at - other.at)) {
    if (dropped >= bytes) break
    await rm(path, { force: true })
    dropped += size
  }
  return dropped
}

/** Bytes of all kept content in a folder; 0 if there is none. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory()
      ? await sizeOfFolder(path)
      : await stat(path).then(
          ({ size }) => size,
          () => 0,
        )
  }
  return bytes
}

async function lastUse(path: string): Promise<number> {
  const times = await Promise.all(
    [path, join(path, 'content'), join(path, 'pending')].map((part) =>
      stat(part).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return Math.max(...times)
}
