/**
 * The backing of an agent that a program of another maker carries out, over the Agent Client Protocol. The program runs
 * in the agent's folder for one run of the agent: it starts with the task, and ends with its report.
 */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { describeProgram } from '../../../shared/agent-definition/program-of.ts'
import { type AgentEventDraft, EVENT_VERSION } from '../../../shared/agent-event.ts'
import type { UserBlock } from '../../../shared/content.ts'
import { messageOf } from '../../../shared/result.ts'
import type { AgentBacking, BackedAgent, RunEnd } from '../../runtime/agent-backing.ts'
import type { Clock, FileSystem } from '../../runtime/ports.ts'
import { createHost } from './acp-host.ts'
import { type AcpProcess, startAcpProcess } from './acp-process.ts'
import { type AcpSession, openSession } from './acp-session.ts'
import { programEnvironment } from './program-environment.ts'
import { MOST_CALLS, UpdateRecorder } from './update-recorder.ts'

export interface AcpBackingDeps {
  readonly clock: Clock
  readonly files: FileSystem
  /** The whole environment of the user, for the variables that a definition names. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The variables that each program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether programs may run in the folder of a conversation. */
  readonly trusted: (folder: string) => boolean
  /** ms for each answer of the handshake. */
  readonly startLimit?: number
}

const NAME = 'acp'
/** Programs that are fetched when they start need a while. */
const START_LIMIT = 120_000
/** ms that a stopped program has to end its turn. */
const STOP_TIME = 5000
/** ms between looks at the limits of the agent. */
const LIMIT_CHECK = 1000

/** Null: this runtime's loop, or a worker, carries out the agent. */
export function createAcpBacking(agent: BackedAgent, deps: AcpBackingDeps): AgentBacking | null {
  return agent.state().backing === 'acp' ? new AcpBacking(agent, deps) : null
}

class AcpBacking implements AgentBacking {
  readonly name = NAME
  private readonly agent: BackedAgent
  private readonly deps: AcpBackingDeps
  private model: string
  private lastEnd: RunEnd['kind'] | null = null
  private emit: (draft: AgentEventDraft) => void = () => {}

