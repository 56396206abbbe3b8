/**
 * The namespaces of commands on Linux, and the networks that they share. A network has nothing but a loopback of its
 * own, at which the proxy listens where hosts are allowed. Commands of one agent under the same limits share one, so that
 * a server that one command starts is reached by the next. Nothing else joins it, and it leads to no server of this
 * machine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { SOCKET_PORT } from './sandbox-thread.ts'

export interface CommandNetworks {
  /**
   * The network of all commands with this key. Null: it could not be made.
   * @param socket of the proxy; null: the commands reach no hosts
   */
  join(key: string, socket: string | null): Promise<JoinedNetwork | null>
  close(): void
}

export interface JoinedNetwork {
  /** Runs what follows in the network, without any other change. */
  readonly argv: readonly string[]
  /** To be called when the command has ended. */
  leave(): void
}

interface NetworkPrograms {
  readonly bwrap: string
  readonly socat: string
  readonly nsenter: string
}

/** ms that a network stays after its last command: the next one starts faster. */
const IDLE_MS = 60_000
/** ms after which a network that does not begin has failed. */
const LONGEST_START = 5000

interface Network {
  readonly opened: Promise<OpenNetwork | null>
  users: number
  idle: NodeJS.Timeout | null
}

interface OpenNetwork {
  readonly argv: readonly string[]
  close(): void
}

export function createCommandNetworks(programs: NetworkPrograms): CommandNetworks {
  const networks = new Map<string, Network>()
  const drop = (key: string, network: Network) => {
    if (networks.get(key) === network) networks.delete(key)
    void network.opened.then((opened) => opened?.close())
  }
  return {
    async join(key, socket) {
      const network = networks.get(key) ?? {
        opened: openNetwork(programs, socket, () => drop(key, network)),
        users: 0,
        idle: null,
      }
      networks.set(key, network)
      if (network.idle !== null) clearTimeout(network.idle)
      network.users++
      const opened = await network.opened
      if (opened === null) {
        drop(key, network)
        return null
      }
      return {
        argv: opened.argv,
        leave() {
          if (--network.users > 0) return
          network.idle = setTimeout(() => drop(key, network), IDLE_MS)
          network.idle.unref()
        },
      }
    },
    close() {
      for (const [key, network] of networks) {
        if (network.idle !== null) clearTimeout(network.idle)
        drop(key, network)
      }
    },
  }
}

/** Null: the system does not let it. @param ended called when a process that the network needs has ended */
async function openNetwork(
  { bwrap, socat, nsenter }: NetworkPrograms,
  socket: string | null,
  ended: () => void,
): Promise<OpenNetwork | null> {
  const line = `${socket === null ? '' : `${listenFor(socket, socat)}; `}echo; read -r _`
  const holder = spawn(
    bwrap,
    [
      ...['--unshare-user', '--unshare-net', '--unshare-pid', '--unshare-ipc', '--new-session'],
      ...['--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '--proc', '/proc'],
      // With devices of its own, bubblewrap would make a second user namespace, which may not join the network.
      ...['--dev-bind', '/dev', '/dev', '--info-fd', '3', '--', 'bash', '-c', line],
    ],
    { stdio: ['pipe', 'pipe', 'ignore', 'pipe'], env: { PATH: process.env['PATH'] ?? '' } },
  )
  holder.stdin?.on('error', () => undefined)
  const pid = await pidInside(holder)
  holder.unref()
  for (const pipe of holder.stdio) (pipe as Socket | null)?.unref()
  const files: number[] = []
  const close = () => {
    for (const file of files.splice(0)) closeSync(file)
    holder.kill('SIGKILL')
  }
  if (pid === null) {
    close()
    return null
  }
  try {
    for (const kind of ['user', 'net']) files.push(openSync(`/proc/${pid}/ns/${kind}`, 'r'))
  } catch {
    close()
    return null
  }
  // The open files keep the network; only the proxy needs a process.
  if (socket === null) holder.stdin?.end()
  else holder.once('exit', ended)
  const [user, net] = files.map((file) => `/proc/${process.pid}/fd/${file}`)
  return { argv: [nsenter, `--user=${user}`, `--net=${net}`, '--preserve-credentials', '--'], close }
}

/** The process that has the network, once that is ready; null: it failed. */
function pidInside(holder: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    let told = ''
    let isReady = false
    const timer = setTimeout(() => resolve(null), LONGEST_START)
    timer.unref()
    const settle = () => {
      const pid = Number(/"child-pid":\s*(\d+)\b(?=[\s\S]*\})/.exec(told)?.[1])
      if (!isReady || Number.isNaN(pid)) return
      clearTimeout(timer)
      resolve(pid)
    }
    holder.stdio[3]?.on('data', (chunk: Buffer) => {
      told += chunk.toString('utf8')
      settle()
    })
    holder.stdout?.once('data', () => {
      isReady = true
      settle()
    })
    const fail = () => {
      clearTimeout(timer)
      resolve(null)
    }
    holder.once('error', fail)
    holder.once('exit', fail)
  })
}

interface BubblewrapOptions {
  readonly bwrap: string
  /** Null: it gets one of its own, with nothing but a loopback. */
  readonly network: JoinedNetwork | null
  /** The program that keeps it from local sockets and namespaces; null: it is not kept from them. */
  readonly seccomp: string | null
}

/**
 * A command behind bubblewrap: namespaces of its own for files, processes, network and users, without any capability.
 * @param settings bubblewrap's further arguments: mounts, variables
 * @param begin a line of bash that runs before the command, without the filter; null: none
 * @returns the program with its arguments
 */
export function bubblewrapped(
  { bwrap, network, seccomp }: BubblewrapOptions,
  {
    settings = [],
    begin = null,
    argv,
  }: {
    readonly settings?: readonly string[]
    readonly begin?: string | null
    readonly argv: readonly string[]
  },
): readonly [program: string, ...args: string[]] {
  const [program = bwrap, ...before] = [...(network?.argv ?? []), bwrap]
  return [
    program,
    ...before,
    ...['--new-session', '--die-with-parent', ...(network === null ? ['--unshare-net'] : [])],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-user', '--cap-drop', 'ALL'],
    // The filter's helper makes a namespace for itself, for which root needs this.
    ...(seccomp !== null && process.getuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...settings,
    '--',
    ...(begin === null ? [] : [argv[0] ?? 'bash', '-c', `${begin}; exec "$@"`, 'sandbox']),
    ...(seccomp === null ? [] : [seccomp]),
    ...argv,
  ]
}

/** A line of bash: connections to the port reach the socket of the proxy, and the next command begins once they can. */
export function listenFor(socket: string, socat: string): string {
  const listen = `${quoted(socat)} TCP-LISTEN:${SOCKET_PORT},bind=127.0.0.1,fork,reuseaddr,backlog=4096 UNIX-CONNECT:${quoted(socket)}`
  return `${listen} >/dev/null 2>&1 & for ((i = 0; i < 500; i++)); do (exec 3<>/dev/tcp/127.0.0.1/${SOCKET_PORT}) 2>/dev/null && break; sleep 0.01; done`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
