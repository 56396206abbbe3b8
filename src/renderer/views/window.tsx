/** The whole window after the start: title bar, rail, the current view, status bar and overlays. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { VIEWS, type View, type ViewInfo } from '../../shared/commands/views.ts'
import { AgentAnnouncer } from '../features/agent-panel/agent-standing.tsx'
import { useCurrentMode } from '../features/composer/composer-actions.tsx'
import { RequestAnnouncer } from '../features/permissions/request-announcer.tsx'
import { loadTutorial, useTutorial } from '../features/tutorial/tutorial-store.ts'
import { WriteFailureBanner } from '../features/write-failure/write-failure-banner.tsx'
import { useCaseToSave } from '../stores/agent-actions.ts'
import { useMainAgentId } from '../stores/conversation-store.ts'
import { focusComposer } from '../stores/draft-store.ts'
import { useKeysOf } from '../stores/keys-store.ts'
import { useLimits } from '../stores/limits-store.ts'
import { useNamedLayouts } from '../stores/named-layouts.ts'
import {
  showNotice,
  showOverlay,
  showRequestDrawer,
  useOverlay,
  useRequestDrawer,
} from '../stores/overlay-store.ts'
import { openFolder } from '../stores/session-feed.ts'
import { type SessionState, setView, useSession } from '../stores/session-store.ts'
import { useModels } from '../stores/settings-store.ts'
import { revealAgent } from '../stores/stage-store.ts'
import { IconButton } from '../ui/button.tsx'
import { focusInstead } from '../ui/use-focus.ts'
import { useAttention } from './attention.ts'
import { newProgram } from './command-actions.ts'
import { ErrorBoundary, LineBoundary } from './error-boundary.tsx'
import { useFirstQuestion } from './first-run/first-question.ts'
import { useFocusKeeper } from './focus-keeper.ts'
import { workByFolder, workText } from './folder-menu.tsx'
import { renderQueueForm } from './form-views.tsx'
import { useGlobalKeys } from './global-keys.ts'
import { paletteCommands } from './palette-commands.ts'
import { StatusBar } from './status-bar.tsx'
import { TitleBar } from './title-bar.tsx'
import { importSearch, importSettings, VIEW_PARTS } from './view-parts.tsx'

const Palette = lazy(async () => ({ default: (await import('../features/palette/palette.tsx')).Palette }))
const importRequests = () => import('../features/permissions/request-queue.tsx')
const LayoutDialog = lazy(async () => ({
  default: (await import('../features/stage-layout/layout-dialog.tsx')).LayoutDialog,
}))
const RequestQueue = lazy(async () => ({ default: (await importRequests()).RequestQueue }))
const HelpDialog = lazy(async () => ({
  default: (await import('../features/composer/help-dialog.tsx')).HelpDialog,
}))
const ProgramsDialog = lazy(async () => ({
  default: (await import('../features/external-agents/programs-dialog.tsx')).ProgramsDialog,
}))
const TrashDialog = lazy(async () => ({
  default: (await import('../features/conversations/trash-dialog.tsx')).ConversationTrashDialog,
}))
const ContextDialog = lazy(async () => ({
  default: (await import('../features/context/context-dialog.tsx')).ContextDialog,
}))
const CostDialog = lazy(async () => ({
  default: (await import('../features/composer/cost-dialog.tsx')).CostDialog,
}))
const MemoryDialog = lazy(async () => ({
  default: (await import('../features/setup/memory-dialog.tsx')).MemoryDialog,
}))
const BestDialog = lazy(async () => ({
  default: (await import('../features/comparison/best-dialog.tsx')).BestDialog,
}))
const CaseDialog = lazy(async () => ({
  default: (await import('./agents/case-dialog.tsx')).CaseDialog,
}))
const CoordinatorDialog = lazy(async () => ({
  default: (await import('../features/teams/coordinator-dialog.tsx')).CoordinatorDialog,
}))
const ExportDialog = lazy(async () => ({
  default: (await import('../features/sharing/export-dialog.tsx')).ExportDialog,
}))
const LimitsPopover = lazy(async () => ({
  default: (await import('../features/limits/limits-popover.tsx')).LimitsPopover,
}))
const TutorialGuide = lazy(async () => ({
  default: (await import('../features/tutorial/tutorial-guide.tsx')).TutorialGuide,
}))
const FirstRunView = lazy(async () => ({
  default: (await import('./first-run/first-run-view.tsx')).FirstRunView,
}))

export function Window() {
  useGlobalKeys()
  useFocusKeeper()
  useAttention()
  useLeftFolder()
  const overlay = useOverlay((state) => state.overlay)
  return (
    <div className="grid h-full grid-rows-[2.5rem_auto_minmax(0,1fr)_auto_1.625rem]">
      <LineBoundary part="the title bar">
        <TitleBar />
      </LineBoundary>
      <div className="min-w-0">
        <WriteFailureBanner />
      </div>
      <div className="grid min-h-0 min-w-0 grid-cols-[46px_minmax(0,1fr)]">
        <Rail />
        <CurrentView />
      </div>
      <div className="min-w-0">
        <LineBoundary part="the tutorial">
          <Tutorial />
        </LineBoundary>
      </div>
      <LineBoundary part="the status bar">
        <StatusBar onShowRequests={() => showRequestDrawer(true)} />
      </LineBoundary>
      <LineBoundary part="a dialog" resetKey={overlay}>
        <Overlays />
        <Layouts />
        <CaseToSave />
        <Limits />
      </LineBoundary>
      <LineBoundary part="the requests">
        <Requests />
      </LineBoundary>
      <RequestAnnouncer />
      <AgentAnnouncer />
      <BypassFrame />
    </div>
  )
}

/** The view of the rail, or the question of the first run that the view waits for. */
function CurrentView() {
  const view = useSession((state) => state.view)
  const [question, later] = useFirstQuestion()
  const { component: Component, name, waitsFor } = VIEW_PARTS[view]
  if (question !== null && waitsFor.includes(question))
    return (
      <ErrorBoundary part="the first steps" resetKey={question}>
        <Suspense fallback={null}>
          <FirstRunView question={question} onLater={later} />
        </Suspense>
      </ErrorBoundary>
    )
  return (
    <ErrorBoundary part={name} resetKey={view}>
      <Suspense fallback={null}>
        <Component />
      </Suspense>
    </ErrorBoundary>
  )
}

