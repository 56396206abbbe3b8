/**
 * The sandbox for commands, on Linux with bubblewrap and on macOS with Seatbelt: a command writes only to the folders of its agent and to a
 * temporary folder, sees only what it needs of the home, and reaches only hosts that are allowed to it.
 */
import { spawn } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SandboxState } from '../../../shared/confinement.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { SandboxSettings } from '../../../shared/sandbox-settings.ts'
import type { CommandLimits, Sandbox } from '../../runtime/sandbox.ts'
import { identityOf as identityOfProgram, isRunning } from '../system/process-identity.ts'
import { findPrograms, type SandboxPrograms } from './find-programs.ts'
import { createFolderScans, type FileAccess, type FoundFile } from './folder-scan.ts'
import { downloadFolders, gitSettingsWithoutLogins, homeView } from './home-view.ts'
import { keptFiles, type MissingFile } from './kept-files.ts'
import { localSockets } from './local-sockets.ts'
import { isUnseen, type Mount, mountArguments, mountPlan } from './mount-plan.ts'
import { createPlaceholders, type Placeholders, removeLeftPlaceholders } from './placeholders.ts'
import type { PrivateGit, PrivateGits } from './private-git.ts'
import { createSandboxProxies, type SandboxProxies, SOCKET_PORT } from './sandbox-thread.ts'
import { makeLinks, seatbeltLine, seatbeltRules, unlinkFolder } from './seatbelt.ts'

export interface SandboxOptions {
  /** The script of the thread with the proxies: see `sandboxScript`. */
  readonly script: string
  /** The program that keeps commands from local sockets. Null where there is none for this processor. */
  readonly seccomp: string | null
  readonly environment: Readonly<Record<string, string>>
  readonly home: string
  /** The socket of the user's ssh agent, from SSH_AUTH_SOCK. */
  readonly sshAgent?: string | null
  /** Troupe's data. Commands see nothing of it but their agent's worktree and memory. */
  readonly dataFolder: string
  /** The system's folder for temporary files. */
  readonly tempFolder: string
  /** Files and folders with keys. Absolute; may be missing. */
  readonly secrets: readonly string[]
  /** Whether a file of a folder decides what runs later, or is read as instructions. Takes the path below the folder. */
  readonly isProtected: (below: string, absolute: string) => boolean
  /** Such files of a folder by the paths at which programs look for them. */
  readonly startupPaths: (folder: string) => readonly MissingFile[]
  /** Scripts in the folder that the user approved for hooks and servers. Absolute. */
  readonly approvedScripts?: (folder: string) => Promise<readonly string[]>
  readonly git: PrivateGits
  readonly settings: () => SandboxSettings
  /** Replaced in tests. */
  readonly platform?: NodeJS.Platform
  /** The program of macOS that holds a command to rules; replaced in tests. */
  readonly sandboxExec?: string
}

export interface ConfineRequest {
  readonly limits: CommandLimits
  /** The program and its arguments. */
  readonly argv: readonly string[]
}

export interface WrappedCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Aborts when the limits no longer hold, with a sentence as its reason. */
  readonly lost: AbortSignal
  /** To be called when the command has ended, with its output. */
  end(output: string): Promise<CommandRemarks>
}

export interface CommandRemarks {
  /** The hosts that the command did not reach. */
  readonly refusedHosts: readonly string[]
  /** Sentences for the agent: what was not kept, and what it could not write. */
  readonly notes: readonly string[]
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
}

/** What a started sandbox keeps. */
interface Parts {
  readonly folder: string
  readonly placeholders: Placeholders
  readonly proxies: SandboxProxies
  /** Mounted in place of missing files and folders. */
  readonly emptyFile: string
  readonly emptyFolder: string
}

/** How often it is looked whether the mounts of a running command still hold, in ms. */
const WATCH_MS = 1000

