/**
 * What a request tells of its agent: the tasks it was given one after the other, what it did for each, and
 * what came back. A director remembers nothing, so this is all the survey has to go by.
 */
import type { RequestToolResult, RequestToolUse, ScriptedMessage, ScriptedRequest } from '../director.ts'

/** What came back for one call. */
export interface Answer {
  readonly ok: boolean
  readonly text: string
}

/** What stands for an answer that never came. */
export const NO_ANSWER: Answer = { ok: false, text: 'Nothing came back for this call.' }

/** One message of the agent, and what came back for it. */
export interface Exchange {
  readonly said: string
  readonly calls: readonly {
    readonly name: string
    readonly input: unknown
    readonly answer: Answer | null
  }[]
  /** What people wrote while the calls ran. */
  readonly heard: readonly string[]
}

/** A task, and all that was said and done until the next one. */
export interface Episode {
  /** In the words that began it. */
  readonly task: string
  /** The messages it is made of: more than one where more was written before the agent began. */
  readonly messages: readonly string[]
  readonly images: number
  readonly exchanges: readonly Exchange[]
}

export interface Conversation {
  /** At least one. */
  readonly episodes: readonly Episode[]
  /** Names of the tools that the agent has. */
  readonly tools: ReadonlySet<string>
  /** The agents that can be started, with their tools; empty where the Agent tool says nothing of them. */
  readonly agentTypes: ReadonlyMap<string, readonly string[]>
  /** The agent's folder, without a slash at its end; empty where the system prompt does not say. */
  readonly folder: string
  /** YYYY-MM-DD; empty where the system prompt does not say. */
  readonly date: string
}

export function readConversation(request: ScriptedRequest): Conversation {
  const reminder = reminderOf(request)
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
    const words = wordsOf(message).filter((text, index, all) => text !== reminder || index < all.length - 1)
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
    } else episodes.push({ task: words.join('\n\n'), messages: words, images, exchanges: [] })
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

/** Some definitions end every message to their agent with a reminder; it is in the system prompt too. */
function reminderOf({ system, messages }: ScriptedRequest): string | null {
  const [first] = messages
  const words = first === undefined ? [] : wordsOf(first)
  const last = words.at(-1)
  return words.length > 1 && last !== undefined && system.trimEnd().endsWith(last.trim()) ? last : null
}

/** From the lines `- Explore: when to use it (Tools: Read, Grep)` of the Agent tool's description. */
function agentTypesOf(description: string): ReadonlyMap<string, readonly string[]> {
  const found = description.matchAll(
    /^- ([^:\n]+(?::[^:\n ]+)*): (?:(?!^- )[\s\S])*?\(Tools: ([^()\n]*)\)$/gm,
  )
  return new Map([...found].map(([, name = '', tools = '']) => [name, tools.split(/,\s*/)]))
}
