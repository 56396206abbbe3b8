/**
 * The backing of an agent that an external agent carries out, over the Agent Client Protocol. Each run sends
 * prompts to a session of the program, until there is nothing left to send.
 */
import { type AgentEventDraft, EVENT_VERSION } from '../../../../shared/events/agent-event.ts'
import type { ExternalAgentOption } from '../../../../shared/external-agents/external-agent.ts'
import type { FormAnswer } from '../../../../shared/forms/form.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { failedRun } from '../../../platform/acp/turn-end.ts'
import type {
  AgentBacking,
  BackedAgent,
  BackingProgram,
  ExternalAgents,
} from '../../../runtime/ports/agent-backing.ts'
import type { RunEnd } from '../../../runtime/ports/run-end.ts'
import type { ServerCommand } from '../../mcp/guarded-process.ts'
import type { AgentConnection, WaitOptions } from './agent-connection.ts'
import { agentEnvironment } from './agent-environment.ts'
import { explainedFailure } from './agent-process.ts'
import type { BackingDeps, ExternalAgentDeps } from './backing-deps.ts'
import { ConnectionPool, type ProcessHold } from './connection-pool.ts'
import { connectedEvent, type ExternalSession } from './external-session.ts'
import { type HandedServers, handedServers } from './handed-servers.ts'
import { HeldSessions } from './held-sessions.ts'
import { LoginWait, runLogin } from './login-wait.ts'
import { applyOptions, type OpenedSession, openSession, passOnMode } from './open-session.ts'
import { hasHistory } from './prompt-content.ts'
import { type RunSession, runPrompts } from './run-prompts.ts'
import { aborted } from './run-turn.ts'

const NAME = 'acp'

class ExternalAgentBacking implements AgentBacking {
  readonly name = NAME
  readonly attempts = null
  readonly job = null
  readonly program: BackingProgram = {
    setOption: (optionId, value) => this.setOption(optionId, value),
    login: (methodId) => this.login(methodId),
  }
  private readonly agent: BackedAgent
  private readonly deps: BackingDeps
  private readonly loginWait: LoginWait
  private emit: (draft: AgentEventDraft) => void = () => {}
  /** The session of the run; null: none has begun. */
  private current: RunSession | null = null

  constructor(agent: BackedAgent, deps: BackingDeps) {
    this.agent = agent
    this.deps = deps
    this.loginWait = new LoginWait(agent, deps.clock, (draft) => this.emit(draft))
  }

  reserve(signal: AbortSignal): Promise<void> {
    return this.agent.acquireSlot(signal)
  }

  send(): void {
    // Queued messages are sent as the next prompt.
  }

  pause(paused: boolean): void {
    this.emit({ type: 'pause-changed', paused })
  }

  changed(): void {
    const session = this.current?.session
    if (session !== undefined) void this.passOn(session, new AbortController().signal)
  }

  answer(requestId: string, answer: Parameters<AgentBacking['answer']>[1]): boolean {
    return this.agent.answer(requestId, answer)
  }

  answerForm(formId: string, answer: FormAnswer): boolean {
    return this.agent.answerForm(formId, answer)
  }

  private async setOption(optionId: string, value: string): Promise<Result<readonly ExternalAgentOption[]>> {
    const session = this.current?.session ?? this.deps.held.peek(this.agent.id)
    if (session !== null) {
      const { clock, startLimit } = this.deps
      const wait = { clock, limit: startLimit, signal: new AbortController().signal }
      const set = await session.setOption(optionId, value, wait)
      return set.ok ? ok(session.choices) : set
    }
    const options = this.agent.state().program?.options ?? []
    const option = options.find(({ id }) => id === optionId)
    if (option === undefined || !option.values.some(({ id }) => id === value))
      return fail({ type: 'not-offered', message: 'The program does not offer this choice.' })
    // Its next session gets it.
    return ok(options.map((one) => (one === option ? { ...one, current: value } : one)))
  }

  /** Without a run that waits for it, the program is started for the login. */
  private async login(methodId: string): Promise<Result<void>> {
    if (this.loginWait.isOpen) return this.loginWait.logIn(methodId)
    const command = this.command()
    if (!command.ok) return command
    const lease = this.deps.pool.acquire(command.value)
    try {
      const connected = await lease.connection
      if (!connected.ok) return connected
      const done = await runLogin(connected.value, methodId)
      if (done.ok && done.value.needsRestart) connected.value.isStale = true
      return done.ok ? ok(undefined) : done
    } finally {
      lease.release()
    }
  }

