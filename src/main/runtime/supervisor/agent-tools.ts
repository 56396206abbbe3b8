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
  /** All but Agent, which is made for each agent. */
  readonly baseTools: readonly AnyTool[]
  readonly startAgent: AgentToolDeps['start']
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
  { depth, offers }: { readonly depth: number; readonly offers: Offers },
  deps: AgentToolsDeps,
): AgentTools & ToolResolution {
  const resolution = resolveTools(definition, { tools: namesOf(deps), depth })
  const agent = { ...resolution, depth, readOnly: definition.readOnly }
  return {
    ...resolution,
    tools: describedTools(describeTools(agent, offers, deps), deps).filter((tool) =>
      resolution.allowed.includes(tool.name),
    ),
  }
}

/** The tools of an agent whose log is opened again: those it was told of at its spawn. */
export function toolsOf(spawned: EventOf<'agent-spawned'>, deps: AgentToolsDeps): AgentTools {
  const told = new Map(spawned.tools.map(({ name, description }) => [name, description]))
  return {
    tools: describedTools(Object.fromEntries(told), deps).filter((tool) => told.has(tool.name)),
    blocked: [],
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
      { tools: namesOf(deps), depth: agent.depth + 1 },
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

function namesOf({ baseTools }: AgentToolsDeps): readonly string[] {
  return [...baseTools.map((tool) => tool.name), 'Agent']
}

function describedTools(
  descriptions: Readonly<Record<string, string>>,
  { baseTools, startAgent }: AgentToolsDeps,
): readonly AnyTool[] {
  const skill = descriptions['Skill']
  const agent: AnyTool = createAgentTool({ description: descriptions['Agent'] ?? '', start: startAgent })
  return [
    ...baseTools.map((tool) =>
      tool.name === 'Skill' && skill !== undefined ? { ...tool, description: skill } : tool,
    ),
    agent,
  ]
}
