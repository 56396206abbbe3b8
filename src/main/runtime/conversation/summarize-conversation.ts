/** A conversation's entry in the list of conversations, and its agents as a reader sees them. */
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord, ConversationTotals } from '../../../shared/events/conversation.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { DIED } from '../../../shared/state/stopped-together.ts'

export interface SummaryFacts {
  readonly record: ConversationRecord
  /** Empty for a conversation that is not open. */
  readonly states?: readonly AgentState[]
  /** The last known state of the main agent; without it the record alone decides about the outcome. */
  readonly main?: AgentState | undefined
  /** Another process writes to it. */
  readonly readOnly?: boolean
}

/** `defaultLimits` apply where the record has none. */
export function summaryOf(
  { record, states = [], main, readOnly = false }: SummaryFacts,
  defaultLimits: SpendLimits,
): ConversationSummary {
  const { id, folder, title, createdAt, updatedAt, rehearsal, scratch, limits, branchOf, pinned, archived } =
    record
  return {
    id,
    folder,
    title,
    createdAt,
    updatedAt,
    rehearsal,
    scratch,
    ...(record.test && { test: true as const }),
    pinned,
    archived,
    branchOf: branchOf ?? null,
    running: states.filter(isLive).length,
    requests: states.reduce((sum, state) => sum + state.requests.length + state.forms.length, 0),
    outcome:
      main?.status === 'interrupted' ? { kind: 'interrupted', at: main.lastAt } : (record.outcome ?? null),
    totals: states.length > 0 ? conversationTotals(states) : (record.totals ?? null),
    readOnly,
    limits: limits ?? defaultLimits,
  }
}

/** Colors that a list shows. */
const MOST_COLORS = 5

/** What these agents came to. One loop: the summary is made at every change. */
export function conversationTotals(states: readonly AgentState[]): ConversationTotals {
  const colors: string[] = []
  const totals = { tokens: 0, usd: 0, priced: true, added: 0, removed: 0, lastLine: '' }
  let branch: string | undefined
  for (const { parentId, definition, countedTokens, costUsd, priced, changed, ...state } of states) {
    if (parentId === null) {
      totals.lastLine = state.lastLine
      branch = state.gitBranch
    } else if (colors.length < MOST_COLORS) colors.push(definition.color)
    totals.tokens += countedTokens
    totals.usd += costUsd
    totals.priced &&= priced
    totals.added += changed.added
    totals.removed += changed.removed
  }
  return { agents: states.length, colors, ...totals, ...(branch !== undefined && { branch }) }
}

/** The state of an agent whose process died: a live one becomes interrupted. The log stays as it is. */
export function asInterrupted(state: AgentState): AgentState {
  const userCommands = state.userCommands.filter(({ ended }) => ended !== null)
  const hasLost = state.commands.length > 0 || userCommands.length < state.userCommands.length
  if (!isLive(state)) return hasLost ? { ...state, commands: [], userCommands } : state
  return {
    ...state,
    userCommands,
    status: 'interrupted',
    waitingFor: null,
    requests: [],
    forms: [],
    commands: [],
    retry: null,
    stopId: DIED,
    endedAt: state.lastAt,
  }
}
