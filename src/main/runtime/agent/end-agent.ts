/** Logs the end of an agent's run. */

import type { AgentEventDraft } from '../../../shared/events/agent-event.ts'
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import { stopOf, stopOfRun } from '../agent-stop.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import { closeCalls } from './close-calls.ts'
import type { LiveAgent } from './live-agent.ts'

/** Answers open calls first, and releases the agent's slot. `signal`: of the run; its reason says who stopped it. */
export function endAgent(agent: LiveAgent, end: RunEnd, signal: AbortSignal): void {
  const { by, id } = end.kind === 'stopped' ? stopOfRun(end, signal) : stopOf(signal)
  closeCalls(agent, end.kind === 'interrupted' ? { status: 'interrupted' } : { status: 'stopped', by })
  agent.transcript.live({ type: 'live-clear', agentId: agent.id, reason: 'stopped' })
  const stop = end.kind === 'stopped' ? { stoppedBy: by, ...(id === null ? {} : { stopId: id }) } : {}
  agent.emit({ type: 'agent-ended', ...outcomeOf(end, agent.state().lastLine), ...stop })
  agent.slot.release()
}

function outcomeOf(
  end: RunEnd,
  lastLine: string,
): Omit<Extract<AgentEventDraft, { type: 'agent-ended' }>, 'type'> {
  switch (end.kind) {
    case 'answered':
      return {
        status: 'completed',
        report: end.text,
        failure: null,
        reachedLimit: end.reachedLimit?.kind ?? null,
        limitOf: end.reachedLimit?.of ?? null,
      }
    case 'failed': {
      const failure = { type: end.cause?.type ?? end.type, message: end.message }
      return {
        status: 'failed',
        report: lastLine,
        failure,
        reachedLimit: end.limit?.kind ?? null,
        limitOf: end.limit?.of ?? null,
      }
    }
    case 'interrupted':
    case 'stopped':
      return { status: end.kind, report: lastLine, failure: null, reachedLimit: null, limitOf: null }
    default:
      return assertNever(end)
  }
}
