/**
 * The interceptors of an agent that an external agent carries out: after its calls, at the end of its answer, and
 * at the start of a subagent that the program started by itself.
 */
import type { OutsideReaction } from '../agent-backing.ts'
import type { PointFacts } from '../interceptors.ts'
import { intercept } from '../loop/intercept.ts'
import { type AnswerEnd, reasonToContinue } from '../loop/reason-to-continue.ts'
import type { AgentHome } from './agent-home.ts'
import { interceptStart } from './intercept-start.ts'
import { agentRunOf, type LoopAgent } from './loop-backing.ts'

export interface OutsideHooks {
  begun(signal: AbortSignal): Promise<OutsideReaction>
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
    async begun(signal) {
      const { context, stop } = await interceptStart(runOf(signal), agent.transcript.history)
      return { context, stops: stop !== null }
    },
    async callEnded(call, signal) {
      const { context, stop } = await intercept(runOf(signal), 'tool-result', call)
      return { context, stops: stop !== null }
    },
    reasonToContinue: (end, signal) => reasonToContinue(runOf(signal), end),
  }
}
