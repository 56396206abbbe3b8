/**
 * The transcripts of panels. A panel opens its agent's transcript with `useTranscript`. The store counts the panels of
 * each transcript, requests live events from the main process, and keeps the last few closed transcripts.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { command } from '../bridge.ts'
import { Transcript, type TranscriptView } from './transcript.ts'

/** The number of closed transcripts to keep, so that switching back is instant. */
const KEPT_CLOSED = 12

interface Entry {
  readonly transcript: Transcript
  viewers: number
}

let conversationId: string | null = null
/** Ordered by the last use, so that the first closed transcript is dropped first. */
let entries = new Map<string, Entry>()
let watchPending = false

/** The transcript of an agent, open and current while the component is mounted. */
export function useTranscript(agentId: string): TranscriptView {
  const { transcript } = entryOf(agentId)
  useEffect(() => retain(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, transcript.getView)
}

/** A part of an agent's transcript: re-renders when `select` returns another value. */
export function useTranscriptPart<T>(agentId: string, select: (view: TranscriptView) => T): T {
  const { transcript } = entryOf(agentId)
  useEffect(() => retain(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, () => select(transcript.getView()))
}

/** The transcript for callers that decide themselves when to render: the current view, and a call for each change. */
export function transcriptOf(agentId: string): Pick<Transcript, 'subscribe' | 'getView'> {
  return entryOf(agentId).transcript
}

/** The output of a running tool so far. */
export function useLiveOutput(agentId: string, toolUseId: string): string {
  const { transcript } = entryOf(agentId)
  return useSyncExternalStore(transcript.subscribe, () => transcript.output(toolUseId))
}

/** Loads the page before the first row. */
export function loadOlder(agentId: string): Promise<void> {
  return entryOf(agentId).transcript.loadOlder()
}

/** Loads all older pages, for searching or copying the whole transcript. */
export function loadAll(agentId: string): Promise<void> {
  return entryOf(agentId).transcript.loadAll()
}

/** Retries opening an unreadable transcript. */
export function reopen(agentId: string): Promise<void> {
  return entryOf(agentId).transcript.open()
}

/** Applies a batch; each transcript notifies its panel once. */
export function receiveTranscripts(deltas: readonly WindowDelta[]): void {
  const touched = new Set<Transcript>()
  for (const delta of deltas) {
    if (delta.type !== 'event' && delta.type !== 'live') continue
    const entry = delta.conversationId === conversationId ? entries.get(delta.event.agentId) : undefined
    if (entry === undefined) continue
    if (delta.type === 'event') entry.transcript.receive(delta.event)
    else if (entry.viewers > 0) entry.transcript.receiveLive(delta.event)
    touched.add(entry.transcript)
  }
  for (const transcript of touched) transcript.publish()
}

/** Drops all transcripts, because another conversation is shown. */
export function resetTranscripts(next: string | null): void {
  conversationId = next
  entries = new Map()
}

function entryOf(agentId: string): Entry {
  const found = entries.get(agentId)
  if (found !== undefined) return found
  const entry = { transcript: new Transcript({ conversationId: conversationId ?? '', agentId }), viewers: 0 }
  entries.set(agentId, entry)
  return entry
}

function retain(agentId: string): () => void {
  const entry = entryOf(agentId)
  entry.viewers += 1
  if (entry.viewers === 1) {
    entries.delete(agentId)
    entries.set(agentId, entry)
    reportWatched()
    queueMicrotask(() => void entry.transcript.open())
  }
  return () => {
    entry.viewers -= 1
    if (entry.viewers > 0) return
    entry.transcript.rest()
    forgetOldest()
    reportWatched()
  }
}

/** Sends the watched agents to the main process, once for all changes of a task. */
function reportWatched(): void {
  if (watchPending) return
  watchPending = true
  queueMicrotask(() => {
    watchPending = false
    if (conversationId === null) return
    const agentIds = [...entries].flatMap(([agentId, entry]) => (entry.viewers > 0 ? [agentId] : []))
    void command('agent.watch', { conversationId, agentIds })
  })
}

function forgetOldest(): void {
  const closed = [...entries].filter(([, entry]) => entry.viewers === 0)
  for (const [agentId] of closed.slice(0, Math.max(0, closed.length - KEPT_CLOSED))) entries.delete(agentId)
}
