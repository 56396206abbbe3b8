/** The events of a runtime under test, past and to come. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { Runtime } from '../ports/runtime.ts'

type OfType<E extends AgentEvent['type']> = Extract<AgentEvent, { type: E }>

export interface EventWatch {
  readonly events: AgentEvent[]
  /** Resolves with the first event that fits, including past events. */
  when<E extends AgentEvent['type']>(type: E, fits?: (event: OfType<E>) => boolean): Promise<OfType<E>>
}

export function watchEvents(runtime: Pick<Runtime, 'subscribe'>): EventWatch {
  const events: AgentEvent[] = []
  const watchers = new Set<(event: AgentEvent) => void>()
  runtime.subscribe((delta) => {
    if (delta.type !== 'event') return
    events.push(delta.event)
    for (const watcher of watchers) watcher(delta.event)
  })
  return {
    events,
    when: (type, fits = () => true) =>
      new Promise((resolve) => {
        const check = (event: AgentEvent) => {
          if (event.type !== type || !fits(event as never)) return
          watchers.delete(check)
          resolve(event as never)
        }
        watchers.add(check)
        for (const event of [...events]) if (watchers.has(check)) check(event)
      }),
  }
}
