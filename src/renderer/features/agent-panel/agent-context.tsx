/** What an agent has used: its context window and its limits. */

import { Gauge } from 'lucide-react'
import { COMPACTION_SHARE, type ContextUse, contextUse } from '../../../shared/events/context.ts'
import { isClockRunning } from '../../../shared/events/lifecycle.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { limitsAbove, mostSpent, shareOf } from '../../../shared/state/spending.ts'
import { agentTitle, agentTitleNow, useAgent, useConversation } from '../../stores/conversation-store.ts'
import { openLimits, useConversationLimits } from '../../stores/limits-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { LimitList } from '../../ui/limit-list.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Popover, PopoverClose } from '../../ui/popover.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatTokens, formatUsage } from '../../ui/text/format.ts'
import { limitLines } from '../../ui/text/limit-text.ts'
import { useNow } from '../../ui/use-now.ts'

/** From this share on, the percentage stands beside the ring. */
const SAID_FROM = 50

/** A ring in the figures of a panel; nothing before the first answer. */
export function ContextRing({ agent }: { readonly agent: AgentState }) {
  const use = contextUse(agent.context)
  return use === null ? null : <Ring use={use} />
}

/** The ring as a button that shows the parts; nothing before the first answer. */
export function ContextButton({ agentId }: { readonly agentId: string | null }) {
  const agent = useAgent(agentId)
  const use = agent === undefined ? null : contextUse(agent.context)
  if (agent === undefined || use === null) return null
  return (
    <button
      type="button"
      title="Context window"
      aria-haspopup="dialog"
      onClick={() => showOverlay('context', agent.id)}
      className="flex h-[22px] shrink-0 items-center rounded-sm px-1.5 font-mono text-fg-2 text-xs tabular-nums hover:bg-bg-3 hover:text-fg-0"
    >
      <Ring use={use} />
    </button>
  )
}

/** The fill of the context window, when it is compacted, and a button for the parts. Stands in a popover. */
export function ContextParts({ agent }: { readonly agent: AgentState }) {
  const use = contextUse(agent.context)
  return (
    <section className="flex max-w-96 flex-col gap-2">
      <p className="font-semibold text-fg-0 text-md">Context window</p>
      {use === null ? (
        <p className="text-fg-2 text-sm">Known after the first answer.</p>
      ) : (
        <>
          <Parts use={use} />
          <p className="text-fg-2 text-sm">{compactionText(use, isLive(agent))}</p>
        </>
      )}
      <div className="flex">
        <PopoverClose>
          <Button onClick={() => showOverlay('context', agent.id)}>Context by part…</Button>
        </PopoverClose>
      </div>
    </section>
  )
}

function Parts({ use }: { readonly use: ContextUse }) {
  const { window, prefix, messages, free, used, percent } = use
  const parts = [
    ['System prompt and tools', `about ${formatTokens(prefix)}`],
    ['Messages', formatTokens(messages)],
    ['Free', formatTokens(free)],
  ] as const
  const width = (tokens: number) => `${Math.min(100, (tokens * 100) / window)}%`
  return (
    <>
      <span aria-hidden="true" className="flex h-1.5 overflow-hidden rounded-[3px] bg-bg-3">
        <span className="bg-fg-3" style={{ width: width(prefix) }} />
        <span className={FILL[use.level]} style={{ width: width(messages) }} />
      </span>
      <table className="w-full text-sm" data-selectable="">
        <tbody>
          {parts.map(([name, tokens]) => (
            <tr key={name} className="h-6 whitespace-nowrap">
              <th scope="row" className="pr-4 text-left font-medium text-fg-1">
                {name}
              </th>
              <td className="text-right font-mono text-fg-0 text-xs tabular-nums">{tokens}</td>
            </tr>
          ))}
          <tr className="h-6 whitespace-nowrap border-line border-t">
            <th scope="row" className="pr-4 text-left font-medium text-fg-1">
              Used
            </th>
            <td className="text-right font-mono text-fg-0 text-xs tabular-nums">
              {formatTokens(used)} of {formatTokens(window)} · {percent}%
            </td>
          </tr>
        </tbody>
      </table>
    </>
  )
}

function compactionText({ window, level }: ContextUse, live: boolean): string {
  const at = `${formatTokens(window * COMPACTION_SHARE)} tokens (${COMPACTION_SHARE * 100}%)`
  const how = 'older tool results are left out, then the model continues from a summary'
  if (level === 'plain') return `From ${at} on, ${how}.`
  return `${live ? 'Before the next request' : 'With the next message'}, ${how}. The transcript keeps everything.`
}

const FILL = { plain: 'bg-fg-2', near: 'bg-fg-0', full: 'bg-bad' }
const RING = { plain: 'text-fg-2', near: 'text-fg-0', full: 'text-bad' }

function Ring({ use: { percent, used, window, level } }: { readonly use: ContextUse }) {
  const share = Math.min(100, percent)
  return (
    <span
      className="flex items-center gap-1"
      title={`Context window: ${count(used, 'token')} of ${window.toLocaleString('en')}`}
    >
      <span
        aria-hidden="true"
        data-context={level}
        className={classNames(
          'size-2.5 rounded-full [mask-image:radial-gradient(circle,transparent_38%,#000_42%)]',
          RING[level],
        )}
        style={{ background: `conic-gradient(currentcolor ${share}%, var(--line-strong) 0)` }}
      />
      {percent >= SAID_FROM && <span aria-hidden="true">{percent}%</span>}
      <span className="sr-only">{percent}% of the context window used</span>
    </span>
  )
}

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