/**
 * An overlay loads when it first opens, or earlier while the window is idle: the first characters typed into
 * the palette must neither wait nor go elsewhere.
 */
function Overlays() {
  const { overlay, query, onlyConversations } = useOverlay()
  const mainAgentId = useMainAgentId()
  // The API's models join the commands when they have loaded.
  useModels((state) => state.models)
  const [wanted, setWanted] = useState({
    palette: false,
    help: false,
    usage: false,
    trash: false,
    coordinator: false,
    best: false,
    memory: false,
    context: false,
    programs: false,
    export: false,
  })
  if (overlay !== null && !wanted[overlay]) setWanted({ ...wanted, [overlay]: true })
  const close = useCallback(() => showOverlay(null), [])
  useEffect(() => {
    if (typeof requestIdleCallback === 'undefined') return
    const handle = requestIdleCallback(() => {
      setWanted((now) => ({ ...now, palette: true }))
      importRequests().catch(() => {})
      importSettings().catch(() => {})
      importSearch().catch(() => {})
    })
    return () => cancelIdleCallback(handle)
  }, [])
  const openAgent = (agentId: string) => {
    setView('stage')
    if (agentId === mainAgentId) focusComposer()
    else revealAgent(agentId)
  }
  return (
    <Suspense fallback={<TypedAhead />}>
      {wanted.palette && (
        <Palette
          open={overlay === 'palette'}
          query={query}
          onlyConversations={onlyConversations}
          onClose={close}
          commands={overlay === 'palette' ? paletteCommands() : []}
          onOpenAgent={openAgent}
        />
      )}
      {wanted.help && <HelpDialog open={overlay === 'help'} onClose={close} />}
      {wanted.trash && <TrashDialog open={overlay === 'trash'} onClose={close} />}
      {wanted.memory && <MemoryDialog open={overlay === 'memory'} onClose={close} />}
      {wanted.best && <BestDialog open={overlay === 'best'} onClose={close} />}
      {wanted.coordinator && <CoordinatorDialog open={overlay === 'coordinator'} onClose={close} />}
      {wanted.context && <ContextDialog open={overlay === 'context'} onClose={close} />}
      {wanted.programs && (
        <ProgramsDialog open={overlay === 'programs'} onClose={close} onCustom={() => void newProgram()} />
      )}
      {wanted.export && <ExportDialog open={overlay === 'export'} onClose={close} />}
      {wanted.usage && <CostDialog open={overlay === 'usage'} onClose={close} />}
    </Suspense>
  )
}

