/** An agent's oldest pending permission request, at the foot of its panel. */
import { displayName } from '../../stores/agent-text.ts'
import { requestPlace } from '../../stores/backing-text.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { answerRequest } from './answer-request.ts'
import { PermissionRequestCard } from './permission-request-card.tsx'

/** Renders nothing while the agent has no pending request. */
export function AgentRequests({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const request = agent?.requests[0]
  if (agent === undefined || request === undefined) return null
  const { requestId } = request
  const more = agent.requests.length - 1
  return (
    <PermissionRequestCard
      key={requestId}
      agentName={displayName(agent)}
      place={requestPlace(agent)}
      request={request}
      answerable={!readOnly}
      {...(more > 0 ? { position: `and ${more} more` } : {})}
      onAnswer={(decision, feedback) => answerRequest({ agentId, requestId, decision, feedback })}
    />
  )
}
