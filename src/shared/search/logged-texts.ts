/** What searches read: the logs of agents, and what was said in one event, which is its texts without keys, ids and figures. */
import type { SearchedAgent, SearchedConversation, SearchKind } from './search.ts'

export interface LoggedText {
  readonly kind: SearchKind
  /** The tool of an input or output; null: another kind. */
  readonly tool: string | null
  readonly text: string
  /** The call of an output whose line does not name the tool. */
  readonly call?: string
}

export interface LoggedLine {
  readonly sequence: number
  /** ms since the epoch. */
  readonly at: number
  readonly texts: readonly LoggedText[]
  /** The file of its whole output, without `.txt`; null: none. */
  readonly outputOf: string | null
}

/** A conversation with its logs, of this program or of another one. */
export interface SearchedLogs {
  readonly conversation: SearchedConversation
  readonly logs: readonly SearchedLog[]
  /** What is not kept in lines of an agent: it is read as a whole if a line in these files and folders may have the text. */
  readonly store?: {
    /** Absolute; none: it is always read. */
    readonly paths: readonly string[]
    readonly read: () => Promise<
      readonly { readonly agent: LogAgent; readonly lines: readonly LoggedLine[] }[]
    >
  }
}

export type LogAgent = Omit<SearchedAgent, 'places' | 'conversationId'>

/** The log of one agent: a file with a value as JSON on each line. */
export interface SearchedLog {
  readonly agentId: string
  /** Absolute. */
  readonly file: string
  /** The folder of whole outputs, of which the log has only a part, and what the lines with such a part have; null: none. */
  readonly outputs: { readonly folder: string; readonly pattern: string } | null
  /** What a line says; null: nothing. `offset`: the byte at which it begins. */
  readonly read: (line: unknown, offset: number) => LoggedLine | null
  /** The tool of a call; null: another line has it. */
  readonly toolOf?: (line: unknown, call: string) => string | null
  /** False if a line that begins like this has no text, so that it need not be read. */
  readonly mayHaveText: (start: string, since: number | null, until: number | null) => boolean
  /** Whose log it is; null: its start can't be read. */
  readonly agent: () => LogAgent | null
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
