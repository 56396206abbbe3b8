/** The permission requests of an agent that were answered. */
import type { z } from 'zod'
import type { EventOf } from '../events/agent-event.ts'
import type { answeredRequest } from './answered-request-schema.ts'

export type AnsweredRequest = z.infer<typeof answeredRequest>

/** Of an agent. Older ones are in its transcript. */
const MOST = 50
const TEXT_LENGTH = 300

/** The list after one more answer. A withdrawn request had none. */
export function withAnswered(
  answered: readonly AnsweredRequest[],
  requests: readonly Pick<EventOf<'permission-asked'>, 'requestId' | 'toolName' | 'subject'>[],
  event: EventOf<'permission-answered'>,
): readonly AnsweredRequest[] {
  const { requestId, decision, feedback, rule, answeredBy, at } = event
  const request = requests.find((one) => one.requestId === requestId)
  if (request === undefined || decision === 'withdrawn') return answered
  const { toolName, subject } = request
  const text = subject.kind === 'diff' ? '' : (subject.text.split('\n')[0] ?? '').slice(0, TEXT_LENGTH)
  const entry: AnsweredRequest = {
    requestId,
    toolName,
    action: subject.action,
    text,
    decision,
    feedback: feedback === null ? null : feedback.slice(0, TEXT_LENGTH),
    rule: rule ?? null,
    answeredBy: answeredBy ?? 'user',
    at,
  }
  return [...answered, entry].slice(-MOST)
}
