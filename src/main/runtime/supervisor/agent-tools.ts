/** The tools of an agent, and their descriptions. */

import type { SkillInfo } from '../../../shared/agent-catalog.ts'
import {
  resolveTools,
  type ToolDefinition,
  type ToolResolution,
} from '../../../shared/agent-definition/resolve-tools.ts'
import { isMcp } from '../../../shared/agent-definition/tool-entry.ts'
import type { DefinitionSnapshot, EventOf, ToolSchema } from '../../../shared/agent-event.ts'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { DefinitionProblem, LoadedDefinition } from '../ports.ts'
import type { AnyTool, AvailableToAgent } from '../tool.ts'
import { toolSchemaOf } from '../tools/tool-schema.ts'
import { deferredTools } from '../tools/tool-search.ts'

export interface AgentToolsDeps {
  /** All tools of the conversation, in the order in which the model receives them. */
  tools(): readonly AnyTool[]
  /** Agents above this depth start agents of any type. */
  maxDepth(): number
  /** Whether the main agent is a coordinator. */
  coordinator(): boolean
  /** The MCP tools of subagents. */
  mcpToolsForSubagents(): 'all' | 'listed' | 'none'
}

/** The agents and skills that can be used in a folder. */
export interface FolderCatalog {
  readonly definitions: readonly LoadedDefinition[]
  readonly skills: readonly SkillInfo[]
  /** Why definitions are not in use. */
  readonly refused: readonly DefinitionProblem[]
}

/** The agents that it may start, and its depth. */
export interface StartingAgent extends Pick<DefinitionSnapshot, 'readOnly'> {
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
  }: {
    readonly depth: number
    readonly catalog: FolderCatalog
    readonly background: boolean
    readonly teamMember: boolean
  },
  deps: AgentToolsDeps,
): ToolResolution & { readonly schemas: readonly ToolSchema[] } {
  const resolution = resolve(definition, { depth, background, teamMember }, deps)
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
function isEmptyList({ offers }: AnyTool, available: AvailableToAgent): boolean {
  return offers?.needsEntries === true && Object.keys(offers.describe(available).entries).length === 0
}

const nothingListed = (tool: string): ToolResolution['blocked'][number] => ({
  tool,
  step: 'reserved',
  entry: null,
  because: 'there is nothing here to use it with',
})

/** Tools that were left out at the spawn because their lists were empty, and that have entries now. */
export function filledLists(
  state: AgentState,
  catalog: FolderCatalog,
  deps: AgentToolsDeps,
): readonly ToolSchema[] {
  const { toolLists, readOnly, source } = state.definition
  if (toolLists === undefined) return []
  const { allowed } = resolve(
    { ...toolLists, readOnly, source: source as ToolDefinition['source'] },
    { depth: state.depth, teamMember: state.teamId !== null },
    deps,
  )
  const available = availableTo({ ...state.definition, depth: state.depth }, catalog, deps)
  return deps
    .tools()
    .filter(
      (tool) => tool.offers?.needsEntries && allowed.includes(tool.name) && !isEmptyList(tool, available),
    )
    .map((tool) => schemaFor(tool, available))
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
): readonly { readonly tool: string; readonly because: string }[] {
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
    { depth: state.depth, background: state.background !== 'no', teamMember: state.teamId !== null },
    deps,
  )
  return added.filter(({ name }) => allowed.includes(name)).map((tool) => schemaFor(tool, NOTHING))
}

/** Added tools list tools, neither agents nor skills. */
const NOTHING: AvailableToAgent = { definitions: [], skills: [], toolNamesOf: () => [] }

/** The tools whose descriptions list agents or skills, as they are described now. */
export function listingTools(
  agent: StartingAgent,
  catalog: FolderCatalog,
  deps: AgentToolsDeps,
): readonly ListingTool[] {
  const available = availableTo(agent, catalog, deps)
  return deps
    .tools()
    .flatMap(({ name, offers: list }) =>
      list === undefined ? [] : [{ name, noun: list.noun, use: list.use, ...list.describe(available) }],
    )
}

export interface ListingTool {
  readonly name: string
  readonly noun: string
  readonly use: string
  readonly description: string
  readonly entries: Readonly<Record<string, string>>
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

function resolve(
  definition: ToolDefinition,
  agent: { readonly depth: number; readonly background?: boolean; readonly teamMember?: boolean },
  deps: AgentToolsDeps,
): ToolResolution {
  const tools = deps.tools()
  return resolveTools(definition, {
    ...agent,
    tools: tools.map(({ name }) => name),
    maxDepth: deps.maxDepth(),
    coordinator: deps.coordinator(),
    mcpToolsForSubagents: deps.mcpToolsForSubagents(),
    ownedTools: tools.filter(({ onlyWhereNamed }) => onlyWhereNamed).map(({ name }) => name),
    readingTools: tools.filter(({ kind }) => READING_KINDS.has(kind)).map(({ name }) => name),
  })
}

/** Kinds of tools that only read. */
const READING_KINDS: ReadonlySet<AnyTool['kind']> = new Set(['read', 'search', 'web'])

function availableTo(
  agent: StartingAgent,
  { definitions, skills }: FolderCatalog,
  deps: AgentToolsDeps,
): AvailableToAgent {
  return {
    definitions: definitions.filter((other) => mayStart(agent, other)),
    skills,
    toolNamesOf: (other) => {
      const { allowed } = resolve(
        { ...other, readOnly: other.readOnly || agent.readOnly },
        { depth: agent.depth + 1 },
        deps,
      )
      const changing = new Set(
        deps
          .tools()
          .flatMap(({ name, source, offers }) =>
            source !== undefined || offers?.needsEntries ? [name] : [],
          ),
      )
      // Added tools appear as the definition names them: sources and lists that come and go must not change the line.
      return [...allowed.filter((name) => !changing.has(name)), ...(other.tools ?? []).filter(isMcp)]
    },
  }
}

function schemaFor(tool: AnyTool, available: AvailableToAgent): ToolSchema {
  if (tool.offers === undefined) return toolSchemaOf(tool)
  const { description, entries } = tool.offers.describe(available)
  return { ...toolSchemaOf({ ...tool, description }), entries: { ...entries } }
}
