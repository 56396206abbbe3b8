/**
 * Resolves which tools an agent has. Pure: the runtime and the definition editor both call it. The steps run in the
 * order of `ToolStep`; the first step that blocks a tool gives the reason.
 */

import { defaultLimits } from '../settings/limit-amounts.ts'
import { nearestTool } from '../tools/nearest-name.ts'
import {
  isAbout,
  isDenied,
  isGiven,
  isMcp,
  readToolEntry,
  serverOf,
  splitRule,
  type ToolEntry,
} from '../tools/tool-entry.ts'
import { coordinatorTools, toolFacts } from '../tools/tool-facts.ts'
import { startsAgents } from '../tools/tool-names.ts'
import type { AgentSource } from './agent-catalog.ts'
import type { AgentDefinition } from './agent-definition.ts'

/** The step that blocked a tool. */
export type ToolStep =
  /** No subagent has the tool. */
  | 'subagent'
  /** A coordinator leaves the tool to its workers, or only a coordinator has it. */
  | 'coordinator'
  /** The agent is at the maximum depth. */
  | 'depth'
  /** The agent begins with its parent's conversation. */
  | 'fork'
  /** The tool is of no use in the present situation. */
  | 'not-now'
  /** Only built-in subagents that start agents, and agents that start commands, have the tool. */
  | 'reserved'
  | 'background'
  /** A setting, or the definition's `mcpServers`. */
  | 'mcp'
  /** The definition's `disallowedTools`. */
  | 'denied'
  /** The definition's `tools`. */
  | 'not-listed'
  /** The definition's `readOnly`. */
  | 'read-only'
  /** An external agent has its own tools. */
  | 'program'
  /** The definition has errors that keep the agent from being used. */
  | 'refused'

export interface BlockedTool {
  readonly tool: string
  readonly step: ToolStep
  /** The entry of `disallowedTools` that denies the tool, or the entry of `tools` that allows only a part; else null. */
  readonly entry: string | null
  /** Continues a sentence that starts with the tool's name: "only the main agent has it". */
  readonly because: string
}

export interface ToolResolution {
  /** Canonical names, in the program's order of tools. */
  readonly allowed: readonly string[]
  readonly blocked: readonly BlockedTool[]
  /** Entries of `tools` and `disallowedTools` that name no existing tool. */
  readonly unknown: readonly { readonly entry: string; readonly nearest: string | null }[]
  /** The agent types that `Agent(a, b)` names: the agent may start only these. Null: all types. */
  readonly agentTypes: readonly string[] | null
  /** The agent types that `disallowedTools` names: the agent may not start these. */
  readonly deniedAgentTypes: readonly string[]
  /** Permission rules that narrow allowed tools: `denied` from `disallowedTools`, `only` from `tools`. */
  readonly rules: { readonly denied: readonly string[]; readonly only: readonly string[] }
}

export interface ToolSurroundings {
  /** All tools of this program and of the connected MCP servers (`mcp__server__tool`). */
  readonly tools: readonly string[]
  /** 0 for a main agent, 1 for its subagents. */
  readonly depth: number
  /** Agents above this depth may start agents of any type. 1: only the main agent. */
  readonly maxDepth?: number
  /** Whether the conversation is in coordinator mode, which limits the tools of its main agent. */
  readonly coordinator?: boolean
  /** Whether the agent runs in the background. An agent with `background` in its definition always does. */
  readonly background?: boolean
  /** The MCP tools of subagents: all (default), those that the definition lists, or none. */
  readonly mcpToolsForSubagents?: 'all' | 'listed' | 'none'
  /** Whether the agent begins with its parent's conversation. Forks start no agents. */
  readonly isFork?: boolean
  /** Whether the agent is a member of a team, and sends messages to other members. */
  readonly teamMember?: boolean
  /** Tools of servers that a definition describes itself: only agents have them whose definition names the server. */
  readonly ownedTools?: readonly string[]
  /** Whether there are skills; missing: unknown, and the tool stays. */
  readonly hasSkills?: boolean
  /** Tools that are of no use now, with the reasons. */
  readonly leftOut?: ReadonlyMap<string, string>
  /** Added tools that only read. Read-only agents get no other added tools. */
  readonly readingTools?: readonly string[]
}

export type ToolDefinition = Pick<AgentDefinition, 'tools' | 'disallowedTools'> &
  Partial<Pick<AgentDefinition, 'background' | 'mcpServers' | 'readOnly'>> & { readonly source: AgentSource }

/** The maximum depth of agents whose definition names the types that they may start. */
const DEEPEST = 3

type Taken = Pick<BlockedTool, 'step' | 'because'> & { readonly entry?: string }

