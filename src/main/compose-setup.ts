/** Gathers what there is of the user's setup, what of it counts, and why the rest does not. */
import { access, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Hooks } from '../shared/hooks.ts'
import type { McpServerState, McpServers } from '../shared/mcp.ts'
import { fail, ok, type Result, sentence } from '../shared/result.ts'
import type { SettingsSource } from '../shared/settings-layers.ts'
import { countOf, type SetupItem, type SetupReport } from '../shared/setup.ts'
import type { SlashCommands } from '../shared/slash/slash-command.ts'
import { nameOfStyle, styleFiles } from './adapters/memory/settings-instructions.ts'
import type { InstalledPlugins } from './adapters/plugins/installed-plugins.ts'
import { managedSettingsFiles } from './adapters/settings/managed-settings.ts'
import { readSettingsFile } from './adapters/settings/settings-file.ts'
import { findOtherFiles, type OtherFile, type OtherServer } from './adapters/setup/other-programs.ts'
import { settingsKeys } from './adapters/setup/settings-item.ts'
import type { CommandEnvironment } from './adapters/shell/command-environment.ts'
import type { ComposedSettings } from './compose-settings.ts'
import type { DefinitionSource, MemorySource, SkillSource } from './runtime/ports.ts'

export interface SetupParts {
  readonly home: string
  readonly dataFolder: string
  readonly isTrusted: (folder: string) => boolean
  readonly managed?: readonly string[]
  readonly layered: ComposedSettings
  readonly memory: MemorySource
  readonly definitions: DefinitionSource
  readonly skills: SkillSource
  readonly slash: SlashCommands
  readonly hooks: Hooks
  readonly mcp: McpServers
  readonly plugins: InstalledPlugins
  readonly pluginStyles: () => Promise<readonly string[]>
  /** The variables that commands get, and those that they don't. */
  readonly commandVariables: () => CommandEnvironment
}

export interface Setup {
  report(folder: string): Promise<SetupReport>
  /**
   * Adds the servers of another program's list that Troupe does not have: of the home folder to the user's own, of the
   * folder to its local ones. @returns the names. Fails with `not-found`, `nothing` or as `McpServers.add`.
   */
  importServers(folder: string, file: string): Promise<Result<readonly string[]>>
}

export function composeSetup(parts: SetupParts): Setup {
  return {
    async report(folder) {
      const found = await Promise.all([
        settingsItems(folder, parts),
        memoryItems(folder, parts),
        agentItems(folder, parts),
        skillItems(folder, parts),
        commandItems(folder, parts),
        styleItems(folder, parts),
        hookItems(folder, parts),
        serverItems(folder, parts),
        pluginItems(parts),
        otherItems(folder, parts),
        unreadItems(folder, parts),
        variableItems(parts),
      ])
      return { folder, trusted: parts.isTrusted(folder), items: found.flat() }
    },
    async importServers(folder, file) {
      const files = await otherFiles(folder, parts)
      const wanted = files.find((one) => one.file === file && one.content.kind === 'servers')
      if (wanted?.content.kind !== 'servers')
        return fail({ type: 'not-found', message: `${file} is no list of MCP servers that Troupe knows.` })
      const have = (await parts.mcp.state(folder)).servers
      const fresh = wanted.content.servers.filter((server) => newness(server, have) === 'new')
      if (fresh.length === 0)
        return fail({ type: 'nothing', message: `${file} has no server that can be imported and is new.` })
      for (const { name, definition } of fresh) {
        const place = wanted.isOwn ? ('user' as const) : ('local' as const)
        const added = await parts.mcp.add(folder, { name, definition, place, replace: false, before: null })
        if (!added.ok) return added
      }
      return ok(fresh.map(({ name }) => name))
    },
  }
}

const UNTRUSTED = 'The folder is not trusted, so nothing of it is read.'

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** `~/.claude/settings.json`, `.mcp.json` */
function shownPath(file: string, folder: string, home: string): string {
  const below = (base: string) => {
    const path = relative(base, file)
    return path === '' || path === '..' || path.startsWith(`..${sep}`) ? null : path.split(sep).join('/')
  }
  const inFolder = folder === home ? null : below(folder)
  const inHome = below(home)
  return inFolder ?? (inHome === null ? file : `~/${inHome}`)
}

