/**
 * The part of the command line's composition root for workers: a process that carries out one agent on this machine, or
 * jobs of other machines, and the set-up of the server between them.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { assertNever } from '../../../../shared/kernel/assert-never.ts'
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { NatsFinding } from '../../../../shared/workers/worker-presence.ts'
import type { WorkerJob } from '../../../../shared/workers/worker-protocol.ts'
import { compose } from '../../../cli-compose.ts'
import { type CommandLineRoot, complain, endWithReader, outputs, versionOf } from '../../../cli-root.ts'
import type { ComposedRuntime } from '../../../features.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import { createInterruption } from '../../run/interruption.ts'
import type { NatsSetupArguments, RemoteWorkerArguments, SenderKeyArguments } from './parse-nats.ts'
import type { WorkerArguments } from './parse-worker.ts'
import type { ComposeForJob } from './worker-command.ts'

export type WorkerCommandArguments =
  | WorkerArguments
  | RemoteWorkerArguments
  | SenderKeyArguments
  | NatsSetupArguments

/** @returns the exit code */
export function performWorkerCommand(
  command: WorkerCommandArguments,
  root: CommandLineRoot,
): Promise<number> {
  switch (command.verb) {
    case 'worker':
      return worker(command, root)
    case 'worker-connect':
      return remoteWorker(command, root)
    case 'worker-key':
    case 'worker-trust':
      return senderKeys(command, root)
    case 'nats-setup':
      return natsSetup(command, root)
    default:
      return assertNever(command)
  }
}

async function worker(command: WorkerArguments, root: CommandLineRoot): Promise<number> {
  const { findMember } = await import('./find-member.ts')
  let agentId: string
  if ('id' in command.agent) agentId = command.agent.id
  else {
    const { createTranscriptStore } = await import('../../../platform/transcripts/create-transcript-store.ts')
    const { createSystemClock } = await import('../../../platform/system/system-clock.ts')
    const store = createTranscriptStore({ dataFolder: root.dataFolder, clock: createSystemClock() })
    const found = findMember(await store.list(), command.agent)
    if (!found.ok) return complain(found.failure.message, EXIT.usage)
    agentId = found.value
  }
  const { workerCommand } = await import('./worker-command.ts')
  const { tmuxPane } = await import('../launch-worker.ts')
  const isTTY = process.stdout.isTTY === true
  const { interruption, composeJob } = jobPrograms(root)
  try {
    return await workerCommand(command, {
      dataFolder: root.dataFolder,
      version: await versionOf(root),
      tmux: isTTY && root.given.tmuxPane !== null ? await tmuxPane(root.given.tmuxPane) : null,
      access: accessOfEnvironment(root),
      agentId,
      interrupted: interruption.signal,
      input: process.stdin,
      output: { isTTY, write: outputs().output.write },
      complain: (text) => complain(text, 0),
      compose: composeJob,
    })
  } finally {
    interruption.over()
  }
}

/** The runtimes of a worker's jobs, which a second Ctrl+C ends at once. */
function jobPrograms(root: CommandLineRoot) {
  const programs = new Set<ComposedRuntime>()
  const interruption = createInterruption({
    process,
    endNow: () => {
      for (const program of programs) program.endNow()
    },
    say: (text) => complain(text, 0),
  })
  const composeJob = async (job: WorkerJob, worker: ComposeForJob) => {
    const { program } = await compose(root, {
      trusted: job.trusted ? [job.folder] : [],
      rules: job.rules,
      scenarioFile: job.rehearsal?.scenarioFile ?? null,
      worker,
    })
    programs.add(program)
    return program
  }
  return { interruption, composeJob }
}

function accessOfEnvironment(root: CommandLineRoot): ModelAccess {
  const { key, authToken, baseUrl } = root.given.api
  if (key === null && authToken === null) return { kind: 'none' }
  return { kind: 'api', key, authToken, baseUrl: baseUrl ?? '' }
}

