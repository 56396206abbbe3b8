/**
 * An open conversation: the tree of agents under one main agent, its record and its log. It gives each event
 * its place in the order of all. What is done with the agents is in the files beside this one.
 */
import type { AgentEvent, EventOf, LiveEvent, SpendLimits } from '../../../shared/agent-event.ts'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { ConversationRecord, QueuedWords } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { ProgramPlaces } from '../definitions/program-places.ts'
import type { LimitReached } from '../loop/agent-run.ts'
import type { LoopDeps } from '../loop/run-agent.ts'
import type { ConversationLog, FolderFacts, LoadedDefinition, Ports } from '../ports.ts'
import type { RuntimeDelta } from '../runtime.ts'
import type { AnyTool } from '../tool.ts'
import type { AgentHome } from './agent-home.ts'
import { type AgentToolsDeps, describeTools, type Offers, toolsOf } from './agent-tools.ts'
import type { LetterReader } from './letter-reader.ts'
import { LiveAgent } from './live-agent.ts'
import { LogTrouble } from './log-trouble.ts'
import { MessageQueue } from './message-queue.ts'
import { Places } from './places.ts'
import type { AgentPlan, PlanDeps } from './plan-agent.ts'
import { readAgent } from './read-agent.ts'
import { offersIn, type SpawnSurroundings, surroundingsOf } from './spawn-surroundings.ts'
import { limitFor } from './spend-limit.ts'
import { WorktreeUse } from './worktree-use.ts'

export interface ConversationDeps {
  readonly ports: Ports
  readonly loop: LoopDeps
  readonly baseTools: readonly AnyTool[]
  readonly places: ProgramPlaces
  readonly letters: LetterReader
  /** The tools that start, write to and end other agents of this conversation. */
  toolsFor(conversation: Conversation): Pick<AgentToolsDeps, 'conversationTools' | 'startAgent'>
  publish(delta: RuntimeDelta): void
  /** The list's line of this conversation changed. */
  changed(conversation: Conversation): void
}

export class Conversation implements AgentHome {
  readonly id: string
  readonly deps: ConversationDeps
  readonly clock: Ports['clock']
  readonly ids: Ports['ids']
  readonly places: Places
  readonly log: ConversationLog
  readonly memory: Ports['memory']
  readonly worktrees: Ports['worktrees']
  readonly worktreeUse = new WorktreeUse()
  record: ConversationRecord
  readonly queue: MessageQueue
  /** Whom words waited for when the log was opened, until those go on with them. */
  readonly leftWords: Set<string>
  readonly planDeps: PlanDeps
  /** The main agent, and subagents that work. */
  readonly agents = new Map<string, LiveAgent>()
  /** Of agents that have ended only the state is kept. */
  readonly ended = new Map<string, AgentState>()
  /** Agents whose end is being written and told. */
  readonly leaving = new Map<string, LiveAgent>()
  /** Nothing is begun any more. */
  isClosing = false
  private order: number
  private saving: Promise<Result<void>> = Promise.resolve(ok(undefined))
  private nextSave: Promise<Result<void>> | null = null
  private readonly logTrouble: LogTrouble
  /** Read once, so that siblings share one prefix. */
  private facts: Promise<FolderFacts> | null = null

  /** `firstOrder` and `queued` are what a log that was reopened goes on with. */
  constructor(
    log: ConversationLog,
    deps: ConversationDeps,
    { firstOrder, queued }: { readonly firstOrder: number; readonly queued: readonly QueuedWords[] },
  ) {
    this.log = log
    this.record = log.record
    this.id = log.record.id
    this.order = firstOrder
    this.deps = deps
    this.clock = deps.ports.clock
    this.ids = deps.ports.ids
    this.memory = deps.ports.memory
    this.worktrees = deps.ports.worktrees
    this.places = new Places(() => deps.ports.policy.maxParallelAgents)
    this.queue = new MessageQueue(queued, () =>
      deps.publish({ type: 'queue', conversationId: this.id, queued: this.queue.shown() }),
    )
    this.leftWords = new Set(queued.map(({ agentId }) => agentId))
    this.logTrouble = new LogTrouble({
      flush: (agentId) => this.flushFor(agentId),
      save: () => this.save({}),
      tell: (agentIds, message) =>
        deps.publish({ type: 'log-trouble', conversationId: this.id, agentIds, message }),
    })
    this.planDeps = {
      models: deps.ports.models,
      baseTools: deps.baseTools,
      maxDepth: () => deps.ports.policy.maxDepth,
      ...deps.toolsFor(this),
    }
  }

