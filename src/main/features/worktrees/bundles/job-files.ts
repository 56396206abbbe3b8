/**
 * The files of agents that work on other machines, for the program that sends the agents there. What was sent for a job
 * and what came back is recorded until it is in the agent's worktree, so that a restart in between loses nothing.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { ObjectStore } from '../../../../shared/workers/object-store.ts'
import {
  type CheckoutState,
  checkoutState,
  type JobRepository,
  jobRepository,
} from '../../../../shared/workers/worker-protocol.ts'
import { type WorktreeLocation, worktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { replaceFile } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import { createWorktreeRecords } from '../worktree-records.ts'
import type { BundleResult } from './bundle-failure.ts'
import { dropJobRefs, type LandDeps, type LandedWork, landWork } from './land-work.ts'
import type { ReceivingLimits } from './receive-bundle.ts'
import { type Sending, type SentRepository, sendRepository } from './send-bundles.ts'

export interface JobFiles {
  /** Stores the agent's worktree for a worker. Its index, its files and its branch stay as they are. */
  send(sending: Sending): Promise<BundleResult<SentRepository>>
  /** Records the state that a worker has reported. */
  progressed(jobId: string, work: CheckoutState): Promise<BundleResult<void>>
  /**
   * Puts the state that a worker reported last into the agent's worktree, and forgets the job. Null: nothing came
   * back, or it is there already. After a failure, the call can be repeated.
   */
  land(jobId: string, signal: AbortSignal): Promise<BundleResult<LandedWork | null>>
}

interface JobFilesOptions {
  readonly git: Git
  readonly store: ObjectStore
  readonly dataFolder: string
  readonly limits?: ReceivingLimits
  readonly onProblem: (message: string) => void
}

/** Bundles of 200 MB, checkouts of 2 GB. */
export const DEFAULT_LIMITS: ReceivingLimits = { maxBytes: 200_000_000, maxCheckoutBytes: 2_000_000_000 }

const jobRecord = z.object({
  v: z.literal(1),
  jobId: z.string(),
  location: worktreeLocation,
  repository: jobRepository,
  work: checkoutState.nullable(),
})

interface JobRecord {
  readonly v: 1
  readonly jobId: string
  readonly location: WorktreeLocation
  readonly repository: JobRepository
  readonly work: CheckoutState | null
}

const CANNOT = 'The record of a job’s files can’t be saved'

export function createJobFiles(options: JobFilesOptions): JobFiles {
  const { git, store, dataFolder, onProblem, limits = DEFAULT_LIMITS } = options
  const folder = join(dataFolder, 'bundles')
  const deps: LandDeps = {
    git,
    store,
    records: createWorktreeRecords({ dataFolder, onProblem }),
    folder,
    maxBytes: limits.maxBytes,
    limits,
  }
  const recordPath = (jobId: string) => join(folder, 'jobs', `${jobId}.json`)

  async function read(jobId: string): Promise<JobRecord | null> {
    const text = await readFile(recordPath(jobId), 'utf8').catch(() => null)
    if (text === null) return null
    const read = jobRecord.safeParse(jsonOrUndefined(text))
    if (read.success) return read.data
    onProblem(
      `The record of a job’s files is damaged, so its work can’t be put into a worktree (${recordPath(jobId)}).`,
    )
    return null
  }

  async function write(record: JobRecord): Promise<BundleResult<void>> {
    const path = recordPath(record.jobId)
    try {
      await mkdir(join(folder, 'jobs'), { recursive: true })
      await replaceFile(path, `${JSON.stringify(record)}\n`, { durable: true })
      return ok(undefined)
    } catch (error) {
      return fail({ ...diskFailure(error, CANNOT, path), type: 'io' })
    }
  }

  /** Work that could not land earlier goes into the worktree before it is sent again. */
  async function landEarlier(location: WorktreeLocation): Promise<BundleResult<readonly string[]>> {
    const names = await readdir(join(folder, 'jobs')).catch(() => [])
    const notes: string[] = []
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const jobId = name.slice(0, -'.json'.length)
      const record = await read(jobId)
      if (record?.location.path !== location.path) continue
      const landed = await land(jobId, new AbortController().signal)
      if (!landed.ok) return landed
      if (landed.value?.kind === 'beside') notes.push(landed.value.message)
    }
    return ok(notes)
  }

  async function land(jobId: string, signal: AbortSignal): Promise<BundleResult<LandedWork | null>> {
    const record = await read(jobId)
    if (record === null) return ok(null)
    const { work } = record
    const landed = work === null ? ok(null) : await landWork(deps, { ...record, work, signal })
    if (!landed.ok) return landed
    await rm(recordPath(jobId), { force: true })
    await dropJobRefs(deps, record)
    // The first bundle serves other jobs too.
    const objects = [...record.repository.bundles.slice(1), ...(work?.bundles ?? [])]
    for (const { object } of objects) await store.remove(object).catch(() => undefined)
    return landed
  }

  return {
    async send(sending) {
      const { jobId, location } = sending
      const earlier = await landEarlier(location)
      if (!earlier.ok) return earlier
      const sent = await sendRepository(deps, sending)
      if (!sent.ok) return sent
      const { repository, notes } = sent.value
      const noted = await write({ v: 1, jobId, location, repository, work: null })
      return noted.ok ? ok({ repository, notes: [...earlier.value, ...notes] }) : noted
    },
    async progressed(jobId, work) {
      const record = await read(jobId)
      return record === null ? ok(undefined) : write({ ...record, work })
    },
    land,
  }
}

interface BackingFiles {
  repository(agent: BackedAgent): Promise<Result<JobRepository>>
  progressed(jobId: string, work: CheckoutState): Promise<Result<void>>
  land(jobId: string): Promise<Result<string>>
}

/** The files of a remote agent, as the backing of its worker needs them. */
export function createBackingFiles(files: JobFiles): BackingFiles {
  return {
    async repository(agent) {
      const { worktree, jobId } = agent.state()
      if (worktree?.own !== true || jobId === null) return fail(noWorktree)
      const sent = await files.send({ location: worktree, jobId })
      if (!sent.ok) return sent
      for (const note of sent.value.notes) agent.workerChanged({ worker: null, state: 'waiting', note })
      return ok(sent.value.repository)
    },
    progressed: (jobId, work) => files.progressed(jobId, work),
    async land(jobId) {
      const landed = await files.land(jobId, new AbortController().signal)
      if (!landed.ok) return landed
      return ok(landed.value?.kind === 'beside' ? landed.value.message : '')
    },
  }
}

const noWorktree = {
  type: 'refused',
  message:
    'An agent can work on another machine only in a git worktree of its own. Start it with isolation: worktree, in a git repository.',
}
