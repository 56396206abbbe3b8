/** Runs the commands of hooks, each in a process group of its own. */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { CommandOwner } from '../../platform/shell/end-lost-commands.ts'
import { findShell } from '../../platform/shell/find-shell.ts'
import { COMMAND_MARK } from '../../platform/shell/marked-processes.ts'
import { createProcessGroup, type ProcessGroup } from '../../platform/shell/process-group.ts'
import type { HookOutput } from './hook-answer.ts'

export interface CommandHook {
  readonly command: string
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly input: unknown
  /** ms. Children that outlive the command are ended then, too. */
  readonly timeLimitMs: number
  /** Ends the command. */
  readonly signal: AbortSignal
}

export interface HookCommands {
  /** Rejects with `TimedOut` at the time limit, and with an Error if it can't be started or was ended by a signal. */
  run(hook: CommandHook): Promise<HookOutput>
  /** Ends all commands. Resolves when they are gone. */
  endAll(): Promise<void>
  /** Kills all commands without waiting, for the exit of the program. */
  killAllNow(): void
}

export class TimedOut extends Error {
  constructor(ms: number) {
    super(`No answer within ${ms / 1000} s.`)
  }
}

/** At level 0, bash takes an input that is a socket for a login over the network, and reads .bashrc. */
const NO_BASHRC = { SHLVL: '1' }
/** ms between SIGTERM and SIGKILL. */
const GRACE = 2000
/** ms to wait for output after the command has ended while a child keeps it open. */
const LINGER = 100
/** Characters of each output. */
const MOST_OUTPUT = 256 * 1024

/**
 * @param owner marks the processes, so that the next start ends those that a killed program left
 * @param elapsed ms, for durations
 */
export function createHookCommands(owner: CommandOwner, elapsed: () => number): HookCommands {
  let hooks = 0
  const groups = new Set<ProcessGroup>()
  /** Forgets a group once it is gone; what outlives its command ends at the time limit. */
  const follow = async (group: ProcessGroup, leftMs: number) => {
    if (!(await group.goneWithin(0))) {
      const timer = setTimeout(() => void group.end(GRACE), Math.max(0, leftMs))
      timer.unref()
      while (!(await group.goneWithin(0))) await pause(500)
      clearTimeout(timer)
    }
    forget(group)
  }
  const forget = (group: ProcessGroup) => {
    if (groups.delete(group)) void owner.end().catch(() => {})
  }
  return {
    async run(hook) {
      const { path } = await findShell(hook.environment, undefined)
      hook.signal.throwIfAborted()
      // Without the file of the mark the hook runs, too.
      await owner.begin().catch(() => {})
      const startedAt = elapsed()
      const child = spawn(path, ['-c', hook.command], {
        cwd: hook.cwd,
        env: { ...hook.environment, ...NO_BASHRC, [COMMAND_MARK]: `${owner.id}/hook-${++hooks}` },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      })
      if (child.pid === undefined) {
        void owner.end().catch(() => {})
        throw await new Promise((resolve) => child.once('error', resolve))
      }
      child.on('error', () => {})
      const group = createProcessGroup(child.pid)
      groups.add(group)
      // A hook need not read its input.
      child.stdin.on('error', () => {})
      child.stdin.end(`${JSON.stringify(hook.input)}\n`)
      const stdout = collect(child.stdout)
      const stderr = collect(child.stderr)
      const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
      const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
      try {
        const exitCode = await Promise.race([exited, timeLimitOrStop(hook)])
        await Promise.race([closed, pause(LINGER)])
        if (exitCode === null) throw new Error('It was ended by a signal.')
        void follow(group, hook.timeLimitMs - (elapsed() - startedAt))
        return { exitCode, stdout: stdout(), stderr: stderr() }
      } catch (thrown) {
        void group.end(GRACE).then(() => forget(group))
        throw thrown
      } finally {
        child.stdout.destroy()
        child.stderr.destroy()
      }
    },
    async endAll() {
      await Promise.all([...groups].map((group) => group.end(GRACE)))
    },
    killAllNow() {
      for (const group of groups) group.kill()
    },
  }
}

/** Rejects at the time limit and when the signal aborts. */
export function timeLimitOrStop({
  timeLimitMs,
  signal,
}: Pick<CommandHook, 'timeLimitMs' | 'signal'>): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOut(timeLimitMs)), timeLimitMs)
    timer.unref()
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(new Error('The agent was stopped.'))
      },
      { once: true },
    )
  })
}

function collect(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('error', () => {})
  stream.on('data', (chunk: string) => {
    if (text.length < MOST_OUTPUT) text += chunk
  })
  return () => text.slice(0, MOST_OUTPUT)
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })
