/** Which agents are paused because what they do can't be saved: the window is told, and whoever is elsewhere. */
import type { LogTrouble } from '../../shared/ipc-contract.ts'
import type { RuntimeDelta } from '../runtime/runtime.ts'
import type { Log } from './services.ts'

export interface LogTroublesOptions {
  /** Told of all there is, at each change. */
  readonly push: (troubles: readonly LogTrouble[]) => void
  /** Calls a person who looks elsewhere; `agents` are paused now. */
  readonly notify: (message: string, agents: number) => void
  readonly log: Log
}

export interface LogTroubles {
  /** All there is now. */
  readonly all: readonly LogTrouble[]
  hear(delta: RuntimeDelta): void
}

export function createLogTroubles({ push, notify, log }: LogTroublesOptions): LogTroubles {
  const troubles = new Map<string, LogTrouble>()
  const all = (): readonly LogTrouble[] => [...troubles.values()]

  const take = ({ conversationId, agentIds, message }: LogTrouble): void => {
    const before = troubles.get(conversationId)
    if (agentIds.length === 0) {
      if (!troubles.delete(conversationId)) return
      log.info(`The log of ${conversationId} is written again`)
    } else {
      troubles.set(conversationId, { conversationId, agentIds, message })
      if (before?.message !== message) log.error(`The log of ${conversationId} can't be written: ${message}`)
      if (before === undefined) notify(message, agentIds.length)
    }
    push(all())
  }

  return {
    get all() {
      return all()
    },
    hear(delta) {
      if (delta.type === 'log-trouble') take(delta)
      else if (delta.type === 'conversation-gone' && troubles.delete(delta.conversationId)) push(all())
    },
  }
}
