/** Sends the user's answers to permission requests. */
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'

type Decision = 'allow-once' | 'allow-always' | 'deny'

/** The user's answer to a request. `rule`: the chosen one of the offered rules, for "Always allow". */
export interface GivenAnswer {
  readonly decision: Decision
  readonly feedback: string | null
  readonly rule?: string | undefined
  /** The id of a choice of the agent's program, with `allow-once` or `deny`. */
  readonly choice?: string | undefined
}

interface RequestAnswer extends GivenAnswer {
  readonly agentId: string
  readonly requestId: string
}

export async function answerRequest({ rule, choice, ...answer }: RequestAnswer): Promise<Answer<void>> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null)
    return { ok: false, failure: { type: 'gone', message: 'This conversation is no longer open.' } }
  return command('agent.answer', {
    conversationId,
    ...answer,
    ...(rule === undefined ? {} : { rule }),
    ...(choice === undefined ? {} : { choice }),
  })
}

/** Answers several requests. One that a new rule answered meanwhile is no failure. */
export async function answerTogether(answers: readonly RequestAnswer[]): Promise<Answer<void>> {
  const given = await Promise.all(answers.map(answerRequest))
  const failed = given.flatMap((answer) => (answer.ok || answer.failure.type === 'not-found' ? [] : [answer]))
  const [first] = failed
  if (first === undefined) return { ok: true, value: undefined }
  const { type, message } = first.failure
  const many = failed.length > 1 ? `${failed.length} requests could not be answered: ` : ''
  return { ok: false, failure: { type, message: `${many}${message}` } }
}
