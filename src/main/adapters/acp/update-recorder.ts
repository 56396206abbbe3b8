/**
 * Turns the updates of a session into the events of its agent: messages, thinking, tool calls with their results, and the
 * plan as to-dos. The events are those of this runtime's own agents, so panels and transcripts show both alike.
 */
import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { AgentEventDraft, LiveEvent } from '../../../shared/agent-event.ts'
import type { AssistantBlock } from '../../../shared/content.ts'
import { noUsage } from '../../../shared/no-usage.ts'
import type { ToolCallRow } from '../../../shared/tool-call-row.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import { diffOf, patchOf } from './outside-call.ts'

/** Characters of one message, and of one result. What follows is left out. */
const LONGEST_TEXT = 1_000_000
const LONGEST_RESULT = 50_000
/** Tool calls of one run. A program that makes more floods the transcript. */
export const MOST_CALLS = 5000

export interface RecorderDeps {
  readonly agentId: string
  readonly now: () => number
  readonly emit: (draft: AgentEventDraft) => void
  readonly live: (event: LiveEvent) => void
  /** The name of the program, as the model of its messages. */
  readonly model: () => string
}

type KnownCall = Omit<ToolCall, 'content'> & {
  readonly id: string
  readonly content: NonNullable<ToolCallUpdate['content']>
  readonly name: string
  startedAt: number | null
  isEnded: boolean
}

export class UpdateRecorder {
  private readonly deps: RecorderDeps
  /** The calls of the run. */
  callCount = 0
  private readonly calls = new Map<string, KnownCall>()
  /** What the program has said since the last message event. */
  private parts: { readonly kind: 'text' | 'thinking'; text: string }[] = []
  private lastMessageId: string | null = null
  private messageStartedAt: number
  private turn = 0
  private events = 0
  /** US dollars so far; null: the program reports no cost. */
  private cost: number | null = null
  private costTold = 0
  private report = ''

  constructor(deps: RecorderDeps) {
    this.deps = deps
    this.messageStartedAt = deps.now()
  }

  /** A prompt was sent: the report is what follows. */
  begin(): void {
    this.report = ''
    this.messageStartedAt = this.deps.now()
    this.deps.emit({ type: 'request-started', turn: ++this.turn, attempt: 1, model: this.deps.model() })
  }

  /** The turn is over. @returns the last message of the program */
  finish(stopReason: string): string {
    this.say([], stopReason)
    return this.report
  }

