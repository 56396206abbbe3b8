/** A process and everything it started, as far as that stayed in its group: ended whole. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProcessGroup {
  readonly id: number
  /** Resolves to whether nothing of it is left, at once or within this time (ms). */
  goneWithin(ms: number): Promise<boolean>
  /** SIGTERM, after the grace time (ms) SIGKILL; resolves when nothing is left. A second call joins the first. */
  end(graceMs: number): Promise<void>
  /** SIGKILL now, without waiting: for a program that is about to exit. */
  kill(): void
}

/** How long a group is waited for after SIGKILL: what is still there then hangs in the system itself. */
const AFTER_KILL = 1000

/** When it is first looked at who is left, ms; after that less and less often. */
const FIRST_ROUND = 10

/** SIGTERM is 15, and the masks begin with signal 1. */
const SIGTERM_BIT = 14n

/** The group of a child that was started `detached`. */
export function createProcessGroup(id: number): ProcessGroup {
  let gone = false
  let ending: Promise<void> | null = null

  function signal(name: NodeJS.Signals | 0): void {
    if (gone) return
    try {
      if (process.platform === 'win32') signalOnWindows(id, name)
      else process.kill(-id, name)
    } catch (thrown) {
      // Never again: the number may belong to somebody else one day.
      if (isNoSuchProcess(thrown)) gone = true
    }
  }

  async function goneWithin(ms: number): Promise<boolean> {
    const until = performance.now() + ms
    for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
      signal(0)
      // Where nobody collects the dead, the group lives on in name only.
      if (!gone && pause === 20) gone = (await livingMembers(id))?.length === 0
      if (gone) return true
      const left = until - performance.now()
      if (left <= 0) return false
      await delay(Math.min(pause, left))
    }
  }

  async function end(graceMs: number): Promise<void> {
    const until = performance.now() + graceMs
    signal('SIGTERM')
    // One that is stopped (SIGSTOP) gets to the signal only when it goes on.
    signal('SIGCONT')
    let round = FIRST_ROUND
    for (let left = graceMs; left > 0; left = until - performance.now()) {
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

/** The processes of a group that are not dead and only waiting to be collected; null where that can't be told. */
async function livingMembers(group: number): Promise<readonly number[] | null> {
  if (process.platform !== 'linux') return null
  const pids = await readdir('/proc').catch(() => null)
  if (pids === null) return null
  const members = await Promise.all(
    pids
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
        // After the name in parentheses, which may hold anything: state, parent, group.
        const [state, , owner] = line.slice(line.lastIndexOf(')') + 2).split(' ')
        return Number(owner) === group && state !== 'Z' && state !== 'X' ? [Number(pid)] : []
      }),
  )
  return members.flat()
}

/**
 * Signals again who did not hear it: the signal reached a shell's child before that became another program.
 * Who has a handler heard it and is cleaning up: a second signal would mean "at once" to many.
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
        // It has ended meanwhile.
      }
  }
}

/** There are no groups there, only a tree of parents. */
function signalOnWindows(id: number, name: NodeJS.Signals | 0): void {
  if (name === 0) process.kill(id, 0)
  else if (name !== 'SIGCONT') execFile('taskkill', ['/pid', String(id), '/T', '/F'], () => {})
}

function isNoSuchProcess(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ESRCH'
}
