/** The root of the window: theme, start and start failure. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import { lazy, Suspense, useEffect } from 'react'
import type { CommandId } from '../shared/commands/commands.ts'
import type { WindowDelta } from '../shared/ipc/window-delta.ts'
import { onDeltas } from './bridge.ts'
import { receiveAgentTests } from './features/agent-tests/bench-store.ts'
import { watchSeen } from './features/conversations/seen-store.ts'
import { receivePrograms } from './features/external-agents/programs-store.ts'
import { receiveHooks } from './features/hooks/hooks-store.ts'
import { receivePreview } from './features/preview/preview-store.ts'
import { receiveTimeline } from './features/timeline/timeline-store.ts'
import { receiveTutorial } from './features/tutorial/tutorial-store.ts'
import { receiveUpdate } from './features/updates/updates-store.ts'
import { receiveChanges } from './stores/changes-store.ts'
import { receiveConversation, receiveWriteFailure } from './stores/conversation-store.ts'
import { receiveEnvironments } from './stores/environments-store.ts'
import { receiveLiveLines } from './stores/live-lines.ts'
import { receiveMcp } from './stores/mcp-store.ts'
import { receiveOwnWindows } from './stores/own-windows.ts'
import { receiveReview } from './stores/review-store.ts'
import { receiveSession } from './stores/session-feed.ts'
import { useSession } from './stores/session-store.ts'
import { receiveWorkers } from './stores/teams-and-workers.ts'
import { receiveTranscripts } from './stores/transcript-store.ts'
import { Button } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { TooltipProvider } from './ui/popover.tsx'
import { ErrorBoundary } from './views/error-boundary.tsx'
import { Toasts } from './views/toasts.tsx'
import { Window } from './views/window.tsx'

const AgentWindow = lazy(async () => ({
  default: (await import('./views/agent-window/agent-window.tsx')).AgentWindow,
}))

interface AppProps {
  /** The agent that this page shows; null: the page is a whole window. */
  readonly agentId: string | null
  /** Starts the session again. */
  readonly onStart: () => void
}

export function App(props: AppProps) {
  useTheme()
  return (
    <ErrorBoundary part="the window">
      {/* The content security policy forbids style elements that are created at run time. */}
      <CSPProvider disableStyleElements>
        <TooltipProvider delay={500}>
          <Content {...props} />
          <Toasts />
        </TooltipProvider>
      </CSPProvider>
    </ErrorBoundary>
  )
}

function Content({ agentId, onStart }: AppProps) {
  const phase = useSession((state) => state.phase)
  switch (phase) {
    case 'starting':
      return <div aria-busy="true" className="h-full bg-bg-0" />
    case 'failed':
      return <StartFailed onStart={onStart} />
    case 'ready':
      return agentId === null ? (
        <Window />
      ) : (
        <Suspense fallback={<div aria-busy="true" className="h-full bg-bg-0" />}>
          <AgentWindow agentId={agentId} />
        </Suspense>
      )
  }
}

function StartFailed({ onStart }: Pick<AppProps, 'onStart'>) {
  const failure = useSession((state) => state.failure)
  return (
    <main className="flex h-full">
      <EmptyState
        title="Troupe can't start"
        actions={
          <Button variant="primary" size="md" onClick={onStart}>
            Try again
          </Button>
        }
      >
        <span data-selectable="">{failure}</span>
      </EmptyState>
    </main>
  )
}

function useTheme(): void {
  const theme = useSession((state) => state.settings.theme)
  useEffect(() => {
    const { documentElement: root } = document
    if (theme === 'system') delete root.dataset['theme']
    else root.dataset['theme'] = theme
  }, [theme])
}

/** Connects the stores until the returned function is called. `onMenu` receives commands from the application menu. */
export function connectStores(onMenu: (command: CommandId) => void): () => void {
  const stops = [onDeltas((deltas) => receive(deltas, onMenu)), watchSeen()]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Applies one batch; each store changes at most once. */
function receive(deltas: readonly WindowDelta[], onMenu: (command: CommandId) => void): void {
  receiveConversation(deltas)
  receiveChanges(deltas)
  receiveTimeline(deltas)
  receiveLiveLines(deltas)
  receiveTranscripts(deltas)
  receiveSession(deltas)
  receiveWriteFailure(deltas)
  receiveReview(deltas)
  receiveWorkers(deltas)
  receiveOwnWindows(deltas)
  receiveMcp(deltas)
  receiveEnvironments(deltas)
  receiveAgentTests(deltas)
  receivePreview(deltas)
  receiveHooks(deltas)
  receivePrograms(deltas)
  receiveTutorial(deltas)
  receiveUpdate(deltas)
  for (const delta of deltas) if (delta.type === 'menu') onMenu(delta.command)
}
