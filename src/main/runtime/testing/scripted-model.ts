/** A model whose answers a test scripts. It refuses requests that the API would refuse. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AssistantBlock } from '../../../shared/messages/content.ts'
import type { ModelClient, ModelFailure, ModelReply, ModelRequest, StopReason } from '../ports/model.ts'

/** The script's answer to one request: text, calls, or a failure. */
export interface Scripted {
  readonly text?: string
  /** Thinking before the text. */
  readonly thinking?: string
  readonly calls?: readonly (readonly [name: string, input: unknown])[]
  readonly stopReason?: StopReason
  readonly stopDetails?: string
  readonly failure?: Partial<ModelFailure> & Pick<ModelFailure, 'type'>
  readonly usage?: Partial<ModelReply['usage']>
  readonly webSearch?: NonNullable<ModelReply['webSearch']>
}

export type Script = (request: ModelRequest, signal: AbortSignal) => Scripted | Promise<Scripted>

export interface ScriptedModel extends ModelClient {
  readonly requests: readonly ModelRequest[]
}

export function createScriptedModel(script: Script): ScriptedModel {
  const requests: ModelRequest[] = []
  let made = 0
  return {
    requests,
    request: async (request, { signal, onDelta }): Promise<Result<ModelReply, ModelFailure>> => {
      const wrong = mistakeIn(request)
      if (wrong) return fail({ type: 'bad-request', message: wrong, status: 400, retryAfterMs: null })
      requests.push(structuredClone(request))
      const number = ++made
      const said = await Promise.race([Promise.resolve(script(request, signal)), aborted(signal)])
      if (said === null)
        return fail({ type: 'aborted', message: 'aborted', status: null, retryAfterMs: null })
      if (said.failure)
        return fail({ message: 'scripted', status: null, retryAfterMs: null, ...said.failure })
      const content: AssistantBlock[] = []
      if (said.thinking !== undefined)
        content.push({ type: 'thinking', thinking: said.thinking, signature: `seal-${number}` })
      if (said.text !== undefined) {
        onDelta({ index: 0, kind: 'text', name: '', append: said.text })
        content.push({ type: 'text', text: said.text })
      }
      for (const [index, [name, input]] of (said.calls ?? []).entries())
        content.push({ type: 'tool_use', id: `call-${number}-${index}`, name, input })
      return ok({
        id: `msg-${number}`,
        model: request.model,
        content,
        stopReason: said.stopReason ?? (said.calls ? 'tool_use' : 'end_turn'),
        ...(said.stopDetails === undefined ? {} : { stopDetails: said.stopDetails }),
        usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, ...said.usage },
        pace: [],
        ...(said.webSearch && { webSearch: said.webSearch }),
      })
    },
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}

/** The mistake for which the API would refuse the messages, or null. */
export function mistakeIn({ messages }: ModelRequest): string | null {
  let open: string[] = []
  let last: string | null = null
  for (const message of messages) {
    if (message.role === last) return `two messages in a row are the ${message.role}'s`
    last = message.role
    if (message.content.length === 0) return 'a message is empty'
    const results = message.content.flatMap((block) =>
      block.type === 'tool_result' ? [block.tool_use_id] : [],
    )
    if (message.role === 'user') {
      if (results.join() !== open.join()) return `calls ${open.join()} got results ${results.join()}`
      open = []
    } else open = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    if (message.content.some((block) => block.type === 'text' && block.text.trim() === ''))
      return 'a text block is empty'
    if (message.role === 'assistant' && message.content.at(-1)?.type === 'thinking')
      return 'the last block of an assistant message is thinking'
  }
  if (open.length > 0) return `calls without results: ${open.join()}`
  return null
}

/** The text of the last message. */
export function lastWords(request: ModelRequest): string {
  const content = request.messages.at(-1)?.content ?? []
  return content
    .map((block) => {
      if (block.type === 'text') return block.text
      if (block.type === 'tool_result')
        return typeof block.content === 'string' ? block.content : JSON.stringify(block.content)
      return ''
    })
    .join('\n')
}