/** Says what is missing, and carries out jobs of other machines if nothing is. */
async function remoteWorker(command: RemoteWorkerArguments, root: CommandLineRoot): Promise<number> {
  endWithReader()
  const [{ checkRemoteWorker }, { createGit }, { childEnvironment }, { readWorkerPolicy }] =
    await Promise.all([
      import('./remote-worker-check.ts'),
      import('../../../platform/git/git-client.ts'),
      import('../../../platform/shell/child-environment.ts'),
      import('../nats/jobs/worker-policy.ts'),
    ])
  await mkdir(root.dataFolder, { recursive: true, mode: 0o700 })
  const policy = await readWorkerPolicy(root.dataFolder)
  if (!policy.ok) return complain(policy.failure.message, EXIT.failed)
  const server = {
    url: command.url,
    credentials: command.credentials && resolve(command.credentials),
    ca: command.ca && resolve(command.ca),
    name: 'troupe worker',
  }
  const git = createGit({ environment: childEnvironment(process.env) })
  const machine = {
    git,
    dataFolder: root.dataFolder,
    model: () => modelFinding(root),
    freeDiskGb: policy.value.freeDiskGb,
  }
  const isReady = await checkRemoteWorker(
    { server: { ...server, role: 'worker', now: Date.now }, machine },
    outputs().output,
  )
  if (command.check || !isReady) return isReady ? EXIT.done : EXIT.failed
  const [{ programOffer, serveRemoteJobs }, { openNats }, { createSystemClock }] = await Promise.all([
    import('./remote-worker.ts'),
    import('../nats/nats-session.ts'),
    import('../../../platform/system/system-clock.ts'),
  ])
  const access = accessOfEnvironment(root)
  const { program } = await compose(root, { trusted: [], scenarioFile: null })
  const offer = await programOffer(program, access).finally(() => program.close())
  const session = openNats({ ...server, clock: createSystemClock() })
  const { interruption, composeJob } = jobPrograms(root)
  try {
    await serveRemoteJobs({
      dataFolder: root.dataFolder,
      version: await versionOf(root),
      session,
      git,
      offer,
      access,
      interrupted: interruption.signal,
      say: (text) => outputs().output.write(`${text}\n`),
      compose: composeJob,
    })
    return EXIT.interrupted
  } finally {
    await session.close()
    interruption.over()
  }
}

/** Whether the environment gives access to a model. */
async function modelFinding(root: CommandLineRoot): Promise<Omit<NatsFinding, 'what'>> {
  const { key, authToken, baseUrl } = root.given.api
  if (key === null && authToken === null)
    return {
      outcome: 'warning',
      text: 'No access to a model, so that only rehearsals can be carried out. Set ANTHROPIC_API_KEY: a job uses the worker’s key.',
    }
  const { program } = await compose(root, { trusted: [], scenarioFile: null })
  try {
    const tested = await program.testAccess({ kind: 'api', key, authToken, baseUrl: baseUrl ?? '' })
    return tested.ok
      ? { outcome: 'ok', text: 'can be reached' }
      : { outcome: 'failed', text: tested.failure.message }
  } finally {
    await program.close()
  }
}

async function senderKeys(command: SenderKeyArguments, root: CommandLineRoot): Promise<number> {
  endWithReader()
  const { loadSenderKey, trustSender } = await import('../nats/jobs/sender-keys.ts')
  if (command.verb === 'worker-key') {
    const key = await loadSenderKey(root.dataFolder)
    if (!key.ok) return complain(key.failure.message, EXIT.failed)
    outputs().output.write(`${key.value.publicKey} ${hostname()}\n`)
    return EXIT.done
  }
  const text = existsSync(command.key) ? await readFile(command.key, 'utf8') : command.key
  const trusted = await trustSender(root.dataFolder, text)
  if (!trusted.ok) return complain(trusted.failure.message, EXIT.usage)
  outputs().output.write(`This worker carries out the jobs of ${trusted.value}.\n`)
  return EXIT.done
}

async function natsSetup(command: NatsSetupArguments, root: CommandLineRoot): Promise<number> {
  endWithReader()
  const { natsSetup: setUp } = await import('./nats-setup.ts')
  return await setUp(command, {
    dataFolder: root.dataFolder,
    home: root.home,
    path: process.env['PATH'] ?? '',
    output: outputs().output,
    complain: (text) => complain(text, 0),
    isRoot: process.getuid?.() === 0,
  })
}
