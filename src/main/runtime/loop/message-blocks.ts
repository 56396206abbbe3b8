/** The blocks of messages: which of them can be sent again, and how long they are. */
import type { EventOf } from '../../../shared/events/agent-event.ts'
import {
  type AssistantBlock,
  type ImageBlock,
  imageBlock,
  type UserBlock,
} from '../../../shared/messages/content.ts'
import type { ModelMessage } from '../ports/model.ts'

/** A usual image, as the API counts it: its size in pixels is not known here. */
export const IMAGE_LENGTH = 6000

/** About the characters of a value as JSON. @param ofImage counted for an image with these data */
export function charactersIn(value: unknown, ofImage: (data: string) => number = () => IMAGE_LENGTH): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (isImage(value)) return ofImage(value.source.data)
  return Object.entries(value).reduce(
    (sum, [key, one]) => sum + key.length + 6 + charactersIn(one, ofImage),
    0,
  )
}

const isImage = (value: object): value is ImageBlock =>
  'type' in value && value.type === 'image' && imageBlock.safeParse(value).success

export function hasResultOf(message: ModelMessage, ids: ReadonlySet<string>): boolean {
  return (
    message.role === 'user' &&
    message.content.some((block) => block.type === 'tool_result' && ids.has(block.tool_use_id))
  )
}

/** Blocks that one provider's server made mean nothing to another provider. */
export function withoutForeign(message: AssistantMessage): AssistantMessage {
  const content = message.content.filter(({ type }) => type !== 'foreign')
  if (content.length === message.content.length) return message
  return content.length === 0
    ? { role: 'assistant', content: [{ type: 'text', text: '(nothing for this server)' }] }
    : { role: 'assistant', content }
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>

export function withoutThinking(message: Extract<ModelMessage, { role: 'assistant' }>): ModelMessage {
  const content = message.content.filter(
    (block) => block.type !== 'thinking' && block.type !== 'redacted_thinking',
  )
  return content.length === message.content.length || content.length === 0
    ? message
    : { role: 'assistant', content }
}

/** The API rejects empty text blocks. */
export const hasSubstance = (block: UserBlock): boolean => block.type !== 'text' || block.text.trim() !== ''

/**
 * The blocks to send back. The API rejects thinking at the end of a message: thinking that was cut off, or that nothing
 * followed. A paused turn must resume unchanged.
 */
export function sendable({ content, stopReason }: EventOf<'assistant-message'>): readonly AssistantBlock[] {
  const kept = content.filter(isSendable)
  if (stopReason === 'pause_turn') return kept
  return kept.slice(
    0,
    1 + kept.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'),
  )
}

const isSendable = (block: AssistantBlock): boolean => block.type !== 'text' || block.text.trim() !== ''
