/** The agents of a conversation that wait because the disk refused their events, until a retry succeeds. */
import { ok, type Result } from '../../../shared/kernel/result.ts'

export interface WriteFailureOptions {
  /** Writes an agent's pending events. */
  readonly flush: (agentId: string) => Promise<Result<void>>
  /** Writes the conversation's record. */
  readonly save: () => Promise<Result<void>>
  /** Called with each change: the agents whose events can't be written, and why. No agents: everything is written. */
  readonly tell: (agentIds: readonly string[], message: string) => void
}

interface Waiting {
  readonly message: string
  readonly wakers: readonly (() => void)[]
}

export class WriteRetries {
  private readonly options: WriteFailureOptions
  private readonly waiting = new Map<string, Waiting>()

  constructor(options: WriteFailureOptions) {
    this.options = options
  }

  /** Resolves when a retry succeeded, or the signal aborts. The failure outlives the signal. */
  async wait(agentId: string, message: string, signal: AbortSignal): Promise<void> {
    const wakers = [...(this.waiting.get(agentId)?.wakers ?? [])]
    const woken = new Promise<void>((resolve) => {
      wakers.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
    })
    this.waiting.set(agentId, { message, wakers })
    this.tell()
    await woken
  }

  /** Called when every event of this agent is on disk. */
  written(agentId: string): void {
    const entry = this.waiting.get(agentId)
    if (!entry) return
    this.waiting.delete(agentId)
    for (const wake of entry.wakers) wake()
    this.tell()
  }

  /** Agents whose events could be written continue. Fails with the first failure that remains. */
  async retry(): Promise<Result<void>> {
    const results = await Promise.all([...this.waiting.keys()].map((agentId) => this.retryFor(agentId)))
    return results.find((result) => !result.ok) ?? ok(undefined)
  }

  private async retryFor(agentId: string): Promise<Result<void>> {
    const flushed = await this.options.flush(agentId)
    const result = flushed.ok ? await this.options.save() : flushed
    const entry = this.waiting.get(agentId)
    if (result.ok) this.written(agentId)
    else if (entry) {
      this.waiting.set(agentId, { ...entry, message: result.failure.message })
      this.tell()
    }
    return result
  }

  private tell(): void {
    const [first] = this.waiting.values()
    this.options.tell([...this.waiting.keys()], first?.message ?? '')
  }
}
