/** One session of an editor: a conversation, with the prompt that runs in it. */
import type { ContentBlock, SessionConfigOption, StopReason } from '@agentclientprotocol/sdk'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { promptContent } from '../../platform/acp/content.ts'
import { editorOptions } from '../../platform/acp/session-options.ts'
import { turnOutcome } from '../../platform/acp/turn-end.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import { ChildSessions } from './child-sessions.ts'
import type { Editor, EditorContext } from './editor-context.ts'
import { type EditorPlace, EditorQuestions, loginQuestionId } from './editor-questions.ts'
import { type Expansion, expandedPrompt } from './expanded-prompt.ts'
import { SessionUpdates } from './session-updates.ts'

interface AcpSessionOptions {
  readonly id: string
  readonly mainAgentId: string
  readonly folder: string
}

/** The events after which the session has other choices, or another one is current. */
const CHOICES: ReadonlySet<AgentEvent['type']> = new Set([
  'permission-mode-changed',
  'model-changed',
  'effort-changed',
  'program-options',
])

/** A prompt that runs. */
interface Turn {
  isCancelled: boolean
  readonly abort: AbortController
  readonly done: Promise<unknown>
}

export class EditorSession {
  readonly updates: SessionUpdates
  /** Null: the editor shows subagents as calls. */
  readonly children: ChildSessions | null
  private readonly questions: EditorQuestions
  private turn: Turn | null = null
  private isClosed = false
  private lastStop: string | null = null
  private isTrustTold = false
  private title = ''

  readonly options: AcpSessionOptions
  private readonly context: EditorContext
  private readonly editor: Editor

  constructor(options: AcpSessionOptions, context: EditorContext, editor: Editor) {
    this.options = options
    this.context = context
    this.editor = editor
    const { id, mainAgentId, folder } = options
    const { runtime, now, newKey } = context
    const { childSessions } = editor.can()
    this.updates = new SessionUpdates({ mainAgentId, folder, now, newKey, ownOnly: childSessions })
    this.children = childSessions ? this.newChildren() : null
    this.questions = new EditorQuestions({
      conversationId: id,
      runtime,
      editor,
      placeOf: (agentId) => this.placeOf(agentId),
    })
  }

  /** For the events of the conversation, or for those of its history. */
  newChildren(): ChildSessions {
    const { id, mainAgentId, folder } = this.options
    const { runtime, now, newKey } = this.context
    const stateOf = (agentId: string) => runtime.state(id, agentId)
    return new ChildSessions({
      sessionId: id,
      mainAgentId,
      folder,
      ...{ now, newKey },
      stateOf,
      notify: this.editor.notify,
    })
  }

  /** Follows a change of the conversation. */
  take(delta: Extract<RuntimeDelta, { type: 'event' | 'live' | 'write-failure' | 'conversation' }>): void {
    switch (delta.type) {
      case 'live':
        this.show(this.updates.live(delta.event))
        this.children?.live(delta.event)
        return
      case 'conversation':
        this.tellTitle(delta.summary.title)
        return
      case 'write-failure':
        this.show([this.updates.note(delta.message)])
        return
      case 'event':
        this.takeEvent(delta.event)
    }
  }

  private takeEvent(event: AgentEvent): void {
    if (event.type === 'assistant-message' && event.agentId === this.options.mainAgentId)
      this.lastStop = event.stopReason
    this.show(this.updates.take(event))
    if (event.agentId === this.options.mainAgentId && CHOICES.has(event.type))
      queueMicrotask(() => void this.tellChoices())
    if (event.agentId === this.options.mainAgentId && event.type === 'program-commands')
      queueMicrotask(() => void this.tellCommands())
    this.children?.take(event)
    // The agent waits for the answer only after all subscribers have the request.
    if (event.type === 'permission-asked') queueMicrotask(() => void this.questions.ask(event))
    else if (event.type === 'form-opened') queueMicrotask(() => void this.questions.askForm(event))
    else if (event.type === 'permission-answered') this.questions.withdraw(event.requestId)
    else if (event.type === 'form-closed') this.questions.withdraw(event.formId)
    else if (event.type === 'program-login') queueMicrotask(() => void this.questions.askLogin(event))
    else if (event.type === 'program-connected' || event.type === 'agent-ended')
      this.questions.withdraw(loginQuestionId(event.agentId))
  }

  /** Carries out a prompt. Fails with `busy`, `unsupported`, or with what failed. */
  async prompt(blocks: readonly ContentBlock[], gone: AbortSignal): Promise<Result<StopReason>> {
    // A prompt after a cancel waits until everything has stopped.
    while (this.turn?.isCancelled) await this.turn.done
    if (this.isClosed) return fail({ type: 'not-found', message: 'The session was closed.' })
    if (this.turn !== null)
      return fail({
        type: 'busy',
        message: 'A prompt is already running in this session. Cancel it, or wait for its end.',
      })
    const content = promptContent(blocks)
    if (!content.ok) return content
    const abort = new AbortController()
    const cancelWith = () => this.cancel()
    gone.addEventListener('abort', cancelWith, { once: true })
    const run = this.run(content.value, abort.signal)
    const turn: Turn = { isCancelled: false, abort, done: run.catch(() => undefined) }
    this.turn = turn
    if (gone.aborted) this.cancel()
    try {
      return await run
    } finally {
      gone.removeEventListener('abort', cancelWith)
      this.turn = null
    }
  }

  /** Whether a subagent of this session is shown as the session with this id. */
  hasChild(sessionId: string): boolean {
    const { id, mainAgentId } = this.options
    if (this.children === null || sessionId === mainAgentId) return false
    return this.children.has(sessionId) || this.context.runtime.state(id, sessionId) !== null
  }

