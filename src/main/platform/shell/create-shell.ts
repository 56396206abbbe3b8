/** Runs commands on this machine and keeps track of all processes that they start. */
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import type { Shell, ShellEnd, ShellRun } from '../../runtime/ports/shell.ts'
import type { CommandOwner } from './end-lost-commands.ts'
import { findShell } from './find-shell.ts'
import { COMMAND_MARK, endMarked, killMarkedNow } from './marked-processes.ts'
import { defaultOutputLimits, type OutputLimits } from './output-buffer.ts'
import { createOutputPipes } from './output-pipes.ts'
import type { ProcessGroup } from './process-group.ts'
import { runShellCommand } from './run-command.ts'
import { shellArguments } from './wrap-command.ts'

/** A command to run within limits. */
export interface ConfineRequest {
  readonly limits: CommandLimits
  /** Where it starts. */
  readonly cwd: string
  /** The shell and its arguments. @param first a line that it runs before the command; '': none */
  argv(first: string): readonly string[]
}

interface CommandRemarks {
  /** The hosts that the command did not reach. */
  readonly refusedHosts: readonly string[]
  /** Sentences for the agent: what was not kept, and what it could not write. */
  readonly notes: readonly string[]
}

/** The same command as one that runs in the sandbox. */
export interface WrappedCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Aborts when the limits no longer hold, with a sentence as its reason. */
  readonly lost: AbortSignal
  /** To be called when the command has ended, with its output. */
  end(output: string): Promise<CommandRemarks>
}

export interface ShellOptions {
  /** The complete environment of commands; see commandEnvironment. */
  readonly environment: Readonly<Record<string, string>>
  /** That environment as it is when a command starts. Default: `environment`. */
  readonly current?: () => Readonly<Record<string, string>>
  /** Default: bash, or sh where bash is missing. */
  readonly shellPath?: string
  /** The folder for named pipes. Default: the system's temporary folder. */
  readonly tempFolder?: string
  /** ms between SIGTERM and SIGKILL. Default: 2,000. */
  readonly graceMs?: number
  /** ms that children may outlive their shell before they are terminated. Default: 100. */
  readonly lingerMs?: number
  readonly limits?: OutputLimits
  /** Turns a command that has limits into one that runs in the sandbox. Missing: such a command is refused. */
  readonly confine?: (request: ConfineRequest) => Promise<Result<WrappedCommand>>
  /** This program, as the owner of its commands in the background. */
  readonly owner?: CommandOwner
}

export interface CreatedShell {
  readonly shell: Shell
  /** Terminates all running processes, and resolves when they have ended. No command starts afterwards. */
  killAll(): Promise<void>
  /** Kills all running processes synchronously, for the exit of the program. */
  killAllNow(): void
}

/** The maximum length of an argument on Linux, including its terminator. Other systems allow more. */
const LONGEST_ARGUMENT = 128 * 1024

/** Keeps commands from waiting for a user: no pager, no editor, no password prompt. */
const WITHOUT_A_PERSON = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
} as const

