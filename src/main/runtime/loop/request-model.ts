/** The request of one turn, retried until it succeeds, cannot succeed, or the agent is stopped. */
import type { FailureInfo } from '../../../shared/events/agent-event.ts'
import { fail, type Result } from '../../../shared/kernel/result.ts'
import type { ModelClient, ModelFailure, ModelReply, ModelRequest } from '../ports/model.ts'
import type { Clock } from '../ports/ports.ts'
import type { AgentRun, RunContext } from './agent-run.ts'
import { type GatePlace, LONGEST_PAUSE_MS, type RateGate, type RateGates } from './rate-gate.ts'

const MAX_ATTEMPTS = 8
/** The maximum for a request whose answers break the format of the API. */
const MAX_INVALID = 3
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 60_000
/** Maximum jitter between agents released together. */
const JITTER_MS = 250
/** The wait before the next request where a usage limit lasts longer than the API said. */
const NEXT_PROBE_MS = 60_000
/** Ends of a usage limit within this time count as one end, which agents hear of at different moments. */
const SAME_END_MS = 5000

export interface RequestDeps {
  readonly model: ModelClient
  readonly clock: Clock
  readonly gates: RateGates
  /** In [0, 1). */
  random(): number
}

/** With the gate of the model's provider. */
type GatedDeps = RequestDeps & { readonly gate: RateGate }

/** Fails with `aborted`, or with the failure that no further attempt would fix. Waits for usage limits without an end. */
export async function requestModel(
  run: RunContext<RequestDeps>,
  request: ModelRequest,
  turn: number,
): Promise<Result<ModelReply, ModelFailure>> {
  const gate = run.deps.gates.of(request.model)
  const waiting: Waiting = { turn, place: null, hurry: run.agent.hurry() }
  try {
    return await makeAttempts({ ...run, deps: { ...run.deps, gate } }, request, waiting)
  } finally {
    if (waiting.place !== null) gate.leave(waiting.place)
  }
}

/** One request and its wait for the gate. */
interface Waiting {
  readonly turn: number
  /** Set once the agent waits for a usage limit. */
  place: GatePlace | null
  /** Aborts when the user wants the next attempt at once. */
  hurry: AbortSignal
}

async function makeAttempts(
  run: RunContext<GatedDeps>,
  request: ModelRequest,
  waiting: Waiting,
): Promise<Result<ModelReply, ModelFailure>> {
  const { agent, deps, signal } = run
  const { turn } = waiting
  // `tried` counts toward the most attempts: a request before a usage limit does not.
  for (let [attempt, tried] = [1, 1]; ; attempt++) {
    await passGate(run, waiting)
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
    const isLimited = !result.ok && result.failure.type === 'rate-limited'
    if (waiting.place !== null && !isLimited) deps.gate.answered(waiting.place)
    if (result.ok) return result
    agent.live({
      type: 'live-clear',
      agentId: agent.id,
      reason: signal.aborted ? 'stopped' : 'retry',
    })
    if (signal.aborted || result.failure.type === 'aborted') return fail(aborted)
    const limitedUntil = isLimited ? usageLimitAfter(result.failure, deps) : null
    if (limitedUntil !== null) {
      agent.beginLimitWait()
      agent.emit({
        type: 'request-failed',
        turn,
        attempt,
        failure: infoOf(result.failure),
        retryAt: limitedUntil,
      })
      deps.gate.refusedUntil(limitedUntil, deps.clock.now())
      waiting.place ??= deps.gate.join()
      deps.gate.refused(waiting.place)
      waiting.hurry = agent.hurry()
      continue
    }
    const delay = retryDelay(result.failure, tried++, deps.random)
    const retryAt = delay === null ? null : deps.clock.now() + delay
    agent.emit({ type: 'request-failed', turn, attempt, failure: infoOf(result.failure), retryAt })
    if (delay === null || retryAt === null) return result
    if (isLimited) deps.gate.refusedUntil(retryAt, deps.clock.now())
    waiting.hurry = agent.hurry()
    await deps.gate.wait(deps.clock, delay, AbortSignal.any([signal, waiting.hurry]))
  }
}

/** The end of the usage limit after this rate limit, ms since the epoch; null: the rate limit ends soon. */
function usageLimitAfter({ retryAfterMs }: ModelFailure, { gate, clock }: GatedDeps): number | null {
  const now = clock.now()
  const requested = retryAfterMs ?? 0
  if (requested > LONGEST_PAUSE_MS) return now + requested
  // The limit lasts longer than the API had said.
  return gate.usageLimit === null ? null : Math.max(gate.usageLimit, now + Math.max(requested, NEXT_PROBE_MS))
}

/** Milliseconds until the next attempt; null if there is none. */
export function retryDelay(failure: ModelFailure, attempt: number, random: () => number): number | null {
  const most = failure.isInvalid ? MAX_INVALID : MAX_ATTEMPTS
  if (!isTransient(failure.type) || attempt >= most) return null
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
async function passGate(run: RunContext<GatedDeps>, waiting: Waiting): Promise<void> {
  const { deps, signal } = run
  const ended = AbortSignal.any([signal, waiting.hurry])
  // The gate may close for longer during the wait.
  while (!ended.aborted) {
    if (waiting.place !== null || deps.gate.usageLimit !== null) {
      if (await waitForLimit(run, waiting, ended)) return
    } else if (deps.gate.delay(deps.clock.now()) === 0) return
    else await waitForPause(run, waiting, ended)
  }
}

/** Waits for the end of a usage limit, without a slot. True: the agent may make its request. */
async function waitForLimit(
  { agent, deps, signal }: RunContext<GatedDeps>,
  waiting: Waiting,
  ended: AbortSignal,
): Promise<boolean> {
  const { gate, clock } = deps
  const place = waiting.place ?? gate.join()
  waiting.place = place
  const until = gate.usageLimit
  if (until !== null) {
    agent.beginLimitWait()
    announce(agent, waiting.turn, until)
    await agent.flush(signal)
  }
  if (!(await gate.turn(place, { clock, signal: ended }))) return false
  if (ended.aborted || !agent.state().pauseWanted) return true
  // Another agent asks first. This one keeps its place for the time after the pause.
  gate.leave(place)
  await agent.acquireSlot(signal)
  gate.rejoin(place)
  return false
}

/** Waits for the end of a short rate limit. */
async function waitForPause(
  { agent, deps, signal }: RunContext<GatedDeps>,
  { turn }: Waiting,
  ended: AbortSignal,
): Promise<void> {
  const now = deps.clock.now()
  const delay = deps.gate.delay(now)
  if ((agent.state().retry?.at ?? 0) < now + delay) announce(agent, turn, now + delay)
  await agent.flush(signal)
  await deps.gate.wait(deps.clock, delay + deps.random() * JITTER_MS, ended)
}

/** Logs the wait, unless its known end is about the same. */
function announce(agent: AgentRun, turn: number, retryAt: number): void {
  if (Math.abs((agent.state().retry?.at ?? 0) - retryAt) < SAME_END_MS) return
  agent.emit({
    type: 'request-failed',
    turn,
    attempt: 0,
    failure: { type: 'rate-limited', message: 'Rate limited (shared key).' },
    retryAt,
  })
}

const infoOf = (failure: ModelFailure): FailureInfo => ({ type: failure.type, message: failure.message })

const aborted: ModelFailure = {
  type: 'aborted',
  message: 'The agent was stopped.',
  status: null,
  retryAfterMs: null,
}
