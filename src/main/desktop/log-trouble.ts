/** A log that can't be written pauses its agents: the user is told why, and asked whether to try again. */
import type { Result } from '../../shared/result.ts'
import type { Log } from './services.ts'

export interface LogTroubleOptions {
  /** Shows the message with the choice to try again. @returns whether to */
  readonly ask: (message: string) => Promise<boolean>
  readonly retry: (conversationId: string) => Promise<Result<void>>
  readonly log: Log
}

export interface LogTrouble {
  report(conversationId: string, message: string): void
}

/** One question at a time: conversations that fail meanwhile share its answer. */
export function createLogTrouble({ ask, retry, log }: LogTroubleOptions): LogTrouble {
  const paused = new Map<string, string>()
  let asking = false

  const settle = async (): Promise<void> => {
    // A conversation that fails again while it is tried again has reported itself anew.
    for (let message = firstOf(paused); message !== null; message = firstOf(paused)) {
      const again = await ask(message)
      const conversations = [...paused.keys()]
      paused.clear()
      if (again) await Promise.all(conversations.map((conversationId) => retry(conversationId)))
    }
  }

  return {
    report(conversationId, message) {
      log.error(`The log of ${conversationId} can't be written: ${message}`)
      paused.set(conversationId, message)
      if (asking) return
      asking = true
      settle()
        .catch((error: unknown) => log.error('Asking about a log that can’t be written failed', error))
        .finally(() => {
          asking = false
        })
    },
  }
}

const firstOf = (paused: ReadonlyMap<string, string>): string | null => [...paused.values()][0] ?? null
