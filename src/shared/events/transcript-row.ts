/** One row of a transcript, as an open panel draws it. */

import type {
  CommandSharing,
  EventOf,
  FailureInfo,
  LoadedInstructions,
  PermissionSubject,
  ToolDisplay,
} from '../events/agent-event.ts'
import type { ImageBlock, ToolContent } from '../messages/content.ts'
import type { Confinement } from '../permissions/confinement.ts'
import type { ToolCallRow } from '../tools/tool-call-row.ts'
import type { SavedWork } from '../worktrees/worktree.ts'

export interface RowBase {
  /** Unique in its agent, the same after a reload. */
  readonly key: string
  readonly at: number
  /** The event that added the row. */
  readonly seq: number
}

export interface ToolRow extends RowBase {
  readonly kind: 'tool'
  readonly toolUseId: string
  readonly name: string
  /** How the call is drawn: by the tool's name until the call has started. */
  readonly call: ToolCallRow
  readonly input: unknown
  readonly summary: string
  readonly status: 'waiting' | 'running' | 'done' | 'failed'
  readonly note: string
  readonly content: ToolContent | null
  readonly display: ToolDisplay | null
  readonly outputFile: { readonly path: string; readonly bytes: number } | null
  readonly startedAt: number | null
  readonly durationMs: number | null
  /** How a command ran; missing where there was no sandbox. */
  readonly confinement?: Confinement
  /** What a command changed in files that git does not ignore; missing: nothing. */
  readonly changed?: ChangedAmounts
  /** Set for a command that the user ran: whether its output goes to the agent. */
  readonly sharing?: CommandSharing
}

export interface ChangedAmounts {
  readonly files: number
  /** Lines. */
  readonly added: number
  readonly removed: number
  /** The path of the first file. */
  readonly path: string
}

/** Whether a call was denied or stopped, which is a decision and not a failure of the call. */
export function isDecided({ status, note }: Pick<ToolRow, 'status' | 'note'>): boolean {
  return status === 'failed' && (note === 'denied' || note === 'stopped')
}

export interface RequestRow extends RowBase {
  readonly kind: 'request'
  readonly requestId: string
  readonly toolUseId: string
  readonly toolName: string
  readonly subject: PermissionSubject
  readonly because: string
  readonly alwaysRule: string | null
  readonly decision: EventOf<'permission-answered'>['decision'] | null
  readonly feedback: string | null
  /** The rule that the answer saved, or that answered. */
  readonly rule?: string | undefined
  /** Set if the rules changed and decided about the call. */
  readonly answeredBy?: 'rules' | undefined
}

export interface AgentsRow extends RowBase {
  readonly kind: 'agents'
  readonly toolUseIds: readonly string[]
  /** Why calls started no agent, for the user; by the call's id. */
  readonly failures: Readonly<Record<string, string>>
  /** Those of the failed calls that a limit or the user kept from starting an agent, by the call's id. */
  readonly notStarted: Readonly<Record<string, Extract<ToolDisplay, { kind: 'not-started' }>['limit']>>
}

export type TranscriptRow =
  | (RowBase & {
      readonly kind: 'user'
      readonly from: EventOf<'user-message'>['from']
      readonly messageId: string
      /** The agent that wrote the message, or whose end the runtime reports. */
      readonly sender: string | null
      readonly text: string
      /** The command that the user typed; \`text\` is what the agent received for it. Missing: no command. */
      readonly typed?: string
      readonly images: readonly ImageBlock[]
    })
  | (RowBase & { readonly kind: 'text'; readonly text: string })
  | (RowBase & { readonly kind: 'thinking'; readonly text: string })
  | ToolRow
  /** The calls of one message that start agents: a card lists those agents. */
  | AgentsRow
  | RequestRow
  | (RowBase & {
      readonly kind: 'retry'
      readonly attempt: number
      readonly failure: FailureInfo
      readonly retryAt: number | null
    })
  | (RowBase & {
      readonly kind: 'notice'
      readonly level: 'info' | 'warning' | 'error'
      readonly text: string
      /** A file whose changes the window can show. */
      readonly path?: string
    })
  /** The agent's worktree at its end. */
  | (RowBase & { readonly kind: 'work'; readonly work: SavedWork })
  /** Instruction files that the agent received: at its start, or when it first touched their folder. */
  | (RowBase & { readonly kind: 'instructions'; readonly files: readonly LoadedInstructions[] })
  | (RowBase & {
      readonly kind: 'ended'
      readonly status: EventOf<'agent-ended'>['status']
      readonly failure: FailureInfo | null
      readonly reachedLimit: EventOf<'agent-ended'>['reachedLimit']
      readonly limitOf: EventOf<'agent-ended'>['limitOf']
    })

/** A row to add, or a change to the row with that key. */
export type RowChange =
  | { readonly op: 'add'; readonly row: TranscriptRow }
  | { readonly op: 'change'; readonly key: string; readonly with: Partial<ToolRow> | Partial<RequestRow> }

export const toolKey = (toolUseId: string): string => `tool:${toolUseId}`
export const requestKey = (requestId: string): string => `prompt:${requestId}`
