/** The agents of a conversation that wait because their log can't be written, until that is tried again. */
import { ok, type Result } from '../../../shared/result.ts'

export interface LogTroubleOptions {
  /** Writes what waits of an agent's events. */
  readonly flush: (agentId: string) => Promise<Result<void>>
  /** Writes the conversation's record. */
  readonly save: () => Promise<Result<void>>
  /** Told of each change: whose events can't be written, and why. No agents: all is written. */
  readonly tell: (agentIds: readonly string[], message: string) => void
}

interface Waiting {
  readonly message: string
  readonly wakers: readonly (() => void)[]
}

export class LogTrouble {
  private readonly options: LogTroubleOptions
  private readonly waiting = new Map<string, Waiting>()

  constructor(options: LogTroubleOptions) {
    this.options = options
  }

  /** Resolves when it was tried again with success, or the signal aborts; the trouble outlives the signal. */
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

  /** All events of this agent are on the disk. */
  written(agentId: string): void {
    const entry = this.waiting.get(agentId)
    if (!entry) return
    this.waiting.delete(agentId)
    for (const wake of entry.wakers) wake()
    this.tell()
  }

  /** Agents whose events could be written go on. The failure is that of the first one that could not. */
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
