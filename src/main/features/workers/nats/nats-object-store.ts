/** Files for other machines in JetStream's object store. An object is named after its content. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ObjectStore as NatsStore } from '@nats-io/obj'
import { fail, messageOf, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { ObjectStore, StoredObject } from '../../../../shared/workers/object-store.ts'
import { natsFailure } from './nats-failure.ts'
import { inTime, TRANSFER_TIME } from './waits.ts'

/** @param open returns null while there is no connection */
export function createNatsObjectStore(open: () => NatsStore | null): ObjectStore {
  const offline = fail({
    type: 'io',
    message: 'There is no connection to NATS, which carries the files to the worker. It is tried again.',
  })
  return {
    async put(path, signal) {
      const store = open()
      if (store === null) return offline
      try {
        const { size } = await stat(path)
        const sha256 = await digestOf(path)
        const object = `file-${sha256}`
        // The same files are often sent to several workers.
        const known = await store.info(object)
        if (known?.size !== size || known.deleted) {
          signal?.throwIfAborted()
          await store.put({ name: object }, webStream(createReadStream(path)))
        }
        return ok({ object, sha256, bytes: size })
      } catch (thrown) {
        return failed(thrown, 'The agent’s files can’t be stored at the NATS server', signal)
      }
    },
    async get(stored, path, signal) {
      const store = open()
      if (store === null) return offline
      try {
        const found = await store.get(stored.object)
        if (found === null)
          return fail({
            type: 'not-found',
            message: `The files ${stored.object} are no longer at the NATS server. Send the job again.`,
          })
        await pipeline(
          Readable.from(chunksOf(found.data)),
          new Bounded(stored.bytes),
          createWriteStream(path, { flags: 'wx' }),
          signal ? { signal } : {},
        )
        const error = await inTime('the end of the files', () => found.error, TRANSFER_TIME)
        if (error) throw error
        return ok(undefined)
      } catch (thrown) {
        await rm(path, { force: true })
        return failed(thrown, 'The agent’s files can’t be read from the NATS server', signal)
      }
    },
    async has(object) {
      const found = await open()
        ?.info(object)
        .catch(() => null)
      return found !== null && found !== undefined && !found.deleted
    },
    async remove(object) {
      await open()
        ?.delete(object)
        .catch(() => undefined)
    },
  }
}

/** Ends with an error as soon as more bytes arrive than were announced. */
class Bounded extends Transform {
  private left: number

  constructor(bytes: number) {
    super()
    this.left = bytes
  }

  override _transform(
    chunk: Uint8Array,
    _encoding: string,
    done: (error?: Error | null, data?: Uint8Array) => void,
  ) {
    this.left -= chunk.length
    if (this.left < 0) done(new Error('the object is larger than announced'))
    else done(null, chunk)
  }
}

function failed(thrown: unknown, what: string, signal: AbortSignal | undefined): Result<never> {
  if (signal?.aborted) return fail({ type: 'aborted', message: `${what}: it was stopped.` })
  const { message } = natsFailure(thrown, what)
  return fail({ type: 'io', message: message || messageOf(thrown), cause: thrown })
}

async function digestOf(path: string): Promise<StoredObject['sha256']> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

function webStream(source: Readable): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(new Uint8Array(value))
    },
    cancel: () => void source.destroy(),
  })
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await inTime('the next part of the files', () => reader.read(), TRANSFER_TIME)
    if (done) return
    yield value
  }
}
