/**
 * What a request tells about its agent: its tasks in order, its replies to each, and their results. A director keeps
 * no state about agents, so the request is the only source.
 */
import { hash } from 'node:crypto'
import type { RequestToolResult, RequestToolUse, ScriptedMessage, ScriptedRequest } from './director.ts'

/** The result of one call. */
export interface ScenarioCallResult {
  readonly ok: boolean
  readonly text: string
}

/** Replaces a missing result. */
export const NO_ANSWER: ScenarioCallResult = { ok: false, text: 'Nothing came back for this call.' }

/** One message of the agent, with its results. */
interface PastReply {
  readonly said: string
  readonly answers: readonly ScenarioCallResult[]
  /** User messages that arrived while the calls ran. */
  readonly heard: readonly string[]
}

/** A task, and the replies until the next one. */
interface Task {
  readonly text: string
  /** More than one if the user wrote more before the agent began. */
  readonly messages: readonly string[]
  /** The number of images. */
  readonly images: number
  readonly replies: readonly PastReply[]
}

export interface Scene {
  /** Identifies the agent across requests until its context is compacted. */
  readonly agent: string
  readonly model: string
  readonly system: string
  /** The agent's first user message; for a fork, the one at its boundary. */
  readonly task: string
  /** The last user message with its tool results. */
  readonly news: string
  /** The last tool results alone. */
  readonly results: string
  /** 1 for the model's first message. */
  readonly turn: number
  readonly mayCallTools: boolean
  /** Never empty. */
  readonly tasks: readonly Task[]
  /** Names of the agent's tools. */
  readonly tools: readonly string[]
  /** The agents that the Agent tool offers. */
  readonly agents: readonly { readonly name: string; readonly tools: readonly string[] }[]
  /** The agent's folder without a trailing slash; empty if unknown. */
  readonly folder: string
  /** YYYY-MM-DD; empty if unknown. */
  readonly date: string
}

/** Reads a request. */
export function sceneOf({ model, tools, toolChoice, ...request }: ScriptedRequest): Scene {
  const { system, messages } = ownPart(request)
  const users = messages.filter((message) => message.role === 'user')
  const last = users.at(-1)
  const task = textsOf(users[0], ['text']).join('\n')
  return {
    agent: hash('sha1', `${system}\n${task}`),
    model,
    system,
    task,
    news: textsOf(last, ['text', 'tool_result']).join('\n'),
    results: textsOf(last, ['tool_result']).join('\n'),
    turn: messages.filter((message) => message.role === 'assistant').length + 1,
    mayCallTools: tools.length > 0 && toolChoice !== 'none',
    tasks: tasksIn(messages),
    tools: tools.map(({ name }) => name),
    agents: agentsIn(tools.find(({ name }) => name === 'Agent')?.description ?? ''),
    folder: (/^Folder: (.+)$/m.exec(request.system)?.[1] ?? '').replace(/(?<=.)[/\\]+$/, ''),
    date: /^Date: (\d{4}-\d{2}-\d{2})$/m.exec(request.system)?.[1] ?? '',
  }
}

/** A fork begins with its parent's messages; its own messages start at the boundary. */
function ownPart({
  system,
  messages,
}: Pick<ScriptedRequest, 'system' | 'messages'>): Pick<ScriptedRequest, 'system' | 'messages'> {
  const boundary = messages.findLastIndex((message) =>
    message.content.some((block) => block.type === 'text' && block.text.startsWith(FORK_BOUNDARY)),
  )
  return boundary === -1 ? { system, messages } : { system: '', messages: messages.slice(boundary) }
}

const FORK_BOUNDARY = '<system-reminder>\n# You are a subagent now'

const textsOf = (message: ScriptedMessage | undefined, kinds: readonly string[]): readonly string[] =>
  (message?.content ?? []).flatMap((block) =>
    'text' in block && kinds.includes(block.type) ? [block.text] : [],
  )

function tasksIn(messages: readonly ScriptedMessage[]): readonly Task[] {
  const tasks: (Task & { readonly replies: PastReply[] })[] = []
  let calls: readonly RequestToolUse[] = []
  for (const message of messages) {
    const texts = textsOf(message, ['text'])
    if (message.role === 'assistant') {
      calls = message.content.filter((block): block is RequestToolUse => block.type === 'tool_use')
      tasks.at(-1)?.replies.push({ said: texts.join('\n'), answers: calls.map(() => NO_ANSWER), heard: [] })
      continue
    }
    const words = texts.filter((text) => !isReminder(text))
    const current = tasks.at(-1)
    const reply = current?.replies.pop()
    if (reply)
      current?.replies.push({ ...reply, answers: calls.map(({ id }) => answerTo(id, message)), heard: words })
    if (calls.length > 0 && !(words.length > 0 && isStopped(calls, message))) continue
    // A notice alone is the message to answer.
    const heard = words.length > 0 ? words : texts.map(withoutTag)
    const images = message.content.filter((block) => block.type === 'image').length
    tasks.push({ text: heard.join('\n\n'), messages: heard, images, replies: [] })
  }
  return tasks.length > 0 ? tasks : [{ text: '', messages: [], images: 0, replies: [] }]
}

function answerTo(id: string, message: ScriptedMessage): ScenarioCallResult {
  const result = resultsIn(message).find(({ toolUseId }) => toolUseId === id)
  return result ? { ok: !result.isError, text: result.text } : NO_ANSWER
}

const resultsIn = (message: ScriptedMessage): readonly RequestToolResult[] =>
  message.content.filter((block): block is RequestToolResult => block.type === 'tool_result')

/** Whether all agents that a message started failed: the user stopped them, and what they write is a new task. */
const isStopped = (calls: readonly RequestToolUse[], message: ScriptedMessage): boolean =>
  calls.every(({ name }) => name === 'Agent') && resultsIn(message).every(({ isError }) => isError)

/** Whether Troupe wrote the text, or passed it on for another agent. */
const isReminder = (text: string): boolean => text.startsWith('<system-reminder>')

const withoutTag = (text: string): string => text.replace(/^<system-reminder>\n|\n<\/system-reminder>$/g, '')

/** Parses the lines `- Explore: when to use it (Tools: Read, Grep)` of the Agent tool's description. */
function agentsIn(description: string): Scene['agents'] {
  const found = description.matchAll(
    /^- ([^:\n]+(?::[^:\n ]+)*): (?:(?!^- )[\s\S])*?\(Tools: ([^()\n]*)\)$/gm,
  )
  return [...found].map(([, name = '', tools = '']) => ({ name, tools: tools.split(/,\s*/) }))
}
