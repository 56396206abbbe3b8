/**
 * The git folder that commands in the sandbox see: a private copy, one for each agent and repository. A command changes
 * the copy as it likes, and Troupe takes over what it checked: objects, the agent's own branch, and its index. So hooks,
 * settings, other branches and everything else of the repository can't be changed from inside.
 */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { namedScripts } from '../../platform/approvals/named-scripts.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { fillPrivateGit, writeChanged } from './fill-private-git.ts'
import { repositoriesIn } from './index-file.ts'
import { createMadeRepositories, type MadeRepositories } from './made-repositories.ts'
import {
  alternatesOf,
  type Checkout,
  type Filled,
  gitFileVersion,
  REAL_OBJECTS,
  type Store,
} from './private-git-files.ts'
import { takeOverGit } from './take-over-git.ts'

/** What stands at a path inside the sandbox. */
interface GitMount {
  readonly source: string
  readonly at: string
  readonly writable: boolean
}

export interface PrivateGit {
  /** The top of the checkout. */
  readonly top: string
  /** The folder of the repository, with its settings. */
  readonly common: string
  /** Folders that the index names as other repositories. Absolute. */
  repositories(): readonly string[]
  /** Files of the checkout that the repository's settings name: git runs or includes them. Absolute. */
  readonly scripts: readonly string[]
  /** In the order of mounting. */
  readonly mounts: readonly GitMount[]
  /** Keeps git from listing files: those that only stand for missing ones. Absolute paths. */
  ignore(paths: readonly string[]): void
  /** To be called when the command has ended. @returns sentences for the agent about what was not kept */
  takeOver(): Promise<readonly string[]>
}

export interface PrivateGits {
  /**
   * @param request.writable whether the agent may change its folder
   * @returns null: the folder is in no repository, or in one that another folder's `.git` file claims. Fails with `io`.
   */
  open(request: {
    readonly agentId: string
    readonly folder: string
    readonly writable: boolean
  }): Promise<Result<PrivateGit | null>>
  /** Repositories that commands make below their folder. */
  readonly made: MadeRepositories
}

interface Private {
  readonly store: Store
  filled: Filled | null
  /** Commands that use it now. */
  running: number
  /** The last step, so that the next one waits for it. */
  turn: Promise<unknown>
}

/** @param options.store a folder that only Troupe uses; it is made */
export function createPrivateGits(options: { readonly store: string; readonly git: Git }): PrivateGits {
  const known = new Map<string, Private>()
  /** By git folder of a checkout: what its index names, in this version. */
  const named = new Map<string, { readonly version: string; readonly paths: readonly string[] }>()

  function repositories({ top, own }: Checkout): readonly string[] {
    const index = join(own, 'index')
    const version = gitFileVersion(index)
    const before = named.get(own)
    const paths =
      before?.version === version ? before.paths : exists(index) ? repositoriesIn(readFileSync(index)) : []
    named.set(own, { version, paths })
    return paths.map((path) => join(top, path))
  }

  function privateOf(agentId: string, { common, own }: Checkout): Private {
    const name = `${createHash('sha256').update(`${common}\0${own}`).digest('hex').slice(0, 12)}-${agentId}`
    const found = known.get(name)
    if (found !== undefined) return found
    const base = join(options.store, name)
    const made = {
      store: { copy: join(base, 'copy'), fixed: join(base, 'fixed') },
      filled: null,
      running: 0,
      turn: Promise.resolve(),
    }
    known.set(name, made)
    return made
  }

  return {
    made: createMadeRepositories({ git: options.git }),
    async open({ agentId, folder, writable }) {
      const checkout = checkoutOf(folder)
      if (checkout === null) return ok(null)
      const facts = {
        top: checkout.top,
        common: checkout.common,
        repositories: () => repositories(checkout),
        scripts: scriptsOf(checkout),
      }
      if (!writable) return ok({ ...facts, mounts: [], ignore() {}, takeOver: async () => [] })
      const its = privateOf(agentId, checkout)
      return inTurn(its, async () => {
        try {
          // While another command runs, the copy is its own, and nothing is written to where it could have put a link.
          if (its.running === 0) its.filled = fillPrivateGit(checkout, its.store, its.filled)
          const { filled } = its
          if (filled === null) throw new Error('the copy is gone')
          its.running++
          return ok({
            ...facts,
            mounts: mountsOf(checkout, its.store),
            ignore(paths) {
              const below = paths.map((path) => `/${relative(checkout.top, path)}`)
              const text = `${filled.ignored.trimEnd()}\n${below.join('\n')}\n`
              writeChanged(join(its.store.fixed, 'info', 'exclude'), text)
            },
            takeOver: () =>
              inTurn(its, async () => {
                its.running--
                const taken = await takeOverGit({ checkout, store: its.store, filled, git: options.git })
                if (its.running === 0 && taken.isSpent)
                  rmSync(join(its.store.copy, 'objects'), { recursive: true })
                return taken.notKept
              }),
          })
        } catch (thrown) {
          return fail({
            type: 'io',
            message: `The private copy of git's folder could not be made: ${messageOf(thrown)}`,
            cause: thrown,
          })
        }
      })
    },
  }
}

