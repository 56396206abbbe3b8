/**
 * The checkouts of a worker's remote jobs. Each is a repository of its own that borrows the objects of the mirror, so
 * that jobs share no settings, refs, hooks or locks.
 */
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../shared/kernel/json.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type {
  CheckoutState,
  JobRepository,
  StoredBundle,
} from '../../../../shared/workers/worker-protocol.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { FALLBACK_NAME, hasIdentity } from '../../../platform/git/committer.ts'
import { confineGit } from '../../../platform/git/with-options.ts'
import { hasUnfinished } from '../../../platform/git/worktree-entry.ts'
import { FOLDER_MODE } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { ageOf } from '../../../platform/system/file-times.ts'
import { identityOf, isRunning } from '../../../platform/system/process-identity.ts'
import { type BundleFailure, type BundleResult, bundleFailure } from './bundle-failure.ts'
import { readCheckoutState } from './checkout-state.ts'
import { createMirrors, fetchChain, initRepository, type ReceivingDeps } from './mirrors.ts'
import { storeBundle } from './send-bundles.ts'

interface WorkspaceDeps extends ReceivingDeps {
  /** The worker's data folder. */
  readonly dataFolder: string
}

interface OpenedJob {
  readonly jobId: string
  readonly repository: JobRepository
  /** The files that an earlier worker of the job left; null: those of the repository. */
  readonly work: CheckoutState | null
}

export interface Workspace {
  /** The top of the checkout. */
  readonly folder: string
  /**
   * Stores the files as they are now. Null: they are as at the last call, or as at the start. The checkout, its index
   * and its HEAD stay as they are.
   */
  save(signal?: AbortSignal): Promise<BundleResult<CheckoutState | null>>
  /** Removes the checkout. */
  remove(): Promise<void>
  /** Keeps the checkout for 14 days: it holds work that could not be sent. */
  keep(): Promise<void>
  /** Whether branches or stashes have commits that the stored states do not have. */
  hasMore(): Promise<boolean>
}

export interface Workspaces {
  open(job: OpenedJob, signal: AbortSignal): Promise<BundleResult<Workspace>>
  /** Removes checkouts whose jobs have ended, then mirrors, oldest first, until at most `maxBytes` are used. */
  tidy(options: { readonly maxBytes: number; readonly running: ReadonlySet<string> }): Promise<void>
}

const CANNOT = 'The checkout for the job could not be made'
const unfinished: BundleFailure = {
  type: 'refused',
  message:
    'A merge, a rebase or a bisection is unfinished in the agent’s checkout, so its last changes were not sent.',
}

const CANNOT_SAVE = 'The agent’s files could not be stored'

/** Bundles that build on each other, before one bundle replaces them. */
const LONGEST_CHAIN = 20

export function createWorkspaces(deps: WorkspaceDeps): Workspaces {
  const { dataFolder } = deps
  const mirrors = createMirrors(deps, join(dataFolder, 'mirrors'))
  const home = join(dataFolder, 'workspaces')
  return {
    async open(job, signal) {
      if (!isName(job.jobId)) return fail({ type: 'invalid', message: 'The job’s id is not a name.' })
      const folder = join(home, job.jobId)
      try {
        const mirror = await mirrors.receive(job.repository, signal)
        if (!mirror.ok) return mirror
        await rm(folder, { recursive: true, force: true })
        await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
        const checkout = new JobCheckout(deps, { ...job, folder, mirror: mirror.value })
        const made = await checkout.make(signal)
        if (made.ok) return ok(checkout)
        await checkout.remove()
        return made
      } catch (error) {
        return fail({ ...diskFailure(error, CANNOT, folder), type: 'io' })
      }
    },
    async tidy({ maxBytes, running }) {
      const names = await readdir(home).catch(() => [])
      const inUse = new Set<string>()
      for (const name of names) {
        const { mirror, by } = await readOwner(join(home, name))
        const isOurs = by?.pid === process.pid
        const isUsed = isOurs ? running.has(name) : by !== null && (await isRunning(by))
        if (isUsed || (await isKept(join(home, name)))) inUse.add(mirror)
        else await rm(join(home, name), { recursive: true, force: true })
      }
      await mirrors.shrink(maxBytes, inUse)
    },
  }
}

