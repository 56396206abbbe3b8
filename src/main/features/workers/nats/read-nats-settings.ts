/** Checks the address, credentials and certificate authority of a NATS server before anything is sent to it. */
import { readFile, stat } from 'node:fs/promises'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  nkeys,
  type TlsOptions,
} from '@nats-io/transport-node'
import { fail, messageOf, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { inboxPrefixOf } from './subjects.ts'

export interface NatsSettings {
  /** `nats://host:4222` or `tls://host:4222`. */
  readonly url: string
  /** The absolute path of a `.creds` file or of a file with an nkey seed; empty: none. */
  readonly credentials: string
  /** The absolute path of the certificate of the authority that signed the server's; empty: the system's. */
  readonly ca: string
}

interface NatsAccess {
  readonly servers: string
  /** Null: TLS is used if the server demands it. */
  readonly tls: TlsOptions | null
  readonly authenticator: Authenticator | null
  /** Where answers arrive: each user with an nkey has inboxes of its own. Null: in the usual place. */
  readonly inboxPrefix: string | null
}

const EXAMPLE = 'Write it like nats://127.0.0.1:4222 or tls://nats.example.org:4222.'

/** What a connection needs. Fails with a message that names the setting. */
export async function readNatsSettings(settings: NatsSettings): Promise<Result<NatsAccess>> {
  const url = parseUrl(settings.url)
  if (!url.ok) return url
  const { hostname, protocol, port } = url.value
  const host = hostname.replace(/^\[|\]$/g, '')
  const wantsTls = protocol === 'tls:' || settings.ca !== ''
  if (!isLoopback(host) && (!wantsTls || settings.credentials === ''))
    return refuse(
      `${settings.url} is another machine, and ${wantsTls ? 'no credentials are' : 'TLS is not'} set. Who can write to this NATS server can run code in your workers. Use ${wantsTls ? 'a credentials file' : `tls://${hostname}:${port || 4222} with a credentials file`}; \`troupe nats setup\` makes both.`,
    )
  if (settings.ca !== '') {
    const problem = await unreadable(settings.ca, 'The certificate authority')
    if (problem !== null) return refuse(problem)
  }
  const credentials =
    settings.credentials === ''
      ? ok({ authenticator: null, inboxPrefix: null })
      : await readCredentials(settings.credentials)
  if (!credentials.ok) return credentials
  return ok({
    servers: `${hostname}:${port || 4222}`,
    tls: wantsTls ? tlsFor(host, settings.ca) : null,
    ...credentials.value,
  })
}

function parseUrl(text: string): Result<URL> {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return refuse(`${JSON.stringify(text)} is not the address of a NATS server. ${EXAMPLE}`)
  }
  if ((url.protocol !== 'nats:' && url.protocol !== 'tls:') || url.hostname === '')
    return refuse(`${JSON.stringify(text)} is not the address of a NATS server. ${EXAMPLE}`)
  if (url.username !== '' || url.password !== '')
    return refuse(
      'The address of the NATS server has a user or a password in it, where other programs can read them. Put a credentials file into the settings instead.',
    )
  return ok(url)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** The client itself checks the name of a server that is given as an IP address against `localhost`. */
function tlsFor(host: string, ca: string): TlsOptions {
  const options = {
    ...(ca !== '' && { caFile: ca }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
  }
  return options
}

type Credentials = Pick<NatsAccess, 'authenticator' | 'inboxPrefix'>

async function readCredentials(path: string): Promise<Result<Credentials>> {
  const problem = await unreadable(path, 'The credentials file')
  if (problem !== null) return refuse(problem)
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return refuse(
      `The credentials file ${path} can be read by other users of this machine. Run \`chmod 600 ${path}\`.`,
    )
  const bytes = await readFile(path)
  const text = bytes.toString('utf8')
  if (text.includes('BEGIN NATS USER JWT'))
    return ok({ authenticator: credsAuthenticator(bytes), inboxPrefix: null })
  const seed = /^SU[A-Z2-7]{56}$/m.exec(text)?.[0]
  if (seed === undefined)
    return refuse(
      `${path} has no NATS credentials. It must be a .creds file of nsc, or a file with an nkey seed (SU…) as \`troupe nats setup\` writes it.`,
    )
  const key = Buffer.from(seed)
  try {
    const publicKey = nkeys.fromSeed(key).getPublicKey()
    return ok({ authenticator: nkeyAuthenticator(key), inboxPrefix: inboxPrefixOf(publicKey) })
  } catch {
    return refuse(`The nkey seed in ${path} is damaged. Copy the file again.`)
  }
}

async function unreadable(path: string, what: string): Promise<string | null> {
  try {
    if ((await stat(path)).isFile()) return null
    return `${what} ${path} is not a file.`
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return `${what} ${path} does not exist. Check the path in the settings.`
    return `${what} ${path} can’t be read: ${sentence(messageOf(thrown))}`
  }
}

const refuse = (message: string) => fail({ type: 'nats-settings', message })
