/** How a prompt ended, in the protocol's words. */
import type { StopReason } from '@agentclientprotocol/sdk'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'

interface EndedTurn {
  /** The state of the main agent. */
  readonly state: AgentState
  /** The stop reason of its last message; null: it wrote none. */
  readonly lastStop: string | null
  readonly isCancelled: boolean
}

/** Fails with the agent's failure, or with `stopped`. */
export function turnOutcome({ state, lastStop, isCancelled }: EndedTurn): Result<StopReason, Failure> {
  if (isCancelled) return ok('cancelled')
  const { status, failure, reachedLimit } = state
  // The protocol has no words for money and time; a limit of tokens is not the model's own.
  if (reachedLimit !== null) return ok('max_turn_requests')
  if (failure !== null) return fail(failure)
  if (status === 'stopped' || status === 'interrupted') return ok('cancelled')
  if (status === 'failed') return fail({ type: 'failed', message: 'The agent failed.' })
  if (lastStop === 'refusal') return ok('refusal')
  return ok(lastStop === 'max_tokens' ? 'max_tokens' : 'end_turn')
}
