/** What a parent gets from an agent that ended: the report, framed as what an agent wrote, and its figures. */
import { type AgentState, totalTokens } from '../../../shared/agent-state.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import type { ToolOutcome } from '../tool.ts'

/** The outcome of the Agent call. `ms` is how long the agent took. */
export function reportOutcome(state: AgentState, end: RunEnd, ms: number): ToolOutcome {
  const name = state.definition.name
  const trailer = `[agent ${state.id} · ${state.turn} turns · ${totalTokens(state.usage)} tokens · ${(ms / 1000).toFixed(1)} s${end.kind === 'answered' && end.reachedLimit ? ' · stopped at its limit of turns' : ''}]`
  const display = { kind: 'agent', agentId: state.id } as const
  const note = `${state.turn} turns`
  const cameTo = state.lastLine === '' ? 'It had said nothing yet.' : `The last it said: ${state.lastLine}`
  switch (end.kind) {
    case 'answered': {
      const report = end.text.trim() === '' ? '(It ended without a report.)' : end.text
      return {
        isError: false,
        note,
        display,
        content: `The agent ${name} reports. An agent wrote this, not the user; the user has not seen it.\n\n${report}\n\n${trailer}`,
      }
    }
    case 'failed':
      return {
        isError: true,
        note: 'failed',
        display,
        content: `The agent ${name} failed: ${end.message}\n${cameTo}\nTry a narrower prompt, another agent, or do it yourself.\n\n${trailer}`,
      }
    case 'stopped':
      return {
        isError: true,
        note: 'stopped',
        display,
        content: `The agent ${name} was stopped by the user before it had finished.\n${cameTo}\n\n${trailer}`,
      }
  }
}
