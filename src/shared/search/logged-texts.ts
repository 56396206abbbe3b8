/** What was said in one event of a transcript, for searches: its texts without keys, ids and figures. */
import type { SearchKind } from './search.ts'

export interface LoggedText {
  readonly kind: SearchKind
  /** The tool of an input or output; null: another kind. */
  readonly tool: string | null
  readonly text: string
}

/** The fields of an event that are read here. The event comes from a log of any version, so each is checked. */
type Raw = Readonly<Record<string, unknown>>

/** The types of events with texts. */
export const textEvents = [
  'assistant-message',
  'tool-ended',
  'user-message',
  'user-command-started',
  'user-command-ended',
  'context-compacted',
  'context-summarised',
  'agent-ended',
] as const

/** @param event the value of a log's line */
export function loggedTexts(event: unknown): readonly LoggedText[] {
  if (!isRaw(event)) return []
  switch (event['type']) {
    case 'assistant-message':
      return blocksOf(event['content']).flatMap(ofBlock)
    case 'tool-ended':
      return one('output', contentText(event['content']), String(event['name']))
    case 'user-message': {
      const isUser = event['from'] === 'user'
      const text = contentText(event['content'])
      return one(isUser ? 'you' : 'message', isText(event['typed']) ? `${event['typed']}\n${text}` : text)
    }
    case 'user-command-started':
      return one('you', event['command'])
    case 'user-command-ended':
      return one('output', event['output'], 'Bash')
    case 'context-compacted':
    case 'context-summarised':
      return one('said', event['summary'])
    case 'agent-ended': {
      const failure = event['failure']
      return isRaw(failure) ? one('output', failure['message']) : []
    }
    default:
      return []
  }
}

function ofBlock(block: Raw): readonly LoggedText[] {
  switch (block['type']) {
    case 'text':
      return one('said', block['text'])
    case 'thinking':
      return one('thought', block['thinking'])
    case 'tool_use': {
      const name = String(block['name'])
      return one(name === 'SendMessage' ? 'message' : 'input', leaves(block['input']).join('\n'), name)
    }
    default:
      return []
  }
}

function one(kind: SearchKind, text: unknown, tool: string | null = null): readonly LoggedText[] {
  return isText(text) && text !== '' ? [{ kind, tool, text }] : []
}

function contentText(content: unknown): string {
  if (isText(content)) return content
  return blocksOf(content)
    .flatMap(({ type, text }) => (type === 'text' && isText(text) ? [text] : []))
    .join('\n')
}

/** The texts in a value, in the order of its keys. */
function leaves(value: unknown): readonly string[] {
  if (isText(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(leaves)
  return isRaw(value) ? Object.values(value).flatMap(leaves) : []
}

function blocksOf(content: unknown): readonly Raw[] {
  return Array.isArray(content) ? content.filter(isRaw) : []
}

const isText = (value: unknown): value is string => typeof value === 'string'

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
