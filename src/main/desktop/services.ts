/**
 * The desktop's dependencies on the rest of the program. The composition root provides them: this folder
 * imports electron and the runtime's public types, and no adapter.
 */

import type { KeyBindings } from '../../shared/commands/key-bindings.ts'
import type { ClaudeKeys } from '../../shared/commands/key-presets.ts'
import type { KnownPrograms } from '../../shared/external-agents/known-program.ts'
import type { CommandHandlers } from '../../shared/ipc/handlers.ts'
import type { Result } from '../../shared/kernel/result.ts'
import type { WaitingText } from '../../shared/kernel/waiting-text.ts'
import type { McpServers } from '../../shared/mcp/contract.ts'
import type { AccessTest, ApiModelAccess, ModelAccess } from '../../shared/models/model-access.ts'
import type { ModelProbe } from '../../shared/models/model-probe.ts'
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import type { SettingOrigin } from '../../shared/settings/settings-layers.ts'
import type { Setup } from '../../shared/setup/setup.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import type { StatusLineCall, StatusLineExtras, StatusLineRun } from '../../shared/status-line/contract.ts'
import type { FolderContents } from '../../shared/window/contract.ts'
import type { Workers } from '../../shared/workers/worker-presence.ts'
import type { Changes } from '../runtime/ports/changes.ts'
import type { DefinitionFiles, DefinitionSource, FolderReader } from '../runtime/ports/definitions.ts'
import type { FileSearch } from '../runtime/ports/files.ts'
import type { Runtime } from '../runtime/ports/runtime.ts'
import type { ConversationTrash, TranscriptStore } from '../runtime/ports/transcripts.ts'
import type { Review } from '../runtime/ports/worktrees.ts'

/** What the desktop answers itself. */
type WindowCommand =
  | 'start'
  | `${'agentWindow' | 'draft' | 'folder' | 'keys' | 'provider' | 'settings' | 'statusLine' | 'system'}.${string}`
  | `access.${'set' | 'test'}`
  | `agent.${'transcript' | 'watch'}`
  | `conversation.${'subscribe' | 'unsubscribe'}`
  | `definition.${'draft' | 'stopDraft' | 'tryOut'}`
  | `programs.${'keys' | 'saveKey'}`
  | 'mcp.state'
  | 'review.watch'
  | 'trash.delete'

/** The answers of the features to commands of the window. */
export type FeatureHandlers = Omit<CommandHandlers, WindowCommand>

/** The runtime, the features' answers, and what the window follows or asks for itself. */
export interface Program {
  readonly runtime: Runtime
  readonly handlers: FeatureHandlers
  readonly store: Pick<TranscriptStore, 'page'>
  readonly trash: Pick<ConversationTrash, 'delete'>
  readonly definitions: DefinitionSource
  readonly definitionFiles: Pick<DefinitionFiles, 'approveAll'>
  readonly review: Review
  readonly changes: Pick<Changes, 'clean'>
  readonly mcp: Pick<McpServers, 'state' | 'watch'>
  readonly programs: Pick<KnownPrograms, 'watch'>
  readonly workers: Pick<Workers, 'subscribe'>
  readonly setup: Pick<Setup, 'report'>
  readonly texts: {
    waiting(folder: string, options: { readonly nested: boolean }): Promise<readonly WaitingText[]>
    /** Why commands must not run now, as a sentence: scripts of the folder that they name have changed. */
    scriptsWait(folder: string, commands: readonly string[]): Promise<string | null>
  }
  readonly folders: FolderReader
  readonly search: FileSearch
  readonly providers: {
    /** Keys of the system's key store, by their names. */
    setKeys(keys: Readonly<Record<string, string>>): void
  }
  /** What the status line's command is told beside the snapshot. `main`: null: there is no conversation. */
  statusExtras(folder: string, main: AgentState | null): Promise<StatusLineExtras>
  /** What a folder brings, counted without interpreting it. */
  folderContents(folder: string): Promise<FolderContents>
  /** Gives external agents these variables, where their definitions name them. */
  setProgramKeys(keys: Readonly<Record<string, string>>): void
  /** Sends every later request to this access. */
  switchAccess(access: ModelAccess): Promise<Result<void>>
  /** Makes one small request, independent of the current access. */
  testAccess(access: ApiModelAccess): Promise<Result<AccessTest>>
  /** Tests in two small requests whether a model can do an agent's work. */
  probeModel(model: string): Promise<ModelProbe>
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
  /** Fails with `bad-setting` or `not-saved`. */
  reset(names: readonly string[]): Promise<Result<Settings>>
  /** Where settings are set, by name. */
  origins(): Promise<Readonly<Record<string, SettingOrigin>>>
  /** The files that settings come from. */
  readonly files: readonly string[]
}

/** The keys that the user chose. */
export interface KeyBindingsPort {
  readonly current: KeyBindings
  /** Of all of these actions or of none. Fails with `not-found`, `bad-keys` or `not-saved`. */
  set(keys: Readonly<Record<string, string | null>>): Promise<Result<KeyBindings>>
  /** Null: all actions. */
  reset(ids: readonly string[] | null): Promise<Result<KeyBindings>>
  watch(listener: (bindings: KeyBindings) => void): () => void
  /** The file of Claude Code, whether it exists or not. */
  readonly claudeFile: string
  /** Reads that file, which is never written. */
  ofClaudeCode(): Promise<ClaudeKeys>
}

/** Runs the status line's command: one run at a time, within its time limit, without keys. */
export interface StatusLinePort {
  run(call: StatusLineCall): Promise<StatusLineRun>
}

/** Called with the conversations that the window follows. */
export interface SubscriptionListener {
  subscribed(conversationId: string): void
  unsubscribed(conversationId: string): void
}
