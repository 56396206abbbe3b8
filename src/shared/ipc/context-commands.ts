/** The entries of the window's contract about the context windows of agents. */
import type { ContextReport } from '../state/context-report.ts'
import { agent, command } from './command.ts'

export const contextCommands = {
  /** What fills the next request of an agent. Ask again after an answer: no delta announces changes. */
  'agent.context': command<ContextReport>()(agent),
} as const
