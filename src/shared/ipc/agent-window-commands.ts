/** The entries of the window's contract about agents in windows of their own. */
import { agent, command } from './command.ts'

export const agentWindowCommands = {
  /** Shows one agent in a window of its own, or brings that window to the front. The delta `agent-windows` follows. */
  'agentWindow.open': command<void>()(agent),
  /** Closes the agent's own window. The agent continues. */
  'agentWindow.close': command<void>()(agent),
} as const
