/**
 * The subagents of one session of a program: each becomes an agent of the tree, with its messages, calls and requests.
 * What a subagent's session brings is handled in its order, after the subagent has a run to which it belongs.
 */
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { type AgentEventDraft, EVENT_VERSION } from '../../../../shared/events/agent-event.ts'
import {
  type ChildPatch,
  type ChildUpdate,
  type ChildWork,
  modelIn,
  readChildUpdate,
} from '../../../platform/acp/subagent-sessions.ts'
import { childEnd, withReport } from '../../../platform/acp/turn-end.ts'
import {
  type BackedAgent,
  EXTERNAL_SUBAGENT_BACKING,
  type ExternalSubagentFacts,
  type ExternalSubagentRun,
} from '../../../runtime/ports/agent-backing.ts'
import type { RunEnd } from '../../../runtime/ports/run-end.ts'
import type { SessionHost } from './agent-connection.ts'
import { CostMeter } from './cost-meter.ts'
import { ExternalHooks } from './external-hooks.ts'
import { type KnownCall, MOST_CALLS, type TerminalView, UpdateRecorder } from './update-recorder.ts'

/** Subagents of one session. The updates of more are passed over. */
const MOST_CHILDREN = 500

interface ChildSessionsOptions {
  /** The agent that the program carries out. */
  readonly owner: BackedAgent
  /** Its transcript, where the calls that start subagents are shown. */
  readonly recorder: UpdateRecorder
  readonly now: () => number
  /** Aborts at the end of the run of `owner`. */
  readonly signal: AbortSignal
  /** Asks the program to cancel what a subagent does. */
  readonly cancel: (sessionId: string) => void
  /** Routes what the program sends for a session. @returns ends it; null: it is a session of another agent */
  readonly attach: (sessionId: string, host: SessionHost) => (() => void) | null
  /** What a subagent asks of Troupe is asked for the agent that stands for it. */
  readonly serve: (child: ServedChild) => ChildService
  /** Called when a subagent makes more calls than a transcript can have. */
  readonly refuse: (why: string) => void
}

interface ServedChild {
  readonly agent: BackedAgent
  readonly permit: BackedAgent['permit']
  readonly recorder: UpdateRecorder
  readonly emit: (draft: AgentEventDraft) => void
  /** Aborts at the end of the run. */
  readonly signal: AbortSignal
}

interface ChildService {
  readonly host: SessionHost
  /** Called for each call that was told or changed. */
  seen(call: KnownCall): void
  /** What a terminal shows; null: it is none of this subagent. */
  terminal(terminalId: string): TerminalView | null
}

/** A run of a subagent. */
interface Run {
  readonly run: ExternalSubagentRun
  readonly recorder: UpdateRecorder
  readonly host: SessionHost
  readonly emit: (draft: AgentEventDraft) => void
  readonly hooks: ExternalHooks
  readonly over: AbortController
}

interface Child {
  readonly sessionId: string
  /** The session that announced it. */
  readonly parent: Child | null
  title: string | null
  description: string | null
  /** Undefined: not told. Null: that of its parent. */
  cwd: string | null | undefined
  /** Null: not told. */
  canStop: boolean | null
  /** What the program said last. */
  work: ChildWork['kind'] | 'unset'
  current: Run | null
  /** The call of the parent that has not ended. */
  call: { readonly id: string; readonly recorder: UpdateRecorder } | null
  /** The messages that it got. */
  readonly messages: Set<string>
  /** Ends the routing of its session. */
  detach: () => void
  /** Everything so far was handled. */
  handled: Promise<void>
}

export class ExternalSubagents {
  private readonly options: ChildSessionsOptions
  private readonly children = new Map<string, Child>()
  private isOver = false

  constructor(options: ChildSessionsOptions) {
    this.options = options
  }

  /** The host of the program's own session, without the updates about subagents. */
  serving(own: SessionHost): SessionHost {
    return {
      ...own,
      update: (update) => {
        if (!this.taken(null, update)) own.update(update)
      },
    }
  }

  /** Waits for everything that was told so far, with its hooks. */
  async handled(): Promise<void> {
    await Promise.all([...this.children.values()].map(({ handled }) => handled))
  }

  /** The session is over: subagents that still work end with it. */
  async end(why: string): Promise<void> {
    this.isOver = true
    await this.handled()
    for (const child of [...this.children.values()].reverse()) {
      child.detach()
      await this.endRun(child, { kind: 'failed', type: 'worker', message: why })
    }
  }

