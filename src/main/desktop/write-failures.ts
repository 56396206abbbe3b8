/** Tracks failed writes and the agents they pause, for the window and for notifications. */
import type { WriteFailure } from '../../shared/state/conversation-summary.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'
import type { Log } from './services.ts'

interface WriteFailuresOptions {
  /** Called with all current failures after each change. */
  readonly push: (failures: readonly WriteFailure[]) => void
  /** Notifies the user of a new failure that paused this many agents. */
  readonly notify: (message: string, agents: number) => void
  readonly log: Log
}

export interface WriteFailures {
  /** The current failures. */
  readonly all: readonly WriteFailure[]
  onDelta(delta: RuntimeDelta): void
}

export function createWriteFailures({ push, notify, log }: WriteFailuresOptions): WriteFailures {
  const failures = new Map<string, WriteFailure>()
  const all = (): readonly WriteFailure[] => [...failures.values()]

  const take = ({ conversationId, agentIds, message }: WriteFailure): void => {
    const before = failures.get(conversationId)
    if (agentIds.length === 0) {
      if (!failures.delete(conversationId)) return
      log.info(`The log of ${conversationId} is being written again`)
    } else {
      failures.set(conversationId, { conversationId, agentIds, message })
      if (before?.message !== message) log.error(`The log of ${conversationId} can't be written: ${message}`)
      if (before === undefined) notify(message, agentIds.length)
    }
    push(all())
  }

  return {
    get all() {
      return all()
    },
    onDelta(delta) {
      if (delta.type === 'write-failure') take(delta)
      else if (delta.type === 'conversation-gone' && failures.delete(delta.conversationId)) push(all())
    },
  }
}
