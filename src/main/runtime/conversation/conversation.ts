/**
 * An open conversation: the parts that its agents share. Each part is a file of its own, and so is each command on
 * agents; this class only puts the parts together.
 */

import type { EventOf } from '../../../shared/events/agent-event.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { Semaphore } from '../../../shared/kernel/semaphore.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { RosterEntry } from '../../../shared/workers/worker-protocol.ts'
import { AgentHandle, type EndedRun } from '../agent/agent-handle.ts'
import type { AgentHome } from '../agent/agent-home.ts'
import type { BlockedTools } from '../agent/agent-prompt.ts'
import { HookVariables, instructionsLoaded } from '../agent/agent-reach.ts'
import { AgentRegistry } from '../agent/agent-registry.ts'
import {
  addedToolsFor,
  blockedToolsOf,
  builtInToolsFor,
  deniedTools,
  type FolderCatalog,
  listingTools,
} from '../agent/agent-tools.ts'
import { AvailableTools } from '../agent/available-tools.ts'
import { type AgentStart, LiveAgent } from '../agent/live-agent.ts'
import type { AgentPlan } from '../agent/plan-agent.ts'
import { mayUseServer } from '../agent/server-notices.ts'
import { SpawnContext } from '../agent/spawn-context.ts'
import type { CurrentTools } from '../agent/tool-changes.ts'
import { worktreeRemoved } from '../agent/worktree-interceptions.ts'
import type {
  ChildRun,
  ChooseBacking,
  IngestFailure,
  IngestOrigin,
  RuntimeWorkers,
  StartedChild,
} from '../agent-backing.ts'
import type { ProgramPaths } from '../definitions/program-paths.ts'
import type { Judgment } from '../interceptors.ts'
import type { LimitReached } from '../limit-reached.ts'
import { ConversationFile } from '../log/conversation-file.ts'
import { EventSequencer } from '../log/event-sequencer.ts'
import type { MailboxReader } from '../log/mailbox-reader.ts'
import { MessageQueue } from '../log/message-queue.ts'
import { type ChangedBy, foldLaterChanges } from '../log/outdated-files.ts'
import { readAgent } from '../log/read-agent.ts'
import type { LoopDeps } from '../loop/run-agent.ts'
import type { ConversationLog, OutsideServer, Ports } from '../ports.ts'
import type { MessageRelay, RuntimeDelta } from '../runtime.ts'
import type { LaterState } from '../tool.ts'
import { isNotebook } from '../tools/files/notebook.ts'
import type { ConversationActions, ToolRegistry } from '../tools/tool-registry.ts'
import { AttemptChecks } from './attempt-checks.ts'
import { BackgroundCommands } from './background-commands.ts'
import { holdParents } from './hold-parents.ts'
import type { FanOutAnswer, RunMemory } from './run-memory.ts'
import { fileUsers, SharedFiles } from './shared-files.ts'
import { SiblingColors } from './sibling-colors.ts'
import { limitFor, moneyLimit } from './spend-limit.ts'
import { standingFacts } from './standing-facts.ts'
import { StartOrder } from './start-order.ts'
import { WorktreeUse } from './worktree-use.ts'

export interface ConversationDeps {
  readonly ports: Ports
  readonly loop: LoopDeps
  readonly backings: ChooseBacking
  /** Null: this program can't run agents in other processes. */
  readonly workers: RuntimeWorkers | null
  readonly registry: ToolRegistry
  readonly programPaths: ProgramPaths
  readonly mailbox: MailboxReader
  /** The operations of tools on the agents of this conversation. */
  actionsOf(conversation: Conversation): ConversationActions
  readonly teams: TeamHooks
  /** Called when the run of an attempt has ended, after its work was saved. */
  attemptEnded(conversation: Conversation, agentId: string): void
  /** Starts an idle main agent that has messages. */
  wakeMain(conversation: Conversation): void
  /** Begins a run of a subagent that the program of the agent `ownerId` started by itself. */
  startChild(conversation: Conversation, ownerId: string, child: StartedChild): Promise<Result<ChildRun>>
  /** Has a subagent judge by the files; see `AgentReach`. @returns its report */
  judgeWithFiles(
    conversation: Conversation,
    asked: { readonly agentId: string; readonly question: Judgment },
    signal: AbortSignal,
  ): Promise<Result<string>>
  publish(delta: RuntimeDelta): void
  /** Called when the conversation's entry in the list of conversations changed. */
  summaryChanged(conversation: Conversation): void
}

