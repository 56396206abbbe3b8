/**
 * The plugins of the user. A plugin is used while its content has the digest that the user approved; a changed plugin
 * is off until the user approves it again.
 */

import { readFileSync } from 'node:fs'
import { realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { maskAddresses } from '../../../shared/kernel/mask-secrets.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { InstalledPlugin } from '../../../shared/plugins/installed-plugin.ts'
import type { PluginEntry, Settings, SettingsPatch } from '../../../shared/settings/settings.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { readPlugin } from '../definitions/plugin-folders.ts'
import { describePlugin } from './describe-plugin.ts'
import { fetchPlugin, isAddress, isRepository, type PackageFetcher, withoutLogin } from './fetch-plugin.ts'
import { repositoryOf } from './marketplace.ts'
import { createPluginDigests } from './plugin-digest.ts'

export interface InstalledPlugins {
  /** The folders whose agents and skills are used. */
  enabled(): readonly string[]
  /** The folders whose hooks and MCP servers are used too. */
  approved(): readonly string[]
  /** The folders of plugins that the user approved and whose content has changed since. */
  changed(): readonly string[]
  list(): Promise<readonly InstalledPlugin[]>
  /**
   * A folder, the address of a repository or `OWNER/REPO` of GitHub; with `#PLUGIN`, a plugin of the marketplace there. It
   * stays off. Fails with `plugin`.
   */
  add(source: string): Promise<Result<InstalledPlugin>>
  /** @param digest of the content that the user has seen */
  enable(name: string, digest: string): Promise<Result<void>>
  disable(name: string): Promise<Result<void>>
  remove(name: string): Promise<Result<void>>
  /** Fetches the newest commit. Changed content has to be enabled again. */
  update(name: string): Promise<Result<InstalledPlugin>>
}

export function createInstalledPlugins(options: {
  readonly dataFolder: string
  readonly settings: {
    readonly current: Settings
    change?(patch: SettingsPatch): Promise<Result<Settings>>
  }
  readonly git: Git
  readonly npm: PackageFetcher
  /** The names of plugins that the user's settings turn off (`enabledPlugins`). */
  readonly turnedOff?: readonly string[]
}): InstalledPlugins {
  const { settings, git, npm, turnedOff = [] } = options
  const folder = join(options.dataFolder, 'plugins')
  const tools = { git, npm, folder }
  const digests = createPluginDigests(join(options.dataFolder, 'plugin-files'))
  const isTurnedOff = (path: string) => turnedOff.length > 0 && turnedOff.includes(nameIn(path))
  const isApproved = ({ path, enabled, digest }: PluginEntry): boolean => {
    if (!enabled || digest === undefined || isTurnedOff(path)) return false
    const now = digests.of(path, digest)
    return now.kind === 'digest' && now.digest === digest
  }

  const shown = async (entry: PluginEntry): Promise<InstalledPlugin> => {
    const described = await describePlugin(entry.path)
    const now = digests.of(entry.path, entry.digest ?? null)
    const digest = now.kind === 'digest' ? now.digest : null
    const isOff = turnedOff.includes(described.name)
    return {
      ...described,
      path: entry.path,
      source: entry.source === undefined ? null : { ...entry.source, url: withoutLogin(entry.source.url) },
      digest,
      state: isOff
        ? 'turned-off'
        : !entry.enabled
          ? 'disabled'
          : entry.digest === undefined
            ? 'unapproved'
            : entry.digest === digest
              ? 'enabled'
              : 'changed',
      problems: [...described.problems, ...(now.kind === 'none' ? [now.because] : [])],
    }
  }
  const list = () => Promise.all(settings.current.plugins.map(shown))

  const save = async (plugins: readonly PluginEntry[]): Promise<Result<void>> => {
    if (settings.change === undefined) return problem('The settings can’t be changed here.')
    const changed = await settings.change({ plugins: [...plugins] })
    return changed.ok ? ok(undefined) : changed
  }
  const find = async (name: string): Promise<Result<{ entry: PluginEntry; plugin: InstalledPlugin }>> => {
    const all = await list()
    const index = all.findIndex((one) => one.name === name || one.path === name)
    const [entry, plugin] = [settings.current.plugins[index], all[index]]
    if (entry !== undefined && plugin !== undefined) return ok({ entry, plugin })
    const names = all.map((one) => one.name).join(', ')
    return problem(
      `There is no plugin ${withoutLogin(name)}. ${names === '' ? 'None is added.' : `There are: ${names}.`}`,
    )
  }
  const replace = async (
    name: string,
    change: (found: { entry: PluginEntry; plugin: InstalledPlugin }) => PluginEntry | null | string,
  ): Promise<Result<void>> => {
    const found = await find(name)
    if (!found.ok) return found
    const next = change(found.value)
    if (typeof next === 'string') return problem(next)
    return save(settings.current.plugins.flatMap((one) => (one === found.value.entry ? (next ?? []) : one)))
  }
  /** The clone of a plugin from git. */
  const removeClone = async ({ path, source }: PluginEntry): Promise<void> => {
    const base = await realpath(folder).catch(() => null)
    if (source === undefined || base === null || !isBelow(base, path)) return
    let top = path
    while (dirname(top) !== base) top = dirname(top)
    await rm(top, { recursive: true, force: true })
  }

  return {
    enabled: () =>
      settings.current.plugins
        .filter(
          (entry) =>
            isApproved(entry) || (entry.enabled && entry.digest === undefined && !isTurnedOff(entry.path)),
        )
        .map(({ path }) => path),
    approved: () => settings.current.plugins.filter(isApproved).map(({ path }) => path),
    changed: () =>
      settings.current.plugins
        .filter((entry) => entry.enabled && entry.digest !== undefined)
        .filter((entry) => !isTurnedOff(entry.path) && !isApproved(entry))
        .map(({ path }) => path),
    list,
    async add(given) {
      if (given.trim() === '') return problem('Give a folder or the address of a repository.')
      const { place, plugin } = await sourceOf(given)
      const isMarketplace =
        !isAddress(place) &&
        (await exists(join(place, '.claude-plugin', 'marketplace.json'))) &&
        !(await exists(join(place, '.claude-plugin', 'plugin.json')))
      const fetched =
        isAddress(place) || plugin !== null || isMarketplace
          ? await fetchPlugin({ url: place, plugin }, tools)
          : ok({ path: place, enabled: false })
      if (!fetched.ok) return fetched
      const entry = fetched.value
      const found = await readPlugin(entry.path)
      const described = await shown(entry)
      const taken = (await list()).find(({ name }) => name === described.name)
      const refusal =
        found.plugin === null
          ? found.problems.join(' ')
          : described.parts.length === 0
            ? [
                `${withoutLogin(given)} brings nothing: no agents, skills, commands, hooks or MCP servers.`,
                ...described.notUsed,
              ].join(' ')
            : taken === undefined
              ? null
              : `There is a plugin ${described.name} already, in ${taken.path}. Remove it first.`
      const saved =
        refusal === null ? await save([...settings.current.plugins, entry]) : problem<void>(refusal)
      if (saved.ok) return ok(described)
      await removeClone(entry)
      return saved
    },
    enable: (name, digest) =>
      replace(name, ({ entry, plugin }) => {
        if (plugin.digest === null || plugin.digest !== digest)
          return `${name} was not enabled: its content has another digest now. See it with "troupe plugins list".`
        digests.approve(entry.path, entry.digest ?? null, digest)
        return { ...entry, enabled: true, digest }
      }),
    disable: (name) => replace(name, ({ entry }) => ({ ...entry, enabled: false })),
    async remove(name) {
      const found = await find(name)
      if (!found.ok) return found
      const removed = await replace(name, () => null)
      if (removed.ok) await removeClone(found.value.entry)
      return removed
    },
    async update(name) {
      const found = await find(name)
      if (!found.ok) return found
      const { entry } = found.value
      if (entry.source === undefined)
        return problem(`${name} is a folder of yours, which is used as it is. There is nothing to update.`)
      const fetched = await fetchPlugin(entry.source, tools)
      if (!fetched.ok) return fetched
      const { enabled, digest } = entry
      const next = { ...fetched.value, enabled, ...(digest !== undefined && { digest }) }
      const saved = await replace(name, () => next)
      await removeClone(saved.ok ? entry : next)
      return saved.ok ? ok(await shown(next)) : saved
    },
  }
}

/** What the user gave: an absolute folder or the address of a repository, and a plugin in it. */
async function sourceOf(given: string): Promise<{ readonly place: string; readonly plugin: string | null }> {
  if (!isAddress(given) && (await exists(resolve(given)))) return { place: resolve(given), plugin: null }
  const at = given.lastIndexOf('#')
  const [before, plugin] = at === -1 ? [given, null] : [given.slice(0, at), given.slice(at + 1) || null]
  if (isAddress(before)) return { place: before, plugin }
  if (await exists(resolve(before))) return { place: resolve(before), plugin }
  const url = repositoryOf(before)
  return { place: isRepository(url) ? url : resolve(before), plugin: isRepository(url) ? plugin : null }
}

/** The plugin's name; synchronous, for the agent catalog. */
function nameIn(path: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(path, '.claude-plugin', 'plugin.json'), 'utf8'))
    if (typeof manifest === 'object' && manifest !== null && 'name' in manifest)
      return String(manifest.name).trim()
  } catch {
    // Without a manifest, the folder is the name.
  }
  return basename(path)
}

const problem = <T>(message: string): Result<T> => fail({ type: 'plugin', message: maskAddresses(message) })

/** Answers the window. Each change is answered with all plugins. */
export function pluginHandlers(plugins: InstalledPlugins): HandlersOf<'plugins'> {
  const listed = async (done: Result<unknown>) => (done.ok ? ok(await plugins.list()) : done)
  return {
    'plugins.list': async () => ok(await plugins.list()),
    'plugins.add': async ({ source }) => listed(await plugins.add(source)),
    'plugins.enable': async ({ name, digest }) => listed(await plugins.enable(name, digest)),
    'plugins.disable': async ({ name }) => listed(await plugins.disable(name)),
    'plugins.remove': async ({ name }) => listed(await plugins.remove(name)),
    'plugins.update': async ({ name }) => listed(await plugins.update(name)),
  }
}
