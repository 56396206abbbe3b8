/** `troupe worker …` and `troupe nats …` */
import { hostname } from 'node:os'
import { ok } from '../../../shared/kernel/result.ts'
import { type Verbs, verb } from '../../command-line.ts'
import { checked, flag, type Option, repeatable, usage, valued } from '../../platform/command-line/verb.ts'

const example = 'Example: troupe worker --team payments --name tester'
const connectExample =
  'Example: troupe worker --connect tls://nats.example.org:4222 --creds worker.nk --ca ca.pem'

/** Only the program itself gives it, to the workers that it starts. */
const unlisted = (option: Option<string | null>): Option<string | null> => ({ ...option, help: '' })

const implementation = () => import('./command-line/run-workers.ts')

export const workerVerbs: Verbs = [
  verb({
    words: 'worker',
    summary: 'carry out a team member in this terminal',
    options: {
      team: valued('TEAM', 'the team of the member'),
      name: valued('NAME', 'the member, whose backing is pane'),
      agent: valued('ID', 'instead of both, the id of its agent'),
      access: unlisted(valued('FILE', '')),
      idle: checked('SECONDS', 'end after this time without work (default: stay)', (given) =>
        /^\d{1,6}$/.test(given)
          ? ok(Number(given) * 1000)
          : usage(`--idle must be a whole number of seconds, not "${given}".`),
      ),
    },
    misuse: (given) => `Unknown argument "${given.join(' ')}". ${example}`,
    refine: ({ agent: id, team, name, access, idle: idleMs }) => {
      if (id !== null && (team !== null || name !== null))
        return usage('--agent and --team with --name exclude each other. Give only one.')
      const agent = id !== null ? { id } : team === null || name === null ? null : { team, name }
      return agent === null
        ? usage(`Which team member to carry out is missing. ${example}`)
        : ok({ agent, access, idleMs })
    },
    run: async (root, options) => (await implementation()).carryOutMember(root, options),
  }),
  verb({
    words: 'worker',
    chosenBy: ['connect', 'creds', 'ca', 'check'],
    summary: 'carry out jobs of other machines, from the NATS server at URL',
    options: {
      connect: valued('URL', ''),
      creds: valued('FILE', 'the worker’s credentials'),
      ca: valued('FILE', 'the certificate of the server’s authority'),
      check: flag('only say whether everything is there (exit code 1: something is missing)'),
    },
    misuse: (given) => `Unknown argument "${given.join(' ')}". ${connectExample}`,
    refine: ({ connect: url, creds, ca, check }) =>
      url === null || url === ''
        ? usage(`The address of the NATS server is missing. ${connectExample}`)
        : ok({ url, credentials: creds ?? '', ca: ca ?? '', check }),
    run: async (root, options) => (await implementation()).remoteWorker(root, options),
  }),
  verb({
    words: 'worker key',
    summary: 'print the public key that signs the jobs you send',
    run: async (root) => (await implementation()).printSenderKey(root),
  }),
  verb({
    words: 'worker trust',
    arguments: { key: 'KEY' },
    summary: 'carry out the jobs of the sender with this key; KEY: the key, or a file with it',
    misuse: 'Use troupe worker trust KEY, or a file with the key.',
    run: async (root, { key }) => (await implementation()).trustKey(root, key),
  }),
  verb({
    words: 'nats setup',
    summary: 'write the files of a NATS server: TLS, credentials, permissions, a systemd unit',
    options: {
      host: repeatable('NAME', 'a name or IP address of the server'),
      sender: repeatable('NAME', 'add a user that sends jobs'),
      worker: repeatable('NAME', 'add a user that carries out jobs'),
      remove: repeatable('NAME', 'remove a user'),
      folder: valued('DIR', 'where (default: the data folder)'),
      port: checked('N', 'the port (default: 4222)', (port) =>
        /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535
          ? ok(Number(port))
          : usage(`--port must be a number from 1 to 65535, not "${port}".`),
      ),
      renew: flag('a new certificate'),
    },
    misuse: (given) => `Unknown argument "${given.join(' ')}".`,
    refine: ({ host, sender: senders, worker: workers, port, ...values }) => {
      const wrong = host.find((one) => !/^[A-Za-z0-9:.-]{1,253}$/.test(one))
      if (wrong !== undefined) return usage(`--host must be a name or an IP address, not "${wrong}".`)
      const hosts = [...new Set([hostname(), 'localhost', '127.0.0.1', ...host])]
      return ok({ ...values, senders, workers, hosts, port: port ?? 4222 })
    },
    run: async (root, options) => (await import('./command-line/nats-setup.ts')).setUpNats(root, options),
  }),
]