interface Place extends Pick<SetupItem, 'group' | 'what'> {
  readonly file: string
  readonly files?: number
}

function itemOf(
  { group, what, file, files = 1 }: Place,
  rest: Pick<SetupItem, 'state' | 'details'> & { readonly notes?: readonly string[] },
  { folder, home }: { readonly folder: string; readonly home: string },
): SetupItem {
  const path = shownPath(file, folder, home)
  const shown = files === 1 ? path : `${path}/ (${countOf(files, 'file')})`
  return {
    group,
    what,
    file,
    files,
    shown,
    state: rest.state,
    details: rest.details,
    notes: rest.notes ?? [],
  }
}

const stateFor = (used: number, notes: readonly string[]): SetupItem['state'] =>
  notes.length === 0 ? 'used' : used === 0 ? 'not-used' : 'partly'

const GROUPS: Readonly<Record<SettingsSource, SetupItem['group']>> = {
  managed: 'troupe',
  'command-line': 'troupe',
  own: 'troupe',
  user: 'user',
  project: 'project',
  local: 'project',
}

async function settingsItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, dataFolder, layered, isTrusted, managed = managedSettingsFiles(process.platform) } = parts
  const trusted = isTrusted(folder)
  const { layers } = await layered.layers.read(folder, { trusted })
  const permissions = await layered.permissions(folder)
  const files: readonly (readonly [SettingsSource, string])[] = [
    ...managed.map((file) => ['managed', file] as const),
    ['user', join(home, '.claude', 'settings.json')],
    ['own', join(dataFolder, 'settings.json')],
    ['project', join(folder, '.claude', 'settings.json')],
    ['local', join(folder, '.claude', 'settings.local.json')],
  ]
  const items = await Promise.all(
    files.map(async ([source, file]): Promise<readonly SetupItem[]> => {
      if (folder === home && (source === 'project' || source === 'local')) return []
      if (!(await exists(file))) return []
      const place = { group: GROUPS[source], what: source === 'managed' ? 'Administrator' : 'Settings', file }
      const item = (rest: Parameters<typeof itemOf>[1]) => [itemOf(place, rest, { folder, home })]
      if (GROUPS[source] === 'project' && !trusted)
        return item({ state: 'not-used', details: UNTRUSTED, notes: [UNTRUSTED] })
      const layer = layers.find((one) => one.file === file)
      if (layer === undefined) {
        const read = await readSettingsFile(file)
        const because =
          read.kind === 'broken' ? `It can’t be read: ${sentence(read.reason)}` : 'It can’t be read.'
        return item({ state: 'not-used', details: because, notes: [because] })
      }
      const { used, notes } = settingsKeys(layer)
      const path = shownPath(file, folder, home)
      const ofRules = permissions.problems.filter(
        (one) => (one.startsWith(file) || one.startsWith(path)) && !/ is (ignored|unknown)/.test(one),
      )
      const ignored = notes.map((note) => /^"([^"]*)"/.exec(note)?.[1] ?? '')
      const all = [...notes, ...ofRules]
      const details = [
        `${used.length} of ${countOf(used.length + notes.length, 'key')}.`,
        ...(ignored.length === 0 ? [] : [`No effect: ${ignored.join(', ')}.`]),
        ...(ofRules.length === 0
          ? []
          : [`${countOf(ofRules.length, 'entry', 'entries')} of the rules not used.`]),
      ]
      return item({ state: stateFor(used.length, all), details: details.join(' '), notes: all })
    }),
  )
  return items.flat()
}

/** The folders from the top of the repository to the folder itself, at most. */
function foldersAbove(folder: string, loaded: readonly string[]): readonly string[] {
  const around = loaded.map((path) => dirname(path.replace(`${sep}.claude${sep}`, sep)))
  return [...new Set([folder, ...around])]
}

