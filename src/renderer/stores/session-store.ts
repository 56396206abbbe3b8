/**
 * What the window knows beside the conversation on the screen: settings, access, the folder, the list of
 * conversations, and where the person is.
 */
import { create } from 'zustand'
import type { DefinitionInfo } from '../../shared/agent-catalog.ts'
import type { ConversationSummary } from '../../shared/conversation-summary.ts'
import type { FolderInfo } from '../../shared/folder-info.ts'
import type { AccessInfo } from '../../shared/model-access.ts'
import type { Settings } from '../../shared/settings.ts'
import type { StartInfo } from '../../shared/start-info.ts'
import type { View } from '../../shared/views.ts'

/** The mode and model that the next new conversation starts with, where they differ from the settings. */
export type Draft = Partial<Pick<Settings, 'model' | 'permissionMode'>>

export interface SessionState {
  readonly phase: 'starting' | 'ready' | 'failed'
  readonly failure: string | null
  readonly info: Pick<StartInfo, 'version' | 'platform' | 'dataFolder' | 'electron'>
  readonly settings: Settings
  readonly access: AccessInfo
  readonly folder: FolderInfo | null
  /** The agents that can be started in this folder. */
  readonly definitions: readonly DefinitionInfo[]
  readonly definitionProblems: readonly { readonly file: string; readonly message: string }[]
  /** Whether the list of conversations is there. */
  readonly listed: boolean
  /** Of all folders, the one that was used last first. */
  readonly conversations: readonly ConversationSummary[]
  readonly conversationId: string | null
  /** A conversation that only tries a definition out and is on the screen for a while; `back`: the stage's own. */
  readonly scratch: { readonly conversationId: string; readonly back: string | null } | null
  readonly draft: Draft
  /** What the user's own command says at the bottom of the window, or why it says nothing. */
  readonly statusLine: { readonly text: string | null; readonly problem: string | null }
  readonly view: View
}

/** What holds for the moment until the settings are there. Not from their schema, which the window does not need. */
const BEFORE_START: Settings = {
  theme: 'system',
  textSize: 100,
  model: '',
  permissionMode: 'default',
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 1,
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
  whenClosed: 'ask',
  access: { kind: 'none' },
  baseUrl: '',
  modelAliases: {},
  recentFolders: [],
  trustedFolders: [],
  bypassFolders: [],
  stageLayout: 'grid',
  editor: 'auto',
  plugins: [],
  statusLine: null,
}

const INITIAL: SessionState = {
  phase: 'starting',
  failure: null,
  info: { version: '', platform: '', dataFolder: '', electron: '' },
  settings: BEFORE_START,
  access: { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' },
  folder: null,
  definitions: [],
  definitionProblems: [],
  listed: false,
  conversations: [],
  conversationId: null,
  scratch: null,
  draft: {},
  statusLine: { text: null, problem: null },
  view: 'stage',
}

export const useSession = create<SessionState>()(() => INITIAL)

export function setView(view: View): void {
  useSession.setState({ view })
}
