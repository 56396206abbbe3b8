/** The hooks of a folder, from all sources, with the user's decisions about them. */
import { join } from 'node:path'
import type {
  FolderHooks,
  HookDefinition,
  HookEntry,
  HookSource,
  HookState,
} from '../../../shared/hooks/hooks.ts'
import type { SettingsLayer, SettingsSource } from '../../../shared/settings/settings-layers.ts'
import type { Approvable, Approvals } from '../../platform/approvals/approvals.ts'
import { approvalOfOwn, scriptVersions, withScripts } from '../../platform/approvals/named-scripts.ts'
import { fileVersion } from '../../platform/system/file-version.ts'
import { projectFolder } from '../../platform/system/project-folder.ts'
import { type PluginParts, type ReadPluginParts, readPluginParts } from '../plugins/plugin-parts.ts'
import type { SettingsLayerReader } from '../settings/settings-layers.ts'
import { readHooks } from './read-hooks.ts'

interface ConfiguredHooksOptions {
  readonly dataFolder: string
  readonly layers: SettingsLayerReader
  readonly isTrusted: (folder: string) => boolean
  /** The folders of the plugins whose content the user approved. */
  readonly plugins: (folder: string) => readonly string[]
  /** Those whose content has changed since: what they guarded is denied until the user decides. */
  readonly changedPlugins?: () => readonly string[]
  readonly pluginParts: ReadPluginParts
  readonly approvals: Approvals
}

/** The hooks of an agent's definition. */
export interface OwnHooks {
  readonly agent: string
  /** The definition's source. */
  readonly source: string
  readonly hooks: Readonly<Record<string, unknown>>
}

/** A hook ready to run. */
export interface ConfiguredHook extends HookEntry {
  /** Variables for its command. */
  readonly variables: Readonly<Record<string, string>>
}

export interface ConfiguredFolder extends FolderHooks {
  readonly entries: readonly ConfiguredHook[]
}

export interface ConfiguredHooks {
  /** Files that did not change are not read again. */
  read(folder: string, own: OwnHooks | null): Promise<ConfiguredFolder>
}

/** A hook with its place, before the user's decisions. */
interface Found {
  readonly source: HookSource
  readonly sourceText: string
  readonly file: string | null
  readonly definition: HookDefinition
  readonly variables: Readonly<Record<string, string>>
}

const LAYER_NAMES: Readonly<Record<SettingsSource, string>> = {
  managed: 'managed settings',
  'command-line': 'command line',
  local: 'local project settings',
  project: 'project settings',
  own: 'Troupe settings',
  user: 'user settings',
}

/** Sources that a repository can bring. */
const FROM_PROJECT: readonly HookSource[] = ['local', 'project', 'project-agent']

/** Sources of the user, whose hooks may name a script of the folder. */
const OF_THE_USER: readonly HookSource[] = ['own', 'user', 'command-line', 'agent']

export function createConfiguredHooks(options: ConfiguredHooksOptions): ConfiguredHooks {
  const { dataFolder, layers, isTrusted, plugins, pluginParts, approvals } = options
  const changedPlugins = options.changedPlugins ?? (() => [])
  /** By the folder of a plugin: its hooks when they were last approved. A changed file may no longer have them. */
  const guards = new Map<string, readonly Found[]>()
  const cache = new Map<
    string,
    { readonly key: readonly unknown[]; readonly read: Promise<ConfiguredFolder> }
  >()

  async function build(
    folder: string,
    own: OwnHooks | null,
    read: readonly SettingsLayer[],
  ): Promise<ConfiguredFolder> {
    const problems: string[] = []
    const found = read.flatMap(({ source, file, raw }) =>
      collect(raw['hooks'], { source, sourceText: LAYER_NAMES[source], file, variables: {} }, problems),
    )
    if (plugins(folder).length > 0)
      for (const parts of await pluginParts(folder)) {
        const hooks = pluginHooks(parts, problems)
        guards.set(parts.root, hooks)
        found.push(...hooks)
      }
    if (own !== null) found.push(...agentHooks(own, isTrusted(folder), problems))
    const off = switchedOff(read)
    const entries: ConfiguredHook[] = (await lostGuards(problems)).filter(({ source }) => !off(source))
    const seen = new Set<string>()
    for (const written of found) {
      const isOwn = OF_THE_USER.includes(written.source)
      const one =
        isOwn || FROM_PROJECT.includes(written.source)
          ? { ...written, definition: withOwnScripts(folder, written.definition) }
          : written
      const thing = approvableOf(one)
      // The same hook in two files runs once, as people expect.
      if (seen.has(`${thing.name} ${one.definition.run}`)) continue
      seen.add(`${thing.name} ${one.definition.run}`)
      const decided = isOwn
        ? await approvalOfOwn(approvals, folder, thing)
        : await approvals.of(folder, thing)
      const former = decided.state === 'changed' ? { former: decided.former } : {}
      entries.push({
        ...one,
        id: thing.name,
        state: off(one.source) ? 'disabled' : stateOf(one, decided),
        ...former,
      })
    }
    return { entries, problems }
  }

  async function lostGuards(problems: string[]): Promise<readonly ConfiguredHook[]> {
    const lost: ConfiguredHook[] = []
    for (const path of changedPlugins()) {
      const parts = await readPluginParts(path)
      const known = guards.get(parts?.root ?? path) ?? (parts === null ? [] : pluginHooks(parts, []))
      const checks = known.filter(({ definition }) => definition.event === 'PreToolUse')
      lost.push(
        ...checks.map((hook) => ({ ...hook, id: approvableOf(hook).name, state: 'changed' as const })),
      )
      const effect =
        checks.length > 0
          ? 'Its hooks do not run, and the calls that they check are denied.'
          : 'Nothing of it is used, also no hook that it may have had.'
      problems.push(
        `The plugin ${parts?.plugin ?? path} has changed since you enabled it. ${effect} Enable it again or remove it in Settings › Plugins.`,
      )
    }
    return lost
  }

  return {
    async read(folder, own) {
      const trusted = isTrusted(folder)
      const { layers: read } = await layers.read(folder, { trusted })
      const roots = plugins(folder)
      const lost = changedPlugins()
      const hasHooks =
        own !== null ||
        roots.length > 0 ||
        lost.length > 0 ||
        read.some(({ raw }) => raw['hooks'] !== undefined)
      if (!hasHooks) return NONE
      // Unchanged files have the same objects and versions.
      const key = [
        trusted,
        ...read.flatMap(({ source, raw }) => [source, raw]),
        lost.join('\n'),
        ...[...roots, ...lost].flatMap((root) => [
          root,
          fileVersion(join(root, 'hooks', 'hooks.json')),
          fileVersion(join(root, '.claude-plugin', 'plugin.json')),
        ]),
        fileVersion(join(projectFolder(dataFolder, folder).path, 'approvals.json')),
        own === null ? null : JSON.stringify(own),
        scriptVersions(folder, [...read.map(({ raw }) => raw['hooks']), own?.hooks]),
      ]
      const name = `${folder}\n${own?.agent ?? ''}`
      const before = cache.get(name)
      if (before && before.key.length === key.length && before.key.every((part, at) => part === key[at]))
        return before.read
      const built = build(folder, own, read)
      cache.set(name, { key, read: built })
      return built
    },
  }
}