async function memoryItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, memory, isTrusted } = parts
  const trusted = isTrusted(folder)
  const main = { name: 'main', memory: null, omitProjectInstructions: false }
  const { files, problems } = await memory.load(folder, main, { trusted })
  const loaded = new Map(files.map((file) => [file.path, file]))
  const bases = foldersAbove(
    folder,
    files
      .filter(({ scope, importedBy }) => scope === 'project' && importedBy === null)
      .map(({ path }) => path),
  )
  const names = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md', 'CLAUDE.local.md']
  const wanted = [
    { group: 'user' as const, file: join(home, '.claude', 'CLAUDE.md') },
    ...bases.flatMap((base) =>
      base === home ? [] : names.map((name) => ({ group: 'project' as const, file: join(base, name) })),
    ),
  ]
  const single = await Promise.all(
    wanted.map(async ({ group, file }): Promise<readonly SetupItem[]> => {
      if (!(await exists(file))) return []
      const place = { group, what: 'Memory', file }
      const found = loaded.get(file)
      const imports = files.filter(({ importedBy }) => importedBy === file).length
      const notes = problems.filter((one) => one.startsWith(file))
      if (found !== undefined)
        return [
          itemOf(
            place,
            {
              state: stateFor(1, notes),
              details: `${countOf(found.text.trimEnd().split('\n').length, 'line')}, in every conversation${imports > 0 ? `, with ${countOf(imports, 'import')}` : ''}`,
              notes,
            },
            { folder, home },
          ),
        ]
      const because =
        group === 'project' && !trusted
          ? UNTRUSTED
          : (notes[0] ?? 'Empty, or the same file as another one by a link.')
      return [itemOf(place, { state: 'not-used', details: because, notes: [because] }, { folder, home })]
    }),
  )
  const rules = await Promise.all([
    ruleItem('user', join(home, '.claude', 'rules'), { folder, parts, loaded }),
    ...bases
      .filter((base) => base !== home)
      .map((base) => ruleItem('project', join(base, '.claude', 'rules'), { folder, parts, loaded })),
  ])
  const other = problems.filter(
    (one) => ![...loaded.keys(), ...wanted.map(({ file }) => file)].some((file) => one.startsWith(file)),
  )
  const rest: readonly SetupItem[] = other.map((note) => ({
    ...{ group: 'project', what: 'Memory', shown: '', file: null, files: 0 },
    ...{ state: 'not-used', details: note, notes: [note] },
  }))
  return [...single.flat(), ...rules.flat(), ...rest]
}

async function ruleItem(
  group: 'user' | 'project',
  place: string,
  {
    folder,
    parts,
    loaded,
  }: { readonly folder: string; readonly parts: SetupParts; readonly loaded: ReadonlyMap<string, unknown> },
): Promise<readonly SetupItem[]> {
  const { home, isTrusted } = parts
  const files = await markdownIn(place)
  if (files.length === 0) return []
  const item = { group, what: 'Rules', file: place, files: files.length }
  if (group === 'project' && !isTrusted(folder))
    return [itemOf(item, { state: 'not-used', details: UNTRUSTED, notes: [UNTRUSTED] }, { folder, home })]
  const always = files.filter((file) => loaded.has(join(place, file)))
  const withPaths = await Promise.all(
    files.map(async (file) =>
      /^\s*(paths|globs):/m.test(await readFile(join(place, file), 'utf8').catch(() => '')),
    ),
  )
  const notes = files.flatMap((file, index) =>
    always.includes(file) || withPaths[index]
      ? []
      : [`${file} was not read: it is empty, a link that leads elsewhere, or not text.`],
  )
  const some = withPaths.filter(Boolean).length
  const details = [
    `${always.length} in every conversation`,
    ...(some > 0 ? [`${some} with the files that their paths name`] : []),
    ...(notes.length > 0 ? [`${notes.length} not read`] : []),
  ]
  return [
    itemOf(
      item,
      { state: stateFor(files.length - notes.length, notes), details: details.join(', '), notes },
      { folder, home },
    ),
  ]
}

async function markdownIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => /\.md$/i.test(name)).sort()
}

