/** The panels at the right: each agent's transcript, questions and controls put together. */
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { AgentPanel, type AgentPanelProps } from '../../features/agent-panel/agent-panel.tsx'
import { AgentTile } from '../../features/agent-panel/agent-tile.tsx'
import { FoldedAgentsView } from '../../features/agent-panel/folded-agents.tsx'
import { MovedPanel } from '../../features/agent-panel/moved-panel.tsx'
import { AgentRequests } from '../../features/permissions/permission-request-card.tsx'
import { TileAnswer } from '../../features/permissions/tile-answer.tsx'
import {
  type FoldedAgents,
  type StageControls,
  StagePanels,
} from '../../features/stage-layout/stage-panels.tsx'
import { Transcript, type TranscriptHandle } from '../../features/transcript/transcript.tsx'
import { AgentWriteFailure } from '../../features/write-failure/write-failure-banner.tsx'
import { useAgentIds, useMainAgentId } from '../../stores/conversation-store.ts'
import { openOwnWindow, useHasOwnWindow } from '../../stores/own-windows.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { ErrorBoundary, LineBoundary } from '../error-boundary.tsx'
import { PanelForms } from '../form-views.tsx'

/** @param lead shown first in the bar */
export function StagePanelsArea({ lead }: { readonly lead?: ReactNode }) {
  const all = useAgentIds()
  const mainAgentId = useMainAgentId()
  const agentIds = useMemo(() => all.filter((agentId) => agentId !== mainAgentId), [all, mainAgentId])
  const transcripts = useRef(new Map<string, TranscriptHandle>())
  const renderPanel = useCallback(
    (agentId: string, controls: StageControls) => (
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
      renderFolded={renderFolded}
      onFollow={followAll}
      lead={lead}
    />
  )
}

interface PanelProps {
  readonly agentId: string
  readonly controls: StageControls
  /** All shown transcripts, for commands that apply to all of them. */
  readonly transcripts: RefObject<Map<string, TranscriptHandle>>
}

function Panel({ agentId, controls, transcripts }: PanelProps) {
  const ownWindow = useCallback(() => openOwnWindow(agentId), [agentId])
  const isElsewhere = useHasOwnWindow(agentId)
  if (!isElsewhere)
    return (
      <LivePanel
        agentId={agentId}
        onOpenAgent={revealAgent}
        transcripts={transcripts}
        onOwnWindow={ownWindow}
        {...controls}
      />
    )
  const { handle } = controls
  return (
    <ErrorBoundary part="this panel">
      <MovedPanel
        agentId={agentId}
        requests={<PanelRequests agentId={agentId} />}
        {...(handle ? { handle } : {})}
      />
    </ErrorBoundary>
  )
}

function renderTile(agentId: string, onOpen: () => void) {
  return (
    <LineBoundary part="this tile">
      <AgentTile agentId={agentId} onOpen={onOpen} answer={<TileAnswer agentId={agentId} />} />
    </LineBoundary>
  )
}

function renderFolded(folded: FoldedAgents) {
  return <FoldedAgentsView {...folded} />
}

/** What an agent's panel asks the user: failed writes, permission requests and forms. */
function PanelRequests({ agentId }: { readonly agentId: string }) {
  return (
    <>
      <LineBoundary part="the permission request">
        <AgentRequests agentId={agentId} />
      </LineBoundary>
      <div className="overflow-y-auto px-2.5 pb-2.5 empty:hidden">
        <AgentWriteFailure agentId={agentId} />
        <PanelForms agentId={agentId} />
      </div>
    </>
  )
}

/** One agent's panel with its transcript, requests and forms, on the stage and in a window of its own. */
interface LivePanelProps extends Omit<AgentPanelProps, 'children' | 'requests' | 'onFind' | 'onCopy'> {
  readonly onOpenAgent: (agentId: string) => void
  /** All shown transcripts, for commands that apply to all of them. */
  readonly transcripts?: RefObject<Map<string, TranscriptHandle>>
}

export function LivePanel({ onOpenAgent, transcripts, ...panel }: LivePanelProps) {
  const { agentId } = panel
  const transcript = useRef<TranscriptHandle>(null)
  useEffect(() => {
    const { current } = transcript
    const shown = transcripts?.current
    if (current !== null) shown?.set(agentId, current)
    return () => {
      shown?.delete(agentId)
    }
  }, [agentId, transcripts])
  return (
    <ErrorBoundary part="this panel">
      <AgentPanel
        requests={<PanelRequests agentId={agentId} />}
        onFind={() => transcript.current?.find()}
        onCopy={() => transcript.current?.copyAll() ?? Promise.resolve(false)}
        {...panel}
      >
        <ErrorBoundary part="the transcript">
          <Transcript ref={transcript} agentId={agentId} onOpenAgent={onOpenAgent} />
        </ErrorBoundary>
      </AgentPanel>
    </ErrorBoundary>
  )
}
