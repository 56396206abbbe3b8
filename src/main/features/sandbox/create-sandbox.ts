/**
 * The sandbox for commands, on Linux with bubblewrap and on macOS with Seatbelt: a command writes only to the folders of its agent and to a
 * temporary folder, sees only what it needs of the home, and reaches only hosts that are allowed to it.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { SandboxState } from '../../../shared/permissions/confinement.ts'
import type { ConfineRequest, WrappedCommand } from '../../platform/shell/create-shell.ts'
import { type CommandLimits, OUTSIDE_OFFER, type Sandbox } from '../../runtime/ports/sandbox.ts'
import {
  bubblewrapped,
  type CommandNetworks,
  createCommandNetworks,
  type JoinedNetwork,
  listenFor,
} from './command-networks.ts'
import {
  type CommandView,
  createViews,
  existing,
  fromHome,
  real,
  type ViewOptions,
  type ViewParts,
} from './command-view.ts'
import { findSandboxPrograms, type KnownToWork, knownToWork, type SandboxPrograms } from './find-programs.ts'
import { type ImageFiles, imageVariables, withBash } from './image-view.ts'
import { localSockets } from './local-sockets.ts'
import { mountArguments } from './mount-plan.ts'
import { serveEach } from './open-door.ts'
import { createPlaceholders, makeOwnFolder, makeSandboxFolder } from './placeholders.ts'
import type { JoinedView } from './prepared-views.ts'
import type { PrivateGit, PrivateGits } from './private-git.ts'
import { aboutFailure } from './sandbox-remarks.ts'
import { type SandboxProxies, startProxyThread } from './sandbox-thread.ts'
import { makeLinks, seatbeltLine, seatbeltRules } from './seatbelt.ts'
import { watchMounts } from './watch-mounts.ts'

export interface SandboxOptions extends ViewOptions {
  /** The script of the thread with the proxies: see `sandboxScript`. */
  readonly script: string
  /** The socket of the user's ssh agent, from SSH_AUTH_SOCK. */
  readonly sshAgent?: string | null
  /** Scripts in the folder that the user approved for hooks and servers. Absolute. */
  readonly approvedScripts?: (folder: string) => Promise<readonly string[]>
  readonly git: PrivateGits
  /** The files that commands in the folder have in place of this machine's; null: those of this machine. */
  readonly imageOf?: (folder: string) => Promise<Result<ImageFiles | null>>
  /** Replaced in tests. */
  readonly platform?: NodeJS.Platform
  /** The program of macOS that holds a command to rules; replaced in tests. */
  readonly sandboxExec?: string
}

export interface CreatedSandbox extends Sandbox {
  /** The command as a program with arguments. Fails with `sandbox`. */
  confine(request: ConfineRequest): Promise<Result<WrappedCommand>>
  /** Whether an empty file or folder only keeps a command from making one there. */
  isPlaceholder(path: string): boolean
  close(): Promise<void>
  /** Removes the temporary folder, for use while the program exits. */
  closeNow(): void
}

interface Started {
  readonly state: SandboxState
  readonly programs: SandboxPrograms | null
  /** To be called when a command could not start. */
  readonly lookAgain?: () => Promise<void>
  /** Looks at its first call whether the system lets commands share a network; null: it does not. */
  readonly networks: () => Promise<CommandNetworks | null>
}

/** What a started sandbox keeps. */
interface Parts extends ViewParts {
  /** Removed at the end. */
  readonly folders: readonly string[]
  readonly proxies: SandboxProxies
}

