/**
 * All definitions for a folder, from six sources. Of definitions with the same name, the later source wins; within a
 * source the nearest folder, then the last path, as in Claude Code. The others are listed as shadowed. Each load checks the files, so the
 * next start of an agent sees a change.
 */
import { join, relative } from 'node:path'
import {
  type AgentCatalog,
  agentSources,
  type CatalogEntry,
  contentOf,
} from '../../../shared/agent-definition/agent-catalog.ts'
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import type { DefinitionSource, LoadedDefinition } from '../../runtime/ports/definitions.ts'
import { type AgentFolder, projectFolders, realOf } from './agent-folders.ts'
import { type CommandLineAgents, readCommandLineAgents } from './command-line-agents.ts'
import type { DefinitionApprovals } from './definition-approvals.ts'
import type { PendingWrites } from './pending-writes.ts'
import { readPlugin } from './plugin-folders.ts'
import {
  agentOf,
  type FoundAgent,
  type FoundAgents,
  type KnownFiles,
  readAgentFolder,
  type WaitingDefinition,
} from './read-agent-folder.ts'
import { watchFolders } from './watch-folders.ts'

/** The built-in agents: a folder, or texts by file name (`Explore.md`). */
type BuiltInAgents = string | Readonly<Record<string, string>>

export interface DefinitionSourceOptions {
  readonly builtIn: BuiltInAgents
  /** The user's home folder. */
  readonly home: string
  /** The definitions of external agents, which count as built in. */
  readonly programs?: {
    definitions(project: string): Promise<Readonly<Record<string, string>>>
    watch(changed: () => void): () => void
  }
  /** The folders of the enabled plugins, read on each load. */
  readonly plugins?: () => readonly string[]
  /** The administrator's agents folders. */
  readonly managed?: readonly string[]
  readonly commandLine?: CommandLineAgents
  /** `load` waits for them. */
  readonly writes?: Pick<PendingWrites, 'settled'>
  /** Missing: a trusted project's definitions need no approval. */
  readonly approvals?: DefinitionApprovals
}

type Trust = { readonly trusted: boolean }

