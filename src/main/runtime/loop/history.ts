/**
 * The messages for the next request, folded from an agent's events. The history grows with the events, so that a
 * request costs only its new events. Finished messages keep their identity, by which the adapter caches their wire
 * form.
 */

import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import type { ToolUseBlock, UserBlock } from '../../../shared/messages/content.ts'
import { splitModel } from '../../../shared/models/model-provider.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { canonicalToolName } from '../../../shared/tools/tool-names.ts'
import type { ModelMessage, ToolResultBlock } from '../ports/model.ts'
import {
  charactersIn,
  hasResultOf,
  hasSubstance,
  sendable,
  withoutForeign,
  withoutThinking,
} from './message-blocks.ts'
import { asReminder, blockWith, escapeTags, withEscapedTags } from './system-reminder.ts'
import { ToldState } from './told-state.ts'

const CLEARED = 'This older result was cleared to free context. Run the tool again if you need the result.'

/** For results that the model has not seen. */
const LEFT_OUT =
  'This result was left out: with it, the conversation did not fit into the context window. Run the tool again for a smaller part: a range of lines, a narrower pattern, less output.'

/**
 * Characters of results beyond which older ones are cleared: twice what a window of a million tokens holds. Only a
 * transcript that was never compacted has so many.
 */
const MOST_HELD = 8_000_000
/** The same for each token of a larger window. */
const HELD_PER_TOKEN = 8
/** The results of the last user messages are cleared only if the conversation does not fit with them. */
const KEPT_TURNS = 3

/** Stands before the summary after a compaction. */
export const SUMMARIZED =
  'The conversation became too long for the context window and was summarized. Your summary follows: continue from it.'

/** A call of the last message that has no result yet. */
export interface OpenCall {
  readonly call: ToolUseBlock
  /** Whether the call had started, and could have side effects. */
  readonly started: 'no' | 'yes' | 'with-side-effects'
  /** Ms since the epoch; null: it had not started. */
  readonly startedAt: number | null
}

export class History {
  private finished: ModelMessage[] = []
  /** The calls of the last assistant message, in its order. */
  private calls: readonly ToolUseBlock[] = []
  private results = new Map<string, ToolResultBlock>()
  /** Characters of results since the last count, and those that it left. */
  private held = 0
  private mostHeld = MOST_HELD
  private started = new Map<string, Pick<OpenCall, 'started' | 'startedAt'>>()
  /** Texts and images since the last assistant message. */
  private pending: UserBlock[] = []
  /** Blocks at the start of `pending` that are a summary and await no answer. */
  private summary = 0
  /** The ids of all calls, also those before a compaction. */
  private readonly callIds = new Set<string>()
  private reminder: string | null
  private answeredAt: number | null = null
  /** What the agent was told of its tools, instructions, servers and permissions. */
  told = new ToldState()
  /** The first notice of a fork, which says what it is. */
  private opening: UserBlock[] | null = null
  private isFork = false
  /** Of the current model; null: the main access. */
  private provider: string | null = null
  /** The provider that counts again after this turn; undefined: `provider` stays. */
  private providerAfterTurn: string | null | undefined

  /** `reminder` ends every user message. */
  constructor(reminder: string | null) {
    this.reminder = reminder
  }

  apply(event: AgentEvent): void {
    const notice = this.told.apply(event)
    if (notice !== null) this.pending.push(notice)
    switch (event.type) {
      case 'user-message':
        this.takeIn(event.content.filter(hasSubstance).map(blockWith(frameFor(event.from))), event.from)
        return
      case 'assistant-message':
        this.answer(event)
        return
      case 'tool-started':
        this.started.set(event.toolUseId, {
          started: event.sideEffects ? 'with-side-effects' : 'yes',
          startedAt: event.at,
        })
        return
      case 'tool-ended':
        this.results.set(event.toolUseId, {
          type: 'tool_result',
          tool_use_id: event.toolUseId,
          content: event.content === '' ? '(no output)' : withEscapedTags(event.content),
          is_error: event.isError,
          ...(event.found && { found: event.found }),
        })
        this.held += charactersIn(event.content, heldOfImage)
        if (this.held > this.mostHeld) this.clearOldest()
        return
      case 'context-cleared':
        this.clear(new Set(event.toolUseIds))
        return
      case 'context-compacted':
        this.restart(event.summary)
        return
      case 'agent-spawned':
        this.provider = splitModel(event.model).provider
        return
      case 'model-changed':
        this.providerAfterTurn =
          event.forTurn !== true
            ? undefined
            : this.providerAfterTurn === undefined
              ? this.provider
              : this.providerAfterTurn
        this.changeProvider(splitModel(event.model).provider)
        return
      case 'status-changed':
        if (event.waitingFor === 'message') this.endTurn()
        return
      case 'agent-ended':
        this.endTurn()
        return
      case 'part-refused':
        this.refuse(event)
        return
      case 'definition-renewed':
        this.reminder = event.definition.reminder
        return
      default:
        return
    }
  }

