/** Commands on this machine, and a register of everything they started that still runs. */
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { Shell, ShellEnd, ShellRun } from '../../runtime/ports.ts'
import { findShell } from './find-shell.ts'
import { defaultOutputLimits, type OutputLimits } from './output-buffer.ts'
import { createOutputPipes } from './output-pipes.ts'
import type { ProcessGroup } from './process-group.ts'
import { runCommand } from './run-command.ts'
import { shellArguments } from './wrap-command.ts'

export interface ShellOptions {
  /** The whole environment of the commands; see childEnvironment. */
  readonly environment: Readonly<Record<string, string>>
  /** bash, or sh where there is none, unless it is said here. */
  readonly shellPath?: string
  /** Where named pipes are made; the system's folder for such things by default. */
  readonly tempFolder?: string
  /** Between SIGTERM and SIGKILL, 2,000 ms by default. */
  readonly graceMs?: number
  /** How long children may outlive their shell before they are ended, 100 ms by default. */
  readonly lingerMs?: number
  readonly limits?: OutputLimits
}

export interface CreatedShell {
  readonly shell: Shell
  /** Ends everything that still runs, as a stop does; resolves when it is gone. Nothing starts afterwards. */
  killAll(): Promise<void>
  /** The same at once and by force: for the moment at which a program exits. */
  killAllNow(): void
}

/** The longest argument that Linux takes, its end included; other systems take more. */
const LONGEST_ARGUMENT = 128 * 1024

/** A command must not wait for a person: no pager, no editor, no password prompt. */
const WITHOUT_A_PERSON = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
} as const

export function createShell(options: ShellOptions): CreatedShell {
  const environmentWith = (more: ShellRun['environment']) => ({
    TERM: 'dumb',
    ...options.environment,
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
  let closed = false

  async function run(asked: ShellRun): Promise<Result<ShellEnd>> {
    if (!isFolder(asked.cwd))
      return fail({
        type: 'not-found',
        message: `The folder ${asked.cwd} is gone, so nothing can run in it.`,
      })
    if (asked.command.includes('\0'))
      return fail({ type: 'io', message: 'The command holds a NUL character, which no shell can read.' })
    if (Buffer.byteLength(asked.command) >= LONGEST_ARGUMENT)
      return fail({
        type: 'too-long',
        message:
          'The command is longer than the system takes (128 KB). Write it to a file first and run that.',
      })
    const [{ path, dialect }, pipe] = [await shell, await pipes.take()]
    if (closed || asked.signal.aborted) {
      pipes.giveBack(pipe)
      return ok({ output: '', exitCode: null, ended: 'aborted', cwd: asked.cwd })
    }
    const mine: ProcessGroup[] = []
    const end = await runCommand(asked, {
      shellPath: path,
      shellArguments: shellArguments(asked.command, dialect),
      environment: environmentWith(asked.environment),
      pipe,
      limits: options.limits ?? defaultOutputLimits,
      graceMs,
      lingerMs: options.lingerMs ?? 100,
      onGroup: (group) => {
        mine.push(group)
        groups.add(group)
      },
    })
    for (const group of mine) forgetWhenGone(group)
    return end
  }

  /** What a command left behind is on its way out: nobody waits for it, but until then it is ours. */
  function forgetWhenGone(group: ProcessGroup): void {
    void group.goneWithin(graceMs * 2).then(() => groups.delete(group))
  }

  return {
    shell: { run },
    killAll: async () => {
      closed = true
      await Promise.all([pipes.close(), ...[...groups].map((group) => group.end(graceMs))])
    },
    killAllNow: () => {
      closed = true
      for (const group of groups) group.kill()
      void pipes.close()
    },
  }
}

/** Starting a process looks at the folder in the same way; a thread's wake-up would cost more than the look. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