  async start(signal: AbortSignal): Promise<RunEnd> {
    const { agent } = this
    this.beginEpoch()
    const limit = agent.limitReached()
    if (limit !== null) return { kind: 'failed', type: 'limit', message: limit.description, limit }
    const command = this.command()
    if (!command.ok) return failedRun(command.failure.message)
    await agent.acquireSlot(signal)
    for (;;) {
      if (signal.aborted) return { kind: 'stopped' }
      const session = this.heldSession() ?? (await this.open(command.value, signal))
      if ('kind' in session) return session
      this.current = session
      // The mode may have changed since the run before, or while the session began.
      await this.passOn(session.session, signal)
      try {
        const { deps, emit, loginWait } = this
        const end = await runPrompts(session, { agent, deps, emit, loginWait, signal })
        if (end !== 'restart') return end
      } finally {
        this.current = null
      }
    }
  }

  /** Tells the program of the permission mode as it is now, if it was told another one. */
  private async passOn(session: ExternalSession, signal: AbortSignal): Promise<void> {
    const { clock, startLimit } = this.deps
    const { permissionMode } = this.agent.state()
    const notices = await passOnMode(session, permissionMode, { clock, limit: startLimit, signal })
    // The run may have ended meanwhile.
    if (this.current?.session !== session || signal.aborted) return
    for (const text of notices) this.emit({ type: 'notice', level: 'info', text })
  }

  /** Whether the permission mode was changed after the program last told its choices. */
  private async isModeNew(): Promise<boolean> {
    const events = await this.agent.events()
    if (!events.ok) return true
    const last = (type: string) => events.value.findLastIndex((event) => event.type === type)
    return last('permission-mode-changed') > last('program-options')
  }

  private beginEpoch(): void {
    const { agent } = this
    const { epoch, seq } = agent.takeOver()
    let next = seq
    this.emit = (draft) => {
      const stamp = { v: EVENT_VERSION, agentId: agent.id, seq: next, order: 0, at: this.deps.clock.now() }
      const added = agent.ingest({ agentId: agent.id, backing: NAME, epoch }, { ...draft, ...stamp })
      if (!added.ok) throw new Error(added.failure.message)
      next++
    }
  }

  /** The session of the run before, if its process still runs. */
  private heldSession(): RunSession | null {
    const held = this.deps.held.take(this.agent.id)
    if (held === null) return null
    if (!held.session.connection.isStale) return { ...held, began: null }
    held.lease.release()
    return null
  }

  /** The program of the agent as a process. The session says in which folder the agent works. */
  private command(): Result<ServerCommand> {
    const { agent, deps } = this
    const { program, name } = agent.state().definition
    if (program === undefined)
      return fail({ type: 'no-program', message: `The definition of ${name} has no command.` })
    const { folder } = agent.conversation
    if (!deps.trusted(folder))
      return fail({
        type: 'not-trusted',
        message: `${name} is an external agent, and the folder ${folder} is not trusted. Trust the folder, then start the agent again.`,
      })
    const environment = agentEnvironment(program, deps.variables, deps.environment)
    if (!environment.ok) return environment
    const { command, args } = program
    return ok({ command, args, cwd: folder, environment: environment.value })
  }

  /** A session of a process that runs or is started. Waits for a login where the program wants one. */
  private async open(command: ServerCommand, signal: AbortSignal): Promise<RunSession | RunEnd> {
    const { pool } = this.deps
    for (;;) {
      const lease = pool.acquire(command)
      const attempt = await this.attempt(lease, signal)
      if (typeof attempt !== 'string' && !('kind' in attempt)) return attempt
      lease.release()
      // Some programs can have only one session, and refuse the second one.
      if (attempt === 'refused') pool.onlyOneSession(command)
      else if (typeof attempt !== 'string') return attempt
    }
  }

