/**
 * The desktop's dependencies on the rest of the program. The composition root provides them: this folder
 * imports electron and the runtime's public types, and no adapter.
 */

import type { OutsidePrograms } from '../../shared/external-agents/outside-program.ts'
import type { Hooks } from '../../shared/hooks/contract.ts'
import type { Result } from '../../shared/kernel/result.ts'
import type { WaitingText } from '../../shared/kernel/waiting-text.ts'
import type { McpServers } from '../../shared/mcp/mcp.ts'
import type { AccessTest, ApiModelAccess, ModelAccess, ModelInfo } from '../../shared/models/model-access.ts'
import type { ModelProbe } from '../../shared/models/model-probe.ts'
import type { SandboxState } from '../../shared/permissions/confinement.ts'
import type { InstalledPlugin } from '../../shared/plugins/installed-plugin.ts'
import type { AgentCallExplanation, CallQuestion } from '../../shared/rules/call-explanation.ts'
import type { ListedRules } from '../../shared/rules/contract.ts'
import type { EntryEdit } from '../../shared/rules/written-rule.ts'
import type { SettingOrigin } from '../../shared/settings/setting-origin.ts'
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import type { Setup } from '../../shared/setup/setup.ts'
import type { SlashCommands } from '../../shared/slash/slash-command.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import type { StatusLineCall, StatusLineExtras, StatusLineRun } from '../../shared/status-line/contract.ts'
import type { FolderContents } from '../../shared/window/contract.ts'
import type { NatsAccess, NatsFinding, Workers } from '../../shared/workers/worker-presence.ts'
import type { Changes } from '../runtime/ports/changes.ts'
import type {
  DefinitionFiles,
  DefinitionSource,
  FolderReader,
  SkillSource,
} from '../runtime/ports/definitions.ts'
import type { FileSearch } from '../runtime/ports/files.ts'
import type { ModelCatalog } from '../runtime/ports/model.ts'
import type { Mailbox } from '../runtime/ports/ports.ts'
import type { Runtime } from '../runtime/ports/runtime.ts'
import type { ConversationTrash, TranscriptStore } from '../runtime/ports/transcripts.ts'
import type { Review } from '../runtime/ports/worktrees.ts'

/** The runtime, and the ports that the window calls directly. */
export interface Program {
  readonly runtime: Runtime
  readonly store: Pick<TranscriptStore, 'page' | 'toolOutput'>
  readonly trash: ConversationTrash
  readonly definitions: DefinitionSource
  readonly definitionFiles: DefinitionFiles
  readonly review: Review
  readonly changes: Changes
  readonly skills: SkillSource
  readonly mailbox: Pick<Mailbox, 'list'>
  /** Missing: this program has no hooks. */
  readonly hooks?: Hooks
  /** Missing: this program has no MCP servers. */
  readonly mcp?: McpServers
  /** Missing: this program knows no external agents. */
  readonly programs?: OutsidePrograms
  /** Gives external agents these variables, where their definitions name them. */
  setProgramKeys?(keys: Readonly<Record<string, string>>): void
  readonly slash: SlashCommands
  /** Missing: this program runs no commands. */
  readonly sandbox?: { state(): Promise<SandboxState> }
  /** Missing: this program reads no settings files. */
  readonly settingsFiles?: {
    rules(folder: string): Promise<ListedRules>
    editRule(folder: string, edit: EntryEdit): Promise<Result<void>>
    approve(
      folder: string,
      entry: { readonly list: 'allow' | 'additionalDirectories'; readonly text: string },
    ): Promise<Result<void>>
    testCall(question: CallQuestion): Promise<Result<AgentCallExplanation>>
  }
  /** Missing: this program tells agents no texts of a folder. */
  readonly texts?: {
    waiting(folder: string, options?: { readonly nested: boolean }): Promise<readonly WaitingText[]>
    approve(folder: string, text: Pick<WaitingText, 'path' | 'digest'>): Promise<Result<void>>
    /** Why commands must not run now, as a sentence: scripts of the folder that they name have changed. */
    scriptsWait(folder: string, commands: readonly string[]): Promise<string | null>
  }
  /** What the status line's command is told beside the snapshot. `main`: null: there is no conversation. */
  statusExtras(folder: string, main: AgentState | null): Promise<StatusLineExtras>
  readonly plugins?: {
    list(): Promise<readonly InstalledPlugin[]>
    add(source: string): Promise<Result<InstalledPlugin>>
    enable(name: string, digest: string): Promise<Result<void>>
    disable(name: string): Promise<Result<void>>
    remove(name: string): Promise<Result<void>>
    update(name: string): Promise<Result<InstalledPlugin>>
  }
  /** Missing: this program does not look at the user's setup. */
  readonly setup?: Setup
  /** Missing: this program knows no workers. */
  readonly workers?: Workers
  /** Looks whether a NATS server can be used with these settings. */
  testNats(settings: NatsAccess): Promise<readonly NatsFinding[]>
  /** What a folder brings, counted without interpreting it. */
  folderContents(folder: string): Promise<FolderContents>
  /** The names of all tools. */
  readonly toolNames: () => readonly string[]
  readonly folders: FolderReader
  readonly search: FileSearch
  readonly models: ModelCatalog
  /** Sends every later request to this access. */
  switchAccess(access: ModelAccess): Promise<Result<void>>
  /** Makes one small request, independent of the current access. */
  testAccess(access: ApiModelAccess): Promise<Result<AccessTest>>
  /** The models that the API offers; without an API the aliases. */
  listModels(): Promise<Result<readonly ModelInfo[]>>
  /** Tests in two small requests whether a model can do an agent's work. */
  probeModel(model: string): Promise<ModelProbe>
  readonly providers: {
    /** Keys of the system's key store, by their names. */
    setKeys(keys: Readonly<Record<string, string>>): void
  }
  /** Stops every agent, flushes and releases all locks. */
  close(): Promise<void>
  /** Kills all commands at once. */
  endNow(): void
}

/** The user's settings. */
export interface SettingsPort {
  readonly current: Settings
  /** Whether a folder is trusted now. Its links are resolved at each question. */
  trusts(folder: string): boolean
  /** Fails with `bad-setting` or `not-saved`. */
  change(patch: SettingsPatch): Promise<Result<Settings>>
  watch(listener: (settings: Settings, problems: readonly string[]) => void): () => void
  /** The settings that other files decide, by key. */
  origins?(): Readonly<Record<string, SettingOrigin>>
}

/** Runs the status line's command: one run at a time, within its time limit, without keys. */
export interface StatusLinePort {
  run(call: StatusLineCall): Promise<StatusLineRun>
}

/** The program's log, for diagnosis. Never holds a key. */
export interface Log {
  info(message: string): void
  error(message: string, cause?: unknown): void
}

/** Called with the conversations that the window follows. */
export interface SubscriptionListener {
  subscribed(conversationId: string): void
  unsubscribed(conversationId: string): void
}
