/** What a span is and how it went, as text: for its tooltip, its details and screen readers. */
import type { Span, SpanKind } from '../../../shared/timeline/span.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { timeOf } from './paint-ruler.ts'

/** The kinds as the legend names them. */
export const KIND_NAMES: Readonly<Record<SpanKind | 'arrows', string>> = {
  model: 'Model',
  tool: 'Tools',
  user: 'Waits for you',
  agents: 'Waits for agents',
  queued: 'Queued',
  retry: 'Retries',
  paused: 'Paused',
  arrows: 'Messages',
}

/** "Bash", "model", "waits for your permission": completes the name of the agent. */
export function kindText(span: Span): string {
  switch (span.kind) {
    case 'model':
      return span.attempt > 1 ? `model, attempt ${span.attempt}` : 'model'
    case 'tool':
      return span.name
    case 'user':
      return USER_TEXTS[span.asks]
    case 'agents':
      return 'waits for agents'
    case 'queued':
      return QUEUE_TEXTS[span.name] ?? 'queued'
    case 'retry':
      return `retries after ${span.name}`
    case 'paused':
      return 'paused'
  }
}

const USER_TEXTS = {
  permission: 'waits for your permission',
  form: 'waits for your answer',
  login: 'waits for your login',
} as const

const QUEUE_TEXTS: Readonly<Record<string, string>> = {
  slot: 'queued: all slots are in use',
  limit: 'waits for the usage limit of the API',
  worker: 'queued: waits for a worker',
}

/** "exit 1", "denied", "answered"; empty for a span without an end of its own. */
export function outcomeText(span: Span): string {
  if (!('outcome' in span)) return ''
  if (span.outcome === null) return span.kind === 'user' ? 'not answered yet' : 'still running'
  if (span.kind === 'tool' && span.note !== '') return span.note
  return OUTCOMES[span.outcome]
}

const OUTCOMES = {
  answered: 'answered',
  failed: 'failed',
  stopped: 'stopped',
  done: 'done',
  asked: 'asked you',
  allowed: 'you allowed it',
  denied: 'you denied it',
  withdrawn: 'no longer asked',
} as const

/** "0.3 s", "19.2 s", "2:41". */
export function lengthText(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms)
}

/** "2:19.0 to 2:38.2 · 19.2 s", "since 2:19.0 · 19.2 s so far". */
export function timesText(
  { from, to }: Span,
  { origin, now }: { readonly origin: number; readonly now: number },
): string {
  const length = lengthText((to ?? now) - from)
  const start = timeOf(from - origin, 100)
  return to === null
    ? `since ${start} · ${length} so far`
    : `${start} to ${timeOf(to - origin, 100)} · ${length}`
}

/** The whole span in one line, for a screen reader. */
export function spanLabel(span: Span, clock: { readonly origin: number; readonly now: number }): string {
  const title = 'title' in span ? span.title : ''
  return [kindText(span), title, timesText(span, clock), outcomeText(span)]
    .filter((part) => part !== '')
    .join(', ')
}