export function createShell(options: ShellOptions): CreatedShell {
  const environmentWith = (more: ShellRun['environment']) => ({
    TERM: 'dumb',
    ...(options.current?.() ?? options.environment),
    ...more,
    ...WITHOUT_A_PERSON,
  })
  const graceMs = options.graceMs ?? 2000
  const pipes = createOutputPipes({
    tempFolder: options.tempFolder ?? tmpdir(),
    environment: environmentWith({}),
  })
  const groups = new Set<ProcessGroup>()
  const shell = findShell(options.environment, options.shellPath)
  const owner = options.owner ?? { id: `${process.pid}-${tag++}`, begin: noWork, end: noWork }
  /** The ends of the commands in the background that run. */
  const inBackground = new Set<Promise<unknown>>()
  let commands = 0
  let closed = false

  /** A command in the background ends with all processes that have its mark. */
  async function runMarked(asked: ShellRun): Promise<Result<ShellEnd>> {
    await owner.begin()
    const mark = `${owner.id}/${++commands}`
    const inner = new AbortController()
    let ending: Promise<void> | null = null
    const end = () => {
      // The processes are listed while their parents live.
      ending ??= endMarked(
        (other) => other === mark,
        graceMs,
        () => inner.abort(),
      )
    }
    asked.signal.addEventListener('abort', end, { once: true })
    if (asked.signal.aborted) end()
    const environment = { ...asked.environment, [COMMAND_MARK]: mark }
    const ran = await runInGroup({ ...asked, environment, signal: inner.signal })
    asked.signal.removeEventListener('abort', end)
    end()
    await ending
    return ran
  }

  async function run(asked: ShellRun): Promise<Result<ShellEnd>> {
    if (asked.onLines === undefined) return runInGroup(asked)
    const running = runMarked(asked)
    inBackground.add(running)
    try {
      return await running
    } finally {
      inBackground.delete(running)
      await owner.end()
    }
  }

  async function runInGroup(asked: ShellRun): Promise<Result<ShellEnd>> {
    if (!isFolder(asked.cwd))
      return fail({
        type: 'not-found',
        message: `The folder ${asked.cwd} is gone, so the command was not run.`,
      })
    if (asked.command.includes('\0'))
      return fail({ type: 'io', message: 'The command contains a NUL character, which no shell can read.' })
    if (Buffer.byteLength(asked.command) >= LONGEST_ARGUMENT) return fail(tooLong)
    const [{ path, dialect }, pipe] = [await shell, await pipes.take()]
    if (closed || asked.signal.aborted) {
      pipes.giveBack(pipe)
      return ok({ output: '', exitCode: null, ended: 'aborted', cwd: asked.cwd })
    }
    const argv = (first: string) => [path, ...shellArguments(asked.command, dialect, first)]
    const { confine = () => fail(noSandbox) } = options
    const confined =
      asked.limits === undefined ? null : await confine({ limits: asked.limits, cwd: asked.cwd, argv })
    if (confined !== null && !confined.ok) {
      pipes.giveBack(pipe)
      return confined
    }
    const mine: ProcessGroup[] = []
    const signal = confined === null ? asked.signal : AbortSignal.any([asked.signal, confined.value.lost])
    const end = await runShellCommand(
      { ...asked, signal },
      {
        shellPath: confined?.value.program ?? path,
        shellArguments: confined?.value.args ?? argv('').slice(1),
        environment: environmentWith(asked.environment),
        pipe,
        limits: options.limits ?? defaultOutputLimits,
        graceMs,
        lingerMs: options.lingerMs ?? 100,
        onGroup: (group) => {
          mine.push(group)
          groups.add(group)
        },
      },
    )
    for (const group of mine) forgetWhenGone(group)
    const remarks = await confined?.value.end(end.ok ? end.value.output : '')
    if (!end.ok || remarks === undefined) return end
    const { refusedHosts, notes } = remarks
    return ok({
      ...end.value,
      ...(refusedHosts.length > 0 && { refusedHosts }),
      ...(notes.length > 0 && { sandboxNotes: notes }),
    })
  }

  /** Groups that are being terminated in the background. They stay registered until they are gone. */
  function forgetWhenGone(group: ProcessGroup): void {
    void group.goneWithin(graceMs * 2).then(() => groups.delete(group))
  }

  /** Resolves when all processes of commands in the background are known, to the promise of their end. */
  function beginToEndMine(): Promise<{ readonly ended: Promise<void> | null }> {
    return new Promise((resolve) => {
      if (inBackground.size === 0) return resolve({ ended: null })
      const ended: Promise<void> = endMarked(isMine, graceMs, () => resolve({ ended }))
    })
  }

  const isMine = (mark: string) => mark.startsWith(`${owner.id}/`)
  return {
    shell: { run },
    killAll: async () => {
      closed = true
      const marked = await beginToEndMine()
      await Promise.all([pipes.close(), marked.ended, ...[...groups].map((group) => group.end(graceMs))])
      await Promise.all([...inBackground].map((running) => running.catch(() => undefined)))
    },
    killAllNow: () => {
      closed = true
      if (inBackground.size > 0) killMarkedNow(isMine)
      for (const group of groups) group.kill()
      void pipes.close()
    },
  }
}

const tooLong = {
  type: 'too-long',
  message: 'The command exceeds the system limit of 128 KB. Write it to a file and run the file.',
}

const noSandbox = {
  type: 'sandbox',
  message: 'The command was to run in the sandbox, and there is none here, so it was not run.',
}

const noWork = async () => {}

/** Tells shells of one process apart that have no owner. */
let tag = 0

/** Synchronous: spawning a process accesses the folder anyway, and a thread switch would cost more. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
