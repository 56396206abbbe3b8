/**
 * The namespaces of commands on Linux, and the networks that they share. A network has nothing but a loopback of its
 * own, at which the proxy listens where hosts are allowed. Commands of one agent under the same limits share one, so that
 * a server that one command starts is reached by the next. Nothing else joins it, and it leads to no server of this
 * machine.
 */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ServedPort } from '../../runtime/ports/sandbox.ts'
import { createPreparedViews, type JoinedView, type PreparedViews } from './prepared-views.ts'
import { SOCKET_PORT } from './sandbox-thread.ts'
import { BASH, fileOf, startInside } from './start-inside.ts'

export interface CommandNetworks {
  /**
   * The network of all commands with this key. Null: it could not be made.
   * @param socket of the proxy; null: the commands reach no hosts
   */
  join(key: string, socket: string | null): Promise<JoinedNetwork | null>
  /** Lets the commands of every network reach what listens at this socket of the machine, at this port of theirs. */
  show(port: number, socket: string): void
  hide(port: number): void
  close(): void
}

export interface JoinedNetwork {
  /** Runs what follows in the network, without any other change. */
  readonly argv: readonly string[]
  /** Null: commands mount their views themselves. */
  readonly views: PreparedViews | null
  /**
   * Lets this machine reach a server of the network at a socket, until the returned function is called. The port is not
   * shown in this network, where the server may listen at it.
   */
  serve(server: ServedPort, socket: string): () => void
  /** To be called when the command has ended. */
  leave(): void
}

interface NetworkPrograms {
  readonly bwrap: string
  readonly socat: string
  readonly nsenter: string
  /** Whether views are mounted before their commands start. */
  readonly prepares: boolean
}

/** ms that a network stays after its last command: the next one starts faster. */
const IDLE_MS = 60_000

interface Network {
  readonly opened: Promise<OpenNetwork | null>
  users: number
  idle: NodeJS.Timeout | null
}

interface OpenNetwork extends Pick<JoinedNetwork, 'argv' | 'views' | 'serve'> {
  show(port: number, socket: string): void
  hide(port: number): void
  close(): void
}

export function createCommandNetworks(programs: NetworkPrograms): CommandNetworks {
  const networks = new Map<string, Network>()
  const shown = new Map<number, string>()
  const inEach = (act: (network: OpenNetwork) => void) => {
    for (const { opened } of networks.values()) void opened.then((network) => network && act(network))
  }
  const drop = (key: string, network: Network) => {
    if (networks.get(key) === network) networks.delete(key)
    void network.opened.then((opened) => opened?.close())
  }
  return {
    async join(key, socket) {
      const network = networks.get(key) ?? {
        opened: openNetwork(programs, { socket, shown }, () => drop(key, network)),
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
        views: opened.views,
        serve: opened.serve,
        leave() {
          if (--network.users > 0) return
          network.idle = setTimeout(() => drop(key, network), IDLE_MS)
          network.idle.unref()
        },
      }
    },
    show(port, socket) {
      shown.set(port, socket)
      inEach((network) => network.show(port, socket))
    },
    hide(port) {
      shown.delete(port)
      inEach((network) => network.hide(port))
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
  { bwrap, socat, nsenter, prepares }: NetworkPrograms,
  { socket, shown }: { readonly socket: string | null; readonly shown: ReadonlyMap<number, string> },
  ended: () => void,
): Promise<OpenNetwork | null> {
  const inside = await startInside(
    [
      ...[bwrap, '--unshare-user', '--unshare-net', '--unshare-pid', '--unshare-ipc', '--new-session'],
      // Only root there may mount views. It is the user, and outside it may do nothing that the user may not.
      ...['--uid', '0', '--gid', '0'],
      ...['--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '--proc', '/proc'],
      // With devices of its own, bubblewrap would make a second user namespace, which may not join the network.
      ...['--dev-bind', '/dev', '/dev'],
    ],
    { files: ['ns/user', 'ns/net'], begin: socket === null ? '' : `${listenFor(socket, socat)}; ` },
  )
  if (inside === null) return null
  // The open files keep the network; only the proxy needs a process.
  if (socket === null) inside.end()
  else inside.ended(ended)
  const [user, net] = inside.files.map(fileOf)
  const argv = [nsenter, '--preserve-credentials', `--user=${user}`, `--net=${net}`, '--']
  const views = prepares ? createPreparedViews(bwrap, argv) : null
  const forwards = new Map<number, () => void>()
  const served = new Set<number>()
  const network: OpenNetwork = {
    ...{ argv, views },
    serve({ port, inside: at }, socketOfServer) {
      served.add(port)
      network.hide(port)
      const ends = LOOPBACKS.map(({ ending, address }) =>
        carry(argv, [
          socat,
          `UNIX-LISTEN:${socketOfServer}${ending},fork,unlink-early,mode=600`,
          `${address}:${at}`,
        ]),
      )
      return () => {
        served.delete(port)
        for (const end of ends) end()
      }
    },
    show(port, socketOfServer) {
      if (served.has(port) || forwards.has(port)) return
      const listen = `TCP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=512`
      forwards.set(port, carry(argv, [socat, listen, `UNIX-CONNECT:${socketOfServer}`]))
    },
    hide(port) {
      forwards.get(port)?.()
      forwards.delete(port)
    },
    close() {
      for (const port of [...forwards.keys()]) network.hide(port)
      views?.close()
      inside.close()
    },
  }
  for (const [port, socketOfServer] of shown) network.show(port, socketOfServer)
  return network
}

/** A server listens at one of these; which one is known only to it. */
export const LOOPBACKS = [
  { ending: '-4', address: 'TCP4:127.0.0.1' },
  { ending: '-6', address: 'TCP6:[::1]' },
] as const

/** Carries connections in a network. Ends with the returned function, and also when this program is killed. */
function carry(join: readonly string[], program: readonly string[]): () => void {
  const [command = '', ...args] = [
    ...join,
    ...[...BASH, '-c', '"$@" </dev/null & read -r _; kill "$!"', 'carry', ...program],
  ]
  const child = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '' },
  })
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.unref()
  ;(child.stdin as Socket).unref()
  return () => child.stdin.end()
}