export function resolveTools(definition: ToolDefinition, surroundings: ToolSurroundings): ToolResolution {
  const { tools } = surroundings
  const lists = readLists(definition)
  const hasCommands = startsCommands(tools, { definition, lists, surroundings })
  const blocked = tools.flatMap((tool): readonly BlockedTool[] => {
    const agent = { definition, lists, surroundings }
    const taken =
      (hasCommands && isForAgents(tool) ? null : byPosition(tool, agent)) ??
      byServer(tool, agent) ??
      byDenial(tool, lists) ??
      byList(tool, lists) ??
      byReadOnly(tool, agent)
    return taken === null ? [] : [{ tool, entry: null, ...taken }]
  })
  const gone = new Set(blocked.map(({ tool }) => tool))
  const useless = tools.some((tool) => startsAgents(tool) && !gone.has(tool))
    ? []
    : tools.filter((tool) => isForAgents(tool) && !gone.has(tool) && !hasCommands).map(ofNoUse)
  for (const { tool } of useless) gone.add(tool)
  return {
    allowed: tools.filter((tool) => !gone.has(tool)),
    blocked: [...blocked, ...useless],
    unknown: [...(lists.listed ?? []), ...lists.denials]
      .filter((entry) => isUnknown(entry, tools))
      .map(({ text, name }) => ({ entry: text, nearest: nearestTool(name, tools) })),
    agentTypes: agentTypesOf(lists, surroundings),
    deniedAgentTypes: lists.denials.filter(({ name }) => startsAgents(name)).flatMap(typesIn),
    rules: rulesOf(lists),
  }
}

interface Lists {
  /** Null: all. */
  readonly listed: readonly ToolEntry[] | null
  readonly denials: readonly ToolEntry[]
  /** The entries of `tools` that name a tool, without `*`. */
  readonly named: readonly ToolEntry[]
}

interface ResolvedAgent {
  readonly definition: ToolDefinition
  readonly lists: Lists
  readonly surroundings: ToolSurroundings
}

function readLists({ tools, disallowedTools }: ToolDefinition): Lists {
  const entries = (tools ?? []).map(readToolEntry)
  const isAll = tools === null || entries.some(({ name, isBroken }) => name === '*' && !isBroken)
  return {
    listed: isAll ? null : entries,
    denials: disallowedTools.map(readToolEntry),
    named: entries.filter(({ name, isBroken }) => name !== '*' && !isBroken),
  }
}

// ---- the steps ---------------------------------------------------------------------------------

/** Blocks tools by the agent's position: coordinator, main agent, subagent, its depth, or the background. */
function byPosition(
  tool: string,
  { definition, lists: { named }, surroundings }: ResolvedAgent,
): Taken | null {
  const { source, background: always = false } = definition
  const { depth, maxDepth = defaultLimits.maxDepth, background = false, teamMember = false } = surroundings
  const isSubagent = depth > 0
  const isCoordinator = surroundings.coordinator === true && !isSubagent
  const facts = toolFacts(tool)
  if (isCoordinator && !coordinatorTools.includes(tool))
    return { step: 'coordinator', because: 'a coordinator leaves this to the agents that it starts' }
  if (!isCoordinator && facts?.agents === 'coordinator')
    return { step: 'coordinator', because: 'only the main agent in coordinator mode has it' }
  if (tool === 'Skill' && surroundings.hasSkills === false)
    return { step: 'reserved', because: 'there are no skills here' }
  if (isSubagent && facts?.agents === 'main')
    return { step: 'subagent', because: 'only the main agent has it' }
  if (isSubagent && facts?.agents === 'team' && !teamMember && !named.some((entry) => isAbout(entry, tool)))
    return { step: 'subagent', because: 'a subagent has it only in a team, or if its tools name it' }
  if (surroundings.isFork && startsAgents(tool)) return { step: 'fork', because: 'a fork starts no agents' }
  if (startsAgents(tool) && depth >= maxDepth) {
    if (!named.some(({ name, rule }) => startsAgents(name) && rule !== null))
      return {
        step: 'depth',
        because:
          'with the setting maxDepth, a subagent starts agents here only if its tools name their types: Agent(a, b)',
      }
    const deepest = Math.max(DEEPEST, maxDepth)
    if (depth >= deepest) return { step: 'depth', because: `agents are nested at most ${deepest} deep` }
  }
  if (isSubagent && source !== 'built-in' && facts?.agents === 'built-in')
    return { step: 'reserved', because: 'it is reserved for built-in agents' }
  if (isSubagent && (background || always) && facts?.inBackground === false)
    return { step: 'background', because: 'background agents do not have it' }
  const leftOut = surroundings.leftOut?.get(tool)
  return leftOut === undefined ? null : { step: 'not-now', because: leftOut }
}