  /** Stops the agent of a child session, with the agents below it. The rest works on. */
  cancelChild(sessionId: string): void {
    void this.context.runtime.dispatch({
      type: 'agent.stop',
      conversationId: this.options.id,
      agentId: sessionId,
    })
  }

  /** Stops all agents of the conversation; the prompt that runs ends as cancelled. */
  cancel(): void {
    if (this.turn === null) return
    this.turn.isCancelled = true
    this.turn.abort.abort()
    void this.context.runtime.dispatch({ type: 'conversation.stop', conversationId: this.options.id })
  }

  private async run(content: readonly UserBlock[], signal: AbortSignal): Promise<Result<StopReason>> {
    const { runtime } = this.context
    const { id, mainAgentId } = this.options
    await this.context.readFolders()
    this.tellTrust()
    const message = await expandedPrompt(content, this.expansion(), signal)
    if (signal.aborted) return ok('cancelled')
    if (!message.ok) {
      this.show([this.updates.note(message.failure.message)])
      return ok('end_turn')
    }
    this.lastStop = null
    const sent = await runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: null,
      ...message.value,
    })
    if (!sent.ok) return signal.aborted ? ok('cancelled') : sent
    if (signal.aborted) await runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    const settled = await runtime.settled(id)
    const state = runtime.state(id, mainAgentId) ?? settled
    const outcome = turnOutcome({ state, lastStop: this.lastStop, isCancelled: signal.aborted })
    // An external agent may leave calls without an end.
    this.endCalls(outcome.ok && outcome.value !== 'cancelled' ? 'completed' : 'failed')
    return outcome
  }

  /** Whether a prompt runs. */
  isAtWork(): boolean {
    return this.turn !== null
  }

  private endCalls(status: 'completed' | 'failed'): void {
    this.show(this.updates.endAll(status))
    this.children?.endAll(status)
  }

  /** Stops what runs, and takes open questions back. The conversation stays. */
  async close(): Promise<void> {
    this.isClosed = true
    const done = this.turn?.done
    this.cancel()
    this.questions.withdrawAll()
    await this.context.runtime.dispatch({ type: 'conversation.stop', conversationId: this.options.id })
    await done
  }

  private expansion(): Expansion {
    const { id, mainAgentId, folder } = this.options
    return {
      sessionId: id,
      mainAgentId,
      folder,
      slash: this.context.slash,
      editor: this.editor,
      updates: this.updates,
      show: (updates) => this.show(updates),
      newKey: this.context.newKey,
      ofProgram: async () => (await this.mainAgent())?.program?.commands ?? [],
    }
  }

  /** Null: the conversation can't be read now. */
  async mainAgent(): Promise<AgentState | null> {
    const { id, mainAgentId } = this.options
    const open = this.context.runtime.state(id, mainAgentId)
    if (open !== null) return open
    const snapshot = await this.context.runtime.snapshot(id)
    return (snapshot.ok && snapshot.value.agents.find((agent) => agent.id === mainAgentId)) || null
  }

  /** What the user can choose for this session, with the current values. */
  async choices(): Promise<SessionConfigOption[]> {
    const agent = await this.mainAgent()
    const { bypassAllowed, models } = this.context
    return agent === null
      ? []
      : editorOptions({ agent, models, bypassAllowed: bypassAllowed(this.options.folder) })
  }

  /** Tells the editor which commands a prompt can begin with: Troupe's, then those of an external agent. */
  async tellCommands(): Promise<void> {
    const commands = await this.context.slash.list(this.options.folder)
    const ofProgram = (await this.mainAgent())?.program?.commands ?? []
    this.show([
      {
        sessionUpdate: 'available_commands_update',
        availableCommands: [
          ...commands
            .filter(({ problem }) => problem === null)
            .map(({ name, description, argumentHint }) => ({ name, description, hint: argumentHint })),
          ...ofProgram.filter(({ name }) => !commands.some((ours) => ours.name === name)),
        ].map(({ name, description, hint }) => ({
          name,
          description,
          ...(hint !== null && hint !== '' && { input: { hint } }),
        })),
      },
    ])
  }

  private async tellChoices(): Promise<void> {
    this.show([{ sessionUpdate: 'config_option_update', configOptions: await this.choices() }])
  }

  private placeOf(agentId: string): EditorPlace {
    const { id, mainAgentId } = this.options
    const ofChild = this.children?.updatesOf(agentId) ?? null
    if (ofChild !== null) return { sessionId: agentId, updates: ofChild, who: null }
    const who =
      agentId === mainAgentId ? null : (this.context.runtime.state(id, agentId)?.definition.name ?? agentId)
    return { sessionId: id, updates: this.updates, who }
  }

  private tellTitle(title: string): void {
    if (title === '' || title === this.title) return
    this.title = title
    this.show([{ sessionUpdate: 'session_info_update', title }])
  }

  private tellTrust(): void {
    const { folder } = this.options
    if (this.isTrustTold || this.context.isTrusted(folder)) return
    this.isTrustTold = true
    this.show([
      this.updates.note(
        `${folder} is not trusted, so agents can only read files in it and cannot run commands. To trust it, run: troupe trust add ${JSON.stringify(folder)}. It counts from your next prompt on. Or add --trust to the arguments of troupe acp.`,
      ),
    ])
  }

  show(updates: readonly Parameters<Editor['notify']>[1][]): void {
    for (const update of updates) this.editor.notify(this.options.id, update)
  }
}
