/** The cost of the conversation and its limit. A click shows all limits. */
import { useMemo } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { mostUsed, shareOf, spentIn, type UsedLimit, usedOf } from '../../../shared/state/spending.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { openLimits, useConversationLimits } from '../../stores/limits-store.ts'
import { useNow } from '../../ui/machine.ts'
import { Meter } from '../../ui/meter.tsx'
import { displayName } from '../../ui/text/agent-text.ts'
import { isExternal, silentAgents } from '../../ui/text/external-agent-text.ts'
import { count, formatMoney, formatUsage, moneyText } from '../../ui/text/format.ts'

/** From this share on, another limit is shown instead of the money limit. */
const NEAR_THE_END = 0.8

export function Spending() {
  const conversationId = useConversation((state) => state.conversationId)
  const rehearsal = useConversation((state) => state.record?.rehearsal === true)
  const agents = useConversation((state) => state.agents)
  const limits = useConversationLimits()
  const spent = useMemo(() => spentIn(agents.values()), [agents])
  const silent = useMemo(() => silentAgents(agents.values()), [agents])
  const isOnlySilent = useMemo(() => isPricedElsewhere(agents.values()), [agents])
  // An external agent costs its own money in a rehearsal too.
  const externalUsd = useMemo(() => externalCost(agents.values()), [agents])
  const now = useNow(limits.ms !== null)
  if (conversationId === null || agents.size === 0) return null

  const used = usedOf({ of: 'conversation', agentId: null, limits, spent }, now)
  const shown = shownLimit(used, rehearsal)
  const cost = rehearsal
    ? externalUsd > 0
      ? formatMoney(externalUsd)
      : 'free'
    : moneyText(spent.usd, spent.priced || isOnlySilent)
  const text = shown === null ? cost : formatUsage(isOnlySilent ? { ...shown, counted: true } : shown)
  return (
    <button
      type="button"
      data-limits-anchor=""
      title={
        silent.length === 0
          ? 'Conversation limits'
          : `Conversation limits. Not in the sum: ${[...new Set(silent.map(displayName))].join(', ')}, which ${silent.length === 1 ? 'does not report its' : 'do not report their'} cost.`
      }
      onClick={() => openLimits(conversationId)}
      className="flex shrink-0 items-center gap-2 hover:text-fg-0 focus-visible:-outline-offset-2 [--agent:var(--fg-2)]"
    >
      <span>
        {text}
        {silent.length > 0 &&
          `, ${count(silent.length, 'agent')} ${silent.length === 1 ? 'doesn’t' : 'don’t'} tell`}
      </span>
      {shown !== null && <Meter of="conversation" value={shareOf(shown)} max={1} />}
      <span className="sr-only">; conversation limits</span>
    </button>
  )
}

function externalCost(agents: Iterable<AgentState>): number {
  return [...agents].reduce((sum, agent) => (isExternal(agent) ? sum + agent.costUsd : sum), 0)
}

/** Whether the cost of every own agent is known: no model is without a known price. */
function isPricedElsewhere(agents: Iterable<AgentState>): boolean {
  return [...agents].every((agent) => agent.priced || isExternal(agent))
}

/** The money limit, unless another limit is closer and nearly reached. A rehearsal has no money limit. */
function shownLimit(used: readonly UsedLimit[], rehearsal: boolean): UsedLimit | null {
  const most = mostUsed(rehearsal ? used.filter(({ limit }) => limit !== 'money') : used)
  if (most !== null && shareOf(most) >= NEAR_THE_END) return most
  return rehearsal ? null : (used.find(({ limit }) => limit === 'money') ?? null)
}
