/** One agent of an open conversation: its log's writing end, its place, its questions. */
import type {
  AgentEvent,
  AgentEventDraft,
  EventOf,
  LiveEvent,
  LoadedInstructions,
  PermissionMode,
  ToolSchema,
} from '../../../shared/agent-event.ts'
import { EVENT_VERSION } from '../../../shared/agent-event.ts'
import { type AgentState, foldAgent, type PendingPrompt, startAgent } from '../../../shared/agent-state.ts'
import type { Result } from '../../../shared/result.ts'
import type { AgentRun, LimitReached, RunEnd } from '../loop/agent-run.ts'
import { History } from '../loop/history.ts'
import { newInstructions } from '../memory/new-instructions.ts'
import type { PermissionAnswer } from '../runtime.ts'
import type { AnyTool, ToolSession } from '../tool.ts'
import type { AgentHome } from './agent-home.ts'
import { LiveStream } from './live-stream.ts'
import { OpenQuestions } from './open-questions.ts'
import { toolChanges } from './tool-changes.ts'
import { placeWords } from './worktree-words.ts'

export interface AgentTools {
  readonly tools: readonly AnyTool[]
  readonly blocked: readonly { readonly tool: string; readonly because: string }[]
}

/** How a subagent's run went. */
export interface EndedRun {
  readonly state: AgentState
  readonly end: RunEnd
  readonly ms: number
}

export class LiveAgent implements AgentRun {
  readonly id: string
  readonly session: ToolSession
  system: string
  readonly history: History
  private spawnedTools: readonly ToolSchema[]
  private spawnedInstructions: readonly LoadedInstructions[]
  tools: readonly AnyTool[]
  blockedTools: AgentTools['blocked']
  /** Aborted to stop this agent and all below it. A new one for each run. */
  controller = new AbortController()
  /** Settles when the agent does nothing any more, with how it went for a subagent; null while it is idle. */
  run: Promise<EndedRun | null> | null = null
  /** Of all messages in its transcript. */
  readonly messageIds: Set<string>
  /** Whether its worktree is known to be there; of no importance where it has none. */
  isInPlace = false
  /** Whether a call waits for its report. */
  isAwaited = false
  readonly stream = new LiveStream()

  private current: AgentState
  private nextSeq: number
  private readonly home: AgentHome
  private hasPlace = false
  private takingPlace: Promise<void> | null = null
  private inFlight = 0
  private waiting = { permission: 0, children: 0 }
  private readonly questions = new OpenQuestions()
  private readonly wakers = new Set<() => void>()
  /** Messages from the queue that were emitted since the last flush began. */
  private takenIn: readonly string[] = []
  /** Real paths, since it was last told what holds there. */
  private readonly touchedPaths = new Set<string>()

  /** An agent whose first event is `spawned`, and, after a restart, whose later ones are already in `history`. */
  constructor(
    spawned: EventOf<'agent-spawned'>,
    home: AgentHome,
    own: AgentTools & {
      readonly history?: History
      readonly state?: AgentState
      readonly messageIds?: ReadonlySet<string>
    },
  ) {
    this.id = spawned.agentId
    this.home = home
    this.system = spawned.system
    this.spawnedTools = spawned.tools
    this.spawnedInstructions = spawned.instructions
    this.tools = own.tools
    this.blockedTools = own.blocked
    this.session = {
      root: spawned.cwd,
      project: home.folder,
      worktree: spawned.worktree && {
        ...spawned.worktree,
        environment: home.worktrees.environment(spawned.worktree),
      },
      cwd: spawned.cwd,
      readFolders: new Set(spawned.definition.readFolders),
      seen: new Map(),
    }
    this.history = own.history ?? new History(spawned.definition.reminder)
    this.messageIds = new Set(own.messageIds)
    this.current = own.state ?? startAgent(spawned)
    this.nextSeq = this.current.lastSeq + 1
  }

  state(): AgentState {
    return this.current
  }

  get readOnly(): boolean {
    return this.current.definition.readOnly
  }

  /** Whether its run is about to be over: it was stopped, or its end is being written. */
  get isGoing(): boolean {
    return this.run !== null && (this.controller.signal.aborted || this.current.endedAt !== null)
  }

