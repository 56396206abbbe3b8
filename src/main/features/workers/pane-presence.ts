/** The worker processes on this machine that carry out agents of this data folder, by their heartbeats. */
import { noWorkers, type WorkerPresence, type Workers } from '../../../shared/workers/worker-presence.ts'
import { workerHeartbeat } from '../../../shared/workers/worker-presence-schema.ts'
import { lockHolder } from '../../platform/transcripts/conversation-lock.ts'
import { createFolderWatch } from './folder-watch.ts'
import { namesIn, paneFiles, readJson, workersFolder } from './pane-files.ts'

interface PanePresenceOptions {
  /** Absolute. */
  readonly dataFolder: string
  /** Time between two looks at the heartbeats, ms. */
  readonly pollMs?: number
}

/** Looks at the heartbeats while somebody is subscribed. */
export function createPanePresence({ dataFolder, pollMs = 2000 }: PanePresenceOptions): Workers {
  const listeners = new Set<Parameters<Workers['subscribe']>[0]>()
  let workers: readonly WorkerPresence[] = []
  let looking: AbortController | null = null
  const state = () => ({ ...noWorkers, workers })

  async function look(signal: AbortSignal): Promise<void> {
    const watch = createFolderWatch(workersFolder(dataFolder), pollMs)
    try {
      while (!signal.aborted) {
        const found = await presentWorkers(dataFolder)
        if (JSON.stringify(found) !== JSON.stringify(workers)) {
          workers = found
          for (const listener of listeners) listener(state())
        }
        await watch.next(signal)
      }
    } finally {
      watch.close()
    }
  }

  return {
    state,
    subscribe(listener) {
      listeners.add(listener)
      if (looking === null) {
        looking = new AbortController()
        // A folder that can't be read shows no workers.
        look(looking.signal).catch(() => undefined)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        looking?.abort()
        looking = null
      }
    },
  }
}

async function presentWorkers(dataFolder: string): Promise<readonly WorkerPresence[]> {
  const found: WorkerPresence[] = []
  for (const agentId of await namesIn(workersFolder(dataFolder))) {
    const { heartbeat, locks } = paneFiles(dataFolder, agentId)
    const beat = await readJson(heartbeat, workerHeartbeat)
    if (beat === null) continue
    const holder = await lockHolder(locks.lock(agentId)).catch(() => null)
    // Its own clock is this machine's.
    if (holder !== null) found.push({ ...beat, lastSeenAt: beat.at })
  }
  return found
}
