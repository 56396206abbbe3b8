/**
 * Turns the updates of a session into the events of its agent: messages, thinking, tool calls with their results, and
 * the plan as to-dos. The events are those of this runtime's own agents, so panels and transcripts show both in the
 * same way.
 */
import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { AgentEventDraft, LiveEvent, ToolDisplay, Usage } from '../../../../shared/events/agent-event.ts'
import type { AssistantBlock } from '../../../../shared/messages/content.ts'
import { noUsage } from '../../../../shared/models/no-usage.ts'
import { PROGRAM_CALL, programCallRow } from '../../../../shared/tools/row-for-name.ts'
import { acpTextOf, shortText } from '../../../platform/acp/content.ts'
import { diffOf, inputOf, LONGEST_RESULT, resultOf } from '../../../platform/acp/tool-calls.ts'
import type { CostMeter } from './cost-meter.ts'

/** Characters of one message with its thoughts. What follows is left out. */
const LONGEST_TEXT = 1_000_000
/** What a part of a message counts as at least: many tiny ones need memory too. */
const SHORTEST_PART = 100
/** Characters of a call's title. */
const LONGEST_TITLE = 10_000
/** Tool calls and plans of one run. A program that makes more floods the transcript. */
export const MOST_CALLS = 5000

interface RecorderDeps {
  readonly agentId: string
  readonly now: () => number
  readonly emit: (draft: AgentEventDraft) => void
  readonly live: (event: LiveEvent) => void
  /** The name of the program, as the model of its messages. */
  readonly model: () => string
  /** Of the session. */
  readonly cost: CostMeter
  /** Called when a call was told or has changed. */
  readonly onCall?: (call: KnownCall) => void
  /** Called once when a call has ended that was not refused. */
  readonly onEnd?: (call: KnownCall, result: { readonly isError: boolean; readonly content: string }) => void
  /** What a terminal of a call has shown. Missing: the program has no terminals. */
  readonly terminal?: (terminalId: string) => TerminalView | null
}

/** What a row shows of a terminal. */
export interface TerminalView {
  readonly text: string
  /** Null: it runs, or a signal ended it. */
  readonly exitCode: number | null
}

