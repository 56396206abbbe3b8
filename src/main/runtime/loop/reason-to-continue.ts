/** Asks the interceptors at the end of an agent's answer whether the agent has to continue. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { AnswerEnd } from '../ports/run-end.ts'
import { type Interceptable, type InterceptDeps, intercept } from './intercept.ts'

/** Interceptors that never let an agent stop would otherwise use up its turns. */
const MAX_CONTINUATIONS = 8

/** @returns the reason, framed for the model; null: the run ends */
export async function reasonToContinue(
  run: {
    readonly agent: Interceptable & { state(): AgentState }
    readonly deps: InterceptDeps
    readonly signal: AbortSignal
  },
  { text, reachedLimit, continuations }: AnswerEnd,
): Promise<string | null> {
  const { parentId, child } = run.agent.state()
  // Only the program that started an external subagent gives it more work.
  const canContinue = reachedLimit === null && continuations < MAX_CONTINUATIONS && child === null
  const point = parentId === null ? 'turn-end' : 'subagent-stop'
  const end = await intercept(run, point, { text, continuations, canContinue })
  if (end.stop !== null || run.signal.aborted) return null
  if (end.continueReason !== null || run.agent.subject().team === null) return end.continueReason
  const idle = await intercept(run, 'member-idle', { canContinue })
  return idle.stop !== null || run.signal.aborted ? null : idle.continueReason
}
