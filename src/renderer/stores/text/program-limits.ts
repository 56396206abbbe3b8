/** What Troupe can't do with an agent that an external agent carries out, in sentences. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { displayName } from './agent-text.ts'
import type { ConnectedProgram } from './program-text.ts'

interface Around {
  readonly program: ConnectedProgram | null
  readonly parent: AgentState | undefined
}

/** The sentences for one agent, the most surprising first. */
export function limitsOfProgram(agent: AgentState, { program, parent }: Around): readonly string[] {
  const name = displayName(agent)
  if (agent.child !== null) {
    const starter = parent === undefined ? 'The program that started it' : displayName(parent)
    return [
      `${starter} started it and leads it: only ${starter} can send it messages.`,
      ...(agent.child.canStop ? [] : [stopProblem(agent, parent)]),
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
  return `${displayName(agent)} can’t be paused in the middle of a turn. A pause holds back its next prompt; Stop ends the turn.`
}

/** Why a subagent of a program can't be stopped by itself, and what to do. */
export function stopProblem(agent: AgentState, parent: AgentState | undefined): string {
  const starter = parent === undefined ? 'the agent that started it' : displayName(parent)
  return `${displayName(agent)} can’t be stopped by itself. Stop ${starter}.`
}