const isName = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) && !text.includes('..')

const KEPT_NAME = 'kept'

/** ms: 14 days. */
const KEPT_FOR = 14 * 24 * 60 * 60 * 1000

async function isKept(folder: string): Promise<boolean> {
  const found = await stat(join(folder, KEPT_NAME)).catch(() => null)
  return found !== null && ageOf(found.mtimeMs) < KEPT_FOR
}

/** The file that says which mirror a checkout borrows from, and which process works in it. */
const OWNER_NAME = 'owner.json'

const ownerFile = z.object({
  mirror: z.string(),
  by: z.object({ pid: z.number().int(), start: z.string() }).nullable(),
})

async function readOwner(folder: string): Promise<z.infer<typeof ownerFile>> {
  const text = await readFile(join(folder, OWNER_NAME), 'utf8').catch(() => '')
  const read = ownerFile.safeParse(jsonOrUndefined(text))
  return read.success ? read.data : { mirror: '', by: null }
}

interface CheckoutOptions extends OpenedJob {
  readonly folder: string
  readonly mirror: string
}

class JobCheckout implements Workspace {
  readonly folder: string
  private readonly deps: WorkspaceDeps
  private readonly options: CheckoutOptions
  private readonly gitFolder: string
  /** What was stored last. */
  private saved: CheckoutState

  constructor(deps: WorkspaceDeps, options: CheckoutOptions) {
    // Without its own `.git`, the checkout must not be taken for a part of a repository around it.
    this.deps = { ...deps, git: confineGit(deps.git, options.folder) }
    this.options = options
    this.folder = join(options.folder, 'checkout')
    this.gitFolder = join(this.folder, '.git')
    const { head, commit } = options.repository
    this.saved = options.work ?? { head, commit, bundles: [] }
  }

  async make(signal: AbortSignal): Promise<BundleResult<void>> {
    const { folder, mirror, repository, work } = this.options
    const owner = { mirror: basename(mirror), by: await identityOf(process.pid) }
    await writeFile(join(folder, OWNER_NAME), JSON.stringify(owner))
    const { commit } = repository
    const made = await initRepository(this.deps.git, { folder, path: this.folder, commit, bare: false })
    if (!made.ok) return made
    await mkdir(join(this.gitFolder, 'objects', 'info'), { recursive: true })
    await writeFile(join(this.gitFolder, 'objects', 'info', 'alternates'), `${join(mirror, 'objects')}\n`)
    await mkdir(join(this.gitFolder, 'info'), { recursive: true })
    const known = await this.git(['update-ref', SENT, commit])
    if (!known.ok) return known
    if (work !== null) {
      const chain = { ...work, gitFolder: this.gitFolder, draftFolder: folder, refFor: savedRef, signal }
      const fetched = await fetchChain(this.deps, chain)
      if (!fetched.ok) return fetched
    }
    return this.checkOut(signal)
  }

  private async checkOut(signal: AbortSignal): Promise<BundleResult<void>> {
    const { git } = this.deps
    const { branch } = this.options.repository
    const { head, commit } = this.saved
    const named = await git.answers(this.folder, ['check-ref-format', branchRef(branch)], { accepts: [1] })
    if (!named.ok || named.value.code !== 0 || branch.startsWith('-'))
      return fail({ type: 'invalid', message: 'The job’s branch is not a name that git allows.' })
    const parents = await git.run(this.folder, ['rev-list', '--parents', '-n', '1', commit])
    if (head !== commit && (!parents.ok || parents.value.trim() !== `${commit} ${head}`))
      return fail({
        type: 'invalid',
        message: 'The job’s uncommitted changes do not belong to its commit.',
      })
    const hasName = await hasIdentity(git, this.folder)
    await appendFile(join(this.gitFolder, 'config'), hasName ? SETTINGS : SETTINGS + IDENTITY)
    const steps = [
      ['symbolic-ref', 'HEAD', branchRef(branch)],
      ['reset', '--hard', '--quiet', '--no-recurse-submodules', commit],
      ...(head === commit ? [] : [['reset', '--mixed', '--intent-to-add', '--quiet', head]]),
    ]
    for (const step of steps) {
      const done = await this.git(step, signal)
      if (!done.ok) return done
    }
    return ok(undefined)
  }

