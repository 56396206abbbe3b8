/**
 * The conversation on the screen: the shared fold applied to the events of all its agents. A snapshot
 * comes first, then deltas; what arrives before the snapshot waits for it, and a hole in the numbers of
 * an agent makes the store ask for a new snapshot rather than show something wrong.
 */
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { AgentEvent, Usage } from '../../shared/agent-event.ts'
import { type AgentState, addUsage, foldAgent, isLive, type PendingPrompt } from '../../shared/agent-state.ts'
import type { ConversationRecord } from '../../shared/conversation.ts'
import type { ConversationSnapshot, QueuedMessage, WindowDelta } from '../../shared/ipc-contract.ts'
import { command } from '../bridge.ts'
import { resetTranscripts } from './transcript-store.ts'

/** A question to the person, and who asks it. */
export interface Need {
  readonly agentId: string
  readonly prompt: PendingPrompt
}

export interface ConversationState {
  /** Null: a new conversation that begins with its first message. */
  readonly conversationId: string | null
  readonly phase: 'none' | 'loading' | 'ready' | 'failed'
  readonly failure: string | null
  readonly record: ConversationRecord | null
  /** Another program holds it: it can be read, not continued. */
  readonly readOnly: boolean
  readonly queued: readonly QueuedMessage[]
  readonly agents: ReadonlyMap<string, AgentState>
  /** In the order they were spawned; the same array until an agent is added. */
  readonly agentIds: readonly string[]
  /** The agent that an Agent call started, by the call's tool use id. */
  readonly childrenByToolUse: ReadonlyMap<string, string>
  /** Oldest first; the same array until a prompt comes or goes. */
  readonly needs: readonly Need[]
}

const NONE: ConversationState = {
  conversationId: null,
  phase: 'none',
  failure: null,
  record: null,
  readOnly: false,
  queued: [],
  agents: new Map(),
  agentIds: [],
  childrenByToolUse: new Map(),
  needs: [],
}

export const useConversation = create<ConversationState>()(() => NONE)

/** Deltas that came before the snapshot they follow. */
let waiting: WindowDelta[] = []
/** Counts the snapshots asked for, so that a late answer for an earlier wish is dropped. */
let wish = 0

/** Shows a conversation, or with null none, and lets go of the one before. Resolves when it is there. */
export async function showConversation(conversationId: string | null): Promise<void> {
  const before = useConversation.getState().conversationId
  if (before !== null && before !== conversationId)
    void command('conversation.unsubscribe', { conversationId: before })
  resetTranscripts(conversationId)
  useConversation.setState(
    { ...NONE, conversationId, phase: conversationId === null ? 'none' : 'loading' },
    true,
  )
  if (conversationId === null) wish += 1
  else await loadSnapshot(conversationId)
}

/** Applies a batch with one change of the store. */
export function receiveConversation(deltas: readonly WindowDelta[]): void {
  const { conversationId, phase } = useConversation.getState()
  const mine = deltas.filter((delta) => 'conversationId' in delta && delta.conversationId === conversationId)
  if (conversationId === null || mine.length === 0) return
  if (phase === 'loading') {
    waiting.push(...mine.filter((delta) => delta.type === 'event' || delta.type === 'queue'))
    return
  }
  apply(mine, 'ask again')
}

/** The state of one agent; re-renders with that agent only. */
export function useAgent(agentId: string | null): AgentState | undefined {
  return useConversation((state) => (agentId === null ? undefined : state.agents.get(agentId)))
}

/** All agents' ids, in the order they were spawned. */
export function useAgentIds(): readonly string[] {
  return useConversation((state) => state.agentIds)
}

/** Every open question to the person, oldest first. */
export function useNeeds(): readonly Need[] {
  return useConversation((state) => state.needs)
}

export function useMainAgentId(): string | null {
  return useConversation((state) => state.record?.mainAgentId ?? null)
}

export interface Totals {
  /** Agents that may still do something unasked. */
  readonly live: number
  readonly tokens: number
  /** Share of the input that was read from the cache, 0 to 1; null before there was any. */
  readonly cachedShare: number | null
  readonly costUsd: number
  /** False where a model without a known price took part. */
  readonly priced: boolean
}

/** The figures of the whole conversation. */
export function useTotals(): Totals {
  return useConversation(useShallow((state) => totalsOf(state.agents)))
}

