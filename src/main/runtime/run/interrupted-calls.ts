/** The results of Agent calls for a parent whose process died while the parent waited. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { startsAgents } from '../../../shared/tools/tool-names.ts'
import { howToResume, lateReport, titleOf } from '../agent/report.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { OpenCall } from '../loop/history.ts'
import type { ToolOutcome } from '../ports/tool.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'
import { wholeReport } from './background.ts'

/** Results by call id. `states`: all agents, those that the dead process left running as interrupted. */
export async function interruptedCalls(
  parent: LiveAgent,
  states: readonly AgentState[],
  store: TranscriptStore,
): Promise<Result<ReadonlyMap<string, ToolOutcome>>> {
  const outcomes = new Map<string, ToolOutcome>()
  for (const open of parent.transcript.history.openCalls()) {
    if (!startsAgents(open.call.name) || open.started === 'no') continue
    const child = childOf(open, parent.id, states)
    if (child === null) {
      outcomes.set(open.call.id, notStarted)
      continue
    }
    const report = await wholeReport(child, store)
    if (!report.ok) return report
    outcomes.set(open.call.id, outcomeOf(open, child, report.value))
  }
  return ok(outcomes)
}

function childOf({ call }: OpenCall, parentId: string, states: readonly AgentState[]): AgentState | null {
  const { input } = call
  const resumed = typeof input === 'object' && input !== null && 'resume' in input ? input.resume : undefined
  return (
    states.find((state) => state.parentId === parentId && state.parentToolUseId === call.id) ??
    states.find(({ id, name }) => resumed !== undefined && (id === resumed || name === resumed)) ??
    null
  )
}

function outcomeOf({ startedAt }: OpenCall, child: AgentState, report: string): ToolOutcome {
  // A notice brings the end of a background agent.
  if (child.background !== 'no')
    return {
      isError: true,
      note: 'interrupted',
      content: `The program ended after the agent ${titleOf(child)} was started in the background; its id is ${child.id}. ${howToResume(child)}`,
    }
  const display = { kind: 'agent', agentId: child.id } as const
  const isOlder = child.endedAt !== null && startedAt !== null && child.endedAt < startedAt
  if (child.status !== 'interrupted' && isOlder)
    return {
      isError: true,
      note: 'interrupted',
      display,
      content: `The program ended before the agent ${titleOf(child)} was resumed. ${howToResume(child)}`,
    }
  return {
    isError: child.status !== 'completed',
    note: child.status,
    display,
    content: lateReport(child, report),
  }
}

const notStarted: ToolOutcome = {
  isError: true,
  note: 'interrupted',
  content: 'The program ended before the agent was started. Make the call again if you still need it.',
}
