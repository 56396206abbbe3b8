/** The limits and the waits of an agent that depend on the other agents of its conversation. */
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { describeLimit, firstReached, type LimitsAbove, limitsAbove } from '../../../shared/state/spending.ts'
import type { AgentRegistry } from '../conversation/agent-registry.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LimitReached } from '../ports/run-end.ts'

/**
 * Whether the agent may make another request under its own limits, those of the agents above it and of the conversation.
 * Null: it may. Under a money limit that the user has set, a model without a known price may not run: its cost can't be
 * counted. A default money limit only counts known costs.
 */
export function limitFor(conversation: Conversation, agentId: string): LimitReached | null {
  if (conversation.outsideLimit !== null) return conversation.outsideLimit
  const { ports } = conversation
  const around = limitsAround(conversation)
  const state = around.states.find(({ id }) => id === agentId)
  if (!state) return null
  const facts = ports.models.facts(state.model)
  // An external agent may never report its cost: it is told about the limit instead.
  if (facts.price === null && facts.free !== true && state.definition.program === undefined) {
    const money = nearestMoneyLimit(agentId, around)
    if (money)
      return {
        kind: 'money',
        of: money.of,
        description: `${state.model} has no known price, so a limit of $${money.limits.usd} cannot be enforced. Choose a model with a known price, or remove the money limit and limit tokens instead.`,
        isRefusal: true,
      }
  }
  const reached = firstReached({ agentId, ...around, now: ports.clock.now() })
  if (reached === null) return null
  return { kind: reached.limit, of: reached.of, description: describeLimit(reached), isRefusal: false }
}

/** The money limit that the user has set for the agent or above it, in US dollars; null: none. */
export const moneyLimitFor = (conversation: Conversation, agentId: string): number | null =>
  nearestMoneyLimit(agentId, limitsAround(conversation))?.limits.usd ?? null

function limitsAround({ agents, file, ports }: Conversation) {
  return {
    states: agents.states(),
    conversationLimits: file.record.limits ?? ports.policy.limits.conversation,
  }
}

function nearestMoneyLimit(
  agentId: string,
  around: ReturnType<typeof limitsAround>,
): LimitsAbove | undefined {
  return limitsAbove({ agentId, ...around }).find(({ limits }) => limits.usd !== null && !limits.usdByDefault)
}

/** Whether the agent waits for others by design: it coordinates, leads a team, or has subagents that run. */
export function waitsForOthers({ agents, file }: Conversation, agentId: string): boolean {
  const { coordinator, teams } = file.record
  return (
    (coordinator && agents.isMain(agentId)) ||
    teams.some(({ leaderId, endedAt }) => leaderId === agentId && endedAt === null) ||
    agents.states().some((state) => state.parentId === agentId && isLive(state))
  )
}

/** What an agent waits for instead of working: nothing, a usage limit, or the user. */
type Rest = 'none' | 'limit' | 'user'

/**
 * Stops the clock of parents while every subagent that they wait for waits for the user or a usage limit. Called when the
 * status of an agent changed. Children come before their parents.
 */
export function holdParents(agents: AgentRegistry): void {
  const rests = new Map<string, Rest>()
  for (const handle of agents.all().toReversed()) {
    const state = handle.state()
    const below = rests.get(state.id)
    const { agent } = handle
    if (below !== undefined && agent !== null && isWaiting(state)) {
      const waitingFor = below === 'limit' ? 'limit' : 'children'
      const isHeld = below !== 'none'
      if (state.waitingFor !== waitingFor || (state.heldAt !== null) !== isHeld)
        agent.emit({
          type: 'status-changed',
          status: 'waiting',
          waitingFor,
          ...(below === 'user' && { held: true as const }),
        })
    }
    const { parentId } = state
    if (parentId === null || !handle.isAwaited || !isLive(state)) continue
    const rest = restOf(handle.state())
    const others = rests.get(parentId) ?? rest
    const isNone = rest === 'none' || others === 'none'
    rests.set(parentId, isNone ? 'none' : rest === others ? rest : 'user')
  }
}

/** Whether the agent makes no request itself: it waits for its subagents, or with them. */
const isWaiting = ({ status, waitingFor, retry }: AgentState): boolean =>
  status === 'waiting' && (waitingFor === 'children' || (waitingFor === 'limit' && retry === null))

function restOf({ waitingFor, heldAt }: AgentState): Rest {
  switch (waitingFor) {
    case 'limit':
      return 'limit'
    case 'permission':
    case 'answer':
      return 'user'
    case 'children':
      return heldAt === null ? 'none' : 'user'
    case 'message':
    case null:
      return 'none'
  }
}
