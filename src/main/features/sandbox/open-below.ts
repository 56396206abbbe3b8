/** Opens what commands can write, without following a link in any part of the path. Only on Linux. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** @returns a file descriptor. Throws if a part of the path is missing or a link. */
export function openBelow(folder: string, below: string, flags = constants.O_RDONLY): number {
  const names = below.split('/').filter((name) => name !== '' && name !== '.')
  let fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  for (const [at, name] of names.entries()) {
    const kind = at === names.length - 1 ? flags | constants.O_NONBLOCK : constants.O_DIRECTORY
    try {
      if (name === '..') throw new Error('leads out of its folder')
      const next = openSync(`/proc/self/fd/${fd}/${name}`, kind | constants.O_NOFOLLOW)
      closeSync(fd)
      fd = next
    } catch (thrown) {
      closeSync(fd)
      throw thrown
    }
  }
  return fd
}

/** The content of a plain file. Null: it is missing, larger than `most` bytes, no plain file, or behind a link. */
export function readBelow(folder: string, below: string, most: number): Buffer | null {
  let fd: number | null = null
  try {
    fd = openBelow(folder, below)
    const found = fstatSync(fd)
    return found.isFile() && found.size <= most ? readFileSync(fd) : null
  } catch {
    return null
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/** Whether there is a folder, not behind a link. */
export function isFolderBelow(folder: string, below: string): boolean {
  try {
    closeSync(openBelow(folder, below, constants.O_DIRECTORY))
    return true
  } catch {
    return false
  }
}
