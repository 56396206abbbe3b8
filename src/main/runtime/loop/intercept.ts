/**
 * Runs the interceptors of one point: before a tool call one after the other, since each sees the input that the one
 * before it changed; at other points together. Effects count in the order of the interceptors. Every interceptor runs,
 * also after a denial. An event records each effect and each failure.
 */
import type { AgentEventDraft, EventOf, InterceptionPoint } from '../../../shared/events/agent-event.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  type AgentReach,
  type InterceptionSubject,
  type Interceptor,
  type InterceptorAnswer,
  type Interceptors,
  JUDGE,
  type PointFacts,
} from '../ports/interceptors.ts'
import type { Clock } from '../ports/ports.ts'

export interface InterceptDeps {
  readonly clock: Clock
  readonly interceptors?: Interceptors
}

/** The part of an agent that interception needs. */
export interface Interceptable {
  subject(): InterceptionSubject
  emit(draft: AgentEventDraft): unknown
  /** Null: the agent is not in memory. */
  readonly reach: AgentReach | null
}

/** The part of a run that interception needs. */
interface InterceptedRun {
  readonly agent: Interceptable
  readonly deps: InterceptDeps
  readonly signal: AbortSignal
}

/** The combined result of one point. Texts are ready for the model. */
export interface Interception {
  /** The first denial. */
  readonly denial: string | null
  /** The first reason to ask the user. */
  readonly ask: string | null
  /** The first reason to allow the call without the user. */
  readonly allow: string | null
  /** The last changed input. */
  readonly input: { readonly value: unknown } | null
  /** All added context, framed as notes from the system. */
  readonly context: string | null
  /** The first reason to continue. */
  readonly continueReason: string | null
  /** Why the agent's run must end: the first reason. */
  readonly stop: string | null
  /** Whether an interceptor waits for the result of the call. */
  readonly awaitsResult: boolean
}

/** Longer reasons are cut in the transcript; the model receives them whole. */
const LONGEST_REASON = 2000

const NOTHING: Interception = {
  denial: null,
  ask: null,
  allow: null,
  input: null,
  context: null,
  continueReason: null,
  stop: null,
  awaitsResult: false,
}

export async function intercept<P extends InterceptionPoint>(
  run: InterceptedRun,
  point: P,
  facts: PointFacts[P],
): Promise<Interception> {
  const { agent, deps, signal } = run
  if (deps.interceptors === undefined) return NOTHING
  const subject = agent.subject()
  const listed = await deps.interceptors.list(subject)
  const interceptors = listed.filter(({ handlers }) => handlers[point] !== undefined)
  const consult = (interceptor: Interceptor, current: PointFacts[P]) =>
    answerOf(run, { interceptor, point, facts: current, subject })
  const together =
    point === 'tool-call' || signal.aborted ? [] : interceptors.map((one) => consult(one, facts))
  const awaitsResult = listed.some(({ handlers }) => handlers['tool-result'] !== undefined)
  let result: Interception = { ...NOTHING, awaitsResult }
  for (const [index, interceptor] of interceptors.entries()) {
    if (signal.aborted) break
    const current = result.input === null ? facts : { ...facts, input: result.input.value }
    const { reply, durationMs } = await (together[index] ?? consult(interceptor, current))
    if (signal.aborted) break
    const canContinue = 'canContinue' in facts && facts.canContinue
    const effects = effectsOf(reply, interceptor, point).filter(
      ({ verdict }) => verdict !== 'continued' || canContinue,
    )
    for (const { verdict, reason } of effects)
      agent.emit({
        type: 'interceptor-verdict',
        point,
        source: interceptor.source,
        toolUseId: 'toolUseId' in facts ? facts.toolUseId : null,
        verdict,
        reason: reason.slice(0, LONGEST_REASON),
        durationMs,
      })
    result = withEffects(result, interceptor.source, effects)
  }
  return result
}

/** An agent as interceptors see it. */
export function interceptionSubject(
  { id, name, definition, parentId, conversationId, cwd, permissionMode, model }: AgentState,
  more: Pick<InterceptionSubject, 'project' | 'transcriptPath' | 'team'> & { readonly cwd?: string },
): InterceptionSubject {
  const { name: type, source, hooks } = definition
  const ownHooks = hooks === undefined ? null : { source, hooks }
  const isJudge = type === JUDGE && source === 'built-in'
  const own = { id, name, type, isJudge, ownHooks }
  return { ...own, parentId, conversationId, cwd, permissionMode, model, ...more }
}

