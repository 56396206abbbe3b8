/** The page of a window that shows one agent. */
import { lazy, Suspense, useEffect, useRef } from 'react'
import { ContextDialog } from '../../features/context/context-dialog.tsx'
import { useCaseToSave } from '../../stores/agent-actions.ts'
import { useAgent, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import { showOverlay, useOverlay } from '../../stores/overlay-store.ts'
import { openOwnWindow } from '../../stores/own-windows.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LivePanel } from '../stage/stage-panels-area.tsx'

const CaseDialog = lazy(async () => ({ default: (await import('../agents/case-dialog.tsx')).CaseDialog }))

export function AgentWindow({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const phase = useConversation((state) => state.phase)
  const failure = useConversation((state) => state.failure)
  const overlay = useOverlay((state) => state.overlay)
  const isSaving = useCaseToSave((state) => state.agent !== null)
  const title = useAgentTitle(agentId) ?? 'Agent'
  useEffect(() => {
    document.title = `${title} – Troupe`
  }, [title])
  const isThere = agent !== undefined
  const page = useRef<HTMLElement>(null)
  // The panel takes the focus, so that its keys and typing work at once.
  useEffect(() => {
    if (isThere) page.current?.querySelector<HTMLElement>('[data-agent-panel]')?.focus()
  }, [isThere])
  const isLoading = phase === 'loading'
  return (
    <main ref={page} aria-busy={isLoading} className="flex h-full min-h-0 flex-col">
      <h1 className="sr-only">{title}</h1>
      {/* The panel has a heading of the third level. */}
      <h2 className="sr-only">Agent</h2>
      {agent !== undefined ? (
        <div className="min-h-0 flex-1">
          <LivePanel agentId={agentId} onOpenAgent={openOwnWindow} />
        </div>
      ) : (
        !isLoading && (
          <EmptyState
            title="This agent can’t be shown"
            actions={<Button onClick={() => window.close()}>Close window</Button>}
          >
            {failure ?? 'Its conversation was deleted, or is in the trash.'}
          </EmptyState>
        )
      )}
      <Suspense fallback={null}>{isSaving && <CaseDialog />}</Suspense>
      <ContextDialog open={overlay === 'context'} onClose={() => showOverlay(null)} />
    </main>
  )
}
