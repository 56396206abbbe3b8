/**
 * The conversation on the screen: the shared fold over its events. A snapshot comes first, then deltas. Deltas
 * that arrive before the snapshot wait for it. A gap in the numbers of an agent's events makes the store load a
 * new snapshot.
 */
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { PastConversation } from '../../shared/conversations/contract.ts'
import type { PendingForm, Usage } from '../../shared/events/agent-event.ts'
import type { QueuedMessage } from '../../shared/events/conversation.ts'
import { isConversationEvent, type LoggedEvent } from '../../shared/events/conversation-event.ts'
import { addUsage, cachedShare } from '../../shared/events/model-requests.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { textOf } from '../../shared/messages/text-of.ts'
import { type AgentName, agentNames, mentionText, nameText } from '../../shared/state/agent-names.ts'
import { type AgentState, isLive, type PendingRequest } from '../../shared/state/agent-state.ts'
import type { ConversationSnapshot, QueuedMessagePreview } from '../../shared/state/conversation-snapshot.ts'
import { type ConversationState, foldConversation } from '../../shared/state/conversation-state.ts'
import type { WriteFailure } from '../../shared/state/conversation-summary.ts'
import { command, LatestAnswer } from '../bridge.ts'
import { displayName } from '../ui/text/agent-text.ts'
import { resetLiveLines } from './live-lines.ts'
import { showFailure } from './overlay-store.ts'
import { resetTranscripts } from './transcript-store.ts'

/** A permission request or a form, and the agent that asks. */
export type Need =
  | { readonly agentId: string; readonly request: PendingRequest; readonly form?: undefined }
  | { readonly agentId: string; readonly form: PendingForm; readonly request?: undefined }

/** The id of the request or the form. */
export function needId({ request, form }: Need): string {
  return request?.requestId ?? form?.formId ?? ''
}

export interface ShownConversation extends ConversationState {
  /** Null: a new conversation, which begins with its first message. */
  readonly conversationId: string | null
  readonly phase: 'none' | 'loading' | 'ready' | 'failed'
  readonly failure: string | null
  /** Another program runs the conversation: it can be read, not continued. */
  readonly readOnly: boolean
  /** The same array until a message is queued or received. */
  readonly queued: readonly QueuedMessagePreview[]
  /** In spawn order; the same array until an agent is added. */
  readonly agentIds: readonly string[]
  /** The agent that an Agent call started, by the call's tool use id. */
  readonly childrenByToolUse: ReadonlyMap<string, string>
  /** Oldest first; the same array until a request or a form is added or answered. */
  readonly needs: readonly Need[]
  /** Events that arrived before the snapshot. */
  readonly waiting: readonly LoggedEvent[]
  /** The past moment that everything here shows, ms since the epoch; null: the present. See `replay-store.ts`. */
  readonly pastAt: number | null
}

const NONE: ShownConversation = {
  conversationId: null,
  phase: 'none',
  failure: null,
  record: null,
  readOnly: false,
  queued: [],
  agents: new Map(),
  lastOrder: -1,
  agentIds: [],
  childrenByToolUse: new Map(),
  needs: [],
  waiting: [],
  pastAt: null,
}

export const useConversation = create<ShownConversation>()(() => NONE)

const snapshots = new LatestAnswer()

/** Shows a conversation, or none with null. Resolves when the conversation is on the screen. */
export async function showConversation(conversationId: string | null): Promise<void> {
  const before = useConversation.getState().conversationId
  if (before !== null && before !== conversationId)
    void command('conversation.unsubscribe', { conversationId: before })
  resetTranscripts(conversationId)
  resetLiveLines()
  useConversation.setState(
    { ...NONE, conversationId, phase: conversationId === null ? 'none' : 'loading' },
    true,
  )
  if (conversationId === null) snapshots.begin()
  else await loadSnapshot(conversationId)
}

/** Applies a batch with one store update. */
export function receiveConversation(deltas: readonly WindowDelta[]): void {
  const { conversationId, phase, pastAt } = useConversation.getState()
  // What happens meanwhile is in the snapshot that the return to the present loads.
  if (pastAt !== null) return
  const events = deltas.flatMap((delta) =>
    (delta.type === 'event' || delta.type === 'conversation-event') && delta.conversationId === conversationId
      ? [delta.event]
      : [],
  )
  if (conversationId === null || events.length === 0) return
  if (phase === 'loading') useConversation.setState(({ waiting }) => ({ waiting: [...waiting, ...events] }))
  else if (hasGap(useConversation.getState().agents, events)) {
    useConversation.setState({ phase: 'loading' })
    void loadSnapshot(conversationId)
  } else apply(events)
}

/** The state of one agent; re-renders for this agent only. */
export function useAgent(agentId: string | null): AgentState | undefined {
  return useConversation((state) => (agentId === null ? undefined : state.agents.get(agentId)))
}

