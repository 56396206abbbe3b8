/**
 * One agent of another program's conversation: takes what the program wrote, in its words, and emits Troupe's events. It
 * keeps them in a form that can be sent to a model again: a message follows the results of the calls before it, and
 * every call has a result.
 */
import {
  type AgentEventDraft,
  type EventOf,
  plainSpawn,
  type Usage,
} from '../../../shared/events/agent-event.ts'
import { type HistoryProgram, historyNames } from '../../../shared/histories/history.ts'
import type { AssistantBlock, UserBlock } from '../../../shared/messages/content.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import { plainMode } from '../../../shared/permissions/permission-modes.ts'
import type { JsonObject } from './history-lines.ts'
import { callRowOf, callSummary, historyDefinition, safeId, safeName, usageBeyond } from './history-parts.ts'
import type { CallResult, HistoryCall, OpenMessage, Said, SpawnFacts } from './history-said.ts'

interface AgentOptions {
  readonly conversationId: string
  readonly agentId: string
  readonly program: HistoryProgram
  readonly spawn: SpawnFacts
  readonly parent: { readonly id: string; readonly depth: number } | null
  /** Writes an event. @returns its slot in the order of the conversation */
  readonly emit: (draft: AgentEventDraft, place: { at: number; slot: number; seq: number }) => number
  /** Keeps a large output beside the transcript; null: the text is short. */
  readonly output: (toolUseId: string, text: string) => Output | null
}

interface Output {
  readonly content: string
  readonly outputFile: EventOf<'tool-ended'>['outputFile']
}

export class HistoryAgent {
  readonly id: string
  readonly depth: number
  /** The last text of the model. */
  report = ''
  private readonly options: AgentOptions
  private seq = 0
  private slot = -1
  /** Events so far, written or held. */
  private count = 0
  private held: Held[] | null = []
  private lastAt: number
  private message: OpenMessage | null = null
  private stopReason = ''
  private turn = 0
  private model: string
  private isRunning = false
  private isEnded = false
  /** What was counted of the usage of a message whose blocks came apart. */
  private readonly counted = new Map<string, { readonly usage: Usage; readonly costUsd: number | null }>()
  /** By the program's id of the call. */
  private readonly calls = new Map<string, HistoryCall>()
  private readonly callIds = new Set<string>()
  /** Calls of the message that is not said yet. */
  private readonly begun: HistoryCall[] = []
  /** Calls of the last messages that have no result yet. */
  private open: HistoryCall[] = []
  private readonly messageIds = new Set<string>()

  constructor(options: AgentOptions) {
    this.options = options
    this.id = options.agentId
    this.depth = options.parent === null ? 0 : options.parent.depth + 1
    this.lastAt = options.spawn.at
    this.model = options.spawn.model
  }

  /** Emits the first event. */
  begin(): void {
    const { conversationId, program, spawn, parent } = this.options
    this.emit(spawn.at, {
      type: 'agent-spawned',
      conversationId,
      parentId: parent?.id ?? null,
      parentToolUseId: parent === null ? null : spawn.parentToolUseId,
      task: spawn.task,
      cwd: spawn.cwd,
      definition: historyDefinition(spawn.type, program),
      system: '',
      tools: [],
      ...plainMode('default'),
      maxTurns: 1_000_000,
      model: spawn.model === '' ? historyNames[program] : spawn.model,
      depth: this.depth,
      ...plainSpawn,
      background: spawn.background,
    })
  }

  /** The time of the last event, ms since the epoch. */
  get at(): number {
    return this.lastAt
  }

  /** A prompt, or a note that the program gave the model: `note` then says what it is. */
  told(
    at: number | null,
    blocks: readonly UserBlock[],
    more: {
      readonly id?: string
      readonly note?: string
      readonly typed?: string
      readonly isPrompt?: boolean
    } = {},
  ): void {
    if (blocks.length === 0) return
    const { id = '', note, typed, isPrompt = note === undefined } = more
    this.say()
    const isMain = this.options.parent === null
    if (isPrompt && isMain) {
      this.closeCalls()
      this.rest()
    }
    const messageId = id !== '' && !this.messageIds.has(id) ? id : `${this.id}-${this.count}`
    this.messageIds.add(messageId)
    this.emit(at, {
      type: 'user-message',
      messageId,
      from: note !== undefined ? 'runtime' : isMain ? 'user' : 'parent',
      sender: null,
      content: [...blocks],
      ...(note !== undefined && { note }),
      ...(typed !== undefined && { typed }),
    })
    if (isPrompt) {
      this.turn = 0
      this.run()
    }
  }

