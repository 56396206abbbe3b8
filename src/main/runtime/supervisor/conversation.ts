/**
 * An open conversation: the tree of agents under one main agent. It starts them, hands them messages and
 * answers, stops them, and gives each event its place in the order of all.
 */
import type { AgentEvent, LiveEvent, PermissionMode } from '../../../shared/agent-event.ts'
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import { textOf, type UserBlock } from '../../../shared/content.ts'
import type { ConversationRecord, QueuedWords } from '../../../shared/conversation.ts'
import type { QueuedMessage } from '../../../shared/ipc-contract.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { ProgramPlaces } from '../definitions/program-places.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import { type LoopDeps, runAgent } from '../loop/run-agent.ts'
import { narrowerMode } from '../permissions/permission-modes.ts'
import type { ConversationLog, FolderFacts, LoadedDefinition, Ports } from '../ports.ts'
import type { PermissionAnswer, RuntimeDelta } from '../runtime.ts'
import type { AnyTool, ToolContext, ToolOutcome } from '../tool.ts'
import { toolError } from '../tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import { describeTools, mayStart, type Offers, toolsOf } from './agent-tools.ts'
import { endAgent } from './end-agent.ts'
import { type AgentHome, LiveAgent } from './live-agent.ts'
import { LogTrouble } from './log-trouble.ts'
import { Places } from './places.ts'
import { findDefinition, type PlanDeps, planAgent } from './plan-agent.ts'
import { readAgent } from './read-agent.ts'
import { reportOutcome } from './report.ts'
import { offersIn, type SpawnSurroundings, surroundingsOf } from './spawn-surroundings.ts'
import { titleFrom } from './title-from.ts'

export interface ConversationDeps {
  readonly ports: Ports
  readonly loop: LoopDeps
  readonly baseTools: readonly AnyTool[]
  readonly places: ProgramPlaces
  publish(delta: RuntimeDelta): void
  /** The list's line of this conversation changed. */
  changed(conversation: Conversation): void
}

