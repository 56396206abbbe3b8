/**
 * Installs programs with npm, each in a folder of its own. npm fills a draft folder, which takes the place of the former
 * one when it is complete; so a failure, a cancel or the end of this process leaves the former version in use.
 */
import { readdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isNewer, type ProgramOffer } from '../../../../shared/external-agents/known-program.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { makeFolders } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { draftMark } from '../../../platform/system/draft-name.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { exists } from '../../../platform/system/exists.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import { findIn, oldestNode, type SearchOptions } from './find-programs.ts'
import type { KnownProgram } from './known-programs.ts'
import type { Npm } from './npm.ts'

export interface ProgramInstaller {
  /**
   * What the registry says about the newest version, or the pinned one if `former` is null. `node`: the oldest major
   * version of Node that it names; null: it names none. Fails as `Npm` does.
   */
  offer(
    known: KnownProgram,
    former: string | null,
    signal: AbortSignal,
  ): Promise<Result<ProgramOffer & { readonly node: number | null }>>
  /** Fails as `Npm` does, or with `not-installed`; then nothing has changed. */
  install(
    known: KnownProgram,
    run: { readonly signal: AbortSignal; readonly onLine: (line: string) => void },
  ): Promise<Result<void>>
  /** Fails with `not-removed`. */
  remove(known: KnownProgram): Promise<Result<void>>
  /** Puts back or deletes what processes that have ended did not finish. */
  clean(): Promise<void>
}

interface InstallerOptions extends Pick<SearchOptions, 'folder' | 'platform'> {
  readonly npm: Npm
}

const MEGABYTE = 1024 * 1024

export function createProgramInstaller({ folder, platform, npm }: InstallerOptions): ProgramInstaller {
  const placeOf = ({ id }: KnownProgram) => join(folder, id)
  const draftOf = ({ id }: KnownProgram, kind: 'new' | 'old') =>
    join(folder, `.${id}.${process.pid}.${draftMark()}.${kind}`)

  /** A folder that npm takes for a project of its own. */
  const openDraft = async (draft: string): Promise<Result<void>> => {
    try {
      await makeFolders(draft)
      await writeFile(join(draft, 'package.json'), '{"private":true}\n')
      return ok(undefined)
    } catch (thrown) {
      return fail(diskFailure(thrown, 'The folder for the program can’t be made', draft))
    }
  }
  const withDraft = async <T>(
    known: KnownProgram,
    work: (draft: string) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const draft = draftOf(known, 'new')
    try {
      const opened = await openDraft(draft)
      return opened.ok ? await work(draft) : opened
    } finally {
      await rm(draft, { recursive: true, force: true }).catch(() => undefined)
    }
  }

  /** Gives the complete draft its place. The former folder goes last. */
  const putInPlace = async (known: KnownProgram, draft: string): Promise<Result<void>> => {
    const place = placeOf(known)
    const old = draftOf(known, 'old')
    try {
      const hasFormer = await moved(place, old)
      try {
        await rename(draft, place)
      } catch (thrown) {
        if (hasFormer) await rename(old, place)
        throw thrown
      }
      await rm(old, { recursive: true, force: true }).catch(() => undefined)
      return ok(undefined)
    } catch (thrown) {
      return fail({ type: 'not-installed', message: inUse(known, thrown, 'installed') })
    }
  }

  return {
    offer: (known, former, signal) =>
      withDraft(known, async (draft) => {
        const ask = (version: string) =>
          npm.run(['view', `${known.package}@${version}`, '--json', ...ASKED], { cwd: draft, signal })
        let asked = await ask(former === null ? known.version : 'latest')
        if (!asked.ok) return asked
        const newest = versionIn(asked.value) ?? known.version
        const isOld = former !== null && isNewer(known.version, newest)
        // The registry may call an older version its latest one.
        if (isOld) asked = await ask(known.version)
        if (!asked.ok) return asked
        const found = isOld ? known.version : newest
        const version = former === null || isNewer(found, former) ? found : former
        const bytes = known.megabytes * MEGABYTE
        return ok({
          ...{ id: known.id, package: known.package, version, former, bytes },
          node: nodeIn(asked.value),
          publisher: publisherIn(asked.value),
          folder: placeOf(known),
          problem: await spaceProblem(folder, bytes),
        })
      }),

    install: (known, { signal, onLine }) =>
      withDraft(known, async (draft) => {
        let packages = 0
        const spec = `${known.package}@${known.version}`
        onLine(`Asking for ${spec}`)
        const done = await npm.run(
          ['install', spec, '--prefix', draft, '--save-exact', '--omit=dev', '--loglevel=http'],
          {
            cwd: draft,
            signal,
            onLine: (line) => {
              if (FETCHED.test(line)) onLine(`Fetched ${amount(++packages)}`)
            },
          },
        )
        if (!done.ok) return done
        onLine('Putting it in its place')
        const incomplete = await missingIn(known, { draft, platform })
        if (incomplete !== null) return fail({ type: 'not-installed', message: incomplete })
        return putInPlace(known, draft)
      }),

    async remove(known) {
      const old = draftOf(known, 'old')
      try {
        await moved(placeOf(known), old)
        await rm(old, { recursive: true, force: true })
        return ok(undefined)
      } catch (thrown) {
        return fail({ type: 'not-removed', message: inUse(known, thrown, 'removed') })
      }
    },

    async clean() {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) {
        const [, id = '', pid = '', kind = ''] = DRAFT.exec(name) ?? []
        if (kind === '' || (await isRunning({ pid: Number(pid), start: 'unknown' }))) continue
        const path = join(folder, name)
        // The process ended between its two renames: the former version is still whole.
        if (kind === 'old' && !(await exists(join(folder, id)))) await moved(path, join(folder, id))
        else await rm(path, { recursive: true, force: true }).catch(() => undefined)
      }
    },
  }
}

