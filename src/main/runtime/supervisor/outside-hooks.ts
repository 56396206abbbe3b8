/** The interceptors of an agent that a program of another maker carries out: after its calls and at the end of its answer. */
import type { OutsideReaction } from '../agent-backing.ts'
import type { PointFacts } from '../interceptors.ts'
import { intercept } from '../loop/intercept.ts'
import { type AnswerEnd, reasonToContinue } from '../loop/reason-to-continue.ts'
import type { AgentHome } from './agent-home.ts'
import { agentRunOf, type LoopAgent } from './loop-backing.ts'

export interface OutsideHooks {
  callEnded(call: PointFacts['tool-result'], signal: AbortSignal): Promise<OutsideReaction>
  reasonToContinue(end: AnswerEnd, signal: AbortSignal): Promise<string | null>
}

export function outsideHooks(agent: LoopAgent, home: AgentHome): OutsideHooks {
  const runOf = (signal: AbortSignal) => ({
    agent: agentRunOf(agent, home, () => signal),
    deps: home.loop,
    signal,
  })
  return {
    async callEnded(call, signal) {
      const { context, stop } = await intercept(runOf(signal), 'tool-result', call)
      return { context, stops: stop !== null }
    },
    reasonToContinue: (end, signal) => reasonToContinue(runOf(signal), end),
  }
}
