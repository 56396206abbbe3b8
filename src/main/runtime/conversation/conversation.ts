/**
 * An open conversation: its log, its queue, its agents in memory, and what these agents share. This is state with what
 * keeps the state whole; everything that acts on a conversation is a function in a folder above. What only the top of the
 * runtime can put together comes in the `Assembly`.
 */
import type { AgentEventDraft, EventOf } from '../../../shared/events/agent-event.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { Semaphore } from '../../../shared/kernel/semaphore.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { ProgramPaths } from '../definitions/program-paths.ts'
import type { LoopDeps } from '../loop/run-agent.ts'
import type { ChooseBacking, IngestFailure, IngestOrigin, RuntimeWorkers } from '../ports/agent-backing.ts'
import type { Ports } from '../ports/ports.ts'
import type { LimitReached } from '../ports/run-end.ts'
import type { MessageRelay, RuntimeDelta } from '../ports/runtime.ts'
import type { ConversationLog } from '../ports/transcripts.ts'
import type { AvailableTools } from '../tools/tool-registry.ts'
import { AgentHandle } from './agent-handle.ts'
import type { BlockedTools } from './agent-prompt.ts'
import { AgentRegistry } from './agent-registry.ts'
import { BackgroundCommands } from './background-commands.ts'
import { ConversationFile } from './conversation-file.ts'
import { EventSequencer } from './event-sequencer.ts'
import type { Happening } from './happening.ts'
import type { AgentStart, LiveAgent } from './live-agent.ts'
import type { MailboxReader } from './mailbox-reader.ts'
import { MessageQueue } from './message-queue.ts'
import { readAgent } from './read-agent.ts'
import { fileUsers, SharedFiles } from './shared-files.ts'
import {
  AttemptChecks,
  type FanOutAnswer,
  HookVariables,
  type KnownFolder,
  type RunMemory,
  SiblingColors,
  StartOrder,
  WorktreeUse,
} from './shared-state.ts'
import { summaryOf } from './summarize-conversation.ts'
import { UserCommands } from './user-commands.ts'

/** What all conversations of a runtime have in common, and what only the top of the runtime can put together. */
export interface Assembly {
  readonly ports: Ports
  readonly loop: LoopDeps
  readonly backings: ChooseBacking
  /** Null: this program can't run agents in other processes. */
  readonly workers: RuntimeWorkers | null
  readonly programPaths: ProgramPaths
  readonly mailbox: MailboxReader
  publish(delta: RuntimeDelta): void
  /** The tools of the conversation's agents. */
  toolsOf(conversation: Conversation): AvailableTools
  /** Puts an agent together from its first event. `own`: what its later events add up to. */
  agentOf(conversation: Conversation, spawned: EventOf<'agent-spawned'>, own: AgentStart): LiveAgent
  /** What follows a happening, in this order. */
  readonly reactors: readonly Reactor[]
}

/** Acts on a happening at once, or ignores it. A promise: those after it wait until it is settled. */
export type Reactor = (conversation: Conversation, happened: Happening) => Promise<void> | undefined

/** A new agent as it was planned. */
export interface PlannedSpawn extends BlockedTools {
  readonly spawn: Extract<AgentEventDraft, { type: 'agent-spawned' }>
  /** Notices about the start, for the user. */
  readonly warnings: readonly string[]
}

