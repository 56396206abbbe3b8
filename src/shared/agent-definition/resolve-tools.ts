/**
 * Which tools an agent really has: a pure function, asked by the runtime and by whoever explains an agent
 * to a person. The steps are in the order in which they are listed; the first that takes a tool away says why.
 */

import type { AgentSource } from '../agent-library.ts'
import type { AgentDefinition } from './agent-definition.ts'
import { nearestName } from './nearest-name.ts'
import { isAbout, isMcp, readToolEntry, serverOf, splitRule, type ToolEntry } from './tool-entry.ts'

/** What took a tool away. */
export type ToolStep =
  /** No subagent has it. */
  | 'subagent'
  /** Agents are nested only so deep. */
  | 'depth'
  /** It is kept for the agents that come with the program. */
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

export interface BlockedTool {
  readonly tool: string
  readonly step: ToolStep
  /** The entry of `disallowedTools` that denies it, or the one of `tools` that gives only a part; else null. */
  readonly entry: string | null
  /** Reads on from the tool's name: "only the main agent has it". */
  readonly because: string
}

export interface ToolResolution {
  /** Canonical names, in the order in which the program lists its tools. */
  readonly allowed: readonly string[]
  readonly blocked: readonly BlockedTool[]
  /** Entries of `tools` and `disallowedTools` that name no tool there is. */
  readonly unknown: readonly { readonly entry: string; readonly nearest: string | null }[]
  /** The types that `Agent(a, b)` names, the only ones it may start; null: all. */
  readonly agentTypes: readonly string[] | null
  /** The types that `disallowedTools` names: it may not start those. */
  readonly deniedAgentTypes: readonly string[]
  /**
   * What narrows a tool that is allowed, as the permissions take it (`PermissionAgent`): `denied` from
   * `disallowedTools`, `only` from `tools`.
   */
  readonly rules: { readonly denied: readonly string[]; readonly only: readonly string[] }
}

export interface ToolSurroundings {
  /** All tools this program has, and those of the MCP servers that are connected: `mcp__server__tool`. */
  readonly tools: readonly string[]
  /** 0 for a main agent, 1 for an agent that it starts. */
  readonly depth: number
  /** Agents above this depth may start others of any type; 1 where it is left out: only the main agent. */
  readonly maxDepth?: number
  /** Whether it runs in the background, where nobody watches. A definition with `background` always does. */
  readonly background?: boolean
  /** Which MCP tools subagents get: all (where it is left out), those that their definition lists, or none. */
  readonly mcpToolsForSubagents?: 'all' | 'listed' | 'none'
  /** Whether it is a member of a team, and so writes to the others. */
  readonly teamMember?: boolean
  /** Those of the MCP tools that say of themselves that they only read. */
  readonly readingMcpTools?: readonly string[]
}

export type ToolDefinition = Pick<AgentDefinition, 'tools' | 'disallowedTools'> &
  Partial<Pick<AgentDefinition, 'background' | 'mcpServers' | 'readOnly'>> & { readonly source: AgentSource }

/** Tools that need the user's whole attention, or that only the main agent's place in the tree makes sense of. */
const MAIN_ONLY: ReadonlySet<string> = new Set(
  'AskUserQuestion ExitPlanMode TeamCreate TeamDelete SetPhase MergeWorktree'.split(' '),
)
const BUILT_IN_ONLY: ReadonlySet<string> = new Set(['TaskOutput', 'TaskStop'])
/** Reading, searching, writing, running and noting down: what makes sense where nobody can be asked. */
const BACKGROUND: ReadonlySet<string> = new Set(
  'Read Write Edit NotebookEdit Glob Grep Bash WebFetch WebSearch TodoWrite Skill SendMessage'.split(' '),
)
const ONLY_WRITING: ReadonlySet<string> = new Set(['Write', 'Edit', 'NotebookEdit'])
/** Tools whose calls are held against the rules of the definition, one by one. Of others there are no parts. */
const HAS_PARTS: ReadonlySet<string> = new Set(
  'Agent Bash Read Write Edit NotebookEdit Glob Grep Skill'.split(' '),
)
/** How deep agents go whose definition names the types they may start. */
const DEEPEST = 3

type Taken = Pick<BlockedTool, 'step' | 'because'> & { readonly entry?: string }

export function resolveTools(definition: ToolDefinition, surroundings: ToolSurroundings): ToolResolution {
  const { tools } = surroundings
  const lists = readLists(definition)
  const blocked = tools.flatMap((tool): readonly BlockedTool[] => {
    const taken =
      byPlace(tool, definition, lists, surroundings) ??
      byServer(tool, definition, lists, surroundings) ??
      byDenial(tool, lists) ??
      byList(tool, lists) ??
      byReadOnly(tool, definition, surroundings)
    return taken === null ? [] : [{ tool, entry: null, ...taken }]
  })
  const gone = new Set(blocked.map(({ tool }) => tool))
  return {
    allowed: tools.filter((tool) => !gone.has(tool)),
    blocked,
    unknown: [...(lists.listed ?? []), ...lists.denials]
      .filter((entry) => isUnknown(entry, tools))
      .map(({ text, name }) => ({ entry: text, nearest: nearestName(name, tools) })),
    agentTypes: agentTypesOf(lists, surroundings),
    deniedAgentTypes: lists.denials.filter(({ name }) => name === 'Agent').flatMap(typesIn),
    rules: rulesOf(lists),
  }
}