async function agentItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, definitions, isTrusted } = parts
  const trusted = isTrusted(folder)
  const { entries } = await definitions.catalog(folder, { trusted })
  const places = [
    { group: 'user' as const, source: 'user', file: join(home, '.claude', 'agents') },
    ...(folder === home
      ? []
      : [{ group: 'project' as const, source: 'project', file: join(folder, '.claude', 'agents') }]),
  ]
  const items = await Promise.all(
    places.map(async ({ group, source, file }): Promise<readonly SetupItem[]> => {
      const own = entries.filter((entry) => entry.source === source)
      const files = own.length > 0 ? own.length : (await markdownIn(file)).length
      if (files === 0) return []
      const item = { group, what: 'Agents', file, files }
      if (group === 'project' && !trusted)
        return [itemOf(item, { state: 'not-used', details: UNTRUSTED, notes: [UNTRUSTED] }, { folder, home })]
      const inUse = own.filter(({ state }) => state === 'offered' || state === 'hidden')
      const waiting = own.filter(({ state }) => state === 'waits')
      const notes = own.flatMap((entry) => [
        ...(entry.state === 'shadowed' ? [`${entry.path} is hidden by another agent of the same name.`] : []),
        ...(entry.state === 'waits'
          ? [`${entry.path} waits for your approval: "troupe agents approve".`]
          : []),
        ...(entry.state === 'no-agent'
          ? [`${entry.path} is not an agent: it has no frontmatter with a description.`]
          : []),
        ...entry.diagnostics.map(({ line, message }) => `${entry.path}:${line}: ${message}`),
      ])
      const details = `${inUse.length} of ${countOf(own.length, 'definition')} in use${notes.length === 0 ? ', no problems' : `, ${countOf(notes.length, 'remark')}`}`
      const state = waiting.length > 0 ? ('needs-you' as const) : stateFor(inUse.length, notes)
      return [itemOf(item, { state, details, notes }, { folder, home })]
    }),
  )
  return items.flat()
}

async function skillItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, skills, isTrusted } = parts
  const trusted = isTrusted(folder)
  const all = await skills.list(folder, { trusted })
  const places = [
    { group: 'user' as const, source: 'user', file: join(home, '.claude', 'skills') },
    ...(folder === home
      ? []
      : [{ group: 'project' as const, source: 'project', file: join(folder, '.claude', 'skills') }]),
  ]
  const items = await Promise.all(
    places.map(async ({ group, source, file }): Promise<readonly SetupItem[]> => {
      const names = (await readdir(file, { withFileTypes: true }).catch(() => [])).filter(
        (entry) => !entry.isFile() && !entry.name.startsWith('.'),
      )
      if (names.length === 0) return []
      const item = { group, what: 'Skills', file, files: names.length }
      if (group === 'project' && !trusted)
        return [itemOf(item, { state: 'not-used', details: UNTRUSTED, notes: [UNTRUSTED] }, { folder, home })]
      const own = all.filter((skill) => skill.source === source && dirname(dirname(skill.file)) === file)
      const notes = [
        ...names
          .filter(({ name }) => !own.some((skill) => dirname(skill.file) === join(file, name)))
          .map(
            ({ name }) =>
              `${name} is not used: it has no SKILL.md that can be read, or a skill of the same name counts before it.`,
          ),
        ...own.flatMap((skill) => (skill.notes ?? []).map((note) => `${skill.name}: ${note}`)),
      ]
      const details = `${own.length} of ${names.length}${notes.length === 0 ? '' : `, ${countOf(notes.length, 'remark')}`}`
      return [itemOf(item, { state: stateFor(own.length, notes), details, notes }, { folder, home })]
    }),
  )
  return items.flat()
}

async function commandItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, slash, isTrusted } = parts
  const all = await slash.list(folder)
  const places = [
    { group: 'user' as const, source: 'user', file: join(home, '.claude', 'commands') },
    ...(folder === home
      ? []
      : [{ group: 'project' as const, source: 'project', file: join(folder, '.claude', 'commands') }]),
  ]
  const items = await Promise.all(
    places.map(async ({ group, source, file }): Promise<readonly SetupItem[]> => {
      const names = await markdownIn(file)
      if (names.length === 0) return []
      const item = { group, what: 'Commands', file, files: names.length }
      if (group === 'project' && !isTrusted(folder))
        return [itemOf(item, { state: 'not-used', details: UNTRUSTED, notes: [UNTRUSTED] }, { folder, home })]
      const own = all.filter((one) => one.source === source)
      const usable = own.filter(({ problem }) => problem === null)
      const notes = [
        ...own.flatMap(({ problem }) => problem ?? []),
        ...names
          .filter((name) => !own.some((one) => one.file?.endsWith(`${sep}${name}`)))
          .map((name) => `${name} is not used: another command has its name.`),
      ]
      const details = `${usable.length} of ${countOf(names.length, 'command')}`
      return [itemOf(item, { state: stateFor(usable.length, notes), details, notes }, { folder, home })]
    }),
  )
  return items.flat()
}

