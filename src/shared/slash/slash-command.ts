/** Commands that a user types with a `/` at the start of a message: command files, skills and prompts of MCP servers. */
import type { Result } from '../kernel/result.ts'
import type { PermissionMode } from '../permissions/permission-modes.ts'

export type SlashSource = 'project' | 'user' | 'plugin' | 'skill' | 'mcp' | 'built-in'

export interface SlashCommand {
  /** Without the slash: `deploy`, `git:commit`, `mcp__server__prompt`. */
  readonly name: string
  readonly description: string
  /** The meaning of the arguments, for display: `[issue] [priority]`; empty for none. */
  readonly argumentHint: string
  readonly source: SlashSource
  /** Absolute; null for a prompt of a server. */
  readonly file: string | null
  /** Why the command can't be used, with the line of its file; null: it can. */
  readonly problem: string | null
}

/** A typed line as the agent receives it. */
export interface ExpandedCommand {
  readonly name: string
  /** What the agent receives. */
  readonly text: string
}

export interface ExpandRequest {
  /** The folder of the conversation. Absolute. */
  readonly folder: string
  /** The line as typed, with its slash. */
  readonly line: string
  /** The receiver; null: the main agent of a new conversation. */
  readonly agent: { readonly conversationId: string; readonly agentId: string | null } | null
  /** The permission mode of the new conversation; missing: as the settings say. Without meaning for an agent. */
  readonly mode?: PermissionMode | undefined
  /** Shell commands that the user has seen and allowed for this line. */
  readonly approved: readonly string[]
}

export interface SlashCommands {
  /** All commands of a folder, by name. A name is taken once: files come before skills, skills before prompts. */
  list(folder: string): Promise<readonly SlashCommand[]>
  /**
   * The text of a command with its arguments. Fails with `unknown`, `wrong` (its file), `arguments`, `needs-permission`
   * (`commands`: the shell commands that the user must allow first), `denied` or `failed`. Then nothing may be sent.
   */
  expand(request: ExpandRequest, signal: AbortSignal): Promise<Result<ExpandedCommand, SlashFailure>>
}

export interface SlashFailure {
  readonly type: 'unknown' | 'wrong' | 'arguments' | 'needs-permission' | 'denied' | 'failed'
  readonly message: string
  readonly commands?: readonly string[]
}
