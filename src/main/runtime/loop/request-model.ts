/** One turn's request, made again until it succeeds, can't succeed, or the agent is stopped. */
import type { FailureInfo } from '../../../shared/agent-event.ts'
import { fail, type Result } from '../../../shared/result.ts'
import type { Clock, ModelClient, ModelFailure, ModelReply, ModelRequest } from '../ports.ts'
import type { AgentRun } from './agent-run.ts'

export const MAX_ATTEMPTS = 8
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 60_000
/** So far apart, at most, agents begin that were told the same moment. */
const APART_MS = 250

/**
 * When requests may leave again. One gate serves all agents of a key, so that a 429 that one of them
 * was told slows them all instead of being earned by each.
 */
export class RateGate {
  private until = 0
  private opened = new AbortController()

  /** Milliseconds to wait from `now`, 0 if the way is free. */
  delay(now: number): number {
    return Math.max(0, this.until - now)
  }

  close(until: number): void {
    this.until = Math.max(this.until, until)
  }

  /** There is another key: what was told of the one before holds nobody any more. */
  open(): void {
    const { opened } = this
    this.until = 0
    this.opened = new AbortController()
    opened.abort()
  }

  /** Waits so long, or until the gate is opened. */
  async rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, AbortSignal.any([signal, this.opened.signal]))
  }
}

export interface RequestDeps {
  readonly model: ModelClient
  readonly clock: Clock
  readonly gate: RateGate
  /** In [0, 1). */
  random(): number
}

/** Failures are those that no further attempt would mend, or `aborted`. */
export async function requestModel(
  agent: AgentRun,
  request: ModelRequest,
  turn: number,
  deps: RequestDeps,
  signal: AbortSignal,
): Promise<Result<ModelReply, ModelFailure>> {
  for (let attempt = 1; ; attempt++) {
    await waitForGate(agent, turn, deps, signal)
    // A person may have had it rest while it waited for another attempt.
    await agent.ensurePlace(signal)
    if (signal.aborted) return fail(aborted)
    agent.emit({ type: 'request-started', turn, attempt, model: request.model })
    await agent.flush(signal)
    if (signal.aborted) return fail(aborted)
    const result = await deps.model.request(request, {
      signal,
      onDelta: (delta) => agent.live({ type: 'live-block', agentId: agent.id, ...delta }),
    })
    if (result.ok) return result
    agent.live({
      type: 'live-clear',
      agentId: agent.id,
      reason: signal.aborted ? 'stopped' : 'retry',
    })
    if (signal.aborted || result.failure.type === 'aborted') return fail(aborted)
    const delay = retryDelay(result.failure, attempt, deps.random)
    const retryAt = delay === null ? null : deps.clock.now() + delay
    agent.emit({ type: 'request-failed', turn, attempt, failure: infoOf(result.failure), retryAt })
    if (delay === null || retryAt === null) return result
    if (result.failure.type === 'rate-limited') deps.gate.close(retryAt)
    await deps.gate.rest(deps.clock, delay, signal)
  }
}

/** Milliseconds until the next attempt, or null where there is none. */
export function retryDelay(failure: ModelFailure, attempt: number, random: () => number): number | null {
  if (!isPassing(failure.type) || attempt >= MAX_ATTEMPTS) return null
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
  const jittered = backoff * (0.75 + random() * 0.5)
  const told = failure.retryAfterMs ?? 0
  // A server that says "at once", and fails again, would be asked eight times in a moment.
  return Math.round(told < FIRST_DELAY_MS ? Math.max(told, jittered) : told + random() * APART_MS)
}

function isPassing(type: ModelFailure['type']): boolean {
  switch (type) {
    case 'rate-limited':
    case 'overloaded':
    case 'server':
    case 'connection':
    case 'stalled':
      return true
    case 'auth':
    case 'not-found':
    case 'bad-request':
    case 'prompt-too-long':
    case 'aborted':
      return false
  }
}

async function waitForGate(
  agent: AgentRun,
  turn: number,
  deps: RequestDeps,
  signal: AbortSignal,
): Promise<void> {
  // It may be closed for longer while it is waited for.
  for (let told = agent.state().retry?.at ?? 0; !signal.aborted; ) {
    const now = deps.clock.now()
    const delay = deps.gate.delay(now)
    if (delay === 0) return
    if (told < now + delay) {
      told = now + delay
      agent.emit({
        type: 'request-failed',
        turn,
        attempt: 0,
        failure: { type: 'rate-limited', message: 'Another agent was told to slow down on the same key.' },
        retryAt: told,
      })
    }
    await agent.flush(signal)
    // A little apart, so that all agents do not knock at the same instant.
    await deps.gate.rest(deps.clock, delay + deps.random() * APART_MS, signal)
  }
}

const infoOf = (failure: ModelFailure): FailureInfo => ({ type: failure.type, message: failure.message })

const aborted: ModelFailure = {
  type: 'aborted',
  message: 'The agent was stopped.',
  status: null,
  retryAfterMs: null,
}
