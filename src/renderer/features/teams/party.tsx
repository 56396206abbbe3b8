/** Who writes and who receives: the user, an agent with its color, or a name that no agent has. */

import { USER } from '../../../shared/state/message-log.ts'
import { useAgent, useAgentName } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { markOf } from '../../ui/text/agent-text.ts'
import { usePartyColor } from './teams-store.ts'

interface PartyProps {
  /** An agent, `USER`, or the name of a mailbox. */
  readonly id: string
  /** `state`: a dot that shows what the agent does; `color`: only its color. */
  readonly dot?: 'state' | 'color' | 'none'
}

export function Party({ id, dot = 'color' }: PartyProps) {
  const agent = useAgent(id)
  return (
    <span
      className="inline-flex min-w-0 max-w-full items-center gap-1.5"
      style={agentStyle(agent?.definition.color ?? '')}
    >
      {dot === 'state' && agent !== undefined && <Dot status={markOf(agent)} />}
      {dot === 'color' && <PartyDot id={id} />}
      <PartyName id={id} />
    </span>
  )
}

/** Blue stands for the user, as in the conversation; a name without an agent has an empty dot. */
export function PartyDot({ id }: Pick<PartyProps, 'id'>) {
  const color = usePartyColor(id)
  const look = id === USER ? 'bg-accent' : color === null ? 'border-[1.5px] border-fg-3' : 'bg-agent'
  return (
    <span
      aria-hidden="true"
      style={agentStyle(color ?? '')}
      className={`inline-block size-2 shrink-0 rounded-full ${look}`}
    />
  )
}

export function PartyName({ id }: Pick<PartyProps, 'id'>) {
  const agent = useAgent(id)
  return agent === undefined ? (
    <span dir="auto" className="block truncate" title={id === USER ? undefined : id}>
      {id === USER ? 'You' : id}
    </span>
  ) : (
    <AgentNameOf id={id} />
  )
}

function AgentNameOf({ id }: Pick<PartyProps, 'id'>) {
  return <AgentNameLine name={useAgentName(id)} />
}
