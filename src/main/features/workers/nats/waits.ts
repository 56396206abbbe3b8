/**
 * Waits for a NATS server, each with a time limit. The library limits a single request to five seconds, but not reading
 * a list, watching a bucket, receiving an object or closing a connection: those go through here.
 */
import type { KV, KvEntry } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'

/** ms that the server has for an answer, and for each next part of a longer one. */
export const ANSWER_TIME = 5000

/** ms for an object, or for its next part where parts are seen. */
export const TRANSFER_TIME = 30_000

/** The server did not answer in time. The message says what was waited for, how long, and what to do. */
export class SilentServer extends Error {
  constructor(what: string, ms: number) {
    super(
      `the NATS server was silent for ${ms / 1000} s while Troupe waited for ${what}. Check the network and the load of the server`,
    )
  }
}

/**
 * Rejects with `SilentServer` after the time limit. What `run` does afterwards is ignored.
 * @param what completes "Troupe waited for …"
 * @param run calls `alive` with each part that arrives; the time starts again
 * @param ms the time limit
 */
export function inTime<T>(
  what: string,
  run: (alive: () => void) => Promise<T>,
  ms: number = ANSWER_TIME,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | null = null
    const start = () => setTimeout(() => reject(new SilentServer(what, ms)), ms)
    const alive = () => {
      if (timer === null) return
      clearTimeout(timer)
      timer = start()
    }
    timer = start()
    run(alive)
      .then(resolve, reject)
      .finally(() => {
        if (timer !== null) clearTimeout(timer)
        timer = null
      })
  })
}

/** ms before the next attempt: they double with each failure from a quarter of a second. */
export function pauseAfter(failures: number, most = 10_000): number {
  return Math.min(250 * 2 ** Math.min(failures, 20), most)
}

/**
 * The watches that are being opened. The library leaves a timer running, which keeps the program from ending, if the
 * connection closes meanwhile; so a connection is closed only when its watches are open.
 */
const opening = new WeakMap<NatsConnection, Set<Promise<unknown>>>()

/** Follows the entries of a bucket of this connection, the present ones first. Throws errors of NATS. */
export async function openWatch(
  connection: NatsConnection,
  bucket: KV,
  options?: Parameters<KV['watch']>[0],
): ReturnType<KV['watch']> {
  const watches = opening.get(connection) ?? new Set()
  opening.set(connection, watches)
  let isLate = false
  const watch = bucket.watch(options).finally(() => watches.delete(watch))
  watches.add(watch)
  void watch.then((opened) => isLate && opened.stop()).catch(() => undefined)
  return inTime(`changes of the bucket ${bucketName(bucket)}`, () => watch).catch((thrown: unknown) => {
    isLate = true
    throw thrown
  })
}

/** Resolves when no watch of the connection is being opened, or when that takes too long. */
export async function watchesOpened(connection: NatsConnection): Promise<void> {
  const watches = opening.get(connection)
  if (watches !== undefined && watches.size > 0)
    await inTime('the watches to open', () => Promise.allSettled(watches)).catch(() => undefined)
}

/** The entries of a bucket now. Throws errors of NATS. */
export async function entriesIn(
  connection: NatsConnection,
  bucket: KV,
  ms?: number,
): Promise<readonly KvEntry[]> {
  const read = async (alive: () => void) => {
    const found: KvEntry[] = []
    if ((await bucket.status()).values === 0) return found
    for await (const entry of await openWatch(connection, bucket)) {
      alive()
      if (entry.operation === 'PUT') found.push(entry)
      if (entry.delta === 0) break
    }
    return found
  }
  return inTime(`the entries of the bucket ${bucketName(bucket)}`, read, ms)
}

const bucketName = (bucket: KV): string => ('bucket' in bucket ? String(bucket.bucket) : 'of the server')
