/** Fetches plugins from git repositories, marketplaces and npm into the data folder. */
import { cp, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { hasSecret, maskAddresses } from '../../../shared/kernel/mask-secrets.ts'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { PluginEntry } from '../../../shared/settings/settings.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { completeManifest } from './complete-manifest.ts'
import { type Marketplace, type MarketplaceEntry, type PluginPlace, readMarketplace } from './marketplace.ts'

/** `file:` URLs too: a repository on this machine. */
const URL_FORM = /^(https:\/\/|ssh:\/\/|file:\/\/|[\w.-]+@[\w.-]+:)[^\s]+$/

/** The user's npm, which runs no scripts of packages. */
export interface PackageFetcher {
  run(
    args: readonly string[],
    run: { readonly cwd: string; readonly signal: AbortSignal },
  ): Promise<Result<string>>
}

interface FetchTools {
  readonly git: Git
  readonly npm: PackageFetcher
  /** The folder for clones. */
  readonly folder: string
}

/** The address of a repository to show: a login in it may be a token. */
export const withoutLogin = (url: string): string =>
  maskAddresses(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
    .replace(/^[^/\s@]*:[^/\s@]*@/, '')

/** Whether the text is the address of a repository, rather than a folder. */
export const isRepository = (text: string): boolean => URL_FORM.test(text)

/** Whether the text is meant as an address, also as one that can't be fetched: `http://…`, `me:password@host:path`. */
export const isAddress = (text: string): boolean =>
  isRepository(text) || /^[a-z][a-z0-9+.-]*:(\/\/|:)/i.test(text) || /^[^/\s]*@[^/\s]+:/.test(text)

/**
 * A copy of the plugin without hooks of git, submodules and links. Fails with `plugin`.
 *
 * @param source.url the address of a repository, or a folder with a marketplace
 * @param source.plugin the plugin of a marketplace; null: the repository is the plugin
 */
export async function fetchPlugin(
  source: { readonly url: string; readonly plugin: string | null },
  tools: FetchTools,
): Promise<Result<PluginEntry>> {
  const got = isAddress(source.url)
    ? await clone({ kind: 'repository', url: source.url, what: null, path: '' }, tools)
    : await copy(source.url, tools)
  if (!got.ok) return got
  const { top } = got.value
  const found = await choose(top, source)
  const placed = !found.ok
    ? found
    : found.value === null
      ? got
      : await fetchPlace(found.value.place, { top, got: got.value, tools, name: found.value.name })
  const entry = found.ok ? found.value : null
  const completed =
    placed.ok && entry !== null ? await completeManifest(placed.value.path, entry) : ok(undefined)
  const used = placed.ok && completed.ok ? placed.value.top : null
  if (used !== top) await rm(top, { recursive: true, force: true })
  if (!placed.ok) return placed
  if (!completed.ok) {
    await rm(placed.value.top, { recursive: true, force: true })
    return completed
  }
  return ok({ enabled: false, path: placed.value.path, source: { ...source, commit: placed.value.commit } })
}

interface Fetched {
  /** The folder to remove with the plugin. */
  readonly top: string
  /** The plugin's folder: `top`, or below it. */
  readonly path: string
  readonly commit: string
}

/** The entry of the marketplace; null: the repository is the plugin itself. */
async function choose(
  root: string,
  { url: given, plugin }: { readonly url: string; readonly plugin: string | null },
): Promise<Result<MarketplaceEntry | null>> {
  const url = withoutLogin(given)
  const read = await readMarketplace(root)
  if (read === null) return plugin === null ? ok(null) : problem(`${url} is not a marketplace.`)
  if (!read.ok) return problem(`${url}: ${read.failure.message}`)
  const { entries, unusable, renames } = read.value
  const names = entries.map(({ name }) => name).join(', ')
  if (plugin === null)
    return problem(
      `${url} is a marketplace. Add one of its plugins, as ${url}#NAME: ${names}.${aboutUnusable(read.value)}`,
    )
  const wanted = renames.get(plugin) ?? plugin
  const found = entries.find(({ name }) => name === plugin) ?? entries.find(({ name }) => name === wanted)
  if (found !== undefined) return ok(found)
  const because = unusable.get(plugin)
  return because === undefined
    ? problem(`${url} has no plugin ${plugin}. It has ${names}.`)
    : problem(`The plugin ${plugin} of ${url} can't be used: ${sentence(because)}`)
}

function aboutUnusable({ unusable }: Marketplace): string {
  const each = [...unusable].map(([name, because]) => `${name}: ${because}`)
  return each.length === 0 ? '' : ` Not usable: ${each.join('; ')}.`
}

interface Placing {
  readonly top: string
  readonly got: Fetched
  readonly tools: FetchTools
  readonly name: string
}

async function fetchPlace(place: PluginPlace, { top, got, tools, name }: Placing): Promise<Result<Fetched>> {
  if (place.kind === 'npm') return install(place, tools)
  if (place.kind === 'repository') return clone(place, tools)
  const path = resolve(top, place.path)
  return path === top || isBelow(top, path)
    ? ok({ ...got, path })
    : problem(`The plugin ${name} is outside its repository.`)
}

/** ms */
const CLONE_TIMEOUT = 120_000

async function clone(
  { url, what, path: below }: Extract<PluginPlace, { kind: 'repository' }>,
  { git, folder }: FetchTools,
): Promise<Result<Fetched>> {
  if (!isRepository(url))
    return problem(
      `${withoutLogin(url)} is not the address of a repository: it begins with https://, ssh:// or file://, or it is like git@host:path.`,
    )
  if (hasSecret(url))
    return problem(
      `The address of ${withoutLogin(url)} contains a password or a token, which Troupe does not store. Leave it out, and let git ask its credential helper.`,
    )
  const top = await newFolder(folder)
  const config = ['core.symlinks=false', 'filter.lfs.required=false', 'filter.lfs.smudge=cat']
  const run = (args: readonly string[]) =>
    git.run(top, args, { config, signal: AbortSignal.timeout(CLONE_TIMEOUT) })
  const fetchOf = (more: readonly string[], names: readonly string[]) => [
    ...['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...more, '--', url, ...names],
  ]
  const started = await run(['init', '--quiet', '--template='])
  const newest = started.ok ? await run(fetchOf(['--depth', '1'], [what ?? 'HEAD'])) : started
  // Some servers give a commit only as a part of a branch.
  const fetched =
    newest.ok || what === null || !COMMIT.test(what)
      ? newest
      : await run(fetchOf([], ['+refs/heads/*:refs/remotes/origin/*']))
  const wanted = what !== null && COMMIT.test(what) ? what : 'FETCH_HEAD'
  const done = fetched.ok ? await run(['checkout', '--quiet', '--detach', wanted]) : fetched
  const commit = done.ok ? await git.run(top, ['rev-parse', 'HEAD']) : done
  if (!commit.ok) {
    await rm(top, { recursive: true, force: true })
    return problem(
      `${withoutLogin(url)} could not be fetched${what === null ? '' : ` at ${what}`}: ${commit.failure.message.replaceAll(url, withoutLogin(url))}`,
    )
  }
  // An update clones again, and nothing that git runs is left beside what the user approves.
  await rm(join(top, '.git'), { recursive: true, force: true })
  const path = resolve(top, below)
  const real = await realpath(path).catch(() => null)
  if (real !== null && (real === top || isBelow(top, real)))
    return ok({ top, path, commit: commit.value.trim() })
  await rm(top, { recursive: true, force: true })
  return problem(`${withoutLogin(url)} has no folder ${below}.`)
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/

/** A marketplace on this machine. Its plugins are copied, because their entries may complete their manifests. */
async function copy(from: string, { folder }: FetchTools): Promise<Result<Fetched>> {
  const top = await newFolder(folder)
  try {
    await cp(from, top, { recursive: true, filter: (path) => basename(path) !== '.git' })
    return ok({ top, path: top, commit: 'a copy' })
  } catch (thrown) {
    await rm(top, { recursive: true, force: true })
    return problem(
      `${from} could not be copied: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    )
  }
}

/** Without install scripts; what the package needs is inside its folder. */
async function install(
  { package: name, version, registry }: Extract<PluginPlace, { kind: 'npm' }>,
  { npm, folder }: FetchTools,
): Promise<Result<Fetched>> {
  const top = await newFolder(folder)
  await writeFile(join(top, 'package.json'), '{"private":true}\n')
  const spec = version === null ? name : `${name}@${version}`
  const done = await npm.run(
    [
      ...['install', spec, '--prefix', top, '--omit=dev', '--install-strategy=nested'],
      ...(registry === null ? [] : [`--registry=${registry}`]),
    ],
    { cwd: top, signal: AbortSignal.timeout(CLONE_TIMEOUT) },
  )
  const path = join(top, 'node_modules', name)
  const manifest = done.ok ? await readFile(join(path, 'package.json'), 'utf8').catch(() => '{}') : '{}'
  if (done.ok) return ok({ top, path, commit: `${name} ${versionIn(manifest)}` })
  await rm(top, { recursive: true, force: true })
  return problem(`The npm package ${spec} could not be fetched: ${done.failure.message}`)
}

function versionIn(manifest: string): string {
  try {
    return String(JSON.parse(manifest).version)
  } catch {
    return ''
  }
}

async function newFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const top = join(await realpath(folder), draftMark())
  await mkdir(top)
  return top
}

const problem = <T>(message: string): Result<T> => fail({ type: 'plugin', message: maskAddresses(message) })
