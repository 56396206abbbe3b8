/** An agent's oldest pending permission request, at the foot of its panel. */
import { useRef } from 'react'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { displayName, requestPlace } from '../../ui/text/agent-text.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { answerRequest } from './answer-request.ts'
import { PermissionRequestCard } from './permission-request-card.tsx'

/** Renders nothing while the agent has no pending request. */
export function AgentRequests({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const request = agent?.requests[0]
  const first = useRef(request?.requestId)
  if (request === undefined) first.current = undefined
  first.current ??= request?.requestId
  if (agent === undefined || request === undefined) return null
  const { requestId } = request
  const more = agent.requests.length - 1
  return (
    <PermissionRequestCard
      key={requestId}
      agentName={displayName(agent)}
      place={requestPlace(agent)}
      mode={modeText(agent)}
      request={request}
      answerable={!readOnly}
      isReplaced={first.current !== requestId}
      {...(more > 0 ? { position: `and ${more} more` } : {})}
      onAnswer={(answer) => answerRequest({ agentId, requestId, ...answer })}
    />
  )
}