  /** All messages of the next request. The last one is a user message if something awaits an answer. */
  messages(): readonly ModelMessage[] {
    const open = this.openUserMessage()
    return open === null ? this.finished : [...this.finished, open]
  }

  openCalls(): readonly OpenCall[] {
    return this.calls
      .filter((call) => !this.results.has(call.id))
      .map((call) => ({ call, ...(this.started.get(call.id) ?? { started: 'no', startedAt: null }) }))
  }

  /** Whether a summary is the start of the messages, and the model has not answered since. */
  get summaryIsNew(): boolean {
    return this.finished.length === 0 && this.pending.some(isSummaryMark)
  }

  /** The sequence number of the last assistant message; null if there is none. */
  get lastAnswerSeq(): number | null {
    return this.answeredAt
  }

  /** The id, or a new one derived from it if a call or `taken` has the id already. */
  newCallId(id: string, taken: ReadonlySet<string>): string {
    let next = id
    for (let number = 2; this.callIds.has(next) || taken.has(next); number++) next = `${id}-${number}`
    return next
  }

  /** The calls of the last assistant message, answered or not. */
  get lastCalls(): readonly ToolUseBlock[] {
    return this.calls
  }

  /**
   * ms since the epoch: when the first call of the last message began that may change any file; null: there is none. An
   * edit changes one file, and the changes of a subagent are recorded as its own.
   */
  get callsSince(): number | null {
    const began = this.calls.flatMap(({ id, name }) => {
      const { started, startedAt = null } = this.started.get(id) ?? {}
      const { kind = 'other' } = toolFacts(canonicalToolName(name)) ?? {}
      const changesAny = started === 'with-side-effects' && kind !== 'edit' && kind !== 'agent'
      return changesAny && startedAt !== null ? [startedAt] : []
    })
    return began.length === 0 ? null : Math.min(...began)
  }

  /** The number of finished messages. */
  get length(): number {
    return this.finished.length
  }

  /** A copy up to the last assistant message, whose calls are open in the copy. */
  fork(reminder: string | null): History {
    const fork = new History(reminder)
    fork.isFork = true
    fork.finished = [...this.finished]
    fork.calls = this.calls
    for (const id of this.callIds) fork.callIds.add(id)
    fork.told = this.told.fork()
    fork.provider = this.provider
    return fork
  }

  /** About how long the messages of the next request are, for an estimate of their tokens. */
  get characters(): number {
    return charactersIn(this.messages())
  }

  /** Whether texts or calls of the last message await the model's answer. */
  get awaitsAnswer(): boolean {
    return this.pending.length > this.summary || this.calls.length > 0
  }

  /** Uncleared results before the last `keep` user messages, with their length in characters; 0: all results. */
  clearable(keep = KEPT_TURNS): readonly { readonly toolUseId: string; readonly characters: number }[] {
    const open = keep === 0 ? [...this.results.values()] : []
    return this.finishedResults(keep)
      .concat(open.filter(({ found }) => found === undefined))
      .map(({ tool_use_id: toolUseId, content }) => ({
        toolUseId,
        characters: charactersIn(content),
      }))
  }

  private finishedResults(keep: number): readonly ToolResultBlock[] {
    return this.finished
      .slice(0, Math.max(0, this.finished.length - keep * 2))
      .flatMap((message) => (message.role === 'user' ? message.content : []))
      .filter(
        (block): block is ToolResultBlock =>
          // The tools that a result found would go with it.
          block.type === 'tool_result' && block.content !== CLEARED && block.found === undefined,
      )
  }

  /** Leaves half of the maximum, so that it happens seldom. */
  private clearOldest(): void {
    const sizes = this.finishedResults(KEPT_TURNS).map(
      ({ tool_use_id: id, content }) => [id, charactersIn(content, heldOfImage)] as const,
    )
    this.held = sizes.reduce((sum, [, characters]) => sum + characters, 0)
    const oldest = new Set<string>()
    for (const [id, characters] of sizes) {
      if (this.held <= this.mostHeld / 2) break
      oldest.add(id)
      this.held -= characters
    }
    this.clear(oldest)
  }

  /** Thinking is signed for the server that sent it; another one may reject it. */
  private changeProvider(provider: string | null): void {
    if (provider !== this.provider)
      this.finished = this.finished.map((message) =>
        message.role === 'assistant' ? withoutThinking(withoutForeign(message)) : message,
      )
    this.provider = provider
  }

  private endTurn(): void {
    if (this.providerAfterTurn !== undefined) this.changeProvider(this.providerAfterTurn)
    this.providerAfterTurn = undefined
  }

