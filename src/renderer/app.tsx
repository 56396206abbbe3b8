/** The window from its start on: theme, and what is shown while there is nothing else to show. */

import { CSPProvider } from '@base-ui/react/csp-provider'
import { useEffect } from 'react'
import { ErrorBoundary } from './places/error-boundary.tsx'
import { Toasts } from './places/toasts.tsx'
import { Window } from './places/window.tsx'
import { startSession } from './stores/session-feed.ts'
import { useSession } from './stores/session-store.ts'
import { Button } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { TooltipProvider } from './ui/tooltip.tsx'

export function App() {
  useTheme()
  return (
    <ErrorBoundary part="the window">
      {/* The page's rules allow no style elements that are made as it runs. */}
      <CSPProvider disableStyleElements>
        <TooltipProvider delay={500}>
          <Content />
          <Toasts />
        </TooltipProvider>
      </CSPProvider>
    </ErrorBoundary>
  )
}

function Content() {
  const phase = useSession((state) => state.phase)
  switch (phase) {
    case 'starting':
      return <div aria-busy="true" className="h-full bg-bg-0" />
    case 'failed':
      return <StartFailed />
    case 'ready':
      return <Window />
  }
}

function StartFailed() {
  const failure = useSession((state) => state.failure)
  return (
    <main className="flex h-full">
      <EmptyState
        title="Troupe could not start"
        actions={
          <Button variant="primary" size="md" onClick={() => void startSession()}>
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
