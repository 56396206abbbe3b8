/** The usage of the conversation by agent, the most expensive first. */

import { cachedShare } from '../../../shared/events/model-requests.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { totalsOf, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import { modelLabel, showSettingsPart } from '../../stores/settings-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Dot } from '../../ui/dot.tsx'
import { agentName } from '../../ui/text/agent-text.ts'
import { formatTokens, moneyText, tokensText } from '../../ui/text/format.ts'

export function CostDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Conversation usage" width={620}>
      {open && <Costs />}
      <p className="pt-2 text-fg-2 text-sm">
        <LinkButton
          onClick={() => {
            onClose()
            showSettingsPart('insight')
          }}
        >
          All conversations…
        </LinkButton>
      </p>
    </Dialog>
  )
}

function Costs() {
  const agents = useConversation((state) => state.agents)
  const rehearsal = useConversation((state) => state.record?.rehearsal === true)
  const totals = totalsOf(agents)
  const sorted = [...agents.values()].sort(
    (a, b) => b.costUsd - a.costUsd || b.countedTokens - a.countedTokens,
  )
  if (totals.tokens === 0)
    return <p className="text-fg-1 text-sm">No usage yet: no request has been answered.</p>
  return (
    <>
      <table className="w-full text-sm" data-selectable="">
        <thead className="text-left text-fg-2 text-xs">
          <tr>
            <th className="py-1 font-medium">Agent</th>
            <th className="font-medium">Model</th>
            <th className="text-right font-medium">Turns</th>
            <th className="text-right font-medium">Tokens</th>
            <th className="text-right font-medium">From cache</th>
            <th className="text-right font-medium">Cost</th>
          </tr>
        </thead>
        <tbody className="text-fg-1">
          {sorted.map((agent) => (
            <CostRow key={agent.id} agent={agent} rehearsal={rehearsal} />
          ))}
        </tbody>
        <tfoot className="border-line border-t font-medium text-fg-0">
          <tr>
            <td className="py-1.5" colSpan={3}>
              Total
            </td>
            <td className="text-right font-mono text-xs">{formatTokens(totals.tokens)}</td>
            <td className="text-right font-mono text-xs">{percent(totals.cachedShare)}</td>
            <td className="text-right font-mono text-xs">
              {rehearsal ? 'free' : moneyText(totals.costUsd, totals.priced)}
            </td>
          </tr>
        </tfoot>
      </table>
      <p className="pt-2 text-fg-2 text-sm">
        Cached tokens count by their price, as limits count them: reading one costs about a tenth.
      </p>
      {rehearsal ? (
        <p className="pt-2 text-fg-2 text-sm">
          Rehearsal: a script made these numbers, and nothing was paid.
        </p>
      ) : (
        !totals.priced && (
          <p className="pt-2 text-fg-2 text-sm">
            The price of some models is unknown, so the total is too. Token limits apply to all models.
          </p>
        )
      )}
    </>
  )
}

function CostRow({ agent, rehearsal }: { readonly agent: AgentState; readonly rehearsal: boolean }) {
  const { usage, countedTokens } = agent
  const title = useAgentTitle(agent.id) ?? agentName(agent)
  return (
    <tr style={agentStyle(agent.definition.color)}>
      <td className="max-w-64 truncate py-1" title={title}>
        <Dot status="waiting" className="mr-2" />
        {title}
      </td>
      <td className="font-mono text-xs">{modelLabel(agent.model)}</td>
      <td className="text-right font-mono text-xs">{agent.turns}</td>
      <td className="text-right font-mono text-xs" title={tokensText(agent)}>
        {formatTokens(countedTokens)}
      </td>
      <td className="text-right font-mono text-xs">{percent(cachedShare(usage))}</td>
      <td className="text-right font-mono text-xs">
        {rehearsal ? '—' : moneyText(agent.costUsd, agent.priced)}
      </td>
    </tr>
  )
}

function percent(share: number | null): string {
  return share === null ? '—' : `${Math.round(share * 100)}%`
}