/** All agents' ids, in spawn order. */
export function useAgentIds(): readonly string[] {
  return useConversation((state) => state.agentIds)
}

/** Every open permission request and form, oldest first. */
export function useNeeds(): readonly Need[] {
  return useConversation((state) => state.needs)
}

export function useMainAgentId(): string | null {
  return useConversation((state) => state.record?.mainAgentId ?? null)
}

interface Totals {
  /** Agents that may act without another message. */
  readonly live: number
  readonly tokens: number
  /** Share of the input that was read from the cache, 0 to 1; null before the first input. */
  readonly cachedShare: number | null
  readonly costUsd: number
  /** False if an agent used a model without a known price. */
  readonly priced: boolean
}

/** The totals of the conversation. */
export function useTotals(): Totals {
  return useConversation(useShallow((state) => totalsOf(state.agents)))
}

export function totalsOf(agents: ReadonlyMap<string, AgentState>): Totals {
  let live = 0
  let tokens = 0
  let costUsd = 0
  let priced = true
  let usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const agent of agents.values()) {
    if (isLive(agent)) live += 1
    tokens += agent.countedTokens
    costUsd += agent.costUsd
    priced &&= agent.priced
    usage = addUsage(usage, agent.usage)
  }
  return { live, tokens, cachedShare: cachedShare(usage), costUsd, priced }
}

/** Shows the conversation as it was, with this snapshot or with the events that follow what is shown. */
export function showPast(pastAt: number, past: PastConversation): void {
  if (past.snapshot === null) apply(past.events)
  useConversation.setState({ ...(past.snapshot && stateOf(past.snapshot)), pastAt, readOnly: true })
}

/** Shows the conversation as it is now. */
export async function showPresent(): Promise<void> {
  const { conversationId, pastAt } = useConversation.getState()
  if (conversationId !== null && pastAt !== null) await loadSnapshot(conversationId)
}

async function loadSnapshot(conversationId: string): Promise<void> {
  const isLatest = snapshots.begin()
  useConversation.setState({ waiting: [] })
  const answer = await command('conversation.subscribe', { conversationId })
  if (!isLatest()) return
  if (!answer.ok) {
    useConversation.setState({ phase: 'failed', failure: answer.failure.message, pastAt: null })
    return
  }
  const { waiting: held } = useConversation.getState()
  useConversation.setState(stateOf(answer.value))
  // The fold ignores events that the snapshot contains. A gap would not close with another snapshot.
  apply(held)
}

function stateOf(snapshot: ConversationSnapshot): Partial<ShownConversation> {
  const agents = new Map(snapshot.agents.map((agent) => [agent.id, agent]))
  return {
    phase: 'ready',
    failure: null,
    record: snapshot.record,
    readOnly: snapshot.readOnly,
    pastAt: null,
    queued: previewsOf(snapshot.record.queued),
    agents,
    lastOrder: snapshot.order,
    agentIds: [...agents.keys()],
    childrenByToolUse: childrenOf(agents),
    needs: needsOf(agents),
  }
}

function apply(events: readonly LoggedEvent[]): void {
  const before = useConversation.getState()
  const after = foldConversation(before, events)
  if (after === before) return
  const changes: { -readonly [K in keyof ShownConversation]?: ShownConversation[K] } = after
  const { record, agents } = after
  if (record !== null && record.queued !== before.record?.queued) changes.queued = previewsOf(record.queued)
  if (agents.size !== before.agents.size) {
    changes.agentIds = [...agents.keys()]
    changes.childrenByToolUse = childrenOf(agents)
  }
  if (events.some(({ type }) => CHANGES_REQUESTS.has(type))) changes.needs = needsOf(agents)
  useConversation.setState(changes)
}

const CHANGES_REQUESTS: ReadonlySet<LoggedEvent['type']> = new Set([
  'permission-asked',
  'permission-answered',
  'form-opened',
  'form-closed',
  'agent-ended',
])

/** Whether an event before these is missing. */
function hasGap(agents: ReadonlyMap<string, AgentState>, events: readonly LoggedEvent[]): boolean {
  const last = new Map<string, number>()
  for (const event of events) {
    if (isConversationEvent(event)) continue
    const { agentId, seq } = event
    const before = last.get(agentId) ?? agents.get(agentId)?.lastSeq ?? -1
    if (seq > before + 1) return true
    last.set(agentId, Math.max(before, seq))
  }
  return false
}

function previewsOf(queued: readonly QueuedMessage[]): readonly QueuedMessagePreview[] {
  return queued.map(({ content, context: _, attached: __, typed, ...message }) => ({
    ...message,
    text: typed ?? textOf(content),
  }))
}

