/**
 * The sandbox for commands, on Linux with bubblewrap: a command writes only to the folders of its agent and to a
 * temporary folder, reads no key files, and reaches only hosts that are allowed to it.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { SandboxState } from '../../../shared/confinement.ts'
import { fail, messageOf, type Result } from '../../../shared/result.ts'
import type { SandboxSettings } from '../../../shared/sandbox-settings.ts'
import type { CommandLimits, Sandbox } from '../../runtime/sandbox.ts'
import { findPrograms, type SandboxPrograms } from './find-programs.ts'
import { gitFolders } from './git-folders.ts'
import { type SandboxThread, startSandboxThread, type WrappedCommand } from './sandbox-thread.ts'

export interface SandboxOptions {
  /** The thread's script: see `sandboxScript`. */
  readonly script: string
  /** Null where there is none for this processor. */
  readonly seccomp: string | null
  readonly environment: Readonly<Record<string, string>>
  readonly home: string
  /** The system's folder for temporary files. */
  readonly tempFolder: string
  /** Files and folders with keys. Absolute; may be missing. */
  readonly secrets: readonly string[]
  readonly settings: () => SandboxSettings
  readonly ripgrep: () => Promise<Result<string>>
  /** Replaced in tests. */
  readonly platform?: NodeJS.Platform
}

export interface ConfineRequest {
  readonly limits: CommandLimits
  /** The program and its arguments. */
  readonly argv: readonly string[]
}

export interface CreatedSandbox extends Sandbox {
  /** The command as a line for `/bin/sh`. Fails with `sandbox`. */
  confine(request: ConfineRequest): Promise<Result<WrappedCommand>>
  close(): Promise<void>
  /** Removes the temporary folder, for use while the program exits. */
  closeNow(): void
}

interface Started {
  readonly state: SandboxState
  readonly thread: SandboxThread | null
}

export function createSandbox(options: SandboxOptions): CreatedSandbox {
  const { settings, platform = process.platform } = options
  let folder: string | null = null
  let starting: Promise<Started> | null = null
  /** The folders in which the sandbox was found to work. */
  const working = new Set<string>()

  async function start(): Promise<Started> {
    const found = await findPrograms(options, platform)
    if (!found.ok)
      return { state: { kind: found.failure.type, message: found.failure.message }, thread: null }
    folder = await mkdtemp(join(await realpath(options.tempFolder), 'troupe-sandbox-'))
    const thread = startSandboxThread(options.script, await threadData(found.value, folder))
    const refusal = await tryOut(thread)
    if (refusal === null) return { state: { kind: 'on' }, thread }
    await thread.close()
    return { state: { kind: 'forbidden', message: forbidden(refusal) }, thread: null }
  }

  async function threadData(programs: SandboxPrograms, base: string) {
    const emptyFolder = join(base, 'empty')
    await mkdir(emptyFolder)
    return { ...programs, seccomp: options.seccomp, emptyFolder }
  }

  const started = () => {
    starting ??= start().catch((thrown: unknown) => ({
      state: { kind: 'forbidden', message: forbidden(messageOf(thrown)) },
      thread: null,
    }))
    return starting
  }
  const state = async (): Promise<SandboxState> =>
    settings().enabled ? (await started()).state : { kind: 'off' }

  async function confine({ limits, argv }: ConfineRequest): Promise<Result<WrappedCommand>> {
    const { thread, state: found } = await started()
    if (thread === null || folder === null)
      return fail({
        type: 'sandbox',
        message: `The sandbox could not start, so the command was not run.${'message' in found ? ` ${found.message}` : ''}`,
      })
    const { filesystem, limits: most } = settings()
    const temp = join(folder, 'agents', limits.agentId)
    await mkdir(temp, { recursive: true })
    const writes = await existing(limits.writes)
    const git = await Promise.all(writes.map(gitFolders))
    const hides = [...options.secrets, ...filesystem.denyRead.map((path) => fromHome(path, options.home))]
    const begin = [
      `export TMPDIR=${quoted(temp)}`,
      `ulimit -d ${most.memoryMegabytes * 1024} -u ${most.processes} 2>/dev/null`,
      `exec ${argv.map(quoted).join(' ')}`,
    ]
    return thread.wrap({
      line: begin.join('; '),
      writes: [...writes, ...(writes.length === 0 ? [] : git.flatMap((found) => found.writes)), temp],
      keeps: await existing(git.flatMap((found) => found.keeps)),
      hides: await existing(hides),
      domains: limits.domains,
      refusedDomains: limits.refusedDomains,
    })
  }

  const closeNow = () => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
    folder = null
  }
  return {
    state,
    isOpen: (project) => working.has(project) && settings().enabled && settings().autoAllowBashIfSandboxed,
    async policy(project) {
      // The sandbox has its own devices and processes, so nothing there can be shared with it.
      if (/^\/(dev|proc|sys)(\/|$)/.test(await realpath(project).catch(() => project))) return null
      if ((await state()).kind !== 'on') return null
      working.add(project)
      const { autoAllowBashIfSandboxed, allowUnsandboxedCommands, excludedCommands, network, filesystem } =
        settings()
      return {
        autoAllow: autoAllowBashIfSandboxed,
        mayLeave: allowUnsandboxedCommands,
        excluded: excludedCommands,
        alsoWrites: await existing(filesystem.allowWrite.map((path) => fromHome(path, options.home))),
        domains: network.allowedDomains,
      }
    },
    confine,
    async close() {
      await (await starting)?.thread?.close()
      closeNow()
    },
    closeNow,
  }
}

const forbidden = (refusal: string): string =>
  `The system does not let the sandbox start (${refusal}). On Ubuntu 24.04 and later, allow bubblewrap user namespaces with an AppArmor profile for bwrap.`

/** Runs nothing in the sandbox. @returns why that failed */
async function tryOut(thread: SandboxThread): Promise<string | null> {
  const wrapped = await thread.wrap({
    line: 'true',
    writes: [],
    keeps: [],
    hides: [],
    domains: [],
    refusedDomains: [],
  })
  if (!wrapped.ok) return wrapped.failure.message
  const refusal = await run(wrapped.value.line)
  await wrapped.value.end()
  return refusal
}

function run(line: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `exec ${line}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 10_000,
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8')
    })
    child.once('error', (thrown) => resolve(messageOf(thrown)))
    child.once('close', (code) =>
      resolve(code === 0 ? null : (said.trim().split('\n')[0] ?? '') || `exit ${code}`),
    )
  })
}

/** The paths that exist, links resolved. */
async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => null)))
  return [...new Set(real.filter((path) => path !== null))]
}

const fromHome = (path: string, home: string): string => path.replace(/^~(?=\/|$)/, home)

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