interface BubblewrapOptions {
  readonly bwrap: string
  /** Null: it gets one of its own, with nothing but a loopback. */
  readonly network: JoinedNetwork | null
  /** In the network. Null: the command mounts its view itself. */
  readonly view: JoinedView | null
  /** The program that keeps it from local sockets and namespaces; null: it is not kept from them. */
  readonly seccomp: string | null
}

/**
 * A command behind bubblewrap: namespaces of its own for files, processes, network and users, without any capability.
 * @param mounts bubblewrap's arguments for the view; not used where that is prepared
 * @param settings bubblewrap's further arguments, as variables
 * @param begin a line of bash that runs before the command, without the filter; null: none
 * @returns the program with its arguments
 */
export function bubblewrapped(
  { bwrap, network, view, seccomp }: BubblewrapOptions,
  {
    mounts = [],
    settings = [],
    begin = null,
    hasImage = false,
    argv,
  }: {
    readonly mounts?: readonly string[]
    readonly settings?: readonly string[]
    readonly begin?: string | null
    /** Whether the mounts bring all files: nothing of this machine is there. */
    readonly hasImage?: boolean
    readonly argv: readonly string[]
  },
): readonly [program: string, ...args: string[]] {
  const [program = bwrap, ...before] = [...(view?.argv ?? network?.argv ?? []), bwrap]
  return [
    program,
    ...before,
    ...['--new-session', '--die-with-parent', ...(network === null ? ['--unshare-net'] : THE_USER)],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-user', '--cap-drop', 'ALL'],
    // The filter's helper makes a namespace for itself, for which root needs this.
    ...(seccomp !== null && process.getuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...(view?.mounts ?? (hasImage ? [] : ['--ro-bind', '/', '/'])),
    ...['--dev', '/dev', '--proc', '/proc'],
    ...(view === null ? mounts : []),
    ...settings,
    '--',
    ...(begin === null ? [] : [argv[0] ?? 'bash', '-c', `${begin}; exec "$@"`, 'sandbox']),
    ...(seccomp === null ? [] : [seccomp]),
    ...argv,
  ]
}

/** The user is root in a network, and itself again in a command. */
const THE_USER = ['--uid', String(process.getuid?.()), '--gid', String(process.getgid?.())] as const

/** A line of bash: connections to the port reach the socket of the proxy, and the next command begins once they can. */
export function listenFor(socket: string, socat: string): string {
  const listen = `${quoted(socat)} TCP-LISTEN:${SOCKET_PORT},bind=127.0.0.1,fork,reuseaddr,backlog=4096 UNIX-CONNECT:${quoted(socket)}`
  return `${listen} >/dev/null 2>&1 & for ((i = 0; i < 500; i++)); do (exec 3<>/dev/tcp/127.0.0.1/${SOCKET_PORT}) 2>/dev/null && break; sleep 0.01; done`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
