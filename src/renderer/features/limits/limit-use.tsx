/** What the conversation on the screen uses of a limit of the settings: a text and a meter. */

import type { AgentState } from '../../../shared/state/agent-state.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { type Spent, spentBy, spentIn } from '../../../shared/state/spending.ts'
import { workingSubagents } from '../../stores/agent-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useNow } from '../../ui/machine.ts'
import { Meter } from '../../ui/meter.tsx'
import { formatDuration, formatTokens, moneyText } from '../../ui/text/format.ts'

/** The settings that have a use. */
export type UsedLimitName =
  | 'maxParallelAgents'
  | 'maxAgents'
  | 'maxDepth'
  | 'conversationTokens'
  | 'conversationUsd'
  | 'conversationMinutes'
  | 'agentTokens'
  | 'agentUsd'
  | 'agentMinutes'
  | 'backgroundMinutes'
  | 'agentSpawns'

interface Use {
  readonly text: string
  /** In the unit of the setting. */
  readonly value: number
}

export function LimitUse({ name }: { readonly name: UsedLimitName }) {
  const agents = useConversation((state) => state.agents)
  const most = useSession((state) => state.settings[name])
  const now = useNow([...agents.values()].some(isLive))
  if (agents.size === 0) return <span className="font-mono text-fg-2 text-xs">–</span>
  const { text, value } = usesOf(agents, now)[name]()
  return (
    <div className="grid gap-1 [--agent:var(--fg-1)]">
      <span className="truncate font-mono text-fg-1 text-xs">{text}</span>
      {most !== null && <Meter of="agent" value={value} max={most} className="w-full" />}
    </div>
  )
}

function usesOf(
  agents: ReadonlyMap<string, AgentState>,
  now: number,
): Readonly<Record<UsedLimitName, () => Use>> {
  const all = spentIn(agents.values())
  const highest = (of: (spent: Spent, agent: AgentState) => number): number =>
    Math.max(
      0,
      ...[...agents.values()]
        .filter(({ parentId }) => parentId !== null)
        .map((agent) => of(spentBy(agent.id, agents.values()), agent)),
    )
  const longest = (isBackground: boolean): Use => {
    const ms = highest((spent, { background }) =>
      (background === 'no') === isBackground ? 0 : spent.ms(now),
    )
    return { text: ms === 0 ? 'none running' : `longest ${formatDuration(ms)}`, value: ms / 60_000 }
  }
  return {
    maxParallelAgents: () => countUse(workingSubagents(agents)),
    maxAgents: () => countUse(agents.size),
    maxDepth: () => countUse(Math.max(0, ...[...agents.values()].map(({ depth }) => depth))),
    conversationTokens: () => ({ text: `${formatTokens(all.tokens)} used`, value: all.tokens }),
    conversationUsd: () => ({ text: `${moneyText(all.usd, all.priced)} spent`, value: all.usd }),
    conversationMinutes: () => ({ text: formatDuration(all.ms(now)), value: all.ms(now) / 60_000 }),
    agentTokens: () => {
      const value = highest(({ tokens }) => tokens)
      return { text: `highest ${formatTokens(value)}`, value }
    },
    agentUsd: () => {
      const value = highest(({ usd }) => usd)
      return { text: `highest ${moneyText(value, all.priced)}`, value }
    },
    agentMinutes: () => longest(false),
    backgroundMinutes: () => longest(true),
    agentSpawns: () => {
      const value = highest(({ spawns }) => spawns)
      return { text: `highest ${value}`, value }
    },
  }
}

const countUse = (value: number): Use => ({ text: `${value} now`, value })