async function inTurn<T>(its: Private, work: () => Promise<T>): Promise<T> {
  const before = its.turn
  const mine = before.then(work)
  its.turn = mine.catch(() => undefined)
  return mine
}

/** What the settings name, and what the files that they include name. */
function scriptsOf({ top, common, own }: Checkout): readonly string[] {
  const named = (files: readonly string[]) =>
    namedScripts(
      top,
      // Paths of included files begin at the git folder.
      files.flatMap((file) => (exists(file) ? [readFileSync(file, 'utf8').replaceAll('../', './')] : [])),
    )
  const first = named([join(common, 'config'), join(own, 'config.worktree')])
  return [...new Set([...first, ...named(first.filter((file) => statSync(file).size < LARGEST_SETTINGS))])]
}

/** Bytes of an included file. */
const LARGEST_SETTINGS = 64 * 1024

function mountsOf({ common }: Checkout, { copy, fixed }: Store): readonly GitMount[] {
  const here = (name: string) => join(common, name)
  const read = (source: string, at: string) => ({ source, at, writable: false })
  return [
    { source: copy, at: common, writable: true },
    read(here('objects'), here(REAL_OBJECTS)),
    ...['config', 'info', 'refs/stash']
      .filter((name) => exists(join(fixed, name)))
      .map((name) => read(join(fixed, name), here(name))),
    read(exists(here('hooks')) ? here('hooks') : join(fixed, 'empty'), here('hooks')),
    ...['modules', 'lfs', 'annex']
      .filter((name) => exists(here(name)))
      .map((name) => read(here(name), here(name))),
    ...alternatesOf(here('objects')).map((path) => read(path, path)),
  ]
}

/**
 * The repository's own folder for a checkout, as git finds it from `folder` upwards. A `.git` file counts only if the
 * folder that it names points back to it: else any folder could claim another repository.
 */
function checkoutOf(folder: string): Checkout | null {
  for (let at = folder; ; at = dirname(at)) {
    const found = checkoutAt(at)
    if (found !== undefined) return found
    if (dirname(at) === at) return null
  }
}

/** Undefined: there is no repository here. Null: there is one that is only read. */
function checkoutAt(top: string): Checkout | null | undefined {
  const path = join(top, '.git')
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isDirectory()) return exists(join(path, 'HEAD')) ? { top, common: path, own: path } : undefined
  if (!found.isFile()) return null
  const own = pathIn(path, /^gitdir: (.*)$/m, top)
  if (own === null || pathIn(join(own, 'gitdir'), /^(.*)$/m, own) !== path) return null
  const common = pathIn(join(own, 'commondir'), /^(.*)$/m, own)
  return common === null || dirname(own) !== join(common, 'worktrees') ? null : { top, common, own }
}

function pathIn(file: string, pattern: RegExp, base: string): string | null {
  try {
    const path = pattern.exec(readFileSync(file, 'utf8'))?.[1]?.trim() ?? ''
    const named = resolve(base, path)
    return path === '' ? null : join(realpathSync.native(dirname(named)), basename(named))
  } catch {
    return null
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