/** What happens in teams without a tool call. */
export interface TeamHooks {
  /** Called before an earlier conversation is used: takes the newest tasks into its record. */
  opened(conversation: Conversation): Promise<void>
  /** Called when the conversation was created or opened, and when a team has changed. */
  changed(conversation: Conversation): void
  /** Called at the end of a subagent's run, before its end is reported. `signal`: that of the run. */
  agentEnded(conversation: Conversation, ended: EndedRun, signal: AbortSignal): Promise<void>
}

export class Conversation implements AgentHome {
  readonly id: string
  readonly deps: ConversationDeps
  readonly ports: Ports
  readonly file: ConversationFile
  readonly events: EventSequencer
  /** The slots that all agents share. */
  readonly slots: Semaphore
  readonly agents: AgentRegistry
  private readonly sharedFiles: SharedFiles
  readonly worktreeUse = new WorktreeUse()
  readonly starts = new StartOrder()
  /** By the agent that starts many others. */
  readonly fanOuts = new Map<string, FanOutAnswer>()
  readonly runMemory: RunMemory = { before: null, request: '', started: 0 }
  readonly colors: SiblingColors
  readonly tools: AvailableTools
  readonly spawning: SpawnContext
  /** The commands that agents run in the background. */
  readonly commands: BackgroundCommands
  /** The checks of attempts that run. */
  readonly checks = new AttemptChecks()
  /** Agents with messages that were still queued when the log was opened. They resume with the first new message. */
  readonly unreadAtOpen: Set<string>
  /** Work that no agent does, and that may start an agent: the conversation has not settled before. */
  readonly pending = new Set<Promise<unknown>>()
  /** Keeps the user's messages in the order in which they were sent. */
  readonly submissions = new KeyedLock()
  readonly variables = new HookVariables((agentId) => this.agents.state(agentId)?.parentId ?? null)
  /** Set where this program only carries out an agent of another one. */
  relay: MessageRelay | null = null
  private hasMainServers = false
  /** A limit that the program counts for which an agent runs here. */
  outsideLimit: LimitReached | null = null
  /** Aborted when the conversation closes: afterwards nothing starts. */
  readonly lifetime = new AbortController()

  /** @param queued the messages of the log's record that no agent has taken in */
  constructor(log: ConversationLog, deps: ConversationDeps, queued: readonly QueuedMessage[]) {
    const { id, folder, mainAgentId } = log.record
    const { ports, publish, programPaths } = deps
    const summaryChanged = () => deps.summaryChanged(this)
    this.id = id
    this.deps = deps
    this.ports = ports
    this.agents = new AgentRegistry(mainAgentId)
    this.colors = new SiblingColors(() => this.agents.states())
    this.slots = new Semaphore(() => ports.policy.maxParallelAgents)
    this.sharedFiles = new SharedFiles(() => fileUsers(this))
    this.events = new EventSequencer({
      conversationId: id,
      firstOrder: log.next.order,
      clock: ports.clock,
      publish,
      summaryChanged,
      published: (event) => {
        instructionsLoaded(this, event)
        this.sharedFiles.apply(event)
        const known = this.agents.get(event.agentId)?.agent?.session.seen
        if (known) foldLaterChanges(known, event)
        if (event.type === 'agent-ended') this.releaseServers(event.agentId)
      },
    })
    this.file = new ConversationFile({
      log,
      queue: new MessageQueue(queued, (draft) => this.file.emit(draft)),
      events: this.events,
      writeFailed: (agentIds, message) =>
        publish({ type: 'write-failure', conversationId: id, agentIds, message }),
    })
    this.unreadAtOpen = new Set(queued.map(({ agentId }) => agentId))
    this.commands = new BackgroundCommands(this)
    this.tools = new AvailableTools(deps.registry, deps.actionsOf(this), folder)
    this.spawning = new SpawnContext({
      conversationId: id,
      folder,
      ports,
      programPaths,
      planDeps: {
        models: ports.models,
        tools: () => this.tools.all(),
        maxDepth: () => ports.policy.maxDepth,
        coordinator: () => this.file.record.coordinator,
        mcpToolsForSubagents: () => ports.policy.mcpToolsForSubagents,
      },
      record: () => this.file.record,
    })
  }

  private releaseServers(agentId: string): void {
    const servers = this.agents.state(agentId)?.definition.toolLists?.mcpServers ?? []
    if (servers.length > 0) this.ports.outsideTools?.released(this.file.record.folder, servers)
  }

  wakeMain(): void {
    this.deps.wakeMain(this)
  }

  startChild(ownerId: string, child: StartedChild): Promise<Result<ChildRun>> {
    return this.deps.startChild(this, ownerId, child)
  }

