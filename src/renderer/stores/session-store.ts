/**
 * The window's state apart from the shown conversation: settings, access, the folder, the list of conversations, the
 * current view.
 */

import { useSyncExternalStore } from 'react'
import { create } from 'zustand'
import type { DefinitionInfo } from '../../shared/agent-definition/agent-catalog.ts'
import type { View } from '../../shared/commands/views.ts'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import type { AccessInfo } from '../../shared/models/model-access.ts'
import { defaultSandboxSettings } from '../../shared/settings/sandbox-settings.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import type { FolderInfo, StartInfo } from '../../shared/window/contract.ts'
import { command, LatestAnswer } from '../bridge.ts'
import { showFailure } from './overlay-store.ts'

/** The modes and the model of the next new conversation, if they differ from the settings. */
type Draft = Partial<
  Pick<Settings, 'model' | 'effort' | 'thinking' | 'permissionMode' | 'coordinatorMode' | 'mainAgent'>
>

export interface SessionState {
  readonly phase: 'starting' | 'ready' | 'failed'
  readonly failure: string | null
  readonly info: Pick<StartInfo, 'version' | 'platform' | 'dataFolder' | 'electron' | 'coordinatorMode'>
  readonly settings: Settings
  readonly access: AccessInfo
  readonly folder: FolderInfo | null
  /** The agents that can be started in this folder. */
  readonly definitions: readonly DefinitionInfo[]
  readonly definitionProblems: readonly {
    readonly file: string
    readonly message: string
    readonly waits?: true
  }[]
  /** The instructions of the folder that changed and wait for the user. */
  readonly waitingTexts: number
  /** Whether the list of conversations has loaded. */
  readonly listed: boolean
  /** The conversations of all folders, the most recently used first. */
  readonly conversations: readonly ConversationSummary[]
  readonly conversationId: string | null
  /** The conversation that is being created for a first message. */
  readonly creating: Promise<Answer<ConversationSummary>> | null
  /** The scratch conversation on the screen; `back`: the stage's own conversation. */
  readonly scratch: { readonly conversationId: string; readonly back: string | null } | null
  readonly draft: Draft
  /** The output of the user's status line command, or the reason for its absence. */
  readonly statusLine: { readonly text: string | null; readonly problem: string | null }
  readonly view: View
  /** The view before it. */
  readonly viewBefore: View
}

/** Placeholders until the settings have loaded. Not from their schema, which the window does not load. */
const BEFORE_START: Settings = {
  theme: 'system',
  zoom: 100,
  model: '',
  effort: null,
  thinking: null,
  permissionMode: 'default',
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 3,
  forkSubagents: false,
  agentTokens: null,
  agentUsd: null,
  agentMinutes: null,
  backgroundMinutes: null,
  agentSpawns: null,
  conversationTokens: null,
  conversationUsd: null,
  conversationMinutes: null,
  worktreeCarryOver: false,
  worktreeSetup: 'wait',
  verification: 'off',
  sendFailedChecks: 0,
  mcpToolsForSubagents: 'all',
  mcpSampling: [],
  coordinatorMode: false,
  hooksMayAllow: false,
  modelTitles: true,
  resumeAfterRestart: false,
  natsUrl: '',
  natsCredentials: '',
  natsCa: '',
  natsRetentionDays: 7,
  natsFileMegabytes: 256,
  updateUrl: '',
  updateKey: '',
  whenClosed: 'ask',
  access: { kind: 'none' },
  rehearsalPace: 'readable',
  baseUrl: '',
  modelAliases: {},
  providers: {},
  mainAgent: null,
  programs: {},
  histories: {},
  recentFolders: [],
  trustedFolders: [],
  bypassFolders: [],
  stageLayout: 'grid',
  editor: 'auto',
  plugins: [],
  changesDays: 30,
  changesMegabytes: 2048,
  sandbox: defaultSandboxSettings,
  commandVariables: { pass: [], withhold: [] },
  statusLine: null,
}

const INITIAL: SessionState = {
  phase: 'starting',
  failure: null,
  info: { version: '', platform: '', dataFolder: '', electron: '', coordinatorMode: null },
  settings: BEFORE_START,
  access: { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' },
  folder: null,
  definitions: [],
  definitionProblems: [],
  waitingTexts: 0,
  listed: false,
  conversations: [],
  conversationId: null,
  creating: null,
  scratch: null,
  draft: {},
  statusLine: { text: null, problem: null },
  view: 'stage',
  viewBefore: 'stage',
}

export const useSession = create<SessionState>()(() => INITIAL)

export function setView(view: View): void {
  const { view: before } = useSession.getState()
  if (view !== before) useSession.setState({ view, viewBefore: before })
}

/** Shows the view that was there before the shown one. */
export function leaveView(): void {
  setView(useSession.getState().viewBefore)
}

/** Shows a view when an action that began in the view `from` ends. A view that the user chose meanwhile stays. */
export function setViewFrom(from: View, view: View): void {
  if (useSession.getState().view === from) setView(view)
}

/** Facts about the open folder: its trust, its branch, and the agents that can be started in it. */
const { getState: get, setState: set } = useSession

export function takeFolder(folder: FolderInfo): void {
  if (get().folder?.path === folder.path) set({ folder })
}

const requests = new LatestAnswer()

export async function loadDefinitions(path: string): Promise<void> {
  const isLatest = requests.begin()
  const answer = await command('folder.definitions', { path })
  if (!isLatest() || get().folder?.path !== path) return
  if (answer.ok) {
    const { definitions, problems, waitingTexts = 0 } = answer.value
    set({ definitions, definitionProblems: problems, waitingTexts })
  } else showFailure(answer.failure)
}

// The width of the window decides how its parts share it.

/** `medium`: the tree shows only icons. `narrow`: the conversation becomes a tab beside the stage. */
export type Room = 'wide' | 'medium' | 'narrow'

const WIDE = 1280
const MEDIUM = 1100

export function useRoom(): Room {
  return useSyncExternalStore(subscribe, () => {
    const width = window.innerWidth
    return width >= WIDE ? 'wide' : width >= MEDIUM ? 'medium' : 'narrow'
  })
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}
