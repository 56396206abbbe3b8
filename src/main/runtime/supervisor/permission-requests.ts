/** The permission requests of one agent that wait for the user's answer. */
import type { NewRequest } from '../loop/agent-run.ts'
import type { Ids } from '../ports.ts'
import type { PermissionAnswer } from '../runtime.ts'
import type { AgentTranscript } from './agent-transcript.ts'
import type { SlotHolder } from './slot-holder.ts'

export interface PermissionRequestsOptions {
  readonly transcript: AgentTranscript
  readonly slot: SlotHolder
  readonly ids: Ids
  /** Starts a notification that the signal ends. */
  readonly notify: (reason: string, signal: AbortSignal) => void
}

export class PermissionRequests {
  private readonly options: PermissionRequestsOptions
  private readonly open = new Map<string, (answer: PermissionAnswer) => void>()

  constructor(options: PermissionRequestsOptions) {
    this.options = options
  }

  /** Asks the user, and waits without a slot. A background agent that may not ask is denied at once. */
  async ask(request: NewRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    const { transcript, slot, ids, notify } = this.options
    const { background, bubbles } = transcript.state()
    if (background !== 'no' && !bubbles)
      return { decision: 'deny', unattended: true, feedback: cannotAsk(request) }
    const requestId = ids.next('p')
    transcript.emit({ type: 'permission-asked', requestId, ...request })
    const answered = new AbortController()
    notify(request.because, answered.signal)
    const answer = await slot.waitFor('permission', this.answerTo(requestId, signal))
    answered.abort()
    transcript.emit({
      type: 'permission-answered',
      requestId,
      toolUseId: request.toolUseId,
      decision: signal.aborted ? 'withdrawn' : answer.decision,
      feedback: answer.decision === 'deny' ? answer.feedback : null,
    })
    return answer
  }

  /** False: no such request is open. */
  answer(requestId: string, answer: PermissionAnswer): boolean {
    const resolve = this.open.get(requestId)
    if (!resolve) return false
    resolve(answer)
    return true
  }

  /** Aborting the signal denies the request without feedback. */
  private answerTo(requestId: string, signal: AbortSignal): Promise<PermissionAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: PermissionAnswer) => {
        this.open.delete(requestId)
        signal.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const withdraw = () => settle({ decision: 'deny', feedback: null })
      this.open.set(requestId, settle)
      if (signal.aborted) withdraw()
      else signal.addEventListener('abort', withdraw, { once: true })
    })
  }
}

function cannotAsk({ because, remedy }: NewRequest): string {
  return `Denied: this needs the user's permission, and you work in the background, where the user cannot be asked. ${because} ${remedy} Continue without it, and report what you needed it for.`
}
