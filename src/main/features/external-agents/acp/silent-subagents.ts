/**
 * opencode shows its subagents as calls, and does not pass on what they ask: one that needs a permission waits forever.
 * Nothing tells such a wait from long work, so the transcript says after a while what it may be.
 */
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { shortText } from '../../../platform/acp/content.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { KnownCall } from './update-recorder.ts'

/** ms that a subagent may work before it is told. */
export const SILENCE = 120_000

interface SilentSubagentsDeps {
  /** As the program calls itself. */
  readonly program: string
  readonly clock: Clock
  readonly emit: (draft: AgentEventDraft) => void
  /** Aborts at the end of the run. */
  readonly signal: AbortSignal
}

/** @returns takes each call that was told or has changed */
export function silentSubagents({
  program,
  clock,
  emit,
  signal,
}: SilentSubagentsDeps): (call: KnownCall) => void {
  if (!/^opencode$/i.test(program)) return () => {}
  const waits = new Map<string, AbortController>()
  return (call) => {
    const waiting = waits.get(call.id)
    if (call.isEnded) waiting?.abort()
    if (call.isEnded || waiting !== undefined || !startsSubagent(call)) return
    const ended = new AbortController()
    waits.set(call.id, ended)
    const over = AbortSignal.any([ended.signal, signal])
    const since = new Date(clock.now()).toTimeString().slice(0, 5)
    void clock.sleep(SILENCE, over).then(() => {
      if (!over.aborted) emit({ type: 'notice', level: 'warning', text: silenceText(call.title, since) })
    })
  }
}

const startsSubagent = ({ rawInput }: KnownCall): boolean =>
  typeof rawInput === 'object' && rawInput !== null && 'subagent_type' in rawInput

const silenceText = (title: string, since: string): string =>
  `It waits for its subagent “${shortText(title)}” since ${since}. opencode does not pass on what its subagents ask: if this one needs a permission, it waits forever. Stop the agent, allow what the subagent needs in opencode’s configuration, and send it a message to go on.`