function childrenOf(agents: ReadonlyMap<string, AgentState>): ReadonlyMap<string, string> {
  const children = new Map<string, string>()
  for (const agent of agents.values())
    if (agent.parentToolUseId !== null) children.set(agent.parentToolUseId, agent.id)
  return children
}

function needsOf(agents: ReadonlyMap<string, AgentState>): readonly Need[] {
  const needs: Need[] = []
  for (const agent of agents.values()) {
    for (const request of agent.requests) needs.push({ agentId: agent.id, request })
    for (const form of agent.forms) needs.push({ agentId: agent.id, form })
  }
  return needs.sort((a, b) => askedAt(a) - askedAt(b))
}

const askedAt = ({ request, form }: Need): number => request?.askedAt ?? form?.openedAt ?? 0

/** Agents that are paused because their logs can't be written, and the retry. */
interface WriteFailureState {
  readonly failures: readonly WriteFailure[]
  /** Conversations with a running retry. */
  readonly trying: ReadonlySet<string>
}

export const useWriteFailure = create<WriteFailureState>()(() => ({ failures: [], trying: new Set() }))

/** The activity text of an agent whose log can't be written. */
export const UNSAVED = 'paused: its log can’t be written'

/** The write failure that paused an agent, or null. */
export function useAgentWriteFailure(agentId: string): WriteFailure | null {
  return useWriteFailure(
    ({ failures }) => failures.find(({ agentIds }) => agentIds.includes(agentId)) ?? null,
  )
}

export function receiveWriteFailure(deltas: readonly WindowDelta[]): void {
  for (const delta of deltas)
    if (delta.type === 'write-failure') useWriteFailure.setState({ failures: delta.failures })
}

/** Retries the failed writes of a conversation. On a failure the reason stays on the screen. */
export async function retryLog(conversationId: string): Promise<void> {
  if (useWriteFailure.getState().trying.has(conversationId)) return
  useWriteFailure.setState(({ trying }) => ({ trying: new Set([...trying, conversationId]) }))
  const answer = await command('conversation.retryLog', { conversationId })
  useWriteFailure.setState(({ trying }) => ({
    trying: new Set([...trying].filter((id) => id !== conversationId)),
  }))
  if (!answer.ok) showFailure(answer.failure)
}

type Agents = ReadonlyMap<string, AgentState>

const named = new WeakMap<Agents, ReadonlyMap<string, AgentName>>()

/** The name of an agent among the agents of its conversation: everywhere the same. */
function nameIn(agents: Agents, agentId: string): AgentName {
  const names = named.get(agents) ?? agentNames(agents.values())
  named.set(agents, names)
  return names.get(agentId) ?? UNKNOWN
}

const UNKNOWN: AgentName = { title: 'An agent', letter: null }

/** The name of an agent of the shown conversation; "An agent" if it is unknown. */
export function useAgentName(agentId: string): AgentName {
  return useConversation(useShallow(({ agents }) => nameIn(agents, agentId)))
}

/** The agent on one line: "Trace the retry path", "Fix the test B". */
export function agentTitle(agent: AgentState, agents: Agents): string {
  return nameText(nameOf(agent, agents))
}

/** The agent in a sentence: “Trace the retry path”. */
export function agentMention(agent: AgentState, agents: Agents): string {
  return mentionText(nameOf(agent, agents))
}

/** The mention of an agent of the shown conversation; null if it is unknown. */
export function useAgentMention(agentId: string | null): string | null {
  return useConversation(({ agents }) => {
    const agent = agentId === null ? undefined : agents.get(agentId)
    return agent === undefined ? null : agentMention(agent, agents)
  })
}

/** Also of an agent that the conversation does not have yet. */
function nameOf(agent: AgentState, agents: Agents): AgentName {
  return agents.has(agent.id) ? nameIn(agents, agent.id) : (agentNames([agent]).get(agent.id) ?? UNKNOWN)
}

/** The title of an agent of the shown conversation. */
export function agentTitleNow(agent: AgentState): string {
  return agentTitle(agent, useConversation.getState().agents)
}

/** The title of an agent of the shown conversation; null if it is unknown. */
export function useAgentTitle(agentId: string | null): string | null {
  return useConversation(({ agents }) => {
    const agent = agentId === null ? undefined : agents.get(agentId)
    return agent === undefined ? null : agentTitle(agent, agents)
  })
}

const counted = new WeakMap<Agents, ReadonlyMap<string, number>>()

/** Whether another agent is of the same type, or has the same name in a team. */
export function hasNamesake(agent: AgentState, agents: Agents): boolean {
  const names = counted.get(agents) ?? countNames(agents)
  counted.set(agents, names)
  return (names.get(displayName(agent)) ?? 0) > 1
}

function countNames(agents: Agents): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const agent of agents.values()) {
    const name = displayName(agent)
    names.set(name, (names.get(name) ?? 0) + 1)
  }
  return names
}
