import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { say } from './say.mjs'

/** Runs `work` while holding the lock `file`; a lock of an ended process is taken over. */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  let waiting = false
  while (!take(file)) {
    if (!waiting) say(`Waiting for another run that holds ${file}`)
    waiting = true
    await delay(200)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(file)) rmSync(file, { force: true })
    return false
  }
}

function isHeld(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    // Between its creation and its write a lock is empty.
    if (pid === 0) return true
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
