/** Texts of any length as NATS messages: a long one is an object in the store, and the message refers to it. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../../../shared/kernel/result.ts'
import { inTime, TRANSFER_TIME } from '../waits.ts'
import type { JobStore } from './job-store.ts'

/** Bytes. A server takes messages of up to a megabyte. */
const LARGEST_MESSAGE = 512 * 1024
/** Bytes of an object that is read. */
const LARGEST_OBJECT = 64 * 1024 * 1024

const parcel = z.union([z.object({ text: z.string() }), z.object({ object: z.string(), sha256: z.string() })])

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Throws errors of NATS. */
export async function packText(text: string, { objects }: Pick<JobStore, 'objects'>): Promise<Uint8Array> {
  const short = encoder.encode(JSON.stringify({ text }))
  if (short.length <= LARGEST_MESSAGE) return short
  const bytes = encoder.encode(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const object = `text-${sha256}`
  if ((await objects.info(object)) === null) await objects.putBlob({ name: object }, bytes)
  return encoder.encode(JSON.stringify({ object, sha256 }))
}

/** Fails if the message is not one of these, or the object is missing or another one. Throws errors of NATS. */
export async function unpackText(
  data: Uint8Array,
  { objects }: Pick<JobStore, 'objects'>,
): Promise<Result<string>> {
  const unreadable = (message: string) => fail({ type: 'unreadable', message })
  const read = parcel.safeParse(jsonOrUndefined(decoder.decode(data)))
  if (!read.success) return unreadable('the message has an unknown form')
  if ('text' in read.data) return ok(read.data.text)
  const { object, sha256 } = read.data
  const info = await objects.info(object)
  if (info === null) return unreadable('its content is no longer in the object store')
  if (info.size > LARGEST_OBJECT) return unreadable(`its content is too large (${info.size} bytes)`)
  const bytes = await inTime('a long message', () => objects.getBlob(object), TRANSFER_TIME)
  if (bytes === null || createHash('sha256').update(bytes).digest('hex') !== sha256)
    return unreadable('its content in the object store is damaged')
  return ok(decoder.decode(bytes))
}
