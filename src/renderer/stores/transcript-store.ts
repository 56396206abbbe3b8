/**
 * The transcripts of panels. A panel opens its agent's transcript with `useTranscript`. The store counts the panels of
 * each transcript, requests live events from the main process, and keeps the last few closed transcripts.
 */
import { useEffect, useSyncExternalStore } from 'react'
import { isConversationEvent, type LoggedEvent } from '../../shared/events/conversation-event.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { command } from '../bridge.ts'
import { LoadedTranscript, type TranscriptView } from './loaded-transcript.ts'

/** The number of closed transcripts to keep, so that switching back is instant. */
const KEPT_CLOSED = 12

interface Entry {
  readonly transcript: LoadedTranscript
  viewers: number
}

/** The transcript of an agent, open and current while the component is mounted. */
export function useTranscript(agentId: string): TranscriptView {
  const { transcript } = opened.of(agentId)
  useEffect(() => opened.retain(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, transcript.getView)
}

/** A part of an agent's transcript: re-renders when `select` returns another value. */
export function useTranscriptPart<T>(agentId: string, select: (view: TranscriptView) => T): T {
  const { transcript } = opened.of(agentId)
  useEffect(() => opened.retain(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, () => select(transcript.getView()))
}

/** The transcript for callers that load more of it, or decide themselves when to render. */
export function transcriptOf(agentId: string): LoadedTranscript {
  return opened.of(agentId).transcript
}

/** The output of a running tool so far. */
export function useLiveOutput(agentId: string, toolUseId: string): string {
  const { transcript } = opened.of(agentId)
  return useSyncExternalStore(transcript.subscribe, () => transcript.output(toolUseId))
}

/** Applies a batch; each transcript notifies its panel once. */
export function receiveTranscripts(deltas: readonly WindowDelta[]): void {
  const touched = new Set<LoadedTranscript>()
  for (const delta of deltas) {
    if (delta.type !== 'event' && delta.type !== 'live') continue
    const entry = opened.known(delta.conversationId, delta.event.agentId)
    if (entry === undefined || opened.isPast) continue
    if (delta.type === 'event') entry.transcript.receive(delta.event)
    else if (entry.viewers > 0) entry.transcript.receiveLive(delta.event)
    touched.add(entry.transcript)
  }
  for (const transcript of touched) transcript.publish()
}

/** The number of an agent's last event at the moment that the window shows; null: the agent did not exist yet. */
export type LastSeqOf = (agentId: string) => number | null

/** Shows all transcripts up to a past moment, and none of what happens now. Null: shows the present again. */
export function showPastTranscripts(lastSeqOf: LastSeqOf | null): void {
  opened.showPast(lastSeqOf)
}

/** Adds the events that follow the past moment that all transcripts show. */
export function playTranscripts(events: readonly LoggedEvent[]): void {
  opened.play(events)
}

/** Drops all transcripts, because another conversation is shown. */
export function resetTranscripts(next: string | null): void {
  opened.reset(next)
}

/** The transcripts of the shown conversation, with the number of their panels. */
class OpenedTranscripts {
  private conversationId: string | null = null
  /** Ordered by the last use, so that the first closed transcript is dropped first. */
  private readonly entries = new Map<string, Entry>()
  private isReportDue = false
  private lastSeqOf: LastSeqOf | null = null

  get isPast(): boolean {
    return this.lastSeqOf !== null
  }

  reset(next: string | null): void {
    this.conversationId = next
    this.lastSeqOf = null
    this.entries.clear()
  }

  showPast(lastSeqOf: LastSeqOf | null): void {
    this.lastSeqOf = lastSeqOf
    for (const [agentId, { transcript, viewers }] of this.entries) {
      transcript.showUntil(lastSeqOf === null ? null : (lastSeqOf(agentId) ?? -1))
      if (viewers > 0) void transcript.open()
    }
  }

  play(events: readonly LoggedEvent[]): void {
    const touched = new Set<LoadedTranscript>()
    for (const event of events) {
      const transcript = isConversationEvent(event) ? undefined : this.entries.get(event.agentId)?.transcript
      if (transcript === undefined || isConversationEvent(event)) continue
      transcript.showUntil(event.seq)
      transcript.receive(event)
      touched.add(transcript)
    }
    for (const transcript of touched) transcript.publish()
  }

  known(conversationId: string, agentId: string): Entry | undefined {
    return conversationId === this.conversationId ? this.entries.get(agentId) : undefined
  }

  of(agentId: string): Entry {
    const found = this.entries.get(agentId)
    if (found !== undefined) return found
    const { conversationId } = this
    const entry = {
      transcript: new LoadedTranscript({ conversationId: conversationId ?? '', agentId }),
      viewers: 0,
    }
    if (this.lastSeqOf !== null) entry.transcript.showUntil(this.lastSeqOf(agentId) ?? -1)
    this.entries.set(agentId, entry)
    return entry
  }

  /** Counts a panel until the returned function is called. */
  retain(agentId: string): () => void {
    const entry = this.of(agentId)
    entry.viewers += 1
    if (entry.viewers === 1) {
      this.entries.delete(agentId)
      this.entries.set(agentId, entry)
      this.reportWatched()
      queueMicrotask(() => void entry.transcript.open())
    }
    return () => {
      entry.viewers -= 1
      if (entry.viewers > 0) return
      entry.transcript.rest()
      this.forgetOldest()
      this.reportWatched()
    }
  }

  /** Sends the watched agents to the main process, once for all changes of a task. */
  private reportWatched(): void {
    if (this.isReportDue) return
    this.isReportDue = true
    queueMicrotask(() => {
      this.isReportDue = false
      const { conversationId } = this
      if (conversationId === null) return
      const agentIds = [...this.entries].flatMap(([agentId, { viewers }]) => (viewers > 0 ? [agentId] : []))
      void command('agent.watch', { conversationId, agentIds })
    })
  }

  private forgetOldest(): void {
    const closed = [...this.entries].filter(([, entry]) => entry.viewers === 0)
    for (const [agentId] of closed.slice(0, Math.max(0, closed.length - KEPT_CLOSED)))
      this.entries.delete(agentId)
  }
}

const opened = new OpenedTranscripts()
