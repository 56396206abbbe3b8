/**
 * The desktop's dependencies on the rest of the program. The composition root provides them: this folder imports electron
 * and the types of the runtime and of the composed program, and no adapter.
 */

import type { KeyBindings } from '../../shared/commands/key-bindings.ts'
import type { ClaudeKeys } from '../../shared/commands/key-presets.ts'
import type { Result } from '../../shared/kernel/result.ts'
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import type { SettingOrigin } from '../../shared/settings/settings-layers.ts'
import type { StatusLineCall, StatusLineRun } from '../../shared/status-line/contract.ts'
import type { ComposedRuntime } from '../features.ts'

/** The answers of the features to commands of the window. What they do not answer, the desktop answers itself. */
export type FeatureHandlers = ComposedRuntime['handlers']

/** What the window follows, asks for and ends of the composed program. */
export type Program = Pick<
  ComposedRuntime,
  | 'runtime'
  | 'handlers'
  | 'store'
  | 'trash'
  | 'shared'
  | 'definitions'
  | 'definitionFiles'
  | 'review'
  | 'environments'
  | 'agentTests'
  | 'changes'
  | 'mcp'
  | 'programs'
  | 'workers'
  | 'setup'
  | 'texts'
  | 'updates'
  | 'search'
  | 'providers'
  | 'statusExtras'
  | 'folderContents'
  | 'setProgramKeys'
  | 'switchAccess'
  | 'testAccess'
  | 'probeModel'
  | 'close'
  | 'endNow'
>

/** The repository around a folder, read from its files; null: none. Its branch is null if none is checked out. */
export type FindRepository = (folder: string) => Promise<{ readonly branch: string | null } | null>

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
