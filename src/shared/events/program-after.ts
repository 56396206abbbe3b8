/** How the events of an agent change what is known about its external agent. */

import type { AgentProgram } from '../external-agents/agent-program.ts'
import type { EventOf } from './agent-event.ts'

type ProgramEvent = EventOf<'program-connected' | 'program-options' | 'program-commands' | 'program-login'>

/** The program after one of its own events. `before` is null until the first one. */
export function programAfter(before: AgentProgram | null, event: ProgramEvent): AgentProgram {
  const known = before ?? UNKNOWN
  switch (event.type) {
    case 'program-connected':
      return { ...known, ...event.program, sessionId: event.sessionId, can: event.can, login: null }
    case 'program-options':
      return { ...known, options: event.options }
    case 'program-commands':
      return { ...known, commands: event.commands }
    case 'program-login':
      return { ...known, ...event.program, login: { methods: event.methods, message: event.message } }
  }
}

/** The program after a message of its agent, which may have reported tokens and cost. */
export function programAfterMessage(
  program: AgentProgram | null,
  { usage, costUsd }: Pick<EventOf<'assistant-message'>, 'usage' | 'costUsd'>,
): AgentProgram | null {
  if (program === null) return null
  const reportsTokens = program.reportsTokens || usage.input + usage.output > 0
  const reportsCost = program.reportsCost || costUsd !== null
  if (reportsTokens === program.reportsTokens && reportsCost === program.reportsCost) return program
  return { ...program, reportsTokens, reportsCost }
}

const UNKNOWN: AgentProgram = {
  name: '',
  title: '',
  version: '',
  sessionId: null,
  can: { resume: false, images: false },
  options: [],
  commands: [],
  login: null,
  reportsCost: false,
  reportsTokens: false,
}
