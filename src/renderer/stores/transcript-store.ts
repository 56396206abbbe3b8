/**
 * The transcripts that panels show. A panel opens its agent's with `useTranscript`; the store counts who
 * looks, tells the main process whose live events are wanted, and keeps the last few that were closed.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { WindowDelta } from '../../shared/window-delta.ts'
import { command } from '../bridge.ts'
import { Transcript, type TranscriptView } from './transcript.ts'

/** Closed transcripts that are kept, so that going back and forth is instant. */
const KEPT_CLOSED = 12

interface Entry {
  readonly transcript: Transcript
  viewers: number
}

let conversationId: string | null = null
/** In the order of the last look, so that the first closed one is the one to forget. */
let entries = new Map<string, Entry>()
let watchPending = false

/** The transcript of an agent, opened and kept up to date as long as the component is there. */
export function useTranscript(agentId: string): TranscriptView {
  const { transcript } = entryOf(agentId)
  useEffect(() => look(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, transcript.getView)
}

/** The same, of which only one part is looked at: re-renders when `select` gives another value. */
export function useTranscriptPart<T>(agentId: string, select: (view: TranscriptView) => T): T {
  const { transcript } = entryOf(agentId)
  useEffect(() => look(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, () => select(transcript.getView()))
}

/** For what chooses itself when it is drawn again: the transcript as it is, and a call for each change. */
export function transcriptOf(agentId: string): Pick<Transcript, 'subscribe' | 'getView'> {
  return entryOf(agentId).transcript
}

/** What a running tool has printed so far. */
export function useLiveOutput(agentId: string, toolUseId: string): string {
  const { transcript } = entryOf(agentId)
  return useSyncExternalStore(transcript.subscribe, () => transcript.output(toolUseId))
}

/** Puts the page before the first row in front. */
export function loadOlder(agentId: string): Promise<void> {
  return entryOf(agentId).transcript.loadOlder()
}

/** Loads all that is older: for finding, and for copying a whole panel. */
export function loadAll(agentId: string): Promise<void> {
  return entryOf(agentId).transcript.loadAll()
}

/** Tries again to open a transcript that could not be read. */
export function reopen(agentId: string): Promise<void> {
  return entryOf(agentId).transcript.open()
}

/** Applies a batch; each transcript tells its panel once. */
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

/** Forgets all transcripts: another conversation is shown. */
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

function look(agentId: string): () => void {
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

/** Tells the main process once for all changes of this moment. */
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
