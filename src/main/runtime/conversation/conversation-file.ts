/**
 * The files of an open conversation: its own events, whose fold is its record with the queued messages, and the events
 * of its agents. While the disk refuses a write, the agent concerned waits for the user to retry.
 */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { ConversationEventDraft } from '../../../shared/events/conversation-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { SampleLog } from '../ports/transcripts.ts'
import type { EventSequencer } from './event-sequencer.ts'
import type { MessageQueue } from './message-queue.ts'
import { WriteFailure, type WriteFailureOptions } from './write-failure.ts'

interface ConversationFileOptions {
  readonly log: SampleLog
  readonly queue: MessageQueue
  readonly events: EventSequencer
  readonly writeFailed: WriteFailureOptions['tell']
}

export class ConversationFile {
  readonly queue: MessageQueue
  private readonly log: SampleLog
  private readonly events: EventSequencer
  private readonly writeFailure: WriteFailure
  private nextSeq: number

  constructor({ log, queue, events, writeFailed }: ConversationFileOptions) {
    this.log = log
    this.queue = queue
    this.events = events
    this.nextSeq = log.next.seq
    this.writeFailure = new WriteFailure({
      flush: (agentId) => this.tryFlush(agentId),
      save: () => this.save(),
      tell: writeFailed,
    })
  }

  /** The record after every event so far. */
  get record(): ConversationRecord {
    return this.log.record
  }

  /** Adds an event of the conversation itself; `save` makes it durable. */
  emit(draft: ConversationEventDraft): void {
    const event = this.events.stampOwn(draft, this.nextSeq++)
    this.log.append(event)
    this.events.publishOwn(event)
  }

  /** Names a new agent; its transcript is found by this name only. */
  addAgent(agentId: string): void {
    if (!this.record.agentIds.includes(agentId)) this.emit({ type: 'agent-added', agentId })
  }

  append(event: AgentEvent): void {
    this.log.append(event)
  }

  /** Flushes an agent's events once. */
  async tryFlush(agentId: string): Promise<Result<void>> {
    const taken = this.queue.takenInBy(agentId)
    const flushed = await this.log.flush(agentId)
    // Losing this save is safe: a message whose id is in the transcript is not delivered again.
    if (flushed.ok && this.queue.written(taken)) void this.save()
    return flushed
  }

  /** Flushes an agent's events, waiting for the user while the disk refuses. False: the signal ended the wait. */
  async flush(agentId: string, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const flushed = await this.tryFlush(agentId)
      if (flushed.ok) {
        this.writeFailure.written(agentId)
        return true
      }
      await this.writeFailure.wait(agentId, flushed.failure.message, signal)
      if (signal.aborted) return false
    }
  }

  /** Makes every event of the conversation so far durable. */
  save(): Promise<Result<void>> {
    return this.log.save()
  }

  /** Saves on behalf of an agent, which waits for the user while the disk refuses. */
  async saveFor(agentId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const saved = await this.save()
      if (saved.ok) return
      await this.writeFailure.wait(agentId, saved.failure.message, signal)
      if (signal.aborted) return
    }
  }

  /** Retries every failed write. Fails with the disk's current message. */
  retry(): Promise<Result<void>> {
    return this.writeFailure.retry()
  }

  /** Keeps a large tool output; resolves to its path below the data folder. */
  keepOutput(agentId: string, toolUseId: string, output: string): Promise<Result<string>> {
    return this.log.keepOutput(agentId, toolUseId, output)
  }

  outputFolder(agentId: string): string {
    return this.log.outputFolder(agentId)
  }

  transcriptPath(agentId: string): string {
    return this.log.transcriptPath(agentId)
  }

  /** Flushes everything and releases the lock. */
  close(): Promise<void> {
    return this.log.close()
  }
}
