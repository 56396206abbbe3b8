/**
 * What the desktop needs from the rest of the program. The composition root puts it together: this folder
 * knows electron and the runtime's contract, and no adapter.
 */

import type { Result } from '../../shared/result.ts'
import type { Settings, SettingsPatch } from '../../shared/settings.ts'
import type { StatusLineCall, StatusLineRun } from '../../shared/status-line.ts'
import type {
  DefinitionFiles,
  DefinitionSource,
  FileSearch,
  FolderReader,
  ModelCatalog,
  SkillSource,
  TranscriptStore,
} from '../runtime/ports.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Review } from '../runtime/worktrees.ts'

/** The runtime, and those of its ports that the window asks directly. */
export interface Program {
  readonly runtime: Runtime
  readonly store: Pick<TranscriptStore, 'page' | 'toolOutput'>
  readonly definitions: DefinitionSource
  readonly definitionFiles: DefinitionFiles
  readonly review: Review
  readonly skills: SkillSource
  /** The names of all tools this program has. */
  readonly toolNames: readonly string[]
  readonly folders: FolderReader
  readonly search: FileSearch
  readonly models: ModelCatalog
  /** Every request from now on goes there. */
  switchAccess(access: ModelAccess): Promise<Result<void>>
  /** One tiny request, whatever the access is at the moment. */
  testAccess(
    access: ModelAccess & { readonly kind: 'api' },
  ): Promise<Result<{ readonly model: string; readonly ms: number }>>
  /** The API's own list of models; the aliases where there is no API. */
  listModels(): Promise<Result<readonly { readonly id: string; readonly name: string }[]>>
  /** Stops every agent, flushes, lets go of all locks. */
  close(): Promise<void>
  /** Ends all commands by force, at once. */
  endNow(): void
}

/** Who answers the requests for a model. */
export type ModelAccess =
  | { readonly kind: 'rehearsal' }
  | {
      readonly kind: 'api'
      readonly key: string | null
      /** A bearer token, for servers that want one; used where there is no key. */
      readonly authToken?: string | null
      /** Empty: Anthropic's. */
      readonly baseUrl: string
    }
  | { readonly kind: 'none' }

/** The settings of this user. */
export interface SettingsPort {
  readonly current: Settings
  /** Failures: `bad-setting`, `not-saved`. */
  change(patch: SettingsPatch): Promise<Result<Settings>>
  watch(listener: (settings: Settings, problems: readonly string[]) => void): () => void
}

/** Runs the command of the status line: one at a time, within its limit, without keys. */
export interface StatusLinePort {
  run(call: StatusLineCall): Promise<StatusLineRun>
}

/** What the program says about itself, for people who look into the log file. Never holds a key. */
export interface Log {
  info(message: string): void
  error(message: string, cause?: unknown): void
}
