import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { root } from './paths.mjs'

/**
 * The npm that started the runner, or the one on PATH.
 *
 * @param {string} [node] the Node that runs it
 * @returns {[file: string, args: string[]]} what to start, and its first arguments
 */
export function npmCommand(node = process.execPath) {
  const npm = process.env.npm_execpath
  if (npm !== undefined) return [node, [npm]]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', []]
}

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 10_000

/**
 * Runs a program to its end.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, capture?: boolean, limit?: number, quiet?: boolean }} [options]
 *   `capture` collects stdout and stderr instead of showing them; `quiet` shows stdout on stderr;
 *   `limit` in milliseconds ends the program and all of its children (SIGTERM, later SIGKILL).
 * @returns {Promise<{ code: number, output: string, timedOut: boolean }>} `code` is 128 + n after signal n.
 */
export function runProgram(file, args, options = {}) {
  const { env = process.env, cwd = root, capture = false, quiet = false, limit } = options
  // Its own process group, so that the limit also ends the browsers and servers it started.
  const ownGroup = limit !== undefined && process.platform !== 'win32'
  const output = capture ? 'pipe' : 'inherit'
  const child = spawn(file, args, {
    cwd,
    env,
    detached: ownGroup,
    stdio: [ownGroup || capture ? 'ignore' : 'inherit', quiet && !capture ? 2 : output, output],
  })
  return new Promise((resolve, reject) => {
    const chunks = []
    let timedOut = false
    let forced
    const signalAll = (signal) => {
      try {
        if (ownGroup) process.kill(-child.pid, signal)
        else child.kill(signal)
      } catch {
        // The process has ended meanwhile.
      }
    }
    const end = () => {
      signalAll('SIGTERM')
      forced ??= setTimeout(() => signalAll('SIGKILL'), GRACE)
    }
    const timer =
      limit === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true
            end()
          }, limit)
    // On a terminal, Ctrl+C already reaches a child of the same group.
    const onInterrupt = () => {
      if (ownGroup || !process.stdin.isTTY) end()
    }
    process.on('SIGINT', onInterrupt)
    process.on('SIGTERM', end)
    process.on('SIGHUP', end)
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    const finish = () => {
      clearTimeout(timer)
      clearTimeout(forced)
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', end)
      process.off('SIGHUP', end)
    }
    child.on('error', (error) => {
      finish()
      reject(error)
    })
    child.on('close', (code, signal) => {
      // A child that outlived its parent must not outlive the part.
      if (ownGroup) signalAll('SIGKILL')
      finish()
      const exit = code ?? 128 + (constants.signals[signal] ?? 0)
      resolve({ code: exit, output: Buffer.concat(chunks).toString('utf8'), timedOut })
    })
  })
}
