/** An interceptor's verdict in one line, for display. */
import type { EventOf } from './agent-event.ts'

type Verdict = Pick<EventOf<'interceptor-verdict'>, 'point' | 'source' | 'verdict' | 'reason'>

export function verdictText({ point, source, verdict, reason }: Verdict): string {
  const why = reason === '' ? '' : `: ${reason}`
  switch (verdict) {
    case 'denied':
      return point === 'user-message'
        ? `${source} refused your message${why}`
        : `${source} denied this call${why}`
    case 'asked':
      return `${source} requires your permission${why}`
    case 'input-changed':
      return `${source} changed the input of this call${why}`
    case 'context-added':
      return `${source} added a note for the agent${why}`
    case 'continued':
      return `${source} made the agent continue${why}`
    case 'stopped':
      return `${source} stopped this agent${why}`
    case 'failed':
      return `${source} failed${why}`
  }
}
