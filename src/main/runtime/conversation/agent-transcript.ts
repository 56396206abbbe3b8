/**
 * The events of one agent in memory: stamps each event, appends it to the log, folds it into the agent's state and
 * history, and publishes it. Every event of an agent passes through here, from this process or from outside.
 */
import type {
  AgentEvent,
  AgentEventDraft,
  EventOf,
  EventOrigin,
  LiveEvent,
} from '../../../shared/events/agent-event.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import { type AgentState, foldAgent, startAgent } from '../../../shared/state/agent-state.ts'
import { History } from '../loop/history.ts'
import type { Ids } from '../ports/ports.ts'
import type { ConversationFile } from './conversation-file.ts'
import type { EventSequencer } from './event-sequencer.ts'

/** The characters of a running command's output kept for a panel that opens later. */
const OUTPUT_KEPT = 64 * 1024

/** The current stream of an agent, from its start, for a panel that opens in the middle of a message. */
class LiveStream {
  private blocks = new Map<number, { kind: 'text' | 'thinking' | 'tool'; name: string; parts: string[] }>()
  private outputs = new Map<string, string>()

  apply(event: LiveEvent): void {
    switch (event.type) {
      case 'live-block': {
        const block = this.blocks.get(event.index)
        if (block) block.parts.push(event.append)
        else this.blocks.set(event.index, { kind: event.kind, name: event.name, parts: [event.append] })
        return
      }
      case 'live-clear':
        this.blocks.clear()
        return
      case 'live-output': {
        const output = (this.outputs.get(event.toolUseId) ?? '') + event.append
        this.outputs.set(
          event.toolUseId,
          output.length > OUTPUT_KEPT * 2 ? output.slice(-OUTPUT_KEPT) : output,
        )
        return
      }
    }
  }

  toolEnded(toolUseId: string): void {
    this.outputs.delete(toolUseId)
  }

  /** The stream as events: one append for each block and each output. */
  events(agentId: string): readonly LiveEvent[] {
    return [
      ...[...this.blocks].map(([index, { kind, name, parts }]): LiveEvent => {
        return { type: 'live-block', agentId, index, kind, name, append: parts.join('') }
      }),
      ...[...this.outputs].map(([toolUseId, append]): LiveEvent => {
        return { type: 'live-output', agentId, toolUseId, append }
      }),
    ]
  }
}

interface TranscriptHome {
  readonly file: ConversationFile
  readonly events: EventSequencer
  readonly ids: Ids
}

/** The fold of an agent's earlier events. A fork starts with a history and without state. */
export interface TranscriptStart {
  readonly history?: History
  readonly state?: AgentState
  readonly messageIds?: ReadonlySet<string>
}

interface TellOptions {
  readonly note?: string
  readonly messageId?: string
}

export class AgentTranscript {
  readonly id: string
  readonly history: History
  /** The ids of all messages in the transcript. */
  readonly messageIds: Set<string>
  readonly stream = new LiveStream()
  private readonly home: TranscriptHome
  private current: AgentState
  private readonly pauseListeners = new Set<() => void>()

  constructor(spawned: EventOf<'agent-spawned'>, home: TranscriptHome, start: TranscriptStart) {
    this.id = spawned.agentId
    this.home = home
    this.history = start.history ?? new History(spawned.definition.reminder)
    this.messageIds = new Set(start.messageIds)
    this.current = start.state ?? startAgent(spawned)
  }

  state(): AgentState {
    return this.current
  }

  emit(draft: AgentEventDraft): AgentEvent {
    return this.add(draft)
  }

  /** Adds an event that another process made; it gets the next sequence number here. */
  emitFrom(origin: EventOrigin, draft: AgentEventDraft): AgentEvent {
    if (draft.type === 'user-message') this.home.file.queue.arrived(draft.messageId)
    return this.add(draft, origin)
  }

  /** Adds a message from the program itself. `note`: the transcript shows this to the user instead. */
  tell(text: string, { note, messageId = this.home.ids.next('m') }: TellOptions = {}): void {
    const content = [{ type: 'text' as const, text }]
    const shown = note === undefined ? {} : { note }
    this.emit({ type: 'user-message', messageId, from: 'runtime', sender: null, content, ...shown })
  }

  live(event: LiveEvent): void {
    this.stream.apply(event)
    this.home.events.publishLive(event)
  }

  /** Resolves when all events so far are on disk. False: the signal ended the wait for a failing disk. */
  flush(signal: AbortSignal): Promise<boolean> {
    return this.home.file.flush(this.id, signal)
  }

  /** Moves the messages queued for the agent into its transcript. */
  takeMessages(): readonly QueuedMessage[] {
    const messages = this.home.file.queue.takeIn(this.id)
    for (const { messageId, content, from, sender, context, note, broadcast, typed, attached } of messages) {
      const shown = {
        ...(note === undefined ? {} : { note }),
        ...(broadcast === undefined ? {} : { broadcast }),
        ...(typed === undefined ? {} : { typed }),
      }
      this.emit({ type: 'user-message', messageId, from, sender, content, ...shown })
      for (const [at, { text, note }] of (attached ?? []).entries())
        this.tell(text, { note, messageId: `${messageId}-attached-${at}` })
      if (context) this.tell(context, { messageId: `${messageId}-context` })
    }
    return messages
  }

  /** Resolves when no pause is requested, or the signal aborts. */
  resumed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!signal.aborted && this.current.pauseWanted) return
        this.pauseListeners.delete(check)
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.pauseListeners.add(check)
      signal.addEventListener('abort', check, { once: true })
      check()
    })
  }

  private add(draft: AgentEventDraft, origin?: EventOrigin): AgentEvent {
    const seq = this.current.lastSeq + 1
    const event = this.home.events.stamp(draft, { id: this.id, seq, ...(origin && { origin }) })
    this.home.file.append(event)
    this.history.apply(event)
    this.current = foldAgent(this.current, event) ?? this.current
    if (event.type === 'user-message') this.messageIds.add(event.messageId)
    if (event.type === 'tool-ended') this.stream.toolEnded(event.toolUseId)
    if (event.type === 'pause-changed') for (const check of this.pauseListeners) check()
    this.home.events.publish(event)
    return event
  }
}
