/** What an agent's panel asks the user: failed writes, permission requests and forms. */
import { AgentRequests } from '../../features/permissions/agent-requests.tsx'
import { AgentWriteFailure } from '../../features/write-failure/agent-write-failure.tsx'
import { LineBoundary } from '../error-boundary.tsx'
import { PanelForms } from '../form-views.tsx'

export function PanelRequests({ agentId }: { readonly agentId: string }) {
  return (
    <>
      <AgentWriteFailure agentId={agentId} />
      <LineBoundary part="the permission request">
        <AgentRequests agentId={agentId} />
      </LineBoundary>
      <PanelForms agentId={agentId} />
    </>
  )
}
