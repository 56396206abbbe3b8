/** What the sessions of an editor need of the program. */
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk'
import type { ModelInfo } from '../../../shared/models/model-access.ts'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import type { SlashCommands } from '../../../shared/slash/slash-command.ts'
import type { ShownForms } from '../../platform/acp/forms.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import type { AnyUpdate } from './child-sessions.ts'

export interface EditorContext {
  readonly runtime: Runtime
  readonly store: Pick<TranscriptStore, 'events'>
  readonly slash: SlashCommands
  /** For new sessions. */
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly coordinator: boolean
  /** The definition of the main agent; null: the usual one. */
  readonly agent: string | null
  readonly rehearsal: boolean
  /** The models that a session can choose from. */
  readonly models: readonly ModelInfo[]
  /** Reads again which folders are trusted, as another program may have changed it. */
  readonly readFolders: () => Promise<void>
  readonly isTrusted: (folder: string) => boolean
  readonly bypassAllowed: (folder: string) => boolean
  /** Trusts the folder of a session until the program ends; null: without `--trust` none is. */
  readonly trust: ((folder: string) => void) | null
  /** What to do to get access to a model; null: there is access. */
  readonly noAccess: string | null
  /** Adds MCP servers to a folder until the program ends. */
  readonly giveServers: (folder: string, servers: Readonly<Record<string, object>>) => void
  readonly version: string
  readonly now: () => number
  /** A name that nothing else has. */
  readonly newKey: () => string
  readonly complain: (message: string) => void
}

/** What the editor said that it can do. */
export interface EditorAbilities {
  readonly childSessions: boolean
  readonly forms: ShownForms
}

/** The editor on the other side. */
export interface Editor {
  readonly can: () => EditorAbilities
  readonly notify: (sessionId: string, update: AnyUpdate) => void
  /** Rejects if the editor can't ask, or is gone. */
  readonly askPermission: (
    request: RequestPermissionRequest,
    until: AbortSignal,
  ) => Promise<RequestPermissionOutcome>
  /** Rejects if the editor can't ask, or is gone. */
  readonly askForm: (
    request: CreateElicitationRequest,
    until: AbortSignal,
  ) => Promise<CreateElicitationResponse>
}