  /** What was frozen at its spawn is frozen anew. */
  renew(
    draft: Extract<AgentEventDraft, { type: 'definition-renewed' }>,
    { tools, blocked }: AgentTools,
  ): void {
    this.emit(draft)
    this.system = draft.system
    this.spawnedTools = draft.tools
    this.spawnedInstructions = draft.instructions
    this.tools = tools
    this.blockedTools = blocked
    this.session.readFolders.clear()
    for (const folder of draft.definition.readFolders) this.session.readFolders.add(folder)
  }

  get toolSchemas(): readonly ToolSchema[] {
    const anew = this.history.newDescriptions
    // The same list as long as nothing changed: by it the adapter remembers its wire form.
    if (Object.keys(anew).length === 0) return this.spawnedTools
    return this.spawnedTools.map((tool) => {
      const description = anew[tool.name]
      return description === undefined ? tool : { ...tool, description }
    })
  }

  async tellChanges(): Promise<void> {
    // A turn that was paused is gone on with as it is.
    if (!this.history.awaitsAnswer) return
    const told = Object.fromEntries(this.spawnedTools.map(({ name, description }) => [name, description]))
    const now = await this.home.describeTools(this.id)
    const changed = toolChanges({ ...told, ...this.history.toldDescriptions }, now)
    if (changed) this.emit(changed)
    for (const loaded of await this.newInstructions()) this.emit(loaded)
  }

  touched(path: string): void {
    this.touchedPaths.add(path)
  }

  private newInstructions() {
    const touched = [...this.touchedPaths]
    this.touchedPaths.clear()
    const atStart = this.spawnedInstructions.map((file) => [file.path, file] as const)
    return newInstructions(
      {
        definition: this.current.definition,
        folder: this.session.root,
        project: this.session.project,
        hearsOfChanges: this.home.isMain(this.id),
        touched,
        known: new Map([...atStart, ...this.history.toldInstructions]),
      },
      { memory: this.home.memory, trusted: this.home.isTrusted(this.session.project) },
    )
  }

  emit(draft: AgentEventDraft): AgentEvent {
    const event = {
      v: EVENT_VERSION,
      agentId: this.id,
      seq: this.nextSeq++,
      order: this.home.nextOrder(),
      at: this.home.clock.now(),
      ...draft,
    } as AgentEvent
    this.home.log.append(event)
    this.history.apply(event)
    if (event.type === 'user-message') this.messageIds.add(event.messageId)
    this.current = foldAgent(this.current, event) ?? this.current
    if (event.type === 'tool-ended') this.stream.toolEnded(event.toolUseId)
    if (WAKES.has(event.type)) for (const wake of this.wakers) wake()
    this.home.publish(event)
    if (event.type === 'context-summarised') this.retellPlace()
    return event
  }

  /** A summary may leave it out. */
  private retellPlace(): void {
    const { worktree, cwd } = this.current
    if (!worktree?.own) return
    this.emit({
      type: 'user-message',
      messageId: this.home.ids.next('m'),
      from: 'runtime',
      sender: null,
      content: [{ type: 'text', text: placeWords(worktree, cwd) }],
    })
  }

  live(event: LiveEvent): void {
    this.stream.apply(event)
    this.home.publishLive(event)
  }

