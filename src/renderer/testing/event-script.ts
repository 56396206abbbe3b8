/** Writes the events of agents for tests, stamped as a log would stamp them. */
import {
  type AgentEvent,
  type AgentEventDraft,
  type EventOf,
  plainSpawn,
} from '../../shared/events/agent-event.ts'
import { type AgentState, foldAgent } from '../../shared/state/agent-state.ts'

type SpawnChoices = Partial<Omit<EventOf<'agent-spawned'>, 'type' | 'agentId'>>

export class EventScript {
  private readonly seqs = new Map<string, number>()
  private order = 0
  private at = 1_700_000_000_000

  /** The next event of an agent. */
  next<D extends AgentEventDraft>(agentId: string, draft: D): EventOf<D['type']> {
    const seq = this.seqs.get(agentId) ?? 0
    this.seqs.set(agentId, seq + 1)
    this.order += 1
    this.at += 1000
    return { v: 2, agentId, seq, order: this.order, at: this.at, ...draft } as unknown as EventOf<D['type']>
  }

  spawn(agentId: string, choices: SpawnChoices = {}): EventOf<'agent-spawned'> {
    return this.next(agentId, {
      type: 'agent-spawned',
      conversationId: 'c1',
      parentId: null,
      parentToolUseId: null,
      definition: {
        name: agentId,
        source: 'built-in',
        file: null,
        color: 'blue',
        readOnly: false,
        oneShot: false,
        reminder: null,
        agentTypes: null,
        deniedAgentTypes: [],
        readFolders: [],
        writeFolders: [],
        memory: null,
        omitProjectInstructions: false,
        rules: { denied: [], only: [] },
        refused: [],
        digest: '',
      },
      task: `the task of ${agentId}`,
      model: 'sonnet',
      system: '',
      tools: [],
      permissionMode: 'default',
      neverAsks: false,
      cwd: '/work/shop',
      maxTurns: 20,
      depth: 0,
      ...plainSpawn,
      ...choices,
    })
  }

  says(agentId: string, text: string): AgentEvent {
    return this.next(agentId, {
      type: 'assistant-message',
      turn: 1,
      messageId: `m${this.order}`,
      model: 'sonnet',
      content: [{ type: 'text', text }],
      stopReason: 'end_turn',
      usage: { input: 10, output: 5, cacheRead: 30, cacheWrite: 0 },
      costUsd: 0.01,
      durationMs: 900,
      pace: [],
    })
  }

  uses(agentId: string, toolUseId: string, name = 'Read'): AgentEvent {
    return this.next(agentId, {
      type: 'assistant-message',
      turn: 1,
      messageId: `m${this.order}`,
      model: 'sonnet',
      content: [{ type: 'tool_use', id: toolUseId, name, input: {} }],
      stopReason: 'tool_use',
      usage: { input: 10, output: 5, cacheRead: 30, cacheWrite: 0 },
      costUsd: 0.01,
      durationMs: 900,
      pace: [],
    })
  }

  toolEnds(agentId: string, toolUseId: string, note = '12 lines'): AgentEvent {
    return this.next(agentId, {
      type: 'tool-ended',
      toolUseId,
      name: 'Read',
      isError: false,
      content: 'text',
      note,
      durationMs: 12,
      display: null,
      outputFile: null,
    })
  }

  asks(
    agentId: string,
    requestId: string,
    choices: Partial<
      Pick<EventOf<'permission-asked'>, 'subject' | 'because' | 'alwaysRule' | 'ruleOffers'>
    > = {},
  ): AgentEvent {
    return this.next(agentId, {
      type: 'permission-asked',
      requestId,
      toolUseId: `t-${requestId}`,
      toolName: 'Bash',
      subject: {
        kind: 'command',
        action: 'run a command',
        text: 'npm test',
        folder: '/work/shop',
      },
      because: 'No rule allows it.',
      alwaysRule: 'Bash(npm test)',
      remedy: '',
      ...choices,
    })
  }

  answered(
    agentId: string,
    requestId: string,
    choices: Partial<
      Pick<EventOf<'permission-answered'>, 'decision' | 'feedback' | 'rule' | 'answeredBy'>
    > = {},
  ): AgentEvent {
    return this.next(agentId, {
      type: 'permission-answered',
      requestId,
      toolUseId: `t-${requestId}`,
      decision: 'allow-once',
      feedback: null,
      ...choices,
    })
  }

  status(agentId: string, status: EventOf<'status-changed'>['status']): AgentEvent {
    return this.next(agentId, { type: 'status-changed', status, waitingFor: null })
  }
}

/** The state after these events of one agent. */
export function stateAfter(events: readonly AgentEvent[]): AgentState {
  const state = events.reduce<AgentState | null>(foldAgent, null)
  if (state === null) throw new Error('the script has no agent-spawned')
  return state
}
