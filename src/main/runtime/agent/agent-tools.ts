/** The tools of an agent, and their descriptions. */

import type { SkillInfo, ToolConditions } from '../../../shared/agent-definition/agent-catalog.ts'
import {
  type BlockedTool,
  resolveTools,
  type ToolDefinition,
  type ToolResolution,
  type ToolSurroundings,
} from '../../../shared/agent-definition/resolve-tools.ts'
import type { DefinitionSnapshot, EventOf, ToolSchema } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { isMcp, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import type { ListingTool } from '../conversation/tool-changes.ts'
import type { DefinitionProblem, LoadedDefinition } from '../ports/definitions.ts'
import type { ToolServer } from '../ports/ports.ts'
import type { AnyTool, AvailableToAgent, ListedDescription } from '../ports/tool.ts'
import { toolSchemaOf } from '../tools/tool-schema.ts'
import { deferredTools } from '../tools/tool-search.ts'
import { leftOutTools, type ToolSituation } from './left-out-tools.ts'

export interface AgentToolsDeps {
  /** All tools of the conversation, in the order in which the model receives them. */
  tools(): readonly AnyTool[]
  /** Agents above this depth start agents of any type. */
  maxDepth(): number
  /** Whether the main agent is a coordinator. */
  coordinator(): boolean
  /** The MCP tools of subagents. */
  mcpToolsForSubagents(): 'all' | 'listed' | 'none'
  /** What decides which tools are of use now. */
  situation(): ToolSituation
  /** The names of the tools of definitions, by all that decides about them. */
  readonly toolNames: Map<string, readonly string[]>
}

/** The agents and skills that can be used in a folder. */
export interface FolderCatalog {
  readonly definitions: readonly LoadedDefinition[]
  readonly skills: readonly SkillInfo[]
  /** Why definitions are not in use. */
  readonly refused: readonly DefinitionProblem[]
}

/** The agents that it may start, and its depth. */
interface StartingAgent extends Pick<DefinitionSnapshot, 'readOnly'> {
  readonly depth: number
  readonly agentTypes: readonly string[] | null
  readonly deniedAgentTypes: readonly string[]
}

/** The tools of a definition, as the model receives them. */
export function toolsFor(
  definition: LoadedDefinition,
  {
    depth,
    catalog,
    background,
    teamMember,
    bypasses,
    isFork,
  }: {
    readonly depth: number
    readonly catalog: FolderCatalog
    readonly background: boolean
    readonly teamMember: boolean
    readonly bypasses: boolean
    readonly isFork: boolean
  },
  deps: AgentToolsDeps,
): ToolResolution & { readonly schemas: readonly ToolSchema[] } {
  const resolution = resolve(definition, { depth, background, teamMember, bypasses, isFork }, deps)
  const available = availableTo({ ...resolution, depth, readOnly: definition.readOnly }, catalog, deps)
  const mine = deps.tools().filter(({ name }) => resolution.allowed.includes(name))
  const deferred = deferredTools(mine, mine)
  const empty = mine.filter((tool) => isEmptyList(tool, available)).map(({ name }) => name)
  return {
    ...resolution,
    allowed: resolution.allowed.filter((name) => !empty.includes(name)),
    blocked: [...resolution.blocked, ...empty.map(nothingListed)],
    schemas: mine
      .filter(({ name }) => !empty.includes(name) && !deferred.has(name))
      .map((tool) => schemaFor(tool, available)),
  }
}

/** Whether the tool's description has a list, and the list is empty. */
export function isEmptyList(tool: AnyTool, available: AvailableToAgent): boolean {
  return (
    tool.offers?.needsEntries === true && Object.keys(listedBy(tool, available)?.entries ?? {}).length === 0
  )
}

/** Each list is made once for what is available: it names the tools of every agent. */
const lists = new WeakMap<AvailableToAgent, Map<string, ListedDescription>>()

/** The description of a tool with its list; null: it has none. */
function listedBy({ name, offers }: AnyTool, available: AvailableToAgent): ListedDescription | null {
  if (offers === undefined) return null
  const made = lists.get(available) ?? new Map<string, ListedDescription>()
  lists.set(available, made)
  const listed = made.get(name) ?? offers.describe(available)
  made.set(name, listed)
  return listed
}

/** Blocks a tool whose list is empty. */
export const nothingListed = (tool: string): ToolResolution['blocked'][number] => ({
  tool,
  step: 'reserved',
  entry: null,
  because: 'there is nothing here to use it with',
})

/**
 * The built-in tools that a running agent would have, were it started now: those that it does not have yet come with a
 * notice. A fork keeps the tools of its parent.
 * @param available null: tools with a list come later
 * @param knowsNotebook whether the agent has read or written a notebook
 */
export function builtInToolsFor(
  state: AgentState,
  {
    available,
    knowsNotebook,
  }: { readonly available: AvailableToAgent | null; readonly knowsNotebook: boolean },
  deps: AgentToolsDeps,
): readonly ToolSchema[] {
  const { toolLists, readOnly, source } = state.definition
  if (toolLists === undefined || state.forkOf !== null) return []
  const situation = deps.situation()
  const { allowed } = resolve(
    { ...toolLists, readOnly, source: source as ToolDefinition['source'] },
    positionOf(state),
    { ...deps, situation: () => ({ ...situation, hasNotebooks: situation.hasNotebooks || knowsNotebook }) },
  )
  return deps
    .tools()
    .filter(
      (tool) =>
        tool.source === undefined &&
        allowed.includes(tool.name) &&
        (tool.offers === undefined || (available !== null && !isEmptyList(tool, available))),
    )
    .map((tool) => schemaFor(tool, available))
}

const EMPTY: FolderCatalog = { definitions: [], skills: [], refused: [] }

/** What the resolution of a running agent's tools depends on beside its definition. */
function positionOf(state: AgentState) {
  return {
    depth: state.depth,
    background: state.background !== 'no',
    teamMember: state.teamId !== null,
    bypasses: state.permissionMode === 'bypassPermissions',
  }
}

/** The tools that the situation takes from an agent, not a removal: their calls are denied with the reason. */
export function deniedTools(state: AgentState, deps: AgentToolsDeps): ReadonlySet<string> {
  const user = { ...positionOf(state), isMain: state.depth === 0, names: () => false }
  return new Set(leftOutTools(deps.tools(), deps.situation(), user).keys())
}

/** The tools that an agent read from its log may not use, with the reasons. */
export function blockedToolsOf(
  {
    definition,
    depth,
    inherits,
    teamId,
  }: Pick<EventOf<'agent-spawned'>, 'definition' | 'depth' | 'inherits' | 'teamId'>,
  deps: AgentToolsDeps,
): readonly (Pick<BlockedTool, 'tool' | 'because'> & { readonly step?: string })[] {
  const { refused, toolLists, readOnly, source } = definition
  if (toolLists === undefined || inherits !== null) return refused
  const lists = { ...toolLists, readOnly, source: source as ToolDefinition['source'] }
  return [...refused, ...resolve(lists, { depth, teamMember: teamId !== null }, deps).blocked]
}

/** The added tools that a running agent's definition gives it. A fork keeps the tools of its parent. */
export function addedToolsFor(state: AgentState, deps: AgentToolsDeps): readonly ToolSchema[] {
  const { toolLists, readOnly, source } = state.definition
  const added = deps.tools().filter((tool) => tool.source !== undefined)
  if (added.length === 0 || toolLists === undefined || state.forkOf !== null) return []
  const { allowed } = resolve(
    { ...toolLists, readOnly, source: source as ToolDefinition['source'] },
    positionOf(state),
    deps,
  )
  // Added tools list tools, neither agents nor skills.
  const available = availableTo({ ...state.definition, depth: state.depth }, EMPTY, deps)
  return added
    .filter((tool) => allowed.includes(tool.name) && !isEmptyList(tool, available))
    .map((tool) => schemaFor(tool, available))
}

/** The tools whose descriptions list agents or skills, as they are described now. */
export function listingTools(available: AvailableToAgent, deps: AgentToolsDeps): readonly ListingTool[] {
  return deps.tools().flatMap((tool) => {
    const listed = listedBy(tool, available)
    if (tool.offers === undefined || listed === null) return []
    const { noun, use } = tool.offers
    return [{ name: tool.name, noun, use, ...listed }]
  })
}

/** Whether an agent limited to these types may start this one. */
export function mayStart(
  { agentTypes, deniedAgentTypes }: Pick<StartingAgent, 'agentTypes' | 'deniedAgentTypes'>,
  { name, aliases }: Pick<LoadedDefinition, 'name' | 'aliases'>,
): boolean {
  const isIn = (types: readonly string[]) => {
    const wanted = types.map((type) => type.toLowerCase())
    return [name, ...aliases].some((known) => wanted.includes(known.toLowerCase()))
  }
  return !isIn(deniedAgentTypes) && (agentTypes === null || isIn(agentTypes))
}

/** Whether the server's tools are, or would be, the agent's. `has`: the names of its tools. */
export function mayUseServer(
  { prefix, onlyWhereNamed }: ToolServer,
  { definition, depth, background, teamId, forkOf }: AgentState,
  { has, deps }: { readonly has: readonly string[]; readonly deps: AgentToolsDeps },
): boolean {
  if (has.some((name) => name.startsWith(prefix))) return true
  const { toolLists, readOnly, source } = definition
  // A fork keeps the tools of its parent. A read-only agent gets only tools that say that they read.
  if (toolLists === undefined || forkOf !== null || readOnly) return false
  // The names of its tools are not known: any name, and those that the definition expects.
  const names = [`${prefix}any`, ...(toolLists.tools ?? []).filter((entry) => entry.startsWith(prefix))]
  const { allowed } = resolveTools(
    { ...toolLists, source: source as ToolDefinition['source'] },
    {
      tools: names,
      depth,
      background: background !== 'no',
      teamMember: teamId !== null,
      maxDepth: deps.maxDepth(),
      coordinator: deps.coordinator(),
      mcpToolsForSubagents: deps.mcpToolsForSubagents(),
      ownedTools: onlyWhereNamed ? names : [],
    },
  )
  return allowed.length > 0
}

interface AgentPosition {
  readonly depth: number
  readonly background?: boolean
  readonly teamMember?: boolean
  readonly bypasses?: boolean
  readonly isFork?: boolean
}

/** `situation`: false for a list of what agents of the definition can do, which must not change with the situation. */
function resolve(
  definition: ToolDefinition,
  { bypasses = false, ...agent }: AgentPosition,
  deps: AgentToolsDeps,
  { situation = true } = {},
): ToolResolution {
  const named = new Set((definition.tools ?? []).map((entry) => readToolEntry(entry).name))
  const user = { isMain: agent.depth === 0, bypasses, names: (tool: string) => named.has(tool) }
  return resolveTools(definition, {
    ...surroundingsOf(agent, deps),
    ...(situation && { leftOut: leftOutTools(deps.tools(), deps.situation(), user) }),
  })
}

function surroundingsOf(agent: Omit<AgentPosition, 'bypasses'>, deps: AgentToolsDeps): ToolSurroundings {
  const tools = deps.tools()
  return {
    ...agent,
    ...conditionsOf(deps, tools),
    tools: tools.map(({ name }) => name),
    coordinator: deps.coordinator(),
  }
}

/** What decides the tools of agents besides their definitions and the present situation. */
export function conditionsOf(
  deps: Pick<AgentToolsDeps, 'maxDepth' | 'mcpToolsForSubagents'>,
  tools: readonly AnyTool[],
): Omit<ToolConditions, 'leftOut'> {
  return {
    maxDepth: deps.maxDepth(),
    mcpToolsForSubagents: deps.mcpToolsForSubagents(),
    ownedTools: tools.filter(({ onlyWhereNamed }) => onlyWhereNamed).map(({ name }) => name),
    readingTools: tools.filter(({ kind }) => READING_KINDS.has(kind)).map(({ name }) => name),
  }
}

/** Kinds of tools that only read. */
const READING_KINDS: ReadonlySet<AnyTool['kind']> = new Set(['read', 'search', 'web'])

/** What the agent can start and use, for the lists in the descriptions of its tools. */
export function availableTo(
  agent: StartingAgent,
  { definitions, skills }: FolderCatalog,
  deps: AgentToolsDeps,
): AvailableToAgent {
  const user = { isMain: agent.depth === 0, bypasses: false, names: () => false }
  const tools = deps.tools()
  const leftOut = leftOutTools(tools, deps.situation(), user)
  // Added tools appear as the definition names them: sources and lists that come and go must not change the line.
  const changing = new Set(
    tools.flatMap(({ name, source, offers }) => (source !== undefined || offers?.needsEntries ? [name] : [])),
  )
  const depth = agent.depth + 1
  const around = JSON.stringify([depth, surroundingsOf({ depth }, deps), [...changing]])
  return {
    isMain: agent.depth === 0,
    isLeftOut: (tool) => leftOut.has(tool),
    definitions: definitions.filter((other) => mayStart(agent, other)),
    skills,
    toolNamesOf: (other) => {
      const readOnly = other.readOnly || agent.readOnly
      const { tools: listed, disallowedTools, background, mcpServers, source } = other
      // Cached: every turn asks, and the result seldom changes.
      const key = JSON.stringify([listed, disallowedTools, background, mcpServers, source, readOnly, around])
      const known = deps.toolNames.get(key)
      if (known !== undefined) return known
      const { allowed } = resolve({ ...other, readOnly }, { depth }, deps, { situation: false })
      const names = [...allowed.filter((name) => !changing.has(name)), ...(listed ?? []).filter(isMcp)]
      deps.toolNames.set(key, names)
      return names
    },
  }
}

function schemaFor(tool: AnyTool, available: AvailableToAgent | null): ToolSchema {
  const listed = available === null ? null : listedBy(tool, available)
  if (listed === null) return toolSchemaOf(tool)
  const { description, entries, hidden } = listed
  return { ...toolSchemaOf({ ...tool, description }, hidden), entries: { ...entries } }
}
