/**
 * One agent of an open conversation, for as long as the conversation is open: the only owner of the agent's lifecycle.
 * The displayed status (queued, running, waiting, paused…) is in the folded state; the lifecycle says which parts of
 * the agent this process holds.
 *
 *     ended ──load──▶ loading ──▶ idle ──start──▶ running ──end──▶ ending ──settle──▶ ended
 *       ▲                          │ ▲               │
 *       └─────────unload───────────┘ └────settle─────┘
 *
 * Any other transition is a bug and throws.
 */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { AgentStop } from '../ports/agent-stop.ts'
import type { RunEnd } from '../ports/run-end.ts'
import type { LiveAgent } from './live-agent.ts'

/** The outcome of a subagent's run. */
export interface EndedRun {
  readonly state: AgentState
  readonly end: RunEnd
  readonly ms: number
  /** The commands in the background that ended with the run. */
  readonly commands: readonly string[]
}

/** Ends with the result of a subagent's run; null for the main agent. */
type RunResult = EndedRun | null

interface Run {
  readonly controller: AbortController
  readonly done: Promise<RunResult>
}

/** Set while a call waits for the report. `detach` releases the call. */
interface Foreground {
  readonly detached: Promise<void>
  readonly detach: () => void
}

type Lifecycle =
  /** Only the state is in memory. */
  | { readonly kind: 'ended'; readonly state: AgentState }
  /** The transcript is being read. */
  | { readonly kind: 'loading'; readonly state: AgentState; readonly loaded: Promise<unknown> }
  | { readonly kind: 'idle'; readonly agent: LiveAgent }
  | {
      readonly kind: 'running'
      readonly agent: LiveAgent
      readonly run: Run
      readonly foreground: Foreground | null
    }
  /** The run is over; its end is being written and reported. */
  | {
      readonly kind: 'ending'
      readonly agent: LiveAgent
      readonly run: Run
      readonly foreground: Foreground | null
    }

export class AgentHandle {
  readonly id: string
  private lifecycle: Lifecycle

  private constructor(id: string, lifecycle: Lifecycle) {
    this.id = id
    this.lifecycle = lifecycle
  }

  static idle(agent: LiveAgent): AgentHandle {
    return new AgentHandle(agent.id, { kind: 'idle', agent })
  }

  static ended(state: AgentState): AgentHandle {
    return new AgentHandle(state.id, { kind: 'ended', state })
  }

  // ---- state ----

  state(): AgentState {
    const { lifecycle } = this
    return lifecycle.kind === 'ended' || lifecycle.kind === 'loading'
      ? lifecycle.state
      : lifecycle.agent.state()
  }

  /** The agent if events may be added to it: it is idle or running. */
  get agent(): LiveAgent | null {
    const { lifecycle } = this
    return lifecycle.kind === 'idle' || lifecycle.kind === 'running' ? lifecycle.agent : null
  }

  get isRunning(): boolean {
    return this.lifecycle.kind === 'running'
  }

  /** The run is about to be over: it was stopped, or the end is being written. */
  get isStopping(): boolean {
    const { lifecycle } = this
    if (lifecycle.kind !== 'running') return false
    return lifecycle.run.controller.signal.aborted || lifecycle.agent.state().endedAt !== null
  }

  /** The end of the run is being written and reported. */
  get isEnding(): boolean {
    return this.lifecycle.kind === 'ending'
  }

  get hasEnded(): boolean {
    return this.lifecycle.kind === 'ended' || this.lifecycle.kind === 'loading' || this.isEnding
  }

  /** Whether a call waits for the report. */
  get isAwaited(): boolean {
    return this.run !== null && 'foreground' in this.lifecycle && this.lifecycle.foreground !== null
  }

  /** Settles when the current run is over and reported; null: there is none. */
  get done(): Promise<RunResult> | null {
    return this.run?.done ?? null
  }

  // ---- run ----

