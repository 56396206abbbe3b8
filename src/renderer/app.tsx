/** The root of the window: theme, start and start failure. */

import { CSPProvider } from '@base-ui/react/csp-provider'
import { lazy, Suspense, useEffect } from 'react'
import { useSession } from './stores/session-store.ts'
import { Button } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { TooltipProvider } from './ui/tooltip.tsx'
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
  const { theme, textSize } = useSession((state) => state.settings)
  useEffect(() => {
    const { documentElement: root } = document
    if (theme === 'system') delete root.dataset['theme']
    else root.dataset['theme'] = theme
    root.style.setProperty('--text-size', String(textSize))
  }, [theme, textSize])
}