export function createDefinitionSource(options: DefinitionSourceOptions): DefinitionSource {
  const { home, plugins = () => [], managed = [], commandLine = { json: null, files: [] } } = options
  const known: KnownFiles = new Map()

  async function foldersOf(folder: string, { trusted }: Trust) {
    const project = trusted ? await projectFolders(folder, home) : { root: folder, folders: [] }
    const found = await Promise.all(plugins().map(readPlugin))
    const folders: readonly AgentFolder[] = [
      ...project.folders.map((path) => {
        return {
          source: 'project' as const,
          plugin: null,
          path: join(path, '.claude', 'agents'),
          within: project.root,
        }
      }),
      { source: 'user', plugin: null, path: join(home, '.claude', 'agents'), within: null },
      ...found.flatMap(({ plugin }) => plugin?.agents ?? []),
      ...managed.map((path) => ({ source: 'managed' as const, plugin: null, path, within: null })),
    ]
    const skills = [
      ...project.folders.map((path) => join(path, '.claude', 'skills')),
      join(home, '.claude', 'skills'),
      ...found.flatMap(({ plugin }) => plugin?.skills ?? []),
    ]
    // Also watch invalid plugins, which the user may fix.
    const manifests = plugins().map((path) => join(path, '.claude-plugin'))
    return {
      root: project.root,
      folders,
      others: [...skills, ...manifests],
      problems: found.flatMap((each) => each.problems),
    }
  }

  /** The order in the window. */
  async function findAll(
    folder: string,
    trust: Trust,
  ): Promise<FoundAgents & { readonly folders: readonly AgentFolder[] }> {
    const { root, folders, problems } = await foldersOf(folder, trust)
    const found = await Promise.all([
      ...folders.map((each) => readAgentFolder(each, known)),
      readCommandLineAgents(commandLine),
      builtInAgents(options.builtIn, known),
      builtInAgents((await options.programs?.definitions(await realOf(root))) ?? {}, known),
    ])
    const all = found.flatMap((each) => each.agents.map(withoutPluginProgram))
    const isProject = folders.some(({ source }) => source === 'project')
    const approved = isProject ? await withApprovals(root, all) : { agents: all, problems: [] }
    return {
      agents: approved.agents,
      problems: [...problems, ...found.flatMap((each) => each.problems), ...approved.problems],
      folders,
    }
  }

  /** Marks the project's definitions that wait for the user. If approvals can't be kept, none of them is in use. */
  async function withApprovals(root: string, agents: readonly FoundAgent[]): Promise<FoundAgents> {
    const ofProject = agents.filter(({ source }) => source === 'project')
    if (options.approvals === undefined) return { agents, problems: [] }
    const waiting = await options.approvals.waiting(root, ofProject)
    if (!waiting.ok && ofProject.length === 0) return { agents, problems: [] }
    if (!waiting.ok) {
      const problem = `The project's agents are not in use: ${waiting.failure.message}`
      return { agents: agents.filter(({ source }) => source !== 'project'), problems: [problem] }
    }
    return {
      agents: agents.map((agent) => {
        const waits = waiting.value.get(agent.id)
        return waits === undefined ? agent : held(agent, waits)
      }),
      problems: [],
    }
  }

  return {
    load: async (folder, trust) => {
      await options.writes?.settled()
      const { agents, problems } = await findAll(folder, trust)
      const { holders, losers } = settle(agents)
      return {
        definitions: [...holders.values()].sort(byRank).flatMap((agent) => loadedOf(agent)),
        problems: [
          ...problems.map((message) => ({ file: '', message, severity: 'error' as const, line: null })),
          ...agents.flatMap((agent) =>
            [...agent.read.diagnostics, ...(losers.get(agent.id)?.diagnostics ?? [])].map(
              ({ code, message, severity, line }) => ({
                file: agent.file ?? agent.id,
                message,
                severity,
                line,
                ...(severity === 'error' && !agent.read.offered ? { refuses: agent.name } : {}),
                ...(code === WAITS ? { waits: true as const } : {}),
              }),
            ),
          ),
        ],
      }
    },
    catalog: async (folder, trust) => {
      const { agents, problems, folders } = await findAll(folder, trust)
      const nearest = folders.find(({ source }) => source === 'project')
      const ofUser = folders.find(({ source }) => source === 'user')
      const here = await realOf(folder)
      return {
        entries: entriesOf(agents),
        problems,
        watched: [
          ...(nearest ? [relative(here, nearest.path)] : []),
          ...(ofUser ? [join('~', relative(home, ofUser.path))] : []),
        ],
      }
    },
    watch: (folder, trust, changed) => {
      const unwatchPrograms = options.programs?.watch(changed)
      const unwatch = watchFolders(async () => {
        const { folders, others } = await foldersOf(folder, trust)
        return [...folders.map(({ path }) => path), ...others, ...commandLine.files]
      }, changed)
      return () => {
        unwatchPrograms?.()
        unwatch()
      }
    },
  }
}

/** Nothing asks the user about the programs of a plugin's agents, so they are not in use. */
function withoutPluginProgram(agent: FoundAgent): FoundAgent {
  const { read, plugin } = agent
  if (plugin === null || read.definition?.program === undefined) return agent
  const diagnostic = {
    ...{ code: 'plugin-program', severity: 'error' as const, line: 1, column: 1, from: 0, to: 0 },
    message: `The plugin ${plugin} may not start programs as agents. Copy the file to ~/.claude/agents to use it.`,
    fixes: [],
  }
  return { ...agent, read: { ...read, offered: false, diagnostics: [diagnostic, ...read.diagnostics] } }
}

/** The code of the diagnostic of a definition that waits for the user. */
const WAITS = 'waits-for-approval'

/** The definition, not in use or with its former text, with the reason and what to do. */
function held(agent: FoundAgent, waits: WaitingDefinition): FoundAgent {
  const former = waits.former !== null && waits.gained.length === 0 ? agentOf(waits.former, agent).read : null
  const why =
    waits.former === null
      ? waits.gained.length > 0
        ? `A program starts only after you approved it (${waits.gained.join('; ')})`
        : 'It is new since you trusted the project'
      : former === null
        ? `It changed since you approved it, and has more rights (${waits.gained.join('; ')})`
        : 'It changed since you last saw it'
  const diagnostic = {
    ...{
      code: WAITS,
      severity: former === null ? ('error' as const) : ('warning' as const),
      line: 1,
      column: 1,
      from: 0,
      to: 0,
    },
    message: `${why}, so it is ${former === null ? 'not in use' : 'used with its former text'}. See it and approve it in the Agents view, or run "troupe agents approve ${quoted(agent.name)}".`,
    fixes: [],
  }
  const read = former ?? { ...agent.read, offered: false }
  return { ...agent, waits, read: { ...read, diagnostics: [diagnostic, ...read.diagnostics] } }
}

