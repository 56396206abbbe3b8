/** The permission requests of an agent that were answered. */
import { z } from 'zod'
import type { EventOf } from './agent-event.ts'

export const answeredRequest = z.object({
  requestId: z.string(),
  toolName: z.string(),
  /** "run a command", "write src/a.ts": completes "AGENT wanted to …". */
  action: z.string(),
  /** The first line of the command, path or address; empty for a change of a file. */
  text: z.string(),
  decision: z.enum(['allow-once', 'allow-always', 'deny']),
  /** The user's feedback with a denial. */
  feedback: z.string().nullable(),
  /** The rule that the answer saved, or that answered; null: none. */
  rule: z.string().nullable(),
  /** `rules`: a change of the rules decided about the call. */
  answeredBy: z.enum(['user', 'rules']),
  /** ms since the epoch. */
  at: z.number(),
})
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
