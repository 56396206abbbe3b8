/**
 * Runs the commands of environments: the set-up in its steps, servers until they are stopped, the tear-down. Everything
 * that a command started ends with it, also where it left its process group, and at the next start of the program if this
 * one is killed.
 */
import { connect } from 'node:net'
import { CONDUCTOR } from '../../../shared/environments/command-files.ts'
import {
  type EnvironmentEvent,
  type EnvironmentImage,
  imageText,
  portVariables,
  type RunCommand,
} from '../../../shared/environments/environment.ts'
import { type FolderCommands, portOf } from '../../../shared/environments/environments.ts'
import { durationOf } from '../../../shared/kernel/amounts.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import type { Shell, ShellEnd } from '../../runtime/ports/shell.ts'
import type { OutputLog } from './environment-log.ts'
import type { Images } from './images.ts'

/** A worktree, for its commands. */
interface RunnableWorktree {
  readonly id: string
  readonly path: string
  readonly branch: string
  /** The checkout that it was made from. */
  readonly from: string
  /** The folder whose rules and trust count. */
  readonly project: string
  /** Of git. */
  readonly environment: Readonly<Record<string, string>>
  /** The first port of its block. */
  readonly base: number
}

/** What decides how a command of an environment runs. */
interface EnvironmentLimits {
  readonly command: string
  readonly cwd: string
  readonly project: string
  readonly worktree: {
    readonly path: string
    readonly branch: string
    readonly aliases: string[]
    readonly environment: Readonly<Record<string, string>>
  }
  readonly hosts: readonly string[]
  readonly agentId: string
}

export interface RunnerOptions {
  readonly shell: Shell
  readonly clock: Clock
  readonly images: Pick<Images, 'prepare'>
  /** Null: it runs without a sandbox. Fails with `denied`. */
  readonly limits: (given: EnvironmentLimits, signal: AbortSignal) => Promise<Result<CommandLimits | null>>
}

/** How one command of an environment is run. */
export interface Running {
  readonly worktree: RunnableWorktree
  readonly commands: FolderCommands
  /** Whether the scripts that the commands name are as they were approved. */
  readonly isAsApproved: boolean
  readonly log: OutputLog
  readonly signal: AbortSignal
  readonly emit: (event: EnvironmentEvent) => Promise<void>
}

/** ms of one command of a set-up. */
const LONGEST_STEP = 30 * 60_000
const LONGEST_TEARDOWN = 60_000
/** Timers accept no longer time. */
const NO_TIME_LIMIT = 2 ** 31 - 1

/** What a set-up shares with those of other worktrees. */
export interface SetupSharing {
  /** How many commands at the beginning are not run where what they make is there. */
  readonly steps: number
  /** @param waits called before it waits for another set-up. @returns what was copied in; null: all commands are to run */
  take(waits: () => Promise<void>): Promise<readonly string[] | null>
  /** Keeps what the commands made. To be called after the last of them. */
  keep(): Promise<void>
  /** Lets those go on that wait for this set-up. */
  end(): void
}

/** Expects that its beginning was noted. @returns whether it ended well */
export async function runSetup(
  options: RunnerOptions,
  running: Running,
  sharing: SetupSharing | null = null,
): Promise<boolean> {
  try {
    const done = await runSteps(options, running, sharing)
    await running.log.flush()
    await running.emit({ type: 'setup-ended', at: options.clock.now(), ...done })
    return done.error === null
  } finally {
    sharing?.end()
  }
}

async function runSteps(
  options: RunnerOptions,
  running: Running,
  sharing: SetupSharing | null,
): Promise<{ readonly exitCode: number | null; readonly error: string | null }> {
  const { commands, emit, signal } = running
  const { image, setup } = commands.commands
  const before = image === undefined ? 0 : 1
  const begin = (index: number, command = setup[index] ?? '') =>
    emit({
      ...{ type: 'setup-step', at: options.clock.now(), command },
      ...{ index: before + index, of: before + setup.length },
    })
  if (image !== undefined) {
    await begin(-1, `image ${imageText(image)}`)
    const entered = await enterImage(options, running, image)
    if (!entered.ok) {
      const error = entered.failure.message
      running.log.add('troupe', `The set-up failed: ${error}`)
      return { exitCode: null, error }
    }
  }
  const shared = (await sharing?.take(() => begin(0))) ?? null
  if (shared !== null) await emit({ type: 'setup-shared', at: options.clock.now(), paths: shared })
  for (const [index, command] of setup.entries()) {
    if (shared !== null && index < (sharing?.steps ?? 0)) continue
    if (signal.aborted) return { exitCode: null, error: STOPPED }
    await begin(index)
    const ran = await runOne(options, running, { source: 'setup', command, timeoutMs: LONGEST_STEP })
    const error = ran.ok ? whyFailed(ran.value, LONGEST_STEP) : ran.failure.message
    if (error !== null) {
      running.log.add('troupe', `The set-up failed: ${error}`)
      return { exitCode: ran.ok ? ran.value.exitCode : null, error }
    }
    if (shared === null && index + 1 === sharing?.steps) await sharing.keep()
  }
  return { exitCode: 0, error: null }
}