export function totalsOf(agents: ReadonlyMap<string, AgentState>): Totals {
  let live = 0
  let costUsd = 0
  let priced = true
  let usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const agent of agents.values()) {
    if (isLive(agent)) live += 1
    costUsd += agent.costUsd
    priced &&= agent.priced
    usage = addUsage(usage, agent.usage)
  }
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    live,
    tokens: input + usage.output,
    cachedShare: input === 0 ? null : usage.cacheRead / input,
    costUsd,
    priced,
  }
}

async function loadSnapshot(conversationId: string): Promise<void> {
  wish += 1
  const mine = wish
  waiting = []
  const answer = await command('conversation.subscribe', { conversationId })
  if (mine !== wish) return
  if (!answer.ok) {
    useConversation.setState({ phase: 'failed', failure: answer.failure.message })
    return
  }
  const held = waiting
  waiting = []
  useConversation.setState(stateOf(answer.value))
  // The fold drops what the snapshot has already.
  apply(held, 'as it is')
}

function stateOf(snapshot: ConversationSnapshot): Partial<ConversationState> {
  const agents = new Map(snapshot.agents.map((agent) => [agent.id, agent]))
  return {
    phase: 'ready',
    failure: null,
    record: snapshot.record,
    readOnly: snapshot.readOnly,
    queued: snapshot.queued,
    agents,
    agentIds: [...agents.keys()],
    childrenByToolUse: childrenOf(agents),
    needs: needsOf(agents),
  }
}

/** `onHole`: what to do when an event is missing; right after a snapshot asking again would not help. */
function apply(deltas: readonly WindowDelta[], onHole: 'ask again' | 'as it is'): void {
  const state = useConversation.getState()
  const events = deltas.flatMap((delta) => (delta.type === 'event' ? [delta.event] : []))
  if (onHole === 'ask again' && hasHole(state.agents, events)) {
    useConversation.setState({ phase: 'loading' })
    if (state.conversationId !== null) void loadSnapshot(state.conversationId)
    return
  }
  const folded = foldEvents(state.agents, events)
  const queued = deltas.findLast((delta) => delta.type === 'queue')?.queued
  const changes: { -readonly [K in keyof ConversationState]?: ConversationState[K] } = {}
  if (queued !== undefined) changes.queued = queued
  if (folded !== null) {
    changes.agents = folded.agents
    if (folded.agents.size !== state.agents.size) {
      changes.agentIds = [...folded.agents.keys()]
      changes.childrenByToolUse = childrenOf(folded.agents)
    }
    if (folded.promptsChanged) changes.needs = needsOf(folded.agents)
  }
  if (Object.keys(changes).length > 0) useConversation.setState(changes)
}

/** Whether an event before these is missing. */
function hasHole(agents: ReadonlyMap<string, AgentState>, events: readonly AgentEvent[]): boolean {
  const last = new Map<string, number>()
  for (const { agentId, seq } of events) {
    const before = last.get(agentId) ?? agents.get(agentId)?.lastSeq ?? -1
    if (seq > before + 1) return true
    last.set(agentId, Math.max(before, seq))
  }
  return false
}

/** The agents after these events; null: nothing changed. */
function foldEvents(
  agents: ReadonlyMap<string, AgentState>,
  events: readonly AgentEvent[],
): { agents: ReadonlyMap<string, AgentState>; promptsChanged: boolean } | null {
  let next: Map<string, AgentState> | null = null
  let promptsChanged = false
  for (const event of events) {
    const before = (next ?? agents).get(event.agentId)
    const after = foldAgent(before ?? null, event)
    if (after === null || after === before) continue
    next ??= new Map(agents)
    next.set(event.agentId, after)
    promptsChanged ||= (before?.prompts ?? NO_PROMPTS) !== after.prompts
  }
  return next === null ? null : { agents: next, promptsChanged }
}

const NO_PROMPTS: readonly PendingPrompt[] = []

function childrenOf(agents: ReadonlyMap<string, AgentState>): ReadonlyMap<string, string> {
  const children = new Map<string, string>()
  for (const agent of agents.values())
    if (agent.parentToolUseId !== null) children.set(agent.parentToolUseId, agent.id)
  return children
}

function needsOf(agents: ReadonlyMap<string, AgentState>): readonly Need[] {
  const needs: Need[] = []
  for (const agent of agents.values())
    for (const prompt of agent.prompts) needs.push({ agentId: agent.id, prompt })
  return needs.sort((a, b) => a.prompt.askedAt - b.prompt.askedAt)
}
