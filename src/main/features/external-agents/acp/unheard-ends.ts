/**
 * The ends of subagents that their program has not worked in yet. A program hears of the end of a subagent in the
 * background after the request that it makes at that moment. If this request was the last one of its turn, it works the
 * end in after the answer to the prompt, in a turn that has no prompt and so no end.
 */
import { readChildUpdate, turnOriginIn } from '../../../platform/acp/subagent-sessions.ts'
import type { SessionHost } from './acp-connection.ts'

/** What the program gets then. Its answer comes after that turn. */
export const UNHEARD =
  'A subagent of yours ended while you finished your turn. Continue your task with its result, then report.'

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
