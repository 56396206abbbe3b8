/** Agents that external agents carry out, in words: the same in panels, tiles, the tree and the status bar. */
import { describeLaunch } from '../../../shared/agent-definition/external-agent-launch.ts'
import { totalTokens } from '../../../shared/events/model-requests.ts'
import type { ExternalAgent, ExternalAgentOption } from '../../../shared/external-agents/external-agent.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'

type Agents = ReadonlyMap<string, AgentState>

/** Whether an external agent carries out the agent, or the agent is an external subagent. */
export function isExternal({ definition }: Pick<AgentState, 'definition'>): boolean {
  return definition.program !== undefined
}

/** The connected program of an agent. A subagent of a program has that of the agent above it. Null: not connected. */
export function externalAgentOf(agent: AgentState, agents: Agents): ExternalAgent | null {
  if (agent.program !== null || agent.child === null) return agent.program
  const parent = agents.get(agent.parentId ?? '')
  return parent === undefined ? null : externalAgentOf(parent, agents)
}

/** "claude-agent-acp 0.100.0": as the program calls itself. Before it is connected, its command. */
export function programLine(agent: AgentState, program: ExternalAgent | null): string {
  if (program === null) {
    const { program: command } = agent.definition
    return command === undefined ? '' : describeLaunch(command)
  }
  return `${shortName(program.name)} ${program.version}`.trim()
}

/** A package name without its scope. */
const shortName = (name: string): string => /^@[^/]+\/(.+)$/.exec(name)?.[1] ?? name

/** The name and the explanation of the chosen value of an option; null: the program has no such option. */
export function chosenValueOf(
  program: ExternalAgent | null,
  category: ExternalAgentOption['category'],
): { readonly name: string; readonly description: string } | null {
  const option = program?.options.find((one) => one.category === category)
  if (option === undefined) return null
  return option.values.find(({ id }) => id === option.current) ?? { name: option.current, description: '' }
}

/** What the figures of an agent can't tell. Own agents tell both. */
export function reportedBy(agent: AgentState): { readonly tokens: boolean; readonly cost: boolean } {
  if (!isExternal(agent)) return { tokens: true, cost: true }
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

/** The commands that an external agent takes as prompts: `/name`, sent as they are typed. */
export type ExternalAgentCommand = ExternalAgent['commands'][number]

const NONE: readonly ExternalAgentCommand[] = []

export function commandsOf(agent: AgentState | undefined): readonly ExternalAgentCommand[] {
  return agent?.program?.commands ?? NONE
}

/** Whether the text is a command of the agent's program, which reads it itself. */
export function isForExternalAgent(agent: AgentState | undefined, text: string): boolean {
  const [, name] = /^\/(\S+)/.exec(text) ?? []
  return name !== undefined && commandsOf(agent).some((one) => one.name === name)
}

/** The commands that begin with, or else contain, the typed name; nothing if the text is no beginning of a command. */
export function matchingCommands(
  agent: AgentState | undefined,
  text: string,
): readonly ExternalAgentCommand[] {
  const [, typed] = /^\/(\S*)$/.exec(text) ?? []
  if (typed === undefined) return NONE
  const wanted = typed.toLowerCase()
  const found = commandsOf(agent).filter(({ name }) => name.toLowerCase().includes(wanted))
  const isFirst = ({ name }: ExternalAgentCommand) => name.toLowerCase().startsWith(wanted)
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))]
}

/** What Troupe can't do with an agent that an external agent carries out, in sentences. */
interface Around {
  readonly program: ExternalAgent | null
  readonly name: string
  /** The name of the agent that started it; null: unknown. */
  readonly parent: string | null
}

/** The sentences for one agent, the most surprising first. */
export function limitsOfExternalAgent(
  agent: AgentState,
  { program, name: title, parent }: Around,
): readonly string[] {
  const { name } = agent.definition
  if (agent.child !== null) {
    const starter = parent ?? 'The program that started it'
    return [
      `${starter} started it and leads it: only ${starter} can send it messages.`,
      ...(agent.child.canStop ? [] : [stopProblem(title, parent)]),
      `Its tokens and cost are part of those of ${starter}.`,
    ]
  }
  return [
    `It uses its own tools. What it does without asking is seen afterwards, in its folder.`,
    pauseMeaning(agent),
    ...(program === null || program.can.resume
      ? []
      : [`${name} can’t resume its session: after a restart it gets the conversation so far as text.`]),
    ...(program === null || program.reportsCost
      ? []
      : [`${name} does not report its cost, so a money limit does not hold it.`]),
    ...(program === null || program.reportsTokens ? [] : [`${name} does not report its tokens.`]),
    ...(program === null || program.can.images ? [] : [`${name} takes no images.`]),
  ]
}

/** What pausing means for an external agent. */
export function pauseMeaning(agent: AgentState): string {
  return `${agent.definition.name} can’t be paused in the middle of a turn. A pause holds back its next prompt; Stop ends the turn.`
}

/** Why a subagent of a program can't be stopped by itself, and what to do. */
export function stopProblem(name: string, parent: string | null): string {
  return `${name} can’t be stopped by itself. Stop ${parent ?? 'the agent that started it'}.`
}
