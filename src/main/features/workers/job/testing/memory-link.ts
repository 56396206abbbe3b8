/** A link in memory: jobs, commands and reports of one conversation's program and its workers. */
import { fail, ok } from '../../../../../shared/kernel/result.ts'
import type { WorkerCommand, WorkerJob, WorkerReport } from '../../../../../shared/workers/worker-protocol.ts'
import type { FollowEnd, TakenJob, WorkerLink } from '../../../../runtime/ports/worker-link.ts'

export interface MemoryLink {
  readonly link: WorkerLink
  /** Every job that was submitted. */
  readonly jobs: readonly WorkerJob[]
  readonly reports: readonly WorkerReport[]
  readonly commands: readonly WorkerCommand[]
  /** Takes the last job for a worker. Each call begins the next epoch. */
  take(): TakenJob & { readonly lose: () => void }
  /** Resolves when a job was submitted that no worker has taken. */
  submitted(): Promise<void>
  /** Ends the following: the worker died. */
  die(message: string): void
  readonly givenBack: readonly { readonly message: string; readonly forGood: boolean }[]
}

export function createMemoryLink(): MemoryLink {
  const jobs: WorkerJob[] = []
  const reports: WorkerReport[] = []
  const commands: WorkerCommand[] = []
  const givenBack: { message: string; forGood: boolean }[] = []
  const changes = new Set<() => void>()
  let taken = 0
  let epoch = -1
  let death: FollowEnd | null = null
  const changed = () => {
    for (const listener of [...changes]) listener()
  }
  /** Resolves at the next change, or when the signal aborts. */
  const next = (signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        changes.delete(end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      changes.add(end)
      signal?.addEventListener('abort', end, { once: true })
      if (signal?.aborted) end()
    })
  let live: ((event: Parameters<TakenJob['live']>[0]) => void) | null = null
  const link: WorkerLink = {
    kind: 'pane',
    submit: async (job) => {
      jobs.push(structuredClone(job))
      death = null
      changed()
      return ok(undefined)
    },
    send: async (_agentId, command) => {
      commands.push(command)
      changed()
      return ok(undefined)
    },
    async follow({ jobId, from }, listener, signal) {
      live = (event) => listener.live(event)
      let seen = 0
      for (;;) {
        while (seen < reports.length) {
          const report = reports[seen++]
          if (!report || report.jobId !== jobId) continue
          if (report.event.type === 'agent-ended') {
            const { event } = report
            return { kind: 'ended', report: { ...report, event } }
          }
          if (report.seq >= from) void listener.report(structuredClone(report))
        }
        if (death !== null) return death
        if (signal.aborted) return { kind: 'aborted' }
        await next(signal)
      }
    },
    isAlive: async ({ jobId }) => jobs.at(-1)?.jobId === jobId && death === null,
    output: async (_job, path) => ok(`the whole of ${path}`),
  }
  return {
    link,
    jobs,
    reports,
    commands,
    givenBack,
    die: (message) => {
      death = { kind: 'gone', message }
      changed()
    },
    async submitted() {
      while (jobs.length === taken) await next()
    },
    take() {
      const job = jobs.at(-1)
      if (!job) throw new Error('No job was submitted.')
      taken = jobs.length
      epoch = Math.max(epoch + 1, job.epoch)
      const mine = epoch
      const lost = new AbortController()
      return {
        job: structuredClone(job),
        epoch: mine,
        earlier: reports.filter(({ jobId }) => jobId === job.jobId),
        lost: lost.signal,
        lose: () => lost.abort(),
        async *commands(signal) {
          let seen = 0
          while (!signal.aborted) {
            const command = commands[seen]
            if (command) {
              seen++
              yield command
            } else await next(signal)
          }
        },
        report: async (report) => {
          if (mine < epoch) return fail({ type: 'lost', message: 'Another worker has taken over.' })
          reports.push(structuredClone(report))
          changed()
          return ok(undefined)
        },
        live: (event) => live?.(event),
        done: async () => {},
        giveBack: async (problem) => {
          givenBack.push(problem)
        },
      }
    },
  }
}
