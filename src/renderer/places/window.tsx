/** The whole window once the program has started: bar, rail, a place, status, and what lies over them. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { AgentAnnouncer } from '../features/agent-panel/agent-announcer.tsx'
import { useCurrentMode } from '../features/composer/mode-picker.tsx'
import { LogTroubleBanner } from '../features/log-trouble/log-trouble-banner.tsx'
import { PromptAnnouncer } from '../features/prompts/prompt-announcer.tsx'
import { StatusBar } from '../features/status-bar/status-bar.tsx'
import { useMainAgentId } from '../stores/conversation-store.ts'
import { focusComposer } from '../stores/draft-store.ts'
import { useLimits } from '../stores/limits-store.ts'
import { showOverlay, useOverlay } from '../stores/overlay-store.ts'
import { setPlace, useSession } from '../stores/session-store.ts'
import { revealAgent } from '../stores/stage-store.ts'
import { appCommands } from './app-commands.ts'
import { useAttention } from './attention.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { useFirstQuestion } from './first-run/first-question.ts'
import { useGlobalKeys } from './global-keys.ts'
import { Rail } from './rail.tsx'
import { StagePlace } from './stage/stage-place.tsx'
import { TitleBar } from './title-bar.tsx'

const importSettings = () => import('../features/settings/settings-page.tsx')
const SettingsPage = lazy(async () => ({ default: (await importSettings()).SettingsPage }))
const AgentsPlace = lazy(async () => ({ default: (await import('./agents/agents-place.tsx')).AgentsPlace }))
const ReviewPlace = lazy(async () => ({ default: (await import('./review/review-place.tsx')).ReviewPlace }))
const Palette = lazy(async () => ({ default: (await import('../features/palette/palette.tsx')).Palette }))
const PromptQueue = lazy(async () => ({
  default: (await import('../features/prompts/prompt-queue.tsx')).PromptQueue,
}))
const LimitsPopover = lazy(async () => ({
  default: (await import('../features/limits/limits-popover.tsx')).LimitsPopover,
}))
const FirstRunPlace = lazy(async () => ({
  default: (await import('./first-run/first-run-place.tsx')).FirstRunPlace,
}))

export function Window() {
  useGlobalKeys()
  useAttention()
  return (
    <div className="grid h-full grid-rows-[2.5rem_auto_minmax(0,1fr)_1.625rem]">
      <TitleBar />
      <div className="min-w-0">
        <LogTroubleBanner />
      </div>
      <div className="grid min-h-0 min-w-0 grid-cols-[46px_minmax(0,1fr)]">
        <Rail />
        <CurrentPlace />
      </div>
      <StatusBar onShowPrompts={() => showOverlay('prompts')} />
      <Overlays />
      <Limits />
      <PromptAnnouncer />
      <AgentAnnouncer />
      <BypassFrame />
    </div>
  )
}

function CurrentPlace() {
  const place = useSession((state) => state.place)
  const [question, later] = useFirstQuestion()
  if (place === 'settings')
    return (
      <ErrorBoundary part="the settings" resetKey={place}>
        <Suspense fallback={null}>
          <SettingsPage />
        </Suspense>
      </ErrorBoundary>
    )
  if (place === 'agents' && question !== 'folder' && question !== 'trust')
    return (
      <ErrorBoundary part="the agents" resetKey={place}>
        <Suspense fallback={null}>
          <AgentsPlace />
        </Suspense>
      </ErrorBoundary>
    )
  if (place === 'review' && question !== 'folder' && question !== 'trust')
    return (
      <ErrorBoundary part="the review" resetKey={place}>
        <Suspense fallback={null}>
          <ReviewPlace />
        </Suspense>
      </ErrorBoundary>
    )
  if (question !== null)
    return (
      <ErrorBoundary part="the first steps" resetKey={question}>
        <Suspense fallback={null}>
          <FirstRunPlace question={question} onLater={later} />
        </Suspense>
      </ErrorBoundary>
    )
  return (
    <ErrorBoundary part="the stage" resetKey={place}>
      <StagePlace />
    </ErrorBoundary>
  )
}

/**
 * What lies over the window is loaded when it is first wanted, or before, once nothing else is to do: the
 * first letters typed into it must not wait, or go elsewhere.
 */
function Overlays() {
  const overlay = useOverlay((state) => state.overlay)
  const mainAgentId = useMainAgentId()
  const [wanted, setWanted] = useState({ palette: false, prompts: false })
  if (overlay !== null && !wanted[overlay]) setWanted({ ...wanted, [overlay]: true })
  const close = useCallback(() => showOverlay(null), [])
  useEffect(() => {
    if (typeof requestIdleCallback === 'undefined') return
    const wish = requestIdleCallback(() => {
      setWanted({ palette: true, prompts: true })
      importSettings().catch(() => {})
    })
    return () => cancelIdleCallback(wish)
  }, [])
  const openAgent = (agentId: string) => {
    setPlace('stage')
    if (agentId === mainAgentId) focusComposer()
    else revealAgent(agentId)
  }
  return (
    <Suspense fallback={null}>
      {wanted.palette && (
        <Palette
          open={overlay === 'palette'}
          onClose={close}
          commands={overlay === 'palette' ? appCommands() : []}
          onOpenAgent={openAgent}
        />
      )}
      {wanted.prompts && <PromptQueue open={overlay === 'prompts'} onClose={close} />}
    </Suspense>
  )
}

function Limits() {
  const wanted = useLimits((state) => state.shownFor !== null)
  const [loaded, setLoaded] = useState(false)
  if (wanted && !loaded) setLoaded(true)
  if (!loaded) return null
  return (
    <Suspense fallback={null}>
      <LimitsPopover />
    </Suspense>
  )
}

/** Nothing is asked in this mode: the whole window says so. */
function BypassFrame() {
  const bypass = useCurrentMode() === 'bypassPermissions'
  const place = useSession((state) => state.place)
  if (!bypass || place !== 'stage') return null
  return <div aria-hidden="true" className="pointer-events-none fixed inset-0 z-30 border-2 border-bad" />
}
