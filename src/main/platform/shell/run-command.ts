/** Runs a command until its shell has ended and its process group is being terminated. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ShellEnd, ShellRun } from '../../runtime/ports/shell.ts'
import { machineElapsed } from '../system/machine-time.ts'
import { createLiveOutput } from './live-output.ts'
import { OutputBuffer, type OutputLimits } from './output-buffer.ts'
import type { OutputPipe } from './output-pipes.ts'
import { createPlainOutput } from './plain-output.ts'
import { createProcessGroup, type ProcessGroup } from './process-group.ts'
import { folderOfReport, REPORT_FD } from './wrap-command.ts'

interface CommandOptions {
  readonly shellPath: string
  readonly shellArguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly pipe: OutputPipe | null
  readonly limits: OutputLimits
  /** ms between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** ms that children may outlive the shell. */
  readonly lingerMs: number
  /** Called with the process group once it exists. */
  readonly onGroup: (group: ProcessGroup) => void
}

/** ms to keep reading output after the shell has ended, while another process writes. */
const LONGEST_DRAIN = 1000

/** Resolves when the shell has ended; after a time limit or an abort, when the whole group has ended. */
export async function runShellCommand(run: ShellRun, options: CommandOptions): Promise<Result<ShellEnd>> {
  const started = await start(run, options)
  if (!started.ok) return started
  const { child, pid, output, report } = started.value
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const group = createProcessGroup(pid)
  options.onGroup(group)
  const live = createLiveOutput(run.onOutput)
  const buffer = new OutputBuffer(options.limits)
  const plain = createPlainOutput()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const keep = (lines: string) => {
    if (lines === '') return
    buffer.append(lines)
    run.onLines?.(lines)
  }
  let received = 0
  const take = (text: string) => {
    if (text === '') return
    keep(plain.push(text))
    live.push(text)
  }
  output.on('data', (chunk: Buffer) => {
    received += chunk.length
    take(decoder.decode(chunk, { stream: true }))
  })
  let reported = ''
  report.on('data', (chunk: Buffer) => {
    received += chunk.length
    reported = (reported + chunk.toString('utf8')).slice(-16 * 1024)
  })
  const closed = Promise.all([ended(output), ended(report)])

  let cause: ShellEnd['ended'] = 'exit'
  const { promise: over, resolve: giveUp } = later<null>()
  const stop = (why: 'timeout' | 'aborted') => {
    cause = why
    // Even SIGKILL does not end a process that hangs in the kernel: don't wait for it.
    void group.end(options.graceMs).then(() => giveUp(null))
  }
  const onAbort = () => stop('aborted')
  const timer = setTimeout(() => stop('timeout'), run.timeoutMs)
  run.signal.addEventListener('abort', onAbort, { once: true })
  if (run.signal.aborted) onAbort()

  const exitCode = await Promise.race([exited, over])
  clearTimeout(timer)
  run.signal.removeEventListener('abort', onAbort)

  let endedBackground = false
  if (cause === 'exit') {
    const all = Promise.all([closed, group.goneWithin(options.lingerMs)])
    await Promise.race([all, delay(options.lingerMs, undefined, { ref: false })])
    endedBackground = !(await group.goneWithin(0))
    // In the background: the registry keeps the group until it is gone.
    if (endedBackground) void group.end(options.graceMs)
  } else await group.end(options.graceMs)
  await drained(closed, () => received)

  output.destroy()
  report.destroy()
  take(decoder.decode())
  keep(plain.end())
  live.end()
  return ok({
    output: buffer.text(),
    exitCode,
    ended: cause,
    cwd: folderOfReport(reported) ?? run.cwd,
    ...(endedBackground ? { endedBackground } : {}),
  })
}

interface Started {
  readonly child: ChildProcess
  readonly pid: number
  readonly output: Readable
  /** The shell's report of its final folder. */
  readonly report: Readable
}

async function start(run: ShellRun, options: CommandOptions): Promise<Result<Started>> {
  const { pipe } = options
  const sink = pipe === null ? 'pipe' : pipe.writeFd
  let child: ChildProcess
  try {
    child = spawn(options.shellPath, options.shellArguments, {
      cwd: run.cwd,
      env: options.environment,
      // A separate session and group without a terminal: no process can prompt the user.
      detached: true,
      stdio: ['ignore', sink, sink, 'pipe'],
      windowsHide: true,
    })
    if (child.pid === undefined) throw await new Promise((resolve) => child.once('error', resolve))
  } catch (thrown) {
    if (pipe !== null) closeSync(pipe.readFd)
    return fail({
      type: 'io',
      message: `The shell could not be started: ${messageOf(thrown)}`,
      cause: thrown,
    })
  } finally {
    // Only the child keeps the writing end, so that the output ends with the child.
    if (pipe !== null) closeSync(pipe.writeFd)
  }
  const report = child.stdio[REPORT_FD] as Readable
  const output =
    pipe === null
      ? (child.stdout as Readable)
      : new Socket({ fd: pipe.readFd, readable: true, writable: false })
  // A failing reader has read all available output, and a process that can't be signaled has ended.
  for (const source of [output, report, child.stderr, child]) source?.on('error', () => {})
  return ok({ child, pid: child.pid, output, report })
}

function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('end', resolve)
    stream.once('close', resolve)
  })
}

/** Resolves when the output has ended, or when no more output is buffered. */
async function drained(closed: Promise<unknown>, received: () => number): Promise<void> {
  let isClosed = false
  void closed.then(() => {
    isClosed = true
  })
  const until = machineElapsed() + LONGEST_DRAIN
  for (let quiet = 0; quiet < 3 && machineElapsed() < until; ) {
    const before = received()
    await nextTurn()
    if (isClosed) return
    quiet = received() === before ? quiet + 1 : 0
  }
}
