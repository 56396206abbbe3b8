/**
 * Reads an agent's conversation from a request: its tasks in order, its calls for each, and their results. A
 * director keeps no state, so the request is the survey's only source.
 */
import type { RequestToolResult, RequestToolUse, ScriptedMessage, ScriptedRequest } from '../director.ts'

/** The result of one call. */
export interface Answer {
  readonly ok: boolean
  readonly text: string
}

/** Replaces a missing result. */
export const NO_ANSWER: Answer = { ok: false, text: 'Nothing came back for this call.' }

/** One message of the agent, with its results. */
export interface Exchange {
  readonly said: string
  readonly calls: readonly {
    readonly name: string
    readonly input: unknown
    readonly answer: Answer | null
  }[]
  /** User messages that arrived while the calls ran. */
  readonly heard: readonly string[]
}

/** A task, and everything until the next one. */
export interface Episode {
  /** The task's text. */
  readonly task: string
  /** The task's messages: more than one if the user wrote more before the agent began. */
  readonly messages: readonly string[]
  readonly images: number
  readonly exchanges: readonly Exchange[]
}

export interface Conversation {
  /** Never empty. */
  readonly episodes: readonly Episode[]
  /** Names of the agent's tools. */
  readonly tools: ReadonlySet<string>
  /** The available agents with their tools; empty if the Agent tool lists none. */
  readonly agentTypes: ReadonlyMap<string, readonly string[]>
  /** The agent's folder without a trailing slash; empty if unknown. */
  readonly folder: string
  /** YYYY-MM-DD; empty if unknown. */
  readonly date: string
}

export function readConversation(request: ScriptedRequest): Conversation {
  const episodes: MutableEpisode[] = []
  let exchange: MutableExchange | null = null
  for (const message of request.messages) {
    if (message.role === 'assistant') {
      const calls = message.content.filter((block): block is RequestToolUse => block.type === 'tool_use')
      exchange = {
        said: wordsOf(message).join('\n'),
        calls: calls.map(({ id, name, input }) => ({ id, name, input, answer: null })),
        heard: [],
      }
      episodes.at(-1)?.exchanges.push(exchange)
      continue
    }
    const texts = wordsOf(message)
    const words = texts.filter((text) => !isReminder(text))
    const images = message.content.filter((block) => block.type === 'image').length
    if (exchange !== null && exchange.calls.length > 0) {
      const results = message.content.filter(
        (block): block is RequestToolResult => block.type === 'tool_result',
      )
      for (const call of exchange.calls) {
        const result = results.find(({ toolUseId }) => toolUseId === call.id)
        if (result) call.answer = { ok: !result.isError, text: result.text }
      }
      exchange.heard.push(...words)
    } else {
      // A notice alone is the message to answer.
      const messages = words.length > 0 ? words : texts.map(withoutTag)
      episodes.push({ task: messages.join('\n\n'), messages, images, exchanges: [] })
    }
  }
  return {
    episodes: episodes.length > 0 ? episodes : [{ task: '', messages: [], images: 0, exchanges: [] }],
    tools: new Set(request.tools.map(({ name }) => name)),
    agentTypes: agentTypesOf(request.tools.find(({ name }) => name === 'Agent')?.description ?? ''),
    folder: (/^Folder: (.+)$/m.exec(request.system)?.[1] ?? '').replace(/(?<=.)[/\\]+$/, ''),
    date: /^Date: (\d{4}-\d{2}-\d{2})$/m.exec(request.system)?.[1] ?? '',
  }
}

interface MutableExchange {
  readonly said: string
  readonly calls: { id: string; name: string; input: unknown; answer: Answer | null }[]
  readonly heard: string[]
}

interface MutableEpisode extends Episode {
  readonly exchanges: MutableExchange[]
}

function wordsOf(message: ScriptedMessage): readonly string[] {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

/** Whether Troupe wrote the text, or passed it on for another agent. */
const isReminder = (text: string): boolean => text.startsWith('<system-reminder>')

const withoutTag = (text: string): string => text.replace(/^<system-reminder>\n|\n<\/system-reminder>$/g, '')

/** Parses the lines `- Explore: when to use it (Tools: Read, Grep)` of the Agent tool's description. */
function agentTypesOf(description: string): ReadonlyMap<string, readonly string[]> {
  const found = description.matchAll(
    /^- ([^:\n]+(?::[^:\n ]+)*): (?:(?!^- )[\s\S])*?\(Tools: ([^()\n]*)\)$/gm,
  )
  return new Map([...found].map(([, name = '', tools = '']) => [name, tools.split(/,\s*/)]))
}
