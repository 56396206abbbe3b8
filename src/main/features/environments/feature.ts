/** Composes the environments of worktrees, and what agents get of them. */
import type { Environments } from '../../../shared/environments/contract.ts'
import { portVariables } from '../../../shared/environments/environment.ts'
import type { EnvironmentsSnapshot } from '../../../shared/environments/environments.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { messageOf, ok } from '../../../shared/kernel/result.ts'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import { dataFolderOf } from '../../platform/command-line/given-paths.ts'
import { repositoryAround } from '../../platform/git/repository.ts'
import type { Platform } from '../../platform/platform.ts'
import { identityOf, type ProcessIdentity } from '../../platform/system/process-identity.ts'
import type { WorktreeEnvironments } from '../../runtime/ports/environments.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { Worktrees } from '../../runtime/ports/worktrees.ts'
import { createWorktreeRecords } from '../worktrees/worktree-records.ts'
import { createAgentEnvironments } from './agent-environments.ts'
import { createEnvironments, type EnvironmentService } from './create-environments.ts'
import { createEnvironmentRecords } from './environment-records.ts'
import type { RunnerOptions } from './environment-runner.ts'
import { createFolderCommands, createRegistries } from './folder-commands.ts'
import { createImages } from './images.ts'
import { createKeptFolders } from './kept-folders.ts'
import { createPortBlocks } from './port-blocks.ts'
import { createSharedSetups } from './shared-setups.ts'
import { type OverlapWatch, watchOverlaps } from './watch-overlaps.ts'

interface EnvironmentParts
  extends Pick<
    Platform,
    'dataFolder' | 'home' | 'environment' | 'git' | 'now' | 'newKey' | 'clock' | 'isTrusted' | 'onProblem'
  > {
  readonly shell: RunnerOptions['shell']
  readonly limits: RunnerOptions['limits']
  readonly worktrees: Worktrees
  /** Whether an agent waits for the set-up of its worktree. */
  readonly waits: () => boolean
  readonly attended: () => boolean
  readonly runtime: () => Pick<Runtime, 'state' | 'tellAgent' | 'subscribe'>
}

interface ComposedEnvironments {
  readonly service: EnvironmentService & Environments
  /** The same worktrees, with ports and a set-up. */
  readonly worktrees: Worktrees
  readonly forAgents: WorktreeEnvironments
  readonly overlaps: Pick<OverlapWatch, 'close'>
}

export function composeEnvironments(parts: EnvironmentParts): ComposedEnvironments {
  const { dataFolder, home, environment, git, now, clock, isTrusted, onProblem, worktrees } = parts
  const worktreeRecords = createWorktreeRecords({ dataFolder, onProblem })
  const usual = dataFolderOf({ platform: process.platform, home, environment })
  const ports = createPortBlocks({ usual, dataFolder })
  const images = createImages({ dataFolder, environment, now })
  const listeners = new Set<(what: 'state' | 'output') => void>()
  /** Of folders that were asked about. */
  const commonFolders = new Map<string, string>()
  let self: Promise<ProcessIdentity> | null = null
  const overlaps = watchOverlaps({
    ...{ git, now, onProblem, runtime: parts.runtime },
    worktrees: () => worktreeRecords.all(),
    onChange: () => {
      for (const listener of listeners) listener('state')
    },
  })
  const service = createEnvironments({
    commands: createFolderCommands(
      createApprovals({ dataFolder, name: 'environments.json' }),
      createRegistries(environment, home),
    ),
    records: createEnvironmentRecords({
      ...{ dataFolder, now, onProblem },
      self: () => {
        self ??= identityOf(process.pid)
        return self
      },
      onEvent: () => {
        for (const listener of listeners) listener('state')
      },
    }),
    worktrees: {
      async of(folder) {
        const known = commonFolders.get(folder)
        const around = known === undefined ? await repositoryAround(git, folder) : ok({ commonFolder: known })
        if (!around.ok) return around
        commonFolders.set(folder, around.value.commonFolder)
        return ok(await worktreeRecords.ofRepository(around.value.commonFolder))
      },
      at: (path) => worktreeRecords.read(path),
      environment: (location) => worktrees.environment(location),
    },
    runner: { clock, shell: parts.shell, limits: parts.limits, images },
    shared: createSharedSetups({ git, environment, kept: createKeptFolders(parts) }),
    overlapsOf: (of) => overlaps.of(of),
    ...{ ports, images, isTrusted, now, onProblem, listeners },
  })
  const begin = async (location: WorktreeLocation, isNew: boolean) => {
    overlaps.begin()
    await service.prepare(location, isNew)
    await service.begin(location).catch((thrown: unknown) => onProblem(String(thrown)))
  }
  return {
    service: {
      ...service,
      watch: (folder, listener) => watchStates(service, { folder, listener, onProblem }),
    },
    overlaps,
    forAgents: createAgentEnvironments({ ...parts, service, ports }),
    worktrees: {
      ...worktrees,
      async create(options, signal) {
        const made = await worktrees.create(options, signal)
        if (made.ok) await begin(made.value.location, true)
        return made
      },
      async restore(location, signal) {
        const restored = await worktrees.restore(location, signal)
        if (restored.ok) await begin(location, false)
        return restored
      },
      async release(location) {
        const removed = await worktrees.release(location)
        if (removed) await service.removed(location)
        return removed
      },
      environment(location) {
        const base = ports.of(location.path)
        return { ...worktrees.environment(location), ...(base !== null && portVariables(base)) }
      },
    },
  }
}

/** ms in which changes are told together, and between looks for those of other programs. */
const SETTLES = 200
const LOOK = 3000

/** Calls back soon after a change. @returns the function that stops it */
function watchStates(
  { state, subscribe }: Pick<EnvironmentService, 'state' | 'subscribe'>,
  given: {
    readonly folder: string
    readonly listener: (snapshot: EnvironmentsSnapshot) => void
    readonly onProblem: (message: string) => void
  },
): () => void {
  let before = ''
  let isDue = false
  let isStopped = false
  const tell = async () => {
    const current = await state(given.folder)
    const text = JSON.stringify(current)
    if (text !== before && !isStopped) given.listener(current)
    before = text
  }
  const soon = () => {
    if (isDue || isStopped) return
    isDue = true
    setTimeout(() => {
      isDue = false
      tell().catch((thrown: unknown) => given.onProblem(messageOf(thrown)))
    }, SETTLES).unref()
  }
  const unsubscribe = subscribe(soon)
  const look = setInterval(soon, LOOK)
  look.unref()
  return () => {
    isStopped = true
    clearInterval(look)
    unsubscribe()
  }
}

export const environmentHandlers = (
  environments: Environments,
): Omit<HandlersOf<'environment'>, 'environment.state' | 'environment.open'> => ({
  'environment.decide': (given) => environments.decide(given),
  'environment.setUp': (key) => environments.setUp(key),
  'environment.skip': (key) => environments.skip(key),
  'environment.run': (given) => environments.run(given),
  'environment.stop': (given) => environments.stop(given),
  'environment.log': (given) => environments.log(given),
})
