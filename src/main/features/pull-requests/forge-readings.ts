/** What the forge tells about the pull request of a worktree: asked when it is due, and kept in between. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { countChecks, type Forge, type PullRequest } from '../../../shared/pull-requests/pull-request.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { FindForge, FoundForge } from './forges.ts'
import type { PullRequestRecord, PullRequestRecords } from './pull-request-records.ts'
import { findRemote, type PushTools, remoteNames } from './remotes.ts'

/** A worktree with what was pushed of it. */
export interface PushedWorktree {
  readonly worktree: ReviewWorktree
  readonly record: PullRequestRecord | null
}

/** What was read of the forge. */
export interface ForgeReading {
  readonly forge: Forge | null
  readonly pull: PullRequest | null
  readonly readAt: number | null
  readonly problem: string | null
  /** Readings in a row that failed, or brought nothing new. */
  readonly failures: number
  readonly unchanged: number
  /** When the forge was last asked. */
  readonly askedAt: number
}

/** ms between two questions to the forge, also if the user asks for more. */
const SHORTEST = 5000

export interface ReadingParts extends PushTools {
  readonly records: PullRequestRecords
  readonly findForge: FindForge
  readonly now: () => number
}

export const NO_REMOTE =
  'The repository has no remote to push to. Add one in a terminal with git remote add origin ADDRESS, then try again.'

export function createForgeReadings(parts: ReadingParts) {
  const { records, findForge, now } = parts
  const readings = new Map<string, ForgeReading>()
  const asking = new Map<string, Promise<ForgeReading>>()

  async function forgeOf(folder: string, remote: string): Promise<Result<FoundForge | null>> {
    const found = await findRemote(parts, folder, remote)
    return found.ok ? ok(await findForge(found.value.repository)) : found
  }

  async function ask(
    folder: string,
    { worktree, record }: PushedWorktree,
    last: ForgeReading | undefined,
  ): Promise<ForgeReading> {
    const failed = (forge: Forge | null, problem: string | null): ForgeReading => ({
      ...{ forge, pull: last?.pull ?? null, readAt: last?.readAt ?? null, problem },
      ...{ failures: (last?.failures ?? 0) + 1, unchanged: 0, askedAt: now() },
    })
    const remote = record?.remote ?? (await remoteNames(parts, folder))[0]
    if (remote === undefined) return { ...failed(null, NO_REMOTE), pull: null }
    const found = await forgeOf(folder, remote)
    if (!found.ok) return failed(null, found.failure.message)
    if (found.value === null || found.value.driver === null)
      return failed(found.value?.forge ?? null, found.value?.forge.problem ?? null)
    const { forge, driver } = found.value
    const told = await driver.find(record?.branch ?? worktree.branch)
    if (!told.ok) return failed(forge, told.failure.message)
    const pull = told.value
    const same = last !== undefined && JSON.stringify(last.pull) === JSON.stringify(pull)
    await records.update(worktree.path, (known) =>
      known === null || pull === null
        ? null
        : { ...known, known: { number: pull.number, state: pull.state, ...countChecks(pull.checks) } },
    )
    return {
      ...{ forge, pull, problem: null, failures: 0, unchanged: same ? last.unchanged + 1 : 0 },
      ...{ readAt: now(), askedAt: now() },
    }
  }

  /** Asks the forge where it is due; at once where the user wants that. One question at a time for each worktree. */
  async function read(
    { folder }: { readonly folder: string },
    found: PushedWorktree,
    isWanted: boolean,
  ): Promise<ForgeReading> {
    const { path } = found.worktree
    const last = readings.get(path)
    const due =
      last === undefined
        ? 0
        : last.askedAt + (isWanted ? SHORTEST : (nextReadingIn(last) ?? Number.POSITIVE_INFINITY))
    if (last !== undefined && now() < due) return last
    const asked =
      asking.get(path) ??
      ask(folder, found, last).finally(() => {
        asking.delete(path)
      })
    asking.set(path, asked)
    const next = await asked
    readings.set(path, next)
    return next
  }

  return {
    forgeOf,
    read,
    known: (path: string): ForgeReading | undefined => readings.get(path),
    /** The forge is asked again at once, because something was changed there. */
    forget: (path: string): void => {
      readings.delete(path)
    },
  }
}

/**
 * ms after a reading until the forge is asked again; null: there is nothing to wait for. Longer while nothing changes,
 * and after each failure.
 */
export function nextReadingIn({
  forge,
  pull,
  failures,
  unchanged,
}: Pick<ForgeReading, 'forge' | 'pull' | 'failures' | 'unchanged'>): number | null {
  if (failures > 0)
    return forge === null || forge.program === null ? null : Math.min(600_000, 30_000 * 2 ** (failures - 1))
  if (pull === null) return 120_000
  if (pull.state === 'merged' || pull.state === 'closed') return null
  const waits = pull.checks.some(({ state }) => state === 'running' || state === 'queued')
  return Math.min(waits ? 60_000 : 300_000, (waits ? 15_000 : 60_000) * 1.5 ** unchanged)
}