/** From now on the commands of the worktree have the files of the image. */
async function enterImage(
  { images, clock, limits }: RunnerOptions,
  { worktree, log, signal, emit }: Running,
  image: EnvironmentImage,
): Promise<Result<null>> {
  const { path, branch, from, project, environment } = worktree
  await emit({ type: 'image-chosen', at: clock.now(), id: null })
  const confined = await limits(
    {
      ...{ command: 'true', cwd: path, project, hosts: [], agentId: `environment-${worktree.id}` },
      worktree: { path, branch, aliases: [from], environment },
    },
    signal,
  )
  if (!confined.ok) return confined
  if (confined.value === null) return fail(noSandbox)
  const prepared = await images.prepare(image, {
    ...{ project, signal },
    onLine: (text) => log.add('setup', text),
  })
  if (!prepared.ok) return prepared
  await emit({ type: 'image-chosen', at: clock.now(), id: prepared.value.id })
  return ok(null)
}

const noSandbox = {
  type: 'sandbox',
  message:
    'Commands see the files of an image in the sandbox alone, and it is off or cannot start here. Turn it on, or skip the set-up to work without the image.',
}

/** Resolves when the command has ended. */
export async function runServer(options: RunnerOptions, running: Running, run: RunCommand): Promise<void> {
  const { worktree, emit, commands, signal } = running
  const { clock } = options
  const port = portOf(commands.commands.run, run.name, worktree.base)
  const inside = run.listens ?? port
  await emit({ type: 'run-started', at: clock.now(), name: run.name, port })
  const ended = new AbortController()
  const ran = runOne(options, running, {
    ...{ source: run.name, command: run.command, timeoutMs: NO_TIME_LIMIT },
    serves: { port, inside },
    variables: run.portVariable === null ? {} : { [run.portVariable]: String(inside) },
    begun: (isConfined) => {
      const at = isConfined ? port : inside
      let isUp = false
      void untilUp(at, clock, ended.signal).then((up) => {
        isUp = up
        if (up) void emit({ type: 'run-up', at: clock.now(), name: run.name })
      })
      void clock.sleep(LATE, ended.signal).then(() => {
        if (!isUp && !ended.signal.aborted) running.log.add('troupe', lateText(inside))
      })
    },
  }).finally(() => ended.abort())
  const end = await ran
  await running.log.flush()
  const error = signal.aborted
    ? null
    : end.ok
      ? (whyFailed(end.value, NO_TIME_LIMIT) ?? 'It ended by itself.')
      : end.failure.message
  const exitCode = end.ok ? end.value.exitCode : null
  await emit({ type: 'run-ended', at: clock.now(), name: run.name, exitCode, error })
}

/** A failure is in the log, and the worktree is removed all the same. */
export async function runTeardown(options: RunnerOptions, running: Running): Promise<void> {
  for (const command of running.commands.commands.teardown) {
    const ran = await runOne(options, running, { source: 'teardown', command, timeoutMs: LONGEST_TEARDOWN })
    const error = ran.ok ? whyFailed(ran.value, LONGEST_TEARDOWN) : ran.failure.message
    if (error !== null) running.log.add('troupe', `The tear-down failed: ${error}`)
  }
  await running.log.flush()
}

interface OneCommand {
  readonly source: string
  readonly command: string
  readonly timeoutMs: number
  readonly serves?: { readonly port: number; readonly inside: number }
  readonly variables?: Readonly<Record<string, string>>
  readonly begun?: (isConfined: boolean) => void
}

