/** An agent in memory: its transcript, its prompt, its slot, its permission requests, and its backing. */
import type { AgentEventDraft, EventOf } from '../../../shared/events/agent-event.ts'
import { Semaphore } from '../../../shared/kernel/semaphore.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type AgentBacking, type BackedAgent, CHILD_BACKING, plainBacking } from '../agent-backing.ts'
import { folderPolicy, type PermissionFacts } from '../definitions/permissions-text.ts'
import type { AgentReach, InterceptedAgent, PointFacts } from '../interceptors.ts'
import { AgentTranscript, type TranscriptStart } from '../log/agent-transcript.ts'
import { OutsideEvents } from '../log/outside-events.ts'
import { intercept, interceptedAgent } from '../loop/intercept.ts'
import type { SessionFile, ToolSession } from '../tool.ts'
import type { AgentHome } from './agent-home.ts'
import { AgentPrompt, type BlockedTools } from './agent-prompt.ts'
import { agentReach } from './agent-reach.ts'
import { backedAgent } from './backed-agent.ts'
import { FormRequests } from './form-requests.ts'
import { createLoopBacking } from './loop-backing.ts'
import { PermissionRequests } from './permission-requests.ts'
import { SlotHolder } from './slot-holder.ts'

/** An agent's starting point: from its own earlier events, or from its parent's for a fork. */
export interface AgentStart extends TranscriptStart {
  /** The files it has read or written, by real path. */
  readonly seen?: ReadonlyMap<string, SessionFile>
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
  readonly backing: AgentBacking
  /** The agent as an outside backing sees it. */
  readonly backed: BackedAgent
  private readonly home: AgentHome
  /** The summary that the user wants, until a turn takes it. */
  wantedCompaction: { readonly instructions: string } | null = null
  /** What the agent is told at its next step: texts of interceptors, and who joined its team. */
  readonly notes: string[] = []
  readonly reach: AgentReach
  /** Whether the worktree is known to exist; meaningless for an agent without one. */
  isWorktreeReady = false
  /** Whether the worktree was created for this agent, and interceptors have not been told. */
  isWorktreeNew = false

  /** `spawned` is the agent's first event; `own` holds what its later events add up to. */
  constructor(spawned: EventOf<'agent-spawned'>, home: AgentHome, own: BlockedTools & AgentStart) {
    const { ports, file, events, slots } = home
    this.id = spawned.agentId
    this.home = home
    this.session = sessionOf(spawned, home, own.seen)
    this.transcript = new AgentTranscript(spawned, { file, events, ids: ports.ids }, own)
    this.prompt = new AgentPrompt({
      blocked: own.blocked,
      spawned,
      transcript: this.transcript,
      session: this.session,
      home: {
        memory: ports.memory,
        isMain: spawned.parentId === null,
        isTrusted: (folder) => ports.policy.trusted(folder),
        permissions: () => this.permissions(),
        tools: home.tools,
        currentTools: (options) => home.currentTools(this.id, options),
        files: ports.files,
        outputFolder: file.outputFolder(spawned.agentId),
        changedBy: (path, state) => home.changedBy(this.id, path, state),
        servers: () => home.serversOf(this.id),
        standingFacts: () => home.standingFacts(this.id),
        now: () => ports.clock.now(),
      },
    })
    // The agent whose program runs it holds the slot of both.
    const ofProgram = spawned.backing === CHILD_BACKING
    const ownSlots = ofProgram ? new Semaphore(() => 1) : slots
    this.slot = new SlotHolder(ownSlots, this.transcript, () => home.restsChanged())
    this.requests = new PermissionRequests({
      transcript: this.transcript,
      slot: this.slot,
      ids: ports.ids,
      notify: (text, signal) => this.notify({ kind: 'permission-request', text }, signal),
    })
    this.forms = new FormRequests({
      transcript: this.transcript,
      slot: this.slot,
      ids: ports.ids,
      attended: () => ports.policy.attended,
      notify: (text, signal) => this.notify({ kind: 'form', text }, signal),
    })
    this.outside = new OutsideEvents(this.transcript)
    this.reach = agentReach(this, home)
    const backed = backedAgent(this, home)
    this.backed = backed
    this.backing = ofProgram
      ? childBacking(backed)
      : (home.backings(backed) ?? (spawned.backing === 'acp' ? noProgram : createLoopBacking(this, home)))
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

  private permissions(): PermissionFacts {
    const { permissionMode, neverAsks, definition, background, bubbles, parentId } = this.state()
    return {
      ...folderPolicy(this.session.project, this.home.ports),
      mode: { permissionMode, neverAsks },
      readOnly: definition.readOnly,
      asks: background === 'no' || bubbles,
      presentsPlan: parentId === null && this.prompt.toolSchemas.some(({ name }) => name === 'ExitPlanMode'),
      isMain: parentId === null,
    }
  }

  /** The agent as interceptors see it now. */
  subject(): InterceptedAgent {
    const { project, cwd } = this.session
    const { file } = this.home
    const team = file.record.teams.find(({ id }) => id === this.state().teamId)?.name ?? null
    return interceptedAgent(this.state(), {
      ...{ project, cwd, team },
      transcriptPath: file.transcriptPath(this.id),
    })
  }

  /** Starts a notification to the interceptors. Nothing waits for it; the signal ends it. */
  notify(facts: PointFacts['notification'], signal: AbortSignal): void {
    void intercept({ agent: this, deps: this.home.loop, signal }, 'notification', facts)
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

/** The program that started the agent begins and ends its runs: see `outside-child.ts`. */
const childBacking = (agent: BackedAgent): AgentBacking => ({
  ...noProgram,
  name: CHILD_BACKING,
  answer: (requestId, answer) => agent.answer(requestId, answer),
})

/** An external agent never runs as a model of this one. */
const noProgram = plainBacking('acp', async () => ({
  kind: 'failed',
  type: 'worker',
  message: 'This program can’t start external agents.',
}))

function sessionOf(
  { agentId, inherits, cwd, worktree, definition }: EventOf<'agent-spawned'>,
  home: AgentHome,
  seen: AgentStart['seen'],
): ToolSession {
  return {
    root: cwd,
    project: home.file.record.folder,
    worktree: worktree && { ...worktree, environment: home.ports.worktrees.environment(worktree) },
    home: home.ports.policy.ownPaths.home,
    cwd,
    // A fork knows the outputs of its parent.
    readFolders: new Set([
      ...definition.readFolders,
      home.file.outputFolder(agentId),
      ...(inherits === null ? [] : [home.file.outputFolder(inherits.agentId)]),
    ]),
    seen: new Map(seen),
    variables: () => home.variables.of(agentId),
  }
}
