/** An agent in memory: its transcript, its prompt, its slot, its permission requests, and its backing. */
import type { AgentEventDraft, EventOf } from '../../../shared/events/agent-event.ts'
import type { Semaphore } from '../../../shared/kernel/semaphore.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { intercept, interceptionSubject } from '../loop/intercept.ts'
import type { LoopDeps } from '../loop/run-agent.ts'
import type { AgentBacking, BackedAgent } from '../ports/agent-backing.ts'
import type { AgentReach, InterceptionSubject, PointFacts } from '../ports/interceptors.ts'
import type { Ports } from '../ports/ports.ts'
import type { SessionFile, ToolSession } from '../ports/tool.ts'
import type { AgentPrompt, BlockedTools } from './agent-prompt.ts'
import { AgentTranscript, type TranscriptStart } from './agent-transcript.ts'
import type { ConversationFile } from './conversation-file.ts'
import type { EventSequencer } from './event-sequencer.ts'
import { FormRequests } from './form-requests.ts'
import { OutsideEvents } from './outside-events.ts'
import { PermissionRequests } from './permission-requests.ts'
import { SlotHolder } from './slot-holder.ts'

/** An agent's starting point: from its own earlier events, or from its parent's for a fork. */
export interface AgentStart extends TranscriptStart, Partial<BlockedTools> {
  /** The files it has read or written, by real path. */
  readonly seen?: ReadonlyMap<string, SessionFile>
}

/** What an agent is put together from. */
export interface AgentParts {
  readonly spawned: EventOf<'agent-spawned'>
  readonly start: TranscriptStart
  readonly session: ToolSession
  readonly slots: Semaphore
  readonly file: ConversationFile
  readonly events: EventSequencer
  readonly ports: Pick<Ports, 'ids' | 'policy'>
  readonly loop: LoopDeps
  promptOf(agent: LiveAgent): AgentPrompt
  reachOf(agent: LiveAgent): AgentReach
  /** The agent as a backing in another process sees it. */
  backedOf(agent: LiveAgent): BackedAgent
  backingOf(agent: LiveAgent): AgentBacking
}

export class LiveAgent {
  readonly id: string
  readonly session: ToolSession
  readonly transcript: AgentTranscript
  readonly prompt: AgentPrompt
  readonly slot: SlotHolder
  readonly requests: PermissionRequests
  readonly forms: FormRequests
  readonly outside: OutsideEvents
  readonly reach: AgentReach
  /** The agent as a backing in another process sees it. */
  readonly backed: BackedAgent
  readonly backing: AgentBacking
  private readonly parts: AgentParts
  /** The summary that the user wants, until a turn takes it. */
  wantedCompaction: { readonly instructions: string } | null = null
  /** What the agent is told at its next step: texts of interceptors, and who joined its team. */
  readonly notes: string[] = []
  /** Whether it was told of the environment of its worktree since it was loaded. */
  knowsEnvironment = false
  /** Whether the worktree is known to exist; meaningless for an agent without one. */
  isWorktreeReady = false
  /** Whether the worktree was created for this agent, and interceptors have not been told. */
  isWorktreeNew = false

  constructor(parts: AgentParts) {
    const { spawned, start, session, slots, file, events, ports } = parts
    const { ids, policy } = ports
    this.id = spawned.agentId
    this.parts = parts
    this.session = session
    this.transcript = new AgentTranscript(spawned, { file, events, ids }, start)
    this.prompt = parts.promptOf(this)
    this.slot = new SlotHolder(slots, this.transcript)
    const { transcript, slot } = this
    this.requests = new PermissionRequests({
      transcript,
      slot,
      ids,
      notify: (text, signal) => this.notify({ kind: 'permission-request', text }, signal),
    })
    this.forms = new FormRequests({
      transcript,
      slot,
      ids,
      attended: () => policy.attended,
      notify: (text, signal) => this.notify({ kind: 'form', text }, signal),
    })
    this.outside = new OutsideEvents(transcript)
    this.reach = parts.reachOf(this)
    this.backed = parts.backedOf(this)
    this.backing = parts.backingOf(this)
  }

  state(): AgentState {
    return this.transcript.state()
  }

  emit(draft: AgentEventDraft): void {
    this.transcript.emit(draft)
    if (FOR_BACKING.has(draft.type)) this.backing.changed()
  }

  flush(signal: AbortSignal): Promise<boolean> {
    return this.transcript.flush(signal)
  }

  /** The agent as interceptors see it now. */
  subject(): InterceptionSubject {
    const { project, cwd } = this.session
    const { file } = this.parts
    const team = file.record.teams.find(({ id }) => id === this.state().teamId)?.name ?? null
    return interceptionSubject(this.state(), {
      ...{ project, cwd, team },
      transcriptPath: file.transcriptPath(this.id),
    })
  }

  /** Starts a notification to the interceptors. Nothing waits for it; the signal ends it. */
  notify(facts: PointFacts['notification'], signal: AbortSignal): void {
    void intercept({ agent: this, deps: this.parts.loop, signal }, 'notification', facts)
  }
}

/** What a process that carries out the agent must know at once. */
const FOR_BACKING: ReadonlySet<AgentEventDraft['type']> = new Set([
  'permission-mode-changed',
  'limits-changed',
  'model-changed',
  'effort-changed',
  'thinking-changed',
] as const)