interface Lists {
  /** Null: all. */
  readonly listed: readonly ToolEntry[] | null
  readonly denials: readonly ToolEntry[]
  /** What `tools` names in so many words, a star aside. */
  readonly named: readonly ToolEntry[]
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

/** What no subagent has, how deep they go, what is reserved, and what the background leaves. */
function byPlace(
  tool: string,
  { source, background: always = false }: ToolDefinition,
  { named }: Lists,
  { depth, maxDepth = 1, background = false, teamMember = false }: ToolSurroundings,
): Taken | null {
  const isSubagent = depth > 0
  if (isSubagent && MAIN_ONLY.has(tool)) return { step: 'subagent', because: 'only the main agent has it' }
  if (isSubagent && tool === 'SendMessage' && !teamMember && !named.some((entry) => isAbout(entry, tool)))
    return { step: 'subagent', because: 'a subagent has it only in a team, or where its tools name it' }
  if (tool === 'Agent' && depth >= maxDepth) {
    if (!named.some(({ name, rule }) => name === 'Agent' && rule !== null))
      return {
        step: 'depth',
        because: 'a subagent starts no agents, unless its tools name which: Agent(a, b)',
      }
    const deepest = Math.max(DEEPEST, maxDepth)
    if (depth >= deepest) return { step: 'depth', because: `agents are nested at most ${deepest} deep` }
  }
  if (isSubagent && source !== 'built-in' && BUILT_IN_ONLY.has(tool))
    return { step: 'reserved', because: 'it is kept for the agents that come with the program' }
  if (isSubagent && (background || always) && !BACKGROUND.has(tool) && !isMcp(tool))
    return { step: 'background', because: 'an agent in the background does not have it' }
  return null
}

function byServer(
  tool: string,
  { mcpServers = null }: ToolDefinition,
  { named }: Lists,
  { depth, mcpToolsForSubagents = 'all' }: ToolSurroundings,
): Taken | null {
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
  return null
}

function byDenial(tool: string, { denials }: Lists): Taken | null {
  const mine = denials.filter((entry) => isAbout(entry, tool))
  const whole = mine.find((entry) => entry.rule === null)
  if (whole)
    return { step: 'denied', entry: whole.text, because: 'the definition denies it (disallowedTools)' }
  const [part] = mine
  if (part === undefined || HAS_PARTS.has(tool)) return null
  return {
    step: 'denied',
    entry: part.text,
    because:
      'the definition denies a part of it (disallowedTools), and its calls have no parts to tell apart',
  }
}

function byList(tool: string, { listed }: Lists): Taken | null {
  if (listed === null) return null
  const mine = listed.filter((entry) => !entry.isBroken && isAbout(entry, tool))
  if (mine.some((entry) => entry.rule === null || HAS_PARTS.has(tool))) return null
  const [part] = mine
  if (part === undefined) return { step: 'not-listed', because: 'the definition does not list it (tools)' }
  return {
    step: 'not-listed',
    entry: part.text,
    because: 'the definition lists a part of it (tools), and its calls have no parts to tell apart',
  }
}

function byReadOnly(
  tool: string,
  { readOnly = false }: ToolDefinition,
  { readingMcpTools = [] }: ToolSurroundings,
): Taken | null {
  if (!readOnly) return null
  if (ONLY_WRITING.has(tool)) return { step: 'read-only', because: 'the agent only reads (readOnly)' }
  if (!isMcp(tool) || readingMcpTools.includes(tool)) return null
  return {
    step: 'read-only',
    because: 'the agent only reads (readOnly), and this tool does not say that it does',
  }
}

// ---- what else the lists say -------------------------------------------------------------------

function agentTypesOf({ named }: Lists, { depth, maxDepth = 1 }: ToolSurroundings): readonly string[] | null {
  const entries = named.filter(({ name }) => name === 'Agent')
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
    // A comma may be part of a command: what is denied holds as it stands, too.
    denied: denials.flatMap((entry) =>
      [...partsOf(entry), ...wholeRuleOf(entry)].filter((rule, at, all) => all.indexOf(rule) === at),
    ),
    // A tool that is also listed without a rule is not narrowed.
    only: (listed ?? []).filter(({ name }) => !isWhole(name)).flatMap(partsOf),
  }
}

function partsOf({ name, rule }: ToolEntry): readonly string[] {
  return rule === null || name === 'Agent' ? [] : splitRule(rule).map((part) => `${name}(${part})`)
}

function wholeRuleOf({ name, rule }: ToolEntry): readonly string[] {
  return rule === null || name === 'Agent' ? [] : [`${name}(${rule})`]
}

/** A server that is not connected now may be later; a tool that a connected server does not have is a slip. */
function isUnknown(entry: ToolEntry, tools: readonly string[]): boolean {
  if (entry.isBroken) return true
  if (entry.name === '*' || tools.some((tool) => isAbout(entry, tool))) return false
  return !isMcp(entry.name) || tools.some((tool) => isMcp(tool) && serverOf(tool) === serverOf(entry.name))
}
