/** An agent’s name and color mark. A click shows the agent’s panel. */
import type { AgentState } from '../../../../shared/agent-state.ts'
import { markOf } from '../../../stores/agent-mark.ts'
import { agentName, agentText } from '../../../stores/agent-text.ts'
import { useAgentTitle } from '../../../stores/namesakes.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { Dot } from '../../../ui/dot.tsx'
import { useSurroundings } from '../surroundings.ts'

export function AgentLink({ agent }: { readonly agent: AgentState }) {
  const { openAgent } = useSurroundings()
  const name = useAgentTitle(agent.id) ?? agentName(agent)
  return (
    <button
      type="button"
      disabled={openAgent === null}
      onClick={() => openAgent?.(agent.id)}
      title={`${agent.task === '' ? name : `${agentName(agent)}: ${agent.task}`} (${agentText(agent)})`}
      style={agentStyle(agent.definition.color)}
      className="group/agent inline-flex min-w-0 items-center gap-1.5 rounded-sm px-1 font-medium text-fg-0 enabled:hover:bg-bg-3"
    >
      <Dot status={markOf(agent)} />
      <span className="truncate">
        {name}
        {agent.name !== null && agent.name !== name && (
          <span className="font-normal text-fg-1"> · {agent.name}</span>
        )}
      </span>
    </button>
  )
}
