/** Looks at everything that a worker or a sender needs, and says at once what is missing and what to do. */
import { statfs } from 'node:fs/promises'
import { JetStreamApiError, jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import type { SandboxState } from '../../../../../shared/permissions/confinement.ts'
import type { NatsAccess, NatsFinding } from '../../../../../shared/workers/worker-presence.ts'
import { workerHeartbeat } from '../../../../../shared/workers/worker-presence-schema.ts'
import { WORKER_PROTOCOL } from '../../../../../shared/workers/worker-protocol.ts'
import type { Git } from '../../../../platform/git/git-client.ts'
import { checkGitVersion } from '../../../../platform/git/version.ts'
import { clockOffset, clockProblem } from '../check-clock.ts'
import { type ConnectOptions, connectNats } from '../connect-nats.ts'
import { ensureStreams } from '../ensure-streams.ts'
import { jobSubject } from '../jobs/job-names.ts'
import { whyUnfit } from '../jobs/job-needs.ts'
import { openJobStore } from '../jobs/job-store.ts'
import { loadSenderKey } from '../jobs/sender-keys.ts'
import { natsFailure } from '../nats-failure.ts'
import { natsNames } from '../subjects.ts'
import { entriesIn, inTime } from '../waits.ts'

export interface ServerDiagnosis extends ConnectOptions {
  readonly now: () => number
  /** What the credentials are for. */
  readonly role: 'sender' | 'worker'
}

/** Findings about the server, one after another. Ends with the first one that makes the next ones pointless. */
export async function* diagnoseServer(options: ServerDiagnosis): AsyncGenerator<NatsFinding> {
  const connected = await connectNats(options)
  if (!connected.ok) return yield { what: 'server', outcome: 'failed', text: connected.failure.message }
  const { connection, close } = connected.value
  try {
    const tls = connection.info?.tls_required === true ? 'with TLS' : 'without TLS, on this machine'
    yield ok('server', `nats-server ${connection.info?.version} at ${options.url}, ${tls}, with JetStream`)
    const within = <T>(what: string, run: () => Promise<T>) => inTime(what, run, options.timeout)
    const streams = await within('its streams', () => ensureStreams(connection))
    if (!streams.ok) return yield { what: 'streams', outcome: 'failed', text: streams.failure.message }
    const jobs = await within('its job queue', () => openJobStore(connection, async () => undefined))
    if (!jobs.ok) return yield { what: 'streams', outcome: 'failed', text: jobs.failure.message }
    yield ok('streams', 'jobs, messages, heartbeats and files can be stored')
    const denied = await within('its permissions', () => missingPermission(connection, options.role))
    if (denied !== null) return yield { what: 'permissions', outcome: 'failed', text: denied }
    yield ok('permissions', `the credentials may do what a ${options.role} does`)
    yield await within('its time', () => clockFinding(connection, options.now))
    yield* versionFindings(connection, options.timeout)
  } catch (thrown) {
    const { message } = natsFailure(thrown, 'The server can’t be examined to the end')
    yield { what: 'server', outcome: 'failed', text: message }
  } finally {
    await close()
  }
}

const ok = (what: string, text: string): NatsFinding => ({ what, outcome: 'ok', text })

/** Publishes what the server refuses for another reason: permissions are looked at first. */
async function missingPermission(
  connection: NatsConnection,
  role: ServerDiagnosis['role'],
): Promise<string | null> {
  const subject = role === 'worker' ? `$KV.${natsNames.workers}.check` : jobSubject('check')
  try {
    await jetstream(connection).publish(subject, '', { expect: { streamName: 'troupe-never' } })
    return null
  } catch (thrown) {
    const failure = natsFailure(thrown, `These are not the credentials of a ${role}`)
    // A stream that does not exist yet, or the wrong stream: the subject itself was allowed.
    return thrown instanceof JetStreamApiError || failure.type !== 'denied' ? null : failure.message
  }
}

async function clockFinding(connection: NatsConnection, now: () => number): Promise<NatsFinding> {
  const offset = await clockOffset(connection, now)
  if (!offset.ok) return { what: 'clock', outcome: 'failed', text: offset.failure.message }
  const problem = clockProblem(offset.value)
  if (problem !== null) return { what: 'clock', outcome: 'failed', text: problem }
  return ok('clock', `${(Math.abs(offset.value) / 1000).toFixed(1)} s from the server’s`)
}

/** Compares the protocol of this program with those of the workers that are there. */
async function* versionFindings(
  connection: NatsConnection,
  timeout: number | undefined,
): AsyncGenerator<NatsFinding> {
  const bucket = await new Kvm(connection).open(natsNames.workers)
  const workers = (await entriesIn(connection, bucket, timeout)).flatMap((entry) => {
    const read = workerHeartbeat.safeParse(jsonOrUndefined(entry.string()))
    return read.success ? [read.data] : []
  })
  const other = workers.filter((worker) => whyUnfit(worker, { protocol: WORKER_PROTOCOL }) !== null)
  for (const { host, version, protocol } of other)
    yield {
      what: 'version',
      outcome: 'warning',
      text: `the worker on ${host} has Troupe ${version} with protocol ${protocol}, this program has protocol ${WORKER_PROTOCOL}. Install the same version on both.`,
    }
  if (other.length === 0)
    yield ok('version', `protocol ${WORKER_PROTOCOL}, like ${workers.length} of ${workers.length} workers`)
}

export interface MachineDiagnosis {
  readonly git: Git
  /** Where checkouts and conversations are kept. */
  readonly dataFolder: string
  /** The sandbox of this program's commands. */
  readonly sandbox: () => Promise<SandboxState>
  /** Whether a model can be reached. */
  readonly model: () => Promise<Omit<NatsFinding, 'what'>>
  /** Gigabytes that must be free. */
  readonly freeDiskGb: number
}

/** Findings about this machine. */
export async function* diagnoseMachine(options: MachineDiagnosis): AsyncGenerator<NatsFinding> {
  const { git, dataFolder, freeDiskGb } = options
  const version = await checkGitVersion(git, dataFolder)
  yield version.ok
    ? ok('git', 'new enough')
    : { what: 'git', outcome: 'failed', text: version.failure.message }
  const disk = await statfs(dataFolder).catch(() => null)
  const free = disk === null ? null : (disk.bavail * disk.bsize) / 1e9
  if (free === null)
    yield { what: 'disk', outcome: 'failed', text: `The data folder ${dataFolder} can’t be read.` }
  else if (free < freeDiskGb)
    yield {
      what: 'disk',
      outcome: 'failed',
      text: `${free.toFixed(1)} GB are free at ${dataFolder}, and ${freeDiskGb} GB must stay free. Free some space, or lower freeDiskGb in worker-policy.json.`,
    }
  else yield ok('disk', `${free.toFixed(0)} GB free at ${dataFolder}`)
  yield sandboxFinding(await options.sandbox())
  yield { what: 'model', ...(await options.model()) }
}

/** Without a sandbox a job still runs, and nobody is there to be asked. */
function sandboxFinding(state: SandboxState): NatsFinding {
  if (state.kind === 'on') return ok('sandbox', 'commands run in it')
  const problem = 'message' in state ? state.message : 'It is turned off in the settings.'
  const text = `${problem} Without it, a job’s commands that can change something are denied, unless its rules or its mode allow them.`
  return { what: 'sandbox', outcome: 'warning', text }
}

/** ms for one attempt: the user waits. */
const PATIENCE = 5000

/** Looks whether this program can send jobs through a NATS server. */
export async function testNats(
  access: NatsAccess,
  { dataFolder, now }: { readonly dataFolder: string; readonly now: () => number },
): Promise<readonly NatsFinding[]> {
  const found: NatsFinding[] = []
  const server = { ...access, name: 'troupe test', timeout: PATIENCE, role: 'sender', now } as const
  for await (const finding of diagnoseServer(server)) found.push(finding)
  const key = await loadSenderKey(dataFolder)
  found.push(
    key.ok
      ? {
          what: 'key',
          outcome: 'ok',
          text: `each worker trusts it: troupe worker trust ${key.value.publicKey}`,
        }
      : { what: 'key', outcome: 'failed', text: key.failure.message },
  )
  return found
}