/** A call of the program as it is known now. */
export type KnownCall = Omit<ToolCall, 'content'> & {
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
  /** The ids of calls that may not run. */
  private readonly refusedCalls = new Set<string>()
  /** What the program has said since the last message event. */
  private parts: { readonly kind: 'text' | 'thinking'; text: string }[] = []
  /** Characters of these parts. */
  private said = 0
  private lastMessageId: string | null = null
  private messageStartedAt: number
  private turn = 0
  private events = 0
  /** The context window of the session in tokens, where the program tells it. */
  private context: { readonly used: number; readonly size: number } | null = null
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

  /** The turn is over. `usage`: its tokens; null: unknown. @returns the last message of the program */
  finish(stopReason: string, usage: Usage | null = null): string {
    this.say([], stopReason, usage)
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
        if (update.cost?.currency.toUpperCase() === 'USD') this.deps.cost.take(update.cost.amount)
        if (update.size > 0 && update.used >= 0) this.context = { used: update.used, size: update.size }
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
    this.deps.onCall?.(call)
    // The transcript has what an ended call showed. A long run must not fill the memory.
    if (call.isEnded)
      this.calls.set(toolCallId, { ...call, content: [], rawInput: undefined, rawOutput: undefined })
    return call
  }

  /** The call with this id of the program; undefined: it was not told. */
  callNamed(toolCallId: string): KnownCall | undefined {
    return this.calls.get(toolCallId)
  }

  /** The call that has not ended and names the file, if there is one, or else the last such call; null: none is open. */
  openCall(path: string | null): KnownCall | null {
    const open = [...this.calls.values()].filter((call) => !call.isEnded)
    const names = ({ content, locations }: KnownCall) =>
      [...content, ...(locations ?? [])].some((part) => 'path' in part && part.path === path)
    return open.findLast(names) ?? open.at(-1) ?? null
  }

  /**
   * The program started a subagent: shown as a call of this runtime's Agent tool, whose card leads to the agent.
   *
   * @returns the id of the call, for `subagentEnded`
   */
  subagentStarted(name: string, task: string): string {
    const { emit, now, agentId } = this.deps
    const id = `acp-agent-${++this.events}-${now().toString(36)}-${agentId}`
    const input = { subagent_type: name, description: task }
    this.say([{ type: 'tool_use', id, name: 'Agent', input }], 'tool_use')
    emit({
      type: 'tool-started',
      toolUseId: id,
      name: 'Agent',
      input,
      summary: task === '' ? name : `${name}: ${task}`,
      row: { kind: 'agent', icon: 'tool', label: 'Agent' },
      sideEffects: true,
    })
    return id
  }

  subagentEnded(
    toolUseId: string,
    ended: {
      readonly agentId: string | null
      readonly isError: boolean
      readonly content: string
      readonly note: string
    },
  ): void {
    const { agentId, isError, content, note } = ended
    this.deps.emit({
      type: 'tool-ended',
      toolUseId,
      name: 'Agent',
      isError,
      content: content.slice(0, LONGEST_RESULT),
      note,
      durationMs: 0,
      display: agentId === null ? null : { kind: 'agent', agentId },
      outputFile: null,
    })
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
    const append = acpTextOf(content).slice(0, Math.max(0, LONGEST_TEXT - this.said))
    if (append === '') return
    const last = this.parts.at(-1)
    const isNew = messageId != null && this.lastMessageId !== null && messageId !== this.lastMessageId
    this.lastMessageId = messageId ?? this.lastMessageId
    const isSame = last?.kind === kind && !isNew
    if (isSame) last.text += append
    else this.parts.push({ kind, text: append })
    this.said += isSame ? append.length : Math.max(append.length, SHORTEST_PART)
    const index = this.parts.length - 1
    this.deps.live({ type: 'live-block', agentId: this.deps.agentId, index, kind, name: '', append })
  }

  private merged(before: KnownCall | undefined, update: ToolCallUpdate): KnownCall {
    const { now, agentId } = this.deps
    const kind = update.kind ?? before?.kind ?? 'other'
    return {
      toolCallId: update.toolCallId,
      id: before?.id ?? `acp-${this.callCount}-${now().toString(36)}-${agentId}`,
      name: before?.name ?? `${PROGRAM_CALL}${kind}`,
      title: update.title?.slice(0, LONGEST_TITLE) ?? before?.title ?? '',
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

  /** The call may not run, so its end is not that of a call that ran. */
  refused({ id }: KnownCall): void {
    this.refusedCalls.add(id)
  }

  /** The call has begun. */
  start(call: KnownCall): void {
    if (call.startedAt !== null) return
    call.startedAt = this.deps.now()
    this.deps.emit({
      type: 'tool-started',
      toolUseId: call.id,
      name: call.name,
      input: inputOf(call),
      summary: shortText(call.title),
      row: programCallRow(call.kind ?? 'other'),
      sideEffects: !['read', 'search', 'think'].includes(call.kind ?? 'other'),
    })
  }

  private end(call: KnownCall): void {
    if (call.isEnded) return
    call.isEnded = true
    const isError = call.status === 'failed'
    const diff = diffOf(call)
    const terminal = this.terminalOf(call)
    const display: ToolDisplay | null =
      diff ?? (terminal && { kind: 'terminal', exitCode: terminal.exitCode, timedOut: false })
    const content = resultOf(call, (id) => this.deps.terminal?.(id)?.text ?? '')
    this.deps.emit({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError,
      content,
      note: isError ? failureNote(terminal) : diff ? `+${diff.added} −${diff.removed}` : '',
      durationMs: this.deps.now() - (call.startedAt ?? this.deps.now()),
      display,
      outputFile: null,
    })
    if (!this.refusedCalls.delete(call.id)) this.deps.onEnd?.(call, { isError, content })
  }

  /** The first terminal of a call. */
  private terminalOf({ content }: KnownCall): TerminalView | null {
    const ids = content.flatMap((part) => (part.type === 'terminal' ? [part.terminalId] : []))
    return ids[0] === undefined ? null : (this.deps.terminal?.(ids[0]) ?? null)
  }

  private plan(entries: Extract<SessionUpdate, { sessionUpdate: 'plan' }>['entries']): void {
    this.callCount++
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
  private say(calls: readonly AssistantBlock[], stopReason: string, usage: Usage | null = null): void {
    const said = this.parts.map(
      ({ kind, text }): AssistantBlock =>
        kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, signature: '' },
    )
    const texts = this.parts.flatMap(({ kind, text }) =>
      kind === 'text' && text.trim() !== '' ? [text] : [],
    )
    if (texts.length > 0) this.report = texts.join('\n\n')
    this.parts = []
    this.said = 0
    this.lastMessageId = null
    const { emit, live, now, agentId, model, cost } = this.deps
    if (said.length + calls.length === 0 && usage === null && !cost.isNew) return
    const { context } = this
    emit({
      type: 'assistant-message',
      turn: this.turn,
      messageId: `acp-m${++this.events}-${now().toString(36)}`,
      model: model(),
      content: [...said, ...calls],
      stopReason,
      usage: usage ?? noUsage,
      ...(context !== null && { contextWindow: context.size, contextUsed: context.used }),
      costUsd: cost.next(),
      durationMs: now() - this.messageStartedAt,
      pace: [],
    })
    this.messageStartedAt = now()
    live({ type: 'live-clear', agentId, reason: 'finished' })
  }
}

const isOver = ({ status }: Pick<KnownCall, 'status'>): boolean =>
  status === 'completed' || status === 'failed'

const failureNote = (terminal: TerminalView | null): string =>
  terminal?.exitCode == null ? 'failed' : `exit ${terminal.exitCode}`
