/**
 * Runs the command of the status line: one run at a time, with a time limit, and without processes that outlive a run.
 * The command gets its input on standard input, and no API key.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { StatusLineCall, StatusLineRun } from '../../../shared/status-line/contract.ts'
import { childEnvironment } from '../../platform/shell/child-environment.ts'
import { createProcessGroup, type ProcessGroup } from '../../platform/shell/process-group.ts'
import { type UserShell, userShell } from '../../platform/shell/user-shell.ts'

export interface StatusLineRunner {
  /** Runs after earlier runs have ended. Never rejects: failures are part of the result. */
  run(call: StatusLineCall): Promise<StatusLineRun>
  /** Terminates the current run, and resolves when it has ended. No run starts afterwards. */
  stop(): Promise<void>
  /** Kills the current run synchronously, for the exit of the program. */
  stopNow(): void
}

export interface StatusLineRunnerOptions {
  /** The environment to select the command's variables from. */
  readonly environment: Readonly<NodeJS.ProcessEnv>
  /** ms, for durations. */
  readonly elapsed: () => number
  /** Time limit in ms. Default: 1,000. */
  readonly limitMs?: number
  /** ms between SIGTERM and SIGKILL. Default: 200. */
  readonly graceMs?: number
}

/** Bytes of output that are kept. Further output is read and dropped. */
const OUTPUT_LIMIT = 4096
/** ms that children may keep printing after their shell has ended. */
const LINGER = 50

/** Git in the command must not block commits of agents, and must not prompt. */
const FIXED = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', PAGER: 'cat' } as const

export function createStatusLineRunner(options: StatusLineRunnerOptions): StatusLineRunner {
  const environment = { TERM: 'xterm-256color', ...childEnvironment(options.environment), ...FIXED }
  const { elapsed } = options
  const limits = { limitMs: options.limitMs ?? 1000, graceMs: options.graceMs ?? 200 }
  let shell: Promise<UserShell> | null = null
  let current: ProcessGroup | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let closed = false

  async function run(call: StatusLineCall): Promise<StatusLineRun> {
    shell ??= userShell(environment, process.platform)
    const found = await shell
    if (closed) return notRun('the program is being closed')
    return runOnce(call, {
      ...limits,
      elapsed,
      shell: found,
      environment,
      onGroup: (group) => {
        current = group
      },
    })
  }

  return {
    run(call) {
      const result = queue.then(() => run(call))
      queue = result.catch(() => {})
      return result
    },
    async stop() {
      closed = true
      await current?.end(limits.graceMs)
      await queue
    },
    stopNow() {
      closed = true
      current?.kill()
    },
  }
}

interface RunOptions extends Pick<StatusLineRunnerOptions, 'elapsed'> {
  readonly shell: UserShell
  readonly environment: Readonly<Record<string, string>>
  readonly limitMs: number
  readonly graceMs: number
  readonly onGroup: (group: ProcessGroup | null) => void
}

async function runOnce(call: StatusLineCall, options: RunOptions): Promise<StatusLineRun> {
  const { limitMs, graceMs, onGroup, elapsed } = options
  const begun = elapsed()
  const started = await start(call, options)
  if (typeof started === 'string') return notRun(started)
  const { child, pid } = started
  const group = createProcessGroup(pid)
  onGroup(group)
  const output = collect(child.stdout)
  const errors = collect(child.stderr)
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  // A command that does not read its standard input closes it.
  child.stdin.on('error', () => {})
  child.stdin.end(`${call.input}\n`)

  const timer = new AbortController()
  const tooSlow = delay(limitMs, 'too slow' as const, { signal: timer.signal }).catch(
    () => 'too slow' as const,
  )
  const exitCode = await Promise.race([exited, tooSlow])
  timer.abort()
  const ms = Math.round(elapsed() - begun)
  if (exitCode !== 'too slow') await Promise.race([Promise.all([output.ended, errors.ended]), delay(LINGER)])
  // Terminates children of an ended command too: no process may outlive its run.
  if (!(await group.goneWithin(0))) await group.end(graceMs)
  onGroup(null)
  for (const stream of child.stdio) stream?.destroy()
  return {
    ended: exitCode === 'too slow' ? 'too-slow' : 'exit',
    exitCode: exitCode === 'too slow' ? null : exitCode,
    output: output.text(),
    errors: errors.text(),
    ms,
  }
}

/** The child process, or the message of the failure. */
async function start(
  { command, folder }: StatusLineCall,
  { shell, environment }: RunOptions,
): Promise<{ readonly child: ChildProcessWithoutNullStreams; readonly pid: number } | string> {
  try {
    const child = spawn(shell.path, shell.arguments(command), {
      cwd: folder,
      // At level 0, bash takes an input that is a socket for a login over the network, and reads .bashrc.
      env: { ...environment, SHLVL: environment['SHLVL'] ?? '1' },
      // A separate session and group without a terminal: terminated as a whole, and unable to prompt the user.
      detached: process.platform !== 'win32',
      stdio: 'pipe',
      windowsHide: true,
      windowsVerbatimArguments: shell.verbatim,
    })
    if (child.pid === undefined) throw await new Promise((resolve) => child.once('error', resolve))
    child.on('error', () => {})
    return { child, pid: child.pid }
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/** The beginning of a stream, without a character that the limit cuts in half. */
function collect(stream: Readable): { readonly ended: Promise<void>; readonly text: () => string } {
  const decoder = new TextDecoder()
  let room = OUTPUT_LIMIT
  let text = ''
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    if (room === 0) return
    const kept = chunk.subarray(0, room)
    room -= kept.length
    text += decoder.decode(kept, { stream: true })
  })
  return {
    ended: new Promise((resolve) => {
      stream.once('end', resolve)
      stream.once('close', resolve)
    }),
    text: () => text,
  }
}

function notRun(reason: string): StatusLineRun {
  return { ended: 'not-started', exitCode: null, output: '', errors: reason, ms: 0 }
}