export class Conversation implements AgentHome {
  readonly id: string
  readonly clock: Ports['clock']
  readonly ids: Ports['ids']
  readonly places: Places
  readonly log: ConversationLog
  record: ConversationRecord
  /** The main agent, and subagents that have not ended. */
  readonly agents = new Map<string, LiveAgent>()
  /** Of agents that have ended only the state is kept. */
  readonly ended = new Map<string, AgentState>()
  private readonly deps: ConversationDeps
  private order: number
  private queue: QueuedWords[]
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
    this.queue = [...queued]
    this.places = new Places(() => deps.ports.policy.maxParallelAgents)
    this.logTrouble = new LogTrouble({
      flush: (agentId) => log.flush(agentId),
      save: () => this.save({}),
      tell: (agentIds, message) =>
        deps.publish({ type: 'log-trouble', conversationId: this.id, agentIds, message }),
    })
  }

  get isBusy(): boolean {
    return this.main?.run != null
  }

  get main(): LiveAgent | undefined {
    return this.agents.get(this.record.mainAgentId)
  }

  get planDeps(): PlanDeps {
    return {
      models: this.deps.ports.models,
      baseTools: this.deps.baseTools,
      startAgent: (call, context) => this.startSubagent(call, context),
    }
  }

  // ---- spawning ----

  /** Makes the main agent; it waits for its first message. */
  async spawnMain(options: {
    readonly definition: LoadedDefinition
    readonly offers: Offers
    readonly model: string
    readonly maxTurns: number | null
    readonly permissionMode: PermissionMode
  }): Promise<Result<void>> {
    const around = await this.surroundingsOf(options.definition, options.offers)
    const plan = planAgent(
      {
        ...options,
        ...around,
        conversationId: this.id,
        parent: null,
        scratch: this.record.scratch,
        task: '',
        folder: this.record.folder,
        facts: await this.folderFacts(),
        date: this.today(),
      },
      this.planDeps,
    )
    const agent = this.add(this.record.mainAgentId, plan, around)
    const { initialPrompt } = options.definition
    // It is read with the first message, before it.
    if (initialPrompt !== null)
      agent.emit({
        type: 'user-message',
        messageId: this.ids.next('m'),
        from: 'user',
        sender: null,
        content: [{ type: 'text', text: initialPrompt }],
      })
    agent.emit({ type: 'status-changed', status: 'waiting', waitingFor: 'message' })
    const flushed = await this.log.flush(agent.id)
    return flushed.ok ? this.save({}) : flushed
  }

  private add(
    id: string,
    plan: ReturnType<typeof planAgent>,
    { missingSkills }: SpawnSurroundings,
  ): LiveAgent {
    const event = {
      v: 1 as const,
      agentId: id,
      seq: 0,
      order: this.nextOrder(),
      at: this.clock.now(),
      ...plan.spawn,
    }
    const agent = new LiveAgent(event, this, { tools: plan.tools, blocked: plan.blocked })
    this.agents.set(id, agent)
    this.log.append(event)
    this.publish(event)
    for (const name of missingSkills)
      agent.emit({
        type: 'notice',
        level: 'warning',
        text: `There is no skill ${name}, so its text is not in the prompt.`,
      })
    return agent
  }

  private async startSubagent(call: AgentCall, context: ToolContext): Promise<ToolOutcome> {
    const parent = this.agents.get(context.agentId)
    if (!parent) return toolError('The agent that calls is gone.')
    const state = parent.state()
    const offers = await this.offers()
    const allowed = offers.definitions.filter((other) => mayStart(state.definition, other))
    const found = findDefinition(allowed, call.subagent_type ?? 'general-purpose')
    if (!found.ok)
      return toolError(
        found.failure.message,
        found.failure.type === 'unknown-agent' ? 'unknown agent' : 'not started',
      )

    const around = await this.surroundingsOf(found.value, offers)
    const plan = planAgent(
      {
        ...around,
        conversationId: this.id,
        scratch: false,
        parent: {
          id: parent.id,
          toolUseId: context.toolUseId,
          depth: state.depth,
          model: state.model,
          permissionMode: state.permissionMode,
          readOnly: state.definition.readOnly,
        },
        task: call.description,
        model: call.model ?? null,
        maxTurns: call.max_turns ?? null,
        permissionMode: state.permissionMode,
        folder: parent.session.root,
        facts: await this.folderFacts(),
        date: this.today(),
      },
      this.planDeps,
    )
    if (context.signal.aborted) return toolError('Stopped before the agent was started.', 'stopped')
    // Looked at last, with nothing to wait for between here and the agent: calls come in parallel.
    const { maxAgents } = this.deps.ports.policy
    if (this.agents.size + this.ended.size >= maxAgents)
      return toolError(
        `This conversation has had its ${maxAgents} agents, so no more can be started. Do the rest yourself, or ask the user to raise the limit in the settings.`,
        'limit reached',
      )
    const child = this.add(this.ids.next('a'), plan, around)
    child.emit({
      type: 'user-message',
      messageId: this.ids.next('m'),
      from: 'parent',
      sender: null,
      content: [{ type: 'text', text: call.prompt }],
    })
    const saved = await this.save({ agentIds: [...this.record.agentIds, child.id] })
    if (!saved.ok) child.emit({ type: 'notice', level: 'error', text: saved.failure.message })

    const stop = () => child.controller.abort()
    context.signal.addEventListener('abort', stop, { once: true })
    if (context.signal.aborted) stop()
    try {
      const run = this.runSubagent(child)
      child.run = run
      return await parent.waitFor('children', run)
    } finally {
      context.signal.removeEventListener('abort', stop)
    }
  }

  private async runSubagent(child: LiveAgent): Promise<ToolOutcome> {
    const startedAt = this.clock.now()
    const { signal } = child.controller
    const end = await this.runLoop(child, 0)
    endAgent(child, end)
    // The report is on the disk before the parent builds on it.
    await child.flush(signal)
    this.agents.delete(child.id)
    this.ended.set(child.id, child.state())
    return reportOutcome(child.state(), end, this.clock.now() - startedAt)
  }

  /** A bug in the loop fails the agent, in the open, and not the program. */
  private async runLoop(agent: LiveAgent, startTurn: number): Promise<RunEnd> {
    const { signal } = agent.controller
    try {
      const end = await runAgent(agent, startTurn, this.deps.loop, signal)
      return signal.aborted ? { kind: 'stopped' } : end
    } catch (thrown) {
      return { kind: 'failed', type: 'bug', message: `Troupe itself failed here: ${messageOf(thrown)}` }
    }
  }

  // ---- messages ----

  /** Queues words for an agent; an idle main agent starts on them. */
  async say(
    agentId: string,
    content: readonly UserBlock[],
  ): Promise<Result<{ messageId: string; queued: boolean }>> {
    const found = await this.agentToSpeakTo(agentId)
    if (!found.ok) return found
    const agent = found.value
    const isMain = agentId === this.record.mainAgentId
    const words: QueuedWords = {
      messageId: this.ids.next('m'),
      agentId,
      content: [...content],
      from: 'user',
      sender: null,
    }
    const busy = agent.run !== null
    this.queue.push(words)
    const title = this.record.named || this.record.title !== '' ? {} : { title: titleFrom(content) }
    const saved = await this.save({ ...title, updatedAt: this.clock.now() })
    if (!saved.ok) {
      this.queue = this.queue.filter((other) => other !== words)
      return saved
    }
    if (this.queue.includes(words)) this.publishQueue()
    if (agent.run === null) {
      if (isMain) this.startMain(agent)
      else this.startAgain(agent)
    }
    return ok({ messageId: words.messageId, queued: busy })
  }

  /** An agent that has ended is read from its transcript, to go on from there. */
  private async agentToSpeakTo(agentId: string): Promise<Result<LiveAgent>> {
    const here = this.agents.get(agentId)
    if (here) return ok(here)
    if (!this.ended.has(agentId))
      return fail({ type: 'not-found', message: 'There is no such agent in this conversation.' })
    const read = await readAgent(this.deps.ports.store, agentId)
    if (!read.ok) return read
    // Two messages at once: the first one brought it back.
    const meanwhile = this.agents.get(agentId)
    if (meanwhile) return ok(meanwhile)
    const { spawned, state, history } = read.value
    const agent = new LiveAgent(spawned, this, { ...toolsOf(spawned, this.planDeps), history, state })
    this.agents.set(agentId, agent)
    this.ended.delete(agentId)
    return ok(agent)
  }

  /** A subagent goes on because a person spoke to it: what it says is for them, its parent had its report. */
  private startAgain(agent: LiveAgent): void {
    agent.run = this.runSubagent(agent)
  }

  /** Goes on where messages wait, or results that the model has not seen. */
  private startMain(main: LiveAgent): void {
    if (main.controller.signal.aborted) main.controller = new AbortController()
    main.run = this.runMain(main).then((goesOn) => {
      main.run = null
      this.deps.changed(this)
      // A message may have come between the last look at the queue and now.
      if (goesOn && this.hasWordsFor(main)) this.startMain(main)
    })
  }

  /** False where it failed or was stopped: then only a new message starts it again. */
  private async runMain(main: LiveAgent): Promise<boolean> {
    const { signal } = main.controller
    do {
      const end = await this.runLoop(main, 0)
      if (end.kind !== 'answered') {
        endAgent(main, end)
        await main.flush(signal)
        return false
      }
    } while (this.hasWordsFor(main))
    main.leavePlace()
    main.emit({ type: 'status-changed', status: 'waiting', waitingFor: 'message' })
    await main.flush(signal)
    return true
  }

  private hasWordsFor(agent: LiveAgent): boolean {
    return this.queue.some((words) => words.agentId === agent.id)
  }

  takeMessages(agentId: string): readonly QueuedWords[] {
    const taken = this.queue.filter((words) => words.agentId === agentId)
    if (taken.length === 0) return taken
    this.queue = this.queue.filter((words) => words.agentId !== agentId)
    // Should this save be lost, the message's id in the transcript keeps it from being read twice.
    void this.save({})
    this.publishQueue()
    return taken
  }

  unqueue(messageId: string): Result<{ text: string }> {
    const words = this.queue.find((other) => other.messageId === messageId)
    if (!words) return fail({ type: 'not-found', message: 'This message was already read.' })
    this.queue = this.queue.filter((other) => other !== words)
    void this.save({})
    this.publishQueue()
    return ok({ text: textOf(words.content) })
  }

  queued(): readonly QueuedMessage[] {
    return this.queue.map(({ content, ...words }) => ({ ...words, text: textOf(content) }))
  }

  private publishQueue(): void {
    this.deps.publish({ type: 'queue', conversationId: this.id, queued: this.queued() })
  }

  // ---- control ----

  /** Stops one agent and what it started; resolves when nothing of it runs any more. */
  async stop(agentId: string): Promise<Result<void>> {
    const agent = this.agents.get(agentId)
    if (!agent)
      return this.ended.has(agentId)
        ? ok(undefined)
        : fail({ type: 'not-found', message: 'There is no such agent in this conversation.' })
    agent.controller.abort()
    await agent.run?.catch(() => undefined)
    return ok(undefined)
  }

  /** Stops every agent that runs, those that a person brought back too. */
  async stopAll(): Promise<void> {
    const running = [...this.agents.values()].filter((agent) => agent.run !== null)
    for (const agent of running) agent.controller.abort()
    await Promise.all(running.map((agent) => agent.run?.catch(() => undefined)))
  }

  answer(agentId: string, promptId: string, answer: PermissionAnswer): Result<void> {
    if (this.agents.get(agentId)?.answer(promptId, answer)) return ok(undefined)
    return fail({ type: 'not-found', message: 'This question is no longer open.' })
  }

  /** The main agent's mode; the others follow as far as their definitions let them. */
  setMode(mode: PermissionMode): Result<void> {
    if (mode === 'bypassPermissions' && !this.deps.ports.policy.bypassAllowed(this.record.folder))
      return fail({
        type: 'not-allowed',
        message:
          'Bypassing permissions is not allowed in this folder. Mark the folder in the settings first.',
      })
    for (const agent of this.agents.values()) {
      const state = agent.state()
      const isMain = agent.id === this.record.mainAgentId
      if (!isMain && !isLive(state)) continue
      const next = isMain ? mode : narrowerMode(mode, state.permissionMode)
      if (next !== state.permissionMode) agent.emit({ type: 'permission-mode-changed', permissionMode: next })
    }
    return ok(undefined)
  }

  setModel(model: string): Result<void> {
    const { main } = this
    if (!main) return fail({ type: 'not-found', message: 'This conversation has no main agent.' })
    const id = this.deps.ports.models.resolve(model)
    if (id !== main.state().model) main.emit({ type: 'model-changed', model: id })
    return ok(undefined)
  }

  async rename(title: string): Promise<Result<void>> {
    return this.save({ title, named: true })
  }

  /** All agents, in the order in which they were spawned. */
  states(): readonly AgentState[] {
    return this.record.agentIds.flatMap((id) => this.state(id) ?? [])
  }

  state(agentId: string): AgentState | null {
    return this.agents.get(agentId)?.state() ?? this.ended.get(agentId) ?? null
  }

  get lastOrder(): number {
    return this.order - 1
  }

  /** Stops everything, then lets go of the log. */
  async close(): Promise<void> {
    await this.stopAll()
    await this.saving
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

  logWritten(agentId: string): void {
    this.logTrouble.written(agentId)
  }

  retryLog(): Promise<Result<void>> {
    return this.logTrouble.retry()
  }

  /** Writes the record with these changes, one write after the other; changes that wait share one write. */
  private save(changes: Partial<ConversationRecord>): Promise<Result<void>> {
    this.record = { ...this.record, ...changes, queued: this.queue }
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

  /** Only the main agent is told of changes: others are soon done. */
  async describeTools(agentId: string): Promise<Readonly<Record<string, string>>> {
    const { main } = this
    if (main?.id !== agentId) return {}
    const { definition, depth } = main.state()
    return describeTools({ ...definition, depth }, await this.offers(), this.planDeps)
  }

  private offers(): Promise<Offers> {
    return offersIn(this.record.folder, this.deps.ports)
  }

  private surroundingsOf(definition: LoadedDefinition, offers: Offers): Promise<SpawnSurroundings> {
    const { ports, places } = this.deps
    return surroundingsOf(definition, { folder: this.record.folder, offers, places }, ports)
  }

  private folderFacts(): Promise<FolderFacts> {
    this.facts ??= this.deps.ports.folders.facts(this.record.folder)
    return this.facts
  }

  private today(): string {
    return new Date(this.clock.now()).toISOString().slice(0, 10)
  }
}

/** Events after which the list of conversations says something else. */
const CHANGES_LIST: ReadonlySet<AgentEvent['type']> = new Set([
  'agent-spawned',
  'status-changed',
  'permission-asked',
  'permission-answered',
  'agent-ended',
] as const)
