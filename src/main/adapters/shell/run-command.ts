/** One command, from its start until its shell has ended and its group is on the way out. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { ShellEnd, ShellRun } from '../../runtime/ports.ts'
import { createLiveOutput } from './live-output.ts'
import { OutputBuffer, type OutputLimits } from './output-buffer.ts'
import type { OutputPipe } from './output-pipes.ts'
import { createProcessGroup, type ProcessGroup } from './process-group.ts'
import { folderOfReport, REPORT_FD } from './wrap-command.ts'

export interface CommandOptions {
  readonly shellPath: string
  readonly shellArguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly pipe: OutputPipe | null
  readonly limits: OutputLimits
  /** Between SIGTERM and SIGKILL, ms. */
  readonly graceMs: number
  /** How long the shell's children may outlive it before they count as left behind, ms. */
  readonly lingerMs: number
  /** Told of the group as soon as there is one. */
  readonly onGroup: (group: ProcessGroup) => void
}

/** How long output is read on after the shell's end where something keeps writing, ms. */
const LONGEST_DRAIN = 1000

/** Resolves when the shell has ended; after a time limit or an abort, when the whole group has. */
export async function runCommand(run: ShellRun, options: CommandOptions): Promise<Result<ShellEnd>> {
  const started = await start(run, options)
  if (!started.ok) return started
  const { child, pid, output, report } = started.value
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const group = createProcessGroup(pid)
  options.onGroup(group)
  const live = createLiveOutput(run.onOutput)
  const buffer = new OutputBuffer(options.limits)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let received = 0
  const take = (text: string) => {
    if (text === '') return
    buffer.append(text)
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
    // Even SIGKILL does not end a process that hangs in the system: it is not waited for.
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
    // In the background: the registry keeps the group until nothing of it is left.
    if (endedBackground) void group.end(options.graceMs)
  } else await group.end(options.graceMs)
  await drained(closed, () => received)

  output.destroy()
  report.destroy()
  take(decoder.decode())
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
  /** What the shell tells of its folder. */
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
      // A session and a group of its own, without a terminal: nothing can stop to ask a person.
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
    // Only the child holds the writing end now, so that the output ends with it.
    if (pipe !== null) closeSync(pipe.writeFd)
  }
  const report = child.stdio[REPORT_FD] as Readable
  const output =
    pipe === null
      ? (child.stdout as Readable)
      : new Socket({ fd: pipe.readFd, readable: true, writable: false })
  // A reader that fails has read what there was; what can't be signalled has ended.
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

/** Resolves when the output has ended, or when nothing more of it is waiting to be read. */
async function drained(closed: Promise<unknown>, received: () => number): Promise<void> {
  let isClosed = false
  void closed.then(() => {
    isClosed = true
  })
  const until = performance.now() + LONGEST_DRAIN
  for (let quiet = 0; quiet < 3 && performance.now() < until; ) {
    const before = received()
    await nextTurn()
    if (isClosed) return
    quiet = received() === before ? quiet + 1 : 0
  }
}
