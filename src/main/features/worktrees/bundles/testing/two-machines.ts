/** A sender with a project, and workers, that share nothing but an object store. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../../../../../shared/kernel/result.ts'
import type { CheckoutState, JobRepository } from '../../../../../shared/workers/worker-protocol.ts'
import type { WorktreeLocation } from '../../../../../shared/worktrees/worktree.ts'
import { type GitBench, gitBench } from '../../testing/git-bench.ts'
import { type SendDeps, sendRepository } from '../send-bundles.ts'
import { createWorkspaces, type Workspace, type Workspaces } from '../workspaces.ts'
import { type FolderStore, folderStore } from './folder-store.ts'

export interface TwoMachines {
  readonly bench: GitBench
  readonly store: FolderStore
  readonly sendDeps: SendDeps
  send(location: WorktreeLocation, jobId: string): Promise<JobRepository>
  /** A worker with its own data folder. */
  worker(name: string): Workspaces
  open(
    workspaces: Workspaces,
    job: { jobId: string; repository: JobRepository; work?: CheckoutState | null },
  ): Promise<Workspace>
}

export const LIMITS = { maxBytes: 50_000_000, maxCheckoutBytes: 100_000_000 }

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}

export async function twoMachines(): Promise<TwoMachines> {
  const bench = await gitBench()
  const store = await folderStore(join(bench.folder, 'store'))
  const sendDeps = {
    git: bench.git,
    store,
    records: bench.records,
    folder: join(bench.dataFolder, 'bundles'),
    maxBytes: LIMITS.maxBytes,
  }
  await mkdir(bench.dataFolder, { recursive: true })
  const signal = new AbortController().signal
  return {
    bench,
    store,
    sendDeps,
    send: async (location, jobId) => value(await sendRepository(sendDeps, { location, jobId })).repository,
    worker: (name) =>
      createWorkspaces({ git: bench.git, store, limits: LIMITS, dataFolder: join(bench.folder, name) }),
    open: async (workspaces, { jobId, repository, work = null }) =>
      value(await workspaces.open({ jobId, repository, work }, signal)),
  }
}

/** Every file below a folder but git's own, byte for byte: names that are not UTF-8 too. */
export function bytesIn(folder: string): readonly string[] {
  const visit = (at: Buffer, below: string): readonly string[] =>
    readdirSync(at, { encoding: 'buffer' }).flatMap((name) => {
      if (name.toString() === '.git') return []
      const path = Buffer.concat([at, Buffer.from('/'), name])
      const shown = `${below}/${name.toString('latin1')}`
      const stat = lstatSync(path)
      if (stat.isDirectory()) return visit(path, shown)
      if (stat.isSymbolicLink()) return [`${shown} -> ${readlinkSync(path)}`]
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
      return [`${shown} ${(stat.mode & 0o100) === 0 ? 'plain' : 'executable'} ${hash}`]
    })
  return visit(Buffer.from(folder), '').toSorted()
}
