/**
 * Jobs and commands at their sender, on this disk until they have arrived: a job until its end was taken into the
 * sender's log, a command until a worker has carried it out.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { messageOf } from '../../../../../shared/kernel/result.ts'
import {
  type WorkerCommand,
  type WorkerJob,
  workerCommand,
  workerJob,
} from '../../../../../shared/workers/worker-protocol.ts'
import { makeFolder, replaceFile } from '../../../../platform/system/atomic-file.ts'
import { codeOf } from '../../../../platform/system/error-code.ts'

const openJob = z.object({
  job: workerJob,
  /**
   * `canceled`: the server was not told yet. `withdrawn`: nobody began it. `over`: its end is known; the job stays here
   * until the next one, in case the sender's log has lost the end.
   */
  state: z.enum(['waiting', 'canceled', 'withdrawn', 'taken', 'over']),
})
type JobState = z.infer<typeof openJob>['state']
const openCommands = z.object({
  /** Tells these numbers from those of files that were lost. */
  series: z.string(),
  /** The number of the last command. */
  last: z.number().int(),
  waiting: z.array(z.object({ number: z.number().int(), command: workerCommand })),
})
export type NumberedCommand = z.infer<typeof openCommands>['waiting'][number]
type WaitingCommands = Pick<z.infer<typeof openCommands>, 'series' | 'waiting'>

export interface Outbox {
  /** The agent's last job. */
  job(agentId: string): z.infer<typeof openJob> | null
  jobs(): readonly z.infer<typeof openJob>[]
  /** The agents with commands that were not carried out yet. */
  agents(): readonly string[]
  commands(agentId: string): WaitingCommands
  /** Jobs and commands that have not arrived. */
  size(): number
  /** Calls the listener after each change of what is kept for an agent, until the returned function is called. */
  subscribe(listener: (agentId: string) => void): () => void
  /** Resolves when everything is on the disk. */
  settled(): Promise<void>
  /** Resolves when the job is on the disk. Throws errors of the disk. */
  addJob(job: WorkerJob): Promise<void>
  /** The state holds at once, and is written to the disk after it. */
  setState(job: Pick<WorkerJob, 'agentId' | 'jobId'>, state: JobState): void
  /** Resolves when the command is on the disk. */
  addCommand(agentId: string, command: WorkerCommand): Promise<NumberedCommand>
  /** Commands up to this number were carried out. */
  commandsDone(agentId: string, number: number): Promise<void>
}

/**
 * Reads what an earlier run of the program left. A damaged file is reported and left where it is.
 * @param newKey makes a name that no other series of commands has
 */
export async function openOutbox(
  folder: string,
  onProblem: (message: string) => void,
  newKey: () => string,
): Promise<Outbox> {
  const jobs = await readAll(join(folder, 'jobs'), openJob, onProblem)
  const commands = await readAll(join(folder, 'commands'), openCommands, onProblem)
  const listeners = new Set<(agentId: string) => void>()
  const chains = new Map<string, Promise<unknown>>()

  /** Changes of an agent's file follow each other, so that file and memory agree. */
  function change<T>(agentId: string, work: () => Promise<T>): Promise<T> {
    const result = (chains.get(agentId) ?? Promise.resolve()).then(work).finally(() => {
      for (const listener of [...listeners]) listener(agentId)
    })
    const settled = result.catch(() => undefined)
    chains.set(agentId, settled)
    void settled.then(() => {
      if (chains.get(agentId) === settled) chains.delete(agentId)
    })
    return result
  }
  async function write(kind: 'jobs' | 'commands', agentId: string, value: unknown): Promise<void> {
    await makeFolder(join(folder, kind))
    await replaceFile(join(folder, kind, `${agentId}.json`), JSON.stringify(value), { durable: true })
  }

  return {
    job: (agentId) => jobs.get(agentId) ?? null,
    jobs: () => [...jobs.values()],
    agents: () => [...commands].filter(([, { waiting }]) => waiting.length > 0).map(([agentId]) => agentId),
    commands: (agentId) => commands.get(agentId) ?? { series: '', waiting: [] },
    size: () =>
      [...jobs.values()].filter(({ state }) => state === 'waiting' || state === 'canceled').length +
      [...commands.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    settled: async () => void (await Promise.all(chains.values())),
    addJob: (job) =>
      change(job.agentId, async () => {
        const entry = { job, state: 'waiting' as const }
        await write('jobs', job.agentId, entry)
        jobs.set(job.agentId, entry)
      }),
    setState({ agentId, jobId }, state) {
      const found = jobs.get(agentId)
      if (found?.job.jobId !== jobId || found.state === state) return
      const entry = { job: found.job, state }
      jobs.set(agentId, entry)
      // A state that is not on the disk is found again at the server.
      change(agentId, () => write('jobs', agentId, entry)).catch((thrown: unknown) =>
        onProblem(messageOf(thrown)),
      )
    },
    addCommand: (agentId, command) =>
      change(agentId, async () => {
        const before = commands.get(agentId) ?? { series: newKey(), last: 0, waiting: [] }
        const { last, waiting } = before
        const numbered = { number: last + 1, command }
        const entry = { ...before, last: numbered.number, waiting: [...waiting, numbered] }
        await write('commands', agentId, entry)
        commands.set(agentId, entry)
        return numbered
      }),
    commandsDone: (agentId, number) =>
      change(agentId, async () => {
        const found = commands.get(agentId)
        if (!found?.waiting.some((command) => command.number <= number)) return
        const entry = { ...found, waiting: found.waiting.filter((command) => command.number > number) }
        await write('commands', agentId, entry)
        commands.set(agentId, entry)
      }),
  }
}

async function readAll<T>(
  folder: string,
  schema: z.ZodType<T>,
  onProblem: (message: string) => void,
): Promise<Map<string, T>> {
  const found = new Map<string, T>()
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return []
    throw thrown
  })
  for (const name of names.filter((name) => name.endsWith('.json'))) {
    const read = schema.safeParse(jsonOrUndefined(await readFile(join(folder, name), 'utf8')))
    if (read.success) found.set(name.slice(0, -'.json'.length), read.data)
    else onProblem(`${join(folder, name)} can’t be read. The job or messages in it are not sent.`)
  }
  return found
}
