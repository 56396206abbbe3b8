/** `troupe nats setup`: writes the files of a NATS server, and says what to do with them. */
import { join, resolve } from 'node:path'
import type { CommandLineRoot } from '../../../command-line.ts'
import { complain, EXIT, endWithReader, outputs } from '../../../platform/command-line/terminal.ts'
import { findOnPath } from '../../../platform/system/find-on-path.ts'
import { setUpServer } from '../nats/setup/setup-server.ts'

interface NatsSetup {
  /** Null: `nats` in the data folder. */
  readonly folder: string | null
  readonly hosts: readonly string[]
  readonly port: number
  readonly senders: readonly string[]
  readonly workers: readonly string[]
  readonly remove: readonly string[]
  readonly renew: boolean
}

/** @returns the exit code */
export async function setUpNats({ dataFolder, home }: CommandLineRoot, options: NatsSetup): Promise<number> {
  endWithReader()
  const { hosts, port, senders, workers, remove, renew } = options
  const natsServer = findOnPath('nats-server', process.env['PATH'] ?? '')
  const made = await setUpServer({
    folder: options.folder === null ? join(dataFolder, 'nats') : resolve(options.folder),
    hosts,
    port,
    add: [
      ...senders.map((name) => ({ role: 'sender', name }) as const),
      ...workers.map((name) => ({ role: 'worker', name }) as const),
    ],
    remove,
    renew,
    natsServer: natsServer ?? '/usr/sbin/nats-server',
  })
  if (!made.ok) return complain(made.failure.message, EXIT.failed)
  const { configFile, unitFile, ca, users, renewed } = made.value
  const isRoot = process.getuid?.() === 0
  const units = isRoot ? '/etc/systemd/system' : join(home, '.config/systemd/user')
  const systemctl = isRoot ? 'systemctl' : 'systemctl --user'
  const host = hosts.at(-1) === '127.0.0.1' ? (hosts[0] ?? 'localhost') : (hosts.at(-1) ?? 'localhost')
  outputs().output.write(`Set up in ${made.value.folder}, ${renewed ? 'with a new certificate' : 'with the certificate that was there'} for ${made.value.hosts.join(', ')}.

Users:
${users.map(({ name, role, file }) => `  ${name.padEnd(16)} ${role.padEnd(8)} ${file}`).join('\n')}
A sender’s program gives jobs to workers; a worker carries them out. Who has a sender’s file can run code in the workers.

1. ${natsServer === null ? 'Install nats-server (Debian: apt-get install nats-server), and start it' : 'Start the server'}:
     nats-server -c ${configFile}
   or for good:
     mkdir -p ${units} && cp ${unitFile} ${units}/ && ${systemctl} daemon-reload && ${systemctl} enable --now troupe-nats
   If it runs already: ${systemctl} reload-or-restart troupe-nats
2. Each sender: copy its file and ${ca} to its machine, and set both in Settings › Workers, with the address tls://${host}:${port}
3. Each worker: copy its file and ca.pem to its machine, and start it there:
     troupe worker trust KEY       (KEY: what \`troupe worker key\` prints at the sender)
     troupe worker --connect tls://${host}:${port} --creds FILE.nk --ca ca.pem
   --check at the end only says whether everything is there.
`)
  return EXIT.done
}
