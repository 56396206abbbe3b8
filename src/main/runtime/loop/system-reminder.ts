/**
 * The tag around everything that Troupe itself says in user messages. The system prompt explains the tag. The same tag
 * in any other text is sent with a backslash (`<\system-reminder>`), so that no file, command, agent or user can
 * imitate Troupe. Tool inputs are translated back: an agent can edit the files that contain the tag.
 */
import type { ToolContent, UserBlock } from '../../../shared/messages/content.ts'

// Spaces, invisible characters and other dashes do not make it another tag for a model.
const NAME = String.raw`[\s\p{Cf}]*(?:\/[\s\p{Cf}]*)?system[\s\p{Cf}\p{Pd}_]*reminder`
const TAG = new RegExp(String.raw`<(\\*)(${NAME})`, 'giu')
const ESCAPED_TAG = new RegExp(String.raw`<\\(\\*)(${NAME})`, 'giu')

/** The text as a message from Troupe. Tags within the text are escaped. */
export function asReminder(text: string): string {
  return `<system-reminder>\n${escapeTags(text).trim()}\n</system-reminder>`
}

/** Whether Troupe itself wrote this text: tags in all other texts are escaped. */
export function isReminder(text: string): boolean {
  return text.startsWith('<system-reminder>')
}

export function escapeTags(text: string): string {
  return text.replace(TAG, '<\\$1$2')
}

/** Undoes `escapeTags`. */
export function unescapeTags(text: string): string {
  return text.replace(ESCAPED_TAG, '<$1$2')
}

export function withEscapedTags(content: ToolContent): ToolContent {
  return typeof content === 'string' ? escapeTags(content) : content.map(blockWith(escapeTags))
}

/** The blocks with `change` applied to their texts. */
export function blockWith(change: (text: string) => string): (block: UserBlock) => UserBlock {
  return (block) => (block.type === 'text' ? { ...block, text: change(block.text) } : block)
}

/** A tool's input as the model meant it, at any depth. */
export function unescapeInput(input: unknown): unknown {
  if (typeof input === 'string') return unescapeTags(input)
  if (Array.isArray(input)) return input.map(unescapeInput)
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, unescapeInput(value)]))
}