export function createSandbox(options: SandboxOptions): CreatedSandbox {
  const { settings, platform = process.platform } = options
  const home = real(options.home)
  const viewOf = createViews(options)
  let parts: Parts | null = null
  let starting: Promise<Started> | null = null
  let shared: Promise<CommandNetworks | null> | null = null
  let count = 0
  /** The folders in which the sandbox was found to work. */
  const working = new Set<string>()

  async function start(): Promise<Started> {
    const found = await findSandboxPrograms(options, platform)
    if (!found.ok) {
      const { type, message, install } = found.failure
      return notStarted({ kind: type, message, ...(install !== undefined && { install }) })
    }
    const own = await makeSandboxFolder(await realpath(options.tempFolder))
    const isMac = found.value.kind === 'seatbelt'
    const proxies = startProxyThread(options.script, isMac ? null : own.folder)
    // Projects are rather on the disk of the data folder than on that of temporary files.
    const stores = isMac ? [] : [await makeOwnFolder(options.dataFolder), own.folder]
    const placeholders = createPlaceholders(own.folder, stores)
    parts = { ...own, folders: [own.folder, ...stores], placeholders, proxies }
    const programs = found.value
    if (programs.kind === 'seatbelt') {
      const refusal = await run([programs.sandboxExec, '-p', '(version 1)(allow default)', '/usr/bin/true'])
      return refusal === null
        ? { state: { kind: 'on', note: ABOUT_MACOS }, programs, networks: noNetworks }
        : notStarted(forbidden(refusal))
    }
    const { bwrap } = programs
    const attempt = (network: JoinedNetwork | null, view: JoinedView | null = null) =>
      run(bubblewrapped({ bwrap, network, view, seccomp: options.seccomp }, { argv: ['true'] }))
    const all = [bwrap, programs.socat, ...(options.seccomp === null ? [] : [options.seccomp])]
    const known = knownToWork(join(options.dataFolder, 'sandbox-works'), all)
    const sharing = knownToWork(join(options.dataFolder, 'sandbox-shares'), [...all, programs.nsenter ?? ''])
    const refusal = known.isKnown ? null : await attempt(null)
    if (refusal !== null) return notStarted(forbidden(refusal))
    if (!known.isKnown) known.keep()
    const networks = () => {
      shared ??= sharedNetworks(programs, attempt, sharing)
      return shared
    }
    /** The system may refuse later what it let start before. */
    const lookAgain = async () => {
      for (const each of [known, sharing]) each.forget()
      // Networks in use end with their commands.
      shared = null
      const since = await attempt(null)
      if (since !== null) starting = Promise.resolve(notStarted(forbidden(since)))
    }
    return { state: { kind: 'on' }, programs, networks, lookAgain }
  }

  const started = () => {
    starting ??= start().catch((thrown: unknown) => notStarted(forbidden(messageOf(thrown))))
    return starting
  }
  const state = async (): Promise<SandboxState> =>
    settings().enabled ? (await started()).state : { kind: 'off' }

  async function confine({ limits, argv, cwd }: ConfineRequest): Promise<Result<WrappedCommand>> {
    const { programs, state: found, networks, lookAgain } = await started()
    if (programs === null || parts === null)
      return refused(`The sandbox could not start${'message' in found ? `: ${found.message}` : '.'}`)
    const { folder, agentId } = limits
    const imaged = (await options.imageOf?.(folder)) ?? ok(null)
    if (!imaged.ok) return imaged
    const image = imaged.value
    const id = ++count
    const proxy = limits.domains.length === 0 ? null : await parts.proxies.open(limits)
    if (proxy !== null && !proxy.ok) return proxy
    const isMac = programs.kind === 'seatbelt'
    // On macOS nothing can stand in place of the repository's git folder, so it is only read.
    const writable = limits.writes.length > 0 && !isMac
    const opened = await options.git.open({ agentId, folder, writable })
    if (!opened.ok) return refused(opened.failure.message)
    const scripts = [
      ...((await options.approvedScripts?.(folder)) ?? []),
      ...(opened.value === null ? [] : opened.value.scripts),
    ]
    const { limits: most, network } = settings()
    const { sshAgent = null } = options
    const sockets = localSockets(network.allowUnixSockets, { home: options.home, sshAgent })
    const also = [
      ...(proxy !== null && typeof proxy.value.at === 'string' ? [proxy.value.at] : []),
      ...[...sockets.allowed, ...existing(sockets.ssh.reads)],
    ]
    const view = viewOf(limits, opened.value, {
      ...{ ...parts, scripts, also, isMac, hides: sockets.others },
      image: image?.root ?? null,
    })
    if (!view.isWhole) {
      for (const path of view.held) parts.placeholders.release(path)
      await opened.value?.takeOver()
      return refused(
        `${folder} has more subfolders than Troupe can search for the files that the user's rules keep. ${OUTSIDE_OFFER}`,
      )
    }
    // The filter knows no paths: it would refuse what the user allows too.
    const seccomp = sockets.allowed.length === 0 ? options.seccomp : null
    const limit = `ulimit -d ${most.memoryMegabytes * 1024} -u ${most.processes} 2>/dev/null`
    const made = options.git.made.watch({
      roots: isMac ? [] : existing(limits.writes),
      named: () => (isMac ? [] : (opened.value?.repositories() ?? [])),
      trusted: opened.value?.common ?? null,
    })
    const socket = proxy !== null && typeof proxy.value.at === 'string' ? proxy.value.at : null
    // A server would do for commands under other limits what they may not do.
    const sharers = JSON.stringify([
      ...[agentId, folder, limits.writes, socket, limits.access?.key ?? null, sockets.allowed],
    ])
    const joined = isMac ? null : ((await (await networks())?.join(sharers, socket)) ?? null)
    const unserve = await serveEach(limits.serves ?? [], {
      ...{ joined, folder: parts.folder },
      networks: await networks(),
    })
    const ending = watched(view, {
      ...{ git: opened.value, made, limits, joined, isMac, unserve },
      id: proxy === null ? null : id,
      ...(lookAgain && { lookAgain }),
    })
    if (programs.kind === 'seatbelt') {
      const rules = seatbeltRules(view.plan, { real: home, own: view.own.home })
      makeLinks(rules)
      const line = seatbeltLine({
        ...{ rules, argv: argv(''), begin: [limit] },
        environment: [
          ['HOME', view.own.home],
          ['TMPDIR', view.own.temp],
          ['GIT_OPTIONAL_LOCKS', '0'],
          ...sockets.ssh.environment,
          ...(proxy === null ? [] : proxy.value.environment(id)),
        ],
        sockets: sockets.allowed,
        port: proxy !== null && typeof proxy.value.at === 'number' ? proxy.value.at : null,
      })
      return ok({ program: '/bin/bash', args: ['-c', line], ...ending })
    }
    // The files to watch are known: what is replaced from now on stops the command.
    const prepared = image === null ? ((await joined?.views?.join(view.plan, cwd)) ?? null) : null
    const [program, ...args] = bubblewrapped(
      { bwrap: programs.bwrap, network: joined, view: prepared, seccomp },
      {
        mounts: mountArguments(view.plan),
        hasImage: image !== null,
        settings: [
          ...(image === null ? [] : imageVariables(image, options.environment)),
          ...['--setenv', 'TMPDIR', view.own.temp],
          // Go asks git about the version of what it builds, and fails where an empty folder stands for a repository.
          ...(view.held.some((path) => basename(path) === '.git')
            ? ['--setenv', 'GOFLAGS', `${options.environment['GOFLAGS'] ?? ''} -buildvcs=false`.trim()]
            : []),
          ...[...sockets.ssh.environment, ...(proxy === null ? [] : proxy.value.environment(id))].flatMap(
            (each) => ['--setenv', ...each],
          ),
        ],
        begin: socket !== null && joined === null ? listenFor(socket, programs.socat) : null,
        argv: image === null ? argv(limit) : withBash(image, argv(limit)),
      },
    )
    return ok({
      ...{ program, args, lost: ending.lost },
      end(output) {
        prepared?.leave()
        return ending.end(output)
      },
    })
  }

  /** Watches the command while it runs, and takes over what it made at its end. */
  function watched(
    view: CommandView,
    its: {
      readonly git: PrivateGit | null
      made(): Promise<readonly string[]>
      /** Its number for the proxy; null: it reaches no hosts. */
      readonly id: number | null
      readonly limits: CommandLimits
      readonly joined: JoinedNetwork | null
      readonly isMac: boolean
      unserve(): void
      lookAgain?(): Promise<void>
    },
  ): Pick<WrappedCommand, 'lost' | 'end'> {
    const { git, made, id, limits, joined, isMac } = its
    const kept = [...view.found, ...view.held.map((path) => ({ path, access: 'read-only' as const }))]
    const { lost, stop } = watchMounts({
      plan: isMac ? null : view.plan,
      kept: kept.map(({ path }) => path),
      ...(limits.rulesCame && { rulesCame: limits.rulesCame }),
    })
    return {
      lost,
      async end(output) {
        stop()
        its.unserve()
        joined?.leave()
        if (!isMac) for (const path of view.held) parts?.placeholders.release(path)
        const aside = [...(await made())]
        const notKept = (await git?.takeOver()) ?? []
        // The index may name repositories now that no search of the folder finds.
        aside.push(...(await made()))
        const refusedHosts = id === null ? [] : ((await parts?.proxies.refused(id)) ?? [])
        if (/^(bwrap|nsenter): /.test(output)) await its.lookAgain?.()
        const reason: unknown = lost.aborted ? lost.reason : null
        return {
          refusedHosts,
          notes: [
            ...(typeof reason === 'string' ? [reason] : []),
            ...aboutFailure(output, { kept, plan: view.plan }),
            ...aside,
            ...notKept,
          ],
        }
      },
    }
  }

  const closeNow = () => {
    void shared?.then((networks) => networks?.close())
    for (const folder of parts?.folders ?? []) rmSync(folder, { recursive: true, force: true })
    parts = null
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
        alsoWrites: existing(filesystem.allowWrite.map((path) => fromHome(path, options.home))),
        domains: network.allowedDomains,
      }
    },
    confine,
    isPlaceholder: (path) => parts?.placeholders.has(path) === true,
    async close() {
      await starting
      await parts?.proxies.close()
      closeNow()
    },
    closeNow,
  }
}

