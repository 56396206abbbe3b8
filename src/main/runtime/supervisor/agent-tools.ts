/** The tools of an agent, as objects that run, and what it is told of them. */

import { resolveTools, type ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'
import type { DefinitionSnapshot, EventOf } from '../../../shared/agent-event.ts'
import type { SkillInfo } from '../../../shared/agent-library.ts'
import { describeAgentTool } from '../definitions/agent-tool-description.ts'
import type { LoadedDefinition } from '../ports.ts'
import type { AnyTool } from '../tool.ts'
import { type AgentToolDeps, createAgentTool } from '../tools/agent.ts'
import { describeSkillTool } from '../tools/skill.ts'
import type { AgentTools } from './live-agent.ts'

export interface AgentToolsDeps {
  /** Those that know of one agent only. */
  readonly baseTools: readonly AnyTool[]
  /** Those that reach other agents of the conversation; Agent is made for each agent. */
  readonly conversationTools: readonly AnyTool[]
  readonly startAgent: AgentToolDeps['start']
  /** How deep agents start agents of any type. */
  maxDepth(): number
}

/** What there is for an agent to start and to load. */
export interface Offers {
  readonly definitions: readonly LoadedDefinition[]
  readonly skills: readonly SkillInfo[]
}

/** Whom it may start, and how deep it stands. */
export interface StartingAgent extends Pick<DefinitionSnapshot, 'readOnly'> {
  readonly depth: number
  readonly agentTypes: readonly string[] | null
  readonly deniedAgentTypes: readonly string[]
}

/** The tools a definition really has. */
export function toolsFor(
  definition: LoadedDefinition,
  {
    depth,
    offers,
    background,
  }: { readonly depth: number; readonly offers: Offers; readonly background: boolean },
  deps: AgentToolsDeps,
): AgentTools & ToolResolution {
  const resolution = resolveTools(definition, {
    tools: namesOf(deps),
    depth,
    maxDepth: deps.maxDepth(),
    background,
  })
  const agent = { ...resolution, depth, readOnly: definition.readOnly }
  return {
    ...resolution,
    tools: describedTools(describeTools(agent, offers, deps), deps).filter((tool) =>
      resolution.allowed.includes(tool.name),
    ),
  }
}

/** The tools of an agent whose log is opened again: those it was told of at its spawn. */
export function toolsOf(
  { tools, definition }: Pick<EventOf<'agent-spawned'>, 'tools' | 'definition'>,
  deps: AgentToolsDeps,
): AgentTools {
  const told = new Map(tools.map(({ name, description }) => [name, description]))
  const refused = new Set(definition.refused.map(({ tool }) => tool))
  return {
    tools: describedTools(Object.fromEntries(told), deps).filter(
      ({ name }) => told.has(name) && !refused.has(name),
    ),
    blocked: definition.refused,
  }
}

/** The descriptions that depend on what there is, by the tool's name. */
export function describeTools(
  agent: StartingAgent,
  { definitions, skills }: Offers,
  deps: AgentToolsDeps,
): { readonly Agent: string; readonly Skill: string } {
  const startable = definitions.filter((other) => mayStart(agent, other))
  const toolNamesOf = (other: LoadedDefinition) =>
    resolveTools(
      { ...other, readOnly: other.readOnly || agent.readOnly },
      { tools: namesOf(deps), depth: agent.depth + 1, maxDepth: deps.maxDepth() },
    ).allowed
  return { Agent: describeAgentTool(startable, toolNamesOf), Skill: describeSkillTool(skills) }
}

/** Whether an agent whose definition names these types may start that one. */
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

function namesOf({ baseTools, conversationTools }: AgentToolsDeps): readonly string[] {
  return [...[...baseTools, ...conversationTools].map((tool) => tool.name), 'Agent']
}

function describedTools(
  descriptions: Readonly<Record<string, string>>,
  { baseTools, conversationTools, startAgent }: AgentToolsDeps,
): readonly AnyTool[] {
  const skill = descriptions['Skill']
  const agent: AnyTool = createAgentTool({ description: descriptions['Agent'] ?? '', start: startAgent })
  return [
    ...[...baseTools, ...conversationTools].map((tool) =>
      tool.name === 'Skill' && skill !== undefined ? { ...tool, description: skill } : tool,
    ),
    agent,
  ]
}
