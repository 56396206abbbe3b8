/**
 * The names that Troupe uses at a NATS server. Everything begins with `troupe`, so that other programs can share the
 * server, and permissions are given by subject (`setup/permissions.ts`).
 */

/** Streams. A bucket of the key-value store is the stream `KV_<name>`, the object store `OBJ_<name>`. */
export const natsNames = {
  /** Messages to mailboxes, until their readers confirm them. */
  messages: 'troupe-messages',
  /** What mailboxes have confirmed, for the senders' outboxes. */
  messageEnds: 'troupe-message-ends',
  /** Bucket: which process reads a mailbox now. */
  readers: 'troupe-readers',
  /** Bucket: the last heartbeat of each worker. */
  workers: 'troupe-workers',
  /** Bucket: until when the API refuses a key, by a digest of the key. */
  limits: 'troupe-limits',
  /** Object store: bundles and outputs. */
  objects: 'troupe-objects',
} as const

/** A message to a mailbox: `troupe.message.<mailbox>.<message>`. */
export const messageSubject = (box: string, stem: string) => `troupe.message.${tokenOf(box)}.${tokenOf(stem)}`

/** All messages to a mailbox. */
export const mailboxSubjects = (box: string) => `troupe.message.${tokenOf(box)}.*`

/** Says, without being stored, that a mailbox has a new message. */
export const messageNewSubject = (box: string) => `troupe.message-new.${tokenOf(box)}`

/** The header of a message that names the outbox it came from. */
export const OUTBOX_HEADER = 'Troupe-Outbox'

/** The confirmation of a message, for the outbox that it came from: `troupe.message-end.<outbox>.<mailbox>.<message>`. */
export const messageEndSubject = (end: {
  readonly outbox: string
  readonly box: string
  readonly stem: string
}) => `troupe.message-end.${tokenOf(end.outbox)}.${tokenOf(end.box)}.${tokenOf(end.stem)}`

/** All confirmations for an outbox. */
export const outboxSubjects = (outbox: string) => `troupe.message-end.${tokenOf(outbox)}.>`

/** Where the answers for a user with that public key arrive, so that nobody reads the answers to others. */
export const inboxPrefixOf = (publicKey: string) => `_INBOX.${publicKey}`

/** A name as one token of a subject. Names may have points, which separate tokens; `=` occurs in no name. */
export function tokenOf(name: string): string {
  return name.replaceAll('.', '=')
}

/** The name in a token. */
export function nameOf(token: string): string {
  return token.replaceAll('=', '.')
}
