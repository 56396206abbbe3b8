/** Terminates a process together with the processes of its group. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { machineElapsed } from '../system/machine-time.ts'

export interface ProcessGroup {
  readonly id: number
  /** Resolves to whether the group is gone, now or within this time (ms). */
  goneWithin(ms: number): Promise<boolean>
  /** Sends SIGTERM, and SIGKILL after the grace time (ms). Resolves when the group is gone. A second call joins the first. */
  end(graceMs: number): Promise<void>
  /** Sends SIGKILL without waiting, for the exit of the program. */
  kill(): void
}

/** ms to wait after SIGKILL. A process that remains hangs in the kernel. */
const AFTER_KILL = 1000

/** ms until the first check of the group. Later checks are less frequent. */
const FIRST_ROUND = 10

/** SIGTERM is 15, and the masks begin with signal 1. */
const SIGTERM_BIT = 14n

/** The group of a child that was started with `detached`. */
export function createProcessGroup(id: number): ProcessGroup {
  let gone = false
  let ending: Promise<void> | null = null

  function signal(name: NodeJS.Signals | 0): void {
    if (gone) return
    try {
      if (process.platform === 'win32') signalOnWindows(id, name)
      else process.kill(-id, name)
    } catch (thrown) {
      // Never signal again: the system may reuse the number.
      if (isNoSuchProcess(thrown)) gone = true
    }
  }

  async function goneWithin(ms: number): Promise<boolean> {
    const until = machineElapsed() + ms
    for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
      signal(0)
      // Where no process reaps zombies, the group consists of zombies only.
      if (!gone && pause === 20) gone = (await livingMembers(id))?.length === 0
      if (gone) return true
      const left = until - machineElapsed()
      if (left <= 0) return false
      await delay(Math.min(pause, left))
    }
  }

  async function end(graceMs: number): Promise<void> {
    const until = machineElapsed() + graceMs
    signal('SIGTERM')
    // A process that is stopped (SIGSTOP) receives the signal only after SIGCONT.
    signal('SIGCONT')
    let round = FIRST_ROUND
    for (let left = graceMs; left > 0; left = until - machineElapsed()) {
      if (await goneWithin(Math.min(left, round))) return
      round = Math.min(round * 2, 200)
      await terminateLateComers(id)
    }
    signal('SIGKILL')
    await goneWithin(AFTER_KILL)
  }

  return {
    id,
    goneWithin,
    end: (graceMs) => {
      ending ??= end(graceMs)
      return ending
    },
    kill: () => signal('SIGKILL'),
  }
}

/** The processes of a group without zombies; null: the system can't list them. */
async function livingMembers(group: number): Promise<readonly number[] | null> {
  if (process.platform !== 'linux') return null
  const pids = await readdir('/proc').catch(() => null)
  if (pids === null) return null
  const members = await Promise.all(
    pids
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
        // The fields after the name in parentheses: state, parent, group.
        const [state, , owner] = line.slice(line.lastIndexOf(')') + 2).split(' ')
        return Number(owner) === group && state !== 'Z' && state !== 'X' ? [Number(pid)] : []
      }),
  )
  return members.flat()
}

/**
 * Repeats the signal for processes that missed it, because they received it between fork and exec. Processes with a
 * handler are skipped: they are cleaning up, and many programs treat a second signal as "exit immediately".
 */
async function terminateLateComers(group: number): Promise<void> {
  for (const pid of (await livingMembers(group)) ?? []) {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
    const masks = [...status.matchAll(/^Sig(?:Cgt|Ign):\s*([0-9a-f]+)$/gm)]
    const handles = masks.some(([, mask]) => ((BigInt(`0x${mask}`) >> SIGTERM_BIT) & 1n) === 1n)
    if (masks.length === 2 && !handles)
      try {
        process.kill(pid, 'SIGTERM')
      } catch {
        // The process has ended meanwhile.
      }
  }
}

/** Windows has no process groups, only a tree of parents. */
function signalOnWindows(id: number, name: NodeJS.Signals | 0): void {
  if (name === 0) process.kill(id, 0)
  else if (name !== 'SIGCONT') execFile('taskkill', ['/pid', String(id), '/T', '/F'], () => {})
}

function isNoSuchProcess(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ESRCH'
}
