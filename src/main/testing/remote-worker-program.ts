/**
 * A remote worker as a process of its own, with short leases: `node remote-worker-program.ts <order as JSON>`. It shares
 * nothing with the sender but the NATS server and the scripted API.
 */
import { join } from 'node:path'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { programOffer, serveRemoteJobs } from '../features/workers/command-line/remote-worker.ts'
import { defaultJobSettings } from '../features/workers/nats/jobs/job-store.ts'
import { openNats } from '../features/workers/nats/nats-session.ts'
import { composeRuntime } from '../features.ts'
import { createGit } from '../platform/git/git-client.ts'
import { createSystemClock } from '../platform/system/machine-time.ts'
import { createIds } from '../platform/system/random-names.ts'
import { testJobSettings } from './job-settings.ts'
import { withoutSandbox } from './without-sandbox.ts'

export interface RemoteWorkerOrder {
  readonly home: string
  readonly dataFolder: string
  readonly natsUrl: string
  /** Whether another worker takes over after seconds. */
  readonly hasShortLeases: boolean
  readonly api: { readonly key: string; readonly baseUrl: string }
}

const { home, dataFolder, natsUrl, hasShortLeases, api } = JSON.parse(
  process.argv[2] ?? '',
) as RemoteWorkerOrder
const root = join(import.meta.dirname, '..', '..', '..')
const environment = { PATH: process.env['PATH'] ?? '', HOME: home }
const interrupted = new AbortController()
process.on('SIGTERM', () => interrupted.abort())
const clock = createSystemClock()
const session = openNats({
  url: natsUrl,
  credentials: '',
  ca: '',
  name: 'troupe worker',
  clock,
})
const composed = {
  dataFolder,
  home,
  environment,
  agentsFolder: join(root, 'agents'),
  docsFolder: join(root, 'docs'),
  rehearsal: { pace: 0, scenarioFile: null },
}
const access = { kind: 'api', key: api.key, authToken: null, baseUrl: api.baseUrl } as const
const program = await composeRuntime({
  ...composed,
  settings: { current: { ...defaultSettings, ...withoutSandbox } },
})
const offer = await programOffer(program, access)
await program.close()
await serveRemoteJobs({
  dataFolder,
  version: '0',
  session,
  clock,
  ids: createIds({ clock, random: Math.random }),
  elapsed: () => performance.now(),
  git: createGit({ environment }),
  access,
  offer,
  interrupted: interrupted.signal,
  say: (text) => process.stdout.write(`${text}\n`),
  settings: hasShortLeases ? testJobSettings : defaultJobSettings,
  compose: (job, { conversationsFolder, tasks, limits }) =>
    composeRuntime({
      ...composed,
      settings: {
        current: { ...defaultSettings, ...withoutSandbox, trustedFolders: job.trusted ? [job.folder] : [] },
      },
      rules: job.rules,
      conversationsFolder,
      ...(tasks && { tasks }),
      ...(limits && { limits }),
      verification: 'off',
      onProblem: (problem) => process.stdout.write(`${problem}\n`),
    }),
})
await session.close()
