/** A signed message from a sender to workers. The signature covers what it says, for whom, and when. */
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { fail, ok, type Result, sentence } from '../../../../../shared/kernel/result.ts'
import type { JobStore } from './job-store.ts'
import { packText, unpackText } from './parcel.ts'
import { isSignedBy, type SenderKey } from './sender-keys.ts'

const envelope = z.object({ key: z.string(), signature: z.string(), body: z.string() })
const body = z.object({ subject: z.string(), sentAt: z.number(), content: z.unknown() })

/** ms. A message that took longer from its signature to the server is a repetition, or a clock is wrong. */
const LONGEST_WAY = 10 * 60_000

interface OpenOptions {
  /** Where the message was found. A message for another subject is refused. */
  readonly subject: string
  /** When the server stored the message, on its clock, ms since the epoch. */
  readonly storedAt: number
  readonly trusted: ReadonlySet<string>
}

type EnvelopeFailure = {
  readonly type: 'unreadable' | 'unsigned' | 'unknown-sender' | 'wrong-signature' | 'wrong-time'
  readonly message: string
}

/** Signs now. Throws errors of NATS. */
export async function seal(
  message: { readonly subject: string; readonly content: unknown; readonly sentAt: number },
  { key, store }: { readonly key: SenderKey; readonly store: Pick<JobStore, 'objects'> },
): Promise<Uint8Array> {
  const text = JSON.stringify(message)
  return packText(JSON.stringify({ key: key.publicKey, signature: key.sign(text), body: text }), store)
}

/** Checks a message and returns what it says, and the public key of who says it. Throws errors of NATS. */
export async function openEnvelope(
  data: Uint8Array,
  { subject, storedAt, trusted }: OpenOptions,
  store: Pick<JobStore, 'objects'>,
): Promise<Result<{ readonly content: unknown; readonly key: string }, EnvelopeFailure>> {
  const text = await unpackText(data, store)
  if (!text.ok)
    return fail({ type: 'unreadable', message: `The job can’t be read: ${sentence(text.failure.message)}` })
  const outer = envelope.safeParse(jsonOrUndefined(text.value))
  if (!outer.success)
    return fail({ type: 'unsigned', message: 'The job is not signed. Workers carry out signed jobs only.' })
  const { key, signature } = outer.data
  if (!trusted.has(key))
    return fail({
      type: 'unknown-sender',
      message: `The worker does not trust the sender’s key ${key}. Run \`troupe worker trust ${key}\` there.`,
    })
  if (!isSignedBy(key, outer.data.body, signature))
    return fail({
      type: 'wrong-signature',
      message: 'The signature of the job is wrong: the job was changed on its way. Send it again.',
    })
  const inner = body.safeParse(jsonOrUndefined(outer.data.body))
  if (!inner.success || inner.data.subject !== subject)
    return fail({ type: 'wrong-signature', message: 'The signed message was meant for another receiver.' })
  const minutes = Math.round(Math.abs(storedAt - inner.data.sentAt) / 60_000)
  if (Math.abs(storedAt - inner.data.sentAt) > LONGEST_WAY)
    return fail({
      type: 'wrong-time',
      message: `The job was signed ${minutes} minutes ${storedAt > inner.data.sentAt ? 'before' : 'after'} it reached the NATS server, by the sender’s clock: it is a repeated message, or one of the two clocks is wrong. Set the clocks, then send the job again.`,
    })
  return ok({ content: inner.data.content, key })
}
