/**
 * From what a transcript holds to what this version understands. A line of an older version is lifted
 * step by step; one of a newer version is not guessed at.
 */
import { z } from 'zod'
import { type AgentEvent, agentEvent, EVENT_VERSION, isKnownEventType } from './agent-event.ts'
import { type Failure, fail, ok, type Result } from './result.ts'

export interface EventFailure extends Failure {
  /**
   * `newer-event`: a version or a type that this program does not know; `invalid-event`: known, but not of
   * the shape it must have.
   */
  readonly type: 'newer-event' | 'invalid-event'
}

type RawEvent = Readonly<Record<string, unknown>>

/** From version n (the key) to n + 1. The first change of an event's shape adds the first entry. */
const upcasters: ReadonlyMap<number, (raw: RawEvent) => RawEvent> = new Map()

/** Checks a parsed line and lifts it to the version of today. Keys it does not know are left out. */
export function upcastEvent(raw: unknown): Result<AgentEvent, EventFailure> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return fail({ type: 'invalid-event', message: 'It is not an event.' })
  const lifted = lift(raw as RawEvent)
  if (lifted === null) return fail({ type: 'newer-event', message: newerWords(raw as RawEvent) })
  const parsed = agentEvent.safeParse(lifted)
  if (parsed.success) return ok(parsed.data)
  return fail({ type: 'invalid-event', message: z.prettifyError(parsed.error), cause: parsed.error })
}

/** Whether an event of this version and type can be read, going by its head alone. */
export function isKnownEvent(version: unknown, type: unknown): boolean {
  return (version === EVENT_VERSION || upcasters.has(Number(version))) && isKnownEventType(String(type))
}

function lift(raw: RawEvent): RawEvent | null {
  let event = raw
  while (event['v'] !== EVENT_VERSION) {
    const upcaster = upcasters.get(Number(event['v']))
    if (!upcaster) return null
    event = upcaster(event)
  }
  return isKnownEventType(String(event['type'])) ? event : null
}

function newerWords(raw: RawEvent): string {
  return `It was written by a newer version of Troupe (event ${String(raw['type'])}, version ${String(raw['v'])}).`
}