async function styleItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, layered, isTrusted, pluginStyles } = parts
  const trusted = isTrusted(folder)
  const { layers } = await layered.layers.read(folder, { trusted })
  const chosen = layers.map(({ raw }) => raw['outputStyle']).find((value) => typeof value === 'string')
  const files = await styleFiles({ folder, home, trusted, pluginStyles })
  return Promise.all(
    files.map(async (file) => {
      const name = nameOfStyle(await readFile(file, 'utf8').catch(() => ''), file)
      const isOn = String(chosen ?? '').toLowerCase() === name.toLowerCase()
      const why = `Choose it with "outputStyle": ${JSON.stringify(name)} in a settings file.`
      const group = file.startsWith(join(home, '.claude'))
        ? ('user' as const)
        : file.startsWith(folder)
          ? ('project' as const)
          : ('plugins' as const)
      return itemOf(
        { group, what: 'Output style', file },
        isOn
          ? { state: 'used', details: `${name}, for the main agent` }
          : { state: 'not-used', details: `${name} is not chosen`, notes: [why] },
        { folder, home },
      )
    }),
  )
}

async function hookItems(folder: string, { home, hooks }: SetupParts): Promise<readonly SetupItem[]> {
  const { entries, problems } = await hooks.state(folder)
  const bySource = [...new Set(entries.map(({ sourceText, file }) => `${sourceText}\0${file ?? ''}`))]
  const items = bySource.map((key): SetupItem => {
    const own = entries.filter(({ sourceText, file }) => `${sourceText}\0${file ?? ''}` === key)
    const [first] = own
    const on = own.filter(({ state }) => state === 'on')
    const waiting = own.filter(({ state }) => state === 'new' || state === 'changed')
    const notes = own
      .filter(({ state }) => state !== 'on')
      .map(
        ({ definition, state }) => `${definition.event}: ${definition.run} ${HOOK_STATES[state] ?? state}.`,
      )
    const group =
      first?.source === 'plugin'
        ? 'plugins'
        : first?.source === 'user'
          ? 'user'
          : first?.source === 'project' || first?.source === 'local'
            ? 'project'
            : 'troupe'
    return {
      ...{ group, what: `Hooks of ${first?.sourceText ?? ''}`, file: first?.file ?? null, files: 0 },
      shown: first?.file ? shownPath(first.file, folder, home) : '',
      state: waiting.length > 0 ? 'needs-you' : stateFor(on.length, notes),
      details: `${on.length} of ${countOf(own.length, 'hook')} on${waiting.length > 0 ? '. None of the others runs until you approve it' : ''}`,
      notes,
    }
  })
  const rest = problems.map(
    (note): SetupItem => ({
      ...{ group: 'troupe', what: 'Hooks', shown: '', file: null, files: 0, state: 'not-used' },
      ...{ details: note, notes: [note] },
    }),
  )
  return [...items, ...rest]
}

const HOOK_STATES: Readonly<Record<string, string>> = {
  new: 'waits for your approval',
  changed: 'changed, and waits for your approval',
  off: 'is off: you refused it',
  disabled: 'is turned off by settings',
}