  // ---- its agents ----

  get main(): LiveAgent | undefined {
    return this.agents.get(this.record.mainAgentId)
  }

  get folder(): string {
    return this.record.folder
  }

  isMain(agentId: string): boolean {
    return agentId === this.record.mainAgentId
  }

  /** Logs the first event of a new agent. The record names it from here on, and is still to be saved. */
  spawn(id: string, plan: AgentPlan, begun: Pick<LiveAgent, 'history'> | null): LiveAgent {
    const event: EventOf<'agent-spawned'> = {
      v: 1,
      agentId: id,
      seq: 0,
      order: this.nextOrder(),
      at: this.clock.now(),
      ...plan.spawn,
    }
    const agent = new LiveAgent(event, this, { tools: plan.tools, blocked: plan.blocked, ...begun })
    agent.isInPlace = true
    this.agents.set(id, agent)
    const { agentIds } = this.record
    if (!agentIds.includes(id)) this.record = { ...this.record, agentIds: [...agentIds, id] }
    this.log.append(event)
    this.publish(event)
    for (const text of plan.warnings) agent.emit({ type: 'notice', level: 'warning', text })
    return agent
  }

  /**
   * Does something with an agent, at once where it works; one that has ended is read from its transcript first.
   * Unless `act` starts it, only its state is kept again. Failures: `not-found`, and those of the store.
   */
  async withAgent<T>(agentId: string, act: (agent: LiveAgent) => T): Promise<Result<T>> {
    for (;;) {
      const here = this.agents.get(agentId)
      if (here) return ok(act(here))
      await this.leaving.get(agentId)?.run
      const end = this.ended.get(agentId)
      if (!end && !this.agents.has(agentId)) return fail(noSuchAgent)
      const read = await readAgent(this.deps.ports.store, agentId)
      if (!read.ok) return read
      // Two at once: the first one brought it back, and it may even have ended again.
      if (!end || this.ended.get(agentId) !== end) continue
      const { spawned, ...rest } = read.value
      const agent = new LiveAgent(spawned, this, { ...toolsOf(spawned, this.planDeps), ...rest })
      this.agents.set(agentId, agent)
      this.ended.delete(agentId)
      const done = act(agent)
      if (agent.run === null) this.putAway(agent)
      return ok(done)
    }
  }

  /** Its run is over: only its state is kept, and it comes back from its log once that is written. */
  leave(agent: LiveAgent): void {
    this.putAway(agent)
    this.leaving.set(agent.id, agent)
  }

  private putAway(agent: LiveAgent): void {
    this.agents.delete(agent.id)
    this.ended.set(agent.id, agent.state())
  }

  /** All that is still under way; nothing once it has settled. */
  runs(): readonly Promise<unknown>[] {
    return [...this.agents.values(), ...this.leaving.values()].flatMap(({ run }) => run ?? [])
  }

  /** All agents, in the order in which they were spawned. */
  states(): readonly AgentState[] {
    return this.record.agentIds.flatMap((id) => this.state(id) ?? [])
  }

  state(agentId: string): AgentState | null {
    return this.agents.get(agentId)?.state() ?? this.ended.get(agentId) ?? null
  }

  /** By id, or by the name that its spawn gave it; the latest of that name. */
  find(idOrName: string): AgentState | null {
    const wanted = idOrName.trim()
    return (
      this.state(wanted) ??
      this.states().findLast(({ name }) => name?.toLowerCase() === wanted.toLowerCase()) ??
      null
    )
  }

  /** Whether one of them was started by the other, directly or not. */
  isBelow(agentId: string, ancestorId: string): boolean {
    for (let at = this.state(agentId)?.parentId ?? null; at !== null; at = this.state(at)?.parentId ?? null)
      if (at === ancestorId) return true
    return false
  }

  get lastOrder(): number {
    return this.order - 1
  }