/** Only a command runs the files that it names: matchers, conditions and questions to a judge name files that change. */
function withOwnScripts(folder: string, definition: HookDefinition): HookDefinition {
  if (definition.kind !== 'command') return definition
  const { scripts } = withScripts(folder, { run: definition.run })
  return scripts === undefined ? definition : { ...definition, scripts }
}

const NONE: ConfiguredFolder = { entries: [], problems: [] }

/** What the user approves. The name identifies the hook; a change of anything else needs a new approval. */
export function approvableOf({ source, definition }: Pick<HookEntry, 'source' | 'definition'>): Approvable {
  const { event, matcher, run, agent, if: rule } = definition
  const place = FROM_PROJECT.includes(source) ? 'project' : source
  const given = [agent, event, matcher || '*', rule === undefined ? undefined : `if ${rule}`, run]
  const name = [place, ...given.filter((part) => part !== undefined)].join(' ')
  return { kind: 'hook', name, definition }
}

function stateOf(
  { source }: Pick<HookEntry, 'source'>,
  { state }: { readonly state: 'new' | 'approved' | 'refused' | 'changed' },
): HookState {
  if (source === 'managed') return 'on'
  if (state === 'refused') return 'off'
  if (!FROM_PROJECT.includes(source))
    return state === 'changed' && OF_THE_USER.includes(source) ? state : 'on'
  return state === 'approved' ? 'on' : state
}

/** Which sources `disableAllHooks` turns off: a project's setting only the project's hooks, so that it removes no guard. */
function switchedOff(layers: readonly SettingsLayer[]): (source: HookSource) => boolean {
  const sets = (name: string, sources: readonly SettingsSource[]) =>
    layers.some(({ source, raw }) => sources.includes(source) && raw[name] === true)
  const byManager = sets('disableAllHooks', ['managed'])
  const onlyManaged = sets('allowManagedHooksOnly', ['managed'])
  const byUser = sets('disableAllHooks', ['command-line', 'own', 'user'])
  const byProject = sets('disableAllHooks', ['local', 'project'])
  return (source) =>
    byManager ||
    (source !== 'managed' && (onlyManaged || byUser)) ||
    (byProject && FROM_PROJECT.includes(source))
}

type Place = Omit<Found, 'definition'>

function collect(value: unknown, place: Place, problems: string[], agent?: string): Found[] {
  const read = readHooks(value, place.file ?? `The ${place.sourceText}`)
  problems.push(...read.problems)
  return read.hooks.map((definition) => ({
    ...place,
    definition: agent === undefined ? definition : { ...definition, agent },
  }))
}

function pluginHooks({ plugin, root, hooks }: PluginParts, problems: string[]): Found[] {
  const variables = { CLAUDE_PLUGIN_ROOT: root }
  return hooks.flatMap(({ file, value }) =>
    collect(value['hooks'], { source: 'plugin', sourceText: `plugin ${plugin}`, file, variables }, problems),
  )
}

/** A definition of a project counts only while its folder is trusted. */
function agentHooks({ agent, source, hooks }: OwnHooks, trusted: boolean, problems: string[]): Found[] {
  const isOwn = source !== 'project'
  if (!isOwn && !trusted) return []
  const place = {
    source: isOwn ? ('agent' as const) : ('project-agent' as const),
    sourceText: `agent ${agent}`,
    file: null,
    variables: {},
  }
  return collect(hooks, place, problems, agent)
}