  /** idle → running. `body` ends the run by `settle`, a subagent's by `end` first. */
  start(body: (signal: AbortSignal, agent: LiveAgent) => Promise<RunResult>): Promise<RunResult> {
    const { agent } = this.expect('idle', 'start')
    const controller = new AbortController()
    let resolve: (result: Promise<RunResult>) => void = () => {}
    const done = new Promise<RunResult>((settled) => {
      resolve = settled
    })
    this.lifecycle = { kind: 'running', agent, run: { controller, done }, foreground: null }
    resolve(body(controller.signal, agent))
    return done
  }

  /** Aborts the current run, if there is one. */
  stop(reason: AgentStop): void {
    this.run?.controller.abort(reason)
  }

  /** A call waits for the report. Resolves when the agent is moved to the background. */
  awaitReport(): Promise<void> {
    const running = this.expect('running', 'be awaited')
    let detach = () => {}
    const detached = new Promise<void>((resolve) => {
      detach = resolve
    })
    this.lifecycle = { ...running, foreground: { detached, detach } }
    return detached
  }

  /** The call that waits for the report continues without it. */
  detach(): void {
    const running = this.expect('running', 'be detached')
    this.lifecycle = { ...running, foreground: null }
    running.foreground?.detach()
  }

  /** running → ending: from here on a message to the agent starts a new run. */
  end(): void {
    this.lifecycle = { ...this.expect('running', 'end'), kind: 'ending' }
  }

  /** running → idle, ending → ended. */
  settle(): void {
    const { lifecycle } = this
    if (lifecycle.kind === 'ending') this.lifecycle = { kind: 'ended', state: lifecycle.agent.state() }
    else this.lifecycle = { kind: 'idle', agent: this.expect('running', 'settle').agent }
  }

  // ---- memory ----

  /**
   * Runs `act` on the agent in memory, at once where possible: a run that is ending is awaited, an agent that has
   * ended is read first. An agent that was read and not started by `act` is unloaded again.
   */
  async withAgent<T>(
    read: () => Promise<Result<LiveAgent>>,
    act: (agent: LiveAgent) => T,
  ): Promise<Result<T>> {
    for (;;) {
      const { lifecycle } = this
      switch (lifecycle.kind) {
        case 'idle':
        case 'running':
          return ok(act(lifecycle.agent))
        case 'ending':
          await lifecycle.run.done.catch(() => undefined)
          break
        case 'loading':
          await lifecycle.loaded
          break
        case 'ended': {
          const loaded = await this.load(read)
          if (!loaded.ok) return loaded
          const agent = this.agent
          if (agent === null) break
          const acted = act(agent)
          this.unload()
          return ok(acted)
        }
      }
    }
  }

  /** ended → loading → idle, or back to ended where the transcript can't be read. */
  private async load(read: () => Promise<Result<LiveAgent>>): Promise<Result<void>> {
    const { state } = this.expect('ended', 'load')
    const reading = read()
    this.lifecycle = { kind: 'loading', state, loaded: reading.catch(() => undefined) }
    let loaded: Lifecycle = { kind: 'ended', state }
    try {
      const agent = await reading
      if (!agent.ok) return agent
      loaded = { kind: 'idle', agent: agent.value }
      return ok(undefined)
    } finally {
      this.lifecycle = loaded
    }
  }

  /** idle → ended; an agent that was started stays. */
  private unload(): void {
    const { lifecycle } = this
    if (lifecycle.kind === 'idle') this.lifecycle = { kind: 'ended', state: lifecycle.agent.state() }
  }

  private get run(): Run | null {
    const { lifecycle } = this
    return lifecycle.kind === 'running' || lifecycle.kind === 'ending' ? lifecycle.run : null
  }

  private expect<K extends Lifecycle['kind']>(kind: K, action: string): Extract<Lifecycle, { kind: K }> {
    const { lifecycle } = this
    if (lifecycle.kind !== kind)
      throw new Error(`The agent ${this.id} is ${lifecycle.kind}, so it cannot ${action}.`)
    return lifecycle as Extract<Lifecycle, { kind: K }>
  }
}
