/** Tests in two small requests whether a model can do an agent's work: stream, call a tool, use its result. */

import { textOf } from '../../../shared/messages/text-of.ts'
import type { ModelProbe, ProbeCheck } from '../../../shared/models/model-probe.ts'
import type { ModelClient, ModelMessage, ModelReply, ModelRequest } from '../../runtime/ports/model.ts'
import type { Clock } from '../../runtime/ports/ports.ts'

interface ProbeOptions {
  readonly client: ModelClient
  readonly clock: Clock
  /** Ms for each request. A model may have to be loaded first. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 120_000
const SYSTEM = 'You calculate with the tool that you are given. Never calculate yourself.'
const TOOL = {
  name: 'add',
  description: 'Adds two numbers and returns the sum.',
  input_schema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
}
const QUESTION: ModelMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'What is 19 + 23? Call the tool add, then tell me the sum.' }],
}

/** `model`: as in a definition, `NAME/model`. Never fails: what goes wrong is a check that did not pass. */
export async function probeModel(
  model: string,
  { client, clock, timeoutMs = TIMEOUT_MS }: ProbeOptions,
): Promise<ModelProbe> {
  const at = clock.now()
  const checks: ProbeCheck[] = []
  const add = (name: ProbeCheck['name'], passed: boolean, detail = '') =>
    checks.push({ name, passed, detail })
  const ask = async (messages: readonly ModelMessage[]) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request: ModelRequest = { model, system: SYSTEM, tools: [TOOL], messages, toolChoice: 'auto' }
    const answer = await client.request(request, { signal, onDelta: () => {} })
    if (answer.ok) return { reply: answer.value, problem: '', isWhole: false }
    const { type, message } = answer.failure
    return {
      reply: null,
      problem: type === 'aborted' ? `No answer in ${Math.round(timeoutMs / 1000)} s.` : message,
      isWhole: answer.failure.notStreamed === true,
    }
  }
  const done = (ms: number | null): ModelProbe => ({ model, at, ms, checks })

  const first = await ask([QUESTION])
  if (first.reply === null) {
    add('answers', first.isWhole, first.isWhole ? '' : first.problem)
    if (first.isWhole) add('streams', false, first.problem)
    return done(null)
  }
  const ms = clock.now() - at
  const { reply } = first
  add('answers', true)
  add('streams', true)
  const wrong = whatIsWrongWithCall(reply)
  add('tools', wrong === null, wrong ?? '')
  if (wrong === null) {
    const second = await ask([QUESTION, { role: 'assistant', content: reply.content }, resultsOf(reply)])
    const said = second.reply === null ? '' : textOf(second.reply.content)
    const problem = said.trim() === '' ? second.problem || 'It answered without text.' : ''
    add('results', problem === '', problem)
  }
  add('usage', reply.usageEstimated !== true, reply.usageEstimated ? 'Troupe estimates the tokens.' : '')
  return done(ms)
}

function whatIsWrongWithCall(reply: ModelReply): string | null {
  const call = reply.content.find((block) => block.type === 'tool_use')
  if (call === undefined)
    return /\badd\b|[{<]/.test(textOf(reply.content))
      ? 'It wrote the call as text.'
      : 'It answered without the call.'
  if (call.name !== TOOL.name) return `It called "${call.name}", which is not a tool of the request.`
  const { input } = call
  const isValid =
    typeof input === 'object' && input !== null && 'a' in input && 'b' in input && Number(input.a) === 19
  return isValid ? null : 'The input of its call is not what the tool takes.'
}

const resultsOf = (reply: ModelReply): ModelMessage => ({
  role: 'user',
  content: reply.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '42', is_error: false }]
      : [],
  ),
})
