/** Connections to a real server, and what is said about each one that can't be made. */
import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { Kvm } from '@nats-io/kv'
import { nkeys } from '@nats-io/transport-node'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { NatsState } from '../../../../shared/workers/worker-presence.ts'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import { type ConnectOptions, connectNats } from './connect-nats.ts'
import { makeCertificates } from './testing/certificates.ts'
import { startNatsServer, withNats } from './testing/nats-server.ts'
import { openWatch } from './waits.ts'

async function attempt(options: Partial<ConnectOptions> & { readonly url: string }) {
  const connected = await connectNats({ credentials: '', ca: '', name: 'test', timeout: 5000, ...options })
  if (connected.ok) onTestFinished(() => connected.value.close())
  return connected
}

async function messageOf(options: Parameters<typeof attempt>[0]): Promise<string> {
  const connected = await attempt(options)
  return connected.ok ? 'connected' : connected.failure.message
}

/** A file with a new user's seed, and the user's public key. */
async function newUser(folder: string) {
  const user = nkeys.createUser()
  const file = join(folder, `${user.getPublicKey()}.nk`)
  await writeFile(file, `${Buffer.from(user.getSeed()).toString()}\n`, { mode: 0o600 })
  return { file, publicKey: user.getPublicKey() }
}

function listenWith(onConnection: (server: Server) => Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer()
  const handler = onConnection(server)
  if (handler) server.on('connection', handler)
  onTestFinished(() => void server.close())
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`nats://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
    }),
  )
}

withNats('a NATS server', () => {
  test('is connected, and again after it was killed', async () => {
    const server = await startNatsServer()
    const connected = await attempt({ url: server.url, reconnectWait: 20 })
    if (!connected.ok) throw new Error(connected.failure.message)
    const link = connected.value
    expect(link.state()).toEqual({ kind: 'connected', url: server.url, tls: false })
    const states: NatsState[] = []
    const reached = (kind: NatsState['kind']) =>
      new Promise<void>((resolve) => {
        const stop = link.subscribe((state) => {
          states.push(state)
          if (state.kind !== kind) return
          stop()
          resolve()
        })
      })
    const gone = reached('failed')
    await server.kill()
    await gone
    expect(states.at(-1)).toMatchObject({
      message: expect.stringMatching(/broke\. .*local work goes on\. It is tried again\./),
    })
    const back = reached('connected')
    await server.start()
    await back
    expect(link.generation()).toBe(2)
    await link.connection.flush()
  })

  test('is left only when the watches that are being opened are open, so that no timer of theirs is left', async () => {
    const server = await startNatsServer()
    const connected = await attempt({ url: server.url })
    if (!connected.ok) throw new Error(connected.failure.message)
    const { connection, close } = connected.value
    const bucket = await new Kvm(connection).create('entries')
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const watches = Array.from({ length: 20 }, () => openWatch(connection, bucket))
    await close()
    expect(await Promise.allSettled(watches)).toEqual(
      watches.map(() => expect.objectContaining({ status: 'fulfilled' })),
    )
    expect(connection.isClosed()).toBe(true)
    expect(timers()).toBeLessThanOrEqual(before)
  })

  test('without JetStream is refused', async () => {
    const server = await startNatsServer({ jetStream: false })
    expect(await messageOf({ url: server.url })).toMatch(
      /runs without JetStream.*Start it with `nats-server -js`/,
    )
  })

  test('that is too old is refused with its version', async () => {
    const server = await startNatsServer()
    expect(await messageOf({ url: server.url, oldest: '9.1.0' })).toMatch(
      /has version 2\.\d+\.\d+; Troupe needs 9\.1\.0 or later/,
    )
    const url = await listenWith(() => (socket) => {
      const info = { server_id: 'x', version: '2.8.4', proto: 1, max_payload: 1024, jetstream: true }
      socket.write(`INFO ${JSON.stringify(info)}\r\n`)
      socket.on('data', (bytes) => {
        if (bytes.includes('PING')) socket.write('PONG\r\n')
      })
      socket.on('error', () => undefined)
    })
    expect(await messageOf({ url })).toMatch(/has version 2\.8\.4; Troupe needs 2\.9\.0 or later\. Install/)
  })

  test('takes only the right credentials, from a file that only its owner can read', async () => {
    const folder = await tempFolder()
    const user = await newUser(folder)
    const server = await startNatsServer({
      config: () => `authorization { users = [ { nkey: ${user.publicKey} } ] }`,
    })
    const { url } = server
    expect(await messageOf({ url, credentials: user.file })).toBe('connected')
    const refused = /refuses the credentials \(Authorization Violation\)\. Check that the credentials file/
    expect(await messageOf({ url })).toMatch(refused)
    expect(await messageOf({ url, credentials: (await newUser(folder)).file })).toMatch(refused)
    await chmod(user.file, 0o644)
    expect(await messageOf({ url, credentials: user.file })).toMatch(
      /can be read by other users .* `chmod 600 /,
    )
    expect(await messageOf({ url, credentials: join(folder, 'none') })).toMatch(/does not exist\. Check/)
    const other = join(folder, 'notes.txt')
    await writeFile(other, 'hello', { mode: 0o600 })
    expect(await messageOf({ url, credentials: other })).toMatch(/has no NATS credentials\. It must be/)
  })
})