  take(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.chunk('text', update)
        return
      case 'agent_thought_chunk':
        this.chunk('thinking', update)
        return
      case 'tool_call':
        this.call(update, { begins: true })
        return
      case 'tool_call_update':
        this.call(update)
        return
      case 'plan':
        this.plan(update.entries)
        return
      case 'usage_update':
        if (update.cost != null && update.cost.currency.toUpperCase() === 'USD')
          this.cost = Math.max(this.cost ?? 0, update.cost.amount)
        return
      default:
        return
    }
  }

  /**
   * Adds what is new about a call. `begins`: an ended call of this id is another one.
   *
   * @returns the call as it is known now, with its id in the transcript
   */
  call(update: ToolCallUpdate, { begins = false } = {}): KnownCall {
    const { toolCallId } = update
    const known = this.calls.get(toolCallId)
    const before = begins && known?.isEnded ? undefined : known
    if (before === undefined) this.callCount++
    const call = this.merged(before, update)
    this.calls.set(toolCallId, call)
    if (before === undefined)
      this.say([{ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) }], 'tool_use')
    if (call.status === 'in_progress' || isOver(call)) this.start(call)
    if (isOver(call)) this.end(call)
    return call
  }

  /** True: a call of the program that has not ended shows what it does. */
  get hasOpenCall(): boolean {
    return [...this.calls.values()].some((call) => !call.isEnded)
  }

  private chunk(
    kind: 'text' | 'thinking',
    {
      content,
      messageId,
    }:
      | Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' }>
      | { content: { type: string }; messageId?: string | null },
  ): void {
    const append = textIn(content)
    if (append === '') return
    const last = this.parts.at(-1)
    const isNew = messageId != null && this.lastMessageId !== null && messageId !== this.lastMessageId
    this.lastMessageId = messageId ?? this.lastMessageId
    if (last?.kind === kind && !isNew) {
      if (last.text.length < LONGEST_TEXT) last.text += append
      else return
    } else this.parts.push({ kind, text: append })
    const index = this.parts.length - 1
    this.deps.live({ type: 'live-block', agentId: this.deps.agentId, index, kind, name: '', append })
  }

  private merged(before: KnownCall | undefined, update: ToolCallUpdate): KnownCall {
    const { now } = this.deps
    const kind = update.kind ?? before?.kind ?? 'other'
    return {
      toolCallId: update.toolCallId,
      id: before?.id ?? `acp-${this.callCount}-${now().toString(36)}`,
      name: before?.name ?? `acp_${kind}`,
      title: update.title ?? before?.title ?? '',
      kind,
      status: update.status ?? before?.status ?? 'pending',
      content: update.content ?? before?.content ?? [],
      locations: update.locations ?? before?.locations ?? [],
      rawInput: update.rawInput ?? before?.rawInput,
      rawOutput: update.rawOutput ?? before?.rawOutput,
      startedAt: before?.startedAt ?? null,
      isEnded: before?.isEnded ?? false,
    }
  }

  private start(call: KnownCall): void {
    if (call.startedAt !== null) return
    call.startedAt = this.deps.now()
    this.deps.emit({
      type: 'tool-started',
      toolUseId: call.id,
      name: call.name,
      input: inputOf(call),
      summary: oneLine(call.title),
      row: rowOf(call.kind ?? 'other'),
      sideEffects: !['read', 'search', 'think'].includes(call.kind ?? 'other'),
    })
  }

  private end(call: KnownCall): void {
    if (call.isEnded) return
    call.isEnded = true
    const isError = call.status === 'failed'
    const display = diffOf(call)
    this.deps.emit({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError,
      content: resultOf(call),
      note: isError ? 'failed' : display ? `+${display.added} −${display.removed}` : '',
      durationMs: this.deps.now() - (call.startedAt ?? this.deps.now()),
      display,
      outputFile: null,
    })
  }

  private plan(entries: Extract<SessionUpdate, { sessionUpdate: 'plan' }>['entries']): void {
    const todos = entries.map(({ content, status }) => ({ content, status }))
    const id = `acp-plan-${++this.events}-${this.deps.now().toString(36)}`
    const call = { toolUseId: id, name: 'TodoWrite' }
    this.say([{ type: 'tool_use', id, name: 'TodoWrite', input: { todos } }], 'tool_use')
    this.deps.emit({
      type: 'tool-started',
      ...call,
      input: { todos },
      summary: `${todos.length} ${todos.length === 1 ? 'step' : 'steps'}`,
      row: { kind: 'plan', icon: 'list', label: 'Plan' },
      sideEffects: false,
    })
    const display = { kind: 'todos' as const, todos }
    const end = { isError: false, content: '', note: '', durationMs: 0, outputFile: null }
    this.deps.emit({ type: 'tool-ended', ...call, ...end, display })
  }

  /** Ends the message that is being streamed, with these calls. */
  private say(calls: readonly AssistantBlock[], stopReason: string): void {
    const said = this.parts.map(
      ({ kind, text }): AssistantBlock =>
        kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, signature: '' },
    )
    const texts = this.parts.flatMap(({ kind, text }) =>
      kind === 'text' && text.trim() !== '' ? [text] : [],
    )
    if (texts.length > 0) this.report = texts.join('\n\n')
    this.parts = []
    this.lastMessageId = null
    if (said.length + calls.length === 0 && (this.cost ?? 0) === this.costTold) return
    const { emit, live, now, agentId, model } = this.deps
    const costUsd = this.cost === null ? null : this.cost - this.costTold
    this.costTold = this.cost ?? 0
    emit({
      type: 'assistant-message',
      turn: this.turn,
      messageId: `acp-m${++this.events}-${now().toString(36)}`,
      model: model(),
      content: [...said, ...calls],
      stopReason,
      usage: noUsage,
      costUsd,
      durationMs: now() - this.messageStartedAt,
      pace: [],
    })
    this.messageStartedAt = now()
    live({ type: 'live-clear', agentId, reason: 'finished' })
  }
}

const isOver = ({ status }: Pick<KnownCall, 'status'>): boolean =>
  status === 'completed' || status === 'failed'

const oneLine = (text: string): string => makeVisible(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 300)

const inputOf = ({ rawInput, locations = [], title }: KnownCall): unknown =>
  rawInput ?? (locations.length > 0 ? { paths: locations.map(({ path }) => path) } : { title })

function resultOf({ content, rawOutput }: KnownCall): string {
  const texts = content.flatMap((part, index) => {
    if (part.type === 'content') return [textIn(part.content)]
    // The row shows the first change as a difference.
    if (part.type === 'diff' && index > 0)
      return [`${part.path}\n${patchOf(part.oldText ?? '', part.newText)}`]
    return []
  })
  const text = texts.filter((one) => one !== '').join('\n\n')
  const shown = text !== '' || rawOutput == null ? text : textOfOutput(rawOutput)
  return shown.length > LONGEST_RESULT ? `${shown.slice(0, LONGEST_RESULT)}\n[The rest was left out.]` : shown
}

const textOfOutput = (output: unknown): string =>
  typeof output === 'string' ? output : (JSON.stringify(output, null, 2) ?? '')

/** The text of a block; of other blocks a word about them. */
function textIn(block: { readonly type: string }): string {
  if ('text' in block && typeof block.text === 'string') return block.text
  if ('uri' in block && typeof block.uri === 'string') return block.uri
  return block.type === 'image' || block.type === 'audio' ? `[${block.type}]` : ''
}

const ROWS: Readonly<Record<string, ToolCallRow>> = {
  read: { kind: 'read', icon: 'file', label: 'Read' },
  edit: { kind: 'edit', icon: 'file-edit', label: 'Edit' },
  delete: { kind: 'edit', icon: 'file-edit', label: 'Delete' },
  move: { kind: 'edit', icon: 'file-edit', label: 'Move' },
  search: { kind: 'search', icon: 'search', label: 'Search' },
  execute: { kind: 'command', icon: 'terminal', label: 'Run' },
  think: { kind: 'other', icon: 'tool', label: 'Think' },
  fetch: { kind: 'web', icon: 'globe', label: 'Fetch' },
}

const rowOf = (kind: string): ToolCallRow => ROWS[kind] ?? { kind: 'other', icon: 'tool', label: 'Tool' }
