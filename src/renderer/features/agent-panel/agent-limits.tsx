/** The limits of an agent: a meter of the closest limit, a button that shows all limits, and one that raises a reached limit. */
import type { ReactNode } from 'react'
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import { isClockRunning } from '../../../shared/events/lifecycle.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { formatAmount, limitsAbove, mostSpent, shareOf } from '../../../shared/state/spending.ts'
import { command } from '../../bridge.ts'
import { actOn } from '../../stores/agent-actions.ts'
import { agentTitle, agentTitleNow, useConversation } from '../../stores/conversation-store.ts'
import { openLimits, useConversationLimits } from '../../stores/limits-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { LimitList } from '../../ui/limit-list.tsx'
import { useNow } from '../../ui/machine.ts'
import { Meter } from '../../ui/meter.tsx'
import { Popover, PopoverClose } from '../../ui/popover.tsx'
import { isExternal } from '../../ui/text/external-agent-text.ts'
import { formatUsage } from '../../ui/text/format.ts'
import { limitLines, ownerOfLimit } from '../../ui/text/limit-text.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { ContextParts } from './agent-context.tsx'

/** The line on top of a panel: how much of its closest limit the agent has used, turns included. */
export function LimitMeter({ agent }: { readonly agent: AgentState }) {
  const agentId = agent.id
  const conversationLimits = useConversationLimits()
  const isTimed = agent.limits.ms !== null || conversationLimits.ms !== null
  const now = useNow(isTimed && isClockRunning(agent))
  // Whole percents: a panel must not render with every token of every agent.
  const percent = useConversation((state) => {
    const most = mostSpent({ agentId, states: state.agents.values(), conversationLimits, now })
    // External agents have no turns of their own.
    const turns = isExternal(agent) ? 0 : Math.min(1, agent.turn / agent.maxTurns)
    return Math.floor(Math.max(turns, most === null ? 0 : shareOf(most)) * 100)
  })
  return (
    <span className="absolute inset-x-0 top-0 flex h-[2px] bg-[color-mix(in_oklab,var(--agent)_38%,transparent)]">
      <Meter of="agent" value={percent} max={100} className="h-full! w-full bg-transparent!" />
      <span className="sr-only">{percent}% of its closest limit</span>
    </span>
  )
}

interface LimitsButtonProps {
  readonly agent: AgentState
  /** The figures, which open the limits. */
  readonly children: ReactNode
}

export function LimitsButton({ agent, children }: LimitsButtonProps) {
  return (
    <Popover
      label={`Limits and context of ${agentTitleNow(agent)}`}
      side="bottom"
      trigger={
        <button
          type="button"
          aria-description="Limits and context"
          className="-ml-1 flex min-w-0 rounded-xs px-1 hover:bg-bg-3 hover:text-fg-0 focus-visible:-outline-offset-2 data-[popup-open]:bg-bg-3"
        >
          {children}
        </button>
      }
    >
      <AllLimits agent={agent} />
    </Popover>
  )
}

function AllLimits({ agent }: { readonly agent: AgentState }) {
  const conversationLimits = useConversationLimits()
  const agents = useConversation((state) => state.agents)
  const now = useNow(true)
  const above = limitsAbove({ agentId: agent.id, states: agents.values(), conversationLimits })
  const most = mostSpent({ agentId: agent.id, states: agents.values(), conversationLimits, now })
  const nameOf = (agentId: string) => {
    const other = agents.get(agentId)
    return other === undefined ? 'an ancestor' : agentTitle(other, agents)
  }
  return (
    <div style={agentStyle(agent.definition.color)} className="flex flex-col gap-2 px-3.5 py-3">
      <h3 className="font-semibold text-fg-0 text-md">Limits of {agentTitle(agent, agents)}</h3>
      <LimitList lines={limitLines(agent, { above, nameOf, now })} />
      <p className="max-w-96 text-fg-2 text-sm">
        {most !== null && `Closest limit: ${formatUsage(most)}. `}
        The usage of an agent includes its subagents. Permission mode: {modeText(agent)}.
      </p>
      <div className="flex">
        <PopoverClose>
          <Button onClick={() => openLimits(agent.conversationId)}>Conversation limits…</Button>
        </PopoverClose>
      </div>
      <div className="-mx-3.5 border-line border-t px-3.5 pt-3">
        <ContextParts agent={agent} />
      </div>
    </div>
  )
}

/** Raises a limit that was reached; its owner decides where. */
export function RaiseLimit({ agent }: { readonly agent: AgentState }) {
  const readOnly = useConversation((state) => state.readOnly)
  const { reachedLimit, limitOf, conversationId } = agent
  const owner = useConversation(({ agents }) => ownerOfLimit(agent, agents))
  if (readOnly || reachedLimit === null || reachedLimit === 'turns') return null
  if (limitOf === 'conversation')
    return <Button onClick={() => openLimits(conversationId)}>Raise limit…</Button>
  const raised = owner === undefined ? null : twice(owner, reachedLimit)
  if (owner !== undefined && raised !== null)
    return (
      <Button onClick={(event) => event.detail < 2 && void raiseAndResume(agent, owner.id, raised.limits)}>
        Raise to {raised.amount}
      </Button>
    )
  return (
    <Button
      variant="quiet"
      title="Agents keep the limits from their start. The settings apply to new agents."
      onClick={() => showSettingsPart('limits')}
    >
      Default limits…
    </Button>
  )
}

/** Twice the limit that was reached; null for time, which starts again on resume. */
function twice(
  { limits }: AgentState,
  reached: AgentState['reachedLimit'],
): { readonly limits: SpendLimits; readonly amount: string } | null {
  if (reached === 'tokens' && limits.tokens !== null) {
    const tokens = limits.tokens * 2
    return { limits: { ...limits, tokens }, amount: formatAmount('tokens', tokens) }
  }
  if (reached === 'money' && limits.usd !== null) {
    const usd = limits.usd * 2
    return { limits: { ...limits, usd, usdByDefault: undefined }, amount: formatAmount('money', usd) }
  }
  return null
}

async function raiseAndResume(
  { id, conversationId }: AgentState,
  owner: string,
  limits: SpendLimits,
): Promise<void> {
  const raised = await command('agent.setLimits', { agentId: owner, conversationId, limits })
  if (raised.ok) await actOn(id, 'resume')
  else showFailure(raised.failure)
}
