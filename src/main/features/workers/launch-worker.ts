/** Starts `troupe worker` for an agent: as a process of its own, or in a new pane of tmux. */
import { execFile, spawn } from 'node:child_process'
import { open, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { WorkerProgram } from '../../platform/launch-options.ts'
import { findShell } from '../../platform/shell/find-shell.ts'
import { FILE_MODE, makeFolder } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import type { WorkerLauncher } from './pane-link.ts'

export interface LaunchOptions extends WorkerProgram {
  /** The text that gives the worker its access to a model. It never becomes an argument or part of an environment. */
  readonly access: () => string
  /** Called with a sentence for the user where a pane could not be opened. */
  readonly onProblem: (message: string) => void
}

/** s without a job after which a worker without a terminal ends. */
const IDLE = 60

export function createWorkerLauncher(options: LaunchOptions): WorkerLauncher {
  return {
    async launch(agentId, logFile) {
      await makeFolder(dirname(logFile))
      if (options.tmux) {
        const split = await splitWindow(agentId, dirname(logFile), options)
        if (split.ok) return split
        options.onProblem(`${split.failure.message} The worker runs without a pane.`)
      }
      return startProcess(agentId, logFile, options)
    },
  }
}

/** The process outlives this program, and receives its access through a pipe. */
async function startProcess(
  agentId: string,
  logFile: string,
  { command, environment, access }: LaunchOptions,
): Promise<Result<void>> {
  const worker: CommandLine = [
    ...command,
    'worker',
    '--agent',
    agentId,
    '--access',
    '-',
    '--idle',
    String(IDLE),
  ]
  const [program, ...args] = await withOwnDescriptors(worker, environment)
  const log = await open(logFile, 'w', FILE_MODE)
  try {
    const child = spawn(program, args, {
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
      env: withoutTmux(environment),
    })
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(fail(notStarted(messageOf(error)))))
      child.once('spawn', () => {
        child.stdin?.on('error', () => {})
        child.stdin?.end(access())
        child.unref()
        resolve(ok(undefined))
      })
    })
  } finally {
    await log.close()
  }
}

/** The access is in a file that only this user can read, and that the worker removes. */
async function splitWindow(
  agentId: string,
  folder: string,
  { command, environment, access }: LaunchOptions,
): Promise<Result<void>> {
  const file = join(folder, `access-${draftMark()}`)
  await writeFile(file, access(), { mode: FILE_MODE, flag: 'wx' })
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    /^(?:TROUPE_HOME|TROUPE_MANAGED_AGENTS|ELECTRON_RUN_AS_NODE)$/.test(name)
      ? ['-e', `${name}=${value}`]
      : [],
  )
  const worker = [...command, 'worker', '--agent', agentId, '--access', file]
  const split = await tmux(['split-window', '-d', ...variables, '--', ...worker], environment)
  if (!split.ok) return split
  await tmux(['select-layout', 'tiled'], environment)
  // The worker names its pane after the member. A choice of the user's stays.
  await tmux(['set-option', '-w', '-o', 'pane-border-status', 'top'], environment)
  return split
}

function tmux(args: readonly string[], environment: LaunchOptions['environment']): Promise<Result<void>> {
  return new Promise((resolve) => {
    execFile('tmux', [...args], { env: environment }, (error, _output, errors) => {
      if (error === null) resolve(ok(undefined))
      else
        resolve(
          fail({
            type: 'tmux',
            message: `tmux could not open a pane: ${sentence(errors.trim() || error.message)}`,
          }),
        )
    })
  })
}

/** The tmux pane of this process, as `session:window.pane`; null: none. */
export function tmuxPane(pane: string): Promise<string | null> {
  return new Promise((resolve) => {
    const format = '#{session_name}:#{window_index}.#{pane_index}'
    execFile('tmux', ['display-message', '-p', '-t', pane, format], (error, output) =>
      resolve(error === null ? output.trim() : null),
    )
  })
}

/** A process without a terminal is in no pane. */
function withoutTmux(environment: LaunchOptions['environment']): NodeJS.ProcessEnv {
  const { TMUX: _, TMUX_PANE: _pane, ...rest } = environment
  return rest
}

const notStarted = (why: string) => ({
  type: 'no-worker',
  message: `The worker process could not be started: ${sentence(why)}`,
})

/** What is run, without a shell. */
export type CommandLine = readonly [program: string, ...args: string[]]

/** Closes all descriptors but the three standard ones. "-p" ignores start files and functions from the environment. */
const CLOSE_OTHERS =
  `for entry in /proc/self/fd/*; do number=\${entry##*/}; ` +
  'if (( number > 2 )); then eval "exec $number>&-"; fi; done; exec "$@"'

/**
 * The command line that runs a program with its standard descriptors only. Electron's descriptors are inherited on
 * Linux; a program that outlives the window would keep Electron's helper processes alive. Elsewhere, and without bash,
 * the command line is unchanged.
 */
export async function withOwnDescriptors(
  command: CommandLine,
  environment: Readonly<NodeJS.ProcessEnv>,
  platform: string = process.platform,
): Promise<CommandLine> {
  if (platform !== 'linux') return command
  const { path, dialect } = await findShell({ PATH: environment['PATH'] ?? '' }, undefined)
  return dialect === 'bash' ? [path, '-p', '-c', CLOSE_OTHERS, 'troupe', ...command] : command
}