const DRAFT = /^\.([a-z-]+)\.(\d+)\.[0-9a-f]{8}\.(new|old)$/

/** npm also names each package before it fetches it, as `npm http cache`. */
const FETCHED = /^npm http fetch GET 200 \S+\.tgz\b/

/** Two fields at least: npm prints a single one without its name. */
const ASKED = ['name', 'version', '_npmUser', 'maintainers', 'engines']

/** Why what npm left can't be used; null: it is complete. npm reports no package that is optional and could not be fetched. */
async function missingIn(
  known: KnownProgram,
  { draft, platform }: { readonly draft: string; readonly platform: NodeJS.Platform },
): Promise<string | null> {
  const modules = join(draft, 'node_modules')
  const found = await findIn(known, { modules, platform })
  if (found === null || !(await hasPart(known, { modules, platform })))
    return `No program for this system (${platform}, ${process.arch}) came with the package ${known.package}. Nothing has changed. Try again; if that does not help, the maker may not support this system.`
  return found.version === known.version
    ? null
    : `npm installed version ${found.version} instead of ${known.version}. Nothing has changed. Check the registry in your npm configuration.`
}

async function hasPart(
  { part }: KnownProgram,
  { modules, platform }: { readonly modules: string; readonly platform: NodeJS.Platform },
): Promise<boolean> {
  if (part === null) return true
  const start = join(modules, `${part}-${platform}-${process.arch}`)
  const names = await readdir(dirname(start)).catch(() => [])
  return names.some((name) => name.startsWith(basename(start)))
}

/** Null: npm's answer has none that can be read. */
function versionIn(json: string): string | null {
  const { version } = fieldsIn(json)
  return typeof version === 'string' && /^\d+\.\d+\.\d+/.test(version) ? version : null
}

function nodeIn(json: string): number | null {
  const { engines } = fieldsIn(json)
  return typeof engines === 'object' && engines !== null && 'node' in engines
    ? oldestNode(engines.node)
    : null
}

function fieldsIn(json: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(json)
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    return {}
  }
}

/** Who published it; of several maintainers, all names. */
function publisherIn(json: string): string | null {
  const { _npmUser, maintainers } = fieldsIn(json)
  const names = [_npmUser, ...(Array.isArray(maintainers) ? maintainers : [maintainers])].map(nameOf)
  const [publisher, ...others] = names
  const shown = publisher ?? others.flatMap((name) => name ?? []).join(', ')
  return shown === '' ? null : makeVisible(shown).slice(0, 200)
}

/** npm writes people as `name <mail>`, registries as objects. */
function nameOf(person: unknown): string | null {
  if (typeof person === 'string') return person.replace(/\s*<.*$/, '') || null
  const name = typeof person === 'object' && person !== null && 'name' in person ? person.name : null
  return typeof name === 'string' && name !== '' ? name : null
}

async function spaceProblem(folder: string, bytes: number): Promise<string | null> {
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    return free > bytes
      ? null
      : `The disk has ${Math.floor(free / MEGABYTE)} MB left, and this needs about ${Math.ceil(bytes / MEGABYTE)} MB. Free some space first.`
  } catch {
    return null
  }
}

/** False: there was nothing. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false
    throw thrown
  }
}

/** Windows does not rename a folder whose program runs. */
function inUse({ title, id }: KnownProgram, thrown: unknown, what: string): string {
  return ['EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY'].includes(codeOf(thrown))
    ? `${title} was not ${what}: its folder is in use or may not be changed (${messageOf(thrown)}). Stop the agents named ${id}, then try again.`
    : `${title} was not ${what}: ${sentence(messageOf(thrown))} Try again.`
}

const amount = (packages: number): string => (packages === 1 ? '1 package' : `${packages} packages`)