const quoted = (name: string): string =>
  /^[\w:.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`

async function builtInAgents(builtIn: BuiltInAgents, known: KnownFiles): Promise<FoundAgents> {
  if (typeof builtIn === 'string')
    return readAgentFolder({ source: 'built-in', plugin: null, path: builtIn, within: null }, known)
  const agents = Object.entries(builtIn).map(([path, text]) =>
    agentOf(text, { id: `built-in:${path}`, source: 'built-in', plugin: null, file: null, path }),
  )
  return { agents: agents.sort((a, b) => (a.path < b.path ? -1 : 1)), problems: [] }
}

interface Loss {
  readonly holder: FoundAgent
  /** A duplicate within one source is a diagnostic. A duplicate in another source is intended. */
  readonly diagnostics: CatalogEntry['diagnostics']
}

/** The winner of each name among the valid definitions, ignoring case, and the shadowed definitions. */
function settle(agents: readonly FoundAgent[]) {
  const holders = new Map<string, FoundAgent>()
  for (const agent of agents) {
    const key = agent.name.toLowerCase()
    const holder = holders.get(key)
    if (!agent.read.offered) continue
    // The nearest folder comes first and wins. In one folder the last path wins, as in Claude Code.
    if (holder === undefined || rankOf(agent) > rankOf(holder) || isLaterTwin(agent, holder))
      holders.set(key, agent)
  }
  const losers = new Map<string, Loss>()
  for (const agent of agents) {
    const holder = holders.get(agent.name.toLowerCase())
    if (!agent.read.offered || holder === undefined || holder === agent) continue
    const diagnostics = holder.source === agent.source ? [duplicateOf(holder, agent)] : []
    losers.set(agent.id, { holder, diagnostics })
  }
  return { holders, losers }
}

function entriesOf(agents: readonly FoundAgent[]): AgentCatalog['entries'] {
  const { losers } = settle(agents)
  const lostTo = new Map<string, string[]>()
  for (const [id, { holder }] of losers) {
    const ids = lostTo.get(holder.id)
    if (ids === undefined) lostTo.set(holder.id, [id])
    else ids.push(id)
  }
  return agents.map((agent): CatalogEntry => {
    const { definition, diagnostics } = agent.read
    const loss = losers.get(agent.id)
    return {
      id: agent.id,
      name: agent.name,
      source: agent.source,
      plugin: agent.plugin,
      file: agent.file,
      path: agent.path,
      color: stableColor(definition?.color ?? null, agent.name),
      description: definition?.description ?? '',
      state: loss === undefined ? stateOf(agent) : 'shadowed',
      locked: agent.source !== 'project' && agent.source !== 'user',
      shadowedBy: loss?.holder.id ?? null,
      overrides: lostTo.get(agent.id) ?? [],
      diagnostics: [...diagnostics, ...(loss?.diagnostics ?? [])].map(
        ({ code, severity, line, column, message }) => {
          return { code, severity, line, column, message }
        },
      ),
      content: definition === null ? null : contentOf(definition),
    }
  })
}

function stateOf({ read, waits }: FoundAgent): CatalogEntry['state'] {
  if (waits !== undefined) return 'waits'
  if (read.definition === null)
    return read.diagnostics.some(({ severity }) => severity === 'error') ? 'refused' : 'no-agent'
  if (!read.offered) return 'refused'
  return read.definition.hidden ? 'hidden' : 'offered'
}

function loadedOf({ read, name, source, file }: FoundAgent): readonly LoadedDefinition[] {
  return read.definition === null ? [] : [{ ...read.definition, name, source, file }]
}

const isLaterTwin = (agent: FoundAgent, holder: FoundAgent): boolean =>
  agent.source === holder.source &&
  agent.plugin === holder.plugin &&
  agentsFolderOf(agent) === agentsFolderOf(holder)

/** A duplicate in one agents folder is a mistake. One in a nearer folder of the project may be intended. */
function duplicateOf(holder: FoundAgent, loser: FoundAgent): CatalogEntry['diagnostics'][number] {
  const isNearer = holder.source === 'project' && agentsFolderOf(holder) !== agentsFolderOf(loser)
  return {
    code: 'duplicate-name',
    severity: isNearer ? 'notice' : 'warning',
    line: 1,
    column: 1,
    message: `${holder.file ?? holder.id} has the same name and ${isNearer ? 'is nearer' : 'comes later'}, so this one is not used.`,
  }
}

const agentsFolderOf = ({ file, path }: FoundAgent): string => (file ?? path).slice(0, -path.length)

const rankOf = ({ source }: FoundAgent): number => agentSources.indexOf(source)

const byRank = (a: FoundAgent, b: FoundAgent): number => rankOf(a) - rankOf(b)
