/**
 * The state of a conversation: a pure fold over the events of its own log and of its agents' transcripts. The
 * window, the command line, replay and tests use this one function.
 */

import { withCheck } from '../comparison/comparison.ts'
import type { ConversationRecord, QueuedMessage } from '../events/conversation.ts'
import {
  type ConversationEvent,
  isConversationEvent,
  type LoggedEvent,
} from '../events/conversation-event.ts'
import type { Team, TeamTask } from '../teams/team-schema.ts'
import type { Verification } from '../verification/verification.ts'
import { type AgentState, foldAgent } from './agent-state.ts'

export interface ConversationState {
  /**
   * Null before `conversation-created`. Unlike the record on disk, `queued` omits messages that an agent has received.
   */
  readonly record: ConversationRecord | null
  /** In the order in which they were spawned. */
  readonly agents: ReadonlyMap<string, AgentState>
  /** The order of the last event; -1 before the first event. */
  readonly lastOrder: number
}

export const emptyConversation: ConversationState = { record: null, agents: new Map(), lastOrder: -1 }

/**
 * The state after a batch of events, in their order. Copies the map of agents once per batch, not per event. An
 * agent whose events change nothing keeps its state object.
 */
export function foldConversation(state: ConversationState, events: Iterable<LoggedEvent>): ConversationState {
  let { record, lastOrder } = state
  let agents: Map<string, AgentState> | null = null
  for (const event of events) {
    if (isConversationEvent(event)) {
      // Without an order across logs, this event was folded already.
      if (record !== null && event.order <= lastOrder) continue
      record = foldRecord(record, event)
    } else {
      const before = (agents ?? state.agents).get(event.agentId) ?? null
      const after = foldAgent(before, event)
      if (after !== null && after !== before) {
        agents ??= new Map(state.agents)
        agents.set(event.agentId, after)
      }
      if (event.type === 'user-message' && record !== null)
        record = withQueued(record, without(record.queued, [event.messageId]))
    }
    lastOrder = Math.max(lastOrder, event.order)
  }
  if (record === state.record && agents === null && lastOrder === state.lastOrder) return state
  return { record, agents: agents ?? state.agents, lastOrder }
}

/** The last ones are kept. */
const MOST_REFUSALS = 200

/** The record after one more event of the conversation's own log. */
export function foldRecord(
  record: ConversationRecord | null,
  event: ConversationEvent,
): ConversationRecord | null {
  if (event.type === 'conversation-created') {
    const { v: _, conversationId: id, seq: _seq, order: _order, at: _at, type: _type, ...created } = event
    return record ?? { v: 1, id, ...created, queued: [] }
  }
  if (record === null) return null
  switch (event.type) {
    case 'conversation-titled':
      return { ...record, title: event.title, named: event.named }
    case 'conversation-marked':
      return { ...record, pinned: event.pinned, archived: event.archived }
    case 'conversation-limited':
      return { ...record, limits: event.limits }
    case 'conversation-settled':
      return {
        ...record,
        outcome: { kind: event.outcome, at: event.at },
        ...(event.totals && { totals: event.totals }),
      }
    case 'agent-added':
      return record.agentIds.includes(event.agentId)
        ? record
        : { ...record, agentIds: [...record.agentIds, event.agentId] }
    case 'message-queued': {
      // A conversation that the user goes on with is not put away.
      const archived = record.archived && event.message.from !== 'user'
      return { ...record, archived, queued: [...record.queued, event.message], updatedAt: event.at }
    }
    case 'message-redirected': {
      const { messageIds, agentId } = event
      const queued = record.queued.map((message) =>
        messageIds.includes(message.messageId) ? { ...message, agentId } : message,
      )
      return { ...record, queued, updatedAt: event.at }
    }
    case 'message-refused': {
      const { broadcast, agentId, reason } = event
      const refusals = [...record.refusals, { broadcast, agentId, reason }].slice(-MOST_REFUSALS)
      return { ...record, refusals }
    }
    case 'team-created':
      return { ...record, teams: [...record.teams, event.team] }
    case 'team-member-added':
      return withTeam(record, event.teamId, (team) => ({ ...team, members: [...team.members, event.member] }))
    case 'team-member-removed':
      return withTeam(record, event.teamId, (team) => ({
        ...team,
        members: team.members.filter(({ name }) => name !== event.name),
      }))
    case 'team-ending':
      return withTeam(record, event.teamId, (team) => ({ ...team, endingAt: event.at }))
    case 'team-ended':
      return withTeam(record, event.teamId, (team) => ({ ...team, endedAt: event.at }))
    case 'task-changed':
      return withTask(record, event.task)
    case 'phase-changed':
      return {
        ...record,
        phases: [...record.phases, { phase: event.phase, note: event.note, at: event.at }],
      }
    case 'verification-changed':
      return withVerification(record, event.verification)
    case 'work-verified': {
      const { id, owner, digest, base, startedBy, agentId, verdict, summary, evidence, at } = event
      const done = { id, owner, digest, base, startedBy, agentId, verdict, summary, evidence, at }
      return withVerification(record, { ...done, state: 'done' })
    }
    case 'comparison-started':
      return { ...record, comparisons: [...record.comparisons, event.comparison] }
    case 'comparison-checked': {
      const { comparisonId: id, agentId, check } = event
      return { ...record, comparisons: withCheck(record.comparisons, { id, agentId, check }) }
    }
    case 'comparison-merged':
      return {
        ...record,
        comparisons: record.comparisons.map((one) =>
          one.id === event.comparisonId ? { ...one, merged: event.merged } : one,
        ),
      }
    case 'changes-undone':
      return record
    case 'message-withdrawn':
    case 'message-delivered':
      return withQueued(record, without(record.queued, event.messageIds))
  }
}

function withTeam(record: ConversationRecord, id: string, change: (team: Team) => Team): ConversationRecord {
  return { ...record, teams: record.teams.map((team) => (team.id === id ? change(team) : team)) }
}

function withVerification(record: ConversationRecord, changed: Verification): ConversationRecord {
  const { verifications } = record
  const isKnown = verifications.some(({ id }) => id === changed.id)
  return {
    ...record,
    verifications: isKnown
      ? verifications.map((other) => (other.id === changed.id ? changed : other))
      : [...verifications, changed],
  }
}

/** A change that arrives after a newer one is ignored. */
function withTask(record: ConversationRecord, task: TeamTask): ConversationRecord {
  const known = record.tasks.find(({ id }) => id === task.id)
  if (known === undefined) {
    const tasks = [...record.tasks, task].sort((one, other) => Number(one.id) - Number(other.id))
    return { ...record, tasks }
  }
  if (known.version >= task.version) return record
  return { ...record, tasks: record.tasks.map((other) => (other.id === task.id ? task : other)) }
}

/** Returns the same array if it has none of these messages. */
function without(queued: QueuedMessage[], messageIds: readonly string[]): QueuedMessage[] {
  return queued.some(({ messageId }) => messageIds.includes(messageId))
    ? queued.filter(({ messageId }) => !messageIds.includes(messageId))
    : queued
}

function withQueued(record: ConversationRecord, queued: QueuedMessage[]): ConversationRecord {
  return queued === record.queued ? record : { ...record, queued }
}
