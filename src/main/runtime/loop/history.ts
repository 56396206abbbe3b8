/**
 * What the model is sent: the messages that an agent's events add up to. It grows with the events, so
 * that the next request costs what is new and not what was said before; finished messages keep their
 * identity, by which the adapter remembers their wire form.
 */
import type { AgentEvent, EventOf, LoadedInstructions } from '../../../shared/agent-event.ts'
import type { AssistantBlock, ToolUseBlock, UserBlock } from '../../../shared/content.ts'
import type { ModelMessage, ToolResultBlock } from '../ports.ts'

const CLEARED = 'This older result was cleared to make room. Run the tool again if you need it.'

/** A call of the last message that has no result yet. */
export interface OpenCall {
  readonly call: ToolUseBlock
  /** Whether it had started, and may have changed something. */
  readonly started: 'no' | 'yes' | 'with-side-effects'
}

export class History {
  private finished: ModelMessage[] = []
  /** The calls of the last assistant message, in its order. */
  private calls: readonly ToolUseBlock[] = []
  private results = new Map<string, ToolResultBlock>()
  private started = new Map<string, OpenCall['started']>()
  /** Words that came after the last assistant message. */
  private words: UserBlock[] = []
  /** The ids of all calls there ever were, those before a summary too. */
  private readonly callIds = new Set<string>()
  private reminder: string | null
  private answeredAt: number | null = null
  /** By tool: what the agent knows of it by now, and what stands in its requests since the last summary. */
  private told: Readonly<Record<string, string>> = {}
  private takenIn: Readonly<Record<string, string>> = {}
  /** By path: the files of instructions that it was told of since its start, or since the last summary. */
  private instructions = new Map<string, LoadedInstructions>()

  /** `reminder` closes every user turn. */
  constructor(reminder: string | null) {
    this.reminder = reminder
  }

  apply(event: AgentEvent): void {
    switch (event.type) {
      case 'user-message':
        this.words.push(...event.content.filter(hasSubstance))
        return
      case 'assistant-message':
        this.answer(event)
        return
      case 'tool-started':
        this.started.set(event.toolUseId, event.sideEffects ? 'with-side-effects' : 'yes')
        return
      case 'tool-ended':
        this.results.set(event.toolUseId, {
          type: 'tool_result',
          tool_use_id: event.toolUseId,
          content: event.content === '' ? '(no output)' : event.content,
          is_error: event.isError,
        })
        return
      case 'context-cleared':
        this.clear(new Set(event.toolUseIds))
        return
      case 'context-summarised':
        this.restart(event.summary)
        return
      case 'tools-changed':
        this.words.push({ type: 'text', text: event.text })
        this.told = { ...this.told, ...event.descriptions }
        return
      case 'instructions-loaded':
        this.words.push({ type: 'text', text: event.text })
        for (const file of event.files) this.instructions.set(file.path, file)
        return
      case 'definition-renewed':
        for (const { path } of event.instructions) this.instructions.delete(path)
        this.reminder = event.definition.reminder
        this.told = {}
        this.takenIn = {}
        return
      default:
        return
    }
  }

  /** Everything to send now. The last message is the user's where there is anything to answer. */
  messages(): readonly ModelMessage[] {
    const open = this.openUserMessage()
    return open === null ? this.finished : [...this.finished, open]
  }

  openCalls(): readonly OpenCall[] {
    return this.calls
      .filter((call) => !this.results.has(call.id))
      .map((call) => ({ call, started: this.started.get(call.id) ?? 'no' }))
  }

  /** The descriptions of tools that changed, as far as the agent was told. */
  get toldDescriptions(): Readonly<Record<string, string>> {
    return this.told
  }

  /** Those that stand in its requests in place of the first ones. */
  get newDescriptions(): Readonly<Record<string, string>> {
    return this.takenIn
  }

  get toldInstructions(): ReadonlyMap<string, LoadedInstructions> {
    return this.instructions
  }

  /** The sequence number of the last assistant message; null: there was none. */
  get lastAnswerSeq(): number | null {
    return this.answeredAt
  }

  /** The id itself where no call has had it yet, or else one made of it. `taken`: further ones that are in use. */
  newCallId(id: string, taken: ReadonlySet<string>): string {
    let next = id
    for (let number = 2; this.callIds.has(next) || taken.has(next); number++) next = `${id}-${number}`
    return next
  }

