/** Whether an agent may make another request under its own limits, those of the agents above it and of the conversation. */
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { describeLimit, firstReached, type LimitsAbove, limitsAbove } from '../../../shared/state/spending.ts'
import type { LimitReached } from '../limit-reached.ts'
import type { ModelFacts } from '../ports.ts'

/**
 * Null: it may continue. Under a money limit that the user has set, a model without a known price may not run: its cost
 * can't be counted. A default money limit only counts known costs.
 */
export function limitFor(
  agentId: string,
  around: {
    readonly states: readonly AgentState[]
    readonly conversationLimits: SpendLimits
    readonly now: number
    facts(model: string): ModelFacts
  },
): LimitReached | null {
  const { states, conversationLimits, now } = around
  const state = states.find(({ id }) => id === agentId)
  if (!state) return null
  const facts = around.facts(state.model)
  // An external agent tells its cost itself, or never: its agent is told of the limit instead.
  if (facts.price === null && facts.free !== true && state.definition.program === undefined) {
    const money = moneyLimit(agentId, { states, conversationLimits })
    if (money)
      return {
        kind: 'money',
        of: money.of,
        description: `${state.model} has no known price, so a limit of $${money.limits.usd} cannot be enforced. Choose a model with a known price, or remove the money limit and limit tokens instead.`,
        isRefusal: true,
      }
  }
  const reached = firstReached({ agentId, states, conversationLimits, now })
  if (reached === null) return null
  return { kind: reached.limit, of: reached.of, description: describeLimit(reached), isRefusal: false }
}

/** The nearest money limit that the user has set; undefined: there is none. */
export function moneyLimit(
  agentId: string,
  around: { readonly states: readonly AgentState[]; readonly conversationLimits: SpendLimits },
): LimitsAbove | undefined {
  return limitsAbove({ agentId, ...around }).find(({ limits }) => limits.usd !== null && !limits.usdByDefault)
}