withNats('TLS', () => {
  const startTls = async (names?: string, expired = false) => {
    const folder = await tempFolder()
    await makeCertificates(folder, { expired, ...(names !== undefined && { names }) })
    const server = await startNatsServer({
      config: () => `tls { cert_file: "${folder}/server.pem", key_file: "${folder}/server.key" }`,
    })
    return { url: `tls://127.0.0.1:${server.port}`, ca: join(folder, 'ca.pem') }
  }

  test('is used with the authority of the server', async () => {
    const { url, ca } = await startTls()
    const connected = await attempt({ url, ca })
    expect(connected.ok && connected.value.state()).toEqual({ kind: 'connected', url, tls: true })
  })

  test('with an unknown authority, or none, is refused', async () => {
    const { url } = await startTls()
    expect(await messageOf({ url })).toMatch(/signed by an authority that is not known here .*\(ca\.pem of/)
    const other = await tempFolder()
    await makeCertificates(other)
    expect(await messageOf({ url, ca: join(other, 'ca.pem') })).toMatch(/authority that is not known here/)
    expect(await messageOf({ url, ca: join(other, 'none.pem') })).toMatch(/none\.pem does not exist/)
  })

  test('with a certificate of another host is refused, also for an address of numbers', async () => {
    const { url, ca } = await startTls('DNS:localhost,IP:127.0.0.9')
    expect(await messageOf({ url, ca })).toMatch(/is for other names: .*127\.0\.0\.9/)
  })

  test('with an expired certificate is refused', async () => {
    const { url, ca } = await startTls(undefined, true)
    expect(await messageOf({ url, ca })).toMatch(/has expired\. Renew it at the server/)
  })

  test('that the server does not have is missed', async () => {
    const server = await startNatsServer()
    expect(await messageOf({ url: `tls://127.0.0.1:${server.port}` })).toMatch(
      /has no TLS, but the settings demand it/,
    )
  })
})

withNats('an address', () => {
  let refused = ''
  beforeAll(async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    refused = `nats://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    await new Promise((resolve) => server.close(resolve))
  })

  test('where nobody listens', async () => {
    expect(await messageOf({ url: refused })).toMatch(/^No NATS server listens at nats:.*Start it there/)
  })

  test('of an unknown host', async () => {
    const credentials = (await newUser(await tempFolder())).file
    expect(await messageOf({ url: 'tls://no-such-host.invalid:4222', credentials })).toMatch(
      /The host of tls:\/\/no-such-host\.invalid:4222 can’t be found/,
    )
  })

  test('of a server that is something else', async () => {
    const url = await listenWith(() => (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await messageOf({ url })).toMatch(/Something that is not a NATS server answers at/)
  })

  test('of a server that is silent', async () => {
    const url = await listenWith(() => (socket) => socket.on('error', () => undefined))
    expect(await messageOf({ url, timeout: 50 })).toMatch(/does not answer in time/)
  })

  test.each([
    [
      'nats://10.1.2.3:4222',
      /is another machine, and TLS is not set\. Who can write .* Use tls:\/\/10\.1\.2\.3:4222/,
    ],
    ['tls://10.1.2.3:4222', /is another machine, and no credentials are set/],
    ['nats://localhost.evil.example:4222', /is another machine/],
    ['nats://127.0.0.1.evil.example:4222', /is another machine/],
    ['nats://me:word@127.0.0.1:4222', /has a user or a password in it/],
    ['http://127.0.0.1:4222', /is not the address of a NATS server\. Write it like/],
    ['127.0.0.1:4222', /is not the address of a NATS server/],
    ['', /is not the address of a NATS server/],
    ['nats://', /is not the address of a NATS server/],
  ])('%j is refused before anything is sent', async (url, message) => {
    expect(await messageOf({ url })).toMatch(message)
  })
})
