/**
 * The key with which this user's jobs are signed (`<data folder>/sender-key.pem`), and the keys of the senders whose
 * jobs a worker carries out (`<data folder>/trusted-senders`: one public key a line, then a name).
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../../../shared/kernel/result.ts'
import {
  claimName,
  FILE_MODE,
  makeFolder,
  publishFile,
  replaceFile,
} from '../../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../../platform/system/disk-failure.ts'
import { draftMark } from '../../../../platform/system/draft-name.ts'
import { codeOf } from '../../../../platform/system/error-code.ts'

export interface SenderKey {
  /** `troupe-ed25519:<base64url>` */
  readonly publicKey: string
  sign(text: string): string
}

const PREFIX = 'troupe-ed25519:'

/** Reads the key, and makes it on first use. Only the user can read the file. */
export async function loadSenderKey(dataFolder: string): Promise<Result<SenderKey>> {
  const path = join(dataFolder, 'sender-key.pem')
  try {
    const pem = (await readIfThere(path)) ?? (await makeKey(dataFolder, path))
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an ed25519 key')
    return ok({
      publicKey: textOfKey(createPublicKey(key)),
      sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
    })
  } catch (thrown) {
    return fail(diskFailure(thrown, 'The key that signs jobs can’t be read', path))
  }
}

/** Whether this public key signed the text. False also for a key that is none. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = keyOf(publicKey)
  return key !== null && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

/** The keys of all trusted senders. Read again for each job, so that `troupe worker trust` has effect at once. */
export async function trustedSenders(dataFolder: string): Promise<Result<ReadonlySet<string>>> {
  const path = join(dataFolder, 'trusted-senders')
  try {
    const lines = ((await readIfThere(path)) ?? '').split('\n')
    return ok(new Set(lines.map((line) => line.trim().split(/\s+/)[0] ?? '').filter(Boolean)))
  } catch (thrown) {
    return fail(diskFailure(thrown, 'The trusted senders can’t be read', path))
  }
}

/** Adds a sender's public key. @param text the key, or the content of a file with it */
export async function trustSender(dataFolder: string, text: string): Promise<Result<string>> {
  const [key = '', ...name] = text.trim().split(/\s+/)
  if (keyOf(key) === null)
    return fail({
      type: 'bad-key',
      message: `${key.slice(0, 60)} is not a public key. \`troupe worker key\` prints the key at the sender.`,
    })
  const path = join(dataFolder, 'trusted-senders')
  try {
    const before = (await readIfThere(path)) ?? ''
    if (before.split('\n').some((line) => line.trim().split(/\s+/)[0] === key)) return ok(key)
    await makeFolder(dataFolder)
    const start = before === '' || before.endsWith('\n') ? before : `${before}\n`
    await replaceFile(path, `${start}${[key, ...name].join(' ')}\n`, { durable: true })
    return ok(key)
  } catch (thrown) {
    return fail(diskFailure(thrown, 'The key can’t be added', path))
  }
}

async function makeKey(dataFolder: string, path: string): Promise<string> {
  await makeFolder(dataFolder)
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const draft = `${path}.${draftMark()}`
  // Of two programs that make the first key at once, one wins, and both use its key.
  await publishFile({ draft, content: pem, mode: FILE_MODE, publish: () => claimName(draft, path) })
  return readFile(path, 'utf8')
}

function textOfKey(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' })
  return `${PREFIX}${x}`
}

function keyOf(text: string): KeyObject | null {
  if (!text.startsWith(PREFIX)) return null
  try {
    return createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: text.slice(PREFIX.length) },
      format: 'jwk',
    })
  } catch {
    return null
  }
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  })
}
