/** The request of one turn, retried until it succeeds, cannot succeed, or the agent is stopped. */
import type { FailureInfo } from '../../../shared/agent-event.ts'
import { fail, type Result } from '../../../shared/result.ts'
import type { Clock, ModelClient, ModelFailure, ModelReply, ModelRequest } from '../ports.ts'
import type { RunContext } from './agent-run.ts'
import type { RateGate } from './rate-gate.ts'

export const MAX_ATTEMPTS = 8
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 60_000
/** Maximum jitter between agents released together. */
const JITTER_MS = 250

export interface RequestDeps {
  readonly model: ModelClient
  readonly clock: Clock
  readonly gate: RateGate
  /** In [0, 1). */
  random(): number
}

/** Fails with `aborted`, or with the failure that no further attempt would fix. */
export async function requestModel(
  run: RunContext<RequestDeps>,
  request: ModelRequest,
  turn: number,
): Promise<Result<ModelReply, ModelFailure>> {
  const { agent, deps, signal } = run
  let hurry = agent.hurry()
  for (let attempt = 1; ; attempt++) {
    await waitForGate(run, turn, hurry)
    // The user may have paused the agent during the wait.
    await agent.acquireSlot(signal)
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
    hurry = agent.hurry()
    await deps.gate.wait(deps.clock, delay, AbortSignal.any([signal, hurry]))
  }
}

/** Milliseconds until the next attempt; null if there is none. */
export function retryDelay(failure: ModelFailure, attempt: number, random: () => number): number | null {
  if (!isTransient(failure.type) || attempt >= MAX_ATTEMPTS) return null
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
  const jittered = backoff * (0.75 + random() * 0.5)
  const requested = failure.retryAfterMs ?? 0
  // A server that answers "retry at once" and fails again would receive all attempts in one moment.
  return Math.round(
    requested < FIRST_DELAY_MS ? Math.max(requested, jittered) : requested + random() * JITTER_MS,
  )
}

function isTransient(type: ModelFailure['type']): boolean {
  switch (type) {
    case 'rate-limited':
    case 'overloaded':
    case 'server':
    case 'connection':
    case 'stalled':
      return true
    case 'auth':
    case 'not-found':
    case 'redirected':
    case 'bad-request':
    case 'prompt-too-long':
    case 'aborted':
      return false
  }
}

/** Also ends when `hurry` aborts: the user retries although the gate is closed. */
async function waitForGate(
  { agent, deps, signal }: RunContext<RequestDeps>,
  turn: number,
  hurry: AbortSignal,
): Promise<void> {
  const ended = AbortSignal.any([signal, hurry])
  // The gate may close for longer during the wait.
  for (let announced = agent.state().retry?.at ?? 0; !ended.aborted; ) {
    const now = deps.clock.now()
    const delay = deps.gate.delay(now)
    if (delay === 0) return
    if (announced < now + delay) {
      announced = now + delay
      agent.emit({
        type: 'request-failed',
        turn,
        attempt: 0,
        failure: { type: 'rate-limited', message: 'Rate limited (shared key).' },
        retryAt: announced,
      })
    }
    await agent.flush(signal)
    await deps.gate.wait(deps.clock, delay + deps.random() * JITTER_MS, ended)
  }
}

const infoOf = (failure: ModelFailure): FailureInfo => ({ type: failure.type, message: failure.message })

const aborted: ModelFailure = {
  type: 'aborted',
  message: 'The agent was stopped.',
  status: null,
  retryAfterMs: null,
}