async function serverItems(
  folder: string,
  { home, mcp, isTrusted }: SetupParts,
): Promise<readonly SetupItem[]> {
  const { servers, problems } = await mcp.state(folder)
  const configured = servers.filter(({ source }) => source !== 'agent' && source !== 'plugin')
  const files = [...new Set(configured.map(({ file }) => file))]
  const items = files.map((file): SetupItem => {
    const own = configured.filter((server) => server.file === file)
    const notes = own.flatMap((server) => aboutServer(server))
    const waits = own.some(({ status }) => status.kind === 'waits' || status.kind === 'sign-in')
    return {
      ...{
        group: file?.startsWith(folder) && folder !== home ? 'project' : 'user',
        what: 'MCP servers',
      },
      ...{ shown: file === null ? '--mcp-config' : shownPath(file, folder, home), file, files: 1 },
      state: waits ? 'needs-you' : stateFor(own.length - notes.length, notes),
      details: countOf(own.length, 'server') + (notes.length === 0 ? '' : `. ${notes.join(' ')}`),
      notes,
    }
  })
  const project = join(folder, '.mcp.json')
  const untrusted: readonly SetupItem[] =
    !isTrusted(folder) && (await exists(project))
      ? [
          itemOf(
            { group: 'project', what: 'MCP servers', file: project },
            { state: 'not-used', details: UNTRUSTED, notes: [UNTRUSTED] },
            { folder, home },
          ),
        ]
      : []
  const rest = problems.map(
    ({ file, message }): SetupItem => ({
      ...{ group: 'user', what: 'MCP servers', shown: shownPath(file, folder, home), file, files: 1 },
      ...{ state: 'not-used', details: message, notes: [message] },
    }),
  )
  return [...items, ...untrusted, ...rest]
}

function aboutServer({ name, status }: McpServerState): readonly string[] {
  switch (status.kind) {
    case 'waits':
      return [
        `${name} ${status.former === null ? 'waits for your approval' : 'changed, and waits for your approval'}.`,
      ]
    case 'off':
      return [`${name} is off.`]
    case 'failed':
      return [`${name} failed: ${status.message}`]
    case 'sign-in':
      return [`${name} waits for you to sign in.`]
    default:
      return []
  }
}

async function pluginItems({ home, plugins, dataFolder }: SetupParts): Promise<readonly SetupItem[]> {
  const all = await plugins.list()
  const items = all.map((plugin): SetupItem => {
    const kinds = [...new Set(plugin.parts.map(({ kind }) => kind))]
    const parts = kinds.map((kind) =>
      countOf(plugin.parts.filter((one) => one.kind === kind).length, kind.replace('-', ' ')),
    )
    const isOn = plugin.state === 'enabled'
    const why = {
      enabled: [],
      disabled: [`${plugin.name} is off. Enable it with "troupe plugins enable".`],
      changed: [`${plugin.name} is off: its content changed since you enabled it.`],
      unapproved: [`${plugin.name} was enabled by hand, so only its agents and skills are used.`],
      'turned-off': [`${plugin.name} is turned off by enabledPlugins.`],
    }[plugin.state]
    const notes = [...why, ...plugin.notUsed, ...plugin.problems]
    return {
      ...{
        group: 'plugins',
        what: plugin.name,
        shown: shownPath(plugin.path, dataFolder, home),
        file: plugin.path,
        files: 1,
      },
      state:
        plugin.state === 'changed'
          ? 'needs-you'
          : isOn || plugin.state === 'unapproved'
            ? stateFor(1, notes)
            : 'not-used',
      details: isOn ? parts.join(', ') : (why[0] ?? ''),
      notes,
    }
  })
  return [...items, ...(await claudePlugins(home, new Set(all.map(({ name }) => name))))]
}

/** Plugins that Claude Code has installed. */
async function claudePlugins(home: string, known: ReadonlySet<string>): Promise<readonly SetupItem[]> {
  const file = join(home, '.claude', 'plugins', 'installed_plugins.json')
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return []
  let names: readonly string[] = []
  try {
    const raw: { plugins?: object } = JSON.parse(text)
    names = Object.keys(raw.plugins ?? {})
  } catch {
    // Named as a file without plugins that can be read.
  }
  const missing = names.filter((name) => !known.has(name.split('@')[0] ?? ''))
  const notes = missing.map(
    (name) => `${name} is not used: add it here with "troupe plugins add", which shows what it runs.`,
  )
  return [
    {
      ...{
        group: 'plugins',
        what: 'Plugins of Claude Code',
        shown: '~/.claude/plugins/installed_plugins.json',
        file,
        files: 1,
      },
      state: names.length === 0 ? 'not-used' : missing.length === 0 ? 'used' : 'not-used',
      details:
        names.length === 0
          ? 'No plugins, or not readable'
          : `${names.length - missing.length} of ${names.length} added to Troupe`,
      notes: names.length === 0 ? ['It lists no plugins that can be read.'] : notes,
    },
  ]
}