/** Takes the focus while an overlay loads. The palette begins with what is typed meanwhile; nothing else gets it. */
function TypedAhead() {
  const { overlay, query } = useOverlay()
  if (overlay === null) return null
  return (
    <input
      ref={takeFocus}
      aria-label="Loading"
      value={query}
      onChange={(event) => useOverlay.setState({ query: event.target.value })}
      className="fixed size-px opacity-0"
    />
  )
}

const takeFocus = (field: HTMLInputElement | null): void => {
  if (field !== null) focusInstead(field)
}

/** The drawer lies beside what the user does, so it is no overlay. */
function Requests() {
  const open = useRequestDrawer((state) => state.open)
  if (!open) return null
  return (
    <Suspense fallback={<KeySink />}>
      <RequestQueue onClose={() => showRequestDrawer(false)} renderForm={renderQueueForm} />
    </Suspense>
  )
}

/** Letters that are meant for what opens, while it loads: they must not be typed into the field that has the focus. */
function KeySink() {
  useEffect(() => {
    const take = (event: KeyboardEvent) => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
    }
    window.addEventListener('keydown', take, { capture: true })
    return () => window.removeEventListener('keydown', take, { capture: true })
  }, [])
  return null
}

/** The dialog that names a layout of the stage. */
function Layouts() {
  const open = useNamedLayouts((state) => state.dialog !== null)
  if (!open) return null
  return (
    <Suspense fallback={<KeySink />}>
      <LayoutDialog />
    </Suspense>
  )
}

/** The dialog that saves an agent's work as a case. */
function CaseToSave() {
  const open = useCaseToSave((state) => state.agent !== null)
  if (!open) return null
  return (
    <Suspense fallback={<KeySink />}>
      <CaseDialog />
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

/** The guide loads only for a user of the tutorial. */
function Tutorial() {
  const isOpen = useTutorial(({ state }) => state !== null && !state.isLeft)
  useEffect(() => void loadTutorial(), [])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <TutorialGuide />
    </Suspense>
  )
}

/** Marks the whole window while no permission is asked for. */
function BypassFrame() {
  const bypass = useCurrentMode() === 'bypassPermissions'
  const view = useSession((state) => state.view)
  if (!bypass || view !== 'stage') return null
  return <div aria-hidden="true" className="pointer-events-none fixed inset-0 z-30 border-2 border-bad" />
}

/** Tells that the agents of a folder that the window leaves continue, and offers the way back. */
export function useLeftFolder(): void {
  useEffect(() => useSession.subscribe(watchFolder), [])
}

function watchFolder({ folder, conversations }: SessionState, { folder: left }: SessionState): void {
  if (left === null || folder === null || left.path === folder.path) return
  const work = workByFolder(conversations).get(left.path)
  if (work === undefined) return
  showNotice({
    level: 'info',
    text: `Agents in ${left.name} continue in the background (${workText(work)}). The folder menu shows them.`,
    action: { label: `Back to ${left.name}`, run: () => void openFolder(left.path) },
  })
}

/** The views of the window, as buttons at its left edge. */
export function Rail() {
  const buttons = (end: ViewInfo['rail']) =>
    VIEWS.filter(({ rail }) => rail === end).map((view) => <RailButton key={view.id} {...view} />)
  return (
    <nav aria-label="Views" className="flex flex-col items-center gap-1 border-line border-r bg-bg-1 py-2">
      {buttons('top')}
      <span className="flex-1" />
      {buttons('bottom')}
    </nav>
  )
}

/** The stage's button stands for the views that have none. */
const isBesideRail = (view: View) => VIEWS.find(({ id }) => id === view)?.rail === 'none'

function RailButton({ id, title }: ViewInfo) {
  const keys = useKeysOf()(id)
  const current = useSession(({ view }) => view === id || (id === 'stage' && isBesideRail(view)))
  return (
    <IconButton
      label={title}
      icon={VIEW_PARTS[id].icon}
      keys={keys}
      size={34}
      tooltipSide="right"
      aria-current={current ? 'page' : undefined}
      className={current ? 'bg-bg-3 text-fg-0' : undefined}
      onClick={() => setView(id)}
    />
  )
}
