/** One agent's panel with its transcript, requests and forms, on the stage and in a window of its own. */
import { type RefObject, useEffect, useRef } from 'react'
import { AgentPanel, type AgentPanelProps } from '../../features/agent-panel/agent-panel.tsx'
import { Transcript, type TranscriptHandle } from '../../features/transcript/transcript.tsx'
import { ErrorBoundary } from '../error-boundary.tsx'
import { PanelRequests } from './panel-requests.tsx'

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
