/** A process behind bubblewrap that does nothing: its files in `/proc` keep its namespaces, also after its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'

interface Inside {
  /** Open files, which keep the namespaces of the process. */
  readonly files: readonly number[]
  /** Lets the process end. */
  end(): void
  /** Calls back at the end of the process. */
  ended(callback: () => void): void
  /** Closes the files, once, and kills the process. */
  close(): void
}

/**
 * Starts a process that waits behind bubblewrap, and opens files of it.
 * @param program bubblewrap with its arguments for namespaces and mounts
 * @param its.files names in its folder of `/proc`
 * @param its.begin a line of bash that runs before it waits
 * @returns null: the system does not let it
 */
export async function startInside(
  [program = '', ...args]: readonly string[],
  its: { readonly files: readonly string[]; readonly begin?: string },
): Promise<Inside | null> {
  const line = `${its.begin ?? ''}echo; read -r _`
  const holder = spawn(program, [...args, '--info-fd', '3', '--', ...BASH, '-c', line], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
  })
  holder.stdin?.on('error', () => undefined)
  const pid = await pidInside(holder)
  holder.unref()
  for (const pipe of holder.stdio) (pipe as Socket | null)?.unref()
  const files: number[] = []
  const close = () => {
    for (const file of files.splice(0)) closeSync(file)
    holder.kill('SIGKILL')
  }
  try {
    if (pid === null) throw new Error('It did not start.')
    for (const name of its.files) files.push(openSync(`/proc/${pid}/${name}`, 'r'))
  } catch {
    close()
    return null
  }
  return {
    files: [...files],
    end: () => holder.stdin?.end(),
    ended: (callback) => holder.once('exit', callback),
    close,
  }
}

/** Its input is a socket, which bash takes for a login over the network: without `--norc` it reads the user's .bashrc. */
export const BASH = ['bash', '--norc'] as const

/** ms after which a process that is not ready has failed. */
const LONGEST_START = 5000

/** The process inside, once it is ready; null: it failed. */
function pidInside(holder: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    let told = ''
    let isReady = false
    const timer = setTimeout(() => resolve(null), LONGEST_START)
    timer.unref()
    const settle = () => {
      const pid = Number(/"child-pid":\s*(\d+)\b(?=[\s\S]*\})/.exec(told)?.[1])
      if (!isReady || Number.isNaN(pid)) return
      clearTimeout(timer)
      resolve(pid)
    }
    holder.stdio[3]?.on('data', (chunk: Buffer) => {
      told += chunk.toString('utf8')
      settle()
    })
    holder.stdout?.once('data', () => {
      isReady = true
      settle()
    })
    const fail = () => {
      clearTimeout(timer)
      resolve(null)
    }
    holder.once('error', fail)
    holder.once('exit', fail)
  })
}

/** An open file of this program as a path for other programs. */
export const fileOf = (file: number): string => `/proc/${process.pid}/fd/${file}`
