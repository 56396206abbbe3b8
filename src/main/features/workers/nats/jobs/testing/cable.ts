/** A connection to a server that a test can cut: nothing passes, and neither side is told. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

interface Cable {
  readonly url: string
  /** From now on nothing passes. */
  cut(): void
  /** Ends the dead connections and lets new ones pass. */
  join(): Promise<void>
}

export async function startCable(port: number): Promise<Cable> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isCut = false
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes)
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    end()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The cable has no port.')
  return {
    url: `nats://127.0.0.1:${address.port}`,
    cut: () => {
      isCut = true
    },
    join: async () => {
      end()
      isCut = false
    },
  }
}