  /** `child`: whose session has the update; null: that of the program. */
  private taken(child: Child | null, update: unknown): boolean {
    const told = readChildUpdate(update)
    if (told === null && child === null) return false
    if (this.isOver || told?.kind === 'unknown') return true
    if (told?.kind === 'child') this.announced(child, told.sessionId, told.patch)
    else if (child !== null)
      this.later(child, () =>
        told === null ? this.update(child, update as SessionUpdate) : this.message(child, told),
      )
    return true
  }

  private announced(parent: Child | null, sessionId: string, patch: ChildPatch): void {
    let child = this.children.get(sessionId)
    if (child === undefined) {
      if (this.children.size >= MOST_CHILDREN) return
      child = newChild(sessionId, parent)
      const detach = this.options.attach(sessionId, this.routeOf(child))
      if (detach === null) return
      child.detach = detach
      this.children.set(sessionId, child)
    }
    const known = child
    this.later(known, () => this.patch(known, patch))
  }

  private routeOf(child: Child): SessionHost {
    const working = (): SessionHost => {
      if (child.current === null) throw new Error('This subagent does not work now.')
      return child.current.host
    }
    const host = async (): Promise<SessionHost> => {
      await child.handled
      return working()
    }
    return {
      update: (update) => void this.taken(child, update),
      permission: async (request) => (await host()).permission(request),
      readFile: async (request) => (await host()).readFile(request),
      writeFile: async (request) => (await host()).writeFile(request),
      elicit: async (request, signal) => (await host()).elicit(request, signal),
      terminals: () => working().terminals(),
    }
  }

  /** After everything before it, and after everything that its parent was told before. */
  private later(child: Child, act: () => Promise<void> | void): void {
    const before = child.parent === null ? child.handled : Promise.all([child.handled, child.parent.handled])
    child.handled = before.then(act).catch(() => {
      // An update of a wrong shape. The log takes only events of a right one.
    })
  }

  private async patch(child: Child, { state, ...facts }: ChildPatch): Promise<void> {
    Object.assign(child, facts)
    child.current?.run.changed(this.factsOf(child))
    if (state === undefined) return
    const before = child.work
    child.work = state.kind
    if (state.kind === 'running') {
      if (before !== 'running') await this.begin(child)
    } else await this.endRun(child, childEnd(child.title ?? FALLBACK, state))
  }

  /** An update of the subagent itself. */
  private async update(child: Child, update: SessionUpdate): Promise<void> {
    if (child.current === null && child.work === 'unset') await this.begin(child)
    const { current } = child
    if (current === null) return
    const model = modelIn(update)
    if (model !== null && model !== current.run.agent.state().model)
      current.emit({ type: 'model-changed', model })
    current.recorder.take(update)
    if (current.recorder.callCount > MOST_CALLS)
      this.options.refuse(`A subagent of it made more than ${MOST_CALLS} calls.`)
  }

  private async message(child: Child, told: Extract<ChildUpdate, { kind: 'message' }>): Promise<void> {
    const { messageId, sender, recipient, text } = told
    // What it tells a subagent of its own is in that one's transcript.
    if (sender === child.sessionId && recipient !== null && this.children.get(recipient)?.parent === child)
      return
    if (child.messages.has(messageId)) return
    child.messages.add(messageId)
    if (child.current === null) await this.begin(child)
    const { current } = child
    if (current === null) return
    if (sender === child.sessionId) {
      const content = { type: 'text' as const, text }
      current.recorder.take({ sessionUpdate: 'agent_message_chunk', messageId, content })
      return
    }
    const author = sender === null ? undefined : this.children.get(sender)?.current?.run.agent.id
    const isOther = author !== undefined && author !== current.run.agent.state().parentId
    current.emit({
      type: 'user-message',
      messageId: `${child.sessionId}:${messageId}`,
      from: isOther ? 'agent' : 'parent',
      sender: isOther ? author : null,
      content: [{ type: 'text', text }],
    })
  }

