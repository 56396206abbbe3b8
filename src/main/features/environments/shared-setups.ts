/**
 * Lets a worktree have what the set-up of another one with the same inputs made. Only in worktrees in which no agent has
 * worked yet: what an agent could have changed is not kept, and nothing is put where an agent may have laid links.
 */
import { isDependency, shareableSteps, sharedText } from '../../../shared/environments/shareable-setup.ts'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { ignoredPaths } from '../../platform/git/hidden-files.ts'
import { readStatus } from '../../platform/git/status.ts'
import { excludesFileOf } from '../worktrees/worktree-excludes.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'
import type { Running, SetupSharing } from './environment-runner.ts'
import type { KeptFolders } from './kept-folders.ts'
import { type SetupKeys, setupKeys } from './setup-inputs.ts'

interface SharedSetupsOptions {
  readonly git: Git
  readonly environment: Readonly<Record<string, string>>
  readonly kept: KeptFolders
}

export interface SharedSetups {
  /** A worktree was made, and no agent works in it yet. */
  made(worktree: string): void
  /** An agent begins to work in it, or it was removed. */
  entered(worktree: string): void
  /** Null: its set-up is not shared. */
  of(record: WorktreeRecord, running: Running): SetupSharing | null
}

export function createSharedSetups(options: SharedSetupsOptions): SharedSetups {
  /** By worktree; aborted when an agent begins to work there. */
  const unused = new Map<string, AbortController>()
  /** Set-ups that run, as the first with their inputs. Resolved at their ends. */
  const first = new Map<string, Promise<void>>()
  return {
    made: (worktree) => void unused.set(worktree, new AbortController()),
    entered(worktree) {
      unused.get(worktree)?.abort()
      unused.delete(worktree)
    },
    of(record, running) {
      const steps = shareableSteps(running.commands.commands)
      const isUnused = unused.get(record.path)
      if (steps === 0 || !running.isAsApproved || isUnused === undefined || process.platform === 'win32')
        return null
      const signal = AbortSignal.any([isUnused.signal, running.signal])
      return shareSetup(options, { record, running, steps, signal, first })
    },
  }
}

function shareSetup(
  options: SharedSetupsOptions,
  {
    record,
    running,
    steps,
    signal,
    first,
  }: {
    readonly record: WorktreeRecord
    readonly running: Running
    readonly steps: number
    readonly signal: AbortSignal
    readonly first: Map<string, Promise<void>>
  },
): SetupSharing {
  const { kept, git } = options
  const { path } = record
  const { log } = running
  const { image, setup, share } = running.commands.commands
  const shared = { ...(image && { image }), setup: setup.slice(0, steps), ...(share && { share }) }
  const stopped = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  let end = () => {}
  /** As the set-up found them. */
  let before: SetupKeys | null = null

  async function bring(keys: readonly string[]): Promise<readonly string[] | null> {
    const brought = await kept.bring(keys, path, signal)
    if (brought.ok) {
      if (brought.value !== null) log.add('troupe', broughtText(brought.value, shared.setup))
      return brought.value
    }
    if (!signal.aborted)
      log.add('troupe', `Nothing was copied from another worktree: ${sentence(brought.failure.message)}`)
    return null
  }

  function becomeFirst(key: string): void {
    const ended = new Promise<void>((resolve) => {
      end = () => {
        first.delete(key)
        resolve()
      }
    })
    first.set(key, ended)
  }

  async function keepMade(keys: SetupKeys): Promise<Result<string | null>> {
    const made = await madeIn(git, record)
    if (!made.ok) return made
    const others = made.value.filter((each) => !isDependency(each, share))
    const key = others.length === 0 ? keys.manifests : keys.tree
    if (made.value.length === 0 || key === null) return ok(null)
    const done = await kept.keep(key, { worktree: path, paths: made.value }, signal)
    return done.ok ? ok(keptText(made.value, others)) : done
  }

  return {
    steps,
    async take(waits) {
      const found = await setupKeys(options, record, shared)
      if (!found.ok) return null
      before = found.value
      const { manifests, tree } = found.value
      const keys = tree === null ? [manifests] : [manifests, tree]
      const brought = await bring(keys)
      if (brought !== null || signal.aborted) return brought
      const other = first.get(manifests)
      if (other === undefined) {
        becomeFirst(manifests)
        return null
      }
      log.add('troupe', 'Waits for the set-up of another worktree with the same inputs.')
      await waits()
      await Promise.race([other, stopped])
      return signal.aborted ? null : bring(keys)
    },
    async keep() {
      if (signal.aborted || before === null) return
      const done = await keepMade(before)
      if (!done.ok && !signal.aborted)
        log.add('troupe', `Nothing was kept for other worktrees: ${sentence(done.failure.message)}`)
      else if (done.ok && done.value !== null) log.add('troupe', done.value)
    },
    end: () => end(),
  }
}

/** Ignored paths that one set-up may make. */
const MOST_PATHS = 500

/** The ignored paths that the set-up made, without a slash at the end. Fails where it made more than these. */
async function madeIn(git: Git, { path, copied }: WorktreeRecord): Promise<Result<readonly string[]>> {
  const excludes = excludesFileOf(path)
  const config = { config: excludes === null ? [] : [`core.excludesFile=${excludes}`] }
  const [status, ignored] = await Promise.all([
    readStatus(git, path, config),
    ignoredPaths(git, path, config),
  ])
  if (!status.ok) return status
  if (!ignored.ok) return ignored
  const paths = ignored.value.map((each) => each.replace(/\/$/, '')).filter((each) => !copied.includes(each))
  const holdsCopy = paths.some((each) => copied.some((copy) => copy.startsWith(`${each}/`)))
  const [other] = status.value
  const why =
    other !== undefined
      ? `${other.path} is in no commit, and git does not ignore it`
      : holdsCopy
        ? 'files of .worktreeinclude are in folders that it made'
        : paths.length > MOST_PATHS
          ? `it made more than ${MOST_PATHS} files and folders`
          : null
  return why === null ? ok(paths) : fail({ type: 'not-shareable', message: why })
}

const broughtText = (paths: readonly string[], setup: readonly string[]) =>
  `Copied from the set-up of another worktree with the same inputs: ${sharedText(paths)}. Not run: ${setup.join(', ')}`

const keptText = (paths: readonly string[], others: readonly string[]) =>
  others.length === 0
    ? `Kept for other worktrees with the same lock files: ${sharedText(paths)}.`
    : `Kept for other worktrees of the same commit: ${sharedText(paths)}. With other files, ${sharedText(others)} may be different.`
