/**
 * The door to a server in the sandbox: this machine reaches it at a port of its loopback, other commands at a socket. A
 * connection goes to the first of the server's sockets that holds it.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ServedPort } from '../../runtime/ports/sandbox.ts'
import { type CommandNetworks, type JoinedNetwork, LOOPBACKS } from './command-networks.ts'

interface DoorOptions {
  /** On the loopback. Where another program has it, only commands reach the server. */
  readonly port: number
  readonly socket: string
  /** The sockets of the server, in the order to try. */
  readonly inside: readonly string[]
}

/** ms that a connection to a socket must last: where no server listens behind it, it ends at once. */
const HOLDS = 150

/**
 * Opens the ports of a command that serves, for this machine and for the commands of all networks.
 * @param its.joined the command's network; null: its servers can't be reached
 * @param its.folder for the sockets
 * @returns the function that closes them
 */
export async function serveEach(
  ports: readonly ServedPort[],
  its: {
    readonly joined: JoinedNetwork | null
    readonly networks: CommandNetworks | null
    readonly folder: string
  },
): Promise<() => void> {
  const { joined, networks, folder } = its
  if (joined === null || networks === null) return () => undefined
  const ends = await Promise.all(
    ports.map(async (server) => {
      const { port } = server
      const inside = join(folder, `server-${port}`)
      const socket = `${inside}-door`
      const end = joined.serve(server, inside)
      const door = await openDoor({
        ...{ port, socket },
        inside: LOOPBACKS.map(({ ending }) => `${inside}${ending}`),
      })
      networks.show(port, socket)
      return () => {
        networks.hide(port)
        door.close()
        end()
      }
    }),
  )
  return () => {
    for (const end of ends) end()
  }
}

/** Resolves when the door is open. */
async function openDoor({ port, socket, inside }: DoorOptions): Promise<{ close(): void }> {
  const open = new Set<Socket>()
  const keep = (each: Socket) => {
    open.add(each)
    each.once('close', () => open.delete(each))
    each.on('error', () => undefined)
  }
  /** Behind which of the sockets the server was found. */
  let known: string | null = null
  const receive = (from: Socket) => {
    keep(from)
    void reach(known === null ? inside : [known], { keep, waits: known === null }).then((found) => {
      if (found === null || from.destroyed) {
        from.destroy()
        found?.socket.destroy()
        return
      }
      const server = found.socket
      known = found.path
      from.pipe(server)
      server.pipe(from)
      from.once('close', () => server.destroy())
      server.once('close', () => {
        // The server may have been started again, at the other address.
        if (server.bytesRead === 0) known = null
        from.destroy()
      })
    })
  }
  const servers = [0, 1].map(() => createServer({ pauseOnConnect: true }, receive))
  const [atPort, atSocket] = servers
  await Promise.all([listening(atPort, { host: '127.0.0.1', port }), listening(atSocket, { path: socket })])
  return {
    close() {
      for (const server of servers) server.close()
      for (const each of open) each.destroy()
    },
  }
}

function listening(
  server: Server | undefined,
  at: { readonly host: string; readonly port: number } | { readonly path: string },
): Promise<void> {
  return new Promise((resolve) => {
    server?.on('error', () => resolve())
    server?.listen(at, () => resolve())
    server?.unref()
  })
}

interface Reaching {
  readonly keep: (socket: Socket) => void
  /** Whether a connection counts only when it holds. */
  readonly waits: boolean
}

interface Reached {
  readonly path: string
  readonly socket: Socket
}

/** A connection to the first socket behind which a server listens; null: there is none. */
async function reach(sockets: readonly string[], reaching: Reaching): Promise<Reached | null> {
  const tries = sockets.map((path) => held(path, reaching))
  for (const [at, attempt] of tries.entries()) {
    const socket = await attempt
    const path = sockets[at]
    if (socket === null || path === undefined) continue
    for (const other of tries.slice(at + 1)) void other.then((one) => one?.destroy())
    return { path, socket }
  }
  return null
}

function held(path: string, { keep, waits }: Reaching): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path)
    keep(socket)
    const settle = (reached: boolean) => {
      clearTimeout(timer)
      socket.off('readable', onReadable)
      if (!reached) socket.destroy()
      resolve(reached ? socket : null)
    }
    const onReadable = () => settle(socket.readableLength > 0)
    const timer = setTimeout(() => settle(true), HOLDS)
    socket.once('error', () => settle(false))
    if (waits) socket.on('readable', onReadable)
    else socket.once('connect', () => settle(true))
  })
}
