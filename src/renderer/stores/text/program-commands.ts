/** The commands that an external agent takes as prompts: `/name`, sent as they are typed. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { ConnectedProgram } from './program-text.ts'

export type ProgramCommand = ConnectedProgram['commands'][number]

const NONE: readonly ProgramCommand[] = []

export function commandsOf(agent: AgentState | undefined): readonly ProgramCommand[] {
  return agent?.program?.commands ?? NONE
}

/** Whether the text is a command of the agent's program, which reads it itself. */
export function isForProgram(agent: AgentState | undefined, text: string): boolean {
  const [, name] = /^\/(\S+)/.exec(text) ?? []
  return name !== undefined && commandsOf(agent).some((one) => one.name === name)
}

/** The commands that begin with, or else contain, the typed name; nothing if the text is no beginning of a command. */
export function matchingCommands(agent: AgentState | undefined, text: string): readonly ProgramCommand[] {
  const [, typed] = /^\/(\S*)$/.exec(text) ?? []
  if (typed === undefined) return NONE
  const wanted = typed.toLowerCase()
  const found = commandsOf(agent).filter(({ name }) => name.toLowerCase().includes(wanted))
  const isFirst = ({ name }: ProgramCommand) => name.toLowerCase().startsWith(wanted)
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))]
}
