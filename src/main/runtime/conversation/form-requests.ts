/** The forms of one agent that wait for the user's answer. */
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { Ids } from '../ports/ports.ts'
import type { NewForm } from '../ports/run-end.ts'
import type { AgentTranscript } from './agent-transcript.ts'
import type { SlotHolder } from './slot-holder.ts'

interface FormRequestsOptions {
  readonly transcript: AgentTranscript
  readonly slot: SlotHolder
  readonly ids: Ids
  /** Whether a user answers forms in this run. */
  readonly attended: () => boolean
  /** Starts a notification that the signal ends. */
  readonly notify: (reason: string, signal: AbortSignal) => void
}

export class FormRequests {
  private readonly options: FormRequestsOptions
  private readonly open = new Map<string, (answer: FormAnswer) => void>()

  constructor(options: FormRequestsOptions) {
    this.options = options
  }

  /** Shows the form, and waits without a slot. Canceled at once where no user can be asked, without an event. */
  async ask(request: NewForm, signal: AbortSignal): Promise<FormAnswer> {
    const { transcript, slot, ids, attended, notify } = this.options
    const { background, bubbles } = transcript.state()
    if (!attended() || (background !== 'no' && !bubbles)) return { action: 'cancel', reason: 'unattended' }
    const formId = ids.next('p')
    transcript.emit({ type: 'form-opened', formId, ...request })
    // Flush first: the wait may be long, and another program shows only what is on disk.
    void transcript.flush(signal)
    const answered = new AbortController()
    notify('An agent asks you something.', answered.signal)
    const answer = await slot.waitFor('answer', this.answerTo(formId, signal))
    answered.abort()
    transcript.emit({ type: 'form-closed', formId, toolUseId: request.toolUseId, answer })
    return answer
  }

  /** False: no such form is open. */
  answer(formId: string, answer: FormAnswer): boolean {
    const resolve = this.open.get(formId)
    if (!resolve) return false
    resolve(answer)
    return true
  }

  private answerTo(formId: string, signal: AbortSignal): Promise<FormAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: FormAnswer) => {
        this.open.delete(formId)
        signal.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const withdraw = () => settle({ action: 'cancel', reason: 'stopped' })
      this.open.set(formId, settle)
      if (signal.aborted) withdraw()
      else signal.addEventListener('abort', withdraw, { once: true })
    })
  }
}