  constructor(agent: BackedAgent, deps: AcpBackingDeps) {
    this.agent = agent
    this.deps = deps
    this.model = agent.state().model
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

  answer(requestId: string, answer: Parameters<AgentBacking['answer']>[1]): boolean {
    return this.agent.answer(requestId, answer)
  }

  async start(signal: AbortSignal): Promise<RunEnd> {
    const { agent } = this
    const { epoch, seq } = agent.takeOver()
    let next = seq
    this.emit = (draft) => {
      const stamp = { v: EVENT_VERSION, agentId: agent.id, seq: next, order: 0, at: this.deps.clock.now() }
      const added = agent.ingest({ agentId: agent.id, backing: NAME, epoch }, { ...draft, ...stamp })
      if (!added.ok) throw new Error(added.failure.message)
      next++
    }
    if (this.lastEnd !== null || hasAnswered(agent)) return this.tooLate()
    const end = await this.run(signal)
    this.lastEnd = end.kind
    return end
  }

  /** The session ended with its process. */
  private tooLate(): RunEnd {
    const { name } = this.agent.state().definition
    this.agent.takeMessages()
    const message = `The session of ${name} has ended, so it can’t read more messages. Start it again with a new task.`
    if (this.lastEnd !== 'answered') return failed(message)
    this.emit({ type: 'notice', level: 'warning', text: message })
    return { kind: 'answered', text: '', reachedLimit: null }
  }

  private async run(signal: AbortSignal): Promise<RunEnd> {
    const { agent, deps } = this
    const { program, name } = agent.state().definition
    if (program === undefined) return failed(`The definition of ${name} has no command.`)
    if (!deps.trusted(agent.conversation.folder))
      return failed(
        `${name} is a program of another maker, and the folder ${agent.conversation.folder} is not trusted. Trust the folder, then start the agent again.`,
      )
    const limit = agent.limitReached()
    if (limit !== null) return { kind: 'failed', type: 'limit', message: limit.description, limit }
    const environment = programEnvironment(program, deps.variables, deps.environment)
    if (!environment.ok) return failed(environment.failure.message)
    await agent.acquireSlot(signal)
    if (signal.aborted) return { kind: 'stopped' }
    const { command, args } = program
    const process = startAcpProcess({
      command,
      args,
      cwd: agent.state().cwd,
      environment: environment.value,
    })
    try {
      return await this.work(process, signal)
    } catch (thrown) {
      if (signal.aborted) return { kind: 'stopped' }
      return this.explained(process, messageOf(thrown))
    } finally {
      await process.end()
    }
  }

  private async work(process: AcpProcess, signal: AbortSignal): Promise<RunEnd> {
    const { agent, deps } = this
    const over = new AbortController()
    let isOver = false
    const stop = () => over.abort()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    // A session that ends must not wait for answers any more.
    const gone = process.ended.then((code) => {
      over.abort()
      return code
    })
    const recorder = new UpdateRecorder({
      agentId: agent.id,
      now: () => deps.clock.now(),
      emit: this.emit,
      live: (event) => agent.live(event),
      model: () => this.model,
    })
    const host = createHost({
      agent,
      recorder,
      files: deps.files,
      emit: this.emit,
      signal: over.signal,
      isOver: () => isOver,
      updated: () => {
        if (recorder.callCount > MOST_CALLS) process.refuse(`It made more than ${MOST_CALLS} calls.`)
      },
    })
    const opened = await openSession({
      process,
      host,
      cwd: agent.state().cwd,
      clock: deps.clock,
      startLimit: deps.startLimit ?? START_LIMIT,
      signal: over.signal,
    })
    if (signal.aborted) return { kind: 'stopped' }
    if (!opened.ok) return this.explained(process, opened.failure.message)
    const session = opened.value
    if (session.agentName !== null) this.named(session.agentName)
    agent.takeMessages()
    let content = firstPrompt(agent, session)
    try {
      for (;;) {
        recorder.begin()
        const turn = await this.turn(session, content, { gone, signal })
        const text = recorder.finish(turn.kind === 'stopped-by' ? 'cancelled' : turn.reason)
        if (signal.aborted) return { kind: 'stopped' }
        if (turn.kind === 'ended-early') return this.explained(process, turn.message)
        if (turn.kind === 'stopped-by')
          return {
            kind: 'answered',
            text: reportOf(text, `It reached ${turn.limit.description}.`),
            reachedLimit: turn.limit,
          }
        const end = endOf(turn.reason, text)
        if (end.kind !== 'answered') return end
        await agent.acquireSlot(signal)
        if (signal.aborted) return { kind: 'stopped' }
        const messages = agent.takeMessages()
        if (messages.length === 0) return end
        content = promptOf(
          messages.flatMap((message) => message.content),
          session,
        )
      }
    } finally {
      recorder.finish('cancelled')
      isOver = true
      signal.removeEventListener('abort', stop)
      over.abort()
    }
  }

  /** One prompt to its end, or until a limit or a stop ends it. */
  private async turn(
    session: AcpSession,
    content: readonly ContentBlock[],
    { gone, signal }: { readonly gone: Promise<number | null>; readonly signal: AbortSignal },
  ): Promise<Turn> {
    const { deps } = this
    const done = new AbortController()
    const answer = session.prompt(content).then(
      ({ stopReason }): Turn => ({ kind: 'ended', reason: stopReason }),
      (thrown): Turn => ({ kind: 'ended-early', reason: 'error', message: messageOf(thrown) }),
    )
    const exit = gone.then((): Turn => ({ kind: 'ended-early', reason: 'error', message: '' }))
    const limited = this.watchLimits(done.signal)
    const stopped = new Promise<'stopped'>((resolve) => {
      if (signal.aborted) resolve('stopped')
      else signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: done.signal })
    })
    try {
      const first = await Promise.race([answer, exit, limited, stopped])
      if (first !== 'stopped' && first.kind !== 'stopped-by') return first
      session.cancel()
      const late = deps.clock.sleep(STOP_TIME, done.signal).then(() => null)
      await Promise.race([answer, exit, late])
      return first === 'stopped' ? { kind: 'ended', reason: 'cancelled' } : first
    } finally {
      done.abort()
    }
  }

  private async watchLimits(signal: AbortSignal): Promise<Turn> {
    for (;;) {
      await this.deps.clock.sleep(LIMIT_CHECK, signal)
      if (signal.aborted) return new Promise(() => {})
      const limit = this.agent.limitReached()
      if (limit !== null) return { kind: 'stopped-by', reason: 'cancelled', limit }
    }
  }

  /** The name of the program stands where other agents have their model. */
  private named(agentName: string): void {
    this.model = agentName.replaceAll('/', ' ')
    this.emit({ type: 'model-changed', model: this.model })
  }

  /** A failure with what the program said last, and what to do. */
  private async explained(process: AcpProcess, why: string): Promise<RunEnd> {
    const problem = process.problem()
    const code = await Promise.race([process.ended, this.soon()])
    await process.end()
    const { program, name } = this.agent.state().definition
    const line = program === undefined ? name : describeProgram(program)
    const what =
      problem ??
      (code === 'runs'
        ? why
        : code === 127
          ? 'Its command was not found. Install it, or correct command in its definition.'
          : code === null
            ? 'It was ended by a signal, or could not be started.'
            : `It ended with the exit code ${code} before its work was done.`)
    const errors = process.lastErrors()
    const said = errors === '' ? '' : `\nIts last output:\n${errors}`
    const advice = code === 127 ? '' : `\nTo find out more, run it in a terminal: ${line}`
    return failed(`${name} failed. ${what}${said}${advice}`)
  }

  /** A process whose pipe has closed has mostly ended, which says more than the error of the pipe. */
  private async soon(): Promise<'runs'> {
    await this.deps.clock.sleep(300, new AbortController().signal)
    return 'runs'
  }
}