  private async begin(child: Child): Promise<void> {
    if (child.current !== null) return
    const { owner, cancel, serve } = this.options
    const parent = child.parent?.current ?? null
    const recorder = child.parent === null ? this.options.recorder : (parent?.recorder ?? null)
    const facts = this.factsOf(child)
    const begun = await owner.startChild({
      ...facts,
      sessionId: child.sessionId,
      parentId: parent?.run.agent.id ?? owner.id,
      shownBy: () => {
        child.call = recorder && {
          id: recorder.subagentStarted(facts.name ?? FALLBACK, facts.task ?? ''),
          recorder,
        }
        return child.call?.id ?? null
      },
      cancel: () => cancel(child.sessionId),
      cutOff: () => void child.current?.recorder.finish('cancelled'),
    })
    if (!begun.ok) {
      this.endCall(child, { isError: true, note: 'not shown', content: begun.failure.message })
      return
    }
    const run = begun.value
    const over = new AbortController()
    run.signal.addEventListener('abort', () => over.abort(), { once: true })
    const emit = this.emitter(child, run)
    const { agent } = run
    const hooks = this.hooksOf(run)
    const transcript: UpdateRecorder = new UpdateRecorder({
      agentId: agent.id,
      now: this.options.now,
      emit,
      live: (event) => agent.live(event),
      model: () => agent.state().model,
      // Programs count the cost of subagents in that of their own session.
      cost: new CostMeter(0),
      onCall: (call) => service.seen(call),
      onEnd: (call, result) => hooks.callEnded(call, result),
      terminal: (terminalId) => service.terminal(terminalId),
    })
    const { permit } = hooks
    const service = serve({ agent, permit, recorder: transcript, emit, signal: over.signal })
    const { host } = service
    child.current = { run, recorder: transcript, host, emit, hooks, over }
    transcript.begin()
    hooks.begun()
  }

  /** Events of a run that Troupe has ended are dropped: its program did not react to a stop in time. */
  private emitter(child: Child, { agent }: ExternalSubagentRun): (draft: AgentEventDraft) => void {
    const { epoch, seq } = agent.takeOver()
    let next = seq
    return (draft) => {
      const stamp = { v: EVENT_VERSION, agentId: agent.id, seq: next, order: 0, at: this.options.now() }
      const origin = { agentId: agent.id, backing: EXTERNAL_SUBAGENT_BACKING, epoch }
      const added = agent.ingest(origin, { ...draft, ...stamp })
      if (added.ok) next++
      else if (added.failure.type === 'not-running' && child.current?.run.agent === agent)
        child.current = null
      else throw new Error(added.failure.message)
    }
  }

  private async endRun(child: Child, end: RunEnd): Promise<void> {
    const { current } = child
    if (current === null) {
      this.endCall(child, { isError: true, note: 'stopped', content: '' })
      return
    }
    const report = current.recorder.finish(end.kind === 'answered' ? 'end_turn' : 'cancelled')
    child.current = null
    // Its requests are withdrawn before its end is recorded.
    current.over.abort()
    await new Promise((resolve) => setImmediate(resolve))
    const ended = withReport(end, report)
    await this.endHooks(current, ended)
    await current.run.end(ended)
    const { status, report: told } = current.run.agent.state()
    const isError = status !== 'completed'
    this.endCall(child, {
      isError,
      note: isError ? status : '',
      content: ended.kind === 'failed' ? ended.message : told,
      agentId: current.run.agent.id,
    })
  }

  /** A hook that stops the run stops the subagent, if its program can. */
  private hooksOf({ agent, signal, stop }: ExternalSubagentRun): ExternalHooks {
    const hooks = new ExternalHooks(agent, AbortSignal.any([signal, this.options.signal]))
    hooks.stopped.addEventListener('abort', stop, { once: true })
    return hooks
  }

  /** Waits for the hooks of the run, and runs those of its end. */
  private async endHooks({ hooks, emit }: Run, end: RunEnd): Promise<void> {
    const added = await hooks.settle()
    if (added.length > 0)
      emit({
        type: 'notice',
        level: 'info',
        text: 'What hooks added did not reach this subagent: only its program can write to it.',
      })
    if (end.kind === 'answered') await hooks.reasonToContinue(end)
  }

  private endCall(
    child: Child,
    ended: {
      readonly isError: boolean
      readonly note: string
      readonly content: string
      readonly agentId?: string
    },
  ): void {
    const { call } = child
    child.call = null
    call?.recorder.subagentEnded(call.id, {
      agentId: child.current?.run.agent.id ?? null,
      ...ended,
    })
  }

  private factsOf({ title, description, cwd, canStop, parent }: Child): ExternalSubagentFacts {
    const inherited = parent?.current?.run.agent ?? this.options.owner
    return {
      name: title ?? description,
      task: title === null && description !== null ? '' : description,
      cwd: cwd === null ? inherited.state().cwd : (cwd ?? null),
      canStop,
    }
  }
}

/** The name of a subagent that its program does not name. */
const FALLBACK = 'Subagent'

const newChild = (sessionId: string, parent: Child | null): Child => ({
  sessionId,
  parent,
  title: null,
  description: null,
  cwd: undefined,
  canStop: null,
  work: 'unset',
  current: null,
  call: null,
  messages: new Set(),
  detach() {},
  handled: Promise.resolve(),
})