  judgeWithFiles(agentId: string, question: Judgment, signal: AbortSignal): Promise<Result<string>> {
    return this.deps.judgeWithFiles(this, { agentId, question }, signal)
  }

  get loop(): LoopDeps {
    return this.deps.loop
  }

  get backings(): ChooseBacking {
    return this.deps.backings
  }

  /** Logs the first event of a new agent. The record names the agent from here on, and must still be saved. */
  spawn(
    id: string,
    plan: AgentPlan,
    start: Pick<AgentStart, 'history' | 'seen'> = {},
  ): { readonly handle: AgentHandle; readonly agent: LiveAgent } {
    this.file.addAgent(id)
    const event = this.events.stamp(plan.spawn, { id, seq: 0 })
    const agent = new LiveAgent(event, this, { blocked: plan.blocked, ...start })
    agent.isWorktreeReady = true
    agent.isWorktreeNew = agent.state().worktree?.own === true
    const handle = AgentHandle.idle(agent)
    this.agents.add(handle)
    this.file.append(event)
    this.events.publish(event)
    for (const text of plan.warnings) agent.emit({ type: 'notice', level: 'warning', text })
    return { handle, agent }
  }

  /** The conversation has not settled before this work is done. Its failure is a bug that is reported elsewhere. */
  keepOpenFor(work: Promise<unknown>): void {
    const kept = work.catch(() => undefined).finally(() => this.pending.delete(kept))
    this.pending.add(kept)
  }

  /** Runs `act` on an agent in memory; an ended agent is read from its transcript first. */
  withAgent<T>(agentId: string, act: (agent: LiveAgent, handle: AgentHandle) => T): Promise<Result<T>> {
    const handle = this.agents.get(agentId)
    if (!handle) return Promise.resolve(fail(noSuchAgent))
    return handle.withAgent(
      () => this.readAgent(agentId),
      (agent) => act(agent, handle),
    )
  }

  /** Adds an event that a process outside this one made. True: it was added; false: a duplicate was dropped. */
  readonly ingest = (origin: IngestOrigin, event: unknown): Result<boolean, IngestFailure> => {
    const { agentId, backing } = origin
    const handle = this.agents.get(agentId)
    if (!handle) return fail({ type: 'unknown-agent', message: noSuchAgent.message })
    const agent = handle.isRunning ? handle.agent : null
    if (!agent) return fail({ type: 'not-running', message: `The agent ${agentId} is not running.` })
    if (agent.backing.name !== backing)
      return fail({
        type: 'wrong-backing',
        message: `${agent.backing.name} carries out the agent ${agentId}, not ${backing}.`,
      })
    return agent.outside.ingest(origin, event)
  }

  roster(agentId: string): readonly RosterEntry[] {
    const { mainAgentId, teams } = this.file.record
    const { parentId = null, teamId = null } = this.agents.state(agentId) ?? {}
    const leaderId = teams.find(({ id }) => id === teamId)?.leaderId ?? null
    return [
      { name: 'main', agentId: mainAgentId },
      ...(leaderId === null ? [] : [{ name: 'leader', agentId: leaderId }]),
      ...(parentId === null ? [] : [{ name: 'parent', agentId: parentId }]),
      ...this.agents.states().flatMap(({ id, name }) => (name === null ? [] : [{ name, agentId: id }])),
    ]
  }

  waitsForOthers(agentId: string): boolean {
    const { coordinator, teams } = this.file.record
    return (
      (coordinator && this.agents.isMain(agentId)) ||
      teams.some(({ leaderId, endedAt }) => leaderId === agentId && endedAt === null) ||
      this.agents.states().some((state) => state.parentId === agentId && isLive(state))
    )
  }

  restsChanged(): void {
    holdParents(this.agents)
  }

  moneyLimitFor(agentId: string): number | null {
    const conversationLimits = this.file.record.limits ?? this.ports.policy.limits.conversation
    const money = moneyLimit(agentId, { states: this.agents.states(), conversationLimits })
    return money?.limits.usd ?? null
  }

  limitFor(agentId: string): LimitReached | null {
    if (this.outsideLimit !== null) return this.outsideLimit
    const { models, policy, clock } = this.ports
    return limitFor(agentId, {
      states: this.agents.states(),
      conversationLimits: this.file.record.limits ?? policy.limits.conversation,
      now: clock.now(),
      facts: (model) => models.facts(model),
    })
  }

