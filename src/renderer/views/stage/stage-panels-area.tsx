/** The panels at the right: each agent's transcript, questions and controls put together. */
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { AgentPanel } from '../../features/agent-panel/agent-panel.tsx'
import { AgentTile } from '../../features/agent-panel/agent-tile.tsx'
import { FinishedRow } from '../../features/agent-panel/finished-row.tsx'
import { AgentRequests } from '../../features/permission-requests/agent-requests.tsx'
import { type PanelControls, StagePanels } from '../../features/stage-layout/stage-panels.tsx'
import { Transcript, type TranscriptHandle } from '../../features/transcript/transcript.tsx'
import { AgentWriteFailure } from '../../features/write-failure/agent-write-failure.tsx'
import { useAgentIds, useMainAgentId } from '../../stores/conversation-store.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { ErrorBoundary, LineBoundary } from '../error-boundary.tsx'
import { PanelForms } from '../form-views.tsx'

export function StagePanelsArea() {
  const all = useAgentIds()
  const mainAgentId = useMainAgentId()
  const agentIds = useMemo(() => all.filter((agentId) => agentId !== mainAgentId), [all, mainAgentId])
  const transcripts = useRef(new Map<string, TranscriptHandle>())
  const renderPanel = useCallback(
    (agentId: string, controls: PanelControls) => (
      <Panel agentId={agentId} controls={controls} transcripts={transcripts} />
    ),
    [],
  )
  const followAll = useCallback(() => {
    for (const transcript of transcripts.current.values()) transcript.followEnd()
  }, [])
  return (
    <StagePanels
      agentIds={agentIds}
      renderPanel={renderPanel}
      renderTile={renderTile}
      renderFinished={renderFinished}
      onFollow={followAll}
    />
  )
}

interface PanelProps {
  readonly agentId: string
  readonly controls: PanelControls
  /** All shown transcripts, for commands that apply to all of them. */
  readonly transcripts: RefObject<Map<string, TranscriptHandle>>
}

function Panel({ agentId, controls, transcripts }: PanelProps) {
  const transcript = useRef<TranscriptHandle>(null)
  useEffect(() => {
    const { current } = transcript
    const shown = transcripts.current
    if (current !== null) shown.set(agentId, current)
    return () => {
      shown.delete(agentId)
    }
  }, [agentId, transcripts])
  return (
    <ErrorBoundary part="this panel">
      <AgentPanel
        agentId={agentId}
        requests={
          <>
            <AgentWriteFailure agentId={agentId} />
            <LineBoundary part="the permission request">
              <AgentRequests agentId={agentId} />
            </LineBoundary>
            <PanelForms agentId={agentId} />
          </>
        }
        onFind={() => transcript.current?.find()}
        onCopy={() => transcript.current?.copyAll() ?? Promise.resolve(false)}
        {...controls}
      >
        <ErrorBoundary part="the transcript">
          <Transcript ref={transcript} agentId={agentId} onOpenAgent={revealAgent} />
        </ErrorBoundary>
      </AgentPanel>
    </ErrorBoundary>
  )
}

function renderTile(agentId: string, onOpen: () => void) {
  return (
    <LineBoundary part="this tile">
      <AgentTile agentId={agentId} onOpen={onOpen} />
    </LineBoundary>
  )
}

function renderFinished(agentIds: readonly string[], isOpen: boolean, onToggle: () => void) {
  return <FinishedRow agentIds={agentIds} isOpen={isOpen} onToggle={onToggle} />
}
