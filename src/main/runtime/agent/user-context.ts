/** The context of a start that the user wished and no tool call asked for: below an agent, without anyone to answer. */
import { fail } from '../../../shared/kernel/result.ts'
import type { ToolContext } from '../tool.ts'
import type { LiveAgent } from './live-agent.ts'

/** @param agent the parent of the new agent */
export function userContext(agent: LiveAgent, signal: AbortSignal): ToolContext {
  return {
    agentId: agent.id,
    toolUseId: '',
    session: agent.session,
    signal,
    onOutput: () => {},
    askForm: async () => ({ action: 'cancel', reason: 'unattended' }),
    askModel: async () =>
      fail({
        type: 'bad-request',
        message: 'No tool makes requests here.',
        status: null,
        retryAfterMs: null,
      }),
  }
}
