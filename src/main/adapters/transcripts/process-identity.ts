/**
 * Which process is which. A pid alone is not enough, since pids are used again: the time of the start,
 * with the boot it counts from, makes it unique on this machine.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { codeOf } from './disk-failure.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** Letters, digits and dots; `unknown` where this system does not tell. */
  readonly start: string
}

const UNKNOWN = 'unknown'

export async function identityOf(pid: number): Promise<ProcessIdentity> {
  return { pid, start: (await startOf(pid)) ?? UNKNOWN }
}

/** Whether this very process still runs. Where the system does not tell its start, its pid decides. */
export async function isRunning({ pid, start }: ProcessIdentity): Promise<boolean> {
  if (!hasPid(pid)) return false
  const now = await startOf(pid)
  if (now === null) return false
  return now === start || now === UNKNOWN || start === UNKNOWN
}

/** Null: no such process runs, or it has ended and only waits for its parent to notice. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return linuxStart(pid)
  if (process.platform === 'win32') return UNKNOWN
  return startByPs(pid)
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and belongs to somebody else.
    return codeOf(error) === 'EPERM'
  }
}

async function linuxStart(pid: number): Promise<string | null> {
  let stat: string
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  } catch {
    // Ended just now, or /proc hides the processes of others.
    return hasPid(pid) ? UNKNOWN : null
  }
  // The name in parentheses may itself hold spaces and parentheses; the state is the third field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  if (state === 'Z' || state === 'X') return null
  return `${await bootId()}.${fields[19]}`
}

let boot: Promise<string> | null = null

function bootId(): Promise<string> {
  boot ??= readFile('/proc/sys/kernel/random/boot_id', 'latin1').then(
    (id) => id.replaceAll('-', '').slice(0, 12),
    () => 'boot',
  )
  return boot
}

function startByPs(pid: number): Promise<string | null> {
  return new Promise((resolve) => {
    // In a fixed language and time zone, so that two processes read the same start.
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
    execFile('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { env }, (error, output) => {
      const [state = '', ...start] = output.trim().split(/\s+/)
      if (state.startsWith('Z')) return resolve(null)
      const time = Date.parse(`${start.join(' ')} UTC`)
      if (!Number.isNaN(time)) return resolve(String(time))
      resolve(error && typeof error.code === 'number' && !hasPid(pid) ? null : UNKNOWN)
    })
  })
}
