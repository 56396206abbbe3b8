/**
 * The hooks of one run of a program, or of a subagent that it started by itself: at the start, before and after its calls,
 * and at the end of its answer. Those after a call run in order and don't hold up the program. What hooks tell the program
 * can't reach it within its turn.
 */
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import { inputFor, judgedOf } from './outside-call.ts'
import type { KnownCall } from './update-recorder.ts'

interface CallResult {
  readonly isError: boolean
  readonly content: string
}

type AnsweredEnd = Omit<Parameters<BackedAgent['reasonToContinue']>[0], 'continuations'>

export class ProgramHooks {
  private readonly agent: BackedAgent
  /** Aborts at the end of the run. */
  private readonly signal: AbortSignal
  private readonly stopping = new AbortController()
  private queue: Promise<void> = Promise.resolve()
  private start: Promise<void> = this.queue
  private context: string[] = []
  private continuations = 0

  constructor(agent: BackedAgent, signal: AbortSignal) {
    this.agent = agent
    this.signal = signal
  }

  /** Aborts when a hook ends the run. */
  get stopped(): AbortSignal {
    return this.stopping.signal
  }

  /** The run of a subagent of the program has begun. Its first calls wait for the hooks. */
  begun(): void {
    this.start = this.agent.begun(this.signal).then((reaction) => this.take(reaction))
    this.queue = this.start
  }

  /** See `BackedAgent.permit`. A denial that ends the run has ended it. */
  readonly permit: BackedAgent['permit'] = async (call, signal) => {
    await this.start
    const permit = await this.agent.permit(call, signal)
    if (!permit.ok && permit.failure.stops) this.stopping.abort()
    return permit
  }

  /** A call has ended that was not refused. */
  callEnded(call: KnownCall, result: CallResult): void {
    this.queue = this.queue
      .then(() => this.react(call, result))
      .catch(() => {
        // A call of a wrong shape, which no rule can name.
      })
  }

  /** Waits for the hooks so far. @returns what they added since the last time */
  async settle(): Promise<readonly string[]> {
    await this.queue
    const added = [...this.context, ...this.agent.takeNotes()]
    this.context = []
    return added
  }

  /** At the end of an answer. @returns why the program has to continue, which is in the transcript now; null: it may end */
  async reasonToContinue(end: AnsweredEnd): Promise<string | null> {
    const { agent, continuations, signal } = this
    const reachedLimit = end.reachedLimit ?? agent.limitReached()
    const reason = await agent.reasonToContinue({ ...end, reachedLimit, continuations }, signal)
    if (reason === null) return null
    this.continuations++
    agent.tell(reason)
    return reason
  }

  private async react(call: KnownCall, result: CallResult): Promise<void> {
    const { agent, signal } = this
    for (const judged of judgedOf(call, agent.state().cwd)) {
      const input = inputFor(judged, call.rawInput)
      const facts = { toolUseId: call.id, tool: judged.tool, input, ...result }
      this.take(await agent.callEnded(facts, signal))
    }
  }

  private take({ context, stops }: Awaited<ReturnType<BackedAgent['callEnded']>>): void {
    if (context !== null) this.context.push(context)
    if (stops) this.stopping.abort()
  }
}
