import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'
const GIGABYTE = 1024 ** 3

/** Bytes that the folders of the integration tests may take together. */
const ROOM = 4 * GIGABYTE

/**
 * Runs `work` with tools whose temporary folder is in memory, where the machine has room for it: thousands of flushes
 * to a disk take a fifth of the time of the integration tests.
 *
 * @template T
 * @param {{ env: NodeJS.ProcessEnv }} tools
 * @param {(tools: { env: NodeJS.ProcessEnv }) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withMemoryFolder(tools, work) {
  const folder = makeFolder()
  if (folder === undefined) return work(tools)
  try {
    return await work({ ...tools, env: { ...tools.env, TMPDIR: folder } })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function makeFolder() {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    if (bavail * bsize < ROOM || freemem() < 2 * ROOM) return undefined
    return mkdtempSync(join(SHARED_MEMORY, 'troupe-'))
  } catch {
    return undefined
  }
}
