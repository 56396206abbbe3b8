import { lazy, type Ref, Suspense } from 'react'
import type { TranscriptHandle } from '../../features/transcript/transcript.tsx'

const Transcript = lazy(async () => ({
  default: (await import('../../features/transcript/transcript.tsx')).Transcript,
}))

interface MainTranscriptProps {
  readonly agentId: string
  readonly handle: Ref<TranscriptHandle>
  readonly onOpenAgent: (agentId: string) => void
}

/** The transcript of the main agent; its code loads with the first transcript. */
export function MainTranscript({ agentId, handle, onOpenAgent }: MainTranscriptProps) {
  return (
    <Suspense fallback={<div className="flex-1" />}>
      <Transcript
        key={agentId}
        ref={handle}
        agentId={agentId}
        density="conversation"
        onOpenAgent={onOpenAgent}
        empty={<p className="m-auto text-fg-2 text-sm">No messages yet.</p>}
      />
    </Suspense>
  )
}
