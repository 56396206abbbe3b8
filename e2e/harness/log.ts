/** Writes the events of one conversation as the runtime would: with numbers, times and usage. */
import {
  type AgentEvent,
  type AgentEventDraft,
  type EventOf,
  noLimits,
  type PermissionSubject,
  type RuleOffer,
  type SpendLimits,
  type ToolDisplay,
} from '../../src/shared/events/agent-event.ts'
import { SampleLog, sampleDefinition } from '../../src/shared/testing/sample-events.ts'
import { rowForName } from '../../src/shared/tools/row-for-name.ts'

/** The default limits of the settings. */
export const conversationLimits: SpendLimits = {
  tokens: 50_000_000,
  usd: 20,
  usdByDefault: true,
  ms: null,
  spawns: null,
}
export const subagentLimits: SpendLimits = { tokens: 5_000_000, usd: 5, ms: null, spawns: 25 }

interface Spawn {
  readonly id: string
  readonly name: string
  readonly color: string
  readonly task: string
  readonly parentId?: string
  readonly call?: string
  readonly maxTurns?: number
  readonly model?: string
  readonly cwd?: string
  readonly readOnly?: boolean
  readonly depth?: number
  readonly limits?: Partial<SpendLimits>
  readonly background?: boolean
  readonly inherits?: EventOf<'agent-spawned'>['inherits']
  readonly messageName?: string
  readonly teamId?: string
  readonly backing?: EventOf<'agent-spawned'>['backing']
  readonly program?: EventOf<'agent-spawned'>['definition']['program']
  readonly childSession?: string
}

interface ToolUse {
  readonly tool: string
  readonly summary: string
  readonly input?: unknown
  /** Absent: the tool still runs. */
  readonly note?: string
  readonly output?: string
  readonly display?: ToolDisplay
  readonly isError?: boolean
  readonly ms?: number
}

/** The Agent calls of one message, by the id of the agent that each starts. */
type Calls = readonly { readonly agentId: string; readonly type: string; readonly task: string }[]

export class ConversationLog extends SampleLog {
  readonly conversationId: string
  private uses = 0
  private readonly turns = new Map<string, number>()

  /** Its time stands until `pass` advances it. */
  constructor(conversationId: string, startedAt: number) {
    super(startedAt, 0)
    this.conversationId = conversationId
  }

  pass(ms: number): this {
    this.now += ms
    return this
  }

  write(agentId: string, draft: AgentEventDraft): AgentEvent {
    return this.next(agentId, draft)
  }

  spawn(agent: Spawn): void {
    this.add(agent.id, 'agent-spawned', {
      conversationId: this.conversationId,
      parentId: agent.parentId ?? null,
      parentToolUseId: agent.call ?? null,
      definition: sampleDefinition({
        name: agent.name,
        source: agent.id === 'main' ? 'built-in' : 'project',
        color: agent.color,
        readOnly: agent.readOnly ?? false,
        ...(agent.program && { program: agent.program }),
      }),
      task: agent.task,
      model: agent.model ?? 'claude-sonnet-4-5',
      system: '',
      cwd: agent.cwd ?? '/home/ada/src/checkout-service',
      maxTurns: agent.maxTurns ?? 40,
      background: agent.background ?? false,
      inherits: agent.inherits ?? null,
      name: agent.messageName ?? null,
      teamId: agent.teamId ?? null,
      backing: agent.backing ?? 'in-process',
      ...(agent.childSession && { childSession: agent.childSession }),
      depth: agent.depth ?? (agent.parentId === undefined ? 0 : 1),
      limits: { ...(agent.parentId === undefined ? noLimits : subagentLimits), ...agent.limits },
    })
    this.status(agent.id, 'running')
  }

  status(
    agentId: string,
    status: EventOf<'status-changed'>['status'],
    waitingFor: EventOf<'status-changed'>['waitingFor'] = null,
  ): void {
    this.write(agentId, { type: 'status-changed', status, waitingFor })
  }

  receives(
    agentId: string,
    text: string,
    from: EventOf<'user-message'>['from'] = 'parent',
    more: Partial<Pick<EventOf<'user-message'>, 'sender' | 'broadcast'>> = {},
  ): AgentEvent {
    return this.write(agentId, {
      type: 'user-message',
      messageId: `u${this.events.length}`,
      from,
      sender: null,
      content: [{ type: 'text', text }],
      ...more,
    })
  }

