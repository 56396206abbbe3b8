/** Answers calls that will never get a result, so that the history stays valid for the API. */
import type { Stopper } from '../../../shared/events/agent-event.ts'
import { notBegun, whoStopped } from '../agent-stop.ts'
import type { OpenCall } from '../loop/history.ts'
import type { ToolOutcome } from '../tool.ts'
import type { LiveAgent } from './live-agent.ts'

type CallsEnd = { readonly status: 'stopped'; readonly by: Stopper } | { readonly status: 'interrupted' }

/** `known`: results by call id, for calls whose result follows from the logs of other agents. */
export function closeCalls(
  agent: LiveAgent,
  why: CallsEnd,
  known: ReadonlyMap<string, ToolOutcome> = new Map(),
): void {
  for (const open of agent.transcript.history.openCalls())
    agent.emit({
      type: 'tool-ended',
      toolUseId: open.call.id,
      name: open.call.name,
      durationMs: 0,
      outputFile: null,
      isError: true,
      content: resultFor(open, why),
      note: why.status,
      ...known.get(open.call.id),
      display: known.get(open.call.id)?.display ?? null,
    })
}

function resultFor({ started }: OpenCall, why: CallsEnd): string {
  const isStopped = why.status === 'stopped'
  if (started === 'no')
    return isStopped ? notBegun(why.by) : 'Not run. The program ended before this call began.'
  if (isStopped) return `${whoStopped(why.by)} this before it finished.`
  return started === 'with-side-effects'
    ? 'Interrupted: the program ended while this ran, and it may or may not have taken effect. Check before you repeat it.'
    : 'Interrupted: the program ended while this ran. Run it again if you still need it.'
}
