/** Reads an agent from its transcript: its first event, its state and its history. */
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { History } from '../loop/history.ts'
import type { SessionFile } from '../ports/tool.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'
import { foldLaterChanges } from './outdated-files.ts'

export interface ReadAgent {
  readonly spawned: EventOf<'agent-spawned'>
  readonly state: AgentState
  readonly history: History
  /** The ids of all messages in the transcript. */
  readonly messageIds: ReadonlySet<string>
  /** The files that it has read or written, by real path; for a fork also its parent's before the fork. */
  readonly seen: ReadonlyMap<string, SessionFile>
}

/** What an agent's events, read one after the other, leave to continue with. */
export class AgentReading {
  private spawned: EventOf<'agent-spawned'> | null = null
  private history = new History(null)
  private readonly messageIds = new Set<string>()
  private readonly seen = new Map<string, SessionFile>()

  /** Before the first event of a fork: the history that it begins with, and the files that its parent saw. */
  async inherit(spawned: EventOf<'agent-spawned'>, store: TranscriptStore): Promise<Result<void>> {
    const begun = await historyBefore(spawned, { store, seen: this.seen })
    if (begun.ok) this.history = begun.value
    return begun.ok ? ok(undefined) : begun
  }

  readonly take = (events: readonly AgentEvent[]): void => {
    for (const event of events) this.add(event)
  }

  /** @param state the fold of the same events */
  end(agentId: string, state: AgentState | null): Result<ReadAgent> {
    const { spawned, history, messageIds, seen } = this
    if (spawned && state) return ok({ spawned, state, history, messageIds, seen })
    return fail({
      type: 'damaged',
      message: `The transcript of ${agentId} does not begin with agent-spawned.`,
    })
  }

  private add(event: AgentEvent): void {
    if (event.type === 'agent-spawned') {
      this.spawned = event
      if (event.inherits === null) this.history = new History(event.definition.reminder)
    }
    // A renewal replaces the values that the spawn froze.
    if (event.type === 'definition-renewed' && this.spawned) {
      const { type: _, v: _v, agentId: _a, seq: _s, order: _o, at: _t, ...renewed } = event
      this.spawned = { ...this.spawned, ...renewed }
    }
    if (event.type === 'tool-ended' && event.seen) this.seen.set(event.seen.path, event.seen)
    foldLaterChanges(this.seen, event)
    if (event.type === 'user-message') this.messageIds.add(event.messageId)
    this.history.apply(event)
  }
}

/**
 * Reads the whole transcript; for a fork also the parent's, up to the fork. Fails with `damaged`, or a failure of the
 * store.
 */
export async function readAgent(store: TranscriptStore, agentId: string): Promise<Result<ReadAgent>> {
  const reading = new AgentReading()
  let state: AgentState | null = null
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) return batch
    const [first] = batch.value
    if (first?.type === 'agent-spawned') {
      const inherited = await reading.inherit(first, store)
      if (!inherited.ok) return inherited
    }
    reading.take(batch.value)
    for (const event of batch.value) state = foldAgent(state, event)
  }
  return reading.end(agentId, state)
}

/**
 * The history before an agent's first event: empty, or the parent's messages for a fork. Adds the files that the parent
 * saw.
 */
async function historyBefore(
  { inherits, definition }: EventOf<'agent-spawned'>,
  { store, seen }: { readonly store: TranscriptStore; readonly seen: Map<string, SessionFile> },
): Promise<Result<History>> {
  if (inherits === null) return ok(new History(definition.reminder))
  let parent = new History(null)
  for await (const batch of store.events(inherits.agentId)) {
    if (!batch.ok) return batch
    for (const event of batch.value) {
      if (event.type === 'agent-spawned') parent = new History(event.definition.reminder)
      parent.apply(event)
      if (event.type === 'tool-ended' && event.seen) seen.set(event.seen.path, event.seen)
      foldLaterChanges(seen, event)
      if (event.seq >= inherits.seq) return ok(parent.fork(definition.reminder))
    }
  }
  return fail({
    type: 'damaged',
    message: `The transcript of ${inherits.agentId}, with which this fork began, ends too early.`,
  })
}
