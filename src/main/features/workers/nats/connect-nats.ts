/**
 * A connection to a NATS server with JetStream. Once made it reconnects forever; `generation` counts the connections,
 * because a server that was killed may have forgotten what it acknowledged last.
 */
import { connect, type NatsConnection, type Status } from '@nats-io/transport-node'
import { fail, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import type { NatsState } from '../../../../shared/workers/worker-presence.ts'
import { connectFailure } from './nats-failure.ts'
import { type NatsSettings, readNatsSettings } from './read-nats-settings.ts'
import { inTime, watchesOpened } from './waits.ts'

export interface ConnectOptions extends NatsSettings {
  /** Shown in the server's list of connections: `troupe`, `troupe worker build-3`. */
  readonly name: string
  /** Oldest server that will do; 2.9.0 by default. */
  readonly oldest?: string
  /** Time for one attempt and for closing in ms; 10 s and 5 s by default. */
  readonly timeout?: number
  /** Time between attempts to reconnect in ms; 2 s by default. */
  readonly reconnectWait?: number
}

export interface NatsLink {
  readonly connection: NatsConnection
  /** 1 for the first connection, one more for each reconnection. */
  generation(): number
  state(): NatsState
  /** Calls the listener after each change of the state, until the returned function is called. */
  subscribe(listener: (state: NatsState) => void): () => void
  /** Resolves when what was written has been sent and the connection is closed. */
  close(): Promise<void>
}

const OLDEST = '2.9.0'

/** Connects once. Fails with what is wrong with the settings, the network or the server, and what to do. */
export async function connectNats(options: ConnectOptions): Promise<Result<NatsLink>> {
  const access = await readNatsSettings(options)
  if (!access.ok) return access
  const { servers, tls, authenticator, inboxPrefix } = access.value
  let connection: NatsConnection
  try {
    connection = await connect({
      servers,
      name: options.name,
      ...(tls !== null && { tls }),
      ...(authenticator !== null && { authenticator }),
      ...(inboxPrefix !== null && { inboxPrefix }),
      timeout: options.timeout ?? 10_000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: options.reconnectWait ?? 2000,
      // A server may refuse credentials while its own settings are being changed.
      ignoreAuthErrorAbort: true,
      // The other addresses of a cluster were not checked against the settings.
      ignoreClusterUpdates: true,
      pingInterval: 10_000,
      // Two stack traces per request cost a sixth of the time of a job without work.
      noAsyncTraces: true,
    })
  } catch (thrown) {
    return fail(connectFailure(thrown, options.url))
  }
  const unfit = unfitServer(connection, options)
  if (unfit !== null) {
    void connection.close().catch(() => undefined)
    return fail({ type: 'unfit-server', message: unfit })
  }
  return ok(linkOf(connection, options))
}

function unfitServer({ info }: NatsConnection, { url, oldest = OLDEST }: ConnectOptions): string | null {
  const version = info?.version ?? ''
  if (isOlder(version, oldest))
    return `The NATS server at ${url} has version ${version || '(unknown)'}; Troupe needs ${oldest} or later. Install a newer nats-server there.`
  if (info?.jetstream !== true)
    return `The NATS server at ${url} runs without JetStream, which keeps jobs and messages. Start it with \`nats-server -js\`, or add a jetstream section to its configuration.`
  return null
}

/** Whether a version is before another one: 2.9.10 is after 2.9.9. */
function isOlder(version: string, oldest: string): boolean {
  const [have, need] = [version, oldest].map((text) => text.split(/[.-]/).map(Number))
  for (const [index, number] of (need ?? []).entries()) {
    const other = have?.[index]
    if (other === undefined || Number.isNaN(other)) return true
    if (other !== number) return other < number
  }
  return false
}

function linkOf(connection: NatsConnection, { url, timeout }: ConnectOptions): NatsLink {
  const listeners = new Set<(state: NatsState) => void>()
  const connected = (): NatsState => ({ kind: 'connected', url, tls: connection.info?.tls_required === true })
  let state = connected()
  let generation = 1
  const change = (next: NatsState) => {
    state = next
    for (const listener of listeners) listener(next)
  }
  const broken = (reason: string): NatsState => ({
    kind: 'failed',
    url,
    message: `The connection to NATS at ${url} ${sentence(reason)} Remote workers and messages wait, local work goes on. It is tried again.`,
  })
  const take = (status: Status) => {
    if (status.type === 'disconnect' || status.type === 'staleConnection') change(broken('broke'))
    else if (status.type === 'reconnect') {
      generation++
      change(connected())
    } else if (status.type === 'close') change({ kind: 'off' })
    else if (status.type === 'error' && state.kind === 'failed')
      change({ kind: 'failed', url, message: connectFailure(status.error, url).message })
  }
  void (async () => {
    for await (const status of connection.status()) take(status)
  })()
  return {
    connection,
    generation: () => generation,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      if (connection.isClosed()) return
      // Draining waits for a server; without one there is nobody to wait for.
      if (state.kind === 'connected') {
        await watchesOpened(connection)
        const sent = inTime('the last messages to be sent', () => connection.drain(), timeout)
        await sent.catch(() => undefined)
      }
      await inTime('the connection to close', () => connection.close(), timeout).catch(() => undefined)
    },
  }
}