  /** A block of the model's message. */
  block(block: AssistantBlock | null, said: Said): void {
    const at = this.later(said.at)
    const { messageId } = said
    if (this.message !== null && messageId !== null && this.message.id !== messageId) this.say()
    this.message ??= {
      ...{ id: messageId, blocks: [], model: this.model, stopReason: '', usage: noUsage, costUsd: null, at },
    }
    const { message } = this
    if (block !== null) message.blocks.push(block)
    message.at = at
    message.model = said.model ?? message.model
    message.stopReason = said.stopReason ?? message.stopReason
    message.usage = said.usage ?? message.usage
    message.costUsd = said.costUsd ?? message.costUsd
  }

  /** A call in the model's message. @param id as the program names it */
  call(id: string, name: string, input: unknown, said: Said): void {
    const asked = safeId(id)
    let own = asked
    for (let number = 2; this.callIds.has(own); number++) own = `${asked.slice(0, 90)}-${number}`
    this.callIds.add(own)
    const given =
      typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : { input }
    const called = { id: own, name: safeName(name), input: given, at: 0, isEnded: false }
    this.calls.set(id, called)
    this.block({ type: 'tool_use', id: own, name: called.name, input: given }, said)
    // After the block: it may have ended another message.
    this.begun.push(called)
  }

  /** The name in the transcript of a call, and what it was given; null: there was no such call. */
  callNamed(id: string): Pick<HistoryCall, 'id' | 'name' | 'input'> | null {
    return this.calls.get(id) ?? null
  }

  /** The result of a call. @returns false: there was no such call */
  result(id: string, result: CallResult): boolean {
    this.say()
    const call = this.calls.get(id)
    if (call === undefined) return false
    this.end(call, result)
    return true
  }

  /** Tokens of the message that ends here, or of one that is in the transcript already. */
  spent(at: number | null, usage: Usage, costUsd: number | null): void {
    if (this.message !== null) {
      this.message.usage = usage
      this.message.costUsd = costUsd
      this.say()
      return
    }
    const model = this.model === '' ? historyNames[this.options.program] : this.model
    this.emit(at, { type: 'model-asked', toolUseId: '', model, usage, costUsd, durationMs: 0 })
  }

  notice(at: number | null, text: string, level: EventOf<'notice'>['level'] = 'info'): void {
    this.say()
    this.emit(at, { type: 'notice', level, text })
  }

  /** The program continued from a summary. */
  compacted(at: number | null, summary: string): void {
    this.say()
    this.closeCalls()
    this.emit(at, { type: 'context-compacted', summary })
  }

  /** The next messages are of this model. */
  takeModel(model: string): void {
    if (model === '' || model === this.model) return
    this.say()
    if (this.held === null) this.emit(null, { type: 'model-changed', model })
    this.model = model
  }

  /** A subagent reported, or ended in another way. */
  ended(
    at: number | null,
    end: { readonly status: 'completed' | 'failed' | 'stopped' | 'interrupted'; readonly report?: string },
  ): void {
    this.say()
    if (this.isEnded) return
    this.closeCalls()
    this.isEnded = true
    this.isRunning = false
    const report = end.report ?? this.report
    const failure =
      end.status === 'failed' ? { type: 'failed', message: report === '' ? 'It failed.' : report } : null
    this.emit(at, {
      type: 'agent-ended',
      status: end.status,
      report,
      failure,
      reachedLimit: null,
      limitOf: null,
    })
  }

  /** Nothing more is known. */
  finish(): void {
    this.say()
    this.closeCalls()
    this.release(this.model)
    if (this.options.parent === null) {
      // An agent that was never asked anything waits too.
      this.isRunning ||= this.count === 1
      this.rest()
    } else if (!this.isEnded) this.ended(null, { status: 'interrupted' })
  }

  /** The last reason why the model stopped; empty: unknown. */
  stopReasonNow(): string {
    return this.message?.stopReason ?? this.stopReason
  }