  /** One answer of the model: thinking, text, and tool calls. */
  answers(
    agentId: string,
    parts: {
      thinking?: string
      text?: string
      tools?: readonly ToolUse[]
      calls?: Calls
      tokens?: number
      cost?: number | null
    },
  ): void {
    const turn = (this.turns.get(agentId) ?? 0) + 1
    this.turns.set(agentId, turn)
    this.write(agentId, { type: 'request-started', turn, attempt: 1, model: 'claude-sonnet-4-5' })
    const tokens = parts.tokens ?? 3800
    const uses = (parts.tools ?? []).map((use) => {
      this.uses += 1
      return { ...use, id: `toolu_${this.uses}` }
    })
    this.write(agentId, {
      type: 'assistant-message',
      turn,
      messageId: `msg_${this.events.length}`,
      model: 'claude-sonnet-4-5',
      content: [
        ...(parts.thinking === undefined
          ? []
          : [{ type: 'thinking' as const, thinking: parts.thinking, signature: '' }]),
        ...(parts.text === undefined ? [] : [{ type: 'text' as const, text: parts.text }]),
        ...uses.map((use) => ({
          type: 'tool_use' as const,
          id: use.id,
          name: use.tool,
          input: use.input ?? { path: use.summary },
        })),
        ...(parts.calls ?? []).map((call) => ({
          type: 'tool_use' as const,
          id: callOf(call.agentId),
          name: 'Agent',
          input: { description: call.task, subagent_type: call.type, prompt: call.task },
        })),
      ],
      stopReason: uses.length > 0 || parts.calls ? 'tool_use' : 'end_turn',
      usage: {
        input: Math.round(tokens * 0.09),
        output: Math.round(tokens * 0.1),
        cacheRead: Math.round(tokens * 0.73),
        cacheWrite: Math.round(tokens * 0.08),
      },
      costUsd: parts.cost === undefined ? tokens * 0.0000035 : parts.cost,
      durationMs: 2400,
      pace: [],
    })
    for (const use of uses) this.runs(agentId, use)
    for (const call of parts.calls ?? [])
      this.write(agentId, {
        type: 'tool-started',
        toolUseId: callOf(call.agentId),
        name: 'Agent',
        input: {},
        summary: call.task,
        row: rowForName('Agent'),
        sideEffects: false,
      })
  }

  /** Skips to a turn without new rows: for figures like 9/15. */
  reachTurn(agentId: string, turn: number): void {
    this.turns.set(agentId, turn - 1)
  }

  private runs(agentId: string, use: ToolUse & { readonly id: string }): void {
    this.write(agentId, {
      type: 'tool-started',
      toolUseId: use.id,
      name: use.tool,
      input: use.input ?? { path: use.summary },
      summary: use.summary,
      row: rowForName(use.tool),
      sideEffects: use.tool === 'Bash' || use.tool === 'Write' || use.tool === 'Edit',
    })
    if (use.note === undefined) return
    this.pass(use.ms ?? 300)
    this.write(agentId, {
      type: 'tool-ended',
      toolUseId: use.id,
      name: use.tool,
      isError: use.isError ?? false,
      content: use.output ?? use.note,
      note: use.note,
      durationMs: use.ms ?? 300,
      display: use.display ?? null,
      outputFile: null,
    })
  }

  /** Makes a call that needs permission. Returns the id of the permission request. */
  asks(
    agentId: string,
    tool: string,
    subject: PermissionSubject,
    because: string,
    always: string | null | readonly RuleOffer[] = null,
  ): string {
    const turn = this.turns.get(agentId) ?? 1
    this.uses += 1
    const toolUseId = `toolu_${this.uses}`
    this.write(agentId, {
      type: 'assistant-message',
      turn,
      messageId: `msg_${this.events.length}`,
      model: 'claude-sonnet-4-5',
      content: [{ type: 'tool_use', id: toolUseId, name: tool, input: { command: subject.text } }],
      stopReason: 'tool_use',
      usage: { input: 40, output: 80, cacheRead: 2600, cacheWrite: 120 },
      costUsd: 0.004,
      durationMs: 900,
      pace: [],
    })
    const requestId = `prompt_${this.uses}`
    this.write(agentId, {
      type: 'permission-asked',
      requestId,
      toolUseId,
      toolName: tool,
      subject,
      because,
      alwaysRule: typeof always === 'string' ? always : (always?.[0]?.rule ?? null),
      ...(always !== null && typeof always !== 'string' && { ruleOffers: always }),
      remedy: '',
    })
    this.status(agentId, 'waiting', 'permission')
    return requestId
  }

  ends(
    agentId: string,
    report: string,
    status: EventOf<'agent-ended'>['status'] = 'completed',
    failure: string | null = null,
  ): void {
    const call = this.events.find((event) => event.type === 'agent-spawned' && event.agentId === agentId)
    this.write(agentId, {
      type: 'agent-ended',
      status,
      report,
      failure: failure === null ? null : { type: 'api', message: failure },
      reachedLimit: null,
      limitOf: null,
    })
    if (call?.type !== 'agent-spawned' || call.parentId === null || call.parentToolUseId === null) return
    this.write(call.parentId, {
      type: 'tool-ended',
      toolUseId: call.parentToolUseId,
      name: 'Agent',
      isError: status === 'failed',
      content: report,
      note: `${this.turns.get(agentId) ?? 1} turns`,
      durationMs: this.now - call.at,
      display: { kind: 'agent', agentId },
      outputFile: null,
    })
  }
}

/** The id of the Agent call that starts an agent. */
export function callOf(agentId: string): string {
  return `toolu_agent_${agentId}`
}