  get limits(): SpendLimits {
    return this.record.limits ?? this.deps.ports.policy.limits.conversation
  }

  /** Lets go of the log; nothing runs any more. */
  async close(): Promise<void> {
    await this.saving
    const own = this.main?.isInPlace ? this.main.state().worktree : null
    if (own !== null) await this.worktrees.release(own)
    await this.log.close()
  }

  // ---- what agents need ----

  nextOrder(): number {
    return this.order++
  }

  publish(event: AgentEvent): void {
    this.deps.publish({ type: 'event', conversationId: this.id, event })
    if (CHANGES_LIST.has(event.type)) this.deps.changed(this)
  }

  publishLive(event: LiveEvent): void {
    this.deps.publish({ type: 'live', conversationId: this.id, event })
  }

  logFailed(agentId: string, message: string, signal: AbortSignal): Promise<void> {
    return this.logTrouble.wait(agentId, message, signal)
  }

  /** For an agent that waits, or that has ended while it could not be written. */
  private async flushFor(agentId: string): Promise<Result<void>> {
    const taken = this.queue.takenInBy(agentId)
    const flushed = await this.log.flush(agentId)
    if (flushed.ok) this.queue.written(taken)
    return flushed
  }

  logWritten(agentId: string, messageIds: readonly string[]): void {
    this.logTrouble.written(agentId)
    // Should this save be lost, the message's id in the transcript keeps it from being read twice.
    if (this.queue.written(messageIds)) void this.save({})
  }

  /** Saves the record; while the disk refuses it, the agent waits for a person as it does for its log. */
  async saveFor(agentId: string, changes: Partial<ConversationRecord>, signal: AbortSignal): Promise<void> {
    for (;;) {
      const saved = await this.save(changes)
      if (saved.ok) return
      await this.logTrouble.wait(agentId, saved.failure.message, signal)
      if (signal.aborted) return
    }
  }

  retryLog(): Promise<Result<void>> {
    return this.logTrouble.retry()
  }

  takeMessages(agentId: string): readonly QueuedWords[] {
    return this.queue.takeIn(agentId)
  }

  limitFor(agentId: string): LimitReached | null {
    const { models } = this.deps.ports
    return limitFor(agentId, {
      states: this.states(),
      conversationLimits: this.limits,
      now: this.clock.now(),
      facts: (model) => models.facts(model),
    })
  }

  /** Writes the record with these changes, one write after the other; changes that wait share one write. */
  save(changes: Partial<ConversationRecord>): Promise<Result<void>> {
    this.record = { ...this.record, ...changes, queued: [...this.queue.all] }
    this.deps.changed(this)
    if (this.nextSave) return this.nextSave
    const next = this.saving.then(() => {
      this.nextSave = null
      return this.log.save(this.record)
    })
    this.nextSave = next
    this.saving = next
    return next
  }

  isTrusted(folder: string): boolean {
    return this.deps.ports.policy.trusted(folder)
  }

  /** Only the main agent is told of changes: others are soon done. */
  async describeTools(agentId: string): Promise<Readonly<Record<string, string>>> {
    const { main } = this
    if (main?.id !== agentId) return {}
    const { definition, depth } = main.state()
    return describeTools({ ...definition, depth }, await this.offers(), this.planDeps)
  }

  // ---- what a new agent is made of ----

  offers(): Promise<Offers> {
    return offersIn(this.record.folder, this.deps.ports)
  }

  surroundingsOf(definition: LoadedDefinition, offers: Offers): Promise<SpawnSurroundings> {
    const { ports, places } = this.deps
    return surroundingsOf(definition, { folder: this.record.folder, offers, places }, ports)
  }

  folderFacts(): Promise<FolderFacts> {
    this.facts ??= this.deps.ports.folders.facts(this.record.folder)
    return this.facts
  }

  today(): string {
    return new Date(this.clock.now()).toISOString().slice(0, 10)
  }
}

export const noSuchAgent = { type: 'not-found', message: 'There is no such agent in this conversation.' }

/** Events after which the list of conversations says something else. */
const CHANGES_LIST: ReadonlySet<AgentEvent['type']> = new Set([
  'agent-spawned',
  'status-changed',
  'permission-asked',
  'permission-answered',
  'agent-ended',
] as const)