export class Conversation {
  readonly id: string
  readonly assembly: Assembly
  readonly ports: Ports
  readonly loop: LoopDeps
  readonly file: ConversationFile
  readonly events: EventSequencer
  /** The slots that all subagents share. The main agent always has one of its own. */
  readonly slots: Semaphore
  readonly agents: AgentRegistry
  readonly tools: AvailableTools
  readonly sharedFiles = new SharedFiles(() => fileUsers(this))
  readonly worktreeUse = new WorktreeUse()
  readonly starts = new StartOrder()
  /** By the agent that starts many others. */
  readonly fanOuts = new Map<string, FanOutAnswer>()
  readonly runMemory: RunMemory = { before: null, request: '', started: 0 }
  readonly knownFolder: KnownFolder = {
    facts: null,
    notebooks: null,
    toolNames: new Map(),
    situation: { hasNotebooks: false, deny: [], allow: [] },
  }
  readonly colors = new SiblingColors(() => this.agents.states())
  /** The commands that agents run in the background. */
  readonly commands = new BackgroundCommands(this)
  readonly userCommands: UserCommands = new UserCommands(this)
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
  /** Whether the servers of the main agent's definition were started. */
  hasMainServers = false
  /** A limit that the program counts for which an agent runs here. */
  outsideLimit: LimitReached | null = null
  /** Aborted when the conversation closes: afterwards nothing starts. */
  readonly lifetime = new AbortController()

  /** @param queued the messages of the log's record that no agent has taken in */
  constructor(log: ConversationLog, assembly: Assembly, queued: readonly QueuedMessage[]) {
    const { id, mainAgentId } = log.record
    const { ports, publish } = assembly
    this.id = id
    this.assembly = assembly
    this.ports = ports
    this.loop = assembly.loop
    this.agents = new AgentRegistry(mainAgentId)
    this.slots = new Semaphore(() => ports.policy.maxParallelAgents)
    this.events = new EventSequencer({
      conversationId: id,
      firstOrder: log.next.order,
      clock: ports.clock,
      publish,
      summaryChanged: () => this.publishSummary(),
      published: (happened) => void this.happened(happened),
    })
    this.file = new ConversationFile({
      log,
      queue: new MessageQueue(queued, (draft) => this.file.emit(draft)),
      events: this.events,
      writeFailed: (agentIds, message) =>
        publish({ type: 'write-failure', conversationId: id, agentIds, message }),
    })
    this.unreadAtOpen = new Set(queued.map(({ agentId }) => agentId))
    this.tools = assembly.toolsOf(this)
  }

  /** Its entry in the list of conversations. */
  get summary(): ConversationSummary {
    const { file, agents, ports } = this
    const facts = { record: file.record, states: agents.states(), main: agents.main?.state() }
    return summaryOf(facts, ports.policy.limits.conversation)
  }

  publishSummary(): void {
    this.assembly.publish({ type: 'conversation', summary: this.summary })
  }

  /** Lets the reactors act. @returns undefined: all have done so at once */
  happened(what: Happening): Promise<void> | undefined {
    let acting: Promise<void> | undefined
    for (const react of this.assembly.reactors)
      acting = acting === undefined ? react(this, what) : acting.then(() => react(this, what))
    return acting
  }

  /** Logs the first event of a new agent. The record names the agent from here on, and must still be saved. */
  spawn(
    id: string,
    { spawn, blocked, warnings }: PlannedSpawn,
    start: Pick<AgentStart, 'history' | 'seen'> = {},
  ): { readonly handle: AgentHandle; readonly agent: LiveAgent } {
    this.file.addAgent(id)
    const event = this.events.stamp(spawn, { id, seq: 0 })
    const agent = this.assembly.agentOf(this, event, { blocked, ...start })
    agent.isWorktreeReady = true
    agent.isWorktreeNew = agent.state().worktree?.own === true
    const handle = AgentHandle.idle(agent)
    this.agents.add(handle)
    this.file.append(event)
    this.events.publish(event)
    for (const text of warnings) agent.emit({ type: 'notice', level: 'warning', text })
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

  private async readAgent(agentId: string): Promise<Result<LiveAgent>> {
    const read = await readAgent(this.ports.store, agentId)
    if (!read.ok) return read
    const { spawned, ...start } = read.value
    return ok(this.assembly.agentOf(this, spawned, start))
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
}

export const noSuchAgent = {
  type: 'not-found',
  message: 'There is no such agent in this conversation.',
} as const
