/**
 * Identifies processes. The system reuses process ids, so an identity adds the start time, and the boot that the start
 * time counts from. Together they are unique on this machine.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { codeOf } from './error-code.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** Letters, digits and dots; `unknown` where the system does not report the start time. */
  readonly start: string
}

const UNKNOWN = 'unknown'

export async function identityOf(pid: number): Promise<ProcessIdentity> {
  return { pid, start: (await startOf(pid)) ?? UNKNOWN }
}

/** Whether this process still runs. Where the system does not report start times, the pid decides. */
export async function isRunning({ pid, start }: ProcessIdentity): Promise<boolean> {
  if (!hasPid(pid)) return false
  const now = await startOf(pid)
  if (now === null) return false
  return now === start || now === UNKNOWN || start === UNKNOWN
}

/** Null: no such process runs, or it is a zombie. */
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
    // The process exists and belongs to another user.
    return codeOf(error) === 'EPERM'
  }
}

async function linuxStart(pid: number): Promise<string | null> {
  let stat: string
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  } catch {
    // The process has just ended, or /proc hides the processes of other users.
    return hasPid(pid) ? UNKNOWN : null
  }
  // The name in parentheses may hold spaces and parentheses. The state is the third field.
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
    // A fixed locale and time zone, so that two processes read the same start time.
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