  async flush(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const taken = this.takenIn
      const flushed = await this.home.log.flush(this.id)
      if (flushed.ok) {
        this.takenIn = this.takenIn.filter((messageId) => !taken.includes(messageId))
        this.home.logWritten(this.id, taken)
        return true
      }
      await this.home.logFailed(this.id, flushed.failure.message, signal)
      if (signal.aborted) return false
    }
  }

  takeInbox(): boolean {
    const messages = this.home.takeMessages(this.id)
    for (const { messageId, content, from, sender } of messages)
      this.emit({ type: 'user-message', messageId, from, sender, content })
    this.takenIn = [...this.takenIn, ...messages.map(({ messageId }) => messageId)]
    return messages.length > 0
  }

  limitReached(): LimitReached | null {
    return this.home.limitFor(this.id)
  }

  permissionMode(): PermissionMode {
    return this.current.permissionMode
  }

  keepOutput(toolUseId: string, output: string): Promise<Result<string>> {
    return this.home.log.keepOutput(this.id, toolUseId, output)
  }

  // ---- questions ----

  async ask(
    prompt: Omit<PendingPrompt, 'promptId' | 'askedAt'>,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    // Nobody looks at it, and whoever started it has gone on.
    if (this.current.background !== 'no' && !this.current.bubbles)
      return { decision: 'deny', unattended: true, words: CANNOT_ASK }
    const promptId = this.home.ids.next('p')
    this.emit({ type: 'permission-asked', promptId, ...prompt })
    const answer = await this.waitFor('permission', this.questions.answerTo(promptId, signal))
    this.emit({
      type: 'permission-answered',
      promptId,
      toolUseId: prompt.toolUseId,
      decision: signal.aborted ? 'withdrawn' : answer.decision,
      words: answer.decision === 'deny' ? answer.words : null,
    })
    return answer
  }

  /** False where no such question is open: it was answered, or the agent was stopped. */
  answer(promptId: string, answer: PermissionAnswer): boolean {
    return this.questions.answer(promptId, answer)
  }

  // ---- its place ----

  async ensurePlace(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (!this.hasPlace || this.current.pauseWanted)) {
      // It may be long until the flush of the next boundary.
      await this.flush(signal)
      if (this.current.pauseWanted) await this.rest(signal)
      else if (!this.hasPlace && !signal.aborted) {
        this.takingPlace ??= this.takePlace(signal).finally(() => {
          this.takingPlace = null
        })
        await this.takingPlace
      }
    }
  }

  /** Until a person lets it go on. */
  private async rest(signal: AbortSignal): Promise<void> {
    this.leavePlace()
    if (this.current.status !== 'paused')
      this.emit({ type: 'status-changed', status: 'paused', waitingFor: null })
    await this.until(() => !this.current.pauseWanted, signal)
  }

  /** Whoever waits for its report goes on without it. */
  moveToBackground(): void {
    this.isAwaited = false
    this.emit({ type: 'moved-to-background', by: 'user', bubbles: true })
  }

  /** Resolves once nobody waits for its report any more. */
  noLongerAwaited(signal: AbortSignal): Promise<void> {
    return this.until(() => !this.isAwaited, signal)
  }

  /** Resolves as soon as its state is so, or the signal aborts. */
  private until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!signal.aborted && !isSo()) return
        this.wakers.delete(look)
        signal.removeEventListener('abort', look)
        resolve()
      }
      this.wakers.add(look)
      signal.addEventListener('abort', look, { once: true })
      look()
    })
  }

  private async takePlace(signal: AbortSignal): Promise<void> {
    if (this.home.places.isFull && this.current.status !== 'queued')
      this.emit({ type: 'status-changed', status: 'queued', waitingFor: null })
    if (!(await this.home.places.take(signal))) return
    this.hasPlace = true
    if (this.current.status !== 'running')
      this.emit({ type: 'status-changed', status: 'running', waitingFor: null })
  }

  leavePlace(): void {
    if (!this.hasPlace) return
    this.hasPlace = false
    this.home.places.giveBack()
  }

  callStarted(): void {
    this.inFlight++
  }

  callEnded(): void {
    this.inFlight--
    this.restIfAllWait()
  }

  /** Waits without holding a place, once nothing else of this agent runs. */
  async waitFor<T>(what: 'permission' | 'children', until: Promise<T>): Promise<T> {
    this.waiting[what]++
    this.restIfAllWait()
    try {
      return await until
    } finally {
      this.waiting[what]--
    }
  }

  private restIfAllWait(): void {
    const waiting = this.waiting.permission + this.waiting.children
    if (waiting === 0 || waiting < this.inFlight) return
    this.leavePlace()
    const waitingFor = this.waiting.permission > 0 ? 'permission' : 'children'
    const { status } = this.current
    if (status === 'waiting' && this.current.waitingFor === waitingFor) return
    this.emit({ type: 'status-changed', status: 'waiting', waitingFor })
  }
}

/** Events that somebody may wait for. */
const WAKES: ReadonlySet<AgentEvent['type']> = new Set(['pause-changed', 'moved-to-background'])

const CANNOT_ASK =
  'This would have to be asked, and you work in the background, where nobody can be. Go on without it, and say in your report what you would have needed it for.'
