/** Interceptors and hooks: how the transcript shows what they did to an agent. They change nothing of its state by themselves. */
import type { EventOf } from './agent-event.ts'
import { type EventParts, noticeRow } from './event-parts.ts'

export const hookParts: EventParts<'interceptor-verdict' | 'hook-ran'> = {
  'interceptor-verdict': {
    rows(event) {
      const isWarning = ['denied', 'stopped', 'failed'].includes(event.verdict)
      return noticeRow(event, verdictText(event), isWarning ? 'warning' : 'info')
    },
  },
  // Its effects are verdicts, which have rows.
  'hook-ran': {},
}

type Verdict = Pick<EventOf<'interceptor-verdict'>, 'point' | 'source' | 'verdict' | 'reason'>

const DENIED: Partial<Readonly<Record<Verdict['point'], string>>> = {
  'user-message': 'refused your message',
  'task-created': 'refused this task',
  'task-completed': 'keeps this task open',
  elicitation: 'declined what the server asks for',
  'elicitation-answered': 'declined for you',
}

/** An interceptor's verdict in one line. */
export function verdictText({ point, source, verdict, reason }: Verdict): string {
  const why = reason === '' ? '' : `: ${reason}`
  switch (verdict) {
    case 'denied':
      return `${source} ${DENIED[point] ?? 'denied this call'}${why}`
    case 'allowed':
      return `${source} allowed this call${why}`
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
