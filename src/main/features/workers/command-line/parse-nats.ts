/** Parses `troupe nats …`, and the parts of `troupe worker` for other machines. */
import { hostname } from 'node:os'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../../platform/command-line/read-options.ts'

export interface NatsSetupArguments {
  readonly verb: 'nats-setup'
  /** Null: `nats` in the data folder. */
  readonly folder: string | null
  readonly hosts: readonly string[]
  readonly port: number
  readonly senders: readonly string[]
  readonly workers: readonly string[]
  readonly remove: readonly string[]
  readonly renew: boolean
}

export interface RemoteWorkerArguments {
  readonly verb: 'worker-connect'
  readonly url: string
  /** Paths as given; empty: none. */
  readonly credentials: string
  readonly ca: string
  /** Whether only to look whether everything is there. */
  readonly check: boolean
}

export type SenderKeyArguments =
  /** Prints the public key that signs this user's jobs. */
  | { readonly verb: 'worker-key' }
  /** Trusts a sender: by its public key, or a file with it. */
  | { readonly verb: 'worker-trust'; readonly key: string }

export type NatsArguments = NatsSetupArguments | RemoteWorkerArguments | SenderKeyArguments

/** The options of `troupe nats setup`. */
export const SETUP_OPTIONS = {
  folder: 'text',
  host: 'texts',
  port: 'text',
  sender: 'texts',
  worker: 'texts',
  remove: 'texts',
  renew: 'flag',
} as const satisfies OptionKinds

/** The options of `troupe worker --connect`. */
export const CONNECT_OPTIONS = {
  connect: 'text',
  creds: 'text',
  ca: 'text',
  check: 'flag',
} as const satisfies OptionKinds

export function parseNats([action, ...args]: readonly string[]): Result<NatsSetupArguments> {
  if (action !== 'setup') return usage('Use troupe nats setup.')
  const read = readOptions(args, SETUP_OPTIONS)
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  if (positionals.length > 0) return usage(`Unknown argument "${positionals.join(' ')}".`)
  const port = text('port') ?? '4222'
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    return usage(`--port must be a number from 1 to 65535, not "${port}".`)
  const wrong = texts('host').find((host) => !/^[A-Za-z0-9:.-]{1,253}$/.test(host))
  if (wrong !== undefined) return usage(`--host must be a name or an IP address, not "${wrong}".`)
  return ok({
    verb: 'nats-setup',
    folder: text('folder'),
    hosts: [...new Set([hostname(), 'localhost', '127.0.0.1', ...texts('host')])],
    port: Number(port),
    senders: texts('sender'),
    workers: texts('worker'),
    remove: texts('remove'),
    renew: flag('renew'),
  })
}

/** Null: the arguments are those of a worker on this machine. */
export function parseRemoteWorker(args: readonly string[]): Result<NatsArguments> | null {
  const [first, second] = args
  if (first === 'key' && args.length === 1) return ok({ verb: 'worker-key' })
  if (first === 'trust') {
    if (second === undefined || args.length > 2)
      return usage('Use troupe worker trust KEY, or a file with the key.')
    return ok({ verb: 'worker-trust', key: second })
  }
  if (!args.some((arg) => /^--(connect|creds|ca|check)(=|$)/.test(arg))) return null
  const read = readOptions(args, CONNECT_OPTIONS)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  if (positionals.length > 0) return usage(`Unknown argument "${positionals.join(' ')}". ${EXAMPLE}`)
  const url = text('connect')
  if (url === null || url === '') return usage(`The address of the NATS server is missing. ${EXAMPLE}`)
  return ok({
    verb: 'worker-connect',
    url,
    credentials: text('creds') ?? '',
    ca: text('ca') ?? '',
    check: flag('check'),
  })
}

const EXAMPLE = 'Example: troupe worker --connect tls://nats.example.org:4222 --creds worker.nk --ca ca.pem'