  /** Only the main agent learns of new agents and skills: subagents are too short-lived. */
  async currentTools(agentId: string, options: { readonly catalog: boolean }): Promise<CurrentTools> {
    const state = this.agents.state(agentId)
    if (state === null) throw new Error(`${agentId} is no agent of this conversation.`)
    const { planDeps } = this.spawning
    const reads = options.catalog && this.agents.isMain(agentId)
    if (reads) await this.ports.outsideTools?.ready(this.file.record.folder, this.id)
    const catalog = reads ? await this.spawning.catalog() : null
    if (catalog !== null) await this.startMainServers(catalog, state)
    if (options.catalog) await this.spawning.situate()
    const knowsNotebook = this.knowsNotebook(agentId)
    if (knowsNotebook) this.spawning.noteNotebook()
    const denied = deniedTools(state, planDeps)
    return {
      added: [
        ...addedToolsFor(state, planDeps),
        // A worker's agent has the tools that its sender gave it.
        ...(this.relay === null ? builtInToolsFor(state, { catalog, knowsNotebook }, planDeps) : []),
      ],
      // A fork keeps its parent's tools, whatever its own definition names. A call that a rule denies gets the reason.
      isThere: (name) =>
        (state.forkOf !== null || denied.has(name)) && this.tools.all().some((tool) => tool.name === name),
      unusable: this.agents.isMain(agentId)
        ? this.tools
            .all()
            .flatMap(({ name, unusable }) => (unusable === undefined ? [] : [{ name, because: unusable }]))
        : [],
      // A worker has started what it has: other tools of the sender's program do not come later.
      hasKnown: (source) => this.relay !== null || this.tools.hasKnown(source),
      lists:
        catalog === null ? [] : listingTools({ ...state.definition, depth: state.depth }, catalog, planDeps),
    }
  }

  private knowsNotebook(agentId: string): boolean {
    const seen = this.agents.get(agentId)?.agent?.session.seen.values() ?? []
    return [...seen].some(({ path }) => isNotebook(path))
  }

  changedBy(agentId: string, path: string, state: LaterState): ChangedBy {
    return this.sharedFiles.changedBy(path, state, {
      agentId,
      hasCommands: this.commands.listFor(agentId).length > 0,
    })
  }

  serversOf(agentId: string): readonly OutsideServer[] {
    const state = this.agents.state(agentId)
    const servers = this.ports.outsideTools?.servers(this.file.record.folder) ?? []
    if (state === null || servers.length === 0) return []
    const { planDeps: deps } = this.spawning
    const told = this.agents.get(agentId)?.agent?.prompt.toolSchemas ?? []
    const has = [...told, ...addedToolsFor(state, deps)].map(({ name }) => name)
    return servers.filter((server) => mayUseServer(server, state, { has, deps }))
  }

  standingFacts(agentId: string): string | null {
    const agent = this.agents.get(agentId)?.agent
    if (!agent) return null
    const { session, transcript } = agent
    return standingFacts({
      state: agent.state(),
      record: this.file.record,
      started: [...this.agents.states()].filter(({ id }) => this.agents.isBelow(id, agentId)),
      commands: this.commands.listFor(agentId),
      removedTools: [...transcript.history.removedTools],
      files: [...session.seen.values()].map(({ path }) => path),
      cwd: session.cwd,
    })
  }

  /** Once: those that the main agent's definition describes itself. */
  private async startMainServers(
    { definitions }: FolderCatalog,
    { definition }: Pick<AgentState, 'definition'>,
  ): Promise<void> {
    if (this.hasMainServers) return
    this.hasMainServers = true
    const own = definitions.find(({ name }) => name === definition.name)
    if (own) await this.ports.outsideTools?.need(this.file.record.folder, own)
  }

  /** The tools that an agent read from its log may not use. */
  blockedOf(spawned: EventOf<'agent-spawned'>): BlockedTools['blocked'] {
    return blockedToolsOf(spawned, this.spawning.planDeps)
  }

  /** Releases the log. No agent may be running. */
  async close(): Promise<void> {
    await this.commands.endAll('run')
    this.ports.outsideTools?.closed(this.id)
    const main = this.agents.main?.agent
    const worktree = main?.isWorktreeReady ? main.state().worktree : null
    if (main && worktree !== null && (await this.ports.worktrees.release(worktree)))
      await worktreeRemoved(this.deps.loop, main)
    await this.file.close()
  }

  private async readAgent(agentId: string): Promise<Result<LiveAgent>> {
    const read = await readAgent(this.ports.store, agentId)
    if (!read.ok) return read
    const { spawned, ...start } = read.value
    return ok(new LiveAgent(spawned, this, { blocked: this.blockedOf(spawned), ...start }))
  }
}

export const noSuchAgent = {
  type: 'not-found',
  message: 'There is no such agent in this conversation.',
} as const
