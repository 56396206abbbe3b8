/** The checks of attempts that run in a conversation. */
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'

export class AttemptChecks {
  /** By agent. */
  readonly running = new Map<string, AbortController>()
  /** Lets one check run at a time. */
  readonly order = new KeyedLock()

  stop(agentId: string): void {
    this.running.get(agentId)?.abort()
  }

  stopAll(): void {
    for (const controller of this.running.values()) controller.abort()
  }
}
