/** Agents that external agents carry out, in words: the same in panels, tiles, the tree and the status bar. */
import { describeProgram } from '../../../shared/agent-definition/program-of.ts'
import { type AgentState, totalTokens } from '../../../shared/state/agent-state.ts'

export type ConnectedProgram = NonNullable<AgentState['program']>
export type ProgramOption = ConnectedProgram['options'][number]
type Agents = ReadonlyMap<string, AgentState>

/** Whether an external agent carries out the agent, or the agent is a subagent of such a program. */
export function isOutside({ definition }: Pick<AgentState, 'definition'>): boolean {
  return definition.program !== undefined
}

/** The connected program of an agent. A subagent of a program has that of the agent above it. Null: not connected. */
export function programOf(agent: AgentState, agents: Agents): ConnectedProgram | null {
  if (agent.program !== null || agent.child === null) return agent.program
  const parent = agents.get(agent.parentId ?? '')
  return parent === undefined ? null : programOf(parent, agents)
}

/** "claude-agent-acp 0.100.0": as the program calls itself. Before it is connected, its command. */
export function programLine(agent: AgentState, program: ConnectedProgram | null): string {
  if (program === null) {
    const { program: command } = agent.definition
    return command === undefined ? '' : describeProgram(command)
  }
  return `${shortName(program.name)} ${program.version}`.trim()
}

/** A package name without its scope. */
const shortName = (name: string): string => /^@[^/]+\/(.+)$/.exec(name)?.[1] ?? name

/** The name and the explanation of the chosen value of an option; null: the program has no such option. */
export function chosenOf(
  program: ConnectedProgram | null,
  category: ProgramOption['category'],
): { readonly name: string; readonly description: string } | null {
  const option = program?.options.find((one) => one.category === category)
  if (option === undefined) return null
  return option.values.find(({ id }) => id === option.current) ?? { name: option.current, description: '' }
}

/** What the figures of an agent can't tell. Own agents tell both. */
export function reportedBy(agent: AgentState): { readonly tokens: boolean; readonly cost: boolean } {
  if (!isOutside(agent)) return { tokens: true, cost: true }
  const { program, usage, costUsd } = agent
  return {
    tokens: program?.reportsTokens === true || totalTokens(usage) > 0,
    cost: program?.reportsCost === true || costUsd > 0,
  }
}

/** The agents that have worked and don't report their cost, so that no sum has it. */
export function silentAgents(agents: Iterable<AgentState>): readonly AgentState[] {
  return [...agents].filter(
    // The usage of a program covers its own subagents.
    (agent) => agent.backing === 'acp' && agent.turns > 0 && !reportedBy(agent).cost,
  )
}
