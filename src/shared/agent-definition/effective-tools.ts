/**
 * The tools that an agent has in a folder now: the resolution of its definition under the conditions that the runtime
 * finds there. The editor, its list and the runtime's answer all come from here.
 */
import { COORDINATOR } from '../teams/team.ts'
import { isAbout, isMcp, readToolEntry } from '../tools/tool-entry.ts'
import { toolFacts } from '../tools/tool-facts.ts'
import type { AgentSource, ToolConditions } from './agent-catalog.ts'
import type { AgentDefinition } from './agent-definition.ts'
import { resolveTools, type ToolDefinition, type ToolResolution } from './resolve-tools.ts'

/** Without restrictions: nothing is known of the folder yet. */
export const openConditions: ToolConditions = {
  maxDepth: 3,
  mcpToolsForSubagents: 'all',
  ownedTools: [],
  readingTools: [],
  leftOut: [],
}

/** A definition as far as it decides the agent's tools. `program` set: an external agent. */
export type ToolsOfAgent = Omit<ToolDefinition, 'source'> &
  Partial<Pick<AgentDefinition, 'forkContext' | 'memory'>> & { readonly program?: unknown }

interface AgentInFolder {
  readonly name: string
  readonly source: AgentSource
  /** False: its errors keep the agent from being used. */
  readonly offered: boolean
  /** All tools of the folder. */
  readonly tools: readonly string[]
  readonly conditions: ToolConditions
  /** 0: as a main agent. Missing: the usual depth of the agent. */
  readonly depth?: number
  /** Whether it runs in the background whatever its definition says. */
  readonly background?: boolean
}

/** Usually for the main agent the tools of a main agent; for all others those of its subagents. */
export function effectiveTools(definition: ToolsOfAgent, agent: AgentInFolder): ToolResolution {
  const { name, source, offered, tools, conditions } = agent
  const isBuiltInMain = source === 'built-in' && (name === 'main' || name === COORDINATOR)
  const { depth = isBuiltInMain ? 0 : 1, background = false } = agent
  const isMain = depth === 0
  const named = new Set((definition.tools ?? []).map((entry) => readToolEntry(entry).name))
  const leftOut = conditions.leftOut.filter(
    ({ tool, agents, unlessNamed }) =>
      agents === (isMain ? 'main' : 'subagents') && !(unlessNamed && named.has(tool)),
  )
  const resolved = resolveTools(
    {
      ...withMemoryTools(definition, definition.memory ? 'its memory folder' : null),
      source,
    },
    {
      ...{ ...conditions, tools, depth, background },
      coordinator: name === COORDINATOR,
      isFork: !isMain && definition.forkContext === true,
      leftOut: new Map(leftOut.map(({ tool, because }) => [tool, because])),
    },
  )
  if (definition.program !== undefined)
    return without(resolved, tools, { step: 'program', because: 'an external agent has its own tools' })
  if (!offered)
    return without(resolved, tools, {
      step: 'refused',
      because: 'the agent is not in use until its errors are fixed',
    })
  return resolved
}

/**
 * The tools that the main agent reads of an agent, whatever the present situation: tools of MCP servers as the definition
 * names them.
 */
export function announcedTools(
  definition: ToolsOfAgent,
  { source, tools, conditions }: Pick<AgentInFolder, 'source' | 'tools' | 'conditions'>,
): readonly string[] {
  const { allowed } = resolveTools(
    { ...definition, source },
    { ...conditions, tools, depth: 1, leftOut: new Map() },
  )
  return [...allowed.filter((tool) => toolFacts(tool) !== null), ...(definition.tools ?? []).filter(isMcp)]
}

function without(
  resolved: ToolResolution,
  tools: readonly string[],
  why: Pick<ToolResolution['blocked'][number], 'step' | 'because'>,
): ToolResolution {
  return { ...resolved, allowed: [], blocked: tools.map((tool) => ({ tool, entry: null, ...why })) }
}

type ListedTools = Pick<AgentDefinition, 'tools'> & Partial<Pick<AgentDefinition, 'readOnly'>>

/**
 * The definition with the tools for the agent's own memory folder, whatever it lists. Denials still win.
 * @param rule covers the folder, as in `Read(rule)`; null: the agent has no memory of its own
 */
export function withMemoryTools<T extends ListedTools>(definition: T, rule: string | null): T {
  const { tools, readOnly = false } = definition
  if (rule === null || tools === null || tools.length === 0 || readOnly) return definition
  const added = MEMORY_TOOLS.filter((tool) => !tools.some((entry) => isAbout(readToolEntry(entry), tool)))
  return { ...definition, tools: [...tools, ...added.map((tool) => `${tool}(${rule})`)] }
}

const MEMORY_TOOLS = ['Read', 'Write', 'Edit']
