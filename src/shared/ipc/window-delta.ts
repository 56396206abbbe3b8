/** Everything the main process pushes to the window, and the protocol of the port: acknowledged batches. */

import type { AgentTestsProgress, AgentTestsSnapshot } from '../agent-tests/agent-tests.ts'
import type { CommandId } from '../commands/commands.ts'
import type { KeyBindings } from '../commands/key-bindings.ts'
import type { EnvironmentsSnapshot } from '../environments/environments.ts'
import type { ProgramState } from '../external-agents/known-program.ts'
import type { McpState } from '../mcp/mcp.ts'
import type { AccessInfo } from '../models/model-access.ts'
import type { PreviewState } from '../preview/preview.ts'
import type { Settings } from '../settings/settings.ts'
import type { ConversationDelta, WriteFailure } from '../state/conversation-summary.ts'
import type { StatusLineContent } from '../status-line/contract.ts'
import type { TutorialState } from '../tutorial/tutorial.ts'
import type { UpdateState } from '../updates/contract.ts'
import type { FolderInfo } from '../window/contract.ts'
import type { WorkersState } from '../workers/worker-presence.ts'
import type { ReviewSnapshot } from '../worktrees/review.ts'

export type WindowDelta =
  | ConversationDelta
  /** The last words that an agent without a panel streams. Shown until the agent's next durable event. */
  | {
      readonly type: 'live-line'
      readonly conversationId: string
      readonly agentId: string
      readonly line: string
    }
  | { readonly type: 'settings'; readonly settings: Settings }
  /** The user's keys changed. */
  | { readonly type: 'keys'; readonly keys: KeyBindings }
  | { readonly type: 'access'; readonly access: AccessInfo }
  /**
   * A folder changed. `opened`: the window switches to it (a second start, a folder from the menu), and to the
   * conversation if one is given.
   */
  | {
      readonly type: 'folder'
      readonly folder: FolderInfo
      readonly opened?: boolean
      readonly conversationId?: string
    }
  /** A definition or a skill changed: the catalog of this folder is out of date. */
  | { readonly type: 'definitions'; readonly folder: string }
  /** The cases, runs and attempts of the folder that the window asked about last. */
  | { readonly type: 'agent-tests'; readonly snapshot: AgentTestsSnapshot }
  /** What changed since that snapshot, see `withProgress`. */
  | { readonly type: 'agent-tests-progress'; readonly progress: AgentTestsProgress }
  /** The worktrees of the open folder. */
  | { readonly type: 'review'; readonly snapshot: ReviewSnapshot }
  /** The environments of the folder that the window watches. */
  | { readonly type: 'environments'; readonly snapshot: EnvironmentsSnapshot }
  /** The preview that the window shows. */
  | { readonly type: 'preview'; readonly state: PreviewState }
  /** The workers and the connection to NATS. */
  | { readonly type: 'workers'; readonly state: WorkersState }
  /** The MCP servers of the folder that the window asked about last. */
  | { readonly type: 'mcp'; readonly state: McpState }
  /** The external agents that Troupe knows. */
  | { readonly type: 'programs'; readonly programs: readonly ProgramState[] }
  /** All agents that have a window of their own. */
  | { readonly type: 'agent-windows'; readonly agentIds: readonly string[] }
  /** The tutorial that was started last; null: it is gone. */
  | { readonly type: 'tutorial'; readonly state: TutorialState | null }
  /** What is known of a newer version. */
  | { readonly type: 'update'; readonly state: UpdateState }
  | ({ readonly type: 'status-line' } & StatusLineContent)
  | { readonly type: 'menu'; readonly command: CommandId }
  /** A problem outside the agents' work, for display. */
  | { readonly type: 'problem'; readonly message: string }
  /** All current problems of the settings files. */
  | { readonly type: 'settings-problems'; readonly messages: readonly string[] }
  /** The complete list of current write failures. */
  | { readonly type: 'write-failure'; readonly failures: readonly WriteFailure[] }

/** One batch over the port. The next batch follows once the window answers `{ ack: batch }`. */
export interface DeltaBatch {
  readonly batch: number
  readonly deltas: readonly WindowDelta[]
}

export interface DeltaAck {
  readonly ack: number
}

/** Sent by the preload once it has the answer of a command with `hold`; see `CommandReply`. */
export interface DeltaRelease {
  readonly release: number
}

/** Carries every command. */
export const COMMAND_CHANNEL = 'troupe:command'
/** Gives the window the port for deltas. */
export const PORT_CHANNEL = 'troupe:port'
