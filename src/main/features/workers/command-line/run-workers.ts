/**
 * `troupe worker …` and `troupe nats …`: a process that carries out one agent on this machine, or jobs of other machines, and
 * the set-up of the server between them.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { ConversationRecord } from '../../../../shared/events/conversation.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { Team } from '../../../../shared/teams/team-schema.ts'
import type { NatsFinding } from '../../../../shared/workers/worker-presence.ts'
import type { WorkerJob } from '../../../../shared/workers/worker-protocol.ts'
import { type CommandLineRoot, compose, programVersion } from '../../../command-line.ts'
import type { ComposedRuntime } from '../../../features.ts'
import type { TextOutput } from '../../../platform/command-line/terminal.ts'
import { complain, EXIT, endWithReader, outputs } from '../../../platform/command-line/terminal.ts'
import { createInterruption } from '../../run/interruption.ts'
import type { MachineDiagnosis, ServerDiagnosis } from '../nats/setup/diagnose.ts'
import type { ComposeForJob, WorkerOptions } from './worker-command.ts'

/** `troupe worker` for a team member. @returns the exit code */
export async function carryOutMember(root: CommandLineRoot, command: WorkerOptions): Promise<number> {
  let agentId: string
  if ('id' in command.agent) agentId = command.agent.id
  else {
    const { createTranscriptStore } = await import('../../../platform/transcripts/create-transcript-store.ts')
    const store = createTranscriptStore({ dataFolder: root.dataFolder, clock: root.clock })
    const found = findMember(await store.list(), command.agent)
    if (!found.ok) return complain(found.failure.message, EXIT.usage)
    agentId = found.value
  }
  const { runWorkerCommand } = await import('./worker-command.ts')
  const { tmuxPane } = await import('../launch-worker.ts')
  const isTTY = process.stdout.isTTY === true
  const { interruption, composeJob } = jobPrograms(root)
  try {
    return await runWorkerCommand(command, {
      dataFolder: root.dataFolder,
      version: await programVersion(root),
      tmux: isTTY && root.given.tmuxPane !== null ? await tmuxPane(root.given.tmuxPane) : null,
      access: accessOfEnvironment(root),
      agentId,
      ...{ clock: root.clock, ids: root.ids },
      interrupted: interruption.signal,
      input: process.stdin,
      output: { isTTY, write: outputs().output.write },
      complain: (text) => complain(text, 0),
      // Other output has no control characters.
      nameTerminal: (name) => process.stdout.write(`\x1b]2;${makeVisible(name)}\x07`),
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

/** Says what is missing, and carries out jobs of other machines if nothing is. @returns the exit code */
export async function remoteWorker(
  root: CommandLineRoot,
  command: {
    readonly url: string
    /** Paths as given; empty: none. */
    readonly credentials: string
    readonly ca: string
    /** Whether only to look whether everything is there. */
    readonly check: boolean
  },
): Promise<number> {
  endWithReader()
  const [{ createGit }, { childEnvironment }, { readWorkerPolicy }] = await Promise.all([
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
  const access = accessOfEnvironment(root)
  const { program } = await compose(root, { trusted: [], scenarioFile: null })
  const machine = {
    git,
    dataFolder: root.dataFolder,
    sandbox: () => program.sandbox.state(),
    model: () => modelFinding(program, access),
    freeDiskGb: policy.value.freeDiskGb,
  }
  const isReady = await checkRemoteWorker(
    { server: { ...server, role: 'worker', now: root.clock.now }, machine },
    outputs().output,
  )
  if (command.check || !isReady) {
    await program.close()
    return isReady ? EXIT.done : EXIT.failed
  }
  const [{ programOffer, serveRemoteJobs }, { openNats }] = await Promise.all([
    import('./remote-worker.ts'),
    import('../nats/nats-session.ts'),
  ])
  const offer = await programOffer(program, access).finally(() => program.close())
  const session = openNats({ ...server, clock: root.clock })
  const { interruption, composeJob } = jobPrograms(root)
  try {
    await serveRemoteJobs({
      dataFolder: root.dataFolder,
      version: await programVersion(root),
      ...{ clock: root.clock, ids: root.ids, elapsed: root.elapsed },
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
async function modelFinding(
  program: ComposedRuntime,
  access: ModelAccess,
): Promise<Omit<NatsFinding, 'what'>> {
  if (access.kind !== 'api')
    return {
      outcome: 'warning',
      text: 'No access to a model, so that only rehearsals can be carried out. Set ANTHROPIC_API_KEY: a job uses the worker’s key.',
    }
  const tested = await program.testAccess(access)
  return tested.ok
    ? { outcome: 'ok', text: 'can be reached' }
    : { outcome: 'failed', text: tested.failure.message }
}

/** Prints the public key that signs this user's jobs. @returns the exit code */
export async function printSenderKey(root: CommandLineRoot): Promise<number> {
  endWithReader()
  const { loadSenderKey } = await import('../nats/jobs/sender-keys.ts')
  const key = await loadSenderKey(root.dataFolder)
  if (!key.ok) return complain(key.failure.message, EXIT.failed)
  outputs().output.write(`${key.value.publicKey} ${hostname()}\n`)
  return EXIT.done
}

/** Trusts a sender. @param key its public key, or a file with it @returns the exit code */
export async function trustKey(root: CommandLineRoot, key: string): Promise<number> {
  endWithReader()
  const { trustSender } = await import('../nats/jobs/sender-keys.ts')
  const trusted = await trustSender(root.dataFolder, existsSync(key) ? await readFile(key, 'utf8') : key)
  if (!trusted.ok) return complain(trusted.failure.message, EXIT.usage)
  outputs().output.write(`This worker carries out the jobs of ${trusted.value}.\n`)
  return EXIT.done
}

/** Finds the team member that a worker is to carry out. @returns the id of the agent. The newest conversation with a team of that name counts. */
export function findMember(
  records: readonly ConversationRecord[],
  wanted: { readonly team: string; readonly name: string },
): Result<string> {
  const teams = records
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .flatMap((record) => record.teams)
    .filter(({ endedAt }) => endedAt === null)
  const team = teams.find(({ name }) => isSame(name, wanted.team))
  if (team === undefined)
    return fail({
      type: 'usage',
      message: `There is no team "${wanted.team}". ${teams.length === 0 ? 'No conversation has a team.' : `Teams: ${listOf(teams)}.`}`,
    })
  const member = team.members.find(({ name }) => isSame(name, wanted.name))
  if (member === undefined)
    return fail({
      type: 'usage',
      message: `The team ${team.name} has no member "${wanted.name}". Members: ${listOf(team.members)}.`,
    })
  if (member.backing !== 'pane')
    return fail({
      type: 'usage',
      message: `${member.name} has the backing ${member.backing}, so no worker process here carries it out. Members with the backing pane: ${listOf(team.members.filter(({ backing }) => backing === 'pane'))}.`,
    })
  return ok(member.agentId)
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.trim().toLowerCase()

const listOf = (named: readonly Pick<Team, 'name'>[]): string =>
  named.length === 0 ? 'none' : named.map(({ name }) => name).join(', ')

const MARKS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const

/** Prints what `troupe worker --connect` needs and whether it is there. @returns whether nothing that is needed is missing */
async function checkRemoteWorker(
  { server, machine }: { readonly server: ServerDiagnosis; readonly machine: MachineDiagnosis },
  output: TextOutput,
): Promise<boolean> {
  const { diagnoseMachine, diagnoseServer } = await import('../nats/setup/diagnose.ts')
  let isReady = true
  const tell = ({ what, outcome, text }: NatsFinding) => {
    if (outcome === 'failed') isReady = false
    output.write(`${MARKS[outcome]} ${what.padEnd(11)} ${text}\n`)
  }
  for await (const finding of diagnoseServer(server)) tell(finding)
  for await (const finding of diagnoseMachine(machine)) tell(finding)
  return isReady
}
