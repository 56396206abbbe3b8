/** An agent on three lines: its name, what it does, what it said last. A click gives it a panel. */
import { type AgentState, needsUser } from '../../../shared/agent-state.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dot } from '../../ui/dot.tsx'
import { lastWords, markOf } from './agent-mark.ts'

export interface AgentTileProps {
  readonly agentId: string
  readonly onOpen: () => void
}

export function AgentTile({ agentId, onOpen }: AgentTileProps) {
  const agent = useAgent(agentId)
  if (agent === undefined) return null
  const asks = needsUser(agent)
  const action = agent.action === null ? agent.task : `${agent.action.tool} ${agent.action.summary}`
  return (
    <button
      type="button"
      data-agent-tile={agentId}
      title={agent.task}
      onClick={onOpen}
      style={agentStyle(agent.definition.color)}
      className={classNames(
        'grid min-w-0 grid-cols-[12px_minmax(0,1fr)] items-center gap-x-2 border-agent border-l-2 bg-bg-1 px-2.5 py-[7px] text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2',
        asks && 'bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))]',
      )}
    >
      <Dot status={markOf(agent)} className="justify-self-center" />
      <span className="truncate font-semibold text-fg-0">
        {agent.definition.name}
        <span className="sr-only">, {statusOf(agent)}: </span>
      </span>
      <span className="col-start-2 truncate font-mono text-fg-1 text-xs leading-[1.5]">
        {asks ? (agent.prompts[0]?.subject.action ?? '') : makeVisible(action)}
      </span>
      <span className={classNames('col-start-2 truncate', asks ? 'text-needs-you' : 'text-fg-2')}>
        {makeVisible(lastWords(agent))}
      </span>
    </button>
  )
}

/** What the mark says, for who does not see it. */
function statusOf(agent: AgentState): string {
  return markOf(agent) === 'needs-you' ? 'waiting' : agent.status
}