async function runOne(
  { shell, limits }: RunnerOptions,
  { worktree, commands, isAsApproved, log, signal }: Running,
  { source, command, timeoutMs, serves, variables, begun }: OneCommand,
): Promise<Result<ShellEnd>> {
  const { path, branch, from, project, environment } = worktree
  const isSetup = source === 'setup'
  const limited = await limits(
    {
      ...{ command, cwd: path, project },
      worktree: { path, branch, aliases: [from], environment },
      // What agents may have changed gets nothing beyond what their own commands get.
      hosts: isSetup && isAsApproved ? commands.commands.hosts : [],
      agentId:
        isSetup && isAsApproved
          ? `environment-${commands.digest.slice(0, 16)}`
          : `environment-${worktree.id}`,
    },
    signal,
  )
  if (!limited.ok) return limited
  if (limited.value === null && !isAsApproved) return fail(notAsApproved)
  log.add(source, `$ ${command}`)
  begun?.(limited.value !== null)
  try {
    const ran = await shell.run({
      ...{ command, cwd: path, timeoutMs, signal },
      onOutput: () => undefined,
      onLines: (text) => log.add(source, text),
      environment: {
        ...environment,
        ...portVariables(worktree.base),
        ...(commands.sources.includes(CONDUCTOR) && conductorVariables(worktree)),
        ...variables,
      },
      ...(limited.value !== null && { limits: { ...limited.value, ...(serves && { serves: [serves] }) } }),
    })
    if (!ran.ok) return ran
    const { sandboxNotes = [], refusedHosts = [], exitCode } = ran.value
    for (const note of sandboxNotes) log.add('troupe', note)
    // A script may go on after a refusal. One that fails says it with its reason.
    if (exitCode === 0 && refusedHosts.length > 0) log.add('troupe', refusedText(refusedHosts))
    return ran
  } catch (thrown) {
    return fail({ type: 'io', message: messageOf(thrown) })
  }
}

/** What commands that were written for Conductor expect. */
const conductorVariables = ({
  id,
  path,
  from,
  base,
}: RunnableWorktree): Readonly<Record<string, string>> => ({
  CONDUCTOR_PORT: String(base),
  CONDUCTOR_WORKSPACE_NAME: id,
  CONDUCTOR_WORKSPACE_PATH: path,
  CONDUCTOR_ROOT_PATH: from,
})

const notAsApproved = {
  type: 'changed',
  message:
    'A script that the commands name is different in this worktree from the one that you approved, and there is no sandbox, so nothing was run.',
}

const STOPPED = 'It was stopped.'

/** One line; null: it did not fail. */
function whyFailed(
  { output, exitCode, ended, refusedHosts = [] }: ShellEnd,
  timeoutMs: number,
): string | null {
  if (ended === 'aborted') return STOPPED
  if (ended === 'timeout') return `It was ended after ${durationOf(timeoutMs)}, the longest time.`
  if (exitCode === 0) return null
  if (refusedHosts.length > 0) return refusedText(refusedHosts)
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const telling =
    lines.find((line) => /\b(error|ERR!|failed|fatal|cannot|not found)\b/i.test(line)) ?? lines.at(-1)
  const line = telling?.trim() ?? 'It wrote nothing.'
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}

const refusedText = (hosts: readonly string[]) =>
  `The sandbox refused connections to ${hosts.join(', ')}. Name the hosts under "hosts" in .troupe/environment.yaml, or allow them in Settings › Sandbox.`

/** ms after which a server that can't be reached is noted. */
const LATE = 20_000
const lateText = (port: number) =>
  `Nothing listens at port ${port} after ${durationOf(LATE)}. A server with a port of its own is reached when .troupe/environment.yaml has that port as "listens".`

/** ms between two looks, and the time for which a connection must hold. */
const LOOK = 400
const HOLDS = 300

/** Resolves to true once something accepts connections at the port. */
async function untilUp(port: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await accepts(port)) return !signal.aborted
    await clock.sleep(LOOK, signal)
  }
  return false
}

/** The door to a sandbox accepts every connection, and ends it at once where nothing listens behind it. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' })
    const settle = (isUp: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isUp)
    }
    let isConnected = false
    const timer = setTimeout(() => settle(isConnected), HOLDS)
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once('error', () => settle(false))
    socket.resume()
    socket.once('end', () => settle(false))
  })
}