const ABOUT_MACOS =
  'On macOS its rules are new and not yet tried on a Mac. Commands in it read the repository’s git folder and do not change it, so a commit needs permission.'

// ---- the system ---------------------------------------------------------------------------------

const refused = (message: string) => fail({ type: 'sandbox', message: `The command was not run. ${message}` })

const noNetworks = async (): Promise<null> => null

const notStarted = (state: SandboxState): Started => ({ state, programs: null, networks: noNetworks })

const forbidden = (refusal: string): SandboxState => ({
  kind: 'forbidden',
  message: `The system does not let the sandbox start (${refusal}). On Ubuntu 24.04 and later, allow bubblewrap user namespaces with an AppArmor profile for bwrap.`,
})

/** Null: the system does not let commands share a network. */
async function sharedNetworks(
  { bwrap, socat, nsenter }: Extract<SandboxPrograms, { kind: 'bubblewrap' }>,
  attempt: (network: JoinedNetwork, view: JoinedView | null) => Promise<string | null>,
  known: KnownToWork,
): Promise<CommandNetworks | null> {
  if (nsenter === null) return null
  if (known.isKnown) return createCommandNetworks({ bwrap, socat, nsenter, prepares: true })
  for (const prepares of [true, false]) {
    const networks = createCommandNetworks({ bwrap, socat, nsenter, prepares })
    const joined = await networks.join('attempt', null)
    const view = (await joined?.views?.join([], '/')) ?? null
    const isTried = joined !== null && (view !== null || !prepares)
    const works = isTried && (await attempt(joined, view)) === null
    view?.leave()
    joined?.leave()
    if (works && prepares) known.keep()
    if (works) return networks
    networks.close()
  }
  return null
}

/** @returns why the program failed; null: it ended well */
function run([program, ...args]: readonly [string, ...string[]]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 })
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
