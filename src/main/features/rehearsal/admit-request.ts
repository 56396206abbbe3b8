/** Parses the bytes of a request into the director's input, or into an API error. */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { traitsOf } from '../../platform/models/model-table.ts'
import { type ApiError, invalidRequest, notFound, refusedKey } from './api-errors.ts'
import type { ScriptedMessage, ScriptedRequest } from './director.ts'
import { blockText, type Prefix, prefixOf } from './request-prefix.ts'
import { checkRules } from './request-rules.ts'
import {
  BINDING_CONTROLS,
  type BlockParam,
  blocksOf,
  checkShape,
  type ImageParam,
  type MessageParam,
  type RequestBody,
  type TextParam,
  type ToolReferenceParam,
} from './request-shape.ts'
import { checkSeals, type SealCheck } from './thinking-seal.ts'

/** The only supported version: the one the official SDK sends. */
const API_VERSION = '2026-10-21'

export interface Admitted {
  readonly body: RequestBody
  readonly prefix: Prefix
  readonly scripted: ScriptedRequest
  /** Thinking blocks removed before the director sees the request. */
  readonly dropped: SealCheck['dropped']
  /** Whether the client asked for a report of dropped blocks. */
  readonly reportsDropped: boolean
}

interface GateOptions {
  readonly apiKey: string
  readonly contextTokens?: number
  readonly models?: readonly string[]
}

/** Checks that need more than the request itself. */
export class MessageGate {
  readonly options: GateOptions
  /** Digests of unfinished assistant messages: only these may end a conversation. */
  private readonly paused = new Set<string>()

  constructor(options: GateOptions) {
    this.options = options
  }

  checkHeaders(headers: IncomingHttpHeaders): ApiError | null {
    const { apiKey } = this.options
    const own = headers['x-api-key']
    const bearer = headers.authorization?.startsWith('Bearer ') ? headers.authorization.slice(7) : undefined
    if (own === undefined && bearer === undefined)
      return refusedKey('Authentication is missing: send the key as `Authorization: Bearer` or `x-api-key`.')
    if (own !== undefined && headers.authorization !== undefined)
      return refusedKey('Send one credential: `Authorization: Bearer` or `x-api-key`, not both.')
    if (own !== undefined && own !== apiKey) return refusedKey('invalid x-api-key')
    if (own === undefined && bearer !== apiKey) return refusedKey('invalid bearer token')
    const version = headers['anthropic-version']
    if (version === undefined) return invalidRequest('anthropic-version: header is required')
    return version === API_VERSION
      ? null
      : invalidRequest(`anthropic-version: "${String(version)}" is not a valid version`)
  }

  rememberPaused(content: readonly BlockParam[]): void {
    this.paused.add(digestOf(content))
  }

  isPaused(message: MessageParam): boolean {
    const blocks = blocksOf(message)
    // A paused turn may have been continued several times.
    return blocks.some((_, start) => this.paused.has(digestOf(blocks.slice(start))))
  }
}

export function admit(
  gate: MessageGate,
  text: string,
  beta: string | string[] | undefined,
): Result<Admitted, ApiError> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    return fail(invalidRequest(`The request body is not valid JSON: ${messageOf(thrown)}`))
  }
  const betas = new Set(
    String(beta ?? '')
      .split(',')
      .map((name) => name.trim()),
  )
  const misshapen = checkShape(value, betas)
  if (misshapen !== null) return fail(invalidRequest(misshapen))
  const body = value as RequestBody
  const { models, contextTokens = traitsOf(body.model).contextTokens } = gate.options
  if (models !== undefined && !models.includes(body.model)) return fail(notFound(`model: ${body.model}`))
  const broken = checkRules(body, { isPaused: (message) => gate.isPaused(message) })
  if (broken !== null) return fail(invalidRequest(broken))

  const prefix = prefixOf(body)
  if (prefix.tokens > contextTokens)
    return fail(invalidRequest(`prompt is too long: ${prefix.tokens} tokens > ${contextTokens} maximum`))
  const { problem, dropped } = checkSeals(body, prefix)
  if (problem !== null) return fail(invalidRequest(problem))
  return ok({
    body,
    prefix,
    scripted: scriptedOf(body, dropped),
    dropped,
    reportsDropped: betas.has(BINDING_CONTROLS),
  })
}

function scriptedOf(body: RequestBody, dropped: SealCheck['dropped']): ScriptedRequest {
  const gone = new Set(dropped.map(({ message, block }) => `${message}.${block}`))
  return {
    model: body.model,
    system: typeof body.system === 'string' ? body.system : textIn(body.system ?? []),
    tools: (body.tools ?? []).map(({ name, description = '' }) => ({ name, description })),
    toolChoice: body.tool_choice?.type ?? 'auto',
    messages: body.messages.map((message, index) =>
      scriptedMessage(message, (block) => gone.has(`${index}.${block}`)),
    ),
  }
}

function scriptedMessage(message: MessageParam, isGone: (block: number) => boolean): ScriptedMessage {
  const blocks = blocksOf(message)
  // The checks above ensure that each role has only its own kinds of content.
  return message.role === 'user'
    ? { role: 'user', content: blocks.flatMap((block) => userContent(block)) }
    : {
        role: 'assistant',
        content: blocks.flatMap((block, at) => (isGone(at) ? [] : assistantContent(block))),
      }
}

type UserContent = Extract<ScriptedMessage, { role: 'user' }>['content'][number]
type AssistantContent = Extract<ScriptedMessage, { role: 'assistant' }>['content'][number]

function userContent(block: BlockParam): UserContent[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'image':
      return [{ type: 'image', source: { ...block.source } }]
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          toolUseId: block.tool_use_id,
          text: typeof block.content === 'string' ? block.content : textIn(block.content ?? []),
          isError: block.is_error ?? false,
        },
      ]
    default:
      return []
  }
}

function assistantContent(block: BlockParam): AssistantContent[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'thinking':
    case 'redacted_thinking':
      return [{ type: block.type }]
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }]
    default:
      return []
  }
}

const textIn = (blocks: readonly (TextParam | ImageParam | ToolReferenceParam)[]): string =>
  blocks
    .flatMap((block) =>
      block.type === 'text' ? [block.text] : block.type === 'tool_reference' ? [block.tool_name] : [],
    )
    .join('\n')

function digestOf(blocks: readonly BlockParam[]): string {
  return hash('sha1', blocks.map(blockText).join('\n'))
}