  private refuse({ part, reason }: EventOf<'part-refused'>): void {
    if (part.kind === 'tool') {
      this.pending.push(this.told.refuseTool(part.name))
      return
    }
    const replaced = (content: readonly UserBlock[], at: number) =>
      content.map((block, index) => (index === at ? leftOut(reason) : block))
    const { message, block, inner } = part
    const result = (one: ToolResultBlock): ToolResultBlock =>
      inner === null || typeof one.content === 'string'
        ? one
        : { ...one, content: replaced(one.content, inner) }
    if (message < this.finished.length) {
      this.finished = this.finished.map((one, index) => {
        if (index !== message || one.role !== 'user') return one
        const content = one.content.map((each, at) =>
          at !== block ? each : each.type === 'tool_result' ? result(each) : leftOut(reason),
        )
        return { role: 'user', content }
      })
      return
    }
    const results = this.calls.flatMap((call) => this.results.get(call.id) ?? [])
    const open = results[block]
    if (open) this.results.set(open.tool_use_id, result(open))
    else this.pending = replaced(this.pending, block - results.length)
  }

  private answer(event: EventOf<'assistant-message'>): void {
    const content = sendable(event)
    this.answeredAt = event.seq
    this.mostHeld = Math.max(MOST_HELD, (event.contextWindow ?? 0) * HELD_PER_TOKEN)
    // The API rejects an empty message, so the user's turn stays open.
    if (content.length === 0) return
    const open = this.openUserMessage()
    if (open !== null) this.finished.push(open)
    const last = this.finished.at(-1)
    // The next message continues a paused turn: both are one assistant message on the wire.
    if (open === null && last?.role === 'assistant')
      this.finished[this.finished.length - 1] = { role: 'assistant', content: [...last.content, ...content] }
    else this.finished.push({ role: 'assistant', content })
    this.calls = content.filter((block): block is ToolUseBlock => block.type === 'tool_use')
    for (const { id } of this.calls) this.callIds.add(id)
    this.results = new Map()
    this.started = new Map()
    this.pending = []
    this.summary = 0
  }

  private openUserMessage(): ModelMessage | null {
    const results = this.calls.flatMap((call) => this.results.get(call.id) ?? [])
    if (results.length === 0 && this.pending.length === 0) return null
    const reminder: UserBlock[] = this.reminder ? [{ type: 'text', text: asReminder(this.reminder) }] : []
    return { role: 'user', content: [...results, ...this.pending, ...reminder] }
  }

  private clear(ids: ReadonlySet<string>): void {
    const last = this.finished.findLastIndex((message) => hasResultOf(message, ids))
    this.finished = this.finished.map((message, index) => {
      // Thinking is valid only for an unchanged past, so all thinking before a cleared result is removed.
      if (message.role === 'assistant') return index < last ? withoutThinking(message) : message
      if (!hasResultOf(message, ids)) return message
      const content = message.content.map((block) =>
        block.type === 'tool_result' && ids.has(block.tool_use_id) ? { ...block, content: CLEARED } : block,
      )
      return { role: 'user', content }
    })
    for (const [id, result] of this.results)
      if (ids.has(id)) this.results.set(id, { ...result, content: LEFT_OUT })
  }

  private takeIn(blocks: readonly UserBlock[], from: EventOf<'user-message'>['from']): void {
    if (this.isFork && from === 'runtime') this.opening ??= [...blocks]
    this.pending.push(...blocks)
  }

  private restart(summary: string): void {
    this.told.summarize(this.pending)
    this.finished = []
    this.held = 0
    this.calls = []
    this.results = new Map()
    this.started = new Map()
    const opening = this.opening ?? []
    this.summary = this.pending.length === 0 ? opening.length + 2 : 0
    this.pending = [
      // A fork has its parent's system prompt: without its opening it would take itself for its parent.
      ...opening.filter((block) => !this.pending.includes(block)),
      { type: 'text', text: asReminder(SUMMARIZED) },
      { type: 'text', text: escapeTags(summary) },
      // The summary does not cover unanswered messages.
      ...this.pending,
    ]
  }
}

/** An API takes 32 MB at most, which are fewer characters of images than a window has of text. */
const heldOfImage = (data: string): number => data.length / 3

const leftOut = (reason: string): UserBlock => ({
  type: 'text',
  text: asReminder(`An image was left out here, because the API refused it: ${reason}`),
})

const isSummaryMark = (block: UserBlock): boolean =>
  block.type === 'text' && block.text === asReminder(SUMMARIZED)

/** The user's messages and a parent's task stay unchanged; Troupe's notices and other agents' messages are marked. */
function frameFor(from: EventOf<'user-message'>['from']): (text: string) => string {
  return from === 'user' || from === 'parent' ? escapeTags : asReminder
}
