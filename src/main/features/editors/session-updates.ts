/**
 * Turns the events of a conversation into the updates of its session: live, and when its history is replayed. The main
 * agent's messages and calls are the session's; what its subagents do is progress of the calls that started them, unless
 * they have sessions of their own, where each of them is the main agent.
 */

import { resolve } from 'node:path'
import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { AgentEvent, EventOf, LiveEvent } from '../../../shared/events/agent-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import {
  endedCall,
  locationsOf,
  outputBlock,
  pendingCall,
  startedCall,
} from '../../platform/acp/tool-calls.ts'
import { ChildProgress } from './child-progress.ts'

export interface SessionUpdatesOptions {
  readonly mainAgentId: string
  readonly folder: string
  /** ms since the epoch. */
  readonly now: () => number
  /** A name that nothing else has. */
  readonly newKey: () => string
  /** Whether other agents have sessions of their own. */
  readonly ownOnly?: boolean
}

/** Of the output of a running command only the end is sent, and only so often (ms). */
const OUTPUT_LENGTH = 8_000
const OUTPUT_PAUSE = 200

interface RunningCall {
  readonly file: string | undefined
  output: string
  sentAt: number
}

export class SessionUpdates {
  private readonly children = new ChildProgress()
  private readonly running = new Map<string, RunningCall>()
  /** The calls that the editor shows and that have not ended. */
  private readonly open = new Set<string>()
  /** The folders of other agents, by id. */
  private readonly folders = new Map<string, string>()
  /** What the editor has of the message that the model is writing, by kind. */
  private streamed = { text: '', thinking: '' }
  /** Ids of messages differ from those of earlier programs, which the editor may have kept. */
  private readonly run: string
  private messages = 0
  private costUsd = 0
  private isPriced = true
  private isCostTold = false

  private readonly options: SessionUpdatesOptions

  constructor(options: SessionUpdatesOptions) {
    this.options = options
    this.run = options.newKey()
  }

  /** The cost of what happened before this program opened the conversation. */
  startAt({ costUsd, priced }: { readonly costUsd: number; readonly priced: boolean }): void {
    this.costUsd = costUsd
    this.isPriced = priced
    this.isCostTold = costUsd > 0
  }

  /** The id of an agent's call in this session: other agents' calls have their agent's id before it. */
  callId(agentId: string, toolUseId: string): string {
    return agentId === this.options.mainAgentId ? toolUseId : `${agentId}/${toolUseId}`
  }

  /** A call that asks the user is shown before it does, whichever agent makes it. */
  begin(call: ToolCall): readonly SessionUpdate[] {
    const { toolCallId } = call
    if (!this.running.has(toolCallId))
      this.running.set(toolCallId, { file: undefined, output: '', sentAt: 0 })
    if (this.open.has(toolCallId)) return []
    return this.told([{ sessionUpdate: 'tool_call', ...call }])
  }

  /** Whether the editor shows the call as one that has not ended. */
  isOpen(id: string): boolean {
    return this.open.has(id)
  }

  /** Ends a call that is no call of an agent, such as a question of Troupe's own. */
  end(id: string, status: 'completed' | 'failed'): readonly SessionUpdate[] {
    return this.open.has(id) ? this.told([updated({ toolCallId: id, status })]) : []
  }

  /** Ends what the editor still shows as running: what was stopped, and what nobody told the end of. */
  endAll(status: 'completed' | 'failed'): readonly SessionUpdate[] {
    return [...this.open].flatMap((id) => this.end(id, status))
  }

  live(event: LiveEvent): readonly SessionUpdate[] {
    if (event.type === 'live-output') return this.output(event)
    if (event.agentId !== this.options.mainAgentId) return []
    if (event.type === 'live-clear') {
      // What a broken attempt wrote stays in the editor; the next attempt is a message of its own.
      if (event.reason !== 'finished') this.nextMessage()
      return []
    }
    if (event.kind === 'tool' || event.append === '') return []
    this.streamed[event.kind] += event.append
    return [this.chunk(event.kind, event.append)]
  }

  take(event: AgentEvent): readonly SessionUpdate[] {
    if (event.type === 'assistant-message' || event.type === 'model-asked') this.addCost(event)
    if (event.type === 'agent-spawned') this.folders.set(event.agentId, event.cwd)
    return this.told([...this.ofCall(event), ...this.ofMain(event), ...this.ofChildren(event)])
  }

  private told(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    for (const update of updates) {
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue
      const { toolCallId, status } = update
      if (status === 'completed' || status === 'failed') this.open.delete(toolCallId)
      else if (update.sessionUpdate === 'tool_call' || status === 'in_progress') this.open.add(toolCallId)
    }
    return updates
  }

  private addCost({ costUsd, origin }: EventOf<'assistant-message' | 'model-asked'>): void {
    if (costUsd !== null) {
      this.costUsd += costUsd
      this.isCostTold = true
    } else if (origin?.backing.startsWith('acp') !== true) this.isPriced = false
    // An external agent tells its cost from time to time, or never.
  }

  /** An event of the history: like `take`, with the messages of the user. */
  replay(event: AgentEvent): readonly SessionUpdate[] {
    return event.type === 'user-message' && event.from === 'user' ? this.ofUser(event) : this.take(event)
  }