export function createSandbox(options: SandboxOptions): CreatedSandbox {
  const { settings, platform = process.platform } = options
  const home = real(options.home)
  const dataFolder = real(options.dataFolder)
  const scans = createFolderScans()
  let parts: Parts | null = null
  let starting: Promise<Started> | null = null
  let count = 0
  /** The folders in which the sandbox was found to work. */
  const working = new Set<string>()

  async function start(): Promise<Started> {
    const found = await findPrograms(options, platform)
    if (!found.ok)
      return { state: { kind: found.failure.type, message: found.failure.message }, programs: null }
    const temp = await realpath(options.tempFolder)
    await sweepSandboxFolders(temp)
    const { pid, start } = await identityOfProgram(process.pid)
    const folder = await mkdtemp(join(temp, `${PREFIX}${pid}-${start}-`))
    const emptyFolder = join(folder, 'empty')
    mkdirSync(emptyFolder)
    const emptyFile = join(folder, 'nothing')
    writeFileSync(emptyFile, '', { mode: 0o444 })
    const isMac = found.value.kind === 'seatbelt'
    const proxies = createSandboxProxies(options.script, isMac ? null : folder)
    parts = { folder, placeholders: createPlaceholders(folder), proxies, emptyFile, emptyFolder }
    const refusal =
      found.value.kind === 'seatbelt'
        ? await run(found.value.sandboxExec, ['-p', '(version 1)(allow default)', '/usr/bin/true'])
        : await run(found.value.bwrap, [
            ...systemArguments(options.seccomp !== null),
            ...['--', ...filtered(['true'], options.seccomp)],
          ])
    if (refusal === null)
      return { state: isMac ? { kind: 'on', note: ABOUT_MACOS } : { kind: 'on' }, programs: found.value }
    return { state: { kind: 'forbidden', message: forbidden(refusal) }, programs: null }
  }

  const started = () => {
    starting ??= start().catch((thrown: unknown) => ({
      state: { kind: 'forbidden', message: forbidden(messageOf(thrown)) },
      programs: null,
    }))
    return starting
  }
  const state = async (): Promise<SandboxState> =>
    settings().enabled ? (await started()).state : { kind: 'off' }

  async function confine({ limits, argv }: ConfineRequest): Promise<Result<WrappedCommand>> {
    const { programs, state: found } = await started()
    if (programs === null || parts === null)
      return refused(`The sandbox could not start${'message' in found ? `: ${found.message}` : '.'}`)
    const { folder, agentId } = limits
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
    const view = viewOf(limits, opened.value, { ...parts, scripts, also, isMac, hides: sockets.others })
    if (!view.isWhole) {
      for (const path of view.held) parts.placeholders.release(path)
      await opened.value?.takeOver()
      return refused(
        `${folder} has more subfolders than Troupe can search for the files that the user's rules keep. Call Bash again with outside_sandbox: true; the user is asked.`,
      )
    }
    // The filter knows no paths: it would refuse what the user allows too.
    const seccomp = sockets.allowed.length === 0 ? options.seccomp : null
    const begin = [`ulimit -d ${most.memoryMegabytes * 1024} -u ${most.processes} 2>/dev/null`]
    const made = options.git.made.watch({
      roots: isMac ? [] : existing(limits.writes),
      named: () => (isMac ? [] : (opened.value?.repositories() ?? [])),
      trusted: opened.value?.common ?? null,
    })
    const ending = watch(view, { git: opened.value, made, id: proxy === null ? null : id, limits })
    if (programs.kind === 'seatbelt') {
      const rules = seatbeltRules(view.plan, { real: home, own: view.own.home })
      makeLinks(rules)
      const line = seatbeltLine({
        ...{ rules, argv, begin },
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
    if (proxy !== null && typeof proxy.value.at === 'string')
      begin.push(listenFor(proxy.value.at, programs.socat))
    const line = `${begin.join('; ')}; exec "$@"`
    return ok({
      program: programs.bwrap,
      args: [
        ...systemArguments(seccomp !== null),
        ...mountArguments(view.plan),
        ...['--setenv', 'TMPDIR', view.own.temp],
        // Go asks git about the version of what it builds, and fails where an empty folder stands for a repository.
        ...(view.held.some((path) => basename(path) === '.git')
          ? ['--setenv', 'GOFLAGS', `${options.environment['GOFLAGS'] ?? ''} -buildvcs=false`.trim()]
          : []),
        ...[...sockets.ssh.environment, ...(proxy === null ? [] : proxy.value.environment(id))].flatMap(
          (each) => ['--setenv', ...each],
        ),
        ...['--', argv[0] ?? 'bash', '-c', line, 'sandbox'],
        ...filtered(argv, seccomp),
      ],
      ...ending,
    })
  }

  /** What the command sees, and what is kept from it. */
  function viewOf(
    { writes, reads, ...limits }: CommandLimits,
    git: PrivateGit | null,
    its: Parts & {
      readonly also: readonly string[]
      readonly scripts: readonly string[]
      readonly isMac: boolean
      readonly hides: readonly string[]
    },
  ) {
    const { folder, agentId } = limits
    const { filesystem } = settings()
    const own = ownFolders(join(its.folder, 'agents', agentId), options.home)
    const loads = limits.domains.length > 0
    const privateFolder = (name: string, below: string) => {
      if (its.isMac) unlinkFolder(join(below, name))
      mkdirSync(join(below, name), { recursive: true })
      return { at: join(home, name), source: join(below, name) }
    }
    const wanted = { writes: existing(writes), reads: existing(reads), folder: real(folder) }
    const kept = keptFiles({
      ...{
        scans,
        isProtected: options.isProtected,
        startupPaths: options.startupPaths,
        access: limits.access,
        scripts: its.scripts,
      },
      roots: wanted.writes.length > 0 ? wanted.writes : [wanted.folder],
      mayWrite: wanted.writes.length > 0,
      // The rules of macOS need no file at a path that must stay empty.
      hold: its.isMac ? isMissing : its.placeholders.hold,
    })
    git?.ignore(kept.missing.map(({ path }) => path))
    const found = [...kept.found, ...namedRepositories(git, kept.found)]
    const temporary = its.isMac ? [...TEMPORARY_OF_MACOS, real(options.tempFolder)] : TEMPORARY
    const around = [home, git?.top ?? wanted.folder, ...wanted.reads].map((path) => dirname(path))
    const plan = mountPlan({
      ...wanted,
      ...{ home, dataFolder, own },
      emptied: ['/run', ...temporary, ...[...around.filter(isNotOfTheSystem), ...besidesTheSystem()]].filter(
        isFolder,
      ),
      temporary: temporary.filter(isFolder),
      toolchains: homeView({
        home: options.home,
        path: options.environment['PATH'] ?? '',
        also: filesystem.allowRead.map((path) => fromHome(path, options.home)),
        downloads: !loads,
      }),
      downloads: loads ? downloadFolders(options.home).map((name) => privateFolder(name, own.home)) : [],
      reads: [
        ...wanted.reads,
        ...(git === null ? [] : [git.top]),
        ...its.also,
        ...(options.seccomp === null ? [] : [options.seccomp]),
      ],
      git: git?.mounts ?? [],
      found,
      placeholders: kept.missing.map(({ path, kind }) => ({
        at: path,
        source: kind === 'file' ? its.emptyFile : its.emptyFolder,
      })),
      hides: [
        ...options.secrets,
        ...its.hides,
        ...filesystem.denyRead.map((path) => fromHome(path, options.home)),
      ].flatMap((path) => {
        const at = real(path)
        const found = lstatSync(at, { throwIfNoEntry: false })
        return found === undefined ? [] : [{ path: at, isFolder: found.isDirectory() }]
      }),
    })
    return {
      ...{ plan, own, found, isWhole: kept.isWhole, isMac: its.isMac },
      held: kept.missing.map(({ path }) => path),
    }
  }

  /**
   * Follows what holds a running command: a replaced file is mounted no more, and could be written; rules that came
   * meanwhile are not mounted.
   */
  function watch(
    { plan, held, found, isMac }: ReturnType<typeof viewOf>,
    {
      git,
      made,
      id,
      limits,
    }: {
      readonly git: PrivateGit | null
      made(): Promise<readonly string[]>
      readonly id: number | null
      readonly limits: CommandLimits
    },
  ): Pick<WrappedCommand, 'lost' | 'end'> {
    const lost = new AbortController()
    // Rules name paths: they hold whatever file is there.
    const mounted = isMac ? [] : plan.flatMap((mount) => identityOf(mount) ?? [])
    const stop = (reason: string) => {
      over()
      lost.abort(`The command was stopped because ${reason} Run the command again.`)
    }
    const check = () => {
      const changed = mounted.find((mount) => !isSameAsMounted(mount))
      if (changed !== undefined)
        stop(
          `${changed.at} was replaced or removed while it ran, so that the sandbox no longer kept it as it was.`,
        )
    }
    const kept = new Set([...found.map(({ path }) => path), ...held].map((path) => dirname(path)))
    const unwatch = isMac ? () => {} : watchNames([...kept].slice(0, MOST_WATCHED), check)
    const timer = setInterval(() => {
      check()
      limits.rulesCame?.().then(
        (came) => {
          if (came && !lost.signal.aborted) stop("the user's rules about files changed while it ran.")
        },
        () => undefined,
      )
    }, WATCH_MS)
    timer.unref()
    const over = () => {
      clearInterval(timer)
      unwatch()
    }
    return {
      lost: lost.signal,
      async end(output) {
        over()
        if (!isMac) for (const path of held) parts?.placeholders.release(path)
        const aside = [...(await made())]
        const notKept = (await git?.takeOver()) ?? []
        // The index may name repositories now that no search of the folder finds.
        aside.push(...(await made()))
        const refusedHosts = id === null ? [] : ((await parts?.proxies.refused(id)) ?? [])
        const reason: unknown = lost.signal.aborted ? lost.signal.reason : null
        return {
          refusedHosts,
          notes: [
            ...(typeof reason === 'string' ? [reason] : []),
            ...aboutKept(output, [...found, ...held.map((path) => ({ path, access: 'read-only' as const }))]),
            ...aboutUnseen(output, plan),
            ...aboutStash(output),
            ...aside,
            ...notKept,
          ],
        }
      },
    }
  }

  const closeNow = () => {
    if (parts !== null) rmSync(parts.folder, { recursive: true, force: true })
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

// ---- the arguments ------------------------------------------------------------------------------

/** The folders of the system for temporary files. */
const TEMPORARY = ['/tmp', '/var/tmp'] as const
const TEMPORARY_OF_MACOS = ['/private/tmp', '/private/var/tmp'] as const

/** Folders of the system, whose content commands need. All others are emptied, so that a disk shows no neighbors. */
const OF_THE_SYSTEM =
  /^\/($|(usr|etc|bin|sbin|lib|lib32|lib64|libx32|opt|nix|gnu|snap|boot|sys|proc|dev|System|Library|Applications)(\/|$)|(private|(private\/)?var(\/(lib|cache|log|db|select|folders))?)$)/

const isNotOfTheSystem = (path: string): boolean => !OF_THE_SYSTEM.test(path)

/** The folders at the top of the file system and in `/var`, where disks, servers and other users keep their files. */
const besidesTheSystem = (): readonly string[] =>
  ['/', '/var'].flatMap((folder) => namesIn(folder).map((name) => join(folder, name))).filter(hasEntries)

/** An empty or unreadable folder needs no mount, which costs time at the start of a command. */
const hasEntries = (path: string): boolean => isNotOfTheSystem(path) && namesIn(path).length > 0

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A namespace of its own for files, processes, network and users, without any capability. */
function systemArguments(hasFilter: boolean): readonly string[] {
  return [
    ...[
      '--new-session',
      '--die-with-parent',
      '--unshare-net',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-user',
    ],
    ...['--cap-drop', 'ALL'],
    // The filter's helper makes a namespace for itself, for which root needs this.
    ...(hasFilter && process.getuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ]
}

/** The command behind the filter that refuses local sockets and namespaces. */
const filtered = (argv: readonly string[], seccomp: string | null): readonly string[] =>
  seccomp === null ? argv : [seccomp, ...argv]

/** A line of bash: connections to the port reach the socket of the proxy, and the command begins once they can. */
function listenFor(socket: string, socat: string): string {
  const listen = `${quoted(socat)} TCP-LISTEN:${SOCKET_PORT},bind=127.0.0.1,fork,reuseaddr,backlog=4096 UNIX-CONNECT:${quoted(socket)}`
  return `${listen} >/dev/null 2>&1 & for ((i = 0; i < 500; i++)); do (exec 3<>/dev/tcp/127.0.0.1/${SOCKET_PORT}) 2>/dev/null && break; sleep 0.01; done`
}

/** The agent's own folders, made at its first command. */
function ownFolders(base: string, home: string) {
  const own = { home: join(base, 'home'), temp: join(base, 'tmp'), systemTemp: join(base, 'shared-tmp') }
  if (isFolder(own.temp)) return own
  for (const folder of Object.values(own)) mkdirSync(folder, { recursive: true })
  const git = gitSettingsWithoutLogins(home)
  if (git !== null) writeFileSync(join(own.home, '.gitconfig'), git)
  return own
}

interface MountedFile {
  readonly at: string
  readonly ino: number
  /** A file that is made in place of a removed one often has its number. */
  readonly birthtimeMs: number
}

/** What shows that a mount holds: its file is still the one that was mounted. */
function identityOf(mount: Mount): MountedFile | null {
  if (mount.kind === 'link' || mount.kind === 'empty') return null
  const found = lstatSync(mount.at, { throwIfNoEntry: false })
  return found === undefined ? null : { at: mount.at, ino: found.ino, birthtimeMs: found.birthtimeMs }
}

function isSameAsMounted({ at, ino, birthtimeMs }: MountedFile): boolean {
  const found = lstatSync(at, { throwIfNoEntry: false })
  return found?.ino === ino && found.birthtimeMs === birthtimeMs
}

/** Folders whose names are followed at once; the others once a second. */
const MOST_WATCHED = 50

/** Calls back soon after a name in one of the folders is made, removed or replaced. @returns the end */
function watchNames(folders: readonly string[], changed: () => void): () => void {
  let soon: NodeJS.Timeout | null = null
  const watchers = folders.flatMap((folder) => {
    try {
      const watcher = watchFolder(folder, { persistent: false }, (event) => {
        if (event !== 'rename' || soon !== null) return
        soon = setTimeout(() => {
          soon = null
          changed()
        }, 5)
        soon.unref()
      })
      watcher.on('error', () => undefined)
      return [watcher]
    } catch {
      return []
    }
  })
  return () => {
    if (soon !== null) clearTimeout(soon)
    for (const watcher of watchers) watcher.close()
  }
}

/** The git folders of repositories that the index names, which no search has found: git of the user looks into each. */
function namedRepositories(git: PrivateGit | null, found: readonly FoundFile[]): readonly FoundFile[] {
  const known = new Set(found.map(({ path }) => path))
  return (git?.repositories() ?? []).flatMap((folder) => {
    const path = join(folder, '.git')
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink() || known.has(path)) return []
    return [
      {
        path,
        access: 'read-only' as const,
        kind: stats.isDirectory() ? ('folder' as const) : ('file' as const),
      },
    ]
  })
}

/** Names the kept files that a command failed on. */
function aboutKept(output: string, kept: readonly Pick<FoundFile, 'path' | 'access'>[]): readonly string[] {
  const lines = output
    .split('\n')
    .filter((line) =>
      /read-only file system|EROFS|resource busy|EBUSY|permission denied|EACCES|EPERM|operation not permitted/i.test(
        line,
      ),
    )
  const names = (access: FileAccess) => [
    ...new Set(
      kept
        .filter((file) => file.access === access && lines.some((line) => line.includes(basename(file.path))))
        .map(({ path }) => path),
    ),
  ]
  const [fixed, hidden] = [names('read-only'), names('hidden')]
  const list = (paths: readonly string[]) => paths.slice(0, 5).join(', ')
  return [
    ...(fixed.length === 0
      ? []
      : [
          `Commands in the sandbox can't change ${list(fixed)}: such files decide what runs later or what agents are told. Use Write or Edit for it, or call Bash again with outside_sandbox: true; the user is asked.`,
        ]),
    ...(hidden.length === 0
      ? []
      : [
          `The user's rules keep commands from reading ${list(hidden)}. If the task needs it, call Bash again with outside_sandbox: true; the rules decide.`,
        ]),
  ]
}

/** Names a file of this machine that a command did not find because the sandbox does not show it. */
function aboutUnseen(output: string, plan: readonly Mount[]): readonly string[] {
  const lines = output
    .split('\n')
    .filter((line) =>
      /no such file|not found|cannot access|ENOENT|does not exist|does not appear to be/i.test(line),
    )
  const paths = lines.flatMap((line) =>
    [...line.matchAll(/(?<![\w.])\/[^\s'"`:,;()]+/g)].map(([path]) => path),
  )
  const unseen = [...new Set(paths)].find(
    (path) => isUnseen(path, plan) && lstatSync(dirname(path), { throwIfNoEntry: false }) !== undefined,
  )
  return unseen === undefined
    ? []
    : [
        `Commands in the sandbox see neither ${unseen} nor other files beside the working folder and in the home. If the task needs it, call Bash again with outside_sandbox: true; the user is asked.`,
      ]
}

/** The private git folder of the user's own checkout has a stash that git can't change. Git says only that it is broken. */
const aboutStash = (output: string): readonly string[] =>
  /^warning: ignoring broken ref refs\/stash$/m.test(output) && output.includes('Cannot save the current')
    ? [
        "Commands in the sandbox stash nothing in the user's own checkout, and don't see the user's stash; nothing was changed. If the task needs it, call Bash again with outside_sandbox: true; the user is asked.",
      ]
    : []

/** The name of a sandbox's own folder begins with this, and goes on with the program that owns it. */
const PREFIX = 'troupe-sandbox-'

/** Removes the folders of programs that were killed, and the placeholders that they left. */
async function sweepSandboxFolders(temp: string): Promise<void> {
  for (const name of await readdir(temp).catch(() => [])) {
    const [, pid = '', begun = ''] = /^troupe-sandbox-(\d+)-([a-z0-9.]+)-\w{6}$/i.exec(name) ?? []
    if (pid === '' || (await isRunning({ pid: Number(pid), start: begun }))) continue
    const folder = join(temp, name)
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue
    removeLeftPlaceholders(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

// ---- the system ---------------------------------------------------------------------------------

const refused = (message: string) => fail({ type: 'sandbox', message: `The command was not run. ${message}` })

const forbidden = (refusal: string): string =>
  `The system does not let the sandbox start (${refusal}). On Ubuntu 24.04 and later, allow bubblewrap user namespaces with an AppArmor profile for bwrap.`

/** @returns why the program failed; null: it ended well */
function run(program: string, args: readonly string[]): Promise<string | null> {
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

/** The path with its links resolved, or as it is where nothing is there. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** The paths that exist, links resolved. */
function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(real))].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  )
}

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true

const fromHome = (path: string, home: string): string => path.replace(/^~(?=\/|$)/, home)

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
