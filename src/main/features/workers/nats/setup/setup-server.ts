/**
 * Sets up a NATS server for Troupe in a folder: configuration with the permissions of each user, certificates,
 * credentials, a unit for systemd. Called again it keeps all users and keys, adds what is new and writes the rest anew.
 */

import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nkeys } from '@nats-io/transport-node'
import { z } from 'zod'
import { fail, messageOf, ok, type Result } from '../../../../../shared/kernel/result.ts'
import { codeOf } from '../../../../platform/system/error-code.ts'
import { exists } from '../../../../platform/system/exists.ts'
import { type NatsRole, natsRoles, permissionsOf } from './permissions.ts'

export interface SetupOptions {
  /** Absolute; created. */
  readonly folder: string
  /** Names and IP addresses under which the server is reached. Added to those of an earlier call. */
  readonly hosts: readonly string[]
  readonly port: number
  /** Names of users to add; `sender` and `worker` where there are none yet. */
  readonly add: readonly { readonly role: NatsRole; readonly name: string }[]
  /** Names of users to remove. */
  readonly remove: readonly string[]
  /** Whether to make a new certificate of the server though nothing of it has changed. */
  readonly renew: boolean
  /** The absolute path of nats-server for the unit. */
  readonly natsServer: string
}

interface SetUpServer {
  readonly folder: string
  readonly hosts: readonly string[]
  readonly port: number
  readonly configFile: string
  readonly unitFile: string
  readonly ca: string
  /** All users; `file`: the credentials, which may have been moved to where they are used. */
  readonly users: readonly { readonly name: string; readonly role: NatsRole; readonly file: string }[]
  readonly renewed: boolean
}

const setUp = z.object({
  hosts: z.array(z.string()),
  port: z.number(),
  users: z.array(z.object({ name: z.string(), role: z.enum(natsRoles), publicKey: z.string() })),
})
type SetUp = z.infer<typeof setUp>

export async function setUpServer(options: SetupOptions): Promise<Result<SetUpServer>> {
  const { folder, port } = options
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const before = await readSetUp(folder)
    if (!before.ok) return before
    const hosts = [...new Set([...before.value.hosts, ...options.hosts])]
    const users = await changeUsers(before.value.users, options)
    if (!users.ok) return users
    const renewed =
      options.renew ||
      hosts.length !== before.value.hosts.length ||
      !(await exists(join(folder, 'server.pem')))
    if (renewed) {
      const made = await makeServerCertificate(folder, hosts)
      if (!made.ok) return made
    }
    const now: SetUp = { hosts, port, users: users.value }
    const files = {
      configFile: join(folder, 'nats-server.conf'),
      unitFile: join(folder, 'troupe-nats.service'),
    }
    await writeFile(files.configFile, configOf(folder, now), { mode: 0o600 })
    await writeFile(files.unitFile, unitOf(files.configFile, options.natsServer))
    await writeFile(join(folder, 'setup.json'), `${JSON.stringify(now, null, 2)}\n`, { mode: 0o600 })
    return ok({
      folder,
      hosts,
      port,
      ...files,
      ca: join(folder, 'ca.pem'),
      users: users.value.map(({ name, role }) => ({ name, role, file: credentialsFile(folder, name) })),
      renewed,
    })
  } catch (thrown) {
    return fail({ type: 'io', message: `The server can’t be set up in ${folder}: ${messageOf(thrown)}` })
  }
}

const credentialsFile = (folder: string, name: string) => join(folder, `${name}.nk`)

async function readSetUp(folder: string): Promise<Result<SetUp>> {
  const file = join(folder, 'setup.json')
  try {
    const read = setUp.safeParse(JSON.parse(await readFile(file, 'utf8')))
    if (read.success) return ok(read.data)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ok({ hosts: [], port: 0, users: [] })
  }
  return fail({
    type: 'setup-file',
    message: `${file} is damaged, so that the users are not known. Restore it, or set up in another folder with --folder.`,
  })
}

