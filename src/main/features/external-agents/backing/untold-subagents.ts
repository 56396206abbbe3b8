/** What external agents do not tell of their subagents: an end that they have not worked in, and a wait for a permission. */
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { shortText } from '../../../platform/acp/content.ts'
import { readChildUpdate, turnOriginIn } from '../../../platform/acp/subagent-sessions.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { SessionHost } from './agent-connection.ts'
import type { KnownCall } from './update-recorder.ts'

/** What the program gets then. Its answer comes after that turn. */
export const UNHEARD =
  'A subagent of yours ended while you finished your turn. Continue your task with its result, then report.'

/**
 * The ends of subagents that their program has not worked in yet. A program hears of the end of a subagent in the
 * background after the request that it makes at that moment. If this request was the last one of its turn, it works the
 * end in after the answer to the prompt, in a turn that has no prompt and so no end.
 */
export class UnheardEnds {
  /** The ids of the sessions that ended. */
  private readonly ended = new Set<string>()
  /** Subagents whose message was the result of the call that started them. */
  private readonly answered = new Set<string>()
  /** Otherwise it is unknown whether the program has worked an end in. */
  private tellsOrigins = false

  /** The host of the program's own session, whose updates are followed. */
  following(host: SessionHost): SessionHost {
    return {
      ...host,
      update: (update) => {
        this.take(update)
        host.update(update)
      },
    }
  }

  /** Whether there was one since the last call. */
  taken(): boolean {
    const some = this.tellsOrigins && this.ended.size > 0
    this.ended.clear()
    return some
  }

  private take(update: unknown): void {
    const origin = turnOriginIn(update)
    if (origin !== null) this.tellsOrigins = true
    // One such turn for each end, the oldest first.
    if (origin === 'task-notification') for (const id of [...this.ended].slice(0, 1)) this.ended.delete(id)
    const told = readChildUpdate(update)
    if (told?.kind === 'message' && told.sender !== null) {
      this.answered.add(told.sender)
      this.ended.delete(told.sender)
    }
    if (told?.kind !== 'child' || told.patch.state === undefined) return
    const { sessionId, patch } = told
    if (patch.state?.kind === 'running') {
      this.answered.delete(sessionId)
      this.ended.delete(sessionId)
    } else if (
      patch.state?.kind === 'idle' &&
      patch.state.reason === 'end_turn' &&
      !this.answered.has(sessionId)
    )
      this.ended.add(sessionId)
  }
}

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

/**
 * opencode shows its subagents as calls, and does not pass on what they ask: one that needs a permission waits forever.
 * Nothing tells such a wait from long work, so the transcript says after a while what it may be.
 *
 * @returns takes each call that was told or has changed
 */
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
