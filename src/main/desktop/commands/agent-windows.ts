/** Handlers for agents in windows of their own. */
import type { AgentRef } from '../../../shared/agent-page.ts'
import { ok } from '../../../shared/result.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface AgentWindowDeps {
  readonly agentWindow: {
    open(agent: AgentRef): void
    close(agent: AgentRef): void
  }
}

export function agentWindowCommands({ agentWindow }: AgentWindowDeps): HandlersOf<'agentWindow'> {
  return {
    'agentWindow.open': async (agent) => ok(agentWindow.open(agent)),
    'agentWindow.close': async (agent) => ok(agentWindow.close(agent)),
  }
}
