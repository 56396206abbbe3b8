/** The action and the icon of each command of the registry. */
import {
  AppWindow,
  ArchiveRestore,
  BookOpenText,
  ChartColumn,
  CircleGauge,
  CirclePause,
  CirclePlay,
  CircleStop,
  Columns3,
  Columns4,
  Copy,
  Cpu,
  Download,
  FileDiff,
  FileInput,
  FlaskConical,
  FolderOpen,
  Gauge,
  GraduationCap,
  History,
  Keyboard,
  type LucideIcon,
  MessageSquarePlus,
  MonitorCog,
  Moon,
  Package,
  Pencil,
  PenLine,
  Plug,
  Receipt,
  RefreshCw,
  RotateCcw,
  Save,
  Search,
  ShieldCheck,
  ShieldQuestion,
  SquarePen,
  SquareTerminal,
  Sun,
  SunMoon,
  Trash2,
  Waypoints,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import {
  type CommandContext,
  type CommandId,
  commandApplies,
  commandOf,
} from '../../shared/commands/commands.ts'
import type { View } from '../../shared/commands/views.ts'
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import { stoppedTogether } from '../../shared/state/stopped-together.ts'
import { showBench, useBench } from '../features/agent-tests/bench-store.ts'
import { type ColumnRequest, requestColumn } from '../features/composer/column-request.ts'
import { toggleReplay } from '../features/timeline/timeline-store.ts'
import { openTutorial } from '../features/tutorial/tutorial-store.ts'
import { checkForUpdates } from '../features/updates/updates-store.ts'
import { continueAll, countLive, pauseAll } from '../stores/agent-actions.ts'
import { openChanges, showChanges } from '../stores/changes-store.ts'
import { askForComparison, showComparison } from '../stores/comparison-store.ts'
import {
  exportConversation,
  importFromFile,
  stopAll,
  toggleCoordinator,
} from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { draftKeyNow, draftOf, focusComposer } from '../stores/draft-store.ts'
import { openLimits } from '../stores/limits-store.ts'
import { trashConversation } from '../stores/listed-conversations.ts'
import { showLayoutDialog } from '../stores/named-layouts.ts'
import {
  openTerminal,
  showFailure,
  showOverlay,
  showPalette,
  showRequestDrawer,
} from '../stores/overlay-store.ts'
import { askAboutTrust, openSample, pickFolder } from '../stores/session-feed.ts'
import { setView, useSession } from '../stores/session-store.ts'
import { changeSettings, loadModels, showSettingsPart } from '../stores/settings-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import { showStagePart, stagePartNow } from '../stores/stage-store.ts'
import { setZoom, zoomStep } from '../stores/zoom.ts'
import { VIEW_PARTS } from './view-parts.tsx'

/** From the theme on the screen to the other one, including a theme that the system chose. */
function toggleTheme(): void {
  const { theme } = useSession.getState().settings
  const dark =
    theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  setTheme(dark ? 'light' : 'dark')
}

function setTheme(theme: Settings['theme']): void {
  void change({ theme })
}

async function change(patch: SettingsPatch): Promise<void> {
  const answer = await changeSettings(patch)
  if (!answer.ok) showFailure(answer.failure)
}

interface CommandAction {
  readonly icon: LucideIcon
  readonly run: () => void
}

/** The drawer closes from inside; from elsewhere it first gets the focus. */
function toggleRequests(): void {
  const drawer = document.querySelector<HTMLElement>('[data-request-drawer]')
  if (drawer === null) showRequestDrawer(true)
  else if (drawer.contains(document.activeElement)) showRequestDrawer(false)
  else drawer.focus()
}

/** A past moment is seen on the stage and in the timeline. */
function replay(): void {
  const { view } = useSession.getState()
  if (view !== 'timeline') setView('stage')
  void toggleReplay()
}

const ACTIONS: Readonly<Record<Exclude<CommandId, View>, CommandAction>> = {
  'new-conversation': { icon: MessageSquarePlus, run: newConversation },
  'open-folder': { icon: FolderOpen, run: () => void pickFolder() },
  'new-window': { icon: AppWindow, run: () => void pickFolder('new-window') },
  palette: { icon: Search, run: () => showOverlay('palette') },
  'new-agent': { icon: SquarePen, run: () => void newAgent() },
  'test-agent': { icon: FlaskConical, run: toggleBench },
  'outside-agents': { icon: Plug, run: () => showOverlay('programs') },
  'write-message': { icon: PenLine, run: goToComposer },
  requests: { icon: ShieldQuestion, run: toggleRequests },
  'pause-all': { icon: CirclePause, run: () => void pauseAll() },
  'continue-all': { icon: CirclePlay, run: () => void continueAll() },
  replay: { icon: History, run: replay },
  'stop-all': { icon: CircleStop, run: () => void stopAll() },
  'toggle-theme': { icon: SunMoon, run: toggleTheme },
  'dark-theme': { icon: Moon, run: () => setTheme('dark') },
  'light-theme': { icon: Sun, run: () => setTheme('light') },
  'system-theme': { icon: MonitorCog, run: () => setTheme('system') },
  'zoom-in': { icon: ZoomIn, run: () => void zoomStep('in') },
  'zoom-out': { icon: ZoomOut, run: () => void zoomStep('out') },
  'reset-zoom': { icon: RotateCcw, run: () => void setZoom(100) },
  'open-sample': { icon: Package, run: () => void openSample() },
  tutorial: { icon: GraduationCap, run: () => void openTutorial() },
  'open-terminal': { icon: SquareTerminal, run: () => withFolder((path) => void openTerminal(path)) },
  'trust-folder': { icon: ShieldQuestion, run: () => withFolder(askAboutTrust) },
  changes: { icon: FileDiff, run: goToChanges },
  answer: { icon: BookOpenText, run: toggleAnswer },
  find: { icon: Search, run: () => inColumn('find') },
  'rename-conversation': { icon: Pencil, run: () => inColumn('rename') },
  'copy-conversation': { icon: Copy, run: () => inColumn('copy') },
  'export-conversation': { icon: Download, run: () => exportConversation() },
  'import-conversation': { icon: FileInput, run: () => void importFromFile() },
  usage: { icon: Receipt, run: () => showOverlay('usage') },
  insight: { icon: ChartColumn, run: () => showSettingsPart('insight') },
  context: { icon: CircleGauge, run: () => showOverlay('context', null) },
  'choose-model': { icon: Cpu, run: chooseAmongModels },
  'choose-mode': { icon: ShieldCheck, run: () => showPalette('Permission mode: ') },
  'coordinator-mode': { icon: Waypoints, run: toggleCoordinator },
  best: { icon: Columns4, run: () => askForComparison(draftText()) },
  comparison: { icon: Columns4, run: () => showComparison() },
  'save-layout': { icon: Save, run: () => showLayoutDialog({ kind: 'save' }) },
  'choose-layout': { icon: Columns3, run: () => showPalette('Panel layout: ') },
  'show-trash': { icon: ArchiveRestore, run: () => showOverlay('trash') },
  help: { icon: Keyboard, run: () => showOverlay('help') },
  'check-updates': { icon: RefreshCw, run: () => void checkForUpdates() },
  limits: { icon: Gauge, run: () => withConversation(openLimits) },
  'trash-conversation': { icon: Trash2, run: () => withConversation((id) => void trashConversation(id)) },
}

export function commandAction(id: CommandId): CommandAction {
  return isView(id) ? { icon: VIEW_PARTS[id].icon, run: () => setView(id) } : ACTIONS[id]
}

/** Runs a command that a key or the application menu chose; does nothing while the command does not apply. */
export function runCommand(id: CommandId): void {
  if (commandApplies(commandOf(id), contextNow())) commandAction(id).run()
}

export function contextNow(): CommandContext {
  const { folder, conversationId } = useSession.getState()
  const { agents, readOnly, record } = useConversation.getState()
  const live = countLive(readOnly ? new Map() : agents)
  return {
    folder: folder === null ? 'none' : folder.trusted ? 'trusted' : 'untrusted',
    conversation: conversationId !== null,
    workingAgents: live.working + live.asking + live.queued,
    pausedAgents: live.paused,
    comparisons: record?.comparisons.length ?? 0,
    stoppedAgents: readOnly ? 0 : stoppedTogether(agents.values()).length,
  }
}

export function goToComposer(): void {
  setView('stage')
  focusComposer()
}

/** A second use on the stage returns to the panels. */
function goToChanges(): void {
  const isOnStage = useSession.getState().view === 'stage'
  setView('stage')
  if (isOnStage && stagePartNow() === 'changes') {
    showChanges(false)
    focusComposer()
  } else openChanges()
}

/** A second use on the stage returns to the panels. */
function toggleAnswer(): void {
  const isOnStage = useSession.getState().view === 'stage'
  setView('stage')
  showStagePart(isOnStage && stagePartNow() === 'answer' ? 'panels' : 'answer')
  focusComposer()
}

/** The unsent message, as the task. */
const draftText = () => draftOf(draftKeyNow()).text.trim()

function newConversation(): void {
  void openConversation(null).then(focusComposer)
}

/** The stage shows the conversation; in a narrow window a focus request shows its tab. */
function inColumn(request: ColumnRequest): void {
  goToComposer()
  requestColumn(request)
}

/** The API's models join the list when they have loaded. */
function chooseAmongModels(): void {
  void loadModels()
  showPalette('Model: ')
}

/** The editor is large: it loads when the user goes there. */
async function newAgent(): Promise<void> {
  setView('agents')
  const { showDialog } = await import('../features/definitions/editor-store.ts')
  showDialog({ kind: 'new', source: contextNow().folder === 'trusted' ? 'project' : 'user' })
}

/** From the editor to the test bench and back; from elsewhere to the test bench. */
function toggleBench(): void {
  const isThere = useSession.getState().view === 'agents' && useBench.getState().isShown
  setView('agents')
  showBench(!isThere)
}

/** A new definition for an external agent that Troupe does not know. */
export async function newProgram(): Promise<void> {
  setView('agents')
  const { showDialog } = await import('../features/definitions/editor-store.ts')
  showDialog({ kind: 'new', source: 'user', template: 'my-program' })
}

function withFolder(run: (path: string) => void): void {
  const { folder } = useSession.getState()
  if (folder !== null) run(folder.path)
}

function withConversation(run: (conversationId: string) => void): void {
  const { conversationId } = useSession.getState()
  if (conversationId !== null) run(conversationId)
}

function isView(id: CommandId): id is View {
  return id in VIEW_PARTS
}
