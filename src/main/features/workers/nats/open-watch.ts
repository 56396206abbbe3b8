/**
 * Watches of buckets. The library leaves a timer running, which keeps the program from ending, if the connection closes
 * while a watch is being opened; so a connection is closed only when its watches are open.
 */
import type { KV } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'

const opening = new WeakMap<NatsConnection, Set<Promise<unknown>>>()

/** Follows the entries of a bucket of this connection, the present ones first. Throws errors of NATS. */
export function openWatch(
  connection: NatsConnection,
  bucket: KV,
  options?: Parameters<KV['watch']>[0],
): ReturnType<KV['watch']> {
  const watches = opening.get(connection) ?? new Set()
  opening.set(connection, watches)
  const watch = bucket.watch(options).finally(() => watches.delete(watch))
  watches.add(watch)
  return watch
}

/** Resolves when no watch of the connection is being opened. */
export async function watchesOpened(connection: NatsConnection): Promise<void> {
  const watches = opening.get(connection)
  while (watches !== undefined && watches.size > 0) await Promise.allSettled(watches)
}