  private async attempt(
    lease: ProcessHold,
    signal: AbortSignal,
  ): Promise<RunSession | RunEnd | 'again' | 'refused'> {
    const { agent, deps } = this
    const { definition, cwd, program, costUsd } = agent.state()
    const failure = async (why: string): Promise<RunEnd> =>
      signal.aborted ? { kind: 'stopped' } : explainedFailure(lease.process, why, { definition, ...deps })
    const connected = await Promise.race([lease.connection, aborted(signal)])
    if (connected === 'stopped') return { kind: 'stopped' }
    if (!connected.ok) return failure(connected.failure.message)
    const handed = await this.servers(connected.value)
    const gone = new AbortController()
    void lease.process.ended.then(() => gone.abort())
    const wait = {
      clock: deps.clock,
      limit: deps.startLimit,
      signal: AbortSignal.any([signal, gone.signal]),
    }
    const opened = await openSession(
      connected.value,
      { sessionId: program?.sessionId ?? null, cost: costUsd },
      { place: { cwd, mcpServers: handed.servers }, wait },
    )
    if (signal.aborted) return { kind: 'stopped' }
    if (opened.ok) {
      for (const text of handed.notices) this.emit({ type: 'notice', level: 'info', text })
      return this.begun(opened.value, lease, wait)
    }
    if (opened.failure.type === 'login') {
      const first = await this.loginWait.wait(connected.value, { process: lease.process, signal })
      return typeof first === 'string' ? 'again' : first
    }
    if (opened.failure.type === 'protocol' && lease.isShared) return 'refused'
    return failure(opened.failure.message)
  }

  /** The MCP servers of the user that the program gets. */
  private async servers({ initialized }: AgentConnection): Promise<HandedServers> {
    const { agent, deps } = this
    if (deps.mcp === undefined) return { servers: [], notices: [] }
    const { definition, parentId } = agent.state()
    const named = definition.program?.mcpServers ?? null
    const { folder } = agent.conversation
    const capabilities = initialized.agentCapabilities
    return handedServers({ folder, isSubagent: parentId !== null, named, capabilities }, deps.mcp)
  }

  /** Tells what the session is, and gives it the choices that it should have. */
  private async begun(
    { session, began }: OpenedSession,
    lease: ProcessHold,
    wait: WaitOptions,
  ): Promise<RunSession> {
    const { agent, emit } = this
    const { model, program, definition, permissionMode } = agent.state()
    // The name of the program stands where other agents have their model.
    const shown = session.connection.shownName.replaceAll('/', ' ')
    if (shown !== '' && shown !== model) emit({ type: 'model-changed', model: shown })
    emit(connectedEvent(session, began))
    if (began === 'new' && hasHistory(agent))
      emit({
        type: 'notice',
        level: 'info',
        text: `${definition.name} can’t resume its session: it got the conversation so far as text.`,
      })
    const money = agent.moneyLimit()
    if (money !== null && program === null)
      emit({
        type: 'notice',
        level: 'info',
        text: `The limit of $${money} holds only for the cost that ${definition.name} reports; what it does not report can’t be limited.`,
      })
    const wanted = {
      former: program?.options ?? [],
      model: definition.program?.model ?? null,
      effort: definition.program?.effort ?? null,
      mode: permissionMode,
      isModeNew: program !== null && (await this.isModeNew()),
    }
    const notices = await applyOptions(session, wanted, wait)
    if (!wait.signal.aborted) for (const text of notices) emit({ type: 'notice', level: 'info', text })
    return { session, lease, began }
  }
}

/** Programs that are fetched when they start need a while. */
const START_LIMIT = 120_000
const MINUTE = 60_000
/** ms. A process needs up to some hundred MB, and a session that can be resumed costs only its start. */
const KEEP = { process: MINUTE / 2, resumable: 5 * MINUTE, other: 60 * MINUTE }

export function createExternalAgents(deps: ExternalAgentDeps): ExternalAgents {
  const { clock, keep, startLimit = START_LIMIT } = deps
  const times = keep === undefined ? KEEP : { process: keep, resumable: keep, other: keep }
  const pool = new ConnectionPool({ clock, startLimit, keepProcess: times.process })
  const held = new HeldSessions(clock, times)
  return {
    backing: (agent) =>
      agent.state().backing === 'acp'
        ? new ExternalAgentBacking(agent, { ...deps, startLimit, pool, held })
        : null,
    async close() {
      held.close()
      await pool.close()
    },
  }
}
