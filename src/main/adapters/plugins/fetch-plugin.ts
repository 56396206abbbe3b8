/** Fetches plugins from git repositories and marketplaces into the data folder. */
import { randomUUID } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { hasSecret, maskAddresses } from '../../../shared/mask-secrets.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { PluginEntry } from '../../../shared/settings.ts'
import type { Git } from '../git/git-client.ts'
import { isBelow, readPlainFile } from '../system/plain-text.ts'

/** `file:` URLs too: a repository on this machine. */
const URL_FORM = /^(https:\/\/|ssh:\/\/|file:\/\/|[\w.-]+@[\w.-]+:)[^\s]+$/

const marketplace = z.object({
  plugins: z.array(
    z.object({
      name: z.string(),
      source: z.union([
        z.string(),
        z.object({ source: z.literal('github'), repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/) }),
        z.object({ source: z.literal('url'), url: z.string() }),
      ]),
    }),
  ),
})

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
 * A clone at its newest commit, without hooks, submodules and links. Fails with `plugin`.
 *
 * @param source.plugin the plugin of a marketplace; null: the repository is the plugin
 */
export async function fetchPlugin(
  source: { readonly url: string; readonly plugin: string | null },
  { git, folder }: { readonly git: Git; readonly folder: string },
): Promise<Result<PluginEntry>> {
  const cloned = await clone(source.url, { git, folder })
  if (!cloned.ok) return cloned
  const { path, commit } = cloned.value
  const chosen = await choose(path, source)
  const entry = { enabled: false, source: { ...source, commit } }
  if (chosen.ok && chosen.value.kind === 'folder') return ok({ ...entry, path: chosen.value.path })
  await rm(path, { recursive: true, force: true })
  if (!chosen.ok) return chosen
  const other = await clone(chosen.value.kind === 'repository' ? chosen.value.url : '', { git, folder })
  return other.ok
    ? ok({ ...entry, path: other.value.path, source: { ...source, commit: other.value.commit } })
    : other
}

async function clone(
  url: string,
  { git, folder }: { readonly git: Git; readonly folder: string },
): Promise<Result<{ readonly path: string; readonly commit: string }>> {
  if (!isRepository(url))
    return problem(
      `${withoutLogin(url)} is not the address of a repository: it begins with https://, ssh:// or file://, or it is like git@host:path.`,
    )
  if (hasSecret(url))
    return problem(
      `The address of ${withoutLogin(url)} contains a password or a token, which Troupe does not store. Leave it out, and let git ask its credential helper.`,
    )
  await mkdir(folder, { recursive: true })
  const path = join(await realpath(folder), randomUUID())
  const config = ['core.symlinks=false', 'filter.lfs.required=false', 'filter.lfs.smudge=cat']
  const steps: readonly (readonly [string, readonly string[]])[] = [
    [
      folder,
      ['clone', '--quiet', '--no-checkout', '--depth', '1', '--no-tags', '--template=', '--', url, path],
    ],
    [path, ['checkout', '--quiet', '--detach', 'HEAD']],
  ]
  for (const [cwd, args] of steps) {
    const done = await git.run(cwd, args, { config, signal: AbortSignal.timeout(CLONE_TIMEOUT) })
    if (done.ok) continue
    await rm(path, { recursive: true, force: true })
    return problem(
      `${withoutLogin(url)} could not be fetched: ${done.failure.message.replaceAll(url, withoutLogin(url))}`,
    )
  }
  const commit = await git.run(path, ['rev-parse', 'HEAD'])
  // An update clones again, and nothing that git runs is left beside what the user approves.
  await rm(join(path, '.git'), { recursive: true, force: true })
  return commit.ok ? ok({ path, commit: commit.value.trim() }) : problem(commit.failure.message)
}

/** ms */
const CLONE_TIMEOUT = 120_000

type Chosen =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'repository'; readonly url: string }

/** The plugin in a clone: the clone itself, or an entry of its marketplace. */
async function choose(
  root: string,
  { url: given, plugin }: { readonly url: string; readonly plugin: string | null },
): Promise<Result<Chosen>> {
  const url = withoutLogin(given)
  const read = await readPlainFile(join(root, '.claude-plugin', 'marketplace.json'), root)
  if (read.kind === 'unread')
    return plugin === null ? ok({ kind: 'folder', path: root }) : problem(`${url} is not a marketplace.`)
  const listed = parse(read.text)
  if (listed === null) return problem(`The marketplace.json of ${url} is not valid.`)
  const names = listed.plugins.map(({ name }) => name).join(', ')
  if (plugin === null)
    return problem(`${url} is a marketplace. Add one of its plugins, as ${url}#NAME: ${names}.`)
  const found = listed.plugins.find(({ name }) => name === plugin)?.source
  if (found === undefined) return problem(`${url} has no plugin ${plugin}. It has ${names}.`)
  if (typeof found !== 'string')
    return ok({
      kind: 'repository',
      url: found.source === 'github' ? `https://github.com/${found.repo}.git` : found.url,
    })
  const path = resolve(root, found)
  return path === root || isBelow(root, path)
    ? ok({ kind: 'folder', path })
    : problem(`The plugin ${plugin} of ${url} is outside its repository.`)
}

function parse(text: string): z.infer<typeof marketplace> | null {
  try {
    return marketplace.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const problem = <T>(message: string): Result<T> => fail({ type: 'plugin', message: maskAddresses(message) })