async function changeUsers(before: SetUp['users'], options: SetupOptions): Promise<Result<SetUp['users']>> {
  const { folder, remove } = options
  const missing = remove.find((name) => !before.some((user) => user.name === name))
  if (missing !== undefined)
    return fail({
      type: 'user',
      message: `There is no user ${missing} to remove. Users: ${before.map(({ name }) => name).join(', ') || 'none'}.`,
    })
  const users = before.filter(({ name }) => !remove.includes(name))
  const first = natsRoles
    .filter((role) => before.length === 0 && !options.add.some((user) => user.role === role))
    .map((role) => ({ role, name: role }))
  for (const { role, name } of [...options.add, ...first]) {
    if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(name))
      return fail({
        type: 'user',
        message: `${JSON.stringify(name)} can’t be the name of a user. Use up to 40 letters from a to z, digits, - and _.`,
      })
    if (['server', 'ca'].includes(name) || users.some((user) => user.name === name))
      return fail({ type: 'user', message: `There is already a user ${name}. Choose another name.` })
    const pair = nkeys.createUser()
    const seed = new TextDecoder().decode(pair.getSeed())
    await writeFile(credentialsFile(folder, name), `${seed}\n`, { mode: 0o600, flag: 'wx' })
    users.push({ name, role, publicKey: pair.getPublicKey() })
  }
  for (const name of remove) await rm(credentialsFile(folder, name), { force: true })
  return ok(users)
}

function configOf(folder: string, { port, users }: SetUp): string {
  const list = (subjects: readonly string[]) => subjects.map((subject) => `"${subject}"`).join(', ')
  const entries = users.map(({ name, role, publicKey }) => {
    const { publish, subscribe } = permissionsOf(role, publicKey)
    return `    # ${name} (${role})
    { nkey: ${publicKey}, permissions: { publish: [${list(publish)}], subscribe: [${list(subscribe)}], allow_responses: { max: 1, expires: "1m" } } }`
  })
  return `# Written by \`troupe nats setup\`, which writes it again: changes by hand are lost.
listen: "0.0.0.0:${port}"
server_name: troupe
jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))} }
tls { cert_file: ${JSON.stringify(join(folder, 'server.pem'))}, key_file: ${JSON.stringify(join(folder, 'server.key'))}, timeout: 5 }
authorization {
  users = [
${entries.join('\n')}
  ]
}
`
}

function unitOf(configFile: string, natsServer: string): string {
  return `[Unit]
Description=NATS server of Troupe
After=network-online.target

[Service]
ExecStart=${natsServer} -c ${configFile}
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=2
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`
}

const run = promisify(execFile)

/** Days. */
const AUTHORITY_LASTS = 3650
const SERVER_LASTS = 825

/** Writes `ca.pem` and `ca.key` where they are missing, and a new `server.pem` and `server.key` for these hosts. */
async function makeServerCertificate(folder: string, hosts: readonly string[]): Promise<Result<void>> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = hosts.map((host) => (isIP(host) ? `IP:${host}` : `DNS:${host}`)).join(',')
  try {
    if (!(await exists(join(folder, 'ca.key')))) {
      const ca = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Troupe NATS authority']
      await openssl('req', '-x509', ...key, ...ca, '-days', String(AUTHORITY_LASTS))
    }
    await openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=Troupe NATS')
    await writeFile(join(folder, 'server.names'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'server.names']
    const lasts = ['-days', String(SERVER_LASTS), '-out', 'server.pem']
    await openssl('x509', '-req', '-in', 'server.csr', ...signed, ...lasts)
    for (const name of ['ca.key', 'server.key']) await chmod(join(folder, name), 0o600)
    for (const name of ['server.csr', 'server.names', 'ca.srl']) await rm(join(folder, name), { force: true })
    return ok(undefined)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT')
      return fail({
        type: 'openssl',
        message: 'openssl is missing, which makes the certificates. Install the package openssl.',
      })
    return fail({
      type: 'openssl',
      message: `The certificates can’t be made in ${folder}: ${messageOf(thrown)}`,
    })
  }
}