  async save(signal?: AbortSignal): Promise<BundleResult<CheckoutState | null>> {
    const { git } = this.deps
    const { folder } = this.options
    try {
      if (await hasUnfinished(this.gitFolder)) return fail(unfinished)
      const state = await readCheckoutState(git, {
        top: this.folder,
        gitFolder: this.gitFolder,
        excludesFile: null,
        without: [],
        draftFolder: folder,
        ...(signal ? { signal } : {}),
      })
      if (!state.ok) return fail(await bundleFailure(state.failure, CANNOT_SAVE, [folder]))
      const { head, commit } = state.value
      if (head === this.saved.head && commit === this.saved.commit) return ok(null)
      const earlier = this.saved.bundles.length < LONGEST_CHAIN ? this.saved.bundles : []
      const bundle = await this.store(commit, earlier, signal)
      if (!bundle.ok) return bundle
      const kept = await this.git(['update-ref', savedRef(commit), commit])
      if (!kept.ok) return kept
      this.saved = { head, commit, bundles: [...earlier, ...(bundle.value ? [bundle.value] : [])] }
      return ok(this.saved)
    } catch (error) {
      return fail({ ...diskFailure(error, CANNOT_SAVE, folder), type: 'io' })
    }
  }

  private store(
    commit: string,
    earlier: readonly StoredBundle[],
    signal: AbortSignal | undefined,
  ): Promise<BundleResult<StoredBundle | null>> {
    const { folder, repository } = this.options
    return storeBundle(
      { ...this.deps, folder, maxBytes: this.deps.limits.maxBytes },
      {
        folder: this.folder,
        commit,
        known: [repository.commit, ...earlier.map((bundle) => bundle.commit)],
        ...(signal ? { signal } : {}),
      },
    )
  }

  async remove(): Promise<void> {
    await rm(this.options.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }

  async keep(): Promise<void> {
    await writeFile(join(this.options.folder, KEPT_NAME), '')
  }

  async hasMore(): Promise<boolean> {
    const { saved } = this
    const args = [
      'rev-list',
      '--count',
      '--branches',
      '--tags',
      '--glob=refs/stash',
      '--not',
      saved.commit,
      SENT,
    ]
    const counted = await this.deps.git.run(this.folder, args)
    return !counted.ok || counted.value.trim() !== '0'
  }

  private async git(args: readonly string[], signal?: AbortSignal): Promise<BundleResult<void>> {
    const done = await this.deps.git.run(this.folder, args, signal ? { signal } : {})
    return done.ok ? ok(undefined) : fail(await bundleFailure(done.failure, CANNOT, [this.options.folder]))
  }
}

const SENT = 'refs/troupe/sent'

const savedRef = (commit: string): string => `refs/troupe/saved/${commit}`

/**
 * The settings of a checkout. Filters do not run, since their content would stay on this machine; files have the bytes
 * of the commit; and this machine's own lists of ignored files and attributes do not apply.
 */
const SETTINGS = `[core]
	autocrlf = false
	excludesFile =
	attributesFile =
[gc]
	auto = 0
[filter "lfs"]
	required = false
	process =
	smudge =
	clean =
`

/** For the agent's own commits on a machine where git knows nobody. */
const IDENTITY = `[user]
	name = ${FALLBACK_NAME.name}
	email = ${FALLBACK_NAME.email}
`