  /** A message of the user in the history. */
  ofUser(
    message: Pick<EventOf<'user-message'>, 'messageId' | 'content' | 'typed'>,
  ): readonly SessionUpdate[] {
    const { messageId, content, typed } = message
    const text = typed ?? textOf(content)
    const images = content.flatMap((block) =>
      block.type === 'image'
        ? [{ type: 'image' as const, data: block.source.data, mimeType: block.source.media_type }]
        : [],
    )
    return [...images, ...(text === '' ? [] : [{ type: 'text' as const, text }])].map((shown) => ({
      sessionUpdate: 'user_message_chunk',
      content: shown,
      messageId,
    }))
  }

  private ofMain(event: AgentEvent): readonly SessionUpdate[] {
    if (event.agentId !== this.options.mainAgentId) return []
    switch (event.type) {
      case 'assistant-message':
        return this.message(event)
      case 'permission-mode-changed':
        return [{ sessionUpdate: 'current_mode_update', currentModeId: event.permissionMode }]
      case 'notice':
        return event.level === 'info' ? [] : [this.note(event.text)]
      case 'tool-ended':
        return event.display?.kind === 'todos'
          ? [
              {
                sessionUpdate: 'plan',
                entries: event.display.todos.map(({ content, status }) => ({
                  content,
                  status,
                  priority: 'medium',
                })),
              },
            ]
          : []
      default:
        return []
    }
  }

  /** A text of its own from Troupe. */
  note(text: string): SessionUpdate {
    this.nextMessage()
    const update = this.chunk('text', `${text}\n\n`)
    this.nextMessage()
    return update
  }

  private message(event: EventOf<'assistant-message'>): readonly SessionUpdate[] {
    const updates: SessionUpdate[] = []
    const thinking = event.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('')
    const texts = { thinking, text: textOf(event.content) }
    for (const kind of ['thinking', 'text'] as const) {
      // A streamed message is already there.
      if (this.streamed[kind] === '' && texts[kind].trim() !== '') updates.push(this.chunk(kind, texts[kind]))
    }
    for (const block of event.content)
      if (block.type === 'tool_use')
        updates.push({ sessionUpdate: 'tool_call', ...pendingCall(block.id, block, this.options.folder) })
    this.nextMessage()
    const { input, output, cacheRead, cacheWrite } = event.usage
    if (event.contextWindow !== undefined)
      updates.push({
        sessionUpdate: 'usage_update',
        used: event.contextUsed ?? input + output + cacheRead + cacheWrite,
        size: event.contextWindow,
        ...(this.isPriced && this.isCostTold && { cost: { amount: this.costUsd, currency: 'USD' } }),
      })
    return updates
  }

  private ofCall(event: AgentEvent): readonly SessionUpdate[] {
    if (event.type !== 'tool-started' && event.type !== 'tool-ended') return []
    const { mainAgentId } = this.options
    const folder = this.folders.get(event.agentId) ?? this.options.folder
    const id = this.callId(event.agentId, event.toolUseId)
    const isShown = event.agentId === mainAgentId || this.running.has(id)
    if (!isShown) return []
    if (event.type === 'tool-started') {
      const file = locationsOf(event.input, folder)[0]?.path
      this.running.set(id, { file, output: '', sentAt: 0 })
      return [updated(startedCall(id, event, folder))]
    }
    const call = this.running.get(id)
    this.running.delete(id)
    const isOfAgents = this.children.has(id)
    // An agent that works on in the background ends its call later. The report is there already.
    if (isOfAgents && this.children.isRunning(id)) return []
    if (isOfAgents)
      return this.open.has(id)
        ? [updated({ toolCallId: id, status: event.isError ? 'failed' : 'completed' })]
        : []
    const shown = event.display?.kind === 'diff' ? event.display.path : undefined
    const file = call?.file ?? (shown === undefined ? undefined : resolve(folder, shown))
    return [updated(endedCall(id, event, file))]
  }

  private ofChildren(event: AgentEvent): readonly SessionUpdate[] {
    if (this.options.ownOnly) return []
    const update = this.children.take(event)
    return update === null ? [] : [updated(update)]
  }

  private output({ agentId, toolUseId, append }: Extract<LiveEvent, { type: 'live-output' }>) {
    const id = this.callId(agentId, toolUseId)
    const call = this.running.get(id)
    if (call === undefined) return []
    call.output = (call.output + append).slice(-OUTPUT_LENGTH)
    const now = this.options.now()
    if (now - call.sentAt < OUTPUT_PAUSE) return []
    call.sentAt = now
    return [updated({ toolCallId: id, content: [outputBlock(call.output)] })]
  }

  private chunk(kind: 'text' | 'thinking', text: string): SessionUpdate {
    return {
      sessionUpdate: kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk',
      content: { type: 'text', text },
      messageId: `${this.run}-${kind}-${this.messages}`,
    }
  }

  private nextMessage(): void {
    this.messages++
    this.streamed = { text: '', thinking: '' }
  }
}

const updated = (update: ToolCallUpdate): SessionUpdate => ({ sessionUpdate: 'tool_call_update', ...update })