function byServer(tool: string, { definition, lists: { named }, surroundings }: ResolvedAgent): Taken | null {
  const { mcpServers = null } = definition
  const { depth, mcpToolsForSubagents = 'all' } = surroundings
  if (!isMcp(tool)) return null
  if (depth > 0 && mcpToolsForSubagents === 'none')
    return { step: 'mcp', because: 'the setting mcpToolsForSubagents gives subagents no MCP tools' }
  if (depth > 0 && mcpToolsForSubagents === 'listed' && !named.some((entry) => isAbout(entry, tool)))
    return {
      step: 'mcp',
      because: 'the setting mcpToolsForSubagents gives subagents only the MCP tools that their tools name',
    }
  const seen = mcpServers?.flatMap((server) => (typeof server === 'string' ? [server] : Object.keys(server)))
  if (seen !== undefined && !seen.some((server) => serverOf(tool) === server.toLowerCase()))
    return { step: 'mcp', because: 'the definition does not name its server (mcpServers)' }
  if (seen === undefined && surroundings.ownedTools?.includes(tool))
    return { step: 'mcp', because: 'its server belongs to another definition' }
  return null
}

function byDenial(tool: string, { denials }: Lists): Taken | null {
  const mine = denials.filter((entry) => isDenied(entry, tool))
  const whole = mine.find((entry) => entry.rule === null)
  if (whole)
    return { step: 'denied', entry: whole.text, because: 'the definition denies it (disallowedTools)' }
  const [part] = mine
  if (part === undefined || toolFacts(tool)?.hasParts) return null
  return {
    step: 'denied',
    entry: part.text,
    because: 'the definition denies a part of it (disallowedTools), but rules cannot name parts of this tool',
  }
}

function byList(tool: string, { listed }: Lists): Taken | null {
  if (listed === null) return null
  const mine = listed.filter((entry) => !entry.isBroken && isGiven(entry, tool))
  if (mine.some((entry) => entry.rule === null || toolFacts(tool)?.hasParts)) return null
  const [part] = mine
  if (part === undefined) return { step: 'not-listed', because: 'the definition does not list it (tools)' }
  return {
    step: 'not-listed',
    entry: part.text,
    because: 'the definition lists a part of it (tools), but rules cannot name parts of this tool',
  }
}

function byReadOnly(tool: string, { definition, surroundings }: ResolvedAgent): Taken | null {
  const { readingTools = [] } = surroundings
  if (!definition.readOnly) return null
  if (toolFacts(tool)?.kind === 'edit')
    return { step: 'read-only', because: 'the agent only reads (readOnly)' }
  if (toolFacts(tool) !== null || readingTools.includes(tool)) return null
  return {
    step: 'read-only',
    because: 'the agent only reads (readOnly), and this tool does not say that it does',
  }
}

/** Whether the tool only concerns agents that its caller started. */
const isForAgents = (tool: string): boolean => toolFacts(tool)?.agents === 'built-in'

/** Whether the agent can start commands in the background. A read-only agent waits for its commands. */
function startsCommands(tools: readonly string[], agent: ResolvedAgent): boolean {
  const { definition, lists } = agent
  const taken = byPosition('Bash', agent) ?? byDenial('Bash', lists) ?? byList('Bash', lists)
  return !definition.readOnly && tools.includes('Bash') && taken === null
}

const ofNoUse = (tool: string): BlockedTool => ({
  tool,
  step: 'reserved',
  entry: null,
  because: 'only agents that start agents or commands in the background have a use for it',
})

// ---- agent types and rules ---------------------------------------------------------------------

function agentTypesOf(
  { named }: Lists,
  { depth, maxDepth = defaultLimits.maxDepth }: ToolSurroundings,
): readonly string[] | null {
  const entries = named.filter(({ name }) => startsAgents(name))
  const types = entries.flatMap(typesIn)
  const isWhole = entries.some(({ rule }) => rule === null)
  return types.length === 0 || (isWhole && depth < maxDepth) ? null : types
}

function typesIn({ rule }: ToolEntry): readonly string[] {
  return (rule ?? '')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '')
}

function rulesOf({ listed, denials }: Lists): ToolResolution['rules'] {
  const isWhole = (tool: string) =>
    listed?.some(({ name, rule, isBroken }) => name === tool && rule === null && !isBroken)
  return {
    // A comma may be part of a command, so the whole rule is denied too.
    denied: denials.flatMap((entry) =>
      [...partsOf(entry), ...wholeRuleOf(entry)].filter((rule, at, all) => all.indexOf(rule) === at),
    ),
    // An entry without a rule allows the whole tool.
    only: (listed ?? []).filter(({ name }) => !isWhole(name)).flatMap(partsOf),
  }
}

function partsOf({ name, rule }: ToolEntry): readonly string[] {
  return rule === null || startsAgents(name) ? [] : splitRule(rule).map((part) => `${name}(${part})`)
}

function wholeRuleOf({ name, rule }: ToolEntry): readonly string[] {
  return rule === null || startsAgents(name) ? [] : [`${name}(${rule})`]
}

/** A server may connect later, so its tools are not unknown. A tool that a connected server lacks is unknown. */
function isUnknown(entry: ToolEntry, tools: readonly string[]): boolean {
  if (entry.isBroken) return true
  if (entry.name === '*' || tools.some((tool) => isAbout(entry, tool))) return false
  return !isMcp(entry.name) || tools.some((tool) => isMcp(tool) && serverOf(tool) === serverOf(entry.name))
}
