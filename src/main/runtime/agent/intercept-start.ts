/** The interceptors of a subagent's start. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { History } from '../loop/history.ts'
import { type Interceptable, type InterceptDeps, type Interception, intercept } from '../loop/intercept.ts'

/** An agent whose history has an answer counts as resumed. */
export function interceptStart(
  run: {
    readonly agent: Interceptable & { state(): AgentState }
    readonly deps: InterceptDeps
    readonly signal: AbortSignal
  },
  { lastAnswerSeq }: Pick<History, 'lastAnswerSeq'>,
): Promise<Interception> {
  return intercept(run, 'subagent-start', {
    task: run.agent.state().task,
    isResumed: lastAnswerSeq !== null,
  })
}