type AnyAnswer = Partial<InterceptorAnswer['tool-call'] & InterceptorAnswer['turn-end']>
type Reply =
  | { readonly kind: 'answered'; readonly answer: AnyAnswer | null }
  | { readonly kind: 'failed'; readonly reason: string }

interface Consultation<P extends InterceptionPoint> {
  readonly interceptor: Interceptor
  readonly point: P
  readonly facts: PointFacts[P]
  readonly subject: InterceptionSubject
}

/** The handler's signal aborts when the run stops and when the time limit passes. */
async function answerOf<P extends InterceptionPoint>(
  { agent, deps, signal }: InterceptedRun,
  { interceptor, point, facts, subject }: Consultation<P>,
): Promise<{ readonly reply: Reply; readonly durationMs: number }> {
  const startedAt = deps.clock.now()
  const over = new AbortController()
  const ends = AbortSignal.any([signal, over.signal])
  const answer = async (): Promise<Reply> => {
    try {
      const answer = await interceptor.handlers[point]?.(facts, {
        agent: subject,
        signal: ends,
        record: (draft) => agent.emit(draft),
        reach: agent.reach,
      })
      return { kind: 'answered', answer: answer ?? null }
    } catch (thrown) {
      return { kind: 'failed', reason: messageOf(thrown) }
    }
  }
  const giveUp = async (): Promise<Reply> => {
    await deps.clock.sleep(interceptor.timeLimitMs, ends)
    return { kind: 'failed', reason: `No answer within ${interceptor.timeLimitMs / 1000} s.` }
  }
  try {
    const reply = await Promise.race([answer(), giveUp()])
    return { reply, durationMs: deps.clock.now() - startedAt }
  } finally {
    over.abort()
  }
}

/** The points where a denial has an effect. */
const BLOCKING: ReadonlySet<InterceptionPoint> = new Set([
  'tool-call',
  'user-message',
  'permission-request',
  'task-created',
  'task-completed',
  'elicitation',
  'elicitation-answered',
])

type Effect = Pick<EventOf<'interceptor-verdict'>, 'verdict' | 'reason'> & { readonly input?: unknown }

function effectsOf(
  reply: Reply,
  { failClosed = false }: Interceptor,
  point: InterceptionPoint,
): readonly Effect[] {
  if (reply.kind === 'failed') {
    const failure: Effect = { verdict: 'failed', reason: reply.reason }
    const blocks = failClosed && BLOCKING.has(point)
    return blocks ? [failure, { verdict: 'denied', reason: `It failed: ${reply.reason}` }] : [failure]
  }
  const { answer } = reply
  if (answer === null) return []
  const effects: Effect[] = []
  if (answer.deny !== undefined) effects.push({ verdict: 'denied', reason: answer.deny })
  if (answer.ask !== undefined) effects.push({ verdict: 'asked', reason: answer.ask })
  if (answer.allow !== undefined) effects.push({ verdict: 'allowed', reason: answer.allow })
  if (answer.input !== undefined) effects.push({ verdict: 'input-changed', reason: '', input: answer.input })
  if (answer.context !== undefined) effects.push({ verdict: 'context-added', reason: answer.context })
  if (answer.continue !== undefined) effects.push({ verdict: 'continued', reason: answer.continue })
  if (answer.stop !== undefined) effects.push({ verdict: 'stopped', reason: answer.stop })
  return effects
}

function withEffects(before: Interception, source: string, effects: readonly Effect[]): Interception {
  let { denial, ask, allow, input, context, continueReason, stop } = before
  for (const { verdict, reason, input: changed } of effects)
    switch (verdict) {
      case 'denied':
        denial ??= `Denied by ${source}: ${reason}`
        break
      case 'asked':
        ask ??= `${source} requires permission: ${reason}`
        break
      case 'allowed':
        allow ??= `Allowed by ${source}: ${reason}`
        break
      case 'input-changed':
        input = { value: changed }
        break
      case 'context-added':
        context =
          context === null ? systemNote(source, reason) : `${context}\n\n${systemNote(source, reason)}`
        break
      case 'continued':
        continueReason ??= systemNote(source, `Do not stop yet: ${reason}`)
        break
      case 'stopped':
        stop ??= `${source} stopped the agent: ${reason}`
        break
      case 'failed':
        break
    }
  return { ...before, denial, ask, allow, input, context, continueReason, stop }
}

/** Text for the model that neither the user nor a tool wrote. */
export function systemNote(source: string, text: string): string {
  return `<system-note source="${source}">\n${text}\n</system-note>`
}
