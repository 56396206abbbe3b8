/** The limits of an agent: a meter of the closest limit, and a button that shows all limits. */
import { Gauge } from 'lucide-react'
import { isClockRunning } from '../../../shared/events/lifecycle.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { limitsAbove, mostSpent, shareOf } from '../../../shared/state/spending.ts'
import { agentTitle, agentTitleNow, useConversation } from '../../stores/conversation-store.ts'
import { openLimits, useConversationLimits } from '../../stores/limits-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { LimitList } from '../../ui/limit-list.tsx'
import { useNow } from '../../ui/machine.ts'
import { Meter } from '../../ui/meter.tsx'
import { Popover, PopoverClose } from '../../ui/popover.tsx'
import { formatUsage } from '../../ui/text/format.ts'
import { limitLines } from '../../ui/text/limit-text.ts'
import { ContextParts } from './agent-context.tsx'

/** The closest limit of the agent, as a line below its figures; nothing without a limit. */
export function SpendingMeter({ agent }: { readonly agent: AgentState }) {
  const agentId = agent.id
  const conversationLimits = useConversationLimits()
  const isTimed = agent.limits.ms !== null || conversationLimits.ms !== null
  const now = useNow(isTimed && isClockRunning(agent))
  // Whole percents: a panel must not render with every token of every agent.
  const percent = useConversation((state) => {
    const most = mostSpent({ agentId, states: state.agents.values(), conversationLimits, now })
    return most === null ? null : Math.floor(shareOf(most) * 100)
  })
  if (percent === null) return null
  return (
    <>
      <Meter of="agent" value={percent} max={100} className="absolute inset-x-0 -bottom-[3px] h-[2px]" />
      <span className="sr-only">{percent}% of its closest limit</span>
    </>
  )
}

export function LimitsButton({ agent }: { readonly agent: AgentState }) {
  return (
    <Popover
      label={`Limits and context of ${agentTitleNow(agent)}`}
      side="bottom"
      trigger={<IconButton icon={Gauge} label="Limits and context" />}
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
        The usage of an agent includes its subagents.
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