  private say(): void {
    const { message } = this
    if (message === null) return
    this.message = null
    const { blocks, model, stopReason, at } = message
    const counted = message.id === null ? undefined : this.counted.get(message.id)
    const usage = counted === undefined ? message.usage : usageBeyond(message.usage, counted.usage)
    const costUsd = counted === undefined ? message.costUsd : null
    if (message.id !== null) this.counted.set(message.id, { usage: message.usage, costUsd: message.costUsd })
    if (blocks.length === 0) return
    this.closeCalls()
    this.run()
    if (this.held !== null && model !== '') this.release(model)
    else if (model !== this.model) this.emit(null, { type: 'model-changed', model })
    this.model = model
    this.stopReason = stopReason
    const name = model === '' ? historyNames[this.options.program] : model
    const turn = ++this.turn
    const startedAt = this.lastAt
    this.emit(startedAt, { type: 'request-started', turn, attempt: 1, model: name })
    const text = blocks
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n\n')
      .trim()
    if (text !== '') this.report = text
    const calls = blocks.filter((block) => block.type === 'tool_use')
    this.emit(at, {
      type: 'assistant-message',
      turn,
      messageId: message.id ?? `${this.id}-${this.count}`,
      model: name,
      content: blocks,
      stopReason: stopReason !== '' ? stopReason : calls.length > 0 ? 'tool_use' : 'end_turn',
      usage,
      costUsd: counted !== undefined && counted.costUsd !== null ? 0 : costUsd,
      durationMs: Math.max(0, this.lastAt - startedAt),
      pace: [],
    })
    for (const call of this.begun.splice(0)) this.start(call)
  }

  private start(call: HistoryCall): void {
    const { id, name, input } = call
    const row = callRowOf(name)
    this.emit(null, {
      type: 'tool-started',
      toolUseId: id,
      name,
      input,
      summary: callSummary(input, this.options.spawn.cwd),
      row,
      sideEffects: row.kind !== 'read' && row.kind !== 'search',
    })
    call.at = this.lastAt
    this.open.push(call)
  }

  private end(
    call: HistoryCall,
    { at, content, isError, display = null, note = '', outputFile = null }: CallResult,
  ): void {
    call.isEnded = true
    this.open = this.open.filter((one) => one !== call)
    const large =
      typeof content === 'string' && outputFile === null ? this.options.output(call.id, content) : null
    const until = this.later(at)
    this.emit(at, {
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError,
      content: large?.content ?? content,
      note,
      durationMs: Math.max(0, until - call.at),
      display,
      outputFile: large?.outputFile ?? outputFile,
    })
  }

  private closeCalls(): void {
    for (const call of this.open)
      this.end(call, { at: null, content: NO_RESULT, isError: true, note: 'no result' })
  }

  private run(): void {
    if (this.isRunning) return
    this.isRunning = true
    this.isEnded = false
    this.emit(null, { type: 'status-changed', status: 'running', waitingFor: null })
  }

  /** The main agent waits for its user. */
  private rest(): void {
    if (!this.isRunning) return
    this.isRunning = false
    this.emit(null, { type: 'status-changed', status: 'waiting', waitingFor: 'message' })
  }

  /** The time, or that of the last event: times never go back. */
  private later(at: number | null): number {
    return Math.max(at ?? 0, this.lastAt)
  }

  private emit(at: number | null, draft: AgentEventDraft): void {
    this.lastAt = this.later(at)
    this.count++
    if (this.held === null) this.write({ draft, at: this.lastAt })
    else this.held.push({ draft, at: this.lastAt })
    if (this.held !== null && this.held.length > MOST_HELD) this.release('')
  }

  private write({ draft, at }: Held): void {
    this.slot = this.options.emit(draft, { at, slot: this.slot, seq: this.seq++ })
  }

  /** The first event names the model, which the first message of the model says. */
  private release(model: string): void {
    const held = this.held ?? []
    this.held = null
    for (const { draft, at } of held)
      this.write({ draft: draft.type === 'agent-spawned' && model !== '' ? { ...draft, model } : draft, at })
  }
}

/** An event that waits until the model of the agent is known. */
interface Held {
  readonly draft: AgentEventDraft
  readonly at: number
}

/** Events of an agent without a word of a model. */
const MOST_HELD = 100

const NO_RESULT = 'The history has no result of this call.'
