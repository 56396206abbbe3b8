/** The permission requests of one agent that wait for the user's answer. */

import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import { offersOf } from '../../../shared/events/permissions.ts'
import { chosenByAnswer } from '../../../shared/external-agents/external-agent.ts'
import type { AskedUntil, NewRequest, SettledAnswer } from '../loop/agent-run.ts'
import type { Ids } from '../ports/ports.ts'
import type { AgentTranscript } from './agent-transcript.ts'
import type { SlotHolder } from './slot-holder.ts'

interface PermissionRequestsOptions {
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
  ask(request: NewRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    return this.request(request, signal, () => new Promise<never>(() => {}))
  }

  /** The same, until a change of the rules settles the call. */
  askOrSettle(
    request: NewRequest,
    { signal, settled }: AskedUntil,
  ): Promise<PermissionAnswer | SettledAnswer> {
    return this.request(request, signal, async () => ({ decision: 'settled', by: await settled() }))
  }

  /** False: no such request is open. */
  answer(requestId: string, answer: PermissionAnswer): boolean {
    const resolve = this.open.get(requestId)
    if (!resolve) return false
    resolve(answer)
    return true
  }

  private async request<Other extends SettledAnswer>(
    request: NewRequest,
    signal: AbortSignal,
    settled: () => Promise<Other>,
  ): Promise<PermissionAnswer | Other> {
    const { transcript, slot, ids, notify } = this.options
    const { background, bubbles } = transcript.state()
    if (background !== 'no' && !bubbles)
      return { decision: 'deny', unattended: true, feedback: cannotAsk(request) }
    const requestId = ids.next('p')
    transcript.emit({ type: 'permission-asked', requestId, ...request })
    const answered = new AbortController()
    notify(request.because, answered.signal)
    const answer = await slot.waitFor(
      'permission',
      Promise.race([this.answerTo(requestId, signal), settled()]).finally(() => this.open.delete(requestId)),
    )
    answered.abort()
    transcript.emit({
      type: 'permission-answered',
      requestId,
      toolUseId: request.toolUseId,
      ...(signal.aborted ? { decision: 'withdrawn', feedback: null } : recorded(answer, request)),
    })
    return answer
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

/** An answer as the log has it. */
function recorded(
  answer: PermissionAnswer | SettledAnswer,
  request: NewRequest,
): Pick<EventOf<'permission-answered'>, 'decision' | 'feedback' | 'rule' | 'choice' | 'answeredBy'> {
  const chosen = chosenByAnswer(request.choices ?? [], answer)
  const choice = chosen === undefined ? {} : { choice: chosen.name }
  switch (answer.decision) {
    case 'settled': {
      const { kind, rule } = answer.by
      const decision = kind === 'allow' ? 'allow-always' : 'deny'
      return { decision, feedback: null, answeredBy: 'rules', ...(rule !== null && { rule }) }
    }
    case 'allow-always': {
      const offers = offersOf(request)
      const kept = answer.rule === undefined ? offers[0] : offers.find(({ rule }) => rule === answer.rule)
      return { decision: answer.decision, feedback: null, ...(kept !== undefined && { rule: kept.rule }) }
    }
    case 'allow-once':
      return { decision: answer.decision, feedback: null, ...choice }
    case 'deny':
      return { decision: answer.decision, feedback: answer.feedback, ...choice }
  }
}

function cannotAsk({ because, remedy }: NewRequest): string {
  return `Denied: this needs the user's permission, and you work in the background, where the user cannot be asked. ${because} ${remedy} Continue without it, and report what you needed it for.`
}
