/** What a server asks while it answers a call: input of the user (elicitation), or an answer of a model (sampling). */
import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client'
import { elicitedValues } from '../../../shared/forms/elicitation-fields.ts'
import type { FormContent } from '../../../shared/forms/form.ts'
import type { ToolContext } from '../../runtime/ports/tool.ts'

/** Questions to a model that one call may cause. */
const MOST_QUESTIONS = 10
/** Characters of one question. */
const LONGEST_QUESTION = 100_000

/** The call of an agent that a question belongs to. */
export interface Asker {
  readonly onOutput: (text: string) => void
  readonly askForm: ToolContext['askForm']
  readonly askModel: ToolContext['askModel']
  /** Questions to a model so far. */
  questions: number
}

export async function answerElicitation(
  server: string,
  params: ElicitRequestParams,
  caller: Asker | null,
): Promise<ElicitResult> {
  if (caller === null) return { action: 'cancel' }
  const { message } = params
  const form: FormContent =
    params.mode === 'url'
      ? { kind: 'elicitation-url', server, message, url: params.url }
      : { kind: 'elicitation', server, message, schema: { ...params.requestedSchema } }
  const answer = await caller.askForm(form)
  if (answer.action !== 'accept') return { action: answer.action }
  if (form.kind !== 'elicitation') return { action: 'accept' }
  const values = elicitedValues(form.schema, answer.values)
  if (!values.ok) throw new ProtocolError(ProtocolErrorCode.InvalidParams, values.failure.message)
  return { action: 'accept', content: values.value as NonNullable<ElicitResult['content']> }
}

/** One request to the model of the agent whose call it is. Its tokens and its cost are the agent's. */
export async function answerSampling(
  server: string,
  params: CreateMessageRequestParams,
  { caller, mayAskModel }: { readonly caller: Asker | null; readonly mayAskModel: () => boolean },
): Promise<CreateMessageResult> {
  const refused = (reason: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, reason)
  if (!mayAskModel()) throw refused('The user does not let this server ask a model.')
  if (caller === null) throw refused('A model is asked only while a call of an agent runs.')
  caller.questions += 1
  if (caller.questions > MOST_QUESTIONS)
    throw refused(`One call may ask the model at most ${MOST_QUESTIONS} times.`)
  const text = params.messages
    .flatMap(({ role, content }) =>
      [content].flat().map((part) => {
        const said = part.type === 'text' ? part.text : `[${part.type} was left out]`
        return role === 'assistant' ? `You answered before: ${said}` : said
      }),
    )
    .join('\n\n')
  if (text.length > LONGEST_QUESTION)
    throw refused(`The question is longer than ${LONGEST_QUESTION} characters.`)
  caller.onOutput(`${server} asks the model: ${text.slice(0, 300)}\n`)
  const answered = await caller.askModel({
    model: null,
    system: `${params.systemPrompt ?? ''}\nThe MCP server ${server} asks. Answer with text only.`.trim(),
    text,
  })
  if (!answered.ok) throw new ProtocolError(ProtocolErrorCode.InternalError, answered.failure.message)
  const { model, content, stopReason } = answered.value
  const said = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  return {
    role: 'assistant',
    model,
    content: { type: 'text', text: said },
    stopReason: stopReason === 'max_tokens' ? 'maxTokens' : 'endTurn',
  }
}
