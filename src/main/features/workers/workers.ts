/** The workers of several sources as one state for the window. */
import { noWorkers, type Workers, type WorkersState } from '../../../shared/workers/worker-presence.ts'

/** One state of several: all workers, the one connection to NATS, and the sum of what waits. */
export function combineWorkers(sources: readonly Workers[]): Workers {
  const state = (): WorkersState => {
    const states = sources.map((source) => source.state())
    return {
      nats: states.map(({ nats }) => nats).find(({ kind }) => kind !== 'off') ?? noWorkers.nats,
      workers: states.flatMap(({ workers }) => workers),
      outbox: states.reduce((sum, { outbox }) => sum + outbox, 0),
    }
  }
  return {
    state,
    subscribe(listener) {
      const stops = sources.map((source) => source.subscribe(() => listener(state())))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
