/**
 * The content of messages. The shapes are those of the Messages API, so that a transcript can be sent as recorded:
 * https://docs.claude.com/en/api/messages
 */
import { z } from 'zod'

const textBlock = z.object({ type: z.literal('text'), text: z.string() })
export const imageBlock = z.object({
  type: z.literal('image'),
  source: z.object({
    type: z.literal('base64'),
    media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string(),
  }),
})
const thinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
})
const redactedThinkingBlock = z.object({ type: z.literal('redacted_thinking'), data: z.string() })
const toolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  /** Who calls, as the API says it. */
  caller: z.unknown().optional(),
})
/** Text of a model: with the places that it quotes, as they came. */
const saidBlock = textBlock.extend({ citations: z.array(z.unknown()).optional() })
/**
 * A block of a kind that this program does not know: a tool that the server runs, its result, a summary of the server. The
 * API wants it back as it came.
 */
const foreignBlock = z.object({
  type: z.literal('foreign'),
  block: z.record(z.string(), z.unknown()),
})

/** A block of a user message, from the user or the runtime. */
export const userBlock = z.discriminatedUnion('type', [textBlock, imageBlock])

/**
 * A message of the user: its text, or up to 20 images and texts in their order. Blank texts count for nothing; see
 * `userBlocksOf`.
 */
export const userContent = z.union([
  z.string().max(1_000_000),
  z
    .array(z.discriminatedUnion('type', [textBlock.extend({ text: z.string().max(1_000_000) }), imageBlock]))
    .max(1000)
    .refine((blocks) => blocks.filter(({ type }) => type === 'image').length <= 20, 'more than 20 images')
    .readonly(),
])
/** A block of a model's message. */
export const assistantBlock = z.discriminatedUnion('type', [
  saidBlock,
  thinkingBlock,
  redactedThinkingBlock,
  toolUseBlock,
  foreignBlock,
])
/** A tool's result: plain text, or blocks if the result has an image. */
export const toolContent = z.union([z.string(), z.array(userBlock)])

export type TextBlock = z.infer<typeof textBlock>
export type ImageBlock = z.infer<typeof imageBlock>
export type ToolUseBlock = z.infer<typeof toolUseBlock>
export type UserBlock = z.infer<typeof userBlock>
export type UserContent = z.infer<typeof userContent>
export type AssistantBlock = z.infer<typeof assistantBlock>
export type ToolContent = z.infer<typeof toolContent>