  /** The calls of the last assistant message, answered or not. */
  get lastCalls(): readonly ToolUseBlock[] {
    return this.calls
  }

  /** How many messages are complete. */
  get length(): number {
    return this.finished.length
  }

  /** A history of its own that begins with this one up to its last assistant message, whose calls are open in it. */
  fork(reminder: string | null): History {
    const fork = new History(reminder)
    fork.finished = [...this.finished]
    fork.calls = this.calls
    for (const id of this.callIds) fork.callIds.add(id)
    fork.instructions = new Map(this.instructions)
    return fork
  }

  /** Whether something waits for the model's answer: words, or results of its calls. */
  get awaitsAnswer(): boolean {
    return this.words.length > 0 || this.calls.length > 0
  }

  /** Results older than the last `keep` user messages that are still sent whole, and their length in characters. */
  clearable(keep: number): readonly { readonly toolUseId: string; readonly characters: number }[] {
    return this.finished
      .slice(0, Math.max(0, this.finished.length - keep * 2))
      .flatMap((message) => (message.role === 'user' ? message.content : []))
      .filter((block): block is ToolResultBlock => block.type === 'tool_result' && block.content !== CLEARED)
      .map((block) => ({ toolUseId: block.tool_use_id, characters: JSON.stringify(block.content).length }))
  }

  private answer(event: EventOf<'assistant-message'>): void {
    const content = event.content.filter(isSendable)
    this.answeredAt = event.seq
    // An empty answer can't be sent back; the user's turn simply stays open.
    if (content.length === 0) return
    const open = this.openUserMessage()
    if (open !== null) this.finished.push(open)
    const last = this.finished.at(-1)
    // A paused turn is continued by the next message: one assistant message on the wire.
    if (open === null && last?.role === 'assistant')
      this.finished[this.finished.length - 1] = { role: 'assistant', content: [...last.content, ...content] }
    else this.finished.push({ role: 'assistant', content })
    this.calls = content.filter((block): block is ToolUseBlock => block.type === 'tool_use')
    for (const { id } of this.calls) this.callIds.add(id)
    this.results = new Map()
    this.started = new Map()
    this.words = []
  }

  private openUserMessage(): ModelMessage | null {
    const results = this.calls.flatMap((call) => this.results.get(call.id) ?? [])
    if (results.length === 0 && this.words.length === 0) return null
    const reminder: UserBlock[] = this.reminder ? [{ type: 'text', text: this.reminder }] : []
    return { role: 'user', content: [...results, ...this.words, ...reminder] }
  }

  private clear(ids: ReadonlySet<string>): void {
    const last = this.finished.findLastIndex((message) => hasResultOf(message, ids))
    this.finished = this.finished.map((message, index) => {
      // Thinking belongs to a past that is unchanged: up to the clearing it goes with what was cleared.
      if (message.role === 'assistant') return index < last ? withoutThinking(message) : message
      if (!hasResultOf(message, ids)) return message
      const content = message.content.map((block) =>
        block.type === 'tool_result' && ids.has(block.tool_use_id) ? { ...block, content: CLEARED } : block,
      )
      return { role: 'user', content }
    })
  }

  private restart(summary: string): void {
    this.takenIn = this.told
    this.instructions = new Map()
    this.finished = []
    this.calls = []
    this.results = new Map()
    this.started = new Map()
    this.words = [
      {
        type: 'text',
        text: `The conversation so far grew too long to be sent and was summarised. Go on from this summary:\n\n${summary}`,
      },
      // Nobody has answered these: a summary must not stand in for them.
      ...this.words,
    ]
  }
}

function hasResultOf(message: ModelMessage, ids: ReadonlySet<string>): boolean {
  return (
    message.role === 'user' &&
    message.content.some((block) => block.type === 'tool_result' && ids.has(block.tool_use_id))
  )
}

function withoutThinking(message: Extract<ModelMessage, { role: 'assistant' }>): ModelMessage {
  const content = message.content.filter(
    (block) => block.type !== 'thinking' && block.type !== 'redacted_thinking',
  )
  return content.length === message.content.length || content.length === 0
    ? message
    : { role: 'assistant', content }
}

/** The API refuses text blocks without anything to read. */
const hasSubstance = (block: UserBlock): boolean => block.type !== 'text' || block.text.trim() !== ''

const isSendable = (block: AssistantBlock): boolean => block.type !== 'text' || block.text.trim() !== ''