const otherFiles = (folder: string, { home, isTrusted }: SetupParts): Promise<readonly OtherFile[]> =>
  findOtherFiles({ home, folder, trusted: isTrusted(folder) })

async function otherItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, mcp } = parts
  const files = await otherFiles(folder, parts)
  if (files.length === 0) return []
  const have = (await mcp.state(folder)).servers
  return files.map(({ what, file, content }): SetupItem => {
    const place = { group: 'others' as const, what, file }
    if (content.kind === 'broken')
      return itemOf(
        place,
        { state: 'not-used', details: content.because, notes: [content.because] },
        { folder, home },
      )
    if (content.kind === 'text')
      return itemOf(
        { ...place, files: content.files },
        { state: 'not-used', details: content.advice, notes: [content.advice] },
        { folder, home },
      )
    const fresh = content.servers.filter((server) => newness(server, have) === 'new')
    const same = content.servers.filter((server) => newness(server, have) === 'same')
    const problems = content.servers.flatMap((server) =>
      newness(server, have) === 'no' ? (server.problem ?? []) : [],
    )
    const details = [
      ...(fresh.length > 0 ? [`${fresh.length} new`] : []),
      ...(same.length > 0 ? [`${same.length} the same as yours`] : []),
      ...(problems.length > 0 ? [`${problems.length} can’t be imported`] : []),
    ]
    const notes = [
      ...problems,
      ...(fresh.length > 0
        ? [`Import ${fresh.map(({ name }) => name).join(', ')} with "troupe doctor import ${file}"`]
        : []),
    ]
    return itemOf(
      place,
      {
        state:
          fresh.length > 0 ? 'not-imported' : same.length > 0 && problems.length === 0 ? 'used' : 'not-used',
        details: `${countOf(content.servers.length, 'server')}: ${details.join(', ')}`,
        notes,
      },
      { folder, home },
    )
  })
}

/** Whether a server can be imported. `same`: there is one of its name. */
function newness({ name, problem }: OtherServer, have: readonly McpServerState[]): 'new' | 'same' | 'no' {
  if (have.some((server) => server.name === name)) return 'same'
  return problem === null ? 'new' : 'no'
}

/** Files of Claude Code that Troupe has no use for. */
const UNREAD = [
  ['keybindings.json', 'Keybindings', 'Troupe has keys of its own.'],
  ['statusline.sh', 'Status line', 'It runs if "statusLine" of a settings file names it.'],
  ['themes', 'Themes', 'Troupe has themes of its own.'],
  ['workflows', 'Workflows', 'Troupe runs none.'],
] as const

async function unreadItems(
  folder: string,
  { home, layered, isTrusted }: SetupParts,
): Promise<readonly SetupItem[]> {
  const { layers } = await layered.layers.read(folder, { trusted: isTrusted(folder) })
  const line = JSON.stringify(layers.map(({ raw }) => raw['statusLine'] ?? null))
  const found = await Promise.all(
    UNREAD.map(async ([name, what, why]): Promise<readonly SetupItem[]> => {
      const file = join(home, '.claude', name)
      if (!(await exists(file))) return []
      const isUsed = what === 'Status line' && line.includes(name)
      return [
        itemOf(
          { group: 'user', what, file },
          isUsed
            ? { state: 'used', details: 'In the status bar' }
            : { state: 'not-used', details: why, notes: [why] },
          { folder, home },
        ),
      ]
    }),
  )
  return found.flat()
}

function variableItems({ commandVariables }: SetupParts): readonly SetupItem[] {
  const { variables, withheld } = commandVariables()
  const notes = withheld.map(({ name, because }) => `${name} is not passed on: ${sentence(because)}`)
  const amount = Object.keys(variables).length
  return [
    {
      ...{ group: 'troupe', what: 'Variables of commands', shown: '', file: null, files: 0 },
      state: stateFor(amount, notes),
      details: `${amount} reach commands${notes.length === 0 ? '' : `, ${notes.length} are withheld`}`,
      notes,
    },
  ]
}
