/**
 * The log of a conversation that no runtime writes: for tests, and for the scenes of the window. Each event gets its agent's
 * next number and the next order, fits the schema of the log, and is folded at once.
 */
import {
  type AgentEvent,
  type AgentEventDraft,
  type AgentEventType,
  agentEvent,
  EVENT_VERSION,
  type EventOf,
  noLimits,
  type PermissionSubject,
  type RuleOffer,
  type SpendLimits,
  type ToolDisplay,
} from '../events/agent-event.ts'
import type { ConversationRecord } from '../events/conversation.ts'
import { type AgentState, foldAgent } from '../state/agent-state.ts'
import type { ConversationSnapshot } from '../state/conversation-snapshot.ts'
import { noTeams } from '../teams/team.ts'
import { rowForName } from '../tools/row-for-name.ts'
import { type Fields, sampleDefinition, sampleEvent, sampleFields } from './sample-events.ts'

/** The limits of subagents by the default settings. */
export const subagentLimits: SpendLimits = { tokens: 5_000_000, usd: 5, ms: null, spawns: 25 }

type Spawn = Fields<'agent-spawned'>

/** An agent at work, with what its definition has. */
type Start = Partial<Omit<Spawn, 'name' | 'definition' | 'limits'>> & {
  readonly id: string
  readonly name: string
  readonly color: string
  readonly readOnly?: boolean
  readonly program?: Spawn['definition']['program']
  readonly limits?: Partial<SpendLimits>
  /** The call of the parent that starts it. */
  readonly call?: string
  readonly messageName?: string
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

/** One answer of a model: thinking, text, tool calls, and the Agent calls by the id of the agent that each starts. */
interface SampleAnswer {
  readonly thinking?: string
  readonly text?: string
  readonly tools?: readonly ToolUse[]
  readonly calls?: readonly { readonly agentId: string; readonly type: string; readonly task: string }[]
  readonly tokens?: number
  readonly cost?: number | null
  /** In tokens. Given: all tokens count for limits, as those of a model without cheaper cached ones. */
  readonly window?: number
}

export class SampleLog {
  readonly conversationId: string
  /** All events, in their order. */
  readonly events: AgentEvent[] = []
  /** The states of all agents. */
  readonly states = new Map<string, AgentState>()
  /** The time of the next event, ms since the epoch. */
  now: number
  private readonly step: number
  private lastUse = 0
  private readonly turns = new Map<string, number>()

  /** @param options.step how much later each event is than the one before, in ms */
  constructor({ conversationId = 'c1', now = 1_700_000_001_000, step = 1000 } = {}) {
    this.conversationId = conversationId
    this.now = now
    this.step = step
  }

  /**
   * The next event of an agent. It throws if it fits no schema, or if the agent does not exist yet. An agent that is spawned
   * again begins anew, as in another conversation.
   */
  next<D extends AgentEventDraft>(agentId: string, draft: D): EventOf<D['type']> {
    const last = this.states.get(agentId) ?? null
    const seq = last === null ? 0 : last.lastSeq + 1
    const head = { v: EVENT_VERSION, agentId, seq, order: this.events.length + 1, at: this.now }
    const event = { ...head, ...draft } as unknown as AgentEvent
    agentEvent.parse(event)
    const state = foldAgent(draft.type === 'agent-spawned' ? null : last, event)
    if (state === null) throw new Error(`${agentId} can't have ${draft.type} before it is spawned.`)
    this.states.set(agentId, state)
    this.events.push(event)
    this.now += this.step
    return event as unknown as EventOf<D['type']>
  }

  /** The next event of an agent, with its sample's fields where `more` has no others. */
  add<T extends AgentEventType>(agentId: string, type: T, more: Partial<Fields<T>> = {}): EventOf<T> {
    const draft = { type, ...sampleFields[type], ...more } as unknown as AgentEventDraft
    return this.next(agentId, draft) as EventOf<T>
  }

  pass(ms: number): this {
    this.now += ms
    return this
  }

  /** The state of an agent after its events so far. */
  stateOf(agentId: string): AgentState {
    const state = this.states.get(agentId)
    if (state === undefined) throw new Error(`${agentId} was not spawned.`)
    return state
  }

  /** The conversation as a window receives it. The first agent is the main agent. */
  snapshot(more: Partial<ConversationRecord> = {}): ConversationSnapshot {
    return snapshotOf(this.conversationId, [...this.states.values()], {
      createdAt: this.events[0]?.at ?? 0,
      updatedAt: this.events.at(-1)?.at ?? 0,
      named: true,
      ...more,
    })
  }

  /** The task is the id, so that a subagent is named after its id. */
  spawn(agentId: string, more: Partial<Spawn> = {}): EventOf<'agent-spawned'> {
    return this.add(agentId, 'agent-spawned', {
      conversationId: this.conversationId,
      definition: sampleDefinition({ name: agentId }),
      ...{ task: agentId, model: 'sonnet', system: '', cwd: '/work/shop', maxTurns: 20 },
      ...more,
    })
  }

  /** Spawns an agent of a scene, which begins to work. */
  starts({ id, name, color, readOnly = false, program, limits, call, messageName, ...more }: Start): void {
    const isMain = more.parentId === undefined
    const source = id === 'main' ? 'built-in' : 'project'
    this.spawn(id, {
      definition: sampleDefinition({ name, color, readOnly, source, ...(program && { program }) }),
      parentToolUseId: call ?? null,
      name: messageName ?? null,
      model: 'claude-sonnet-4-5',
      cwd: '/home/ada/src/checkout-service',
      maxTurns: isMain ? 100 : 40,
      depth: isMain ? 0 : 1,
      ...more,
      limits: { ...(isMain ? noLimits : subagentLimits), ...limits },
    })
    this.status(id, 'running')
  }

  /** The main agent of a scene begins to work on a message of the user. */
  begins(text: string): this {
    this.starts({ id: 'main', name: 'main', color: 'neutral', task: '' })
    this.receives('main', text, 'user')
    return this
  }

  status(
    agentId: string,
    status: EventOf<'status-changed'>['status'],
    waitingFor: EventOf<'status-changed'>['waitingFor'] = null,
  ): AgentEvent {
    return this.next(agentId, { type: 'status-changed', status, waitingFor })
  }

  /** The clock of an agent stands still while all that it waits for wait for the user. */
  holds(agentId: string): AgentEvent {
    return this.next(agentId, {
      ...{ type: 'status-changed', status: 'waiting', waitingFor: 'children', held: true },
    })
  }

  receives(
    agentId: string,
    text: string,
    from: EventOf<'user-message'>['from'] = 'parent',
    more: Partial<Fields<'user-message'>> = {},
  ): AgentEvent {
    const content = [{ type: 'text' as const, text }]
    return this.add(agentId, 'user-message', { messageId: `u${this.events.length}`, from, content, ...more })
  }

  /** A message without its request. */
  says(agentId: string, text: string): AgentEvent {
    return this.message(agentId, { content: [{ type: 'text', text }], stopReason: 'end_turn' })
  }

  /** A message with one call, without its request and its start. */
  uses(agentId: string, toolUseId: string, name = 'Read'): AgentEvent {
    return this.message(agentId, { content: [{ type: 'tool_use', id: toolUseId, name, input: {} }] })
  }

  private message(agentId: string, more: Partial<Fields<'assistant-message'>>): AgentEvent {
    return this.add(agentId, 'assistant-message', {
      ...{ messageId: `m${this.events.length}`, model: 'sonnet', durationMs: 900, pace: [] },
      usage: { input: 10, output: 5, cacheRead: 30, cacheWrite: 0 },
      ...more,
    })
  }

  /** A whole answer of the model: its request, its message, and its calls with their results. */
  answers(
    agentId: string,
    { thinking, text, tools = [], calls = [], tokens = 3800, cost, window }: SampleAnswer,
  ): void {
    const turn = (this.turns.get(agentId) ?? 0) + 1
    const model = 'claude-sonnet-4-5'
    this.turns.set(agentId, turn)
    this.next(agentId, { type: 'request-started', turn, attempt: 1, model })
    const uses = tools.map((use) => ({ input: { path: use.summary }, ...use, id: `toolu_${++this.lastUse}` }))
    const share = (part: number) => Math.round(tokens * part)
    const isCall = uses.length > 0 || calls.length > 0
    this.message(agentId, {
      turn,
      model,
      content: [
        ...(thinking === undefined ? [] : [{ type: 'thinking' as const, thinking, signature: '' }]),
        ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
        ...uses.map(({ id, tool: name, input }) => ({ type: 'tool_use' as const, id, name, input })),
        ...calls.map((call) => ({
          type: 'tool_use' as const,
          id: callOf(call.agentId),
          name: 'Agent',
          input: { description: call.task, subagent_type: call.type, prompt: call.task },
        })),
      ],
      stopReason: isCall ? 'tool_use' : 'end_turn',
      usage: { input: share(0.09), output: share(0.1), cacheRead: share(0.73), cacheWrite: share(0.08) },
      costUsd: cost === undefined ? tokens * 0.0000035 : cost,
      durationMs: 2400,
      ...(window !== undefined && { contextWindow: window, countedTokens: tokens }),
    })
    for (const use of uses) this.runs(agentId, use)
    for (const call of calls)
      this.toolStarts(agentId, { toolUseId: callOf(call.agentId), name: 'Agent', summary: call.task })
  }

  /** Skips to a turn without new rows: for figures like 9/15. */
  reachTurn(agentId: string, turn: number): void {
    this.turns.set(agentId, turn - 1)
  }

  private runs(
    agentId: string,
    { id: toolUseId, tool: name, ...use }: ToolUse & { readonly id: string },
  ): void {
    this.toolStarts(agentId, { toolUseId, name, summary: use.summary, input: use.input })
    if (use.note === undefined) return
    const durationMs = use.ms ?? 300
    this.pass(durationMs)
    this.next(agentId, {
      ...{ type: 'tool-ended', toolUseId, name, durationMs, note: use.note, content: use.output ?? use.note },
      ...{ isError: use.isError ?? false, display: use.display ?? null, outputFile: null },
    })
  }

  private toolStarts(
    agentId: string,
    call: Pick<Fields<'tool-started'>, 'toolUseId' | 'name' | 'summary'> & { readonly input?: unknown },
  ): void {
    const sideEffects = ['Bash', 'Write', 'Edit'].includes(call.name)
    this.add(agentId, 'tool-started', { input: {}, ...call, row: rowForName(call.name), sideEffects })
  }

  toolEnds(agentId: string, toolUseId: string, note = '12 lines'): AgentEvent {
    return this.add(agentId, 'tool-ended', { toolUseId, name: 'Read', content: 'text', note, durationMs: 12 })
  }

  asks(agentId: string, requestId: string, more: Partial<Fields<'permission-asked'>> = {}): AgentEvent {
    return this.add(agentId, 'permission-asked', {
      requestId,
      toolUseId: `t-${requestId}`,
      toolName: 'Bash',
      subject: { kind: 'command', action: 'run a command', text: 'npm test', folder: '/work/shop' },
      because: 'No rule allows it.',
      alwaysRule: 'Bash(npm test)',
      ...more,
    })
  }

  answered(
    agentId: string,
    requestId: string,
    more: Partial<Fields<'permission-answered'>> = {},
  ): AgentEvent {
    return this.add(agentId, 'permission-answered', {
      ...{ requestId, toolUseId: `t-${requestId}`, decision: 'allow-once', feedback: null },
      ...more,
    })
  }

  /** Makes a call that needs permission, and waits for it. Returns the id of the permission request. */
  waits(
    agentId: string,
    toolName: string,
    subject: PermissionSubject,
    because: string,
    always: string | null | readonly RuleOffer[] = null,
    costUsd: number | null = 0.004,
  ): string {
    const toolUseId = `toolu_${++this.lastUse}`
    this.message(agentId, {
      turn: this.turns.get(agentId) ?? 1,
      model: 'claude-sonnet-4-5',
      content: [{ type: 'tool_use', id: toolUseId, name: toolName, input: { command: subject.text } }],
      stopReason: 'tool_use',
      usage: { input: 40, output: 80, cacheRead: 2600, cacheWrite: 120 },
      costUsd,
    })
    const requestId = `prompt_${this.lastUse}`
    this.asks(agentId, requestId, {
      ...{ toolUseId, toolName, subject, because },
      alwaysRule: typeof always === 'string' ? always : (always?.[0]?.rule ?? null),
      ...(always !== null && typeof always !== 'string' && { ruleOffers: always }),
    })
    this.status(agentId, 'waiting', 'permission')
    return requestId
  }

  /** Ends an agent, with what it runs, and the call of its parent that started it. */
  ends(
    agentId: string,
    report: string,
    status: EventOf<'agent-ended'>['status'] = 'completed',
    failure: string | null = null,
  ): void {
    const { parentId, parentToolUseId, spawnedAt } = this.stateOf(agentId)
    const isStopped = status === 'stopped'
    if (isStopped)
      for (const [toolUseId, name] of this.openCalls(agentId))
        this.add(agentId, 'tool-ended', { toolUseId, name, isError: true, note: 'stopped', durationMs: 0 })
    this.add(agentId, 'agent-ended', {
      ...{ status, report },
      ...(isStopped && { stoppedBy: 'user', stopId: `s-${agentId}` }),
      failure: failure === null ? null : { type: 'api', message: failure },
    })
    if (parentId === null || parentToolUseId === null) return
    this.next(parentId, {
      ...{ type: 'tool-ended', toolUseId: parentToolUseId, name: 'Agent', isError: status === 'failed' },
      note: `${this.turns.get(agentId) ?? 1} turns`,
      durationMs: this.now - spawnedAt,
      ...{ content: report, display: { kind: 'agent', agentId }, outputFile: null },
    })
  }

  /** The names of the calls without a result, by their ids. */
  private openCalls(agentId: string): ReadonlyMap<string, string> {
    const open = new Map<string, string>()
    for (const event of this.events) {
      if (event.agentId !== agentId) continue
      if (event.type === 'tool-started') open.set(event.toolUseId, event.name)
      if (event.type === 'permission-asked') open.set(event.toolUseId, event.toolName)
      if (event.type === 'tool-ended') open.delete(event.toolUseId)
    }
    return open
  }
}

/** The id of the Agent call that starts an agent. */
export function callOf(agentId: string): string {
  return `toolu_agent_${agentId}`
}

/** The state after these events of one agent, of which the first starts it. */
export function stateAfter(events: readonly AgentEvent[]): AgentState {
  const state = events.reduce<AgentState | null>(foldAgent, null)
  if (state === null) throw new Error('The events have no agent-spawned.')
  return state
}

/** The state of an agent that was just started. */
export function sampleAgent(more: Partial<Omit<EventOf<'agent-spawned'>, 'type'>> = {}): AgentState {
  return stateAfter([sampleEvent('agent-spawned', more)])
}

/** The record of a conversation with these agents, the main agent first. */
export function sampleRecord(
  id: string,
  agentIds: readonly string[] = ['main'],
  more: Partial<ConversationRecord> = {},
): ConversationRecord {
  return {
    v: 1,
    id,
    folder: '/work/shop',
    title: `Conversation ${id}`,
    named: false,
    mainAgentId: agentIds[0] ?? 'main',
    agentIds: [...agentIds],
    createdAt: 0,
    updatedAt: 0,
    rehearsal: false,
    scratch: false,
    pinned: false,
    archived: false,
    queued: [],
    limits: null,
    ...noTeams,
    ...more,
  }
}

/** The answer to a subscription: a conversation with these agents, the main agent first. */
export function snapshotOf(
  conversationId: string,
  agents: readonly AgentState[] = [stateAfter([new SampleLog().spawn('main', { task: '' })])],
  more: Partial<ConversationRecord> = {},
): ConversationSnapshot {
  return {
    record: sampleRecord(
      conversationId,
      agents.map(({ id }) => id),
      more,
    ),
    readOnly: false,
    agents,
    order: Math.max(10, ...agents.map(({ lastOrder }) => lastOrder)),
  }
}
