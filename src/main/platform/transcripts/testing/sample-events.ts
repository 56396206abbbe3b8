/** Sample events and records for a transcript. */
import { type AgentEvent, agentEvent, type EventOf } from '../../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../../shared/events/conversation.ts'
import type {
  ConversationEvent,
  ConversationEventDraft,
} from '../../../../shared/events/conversation-event.ts'
import { noTeams } from '../../../../shared/teams/no-teams.ts'

export function sampleRecord(id: string, agentIds: readonly string[]): ConversationRecord {
  return {
    v: 1,
    id,
    folder: '/project',
    title: 'Count the words',
    named: false,
    mainAgentId: agentIds[0] ?? 'a-main',
    agentIds: [...agentIds],
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
    rehearsal: false,
    scratch: false,
    queued: [],
    limits: null,
    ...noTeams,
  }
}

/** An event of the conversation's own log. */
export function conversationEvent(
  conversationId: string,
  { seq, order }: { readonly seq: number; readonly order: number },
  draft: ConversationEventDraft,
): ConversationEvent {
  return { v: 1, conversationId, seq, order, at: 1_700_000_000_000 + order, ...draft }
}

/** Event number 0. */
export function spawned(agentId: string): EventOf<'agent-spawned'> {
  // Parsed, so that defaults are filled in.
  return agentEvent.parse({
    ...head(agentId, 0),
    type: 'agent-spawned',
    conversationId: 'c-1',
    parentId: null,
    parentToolUseId: null,
    definition: {
      name: 'main',
      source: 'built-in',
      file: null,
      color: 'blue',
      readOnly: false,
      oneShot: false,
      reminder: null,
    },
    task: '',
    model: 'claude-test',
    system: 'You count words.',
    tools: [],
    permissionMode: 'default',
    cwd: '/project',
    maxTurns: 100,
    depth: 0,
  }) as EventOf<'agent-spawned'>
}

/** A notice with any text. */
export function notice(agentId: string, seq: number, text: string): EventOf<'notice'> {
  return { ...head(agentId, seq), type: 'notice', level: 'info', text }
}

export function ended(agentId: string, seq: number): EventOf<'agent-ended'> {
  return {
    ...head(agentId, seq),
    type: 'agent-ended',
    status: 'completed',
    report: 'There are 12 words.',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  }
}

/** The first `count` events of an agent: it is spawned, then notices, each of about `size` characters. */
export function sampleEvents(agentId: string, count: number, size = 20): AgentEvent[] {
  return Array.from({ length: count }, (_, seq) =>
    seq === 0 ? spawned(agentId) : notice(agentId, seq, `Number ${seq} of “many” ${'.'.repeat(size)}`),
  )
}

function head(agentId: string, seq: number) {
  return { v: 2 as const, agentId, seq, order: seq, at: 1_700_000_000_000 + seq }
}