type Turn =
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'ended-early'; readonly reason: 'error'; readonly message: string }
  | {
      readonly kind: 'stopped-by'
      readonly reason: 'cancelled'
      readonly limit: NonNullable<ReturnType<BackedAgent['limitReached']>>
    }

const failed = (message: string): RunEnd => ({ kind: 'failed', type: 'worker', message })

const hasAnswered = (agent: BackedAgent): boolean => agent.messages().some(({ role }) => role === 'assistant')

function endOf(reason: string, text: string): RunEnd {
  switch (reason) {
    case 'refusal':
      return { kind: 'failed', type: 'refusal', message: reportOf(text, 'The program refused to go on.') }
    case 'cancelled':
      return failed(reportOf(text, 'The program ended its turn as canceled, and nobody had stopped it.'))
    case 'max_tokens':
      return answered(reportOf(text, '[Cut off: the program reached its limit of tokens.]'))
    case 'max_turn_requests':
      return answered(reportOf(text, '[Unfinished: the program reached its own limit of requests.]'))
    default:
      return answered(text === '' ? 'The program ended its work without a message.' : text)
  }
}

const answered = (text: string): RunEnd => ({ kind: 'answered', text, reachedLimit: null })

const reportOf = (text: string, note: string): string => (text === '' ? note : `${text}\n\n${note}`)

/** The agent's instructions, then everything it was told. */
function firstPrompt(agent: BackedAgent, session: AcpSession): readonly ContentBlock[] {
  const told = agent
    .messages()
    .flatMap(({ role, content }) => (role === 'user' && typeof content !== 'string' ? content : []))
    .filter((block): block is UserBlock => block.type === 'text' || block.type === 'image')
  const instructions = agent.system.trim()
  const blocks = promptOf(told, session)
  return instructions === '' ? blocks : [{ type: 'text', text: instructions }, ...blocks]
}

function promptOf(blocks: readonly UserBlock[], { takesImages }: AcpSession): readonly ContentBlock[] {
  return blocks.map((block): ContentBlock => {
    if (block.type === 'text') return { type: 'text', text: block.text }
    if (!takesImages) return { type: 'text', text: '[An image was left out: this program takes none.]' }
    return { type: 'image', data: block.source.data, mimeType: block.source.media_type }
  })
}
